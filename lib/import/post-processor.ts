// What a file's `post_processor` puts around the ids of a text.

import type { Place } from './place.js';

/** The ids before and after those of a text. */
export interface Template {
  prefix: number[];
  suffix: number[];
}

const NOTHING: Template = { prefix: [], suffix: [] };

/** Ids are below `limit`. */
export function templateOf(place: Place, limit: number): Template {
  if (place.isNone) return NOTHING;
  place.object();
  const type = place.at('type').text();
  switch (type) {
    case 'ByteLevel': // is about offsets alone
      return NOTHING;
    case 'TemplateProcessing':
      return ofTemplate(place, limit);
    case 'Sequence':
      return ofSequence(place, limit);
    default:
      return place.at('type').unsupported(`${type} is not supported`);
  }
}

function ofSequence(place: Place, limit: number): Template {
  const processors = place.at('processors');
  const templates = processors.elements().map((each) => templateOf(each, limit)).filter((each) => each !== NOTHING);
  // Hugging Face itself cannot apply two.
  if (templates.length > 1) processors.unsupported('more than one template is not supported');
  return templates[0] ?? NOTHING;
}

function ofTemplate(place: Place, limit: number): Template {
  const special = place.at('special_tokens');
  const before: number[] = [];
  const after: number[] = [];
  let sequences = 0;
  for (const piece of place.at('single').elements()) {
    piece.object();
    const sequence = piece.at('Sequence');
    if (!sequence.isNone) {
      if (sequence.at('id').text() !== 'A') sequence.at('id').malformed('A');
      sequences++;
      continue;
    }
    const name = piece.at('SpecialToken').at('id').text();
    const token = special.entry(name, special.at(name).value);
    token.object();
    const ids = token.at('ids').elements().map((id) => id.id(limit));
    (sequences === 0 ? before : after).push(...ids);
  }
  if (sequences !== 1) place.at('single').unsupported(`the text is in it ${sequences} times, and only once is supported`);
  return { prefix: before, suffix: after };
}

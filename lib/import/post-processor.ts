// What a file's `post_processor` puts around the ids of a text, and whether it takes whitespace off their offsets.

import type { Place } from './place.js';

/** The ids before and after those of a text. */
export interface Template {
  prefix: number[];
  suffix: number[];
}

/** What becomes of the offsets of a token that begins or ends with spaces: they are kept, or left out. */
export type Trimming = 'none' | 'spaces' | 'all but a first space';

export interface PostProcessor extends Template {
  trimming: Trimming;
}

const NOTHING: PostProcessor = { prefix: [], suffix: [], trimming: 'none' };

/** More than any model has. */
const MOST_IDS = 256;

/** Ids are below `limit`. */
export function postProcessorOf(place: Place, limit: number): PostProcessor {
  if (place.isNone) return NOTHING;
  place.object();
  const type = place.at('type').text();
  switch (type) {
    case 'ByteLevel':
      return { ...NOTHING, trimming: trimmingOf(place) };
    case 'RobertaProcessing':
      return { ...aroundText(place, limit), trimming: trimmingOf(place) };
    case 'BertProcessing':
      return { ...aroundText(place, limit), trimming: 'none' };
    case 'TemplateProcessing':
      return { ...ofTemplate(place, limit), trimming: 'none' };
    case 'Sequence':
      return ofSequence(place, limit);
    default:
      return place.at('type').unsupported(`${type} is not supported`);
  }
}

function ofSequence(place: Place, limit: number): PostProcessor {
  const list = place.at('processors');
  const processors = list.few().map((each) => postProcessorOf(each, limit));
  const templates = processors.filter(({ prefix, suffix }) => prefix.length + suffix.length > 0);
  const trimmings = processors.map(({ trimming }) => trimming).filter((trimming) => trimming !== 'none');
  // Hugging Face itself cannot apply two.
  if (templates.length > 1) list.unsupported('more than one template is not supported');
  if (trimmings.length > 1) list.unsupported('more than one post-processor with trim_offsets is not supported');
  const { prefix, suffix } = templates[0] ?? NOTHING;
  return { prefix, suffix, trimming: trimmings[0] ?? 'none' };
}

function trimmingOf(place: Place): Trimming {
  const keepsFirst = place.at('add_prefix_space').boolean();
  if (!place.at('trim_offsets').boolean()) return 'none';
  return keepsFirst ? 'all but a first space' : 'spaces';
}

/** One token before a text, and one after it. */
function aroundText(place: Place, limit: number): Template {
  const idOf = (name: string) => {
    const pair = place.at(name);
    const [text, id, another] = pair.few();
    if (!text || !id || another) return pair.malformed('a token and its id');
    text.text();
    return id.id(limit);
  };
  return { prefix: [idOf('cls')], suffix: [idOf('sep')] };
}

function ofTemplate(place: Place, limit: number): Template {
  const single = place.at('single');
  const special = place.at('special_tokens');
  const before: number[] = [];
  const after: number[] = [];
  let sequences = 0;
  for (const piece of single.few()) {
    piece.object();
    const sequence = piece.at('Sequence');
    if (!sequence.isNone) {
      if (sequence.at('id').text() !== 'A') sequence.at('id').malformed('A');
      sequences++;
      continue;
    }
    const token = special.entry(piece.at('SpecialToken').at('id').text());
    token.object();
    for (const id of token.at('ids').few()) (sequences === 0 ? before : after).push(id.id(limit));
    if (before.length + after.length > MOST_IDS) single.unsupported(`more than ${MOST_IDS} ids around a text are not supported`);
  }
  if (sequences !== 1) single.unsupported(`the text is in it ${sequences} times, and only once is supported`);
  return { prefix: before, suffix: after };
}

// The `decoder` of a file, as the metadata of a cartridge has it (cartridges/FORMAT.md, section 4).

import type { DecoderSpec, Step, TextForm } from '../decode/spec.js';
import type { Place } from './place.js';

/** A decoder in the syntax of the file: the patterns of Replace are Oniguruma's. */
export type ImportedDecoder = readonly Step[];

/** Far more than any model has. */
const MOST_STEPS = 64;
const MOST_STRIPPED = 2 ** 31;

/** The steps of a decoder; a file without one joins tokens by spaces. */
export function decoderStepsOf(place: Place): ImportedDecoder {
  if (place.isNone) return [{ type: 'Join' }];
  const steps = stepsOf(place);
  if (steps.length > MOST_STEPS) place.unsupported(`more than ${MOST_STEPS} decoders are not supported`);
  return steps;
}

/**
 * The decoder for the metadata, or undefined if the engine's own decoding, which joins the bytes of tokens, does the same.
 * `textsOf`: the texts of the tokens whose bytes do not say them, by id.
 */
export async function decoderSpecOf(
  steps: ImportedDecoder,
  form: TextForm,
  textsOf: () => ReadonlyMap<number, string>,
  place?: Place,
): Promise<DecoderSpec | undefined> {
  if (form === 'byte-level' && steps.length === 1 && steps[0]!.type === 'ByteLevel') return undefined;
  const texts = textsOf();
  const translated: Step[] = [];
  for (const step of steps) translated.push(await translatedStep(step, place));
  return { form, ...(texts.size > 0 && { texts: Object.fromEntries(texts) }), steps: translated };
}

async function translatedStep(step: Step, place: Place | undefined): Promise<Step> {
  if (step.type !== 'Replace' || !('Regex' in step.pattern)) return step;
  const { regexOf } = await import('../patterns/javascript.js');
  try {
    return { ...step, pattern: { Regex: regexOf(step.pattern.Regex) } };
  } catch (error) {
    return place ? place.unsupported(`the pattern of Replace: ${(error as Error).message}`) : fail(error);
  }
}

function fail(error: unknown): never {
  throw error;
}

function stepsOf(place: Place): Step[] {
  place.object();
  const type = place.at('type').text();
  switch (type) {
    case 'Sequence':
      return place.at('decoders').few().flatMap(stepsOf);
    case 'ByteLevel':
    case 'ByteFallback':
    case 'Fuse':
      return [{ type }];
    case 'WordPiece':
      return [{ type, prefix: place.at('prefix').text(), cleanup: place.at('cleanup').boolean() }];
    case 'Metaspace':
      return [ofMetaspace(place)];
    case 'Strip':
      return [{ type, content: characterAt(place, 'content'), start: countAt(place, 'start'), stop: countAt(place, 'stop') }];
    case 'Replace':
      return [{ type, pattern: patternAt(place.at('pattern')), content: place.at('content').text() }];
    case 'BPEDecoder':
      return [{ type, suffix: place.at('suffix').text() }];
    case 'CTC': {
      const pad_token = place.at('pad_token').text();
      const word_delimiter_token = textAt(place, 'word_delimiter_token');
      return [{ type, pad_token, word_delimiter_token, cleanup: place.at('cleanup').boolean() }];
    }
    default:
      return place.at('type').unsupported(`${type} is not supported`);
  }
}

function ofMetaspace(place: Place): Step {
  const scheme = place.at('prepend_scheme');
  const legacy = place.at('add_prefix_space');
  const named = scheme.isNone ? 'always' : scheme.text();
  if (named !== 'always' && named !== 'first' && named !== 'never') return scheme.malformed('always, first or never');
  // As the reference: an old file cannot say `false` without saying `never`.
  if (!legacy.truth(true) && named !== 'never') legacy.malformed('true, or a prepend_scheme of never');
  return { type: 'Metaspace', replacement: characterAt(place, 'replacement'), prepend_scheme: named };
}

function patternAt(place: Place): { String: string } | { Regex: string } {
  place.object();
  const [text, regex] = [place.at('String'), place.at('Regex')];
  if (text.kind === undefined) return { Regex: regex.text() };
  return { String: textAt(place, 'String') };
}

/** A text that is not empty: such a one would be found between all characters. */
function textAt(place: Place, key: string): string {
  const text = place.at(key).text();
  return text === '' ? place.at(key).unsupported('an empty text is not supported') : text;
}

function characterAt(place: Place, key: string): string {
  const text = place.at(key).text();
  return [...text].length === 1 ? text : place.at(key).malformed('one character');
}

function countAt(place: Place, key: string): number {
  return place.at(key).id(MOST_STRIPPED);
}

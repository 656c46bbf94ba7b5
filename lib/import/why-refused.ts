// Why the compiler refused an imported vocabulary, with the place in its file.

import type { Failure, TokenizerError } from '../tokenizer/errors.js';
import { byteLevel } from './byte-level.js';
import type { PatternRefusal } from '../patterns/tables.js';
import { Place, shown } from './place.js';
import type { Stage } from './splits.js';
import type { ImportedVocabulary } from './tokenizer-json.js';

/** The sections that a failure is about: pairs that are no token, and tokens that merging makes too early. */
const MERGES = 14;
const SPLITS = 10;

export function refusedImport(failure: Failure, vocabulary: ImportedVocabulary, parsed: unknown, file: string): TokenizerError {
  const { code, section, position } = failure;
  const model = new Place(parsed, '', file).at('model');
  const merges = model.at('merges');
  const pairAt = (index: number) => {
    const [left, right] = [...vocabulary.merges.subarray(2 * index, 2 * index + 2)].map((id) => textOf(vocabulary, id));
    return { left, right };
  };
  if (code === 'INVALID_ARGUMENT' && section === MERGES) {
    const { left, right } = pairAt(position);
    return placeOf(merges, left, right).error(`${shown(`${left}${right}`)} is not in model.vocab`, 'CORRUPT_STRUCTURE');
  }
  if (code === 'BUILD_FAILED' && section === SPLITS) {
    const what = `a merge that makes ${shown(textOf(vocabulary, position))} comes before the one that makes a half of it, which is not supported`;
    return merges.error(what, code);
  }
  if (code === 'MISSING_BYTE_TOKEN') {
    const character = byteLevel(Uint8Array.of(position));
    return model.at('vocab').error(`expected a token for each of the 256 bytes but found no ${shown(character)}`, code);
  }
  const what = position === 0 ? failure.sentence : `${failure.sentence} (position ${position})`;
  return new Place(parsed, '', file).error(what, code);
}

/** The same of a tekken.json. */
export function refusedTekken(failure: Failure, parsed: unknown, file: string): TokenizerError {
  const { code, position, sentence } = failure;
  const root = new Place(parsed, '', file);
  const vocab = root.at('vocab');
  const specials = Number(root.at('config').at('default_num_special_tokens').value);
  if (code === 'DUPLICATE_TOKEN' && position >= specials) {
    const rank = position - specials;
    return vocab.element(rank, undefined).at('token_bytes').error('another rank has the same bytes', code);
  }
  if (code === 'MISSING_BYTE_TOKEN') return vocab.error(`expected a token for each of the 256 bytes but found none for ${position}`, code);
  return root.error(position === 0 ? sentence : `${sentence} (position ${position})`, code);
}

/** For patterns without tables. */
export function refusedPretokenizer(
  { what, index }: PatternRefusal,
  stages: string | readonly Stage[],
  parsed: unknown,
  file: string,
): never {
  const stage = index === undefined || typeof stages === 'string' ? undefined : stages[index];
  const place = stage?.place ?? new Place(parsed, '', file).at('pre_tokenizer');
  const pattern = place.at('pattern').at('Regex');
  return (stage && !pattern.isNone ? pattern : place).unsupported(`${what}, which is not supported`);
}

function textOf({ bytes, offsets }: ImportedVocabulary, id: number | undefined): string {
  return id === undefined ? '' : byteLevel(bytes.subarray(offsets[id], offsets[id + 1]));
}

/** The place of a pair in the list. */
function placeOf(merges: Place, left: string | undefined, right: string | undefined): Place {
  const list = merges.list();
  const index = list.findIndex((merge) =>
    Array.isArray(merge) ? merge[0] === left && merge[1] === right : merge === `${left} ${right}`,
  );
  return index < 0 ? merges : merges.element(index, list[index]);
}

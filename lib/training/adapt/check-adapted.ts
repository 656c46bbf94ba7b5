// Checks a vocabulary with new tokens against the old one: every promise is tested, not inferred.

import type { ObservedText } from '../../api/adaptation.js';
import type { AddedToken, Description, EngineTokenizer } from '../../engine/engine.js';
import { TokenizerError } from '../../base/errors.js';
import type { Work } from '../../base/time-slices.js';
import type { Merge } from './chosen-merges.js';

const SLICE = 1024;

/** How many fewer tokens the texts need. Throws `BUILD_FAILED` for the first broken promise. */
export function* checkedSaving(
  before: EngineTokenizer,
  after: EngineTokenizer,
  merges: readonly Merge[],
  texts: readonly ObservedText[],
): Work<number> {
  const was = before.describe();
  const is = after.describe();
  const first = was.vocabularySize;
  demand(is.vocabularySize === first + merges.length, 'it has another number of tokens');
  demand(isSameSetting(was, is), 'its special tokens, its model or its pretokenizer are others');
  for (let id = 0; id < is.vocabularySize; id++) {
    if (id % SLICE === 0) yield;
    const expected = id < first ? before.tokenBytes(id) : merges[id - first]?.bytes;
    demand(areEqual(after.tokenBytes(id), expected), `the id ${id} has another token`);
  }
  let saved = 0;
  for (const { bytes, policy } of texts) {
    yield;
    const old = before.encode(bytes, policy);
    const decoded = before.decodeBytes(old, false);
    const ids = after.encode(bytes, policy);
    // Unknown characters may become known.
    demand(!areEqual(decoded, bytes) || areEqual(after.decodeBytes(ids, false), bytes), 'a text does not decode to itself');
    const { unknownId } = was;
    demand(unknownId === undefined || occurrences(ids, unknownId) <= occurrences(old, unknownId), 'more characters are unknown');
    saved += old.length - ids.length;
  }
  demand(saved >= 0, `the sample needs ${-saved} more tokens`);
  return saved;
}

function isSameSetting(was: Description, is: Description): boolean {
  const facts = ({ name, model, scanner, unknownId, unknownUnit, addedTokens }: Description) =>
    JSON.stringify([
      name,
      model,
      scanner,
      unknownId,
      unknownUnit,
      addedTokens.map(({ text, id, special }: AddedToken) => [text, id, special]),
    ]);
  return facts(was) === facts(is);
}

function occurrences(ids: Uint32Array, id: number): number {
  let count = 0;
  for (let at = 0; at < ids.length; at++) if (ids[at] === id) count++;
  return count;
}

function areEqual(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (!a || !b) return a === b;
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

function demand(isTrue: boolean, what: string): void {
  if (!isTrue) throw new TokenizerError(`cannot adapt the vocabulary: ${what}; nothing has been changed`, { code: 'BUILD_FAILED' });
}

// Chooses the tokens to add: merges, one after another, each of the most frequent pair of adjacent symbols, recounted after each merge; on a
// tie the pair with the larger (left, right). A pair counts at each position where it occurs, including overlapping ones, and is merged
// from the left, as in the trainer (crayon.h). A character without a token counts like a pair, and precedes equally frequent pairs.

// For BPE this equals encoding. Say that the vocabulary has the ranks below n, followed by the new tokens in order. Of the
// possible merges, encoding takes the one with the lowest rank. No old token has a new one as a half, because both halves of
// a token rank below it. So while an old merge is possible it comes first, exactly as before, and once none is, no new merge
// makes one possible: only the new merges remain, in order, on the symbols that the old vocabulary ends with. Hence a text
// gets the old ids with pairs merged in them; ids without tokens in between, as of special tokens, are ranks without a merge.
//
// A new token can neither arise in two ways nor be a whole piece that would be merged otherwise: its bytes differ from
// every other token's, and adjacent tokens of an encoding are the encoding of their bytes (native/src/text_tokens.h).
//
// One difference from training: if merging does not reach an old token, a new one between its halves could make merging
// reach it, with a higher rank than its own. The compiler rejects that, and the caller excludes the new token
// (adapt.ts).

import type { EngineTokenizer } from '../../engine/engine.js';
import type { Work } from '../../base/time-slices.js';
import { concatenated } from '../../base/typed-arrays.js';
import { FIRST_CHARACTER, keyOf, type Sample, type Sequence } from './symbol-sequences.js';

/** A new token. */
export interface Merge {
  bytes: Uint8Array<ArrayBuffer>;
  count: number;
}

export interface MergeOptions {
  /** The most merges. */
  add: number;
  minFrequency: number;
  firstId: number;
  /** Whether a token must not be created. */
  isExcluded(key: string): boolean;
}

const LONGEST_TOKEN = 0xffff;
/** Symbols to read between two checks of the clock. */
const SLICE = 1 << 14;

/** A candidate token: a pair, or a character, which has no right half. */
interface Candidate {
  left: number;
  right: number | undefined;
  bytes: Uint8Array<ArrayBuffer>;
  count: number;
}

/** Chooses the tokens. Leaves the sequences of the sample unchanged. */
export function* mergesOf(engine: EngineTokenizer, sample: Sample, options: MergeOptions): Work<Merge[]> {
  const { minFrequency, firstId, isExcluded } = options;
  const { characters } = sample;
  const merges: Merge[] = [];
  const sequences: Sequence[] = sample.sequences.map(({ symbols, count }) => ({ symbols: symbols.slice(), count }));
  /** Keyed by left * FIRST_CHARACTER + right, which also orders pairs. */
  const pairs = new Map<number, number>();
  /** How often each character occurs. */
  const lacking = new Map<number, number>();
  /** Pairs that cannot become tokens. */
  const refused = new Set<number>();
  const added = new Set<string>();

  function* countPairs(): Work<void> {
    let read = 0;
    for (const { symbols, count } of sequences) {
      for (let at = 0; at < symbols.length; at++) {
        if (at > 0) addPair(symbols[at - 1], symbols[at], count);
        const symbol = symbols[at] as number;
        if (symbol >= FIRST_CHARACTER) lacking.set(symbol, (lacking.get(symbol) ?? 0) + count);
        if (++read % SLICE === 0) yield;
      }
    }
  }

  /** The next candidate, if any is frequent enough. */
  function best(): Candidate | undefined {
    for (;;) {
      const found = mostFrequent();
      if (!found) return undefined;
      const { key, count, isCharacter } = found;
      const left = isCharacter ? key : Math.floor(key / FIRST_CHARACTER);
      const right = isCharacter ? undefined : key % FIRST_CHARACTER;
      const bytes = concatenated(Uint8Array, right === undefined ? [bytesOf(left)] : [bytesOf(left), bytesOf(right)]);
      if (canBecomeToken(bytes, isCharacter)) return { left, right, bytes, count };
      if (isCharacter) lacking.delete(key);
      else refused.add(key);
    }
  }

  function* apply({ left, right, bytes, count }: Candidate): Work<void> {
    const id = firstId + merges.length;
    merges.push({ bytes, count });
    added.add(keyOf(bytes));
    lacking.delete(left);
    let read = 0;
    for (const sequence of sequences) {
      if (right === undefined) replace(sequence, left, id);
      else join(sequence, left, right, id);
      read += sequence.symbols.length;
      if (read < SLICE) continue;
      read = 0;
      yield;
    }
  }

  function mostFrequent(): { key: number; count: number; isCharacter: boolean } | undefined {
    let key = -1;
    let highest = minFrequency - 1;
    let isCharacter = false;
    for (const [pair, count] of pairs) {
      if (count < highest || (count === highest && pair < key) || refused.has(pair)) continue;
      if (count === highest && key < 0) continue;
      key = pair;
      highest = count;
    }
    for (const [character, count] of lacking) {
      // Of equally frequent characters, the one that occurred first.
      if (count < highest || (count === highest && (isCharacter || key < 0))) continue;
      key = character;
      highest = count;
      isCharacter = true;
    }
    return key < 0 ? undefined : { key, count: highest, isCharacter };
  }

  function canBecomeToken(bytes: Uint8Array, isCharacter: boolean): boolean {
    if (bytes.length > LONGEST_TOKEN) return false;
    // Anything but a whole character, such as part of one, would match where the character itself is unknown now.
    if (isCharacter && !isWellFormed(bytes)) return false;
    const key = keyOf(bytes);
    return !added.has(key) && !isExcluded(key) && engine.idOf(bytes) === undefined;
  }

  function bytesOf(symbol: number): Uint8Array {
    if (symbol >= FIRST_CHARACTER) return characters[symbol - FIRST_CHARACTER] as Uint8Array;
    const merge = merges[symbol - firstId];
    return merge?.bytes ?? (engine.tokenBytes(symbol) as Uint8Array);
  }

  function join(sequence: Sequence, left: number, right: number, id: number): void {
    const { symbols, count } = sequence;
    let end = 0;
    for (let at = 0; at < symbols.length; at++) {
      if (symbols[at] !== left || symbols[at + 1] !== right) {
        symbols[end++] = symbols[at] as number;
        continue;
      }
      // The pairs always reflect the sequence with the merges so far.
      const before = end > 0 ? symbols[end - 1] : undefined;
      const after = symbols[at + 2];
      addPair(before, left, -count);
      addPair(left, right, -count);
      addPair(right, after, -count);
      addPair(before, id, count);
      addPair(id, after, count);
      symbols[end++] = id;
      at++;
    }
    sequence.symbols = symbols.subarray(0, end);
  }

  function replace({ symbols, count }: Sequence, character: number, id: number): void {
    for (let at = 0; at < symbols.length; at++) {
      if (symbols[at] !== character) continue;
      symbols[at] = id;
      addPair(symbols[at - 1], id, count);
      addPair(id, symbols[at + 1], count);
    }
  }

  /** Pairs that contain a character are not counted. */
  function addPair(left: number | undefined, right: number | undefined, count: number): void {
    if (left === undefined || right === undefined || left >= FIRST_CHARACTER || right >= FIRST_CHARACTER) return;
    const key = left * FIRST_CHARACTER + right;
    const sum = (pairs.get(key) ?? 0) + count;
    if (sum > 0) pairs.set(key, sum);
    else pairs.delete(key);
  }

  yield* countPairs();
  while (merges.length < options.add) {
    const candidate = best();
    if (!candidate) break;
    yield* apply(candidate);
  }
  return merges;
}

function isWellFormed(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

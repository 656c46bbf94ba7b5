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

/** Chooses the tokens. Leaves the sequences unchanged. */
export function* mergesOf(engine: EngineTokenizer, sample: Sample, options: MergeOptions): Work<Merge[]> {
  const merging = new Merging(engine, sample, options);
  yield* merging.count();
  while (merging.merges.length < options.add) {
    const best = merging.best();
    if (!best) break;
    yield* merging.merge(best);
  }
  return merging.merges;
}

/** A candidate token: a pair, or a character, which has no right half. */
interface Candidate {
  left: number;
  right: number | undefined;
  bytes: Uint8Array<ArrayBuffer>;
  count: number;
}

class Merging {
  readonly merges: Merge[] = [];
  readonly #engine: EngineTokenizer;
  readonly #characters: readonly Uint8Array[];
  readonly #options: MergeOptions;
  readonly #sequences: Sequence[];
  /** Keyed by left * FIRST_CHARACTER + right, which also orders pairs. */
  readonly #pairs = new Map<number, number>();
  /** How often each character occurs. */
  readonly #lacking = new Map<number, number>();
  /** Pairs that cannot become tokens. */
  readonly #refused = new Set<number>();
  readonly #added = new Set<string>();

  constructor(engine: EngineTokenizer, { sequences, characters }: Sample, options: MergeOptions) {
    this.#engine = engine;
    this.#characters = characters;
    this.#options = options;
    this.#sequences = sequences.map(({ symbols, count }) => ({ symbols: symbols.slice(), count }));
  }

  *count(): Work<void> {
    let read = 0;
    for (const { symbols, count } of this.#sequences) {
      for (let at = 0; at < symbols.length; at++) {
        if (at > 0) this.#add(symbols[at - 1], symbols[at], count);
        const symbol = symbols[at] as number;
        if (symbol >= FIRST_CHARACTER) this.#lacking.set(symbol, (this.#lacking.get(symbol) ?? 0) + count);
        if (++read % SLICE === 0) yield;
      }
    }
  }

  /** The next candidate, if any is frequent enough. */
  best(): Candidate | undefined {
    for (;;) {
      const found = this.#mostFrequent();
      if (!found) return undefined;
      const { key, count, isCharacter } = found;
      const left = isCharacter ? key : Math.floor(key / FIRST_CHARACTER);
      const right = isCharacter ? undefined : key % FIRST_CHARACTER;
      const bytes = concatenated(Uint8Array, right === undefined ? [this.#bytesOf(left)] : [this.#bytesOf(left), this.#bytesOf(right)]);
      if (this.#canBecomeToken(bytes, isCharacter)) return { left, right, bytes, count };
      if (isCharacter) this.#lacking.delete(key);
      else this.#refused.add(key);
    }
  }

  *merge({ left, right, bytes, count }: Candidate): Work<void> {
    const id = this.#options.firstId + this.merges.length;
    this.merges.push({ bytes, count });
    this.#added.add(keyOf(bytes));
    this.#lacking.delete(left);
    let read = 0;
    for (const sequence of this.#sequences) {
      if (right === undefined) this.#replace(sequence, left, id);
      else this.#join(sequence, left, right, id);
      read += sequence.symbols.length;
      if (read < SLICE) continue;
      read = 0;
      yield;
    }
  }

  #mostFrequent(): { key: number; count: number; isCharacter: boolean } | undefined {
    let key = -1;
    let highest = this.#options.minFrequency - 1;
    let isCharacter = false;
    for (const [pair, count] of this.#pairs) {
      if (count < highest || (count === highest && pair < key) || this.#refused.has(pair)) continue;
      if (count === highest && key < 0) continue;
      key = pair;
      highest = count;
    }
    for (const [character, count] of this.#lacking) {
      // Of equally frequent characters, the one that occurred first.
      if (count < highest || (count === highest && (isCharacter || key < 0))) continue;
      key = character;
      highest = count;
      isCharacter = true;
    }
    return key < 0 ? undefined : { key, count: highest, isCharacter };
  }

  #canBecomeToken(bytes: Uint8Array, isCharacter: boolean): boolean {
    if (bytes.length > LONGEST_TOKEN) return false;
    // Anything but a whole character, such as part of one, would match where the character itself is unknown now.
    if (isCharacter && !isWellFormed(bytes)) return false;
    const key = keyOf(bytes);
    return !this.#added.has(key) && !this.#options.isExcluded(key) && this.#engine.idOf(bytes) === undefined;
  }

  #bytesOf(symbol: number): Uint8Array {
    if (symbol >= FIRST_CHARACTER) return this.#characters[symbol - FIRST_CHARACTER] as Uint8Array;
    const merge = this.merges[symbol - this.#options.firstId];
    return merge?.bytes ?? (this.#engine.tokenBytes(symbol) as Uint8Array);
  }

  #join(sequence: Sequence, left: number, right: number, id: number): void {
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
      this.#add(before, left, -count);
      this.#add(left, right, -count);
      this.#add(right, after, -count);
      this.#add(before, id, count);
      this.#add(id, after, count);
      symbols[end++] = id;
      at++;
    }
    sequence.symbols = symbols.subarray(0, end);
  }

  #replace({ symbols, count }: Sequence, character: number, id: number): void {
    for (let at = 0; at < symbols.length; at++) {
      if (symbols[at] !== character) continue;
      symbols[at] = id;
      this.#add(symbols[at - 1], id, count);
      this.#add(id, symbols[at + 1], count);
    }
  }

  /** Pairs that contain a character are not counted. */
  #add(left: number | undefined, right: number | undefined, count: number): void {
    if (left === undefined || right === undefined || left >= FIRST_CHARACTER || right >= FIRST_CHARACTER) return;
    const key = left * FIRST_CHARACTER + right;
    const sum = (this.#pairs.get(key) ?? 0) + count;
    if (sum > 0) this.#pairs.set(key, sum);
    else this.#pairs.delete(key);
  }
}

function isWellFormed(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

// The sample as the vocabulary encodes it: sequences of symbols within which pairs can be merged.
//
// A symbol is the id of a token, or stands for a character that the vocabulary lacks and that has no token yet.

import type { ObservedText } from '../../api/adaptation.js';
import type { Description, EngineTokenizer } from '../../engine/engine.js';
import type { Work } from '../../base/time-slices.js';

/** Symbols from here on stand for characters; ids are lower (cartridges/FORMAT.md, section 4). */
export const FIRST_CHARACTER = 2 ** 22;

/** Symbols, and how often this sequence occurs. */
export interface Sequence {
  symbols: Uint32Array;
  count: number;
}

export interface Sample {
  sequences: Sequence[];
  /** The character for symbol FIRST_CHARACTER + i. */
  characters: Uint8Array[];
}

/** One character per byte, so that bytes can be the key of a map. */
export function keyOf(bytes: Uint8Array): string {
  let key = '';
  for (let at = 0; at < bytes.length; at += 4096) key += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return key;
}

/** Reads texts, with equal pieces as one sequence. Without a pretokenizer, the text between added tokens is a piece. */
export function* sampleOf(engine: EngineTokenizer, description: Description, texts: readonly ObservedText[]): Work<Sample> {
  const { scanner, addedTokens } = description;
  const added = new Set(addedTokens.map(({ id }) => id));
  const unknown = new Unknown(engine, description);
  const sequences = new Map<string, Sequence>();
  const add = (piece: Uint8Array, symbols: Uint32Array): void => {
    if (symbols.length === 1 && (symbols[0] as number) < FIRST_CHARACTER) return;
    const key = keyOf(piece);
    const known = sequences.get(key);
    if (known) known.count++;
    else sequences.set(key, { symbols: symbols.slice(), count: 1 });
  };
  for (const { bytes, policy } of texts) {
    yield;
    const { ids, offsets } = engine.encodeWithOffsets(bytes, 'pieces', policy);
    const byteOffsets = unknown.isIn(ids) ? engine.encodeWithOffsets(bytes, 'bytes', policy).offsets : undefined;
    const symbols = byteOffsets ? unknown.symbolsOf(ids, bytes, byteOffsets) : ids;
    for (let from = 0; from < ids.length; ) {
      // An unknown character's symbol is never an added token's, even if the unknown id is.
      if (added.has(symbols[from] as number)) {
        from++;
        continue;
      }
      let to = from + 1;
      while (to < ids.length && !added.has(symbols[to] as number)) {
        if (scanner !== 'none' && offsets[2 * to] !== offsets[2 * from]) break;
        to++;
      }
      add(bytes.subarray(offsets[2 * from], offsets[2 * to - 1]), symbols.subarray(from, to));
      from = to;
      if (from % 1024 === 0) yield;
    }
  }
  return { sequences: [...sequences.values()], characters: unknown.characters };
}

/** Characters that became the unknown id. */
class Unknown {
  readonly characters: Uint8Array[] = [];
  readonly #symbols = new Map<string, number>();
  readonly #id: number | undefined;
  /** The token of the unknown id, for when it is not an unknown character. */
  readonly #token: string | undefined;

  constructor(engine: EngineTokenizer, { unknownId, model }: Description) {
    this.#id = model === 'bpe' ? undefined : unknownId;
    const token = this.#id === undefined ? undefined : engine.tokenBytes(this.#id);
    this.#token = token && keyOf(token);
  }

  isIn(ids: Uint32Array): boolean {
    return this.#id !== undefined && ids.includes(this.#id);
  }

  symbolsOf(ids: Uint32Array, bytes: Uint8Array, byteOffsets: Uint32Array): Uint32Array {
    return ids.map((id, at) => {
      if (id !== this.#id) return id;
      const character = bytes.subarray(byteOffsets[2 * at], byteOffsets[2 * at + 1]);
      const key = keyOf(character);
      if (key === this.#token) return id;
      let symbol = this.#symbols.get(key);
      if (symbol === undefined) {
        symbol = FIRST_CHARACTER + this.characters.length;
        this.#symbols.set(key, symbol);
        this.characters.push(character);
      }
      return symbol;
    });
  }
}

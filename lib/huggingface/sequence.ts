// One text as rows. The names and words of its tokens are found when they are asked for.

import type { EngineTokenizer } from '../engine/engine.js';
import type { Range, Side } from './lengths.js';
import { NO_ROWS, type Origin, type Rows, sliced } from './rows.js';
import type { TokenNames } from './token-names.js';

/** What encodes texts. */
export interface Model {
  engine: EngineTokenizer;
  names: TokenNames;
  /** The id for what is no token; undefined if there is none. */
  unknownId: number | undefined;
  /** Whether the texts of unknown tokens are those of the text, as in Unigram. */
  showsUnknown: boolean;
}

/** The policy of a text: special tokens in it are tokens. */
const ALLOW = 1;

/** Up to where a text is read that truncation cuts afterwards: to the end of the word with the token at `most`, from one side. */
export interface Reading {
  most: number;
  side: Side;
}

/** The rows of a text of one string. */
export function rowsOfText(model: Model, text: string, typeId: number, reading?: Reading): Rows {
  const { ids, offsets } = model.engine.encodeWithOffsets(text, 'utf16', ALLOW);
  const origin = new EncodedText(model, text, ids, offsets);
  const rows = rowsFrom(origin, ids, charactersOf(text, offsets), typeId);
  return reading ? sliced(rows, origin.read(reading)) : rows;
}

/** The rows of a text that is split into words. */
export function rowsOfWords(model: Model, words: readonly string[], typeId: number): Rows {
  const all = words.map((text, word): Rows => {
    const { ids, offsets } = model.engine.encodeWithOffsets(text, 'utf16', ALLOW);
    const encoded = new EncodedText(model, text, ids, offsets);
    const origin: Origin = { tokenAt: (index) => encoded.tokenAt(index), wordAt: () => word };
    return rowsFrom(origin, ids, charactersOf(text, offsets), typeId);
  });
  const joined = <T>(column: (rows: Rows) => readonly T[]): T[] => all.flatMap(column);
  return {
    ...NO_ROWS,
    ids: joined(({ ids }) => ids),
    typeIds: joined(({ typeIds }) => typeIds),
    offsets: joined(({ offsets }) => offsets),
    special: joined(({ special }) => special),
    mask: joined(({ mask }) => mask),
    origins: joined(({ origins }) => origins),
    indexes: joined(({ indexes }) => indexes),
  };
}

function rowsFrom(origin: Origin, ids: Uint32Array, offsets: readonly Range[], typeId: number): Rows {
  const filled = <T>(value: T): T[] => new Array<T>(ids.length).fill(value);
  return {
    ...NO_ROWS,
    ids: Array.from(ids),
    typeIds: filled(typeId),
    offsets,
    special: filled(0),
    mask: filled(1),
    origins: filled(origin),
    indexes: Array.from(ids, (_, index) => index),
  };
}

/** Pairs of offsets in characters instead of UTF-16 units. */
function charactersOf(text: string, offsets: Uint32Array): Range[] {
  // The number of second halves of characters before a unit.
  let halves: Uint32Array | undefined;
  if (/[\ud800-\udbff]/.test(text)) {
    halves = new Uint32Array(text.length + 1);
    for (let at = 0; at < text.length; at++) {
      const isFirstHalf = (text.codePointAt(at) as number) > 0xffff;
      halves[at + 1] = halves[at]!;
      if (isFirstHalf) halves[++at + 1] = halves[at]! + 1;
    }
  }
  const characters = (unit: number) => unit - (halves?.[unit] ?? 0);
  return Array.from({ length: offsets.length / 2 }, (_, index) => [characters(offsets[2 * index]!), characters(offsets[2 * index + 1]!)]);
}

class EncodedText implements Origin {
  #words: Uint32Array | undefined;
  /** The first word that is read: words are counted from there. */
  #firstWord = 0;

  constructor(
    readonly model: Model,
    readonly text: string,
    readonly ids: Uint32Array,
    readonly offsets: Uint32Array,
  ) {}

  /** The tokens that are read. */
  read({ most, side }: Reading): Range {
    const { length } = this.ids;
    if (side === 'right') {
      if (length <= most) return [0, length];
      const words = this.#wordNumbers();
      // Without a limit, one word is read all the same.
      const last = most === 0 ? 0 : words[2 * (most - 1)]!;
      let end = most;
      while (end < length && words[2 * end] === last) end++;
      return [0, end];
    }
    if (length < most || length === 0) return [0, length];
    const words = this.#wordNumbers();
    let start = length - Math.max(most, 1);
    this.#firstWord = words[2 * start]!;
    while (start > 0 && words[2 * (start - 1)] === this.#firstWord) start--;
    return [start, length];
  }

  tokenAt(index: number): string {
    const id = this.ids[index]!;
    if (this.#isAdded(index) || (this.model.showsUnknown && id === this.model.unknownId)) return this.#textAt(index);
    return this.model.names.nameOf(id) ?? '';
  }

  wordAt(index: number): number {
    return this.#wordNumbers()[2 * index]! - this.#firstWord;
  }

  /** The number of each token's word, twice. */
  #wordNumbers(): Uint32Array {
    this.#words ??= this.model.engine.encodeWithOffsets(this.text, 'words', ALLOW).offsets;
    return this.#words;
  }

  #textAt(index: number): string {
    return this.text.slice(this.offsets[2 * index], this.offsets[2 * index + 1]).replace(/\p{Surrogate}/gu, '\ufffd');
  }

  /** An unknown token may be the model's, or an added token with that name in the text. */
  #isAdded(index: number): boolean {
    const id = this.ids[index]!;
    const { names, unknownId } = this.model;
    return names.isAdded(id) && (id !== unknownId || this.#textAt(index).trim() === names.nameOf(id));
  }
}

// One text as rows. The names and words of its tokens are found when they are asked for.

import type { EngineTokenizer } from '../engine/engine.js';
import type { Range } from './lengths.js';
import { NO_ROWS, type Origin, type Rows } from './rows.js';
import type { TokenNames } from './token-names.js';
import { undecided, type WordRule, wordsOf } from './word-rules.js';

/** What encodes texts. */
export interface Model {
  engine: EngineTokenizer;
  names: TokenNames;
  /** The id for what is no token; undefined if there is none. */
  unknownId: number | undefined;
  rule: WordRule;
  /** Whether the texts of unknown tokens are those of the text, as in Unigram. */
  showsUnknown: boolean;
}

/** The policy of a text: special tokens in it are tokens. */
const ALLOW = 1;

/** The rows of a text of one string. */
export function rowsOfText(model: Model, text: string, typeId: number): Rows {
  const { ids, offsets } = model.engine.encodeWithOffsets(text, 'utf16', ALLOW);
  const origin = new EncodedText(model, text, ids, offsets);
  return rowsFrom(origin, ids, charactersOf(text, offsets), typeId);
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
  #words: readonly number[] | undefined;

  constructor(
    readonly model: Model,
    readonly text: string,
    readonly ids: Uint32Array,
    readonly offsets: Uint32Array,
  ) {}

  tokenAt(index: number): string {
    const id = this.ids[index]!;
    if (this.#isAdded(index) || (this.model.showsUnknown && id === this.model.unknownId)) return this.#textAt(index);
    return this.model.names.nameOf(id) ?? '';
  }

  wordAt(index: number): number {
    this.#words ??= this.#findWords();
    return this.#words[index]!;
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

  #findWords(): number[] {
    const { engine, names, unknownId, rule } = this.model;
    return wordsOf(rule, {
      tokens: Array.from(this.ids, (id, index) => {
        const isAdded = this.#isAdded(index);
        return { name: names.nameOf(id) ?? '', isAdded, isUnknown: !isAdded && id === unknownId };
      }),
      pieces: () => {
        const { ids, offsets } = engine.encodeBytesWithOffsets(new TextEncoder().encode(this.text), 'pieces', ALLOW);
        if (ids.length !== this.ids.length) throw undecided('the engine reads the pieces of this text otherwise');
        return Array.from(this.ids, (_, index) => [offsets[2 * index]!, offsets[2 * index + 1]!]);
      },
    });
  }
}

// What a call returns, with what it tells of the words.

import type { Row } from './rows.js';

/** Where the words of a batch come from. */
export interface Words {
  rows: readonly Row[];
  /** The length of rows with padding; undefined without it. */
  padded: { length: number; side: 'left' | 'right' } | undefined;
  /** The number of the word of each token in the text of a row, which is the first or the second. */
  numbersOf(row: number, sequence: 0 | 1): ArrayLike<number>;
}

type Numbers = (number | null)[];

/** The columns, and the words, which are found when they are asked for. */
export class BatchEncodingOf {
  readonly #words: Words;

  constructor(columns: Readonly<Record<string, unknown>>, words: Words) {
    Object.assign(this, columns);
    this.#words = words;
  }

  /** The number of each token's word in its text; null for ids around texts and for padding. */
  word_ids(batch_index = 0): Numbers {
    return this.#each(batch_index, (sequence, from, length) => {
      const numbers = this.#words.numbersOf(batch_index, sequence);
      return Array.from({ length }, (_, index) => numbers[from + index] as number);
    });
  }

  /** 0 for the tokens of the first text, 1 for those of the second; null for ids around texts and for padding. */
  sequence_ids(batch_index = 0): Numbers {
    return this.#each(batch_index, (sequence, _, length) => new Array<number>(length).fill(sequence));
  }

  #each(index: number, numbersOf: (sequence: 0 | 1, from: number, length: number) => number[]): Numbers {
    const { rows, padded } = this.#words;
    const row = rows[index];
    if (!row) throw new RangeError(`expected a row below ${rows.length} for batch_index but received ${index}`);
    const own: Numbers = row.flatMap(({ ids, sequence, from }) =>
      sequence === undefined ? new Array<null>(ids.length).fill(null) : numbersOf(sequence, from ?? 0, ids.length),
    );
    const missing = new Array<null>(Math.max(0, (padded?.length ?? 0) - own.length)).fill(null);
    return padded?.side === 'left' ? [...missing, ...own] : [...own, ...missing];
  }
}

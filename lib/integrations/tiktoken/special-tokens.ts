// Special tokens: the arguments that name them, as tiktoken parses these, and where they are in a text.

import { outOfRange, unexpected } from '../../base/errors.js';

/** Names of special tokens and their ids. Null and undefined mean none. */
export function readSpecialTokens(given: unknown, name: string): Map<string, number> {
  if (given === undefined || given === null) return new Map();
  if (typeof given !== 'object') throw unexpected('an object of names and ids', name, given);
  const ids = new Map(Object.entries(given as Record<string, unknown>));
  for (const [token, id] of ids) {
    if (token === '') throw outOfRange('names of special tokens that are not empty', name, given);
    const path = `${name}[${JSON.stringify(token)}]`;
    if (typeof id !== 'number' || !Number.isInteger(id)) throw unexpected('an id', path, id);
    if (id < 0 || id > 0xffffffff) throw outOfRange('an id of 32 bits', path, id);
  }
  return ids as Map<string, number>;
}

/**
 * A selection of special tokens: `'all'`, or a list of names. Undefined means no selection, and so does anything that
 * is not a list of strings, such as a Set: tiktoken then uses its default, which is to reject them.
 */
export function readChoice(given: unknown, name: string): 'all' | readonly string[] | undefined {
  switch (typeof given) {
    case 'string':
      if (given === 'all') return given;
      throw new Error(`Invalid value for ${name}`);
    case 'function':
    case 'symbol':
    case 'bigint':
      throw unexpected("'all' or a list of special tokens", name, given);
  }
  return Array.isArray(given) && Array.from(given).every((token) => typeof token === 'string') ? given : undefined;
}

/**
 * Finds names, such as special tokens, in a text: the leftmost first, and the longest of several that begin at one
 * position. Makes one pass over the text per name, or a single pass if the names' common prefix does not occur.
 */
export class NamesInText {
  readonly #names: readonly string[]; // longest first
  readonly #beginning: string; // common to all names

  constructor(names: Iterable<string>) {
    this.#names = [...new Set(names)].sort((a, b) => b.length - a.length);
    this.#beginning = this.#names.reduce(commonBeginning, this.#names[0] ?? '');
  }

  /** The first name in the text; undefined if there is none. */
  first(text: string): string | undefined {
    for (const { name } of this.all(text)) return name;
    return undefined;
  }

  /** Every name in the text and its position. Matches do not overlap. */
  *all(text: string): Generator<{ name: string; at: number }, void> {
    if (this.#names.length === 0 || !text.includes(this.#beginning)) return;
    const next = this.#names.map((name) => text.indexOf(name));
    for (;;) {
      let found = -1;
      next.forEach((at, index) => {
        if (at >= 0 && (found < 0 || at < (next[found] as number))) found = index;
      });
      if (found < 0) return;
      const name = this.#names[found] as string;
      const at = next[found] as number;
      yield { name, at };
      const end = at + name.length;
      next.forEach((start, index) => {
        if (start >= 0 && start < end) next[index] = text.indexOf(this.#names[index] as string, end);
      });
    }
  }
}

function commonBeginning(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}

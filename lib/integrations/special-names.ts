// Names of special tokens, for tiktoken, js-tiktoken and transformers: as callers pass them, and where they are in a text.

import { outOfRange, unexpected } from '../base/errors.js';

/** Names of special tokens with their ids, checked. Null and undefined mean none. `name`: the argument's, for errors. */
export function checkedIds(ids: unknown, name: string): [token: string, id: number][] {
  if (ids === undefined || ids === null) return [];
  if (typeof ids !== 'object') throw unexpected('an object of names and ids', name, ids);
  const entries = Object.entries(ids as Record<string, unknown>);
  for (const [token, id] of entries) {
    if (token === '') throw outOfRange('names of special tokens that are not empty', name, ids);
    if (typeof id !== 'number') throw unexpected('an id', `${name}[${JSON.stringify(token)}]`, id);
  }
  return entries as [string, number][];
}

/** The source of a regular expression that finds any of the texts: of several that begin at one position, the one listed first. */
export function anyOf(texts: readonly string[]): string {
  return texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|') || '(?!)';
}

export function longestFirst(texts: Iterable<string>): string[] {
  return [...texts].sort((a, b) => b.length - a.length);
}

/** Finds names in texts: the leftmost first, and of several that begin at one position, the one listed first. */
export class NamesInText {
  readonly #pattern: RegExp;
  /** The beginning that all names have: most texts do not contain it, and to see that is several times as fast. Undefined without names. */
  readonly #beginning: string | undefined;

  constructor(names: readonly string[]) {
    this.#pattern = new RegExp(anyOf(names), 'g');
    this.#beginning = names.length > 0 ? names.reduce(commonBeginning) : undefined;
  }

  /** Every name in the text. Matches do not overlap. */
  all(text: string): Iterable<RegExpExecArray> {
    return this.#beginning !== undefined && text.includes(this.#beginning) ? text.matchAll(this.#pattern) : [];
  }

  /** The first name in the text; undefined if there is none. */
  first(text: string): string | undefined {
    for (const [name] of this.all(text)) return name;
    return undefined;
  }
}

function commonBeginning(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}

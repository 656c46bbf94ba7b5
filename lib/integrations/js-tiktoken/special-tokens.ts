// Finds special tokens in a text as js-tiktoken does: of several that begin at one position, the one named first.

import { outOfRange, unexpected } from '../../base/errors.js';

/** A selection of special tokens. */
export type Choice = 'all' | Iterable<string>;

/** Names of special tokens and their ids: the ranks' own, plus additional ones. */
export function readSpecialTokens(ranks: unknown, added: unknown): Record<string, number> {
  return { ...checkedObject(ranks, 'special_tokens'), ...checkedObject(added, 'extendedSpecialTokens') };
}

function checkedObject(given: unknown, name: string): Record<string, number> {
  if (given === undefined || given === null) return {};
  if (typeof given !== 'object') throw unexpected('an object of names and ids', name, given);
  for (const [token, id] of Object.entries(given)) {
    if (token === '') throw outOfRange('names of special tokens that are not empty', name, given);
    if (typeof id !== 'number') throw unexpected('an id', `${name}[${JSON.stringify(token)}]`, id);
  }
  return given as Record<string, number>;
}

/** Finds any of the texts, with earlier ones taking precedence. */
export function patternOf(texts: readonly string[]): RegExp {
  return new RegExp(texts.map((text) => text.replace(/[\\^$*+?.()|[\]{}]/g, '\\$&')).join('|'), 'g');
}

/** The special tokens of an encoder. */
export class SpecialTokens {
  readonly #ids: Readonly<Record<string, number>>;
  readonly #names: readonly string[];
  /** The prefix common to all names: most texts do not contain it and need no further search. */
  readonly #beginning: string;
  #pattern: RegExp | undefined;

  constructor(ids: Readonly<Record<string, number>>) {
    this.#ids = ids;
    this.#names = Object.keys(ids);
    this.#beginning = this.#names.reduce(commonBeginning, this.#names[0] ?? '');
  }

  /**
   * The allowed special tokens in a text: where each begins and ends, and its id. Throws if the text contains a
   * disallowed one.
   */
  allowedIn(text: string, allowed: Choice, disallowed: Choice): { at: number; end: number; id: number }[] {
    const mayHaveSome = this.#names.length > 0 && text.includes(this.#beginning);
    if (!mayHaveSome && disallowed === 'all') return [];
    const chosen = new Set(allowed === 'all' ? this.#names : checkedChoice(allowed, 'allowedSpecial'));
    this.#refuse(text, chosen, disallowed);
    return mayHaveSome && chosen.size > 0 ? this.#find(text, chosen) : [];
  }

  #refuse(text: string, allowed: ReadonlySet<string>, disallowed: Choice): void {
    const others = disallowed === 'all' ? this.#names.filter((name) => !allowed.has(name)) : disallowed;
    const refused = [...new Set(checkedChoice(others, 'disallowedSpecial'))];
    const found = refused.length > 0 ? patternOf(refused).exec(text) : null;
    if (found) throw new Error(`The text contains a special token that is not allowed: ${found[0]}`);
  }

  #find(text: string, allowed: ReadonlySet<string>): { at: number; end: number; id: number }[] {
    const found = [];
    const pattern = (this.#pattern ??= patternOf(this.#names));
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const { 0: name, index: at } = match;
      if (!allowed.has(name)) {
        // An allowed one may begin inside it.
        pattern.lastIndex = at + 1;
        continue;
      }
      found.push({ at, end: at + name.length, id: this.#ids[name] as number });
    }
    return found;
  }
}

function checkedChoice(given: Choice | null, name: string): Iterable<string> {
  if (given === null) return [];
  if (typeof given[Symbol.iterator] === 'function') return given;
  throw unexpected("'all' or a list of special tokens", name, given);
}

function commonBeginning(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}

// Checks option objects and the values in them. An unnoticed misspelt option would leave the default in force, which for `special` is a
// matter of safety.

import { LONGEST_NAME, outOfRange, shownName, unexpected } from './errors.js';

/** The names of a call's options. `all` must list every option of `Options`, or it does not compile. */
export function optionNames<Options>(all: Record<keyof Options, true>): readonly string[] {
  return Object.keys(all);
}

/**
 * Throws a TypeError for anything but an options object (arrays, maps, dates … are rejected), and for an option not in
 * `names`. Inherited options count, except a class prototype's, which are not enumerable. An undefined option counts as
 * absent. `name` is the caller's name for the object.
 */
export function checkOptionNames(options: unknown, names: readonly string[], name = 'options'): asserts options is object {
  checkPlainObject(options, name);
  // Takes 6 ns with the few options of most calls: a loop over names is faster than `includes` or a Set.
  for (const option in options) {
    if (!isAmong(names, option) && (options as Record<string, unknown>)[option] !== undefined) {
      throw unknownOption(option, names, name);
    }
  }
}

function isAmong(names: readonly string[], option: string): boolean {
  for (let i = 0; i < names.length; i++) if (names[i] === option) return true;
  return false;
}

/** Throws a TypeError for anything but plain objects and instances of user-defined classes. */
export function checkPlainObject(value: unknown, name: string, expected = 'an object'): asserts value is object {
  if (!isPlainObject(value)) throw unexpected(expected, name, value);
}

/** Also of objects without a prototype or from another realm. */
export function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return value.constructor === Object || Object.prototype.toString.call(value) === '[object Object]';
}

/** A boolean, by default false. */
export function checkedBoolean(value: unknown, name: string): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  throw unexpected('a boolean', name, value);
}

/** An integer from `least` to `limit`, if there is one. */
export function checkedInteger(value: unknown, name: string, least: number, limit = Number.MAX_SAFE_INTEGER): number {
  if (typeof value !== 'number') throw unexpected('a number', name, value);
  if (Number.isInteger(value) && value >= least && value <= limit) return value;
  const bounds =
    limit < Number.MAX_SAFE_INTEGER ? ` from ${least} to ${limit}` : least === Number.MIN_SAFE_INTEGER ? '' : ` of ${least} or more`;
  throw outOfRange(`an integer${bounds}`, name, value);
}

/** A number of bytes, or undefined. */
export function checkedByteCount(value: unknown, name: string): number | undefined {
  return value === undefined ? undefined : checkedInteger(value, name, 0);
}

/** One of several strings. */
export function checkedChoice<const Choice extends string>(value: unknown, name: string, choices: readonly Choice[]): Choice {
  if (choices.includes(value as Choice)) return value as Choice;
  const names = choices.map((choice) => `'${choice}'`);
  throw unexpected(`${names.slice(0, -1).join(', ')} or ${names.at(-1)}`, name, value);
}

function unknownOption(option: string, names: readonly string[], name: string): TypeError {
  const [near] = nearNames(option, names);
  const where = name === 'options' ? '' : ` in ${name}`;
  const advice = near === undefined ? ` (there are: ${names.join(', ')})` : `; did you mean '${near}'?`;
  return new TypeError(`unknown option '${shownName(option)}'${where}${advice}`);
}

/** Throws if a value is not a token id. */
export function checkId(id: unknown, name: string): void {
  if (typeof id !== 'number') throw unexpected('a token id', name, id);
  if (!Number.isInteger(id) || id < 0 || id >= 2 ** 32 - 1) throw outOfRange('an id', name, id);
}

// Suggestions for a mistyped name.

/**
 * At most three of `names`, nearest first: names within a few edits (two, or a third of a long name; one for a short name), and
 * names that contain it or are contained in it (unfinished, or with something added). Case does not matter.
 */
export function nearNames(name: string, names: Iterable<string>): string[] {
  if (name.length > LONGEST_NAME) return []; // no known name is as long, and the search is slow
  const lower = name.toLowerCase();
  const limit = lower.length < 4 ? Math.min(1, lower.length - 1) : Math.max(2, Math.floor(lower.length / 3));
  return [...names]
    .map((candidate) => ({ candidate, known: candidate.toLowerCase() }))
    .map(({ candidate, known }) => ({ candidate, known, edits: editDistance(lower, known) }))
    .filter(({ known, edits }) => edits <= limit || contains(known, lower) || contains(lower, known))
    .sort((a, b) => a.edits - b.edits)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** Whether a name contains a meaningful part: `o1` and `ada` occur in many words. */
function contains(name: string, part: string): boolean {
  return part.length > 3 && name.includes(part);
}

/** Levenshtein distance: insertions, deletions and replacements. */
export function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (above[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (above[j] as number) + 1, (row[j - 1] as number) + 1));
    }
    above = row;
  }
  return above[b.length] as number;
}

// Checks option objects: what counts as one, and that each option in it exists. An unnoticed misspelt option would
// leave the default in force, which for `special` is a matter of safety.

import { outOfRange, shownName, unexpected } from './errors.js';
import { nearNames } from './near-names.js';

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

/** A number of bytes, or undefined. */
export function checkedByteCount(value: unknown, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number') throw unexpected('a number of bytes', name, value);
  if (!Number.isSafeInteger(value) || value < 0) throw outOfRange('an integer of 0 or more', name, value);
  return value;
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

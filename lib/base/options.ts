// Option objects: what counts as one, and that each option in it exists. A misspelt option that went unnoticed would
// leave its default in force, which for `special` is a matter of safety.

import { outOfRange, shownName, unexpected } from './errors.js';
import { nearNames } from './near-names.js';

/** The names of the options of a call. `all` lists every option of `Options`, or TypeScript refuses it. */
export function optionNames<Options>(all: Record<keyof Options, true>): readonly string[] {
  return Object.keys(all);
}

/**
 * Throws a TypeError for what is no object of options (arrays, maps, dates … are none), and for an option that is not
 * among `names`. Inherited options count, but not those of a class's prototype, which are not enumerable. An option that
 * is undefined is as if absent. `name` is what the caller calls the object.
 */
export function checkOptionNames(options: unknown, names: readonly string[], name = 'options'): asserts options is object {
  checkPlainObject(options, name);
  // With the few options of most calls this takes 6 ns: a loop over names is faster than `includes` or a Set.
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

/** Throws a TypeError for everything but plain objects and instances of classes that are not built in. */
export function checkPlainObject(value: unknown, name: string, expected = 'an object'): asserts value is object {
  if (typeof value !== 'object' || value === null) throw unexpected(expected, name, value);
  if (value.constructor === Object) return;
  // So is what has no prototype, or comes from another realm.
  if (Object.prototype.toString.call(value) !== '[object Object]') throw unexpected(expected, name, value);
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

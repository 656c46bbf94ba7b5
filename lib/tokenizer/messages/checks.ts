// Checks values of a request: each function returns its argument or throws a TypeError that names the path.

import { shownName, unexpected } from '../../base/errors.js';
import { nearNames } from '../../base/options.js';

export type Fields = Record<string, unknown>;

export function stringOf(value: unknown, name: string): string {
  if (typeof value !== 'string') throw unexpected('a string', name, value);
  return value;
}

/** The items of an array and their paths. */
export function* itemsOf(value: unknown, name: string): Generator<[item: unknown, path: string]> {
  if (!Array.isArray(value)) throw unexpected('an array', name, value);
  for (let index = 0; index < value.length; index++) yield [value[index], `${name}[${index}]`];
}

/** An object with fields: not an array or another collection, whose entries are not fields. */
export function fieldsOf(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || !value || Symbol.iterator in value) throw unexpected('an object', name, value);
  return value as Fields;
}

/** The same, where unknown fields are mistakes unless they are empty; the API returns many empty ones. */
export function knownFieldsOf(value: unknown, name: string, known: readonly string[]): Fields {
  const fields = fieldsOf(value, name);
  for (const key of Object.keys(fields)) {
    if (known.includes(key) || isEmpty(fields[key])) continue;
    const [near] = nearNames(key, known);
    throw unexpected(`no such field${near ? ` (did you mean ${near}?)` : ''}`, `${name}.${shownName(key)}`, fields[key]);
  }
  return fields;
}

export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

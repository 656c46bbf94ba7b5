// Checks values of a request. Each check returns its argument or throws a TypeError that names the path.

import { nearNames } from '../../base/option-objects.js';
import { outOfRange, shownName, unexpected } from '../../base/errors.js';

export type Fields = Record<string, unknown>;

export function stringOf(value: unknown, name: string): string {
  if (typeof value !== 'string') throw unexpected('a string', name, value);
  return value;
}

/** The items of an array, their paths and indices. */
export function* itemsOf(value: unknown, name: string): Generator<[item: unknown, path: string, index: number]> {
  if (!Array.isArray(value)) throw unexpected('an array', name, value);
  for (let index = 0; index < value.length; index++) yield [value[index], `${name}[${index}]`, index];
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
    throw new TypeError(`\`${name}.${shownName(key)}\` is not a field of a request${near ? `; did you mean ${near}?` : ''}`);
  }
  return fields;
}

export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** The most values in a schema: one with more is recursive, or an attack. */
export const MAX_VALUES = 100_000;

/** Like Python's `json.dumps`: with spaces, and ASCII only. */
export function spacedJson(value: unknown): string {
  return JSON.stringify(value, null, 1)
    .replace(/,\n */g, ', ')
    .replace(/\n */g, '')
    .replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A schema without the parts hidden from the model: that objects are closed, and which properties are required. */
export function schemaJson(schema: object, name: string): string {
  /** Objects whose keys are names chosen by the user. */
  const named = new WeakSet<object>();
  let left = MAX_VALUES;
  try {
    return JSON.stringify(schema, function (this: object, key, value) {
      if (left-- <= 0) throw new RangeError();
      if (named.has(this)) return value;
      if (/^(?:properties|\$defs)$/.test(key) && typeof value === 'object' && value) named.add(value);
      return /^(?:additionalProperties|required)$/.test(key) ? undefined : value;
    });
  } catch {
    throw outOfRange('a schema that JSON can hold', name, schema);
  }
}

/** The value of a JSON text; the text itself if it is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// JSON as models are shown it: schemas of response formats, and parallel calls and their results.

import { outOfRange } from '../../base/errors.js';

/** The most values in a schema: one with more is recursive, or an attack. */
export const MOST_VALUES = 100_000;

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
  let left = MOST_VALUES;
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

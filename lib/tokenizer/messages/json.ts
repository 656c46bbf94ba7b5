// JSON as models are shown it: schemas of response formats, and parallel calls and their results.

import { outOfRange } from '../../base/errors.js';

/** How many values a schema may have: one with more holds itself, or is made to hang. */
export const MOST_VALUES = 100_000;

/** As `json.dumps` of Python writes it: with spaces, and nothing beyond ASCII. */
export function spacedJson(value: unknown): string {
  return JSON.stringify(value, null, 1)
    .replace(/,\n */g, ', ')
    .replace(/\n */g, '')
    .replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A schema without what the model is not told: that objects are closed, and which properties are required. */
export function schemaJson(schema: object, name: string): string {
  /** Objects whose keys are names that the user chose. */
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

/** The value of a JSON text; the text itself where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

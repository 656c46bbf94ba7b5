// Converts the caller's data to template values.
//
// Integral numbers become ints, and -0 becomes -0.0. Undefined values are dropped. A lone surrogate becomes U+FFFD, as
// everywhere in this library. Keys come in JavaScript's order: integer-like ones first.

import { Dict } from './jinja/values/dict.js';
import { List } from './jinja/values/list.js';
import { Float, normalized } from './jinja/values/numbers.js';
import { PyObject, type Value } from './jinja/values/object.js';
import { ofAuthor } from './jinja/values/text.js';

/** Levels of lists and objects, in data and in JSON text. */
export const DEEPEST = 200;

/** `origin`: the origin of all text in it. `name`: the caller's name for it, for errors. Throws a TypeError or RangeError. */
export function toValue(data: unknown, origin: number, name: string, depth = 0): Value {
  switch (typeof data) {
    case 'string':
      return ofAuthor(wellFormed(data), origin);
    case 'boolean':
      return data;
    case 'number':
      if (Number.isSafeInteger(data)) return Object.is(data, -0) ? new Float(data) : data;
      return Number.isInteger(data) ? normalized(BigInt(data)) : new Float(data);
    case 'bigint':
      return normalized(data);
    case 'object':
      if (data === null || data instanceof PyObject) return data;
      if (depth > DEEPEST) throw new RangeError(`expected at most ${DEEPEST} levels of lists and objects for ${name.slice(0, 60)}`);
      return Array.isArray(data) ? listOf(data, origin, name, depth) : dictOf(data, origin, name, depth);
    default:
      throw new TypeError(`expected plain data, as JSON has it, for ${name} but received a ${typeof data}`);
  }
}

function listOf(data: readonly unknown[], origin: number, name: string, depth: number): List {
  const items = new Array<Value>(data.length);
  for (let i = 0; i < data.length; i++) items[i] = toValue(data[i] ?? null, origin, name, depth + 1);
  return new List(items);
}

function dictOf(data: object, origin: number, name: string, depth: number): Dict {
  const dict = new Dict();
  for (const [key, value] of Object.entries(data)) {
    if (value !== undefined) dict.set(ofAuthor(wellFormed(key), origin), toValue(value, origin, name, depth + 1));
  }
  return dict;
}

/** Replaces lone surrogates with U+FFFD. */
export function wellFormed(text: string): string {
  // Where an engine has this method, it reads no text whose characters are bytes. It came to browsers in 2023.
  if ((text as string & { isWellFormed?(): boolean }).isWellFormed?.()) return text;
  return /[\ud800-\udfff]/.test(text)
    ? text.replace(/[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g, (found) => (found.length === 2 ? found : '\ufffd'))
    : text;
}

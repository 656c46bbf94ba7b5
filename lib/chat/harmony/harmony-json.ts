// JSON values as the harmony renderer sees them: keys in source order, integers distinct from floats.

import { outOfRange, unexpected } from '../../base/errors.js';
import { Dict } from '../jinja/values/dict.js';
import { List } from '../jinja/values/list.js';
import { Float, shortest } from '../jinja/values/numbers.js';
import { Str } from '../jinja/values/text.js';

/** A floating-point number: `1.0` is written as `1.0`. */
export class Real {
  constructor(readonly value: number) {}
}

export type Json = null | boolean | string | number | bigint | Real | readonly Json[] | ReadonlyMap<string, Json>;

/** The JSON nesting limit of OpenAI's renderer, 127, less the two levels around a message. */
const DEEPEST = 125;

/**
 * Converts JavaScript data, in which integral numbers are integers and undefined values are dropped, or values of JSON
 * text. `name`: the caller's name for it, for errors.
 */
export function jsonOf(value: unknown, name: string, depth = 0): Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'string' || typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isInteger(value) && !Object.is(value, -0) ? value : realOf(value, name);
  if (value instanceof Str) return value.text;
  if (value instanceof Float) return realOf(value.value, name);
  if (typeof value !== 'object' || ArrayBuffer.isView(value)) throw unexpected('JSON data', name, value);
  if (depth >= DEEPEST) throw outOfRange(`at most ${DEEPEST} levels of lists and objects`, name.slice(0, 60), value);
  const items = value instanceof List ? value.items : value;
  if (Array.isArray(items)) return items.map((each, index) => jsonOf(each, `${name}[${index}]`, depth + 1));
  const members =
    value instanceof Dict ? Array.from(value.entries(), (entry) => [(entry.key as Str).text, entry.value] as const) : Object.entries(value);
  return new Map(members.filter(([, each]) => each !== undefined).map(([key, each]) => [key, jsonOf(each, `${name}.${key}`, depth + 1)]));
}

function realOf(value: number, name: string): Real {
  if (!Number.isFinite(value)) throw unexpected('a number that JSON has', name, value);
  return new Real(value);
}

/** A member of an object; undefined if it is missing or the value is not an object. */
export function memberOf(value: Json | undefined, key: string): Json | undefined {
  return value instanceof Map ? (value as ReadonlyMap<string, Json>).get(key) : undefined;
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function isObject(value: Json | undefined): value is ReadonlyMap<string, Json> {
  return value instanceof Map;
}

/** Writes JSON like Rust's serde_json: no spaces, and its number format. */
export function compactJson(value: Json): string {
  if (value instanceof Real) return realText(value.value);
  if (typeof value === 'bigint' || typeof value === 'number') return integerText(BigInt(value));
  if (isList(value)) return `[${value.map(compactJson).join(',')}]`;
  if (isObject(value)) return `{${Array.from(value, ([key, each]) => `${JSON.stringify(key)}:${compactJson(each)}`).join(',')}}`;
  return JSON.stringify(value);
}

/** Writes JSON like `tojson` of templates: with spaces. */
export function spacedJson(value: Json): string {
  if (isList(value)) return `[${value.map(spacedJson).join(', ')}]`;
  if (isObject(value)) return `{${Array.from(value, ([key, each]) => `${JSON.stringify(key)}: ${spacedJson(each)}`).join(', ')}}`;
  return compactJson(value);
}

/** serde_json reads integers beyond 64 bits as floats. */
function integerText(value: bigint): string {
  const fits = value >= -(2n ** 63n) && value < 2n ** 64n;
  return fits ? String(value) : realText(Number(value));
}

/** The shortest digits, with an exponent below 1e-5 and from 1e16 on. */
function realText(value: number): string {
  return shortest(value, -5, (sign, digits) => (sign === '-' ? sign + digits : digits));
}

// What values of JSON are like, said once: compared with what a file has, and by the compiler with the type that the program gives it.

import { printable } from '../base/printable.js';

/** Says why a value is not of the shape, such as `.bytes is "x", not an integer from 0 on`; undefined if it is. */
export type Shape<Type> = ((value: unknown) => string | undefined) & { readonly of?: Type };

/** The longest value to quote. */
const QUOTED = 40;

export function integer(least = 0, most = Number.MAX_SAFE_INTEGER): Shape<number> {
  const expected = most === Number.MAX_SAFE_INTEGER ? `an integer from ${least} on` : `an integer from ${least} to ${most}`;
  return shape(expected, (value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most);
}

export const number: Shape<number> = shape('a number', (value) => typeof value === 'number');

export const boolean: Shape<boolean> = shape('a boolean', (value) => typeof value === 'boolean');

/** A string; `pattern`: of all of it, which `expected` describes. */
export function text(pattern = /^[^]+$/, expected = 'a string of one character or more'): Shape<string> {
  return shape(expected, (value) => typeof value === 'string' && pattern.test(value));
}

export const sha256: Shape<string> = text(/^[0-9a-f]{64}$/, 'a sha256');

export function oneOf<const Value>(values: readonly Value[]): Shape<Value> {
  return shape(values.map((value) => JSON.stringify(value)).join(' or '), (value) => values.includes(value as Value));
}

export function orNull<Type>(other: Shape<Type>): Shape<Type | null> {
  return (value) => (value === null ? undefined : other(value));
}

/** Of a member that may be missing. */
export function optional<Type>(other: Shape<Type>): Shape<Type | undefined> {
  return (value) => (value === undefined ? undefined : other(value));
}

export function list<Type>(element: Shape<Type>, fewest = 0): Shape<Type[]> {
  const isList = shape(fewest === 0 ? 'an array' : 'an array that is not empty', (value) => Array.isArray(value) && value.length >= fewest);
  return (value) => isList(value) ?? firstOf((value as unknown[]).entries(), (each, index) => within(`[${index}]`, element(each)));
}

/** An object whose keys are indices. */
export function byIndex<Type>(element: Shape<Type>): Shape<Record<string, Type>> {
  const isIndex = text(/^\d+$/, 'an index');
  return (value) =>
    isObject(value) ?? firstOf(Object.entries(value as object), (each, key) => isIndex(key) ?? within(`[${key}]`, element(each)));
}

/** An object with these members and no others. */
export function object<Type>(members: { readonly [Name in keyof Type]-?: Shape<Type[Name]> }): Shape<Type> {
  const shapes = Object.entries(members) as [string, Shape<unknown>][];
  return (value) =>
    isObject(value) ??
    firstOf(shapes, (member, name) => within(`.${name}`, member((value as Record<string, unknown>)[name]))) ??
    firstOf(Object.entries(value as object), (_, name) => (Object.hasOwn(members, name) ? undefined : within(`.${name}`, ' is unknown')));
}

const isObject = shape('an object', (value) => typeof value === 'object' && value !== null && !Array.isArray(value));

function shape<Type>(expected: string, is: (value: unknown) => boolean): Shape<Type> {
  return (value) => (is(value) ? undefined : value === undefined ? ' is missing' : ` is ${quoted(value)}, not ${expected}`);
}

function firstOf<Key, Value>(entries: Iterable<[Key, Value]>, why: (value: Value, key: Key) => string | undefined): string | undefined {
  for (const [key, value] of entries) {
    const reason = why(value, key);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function within(name: string, why: string | undefined): string | undefined {
  return why === undefined ? undefined : `${name}${why}`;
}

function quoted(value: unknown): string {
  const json = JSON.stringify(value);
  return printable(json.length > QUOTED ? `${json.slice(0, QUOTED)}…` : json);
}

// Whether values of two renders are the same to everything that a template can do with them.

import { Sequence, PySet, Range } from '../values/containers.js';
import { Dict } from '../values/dict.js';
import { Float } from '../values/float.js';
import { PyObject, type Value } from '../values/object.js';
import type { Origin } from '../values/origin.js';
import { Str } from '../values/str.js';
import { Undefined } from '../values/undefined.js';

/** The most values that one comparison looks at: beyond that, values count as different. */
const MOST = 1000;
let left = 0;

/**
 * The same type, elements in the same order, texts of the same origin. Messages for undefined values are not compared: a
 * render that fails is repeated without its memory.
 */
export function isSameValue(a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true;
  left = MOST;
  return same(a, b);
}

function same(a: Value | undefined, b: Value | undefined): boolean {
  if (Object.is(a, b)) return true;
  if (!(a instanceof PyObject && b instanceof PyObject) || a.constructor !== b.constructor || left-- < 0) return false;
  if (a instanceof Str) return b instanceof Str && isSameText(a, b);
  if (a instanceof Sequence)
    return a.source === (b as Sequence).source && (a.source !== undefined || sameAll(a.elements, (b as Sequence).elements));
  if (a instanceof Dict) return a.length() === b.length() && sameAll([...a.children()], [...(b as Dict).children()]);
  if (a instanceof PySet) return a.length() === b.length() && sameAll([...a.children()], [...(b as PySet).children()]);
  if (a instanceof Float) return Object.is(a.value, (b as Float).value);
  if (a instanceof Range) return a.start === (b as Range).start && a.stop === (b as Range).stop && a.step === (b as Range).step;
  return a instanceof Undefined;
}

function sameAll(a: readonly Value[], b: readonly Value[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i] && !same(a[i], b[i])) return false;
  return true;
}

function isSameText(a: Str, b: Str): boolean {
  return a.units === b.units && a.text === b.text && isSameOrigin(a.origin, b.origin);
}

function isSameOrigin(a: Origin, b: Origin): boolean {
  if (a === b) return true;
  if (typeof a === 'number' || typeof b === 'number') return false;
  return isSameRuns(a.runs, b.runs);
}

export function isSameRuns(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index]);
}

const data = new WeakSet<PyObject>();

/** Marks a message: everything in it is the caller's data, so that nobody needs to look. */
export function markData(message: PyObject): void {
  data.add(message);
}

/** Whether a value is a marked message. */
export function isData(value: Value | undefined): boolean {
  return value instanceof PyObject && data.has(value);
}

/**
 * Whether a value, with everything in it, is data that never changes: no namespace, macro or iterator, and no list that can
 * change between renders.
 */
export function isPlain(value: Value | undefined): boolean {
  if (!(value instanceof PyObject)) return true;
  if (value instanceof Str || value instanceof Float || value instanceof Range || value instanceof Undefined) return true;
  if (data.has(value)) return true;
  if (value instanceof Sequence) return value.source === undefined && value.elements.every(isPlain);
  if (!(value instanceof Dict || value instanceof PySet)) return false;
  for (const child of value.children()) if (!isPlain(child)) return false;
  return true;
}

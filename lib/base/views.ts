// Typed arrays and buffers of callers. A subclass, a patched object or a proxy may answer `length` or `subarray` with anything, and
// differently each time. So only this file reads their properties, with the getters of the language, and all other code works on plain
// views of fixed length.

import { concatenated } from './typed-arrays.js';

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;

const kindGetter = getterOf<string | undefined>(typedArray, Symbol.toStringTag);
const lengthGetter = getterOf<number>(typedArray, 'length');
const arrayGetters = gettersOf(typedArray);
const dataViewGetters = gettersOf(DataView.prototype);
const lengthOfBuffer = getterOf<number>(ArrayBuffer.prototype, 'byteLength');
/** Pages have shared memory only if their server sends the required headers. */
const lengthOfShared = typeof SharedArrayBuffer === 'undefined' ? undefined : getterOf<number>(SharedArrayBuffer.prototype, 'byteLength');
const { keys, subarray } = Uint8Array.prototype;

function getterOf<T>(prototype: object, name: PropertyKey): (this: unknown) => T {
  return Object.getOwnPropertyDescriptor(prototype, name)?.get as (this: unknown) => T;
}

function gettersOf(prototype: object) {
  return {
    buffer: getterOf<ArrayBufferLike>(prototype, 'buffer'),
    byteOffset: getterOf<number>(prototype, 'byteOffset'),
    byteLength: getterOf<number>(prototype, 'byteLength'),
  };
}

/** The class of a typed array, such as `'Uint8Array'`, even for a subclass or another realm; undefined for anything else. */
export function typedArrayKind(value: unknown): string | undefined {
  return kindGetter.call(value);
}

/**
 * A typed array as a plain Uint8Array of its bytes. Throws a TypeError if its memory is gone. `name` is the caller's
 * name for the array, or for the list that has it at `index`.
 */
export function plainBytes(array: ArrayBufferView, name: string, index?: number): Uint8Array {
  const { buffer, byteOffset, byteLength } = arrayGetters;
  const length = byteLength.call(array);
  if (length === 0) refuseGone(array, index === undefined ? name : `${name}[${index}]`);
  return new Uint8Array(buffer.call(array), byteOffset.call(array), length);
}

/** A Uint32Array of any class as a plain one. */
export function plainWords(array: Uint32Array, name: string): Uint32Array {
  const { buffer, byteOffset, byteLength } = arrayGetters;
  const length = byteLength.call(array);
  if (length === 0) refuseGone(array, name);
  return new Uint32Array(buffer.call(array), byteOffset.call(array), length / Uint32Array.BYTES_PER_ELEMENT);
}

/**
 * Views of `source`, with its class, for the same ranges that `parts` cover in `plain`, its plain view: part of a Node.js
 * Buffer is a Buffer.
 */
export function viewsLike(source: Uint8Array, plain: Uint8Array, parts: Uint8Array[]): Uint8Array[] {
  if (Object.getPrototypeOf(source) === Uint8Array.prototype) return parts;
  return parts.map(({ byteOffset, length }) => {
    const start = byteOffset - plain.byteOffset;
    return subarray.call(source, start, start + length);
  });
}

/** The number of elements of a typed array. */
export function lengthOf(array: ArrayBufferView, name: string): number {
  const length = lengthGetter.call(array);
  if (length === 0) refuseGone(array, name);
  return length;
}

/** The bytes of a typed array, a DataView or a buffer as a plain Uint8Array; undefined for anything else. */
export function bytesOf(value: unknown, name: string): Uint8Array | undefined {
  if (typedArrayKind(value) !== undefined) return plainBytes(value as ArrayBufferView, name);
  if (ArrayBuffer.isView(value)) return bytesOfDataView(value, name);
  return isBuffer(value) ? bytesOfBuffer(value, name) : undefined;
}

function bytesOfDataView(view: ArrayBufferView, name: string): Uint8Array {
  const { buffer, byteOffset, byteLength } = dataViewGetters;
  try {
    return new Uint8Array(buffer.call(view), byteOffset.call(view), byteLength.call(view));
  } catch {
    throw gone(name);
  }
}

function bytesOfBuffer(buffer: ArrayBufferLike, name: string): Uint8Array {
  try {
    return new Uint8Array(buffer, 0, (isShared(buffer) ? lengthOfShared : lengthOfBuffer)?.call(buffer));
  } catch {
    throw gone(name);
  }
}

function isBuffer(value: unknown): value is ArrayBufferLike {
  if (typeof value !== 'object' || value === null) return false;
  return accepts(lengthOfBuffer, value) || (lengthOfShared !== undefined && accepts(lengthOfShared, value));
}

/** Whether other threads can change a buffer at any time. */
export function isShared(buffer: ArrayBufferLike): boolean {
  return !accepts(lengthOfBuffer, buffer);
}

/** Whether a value is of the class that a getter belongs to. */
function accepts(getter: (this: unknown) => unknown, value: unknown): boolean {
  try {
    getter.call(value);
    return true;
  } catch {
    return false;
  }
}

/** JavaScript treats an array whose buffer was transferred, or shrank below it, as empty. */
function refuseGone(array: ArrayBufferView, name: string): void {
  try {
    keys.call(array as Uint8Array);
  } catch {
    throw gone(name);
  }
}

function gone(name: string): TypeError {
  return new TypeError(`cannot read ${name}: its buffer has been transferred, or has shrunk below it`);
}

/** The name of a built-in class, even for an object from another realm (a `vm` context, as some test runners use). */
export function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

// Texts: strings, or bytes.

/** The part [from, to) of a text. Throws a TypeError if the memory of bytes is gone. */
export function partOf(text: string | Uint8Array, from: number, to: number): string | Uint8Array {
  return typeof text === 'string' ? text.slice(from, to) : plainBytes(text, 'the text').subarray(from, to);
}

/** The text of its parts: all strings, or all bytes. */
export function joinedText(parts: readonly (string | Uint8Array)[]): string | Uint8Array {
  if (parts.length === 1) return parts[0] as string | Uint8Array;
  return typeof parts[0] === 'object' ? concatenated(Uint8Array, parts as Uint8Array[]) : parts.join('');
}

// Distinguishes promises, of any library, from available values.

/** Whether a value must be awaited. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value;
}

// Converts values from another node:vm context to objects of this one.
//
// Test runners (Jest, Vitest's vmThreads) give each test file a context with its own classes. Values that the addon creates
// or threads send belong to the context of Node: in a test file an array of ids would not be a `Uint32Array`.

type Numbers = Uint8Array | Uint32Array;

const CLASSES = [Uint8Array, Uint32Array];

/**
 * Returns a value of this context unchanged. From another context, plain objects, lists and typed arrays are recreated,
 * recursively; new typed arrays are views of the same memory, with the original `ArrayBuffer`. Everything else is left
 * alone.
 */
export function ofThisContext<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || value instanceof Object) return value;
  return recreated(value) as Value;
}

function recreated(value: object): object {
  if (ArrayBuffer.isView(value)) {
    const Own = CLASSES.find(({ name }) => name === (value as Numbers)[Symbol.toStringTag]);
    return Own ? new Own(value.buffer as ArrayBuffer, value.byteOffset, (value as Numbers).length) : value;
  }
  if (Array.isArray(value)) return Array.from(value, ofThisContext);
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype !== null && Object.getPrototypeOf(prototype) === null;
  return isPlain ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, ofThisContext(inner)])) : value;
}

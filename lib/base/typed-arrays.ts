// Types for results that are typed arrays.
//
// Since TypeScript 5.7 these classes are generic in the memory they view, and a `Response`, `fs.writeFile` or a transfer
// list accepts no view of possibly shared memory. Older versions know only the plain names. The return type of `of` is right
// in both.

import type { Work } from './time-slices.js';

/**
 * A `Uint8Array` whose memory is not shared: `Uint8Array<ArrayBuffer>`, or `Uint8Array` before TypeScript 5.7.
 *
 * @example
 * ```ts
 * const bytes: UnsharedUint8Array = tokenizer.decodeBytes([24912]);
 * await new Response(bytes).text(); // 'hello'
 * ```
 */
export type UnsharedUint8Array = ReturnType<Uint8ArrayConstructor['of']>;

/**
 * A `Uint32Array` whose memory is not shared: `Uint32Array<ArrayBuffer>`, or `Uint32Array` before TypeScript 5.7.
 *
 * @example
 * ```ts
 * const ids: UnsharedUint32Array = tokenizer.encode('hello world');
 * new Blob([ids]).size; // 8
 * ```
 */
export type UnsharedUint32Array = ReturnType<Uint32ArrayConstructor['of']>;

/**
 * An `Int32Array` whose memory is not shared: `Int32Array<ArrayBuffer>`, or `Int32Array` before TypeScript 5.7.
 *
 * @example
 * ```ts
 * const mask: UnsharedInt32Array = tokenizer.encodeBatch(['hello world']).pad().mask;
 * mask; // Int32Array [1, 1]
 * ```
 */
export type UnsharedInt32Array = ReturnType<Int32ArrayConstructor['of']>;

/**
 * A `BigInt64Array` whose memory is not shared: `BigInt64Array<ArrayBuffer>`, or `BigInt64Array` before TypeScript 5.7.
 *
 * @example
 * ```ts
 * const ids: UnsharedBigInt64Array = tokenizer.encodeBatch(['hello']).pad({ type: 'bigint64' }).ids;
 * ids; // BigInt64Array [24912n]
 * ```
 */
export type UnsharedBigInt64Array = ReturnType<BigInt64ArrayConstructor['of']>;

/** An array for ids of DNA. */
export type IdArray = Uint8Array | Uint16Array | Int32Array | BigInt64Array;

// Arrays of bytes or ids, joined.

/** A new array of the parts' elements. */
export function concatenated<All extends UnsharedUint8Array | UnsharedUint32Array | IdArray>(
  kind: new (length: number) => All,
  parts: readonly (ArrayLike<number> | ArrayLike<bigint>)[],
): All {
  const all = new kind(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part as never, at);
    at += part.length;
  }
  return all;
}

/** Where each part begins in the whole, and where the last ends. */
export function offsetsOf(parts: readonly { readonly length: number }[]): UnsharedUint32Array {
  const offsets = new Uint32Array(parts.length + 1);
  for (const [index, { length }] of parts.entries()) offsets[index + 1] = (offsets[index] as number) + length;
  return offsets;
}

/** Ids as a plain array, which some packages return. A loop is several times as fast as Array.from. */
export function plainArray(ids: Uint32Array): number[] {
  const { length } = ids;
  const list = new Array<number>(length);
  for (let index = 0; index < length; index++) list[index] = ids[index] as number;
  return list;
}

/** Joins ids, a part between two checks of the clock. */
export function* joined(parts: readonly UnsharedUint32Array[]): Work<UnsharedUint32Array> {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
    yield;
  }
  return all;
}

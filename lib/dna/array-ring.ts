// The arrays that the matrices of a call share: as many as are on their way or in use at once, in turn.

import type { IdArray } from './engine.js';
import type { BatchShape } from './options.js';

interface Place {
  ids: IdArray | undefined;
  mask: IdArray | undefined;
}

/** A matrix. */
interface Written {
  ids: IdArray;
  mask?: IdArray | undefined;
}

export class ArrayRing {
  readonly #places: Place[];
  #next = 0;

  constructor(count: number) {
    this.#places = Array.from({ length: count }, () => ({ ids: undefined, mask: undefined }));
  }

  /** Arrays for the next matrix, with room for so many elements, if there are; and what keeps those that it has then. */
  next(size: number): { arrays: Pick<BatchShape, 'ids' | 'maskOut'>; keep(matrix: Written): void } {
    const place = this.#places[this.#next++ % this.#places.length] as Place;
    const fitting = (array: IdArray | undefined) => (array && array.length >= size ? takenBack(array) : undefined);
    const arrays = { ids: fitting(place.ids), maskOut: fitting(place.mask) };
    place.ids = arrays.ids ?? place.ids;
    place.mask = arrays.maskOut ?? place.mask;
    const keep = ({ ids, mask }: Written) => {
      if (!place.ids || ids.length > place.ids.length) place.ids = ids;
      if (mask && (!place.mask || mask.length > place.mask.length)) place.mask = mask;
    };
    return { arrays, keep };
  }
}

/** From so many bytes on: other threads write only to larger ones, and the masks of these. */
const LARGE = 64 * 1024;

/** Whether nobody else has an array of the ring any more. */
export function isTakenBack(array: IdArray): boolean {
  return array.byteLength >= LARGE;
}

/**
 * The memory of an array that a caller has seen, which then has it no more: who still has the array cannot transfer memory
 * away that threads write to. Undefined if it has been transferred already, or cannot be.
 */
function takenBack(array: IdArray): IdArray | undefined {
  if (!isTakenBack(array)) return array;
  const Kind = array.constructor as new (buffer: ArrayBuffer, at: number, length: number) => IdArray;
  const { byteOffset, length } = array;
  const buffer = array.buffer as ArrayBuffer; // the caller's are not in the ring
  try {
    return new Kind(structuredClone(buffer, { transfer: [buffer] }), byteOffset, length);
  } catch {
    return undefined;
  }
}

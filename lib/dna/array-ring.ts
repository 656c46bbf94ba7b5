// The arrays that the matrices of a call share in rotation: as many as can be in progress or in use at once.

import type { IdArray } from './engine.js';
import type { BatchShape } from './options.js';

interface Slot {
  ids: IdArray | undefined;
  mask: IdArray | undefined;
}

/** A matrix. */
interface Written {
  ids: IdArray;
  mask?: IdArray | undefined;
}

export class ArrayRing {
  readonly #slots: Slot[];
  #last = 0;

  constructor(count: number) {
    this.#slots = Array.from({ length: count }, () => ({ ids: undefined, mask: undefined }));
  }

  /**
   * Arrays for the next matrix, if any are large enough for `size` elements, and a function that keeps the matrix's arrays
   * for reuse. `isLastInUse`: if not, the next matrix gets the arrays of the last one, which are in the cache.
   */
  next(size: number, isLastInUse: boolean): { arrays: Pick<BatchShape, 'ids' | 'maskOut'>; keep(matrix: Written): void } {
    if (isLastInUse) this.#last = (this.#last + 1) % this.#slots.length;
    const slot = this.#slots[this.#last] as Slot;
    const fitting = (array: IdArray | undefined) => (array && array.length >= size ? takenBack(array) : undefined);
    const arrays = { ids: fitting(slot.ids), maskOut: fitting(slot.mask) };
    slot.ids = arrays.ids ?? slot.ids;
    slot.mask = arrays.maskOut ?? slot.mask;
    const keep = ({ ids, mask }: Written) => {
      if (!slot.ids || ids.length > slot.ids.length) slot.ids = ids;
      if (mask && (!slot.mask || mask.length > slot.mask.length)) slot.mask = mask;
    };
    return { arrays, keep };
  }
}

/** Other threads write only to arrays of at least this many bytes, and to their masks. */
const LARGE = 64 * 1024;

/** Whether the ring is the sole owner of an array. */
export function isTakenBack(array: IdArray): boolean {
  return array.byteLength >= LARGE;
}

/**
 * Moves the memory of an array that a caller has seen to a new array. The caller, who may still hold the old one, cannot
 * transfer memory that threads write to. Undefined if it has already been transferred, or cannot be.
 */
function takenBack(array: IdArray): IdArray | undefined {
  if (!isTakenBack(array)) return array;
  const Kind = array.constructor as new (buffer: ArrayBuffer, at: number, length: number) => IdArray;
  const { byteOffset, length } = array;
  const buffer = array.buffer as ArrayBuffer; // callers' own arrays are not in the ring
  try {
    return new Kind(structuredClone(buffer, { transfer: [buffer] }), byteOffset, length);
  } catch {
    return undefined;
  }
}

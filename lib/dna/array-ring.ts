// The arrays that the matrices of a call share: as many as are on their way or in use at once, in turn.

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
  #next = 0;

  constructor(count: number) {
    this.#slots = Array.from({ length: count }, () => ({ ids: undefined, mask: undefined }));
  }

  /** Arrays for the next matrix, with room for so many elements, if there are; and what keeps those that it has then. */
  next(size: number): { arrays: Pick<BatchShape, 'ids' | 'maskOut'>; keep(matrix: Written): void } {
    const slot = this.#slots[this.#next++ % this.#slots.length] as Slot;
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

// Ids as a dataset has them: in its integers, with those that separate documents.

import type { TokenBatch } from '../tokenizer/token-batch.js';
import { widthOf } from './formats.js';
import type { DatasetManifest } from './manifest.js';
import { bytesOf } from './words.js';

/** Ids of batches, one after the other, in memory that is used again. */
export class SeparatedIds {
  readonly #manifest: DatasetManifest;
  #memory = new ArrayBuffer(0);

  constructor(manifest: DatasetManifest) {
    this.#manifest = manifest;
  }

  /** The bytes of a batch in a dataset, and how many ids each document has. Valid until the next call. */
  of({ ids, offsets }: TokenBatch): { ids: Uint8Array; lengths: Uint32Array } {
    const { dtype, endOfDocument } = this.#manifest;
    const { id, position } = endOfDocument;
    const count = offsets.length - 1;
    const lengths = new Uint32Array(count);
    const more = id === null ? 0 : 1;
    for (let row = 0; row < count; row++) lengths[row] = (offsets[row + 1] as number) - (offsets[row] as number) + more;
    if (id === null && widthOf(dtype) === 4) return { ids: bytesOf(ids), lengths };
    const all = this.#array(widthOf(dtype), ids.length + more * count);
    if (id === null) all.set(ids);
    else {
      const before = position === 'before' ? 1 : 0;
      for (let row = 0, at = 0; row < count; row++) {
        const end = at + (lengths[row] as number);
        copyInto(all, at + before, ids, offsets[row] as number, offsets[row + 1] as number);
        all[before ? at : end - 1] = id;
        at = end;
      }
    }
    return { ids: bytesOf(all), lengths };
  }

  #array(width: 2 | 4, length: number): Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer> {
    if (this.#memory.byteLength < width * length) this.#memory = new ArrayBuffer(Math.ceil(1.25 * width * length));
    return width === 2 ? new Uint16Array(this.#memory, 0, length) : new Uint32Array(this.#memory, 0, length);
  }
}

/** Copies ids; a call for few of them costs more than the loop. */
function copyInto(all: Uint16Array | Uint32Array, at: number, ids: Uint32Array, from: number, to: number): void {
  if (to - from > 64) all.set(ids.subarray(from, to), at);
  else for (let id = from; id < to; id++, at++) all[at] = ids[id] as number;
}

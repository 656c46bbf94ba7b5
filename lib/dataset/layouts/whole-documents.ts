// For formats that keep documents apart: gathers parts of ids to whole documents.

import type { Layout } from './layout.js';

/** Whole documents: their ids, and how many each has. Valid during the call. */
export type TakeDocuments = (ids: Buffer, lengths: Uint32Array) => Promise<void>;

/** A layout that passes groups of whole documents on, of about this many bytes. `width`: bytes of an id. */
export function wholeDocuments(width: number, groupBytes: number, take: TakeDocuments, finish: () => Promise<void>): Layout {
  let lengths = new Uint32Array(0);
  /** The first document that has not been passed on. */
  let first = 0;
  let buffer = Buffer.allocUnsafeSlow(groupBytes);
  let size = 0;
  /** The documents that the buffer has whole, and their bytes. */
  const wholeOnes = () => {
    let end = first;
    let bytes = 0;
    for (; end < lengths.length && bytes + (lengths[end] as number) * width <= size; end++) bytes += (lengths[end] as number) * width;
    return { end, bytes };
  };
  const pass = async () => {
    const { end, bytes } = wholeOnes();
    if (end === first) return;
    await take(buffer.subarray(0, bytes), lengths.subarray(first, end));
    buffer.copyWithin(0, bytes, size);
    size -= bytes;
    first = end;
  };
  return {
    async documents(next) {
      await pass();
      lengths = next.slice() as Uint32Array<ArrayBuffer>;
      first = 0;
    },
    async ids(part) {
      if (size + part.length > buffer.length) {
        await pass();
        if (size + part.length > buffer.length) {
          const larger = Buffer.allocUnsafeSlow(Math.max(2 * buffer.length, size + part.length));
          buffer.copy(larger, 0, 0, size);
          buffer = larger;
        }
      }
      buffer.set(part, size);
      size += part.length;
      if (size >= groupBytes) await pass();
    },
    async finish() {
      await pass();
      await finish();
    },
  };
}

// The charsmap of a model, checked as sentencepiece checks it: every walk over its double array ends inside it, and every
// replacement is UTF-8 that ends with a zero.

import type { ProtoFile } from './fields.js';

/** In bytes: 256 units of a double array. */
const BLOCK = 1024;
const HEAD = 4;
const LEAF = 0x80000000;

export function checkCharsmap(file: ProtoFile, { bytes, at }: { bytes: Uint8Array; at: number }): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = bytes.length > HEAD ? view.getUint32(0, true) : 0;
  if (length < BLOCK || length % BLOCK !== 0 || length >= bytes.length - HEAD) {
    file.malformed(`expected a double array of whole blocks in the ${bytes.length} bytes of precompiled_charsmap`, at);
  }
  const texts = bytes.subarray(HEAD + length);
  if (texts.at(-1) !== 0) file.malformed('expected texts that end with a zero in precompiled_charsmap', at + bytes.length - 1);
  const textsAt = at + HEAD + length;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(texts);
  } catch {
    file.malformed('expected UTF-8 for the texts of precompiled_charsmap', textsAt);
  }
  const count = length / 4;
  const unitAt = (index: number) => view.getUint32(HEAD + 4 * index, true);
  const offsetOf = (unit: number) => (unit >>> 10) << ((unit & 0x200) >>> 6);
  const endsText = (unit: number) => (unit & 0x100) !== 0;
  const isInside = (index: number, unit: number) => ((index ^ offsetOf(unit)) | 0xff) >>> 0 < count;
  const wrong = (index: number) => file.malformed(`the unit ${index} of precompiled_charsmap leads nowhere`, at + HEAD + 4 * index);
  const root = unitAt(0);
  if ((root & (LEAF | 0xff)) !== 0 || endsText(root) || offsetOf(root) === 0 || !isInside(0, root)) wrong(0);
  for (let index = 1; index < count; index++) {
    const unit = unitAt(index);
    if (unit >= LEAF) {
      if (unit - LEAF >= texts.length) wrong(index);
      continue;
    }
    if (!isInside(index, unit)) wrong(index);
    if (endsText(unit) && unitAt((index ^ offsetOf(unit)) >>> 0) < LEAF) wrong(index);
  }
}

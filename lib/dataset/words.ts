// Integers of 32 bits in files, little-endian, as every machine has them that Node runs on.

/** The words of bytes; a copy if they do not begin at a multiple of 4. */
export function wordsOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  if (byteOffset % 4 === 0) return new Uint32Array(buffer, byteOffset, byteLength / 4);
  return new Uint32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

/** The bytes of integers. */
export function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

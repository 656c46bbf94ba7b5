// The checksum of gzip: CRC-32, four bytes at a time (slicing).

const TABLES: readonly Int32Array[] = (() => {
  const tables = Array.from({ length: 4 }, () => new Int32Array(256));
  const [first, ...others] = tables as [Int32Array, ...Int32Array[]];
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    first[byte] = crc;
  }
  let before = first;
  for (const table of others) {
    for (let byte = 0; byte < 256; byte++) {
      const crc = before[byte] as number;
      table[byte] = (crc >>> 8) ^ (first[crc & 255] as number);
    }
    before = table;
  }
  return tables;
})();

/** Extends `crc`, a checksum (0 for no bytes), by `bytes`. */
export function crc32(crc: number, bytes: Uint8Array): number {
  const [t0, t1, t2, t3] = TABLES as [Int32Array, Int32Array, Int32Array, Int32Array];
  const { length } = bytes;
  let value = ~crc;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    const word =
      value ^
      ((bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24));
    value =
      (t3[word & 255] as number) ^ (t2[(word >>> 8) & 255] as number) ^ (t1[(word >>> 16) & 255] as number) ^ (t0[word >>> 24] as number);
  }
  for (; at < length; at++) value = (value >>> 8) ^ (t0[(value ^ (bytes[at] as number)) & 255] as number);
  return ~value >>> 0;
}

// Maps ranges of a chat's text to ranges of its bytes.

/** Converts ranges in UTF-16 units to ranges in UTF-8 bytes. `size`: the length of the whole text in bytes. */
export function byteRanges(ranges: Uint32Array, text: string, size: number): Uint32Array {
  if (size === text.length) return ranges;
  let [unit, byte] = [0, 0];
  return ranges.map((end) => {
    for (; unit < end; unit++) {
      const code = text.charCodeAt(unit);
      // Each half of a surrogate pair counts for two of its four bytes.
      byte += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
    }
    return byte;
  });
}

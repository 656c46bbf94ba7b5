/**
 * Overlapping chunks of one length: each begins `overlap` bytes before the previous one ends, moved to a character
 * boundary.
 * @param {Uint8Array} bytes UTF-8
 * @returns {{ begin: number, end: number }[]}
 */
export function overlappingChunks(bytes, length, overlap) {
  const chunks = [];
  for (let begin = 0; ; begin = characterAt(bytes, begin + length - overlap)) {
    const end = characterAt(bytes, begin + length);
    chunks.push({ begin, end });
    if (end === bytes.length) return chunks;
  }
}

function characterAt(bytes, at) {
  if (at >= bytes.length) return bytes.length;
  while ((bytes[at] & 0xc0) === 0x80) at--;
  return at;
}

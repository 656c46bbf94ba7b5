// Bytes that a JavaScript module holds as a string: no file that a bundler could lose, a download that compresses like the
// bytes themselves. scripts/embed.mjs writes such modules.
//
// The first character is the shift; each of the others is a byte plus that, modulo 256.

export function bytesOfText(text: string): Uint8Array {
  const shift = text.charCodeAt(0);
  const length = text.length - 1;
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = text.charCodeAt(i + 1) - shift;
  return bytes;
}

/** Collects ids and makes them comparable. */
import { createHash } from 'node:crypto';

/** Number and sha256 of ids. @param {Uint32Array} ids */
export function fingerprint(ids) {
  const bytes = new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength);
  return { tokens: ids.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** All ids of a text, its messages concatenated. @param {(text: string) => ArrayLike<number>} encode */
export function idsOf(text, encode) {
  if (!text.messages) return Uint32Array.from(encode(text.text));
  const rows = text.messages.map((message) => Uint32Array.from(encode(message)));
  const ids = new Uint32Array(rows.reduce((sum, row) => sum + row.length, 0));
  let at = 0;
  for (const row of rows) {
    ids.set(row, at);
    at += row.length;
  }
  return ids;
}

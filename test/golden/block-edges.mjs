/**
 * Every short text over a small alphabet, laid over the edges of 64-byte blocks.
 *
 * Scanners that work in blocks carry what they know from one block to the next, and what they must know is decided by a
 * few characters on either side of the edge. Here all words over an alphabet with one or two characters of each class
 * stand there, in every position: a carry that is wrong for one of them changes a digest. 64 cells of 64 bytes make one
 * text, so that a scanner that loses its alignment finds it again.
 */
import { createHash } from 'node:crypto';

const CELL = 64;
const CELLS = 64;
const encoder = new TextEncoder();

/** Alphabet and word length. The words of a sweep are numbered in base `alphabet.length`. */
export const SWEEPS = {
  classes: { alphabet: ['a', 'B', ' ', '\n', '!', '1', "'", '/', '\r', '語', '\u0301'], length: 5 },
  contractions: { alphabet: ["'", 's', 'R', 'e', 'ſ', ' ', '1'], length: 6 },
  // '§' merges with no line end, so that it shows in the ids which piece the line ends are in.
  lineEnds: { alphabet: ['§', '\n', ' ', '/'], length: 8 },
  whiteSpace: { alphabet: [' ', '\n', '\t', '!', 'a', '\x85'], length: 6 },
};

/** How many bytes of a word come before the edge, one digest each. */
export const SHIFTS = [1, 2, 3, 4, 5, 6];

/** @returns {Generator<string>} the texts of a sweep with the edges `shift` bytes into the words */
export function* textsOfSweep(name, shift) {
  const { alphabet, length } = SWEEPS[name];
  const bytes = alphabet.map((character) => encoder.encode(character).length);
  const words = alphabet.length ** length;
  let text = '';
  let used = 0; // bytes of the text
  let cells = 0;
  for (let number = 0; number < words; number++) {
    const pad = ((2 * CELL - shift - (used % CELL) - 1) % CELL) + 1;
    // Letters mostly, which the word may go on with; sometimes with a full stop at the end, which it may not.
    text += number % 5 === 0 ? `${'x'.repeat(pad - 1)}.` : 'x'.repeat(pad);
    used += pad;
    for (let rest = number, i = 0; i < length; i++, rest = Math.floor(rest / alphabet.length)) {
      text += alphabet[rest % alphabet.length];
      used += bytes[rest % alphabet.length];
    }
    if (++cells === CELLS) {
      yield text;
      text = '';
      used = cells = 0;
    }
  }
  if (text !== '') yield text;
}

/** Digest over the token count and ids of each text of a sweep in turn: 16 hexadecimal digits of the sha256. */
export function sweepDigest(encode, name, shift) {
  const hash = createHash('sha256');
  for (const text of textsOfSweep(name, shift)) {
    const ids = encode(text);
    hash.update(Uint32Array.of(ids.length)).update(new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength));
  }
  return hash.digest('hex').slice(0, 16);
}

/** All digests: sweep → one per shift, in order. */
export function blockEdgeDigests(encode) {
  return Object.fromEntries(Object.keys(SWEEPS).map((name) => [name, SHIFTS.map((shift) => sweepDigest(encode, name, shift)).join(' ')]));
}

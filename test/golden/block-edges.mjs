/**
 * Every short text over a small alphabet, placed across the edge of a 64-byte block.
 *
 * Scanners that work in blocks carry state from one block to the next, and a few characters on either side of the edge
 * determine that state. Here all words over an alphabet with one or two characters of each class stand at the edge, in
 * every position: a wrong carry for one of them changes a digest.
 */
import { digestOfAll } from './goldens.mjs';

const BLOCK = 64;

/** Alphabets and word lengths. The words of a sweep are numbered in base `alphabet.length`. */
export const SWEEPS = {
  classes: { alphabet: ['a', 'B', ' ', '\n', '!', '1', "'", '/', '\r', '語', '\u0301'], length: 5 },
  contractions: { alphabet: ["'", 's', 'R', 'e', 'ſ', ' ', '1'], length: 6 },
  // '§' merges with no line end, so the ids show which piece contains the line ends.
  lineEnds: { alphabet: ['§', '\n', ' ', '/'], length: 8 },
  whiteSpace: { alphabet: [' ', '\n', '\t', '!', 'a', '\x85'], length: 6 },
};

/** How many bytes of a word precede the edge, one digest each. */
export const SHIFTS = [1, 2, 3, 4, 5, 6];

/** @returns {Generator<string>} the texts of a sweep, their words beginning `shift` bytes before the edge */
export function* textsOfSweep(name, shift) {
  const { alphabet, length } = SWEEPS[name];
  const words = alphabet.length ** length;
  for (let number = 0; number < words; number++) {
    let word = '';
    for (let rest = number, i = 0; i < length; i++, rest = Math.floor(rest / alphabet.length)) {
      word += alphabet[rest % alphabet.length];
    }
    // Before the word: letters, which may continue it; sometimes a full stop, which may not. After it: more text or none.
    const filler = 'x'.repeat(BLOCK - shift - 1) + (number % 5 === 0 ? '.' : 'x');
    yield filler + word + (number % 13 < 9 ? 'x y' : '');
  }
}

export function sweepDigest(encode, name, shift) {
  return digestOfAll(encode, textsOfSweep(name, shift));
}

/** All digests: sweep → one per shift, in order. */
export function blockEdgeDigests(encode) {
  return Object.fromEntries(Object.keys(SWEEPS).map((name) => [name, SHIFTS.map((shift) => sweepDigest(encode, name, shift)).join(' ')]));
}

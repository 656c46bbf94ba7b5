/**
 * Every Unicode scalar value under an encoder, in four contexts, digested block by block.
 *
 * The contexts let the patterns tell classes apart: a code point alone; after and before a lower-case letter; and among
 * capitals, letters, digits, an apostrophe, line ends and spaces. A digest covers the 16,384 code points of a block, each
 * string encoded separately, so a wrong class of a single code point changes it.
 */
import { digestOfAll } from './goldens.mjs';

const BLOCK = 0x4000;

/** @type {Record<string, (character: string) => string>} */
export const CONTEXTS = {
  alone: (c) => c,
  after: (c) => `a${c}`,
  before: (c) => `${c}a`,
  among: (c) => `A${c}A a${c}${c}a1${c}1 '${c} .${c}.\n${c}\n ${c}  ${c}`,
};

/** The first code points of all blocks. */
export const BLOCKS = Array.from({ length: 0x110000 / BLOCK }, (_, index) => index * BLOCK);

/** @returns {string[]} the characters of a block; surrogates are not characters */
export function charactersOf(block) {
  const characters = [];
  for (let point = block; point < block + BLOCK; point++) {
    if (point < 0xd800 || point > 0xdfff) characters.push(String.fromCodePoint(point));
  }
  return characters;
}

/** Digest of one block in one context. */
export function blockDigest(encode, context, block) {
  return digestOfAll(encode, charactersOf(block).map(CONTEXTS[context]));
}

/** All digests: context → one per block, in order. */
export function codePointDigests(encode) {
  const names = Object.keys(CONTEXTS);
  return Object.fromEntries(names.map((name) => [name, BLOCKS.map((block) => blockDigest(encode, name, block)).join(' ')]));
}

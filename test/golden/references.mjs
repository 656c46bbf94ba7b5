/**
 * The reference tokenizers whose ids define what is correct.
 *
 * First reference: npm `tiktoken`, see tiktoken.mjs.
 *
 * Second reference: npm `tokenizers`, given the same ranks. It serves only texts with pieces so long that tiktoken's
 * merge, quadratic in the piece, would take minutes or hours.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import { dataOf, ranksOf } from './tiktoken.mjs';

export * from './tiktoken.mjs';

const require = createRequire(import.meta.url);

/** @returns {string} the installed version of a package */
export function versionOf(name) {
  for (let folder = path.dirname(require.resolve(name)); ; folder = path.dirname(folder)) {
    const file = path.join(folder, 'package.json');
    const found = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
    if (found.name === name && found.version !== undefined) return found.version;
    if (folder === path.dirname(folder)) throw new Error(`no package.json with a version found for ${name}`);
  }
}

/**
 * Loads the second reference: a byte-level BPE of npm `tokenizers` made from tiktoken's ranks and pattern. A token's
 * merges are all its splits into two tokens, in rank order, so a pair merges exactly if its concatenation is a token.
 * @param {string} name
 * @returns {Promise<{ name: string, encode: (text: string) => Promise<Uint32Array> }>}
 */
export async function loadTokenizers(name) {
  const data = await dataOf(name);
  const ranks = ranksOf(data);
  const letters = byteLetters();
  const spelled = ranks.map((token) => Array.from(token, (byte) => letters[byte]).join(''));
  const vocab = Object.create(null); // tokens such as 'constructor' must not collide with Object.prototype
  spelled.forEach((token, id) => {
    vocab[token] = id;
  });
  const merges = [];
  for (const token of spelled) {
    if (token === undefined) continue;
    const splits = [];
    for (let cut = 1; cut < token.length; cut++) {
      const [left, right] = [token.slice(0, cut), token.slice(cut)];
      if (vocab[left] !== undefined && vocab[right] !== undefined) splits.push([left, right]);
    }
    splits.sort((a, b) => vocab[a[0]] - vocab[b[0]] || vocab[a[1]] - vocab[b[1]]);
    merges.push(...splits);
  }
  return loadJson(
    name,
    JSON.stringify({
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: [],
      normalizer: null,
      pre_tokenizer: {
        type: 'Sequence',
        pretokenizers: [
          { type: 'Split', pattern: { Regex: data.pat_str }, behavior: 'Isolated', invert: false },
          { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
        ],
      },
      post_processor: null,
      decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
      model: { type: 'BPE', dropout: null, unk_token: null, fuse_unk: false, ignore_merges: true, vocab, merges },
    }),
  );
}

/**
 * Loads a tokenizer.json with npm `tokenizers`; no special tokens are added.
 * @param {string} name
 * @param {string} json
 * @returns {Promise<{ name: string, encode: (text: string) => Promise<Uint32Array>, encodeBatch: (texts: string[]) => Promise<{ ids: Uint32Array, mask: Uint8Array }[]> }>}
 */
export async function loadJson(name, json) {
  const tokenizer = require('tokenizers').Tokenizer.fromString(json);
  return {
    name,
    encode: async (text) => {
      const encoding = await tokenizer.encode(text, null, { addSpecialTokens: false });
      return Uint32Array.from(encoding.getIds());
    },
    encodeBatch: async (texts) => {
      const encodings = await tokenizer.encodeBatch(texts, { addSpecialTokens: false });
      return encodings.map((encoding) => ({
        ids: Uint32Array.from(encoding.getIds()),
        mask: Uint8Array.from(encoding.getAttentionMask()),
      }));
    },
  };
}

/** The visible letter that byte-level BPE files write for each byte: itself if printable, else one from U+0100 on. */
function byteLetters() {
  const letters = [];
  let next = 0x100;
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    letters.push(String.fromCodePoint(printable ? byte : next++));
  }
  return letters;
}

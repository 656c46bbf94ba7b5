/**
 * The reference tokenizers whose ids are the truth here.
 *
 * First reference: npm `tiktoken` (the Rust core compiled to WASM). It has no o200k_harmony, so that encoding is the
 * same core over the ranks and pattern of o200k_base with the special tokens of gpt-tokenizer's table.
 *
 * Second reference: npm `tokenizers`, given the same ranks. It serves only texts that hold pieces so long that
 * tiktoken's merge, quadratic in the piece, would take minutes or hours.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(import.meta.url);

/** The encodings that npm tiktoken knows. */
export const TIKTOKEN_ENCODINGS = ['r50k_base', 'gpt2', 'p50k_base', 'p50k_edit', 'cl100k_base', 'o200k_base'];

/** Every encoding under test. */
export const ENCODINGS = [...TIKTOKEN_ENCODINGS, 'o200k_harmony'];

/** One encoding per distinct pair of pattern and ranks: the others give the same ordinary ids. */
export const DISTINCT_ENCODINGS = ['r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base'];

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
 * @typedef {object} Reference
 * @property {string} name
 * @property {(text: string) => Uint32Array} encode ids of the text, special tokens being ordinary text
 * @property {(text: string) => Uint32Array} encodeAllowingSpecial ids with every special token recognised
 * @property {() => Uint8Array[]} vocabulary bytes of every ordinary token, by id (the merge ranks, in order)
 * @property {Record<string, number>} specialTokens
 * @property {() => void} free
 */

/**
 * Loads the first reference for an encoding.
 * @param {string} name
 * @returns {Promise<Reference>}
 */
export async function loadTiktoken(name) {
  const { Tiktoken, get_encoding: getEncoding } = await import('tiktoken');
  const specialTokens = await specialTokensOf(name);
  let encoder;
  if (name === 'o200k_harmony') {
    const base = require('tiktoken/encoders/o200k_base.json');
    encoder = new Tiktoken(base.bpe_ranks, specialTokens, base.pat_str);
  } else {
    encoder = getEncoding(name);
  }
  return {
    name,
    specialTokens,
    encode: (text) => encoder.encode(text, [], []),
    encodeAllowingSpecial: (text) => encoder.encode(text, 'all'),
    vocabulary: () => ranksOf(name),
    free: () => encoder.free(),
  };
}

/** Special tokens of an encoding: tiktoken's own table, gpt-tokenizer's for o200k_harmony. */
async function specialTokensOf(name) {
  if (name !== 'o200k_harmony') return require(`tiktoken/encoders/${name}.json`).special_tokens;
  const { O200KHarmony } = await import('gpt-tokenizer/encodingParams/o200k_harmony');
  return Object.fromEntries(O200KHarmony([]).specialTokensEncoder);
}

/**
 * The ordinary tokens in rank order, out of the data file of npm tiktoken: lines `! FIRST_RANK BASE64 BASE64 …`.
 * A rank that the file leaves out (a special token's place) stays undefined.
 */
function ranksOf(name) {
  const file = require(`tiktoken/encoders/${name === 'o200k_harmony' ? 'o200k_base' : name}.json`);
  const tokens = [];
  for (const line of file.bpe_ranks.split('\n')) {
    if (line === '') continue;
    const [, first, ...encoded] = line.split(' ');
    encoded.forEach((token, index) => {
      tokens[Number(first) + index] = Uint8Array.from(Buffer.from(token, 'base64'));
    });
  }
  return tokens;
}

/**
 * Loads the second reference: a byte-level BPE of npm `tokenizers` made from tiktoken's ranks and pattern. A token's
 * merges are all its splits into two tokens, in rank order, so that a pair merges exactly when its join is a token.
 * @param {string} name
 * @returns {Promise<{ name: string, encode: (text: string) => Promise<Uint32Array> }>}
 */
export async function loadTokenizers(name) {
  const { Tokenizer } = require('tokenizers');
  const ranks = ranksOf(name);
  const pattern = require(`tiktoken/encoders/${name}.json`).pat_str;
  const letters = byteLetters();
  const spelled = ranks.map((token) => Array.from(token, (byte) => letters[byte]).join(''));
  const vocab = Object.create(null); // tokens such as 'constructor' must not meet Object.prototype
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
  const tokenizer = Tokenizer.fromString(
    JSON.stringify({
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: [],
      normalizer: null,
      pre_tokenizer: {
        type: 'Sequence',
        pretokenizers: [
          { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false },
          { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
        ],
      },
      post_processor: null,
      decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
      model: { type: 'BPE', dropout: null, unk_token: null, fuse_unk: false, ignore_merges: true, vocab, merges },
    }),
  );
  return {
    name,
    encode: async (text) => {
      const encoding = await tokenizer.encode(text, null, { addSpecialTokens: false });
      return Uint32Array.from(encoding.getIds());
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

/**
 * The first reference, npm `tiktoken` (the Rust core compiled to WASM), in Node and in browsers. It lacks o200k_harmony,
 * so that encoding uses the same core with the ranks and pattern of o200k_base and the special tokens of gpt-tokenizer's
 * table.
 */

/** The encodings that npm tiktoken knows. */
export const TIKTOKEN_ENCODINGS = ['r50k_base', 'gpt2', 'p50k_base', 'p50k_edit', 'cl100k_base', 'o200k_base'];

/** Every encoding under test. */
export const ENCODINGS = [...TIKTOKEN_ENCODINGS, 'o200k_harmony'];

/** One encoding per distinct pair of pattern and ranks: the others give the same ordinary ids. */
export const DISTINCT_ENCODINGS = ['r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base'];

/**
 * Those others, whose ordinary ids come from these: format.test.ts checks that the ranks are the same, generated.test.ts
 * the patterns.
 */
const OTHERS = { gpt2: 'r50k_base', p50k_edit: 'p50k_base', o200k_harmony: 'o200k_base' };

/**
 * @typedef {object} Reference
 * @property {string} name
 * @property {(text: string) => Uint32Array} encode ids of the text, special tokens being ordinary text
 * @property {(text: string) => Uint32Array} encodeAllowingSpecial ids with every special token recognised
 * @property {() => Uint8Array[]} vocabulary bytes of every ordinary token, by id (the merge ranks, in order)
 * @property {Record<string, number>} specialTokens
 * @property {() => void} free releases the memory, until the next encoding
 */

/** @type {Map<string, Promise<Reference>>} */
const loaded = new Map();

/**
 * Loads the first reference for an encoding: the same object each time.
 * @param {string} name
 * @returns {Promise<Reference>}
 */
export function loadTiktoken(name) {
  const reference = loaded.get(name) ?? load(name);
  loaded.set(name, reference);
  return reference;
}

/** Created lazily: the encoder, which takes up to a second, and the vocabulary. */
async function load(name) {
  const { Tiktoken, get_encoding: getEncoding } = await import('tiktoken');
  const data = await dataOf(name);
  const isHarmony = name === 'o200k_harmony';
  const specialTokens = isHarmony ? await harmonyTokens() : data.special_tokens;
  const ordinary = OTHERS[name] && (await loadTiktoken(OTHERS[name]));
  let encoder, vocabulary;
  const made = () => (encoder ??= isHarmony ? new Tiktoken(data.bpe_ranks, specialTokens, data.pat_str) : getEncoding(name));
  return {
    name,
    specialTokens,
    encode: ordinary?.encode ?? ((text) => made().encode(text, [], [])),
    encodeAllowingSpecial: (text) => made().encode(text, 'all'),
    vocabulary: () => (vocabulary ??= ranksOf(data)),
    free() {
      encoder?.free();
      encoder = undefined;
    },
  };
}

/** gpt-tokenizer's table of the special tokens of o200k_harmony. */
async function harmonyTokens() {
  const { O200KHarmony } = await import('gpt-tokenizer/encodingParams/o200k_harmony');
  return Object.fromEntries(O200KHarmony([]).specialTokensEncoder);
}

/** Data files of npm tiktoken, named one by one so that bundlers find them. */
const DATA = {
  r50k_base: () => import('tiktoken/encoders/r50k_base'),
  gpt2: () => import('tiktoken/encoders/gpt2'),
  p50k_base: () => import('tiktoken/encoders/p50k_base'),
  p50k_edit: () => import('tiktoken/encoders/p50k_edit'),
  cl100k_base: () => import('tiktoken/encoders/cl100k_base'),
  o200k_base: () => import('tiktoken/encoders/o200k_base'),
  o200k_harmony: () => import('tiktoken/encoders/o200k_base'),
};

/** @returns {Promise<{ bpe_ranks: string, pat_str: string, special_tokens: Record<string, number> }>} */
export async function dataOf(name) {
  return (await DATA[name]()).default;
}

/**
 * The ordinary tokens in rank order, from a data file of npm tiktoken: lines `! FIRST_RANK BASE64 BASE64 …`.
 * A rank missing from the file (a special token's place) stays undefined.
 */
export function ranksOf(data) {
  const tokens = [];
  for (const line of data.bpe_ranks.split('\n')) {
    if (line === '') continue;
    const [, first, ...encoded] = line.split(' ');
    encoded.forEach((token, index) => {
      const letters = atob(token);
      const bytes = new Uint8Array(letters.length);
      for (let at = 0; at < bytes.length; at++) bytes[at] = letters.charCodeAt(at);
      tokens[Number(first) + index] = bytes;
    });
  }
  return tokens;
}

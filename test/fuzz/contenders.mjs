/**
 * The tokenizers that the fuzzer can compare with the reference: ours, and others that prove that the fuzzer notices a
 * wrong id (`npm run fuzz -- --contender gpt-tokenizer` must fail).
 */
import { loadTiktoken } from '../golden/tiktoken.mjs';

/** Our tokenizer as the harness sees it. @returns {import('./differential.mjs').Contender} */
export function contenderOf(tokenizer) {
  return {
    takesBytes: true,
    encode: (text) => tokenizer.encode(text),
    count: (text) => tokenizer.count(text),
    decodeBytes: (ids) => tokenizer.decodeBytes(ids),
  };
}

/** `options`: passed to `load`, for ours. @type {Record<string, (encoding: string, options?: object) => Promise<import('./differential.mjs').Contender>>} */
export const CONTENDERS = {
  'crayon-tokenizer': async (encoding, options) => {
    const { Tokenizer } = await import('../../dist/node/index.js').catch((error) => {
      if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
      throw new Error('the package is not built yet: npm run build, then npm run cartridges', { cause: error });
    });
    return contenderOf(await Tokenizer.load(encoding, options));
  },
  'gpt-tokenizer': async (encoding) => {
    const name = encoding === 'gpt2' ? 'r50k_base' : encoding;
    const tokenizer = await import(`gpt-tokenizer/encoding/${name}`);
    return { encode: (text) => Uint32Array.from(tokenizer.encode(text, { disallowedSpecial: new Set() })) };
  },
  tiktoken: (encoding) => loadTiktoken(encoding),
};

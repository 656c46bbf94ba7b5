/**
 * npm gpt-tokenizer: JavaScript. Its encodings are modules, loaded by import. Plain `encode(text)`, which its users call,
 * searches for special tokens and throws at one; the texts here contain none.
 */
import { packageVersion } from './package-version.mjs';

export const name = 'gpt-tokenizer';
export const version = () => packageVersion('gpt-tokenizer');

let moduleOf;

/** @param {string} [_variant] @param {(encoding: string) => string} [find] where the module of an encoding is */
export async function prepare(_variant, find = (encoding) => `gpt-tokenizer/encoding/${encoding}`) {
  moduleOf = find;
}

export async function load(encoding) {
  const { encode, decode, countTokens, isWithinTokenLimit } = await import(moduleOf(encoding));
  return {
    encode: (text) => encode(text),
    decode: (ids) => decode(ids),
    count: (text) => countTokens(text),
    isWithinLimit: (text, limit) => isWithinTokenLimit(text, limit),
    free() {},
  };
}

export function firstIds(encoding, text) {
  return `import { encode } from 'gpt-tokenizer/encoding/${encoding}'; const ids = encode(${JSON.stringify(text)});`;
}

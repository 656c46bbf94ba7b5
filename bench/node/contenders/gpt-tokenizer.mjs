/**
 * npm gpt-tokenizer: JavaScript. Its encodings are modules, loaded by their import. Plain `encode(text)` searches for
 * special tokens and throws at one; the texts here hold none, and it is what its users call.
 */
import { packageVersion } from './package-version.mjs';

export const name = 'gpt-tokenizer';
export const version = () => packageVersion('gpt-tokenizer');

export async function prepare() {}

export async function load(encoding) {
  const { encode, decode, countTokens } = await import(`gpt-tokenizer/encoding/${encoding}`);
  return { encode: (text) => encode(text), decode: (ids) => decode(ids), count: (text) => countTokens(text), free() {} };
}

export function firstIds(encoding, text) {
  return `import { encode } from 'gpt-tokenizer/encoding/${encoding}'; const ids = encode(${JSON.stringify(text)});`;
}

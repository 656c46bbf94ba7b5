/** npm tiktoken: OpenAI's Rust core as WASM. Special tokens are ordinary text with `encode_ordinary`. */
import { packageVersion } from './package-version.mjs';

export const name = 'tiktoken';
export const version = () => packageVersion('tiktoken');

let getEncoding;

/** @param {string} [_variant] @param {string} [module] where the package is */
export async function prepare(_variant, module = 'tiktoken') {
  ({ get_encoding: getEncoding } = await import(module));
}

export function load(encoding) {
  const encoder = getEncoding(encoding);
  const utf8 = new TextDecoder();
  return {
    encode: (text) => encoder.encode_ordinary(text),
    decode: (ids) => utf8.decode(encoder.decode(ids)),
    free: () => encoder.free(),
  };
}

export function firstIds(encoding, text) {
  return `import { get_encoding } from 'tiktoken';
    const ids = get_encoding(${JSON.stringify(encoding)}).encode_ordinary(${JSON.stringify(text)});`;
}

/**
 * npm ai-tokenizer: JavaScript. Its encodings are modules. `encode(text, 'all')` takes every text as ordinary text,
 * special tokens too; without that argument it makes and searches a pattern of special tokens for each call, as its
 * `count` does.
 */
import { packageVersion } from './package-version.mjs';

export const name = 'ai-tokenizer';
export const version = () => packageVersion('ai-tokenizer');

let Tokenizer;

export async function prepare() {
  ({ Tokenizer } = await import('ai-tokenizer'));
}

export async function load(encoding) {
  const tokenizer = new Tokenizer(await import(`ai-tokenizer/encoding/${encoding}`));
  return {
    encode: (text) => tokenizer.encode(text, 'all'),
    decode: (ids) => tokenizer.decode(ids),
    count: (text) => tokenizer.count(text),
    free() {},
  };
}

export function firstIds(encoding, text) {
  return `import { Tokenizer } from 'ai-tokenizer'; import * as encoding from 'ai-tokenizer/encoding/${encoding}';
    const ids = new Tokenizer(encoding).encode(${JSON.stringify(text)});`;
}

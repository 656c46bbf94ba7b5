/** npm ai-tokenizer: JavaScript. Its vocabularies are modules; `'all'` takes every text as ordinary text. */
import { Tokenizer } from 'ai-tokenizer';

const MODULES = {
  o200k_base: () => import('ai-tokenizer/encoding/o200k_base'),
  cl100k_base: () => import('ai-tokenizer/encoding/cl100k_base'),
};

export async function prepare() {}

export async function load(encoding) {
  const tokenizer = new Tokenizer(await MODULES[encoding]());
  return { encode: (text) => tokenizer.encode(text, 'all') };
}

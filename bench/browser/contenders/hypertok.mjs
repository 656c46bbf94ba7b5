/** npm hypertok: Rust as WASM SIMD, in the tier that runs on the page's thread. Its vocabulary has one form. */
import { fromBytes } from 'hypertok';
import core from 'hypertok/wasm/single/hypertok_wasm_core_bg.wasm?url';
import cl100k from '@hypertok/vocab-cl100k/vocab.htk?url';
import o200k from '@hypertok/vocab-o200k/vocab.htk?url';
import { bytesFrom } from '../bytes.mjs';

const VOCABULARIES = { o200k_base: o200k, cl100k_base: cl100k };

export async function prepare(encoding) {
  return { moduleSource: await bytesFrom(core), vocabulary: await bytesFrom(VOCABULARIES[encoding]) };
}

export async function load(_encoding, { moduleSource, vocabulary }) {
  const tokenizer = await fromBytes(vocabulary, { tier: 'single', moduleSource });
  return { encode: (text) => tokenizer.encodeSync(text) };
}

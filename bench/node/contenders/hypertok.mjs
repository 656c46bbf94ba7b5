/**
 * npm hypertok: Rust as WASM SIMD, with the vocabulary from its own package, read from node_modules. The single tier is
 * its synchronous one. Plain `encodeSync(text)` is its fastest call (it matches reserved tokens; the texts here contain
 * none).
 */
import { packageVersion } from './package-version.mjs';

export const name = 'hypertok';
export const version = () => packageVersion('hypertok');

const VOCABULARIES = { o200k_base: 'o200k', cl100k_base: 'cl100k' };

let fromBytes;
let loadVocab;

export async function prepare() {
  ({ fromBytes } = await import('hypertok'));
  ({ loadVocab } = await import('hypertok/vocab-resolve'));
}

export async function load(encoding) {
  const tokenizer = await fromBytes(await loadVocab(vocabularyOf(encoding)), { tier: 'single' });
  return {
    encode: (text) => tokenizer.encodeSync(text),
    decode: (ids) => tokenizer.decode(ids),
    free: () => tokenizer.free(),
  };
}

export function firstIds(encoding, text) {
  return `import { fromBytes } from 'hypertok'; import { loadVocab } from 'hypertok/vocab-resolve';
    const tokenizer = await fromBytes(await loadVocab('${vocabularyOf(encoding)}'), { tier: 'single' });
    const ids = tokenizer.encodeSync(${JSON.stringify(text)});`;
}

function vocabularyOf(encoding) {
  const vocabulary = VOCABULARIES[encoding];
  if (vocabulary === undefined) throw new Error(`there is no vocabulary package of hypertok for ${encoding} here`);
  return vocabulary;
}

/** This package in the browser build of this checkout. */
import { Tokenizer } from 'crayon-tokenizer';
import core from '../../../dist/wasm/core.wasm?url';
import { bytesFrom } from '../bytes.mjs';

const FORMS = { full: 'cray', slim: 'slim.cray' };

/** @param {'full' | 'slim'} form */
export async function prepare(encoding, form) {
  return { wasm: await bytesFrom(core), vocabulary: await bytesFrom(`/cartridges/${encoding}.${FORMS[form]}`) };
}

export async function load(_encoding, { wasm, vocabulary }) {
  const tokenizer = await Tokenizer.load(vocabulary, { wasm });
  return {
    encode: (text) => tokenizer.encode(text),
    backend: () => `${tokenizer.backend.kind}, ${tokenizer.backend.kernel}`,
  };
}

/** This package on WebAssembly: its entry `./wasm`. `crayon-wasm@FOLDER` is from another checkout. */
import { entryOf, load, prepare as prepareEntry, version } from './crayon.mjs';

export const name = 'crayon-wasm';
export { load, version };

const ENTRY = './wasm';

export async function prepare(variant) {
  await prepareEntry(variant, ENTRY);
}

export function firstIds(encoding, text, variant) {
  return `import { Tokenizer } from ${JSON.stringify(entryOf(variant, ENTRY))};
    const ids = Tokenizer.loadSync(${JSON.stringify(encoding)}).encode(${JSON.stringify(text)});`;
}

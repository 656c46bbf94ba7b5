/** This package, out of a checkout: the one that holds this file, or the one that `crayon@FOLDER` names. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const name = 'crayon';

let Tokenizer;
let root;

export async function prepare(variant) {
  root = variant ? path.resolve(variant) : fileURLToPath(new URL('../../../', import.meta.url));
  ({ Tokenizer } = await import(entry(root)));
}

export function version() {
  return JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')).version;
}

export function load(encoding) {
  const tokenizer = Tokenizer.loadSync(encoding);
  return {
    encode: (text) => tokenizer.encode(text),
    count: (text) => tokenizer.count(text),
    decode: (ids) => tokenizer.decode(ids),
    encodeBatch: (texts) => tokenizer.encodeBatch(texts).ids,
    backend: () => `${tokenizer.backend.kind}, ${tokenizer.backend.kernel}`,
    free: () => tokenizer.close(),
  };
}

export function firstIds(encoding, text, variant) {
  const folder = variant ? path.resolve(variant) : fileURLToPath(new URL('../../../', import.meta.url));
  return `import { Tokenizer } from ${JSON.stringify(entry(folder))};
    const ids = Tokenizer.loadSync(${JSON.stringify(encoding)}).encode(${JSON.stringify(text)});`;
}

/** What `import 'crayon-tokenizer'` finds. */
function entry(folder) {
  const { exports } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return pathToFileURL(path.join(folder, exports['.'].default)).href;
}

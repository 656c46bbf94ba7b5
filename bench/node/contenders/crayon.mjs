/** This package, from the checkout that contains this file, or the one that `crayon@FOLDER` names. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const name = 'crayon';

/** Calls that operations.mjs measures, and that an older checkout may lack. */
const OTHER_CALLS = ['encodeWithOffsets', 'isWithinLimit', 'truncate', 'split', 'countBatch'];

let Tokenizer;

/** @param {string} [variant] @param {string} [subpath] another entry of the package */
export async function prepare(variant, subpath) {
  ({ Tokenizer } = await import(entryOf(variant, subpath)));
}

export function version(variant) {
  return packageOf(folderOf(variant)).version;
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
    ...Object.fromEntries(OTHER_CALLS.filter((call) => call in tokenizer).map((call) => [call, tokenizer[call].bind(tokenizer)])),
    ...('swap' in tokenizer && { swapper }),
  };
}

/** A tokenizer whose every `swap` alternates between two vocabularies, both open in the process. */
function swapper(names) {
  const open = names.map((name) => Tokenizer.loadSync(name));
  const tokenizer = Tokenizer.loadSync(names[0]);
  let turn = 0;
  return {
    swap: () => void tokenizer.swap(names[(turn = 1 - turn)]),
    name: () => tokenizer.name,
    free: () => [tokenizer, ...open].forEach((each) => each.close()),
  };
}

export function firstIds(encoding, text, variant) {
  return `import { Tokenizer } from ${JSON.stringify(entryOf(variant))};
    const ids = Tokenizer.loadSync(${JSON.stringify(encoding)}).encode(${JSON.stringify(text)});`;
}

/**
 * What `import 'crayon-tokenizer'` finds, or, with a subpath such as `./tiktoken`, what that finds.
 * @param {string | undefined} variant @returns {string} its URL
 */
export function entryOf(variant, subpath = '.') {
  const folder = folderOf(variant);
  const { exports } = packageOf(folder);
  for (const [key, target] of Object.entries(exports)) {
    const [before, after] = key.split('*');
    const matches = after === undefined ? subpath === key : subpath.startsWith(before) && subpath.endsWith(after);
    if (!matches) continue;
    const star = after === undefined ? '' : subpath.slice(before.length, subpath.length - after.length);
    return pathToFileURL(path.join(folder, fileOf(target).replace('*', star))).href;
  }
  throw new Error(`the package in ${folder} has no ${subpath}`);
}

/** The files that only the condition `default` selects. */
function fileOf(target) {
  return typeof target === 'string' ? target : fileOf(target.default);
}

function folderOf(variant) {
  return variant ? path.resolve(variant) : fileURLToPath(new URL('../../../', import.meta.url));
}

function packageOf(folder) {
  return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
}

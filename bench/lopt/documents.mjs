/**
 * Documents of a given length: parts of the corpora (test/corpora.mjs), spread evenly over their files, and whole books,
 * manuals and contracts. Without the corpora, repeated fixtures stand in up to the length, and the report notes it.
 */
import fs from 'node:fs';
import path from 'node:path';

import { corpora, textOf } from '../../test/corpora.mjs';
import { textNamed } from '../texts/texts.mjs';

const files = corpora();

/** The sources of a text's documents, in this order. */
const SOURCES = {
  english: { title: 'English', from: ['A_english/english_20mb.txt'] },
  code: { title: 'code', from: ['B_code/code_20mb.txt'] },
  // Together 4 million characters: a longer document starts over.
  chinese: { title: 'Chinese', from: ['C_multilingual/zh_hans.txt', 'C_multilingual/zh_hant.txt', 'G_long/zh_'] },
};
export const TEXTS = Object.keys(SOURCES);
export const titleOf = (text) => SOURCES[text].title;
export const source = files ? 'corpora' : 'fixtures';

const whole = new Map();

function wholeOf(text) {
  if (!whole.has(text)) {
    const chosen = SOURCES[text].from.flatMap((name) => files?.filter((file) => file.name.startsWith(name)) ?? []);
    whole.set(text, files ? textOf(Buffer.concat(chosen.map((file) => fs.readFileSync(file.path)))) : textNamed(text).text);
  }
  return whole.get(text);
}

/**
 * `count` documents of `length` characters (UTF-16 units, one more or less where a pair would be cut).
 * @returns {string[]}
 */
export function documentsOf(text, length, count) {
  const all = wholeOf(text);
  return Array.from({ length: count }, (_, index) => {
    const begin = Math.floor((index * Math.max(0, all.length - length)) / count);
    let part = all.slice(begin, begin + length);
    while (part.length < length) part += all.slice(0, length - part.length);
    return flat(part);
  });
}

/** A separate string, without lone surrogates at its ends. */
function flat(text) {
  const whole = text.replace(/^[\udc00-\udfff]/, '').replace(/[\ud800-\udbff]$/, '');
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(whole));
}

/**
 * Documents on which strategies are compared: corpus documents that are long enough by themselves, and parts of 64,000
 * characters of other texts.
 * @returns {{ name: string, text: string }[]}
 */
export function variedDocuments({ quick = false } = {}) {
  const parts = TEXTS.flatMap((text) =>
    documentsOf(text, 64_000, quick ? 2 : 8).map((part, index) => ({ name: `${text} ${index + 1}`, text: part })),
  );
  if (!files || quick) return parts;
  const long = files.filter((file) => file.name.startsWith('G_long/'));
  const others = files.filter((file) => /^(C_multilingual\/[a-z]{2}|E_structured\/.*)\.txt$/.test(file.name));
  return [
    ...parts,
    ...long.map((file) => ({ name: path.basename(file.name, '.txt'), text: textOf(fs.readFileSync(file.path)) })),
    ...others.map((file) => ({
      name: path.basename(file.name, '.txt'),
      text: flat(textOf(fs.readFileSync(file.path)).slice(0, 64_000)),
    })),
  ];
}

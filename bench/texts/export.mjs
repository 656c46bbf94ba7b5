/**
 * Writes the texts and their reference ids as files, for the engine's benchmarks, which run no JavaScript:
 *
 *     node bench/texts/export.mjs FOLDER ENCODING,…
 *
 *     NAME.txt            the text in UTF-8; messages are separated by NUL bytes, and the name is NAME.rows
 *     NAME.ENCODING.ids   reference ids, little-endian u32
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { referenceFile } from './references.mjs';
import { ADVERSARIAL_TEXTS, REAL_TEXTS, textNamed } from './texts.mjs';

/** @param {string[]} encodings */
export function exportTexts(folder, encodings, names = [...REAL_TEXTS, ...ADVERSARIAL_TEXTS]) {
  fs.mkdirSync(folder, { recursive: true });
  for (const name of names) {
    const { text, messages } = textNamed(name);
    if (messages) fs.writeFileSync(path.join(folder, `${name}.rows`), messages.map((message) => `${message}\0`).join(''));
    else fs.writeFileSync(path.join(folder, `${name}.txt`), text);
    for (const encoding of encodings) {
      fs.copyFileSync(referenceFile(encoding, name), path.join(folder, `${name}.${encoding}.ids`));
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder, encodings] = process.argv;
  if (!folder || !encodings) {
    console.error('usage: node bench/texts/export.mjs FOLDER ENCODING,…');
    process.exit(2);
  }
  exportTexts(folder, encodings.split(','));
}

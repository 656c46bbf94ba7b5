/**
 * A cartridge of WordPiece for benchmarks: BERT's from `../shared/vocabularies`, else the small one of the tests.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { compileCartridge } from '../../dist/node/index.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const SHARED = path.join(root, '..', 'shared', 'vocabularies', 'bert-base-uncased.tokenizer.json');

/** Writes `bert.cray` to the folder. @returns {Promise<string>} its path */
export async function writeWordPiece(folder) {
  const source = fs.existsSync(SHARED) ? SHARED : path.join(root, 'test', 'models', 'bert.tokenizer.json');
  const file = path.join(folder, 'bert.cray');
  fs.writeFileSync(file, await compileCartridge(fs.readFileSync(source), { name: 'bert' }));
  return file;
}

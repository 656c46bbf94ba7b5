/**
 * Cartridges of published models for benchmarks, WordPiece of BERT and BPE of Llama 2: from `../shared/vocabularies`, else the small ones
 * of the tests.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { compileCartridge } from '../../dist/node/index.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const SHARED = path.join(root, '..', 'shared', 'vocabularies');
const TESTS = path.join(root, 'test', 'models');

const SOURCES = {
  bert: [path.join(SHARED, 'bert-base-uncased.tokenizer.json'), path.join(TESTS, 'bert.tokenizer.json')],
  llama2: [path.join(SHARED, 'llama2.model'), path.join(TESTS, 'llama.tokenizer.json')],
};

/** Writes `bert.cray` and `llama2.cray` to the folder. @returns {Promise<Record<string, string>>} their paths, by name */
export async function writeImported(folder) {
  const files = {};
  for (const [name, sources] of Object.entries(SOURCES)) {
    files[name] = path.join(folder, `${name}.cray`);
    fs.writeFileSync(files[name], await compileCartridge(fs.readFileSync(sources.find((source) => fs.existsSync(source))), { name }));
  }
  return files;
}

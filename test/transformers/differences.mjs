/**
 * Adds to differences.json what transformers.js answers.
 *
 *   node test/transformers/differences.mjs FOLDER-WITH-node_modules
 *
 * The folder has @huggingface/transformers, which is no dependency of the project: `npm install --ignore-scripts` it anywhere.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { answerOf, CONFIGS, withLists } from './answers.mjs';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node test/transformers/differences.mjs FOLDER-WITH-node_modules');
const theirs = await import(pathToFileURL(createRequire(path.resolve(folder, 'package.json')).resolve('@huggingface/transformers')).href);
theirs.env.logLevel = theirs.LogLevel?.NONE;

const file = new URL('differences.json', import.meta.url);
const cases = JSON.parse(fs.readFileSync(file, 'utf8'));
for (const each of cases) {
  const json = JSON.parse(fs.readFileSync(new URL(`../models/${each.model}.tokenizer.json`, import.meta.url), 'utf8'));
  const config = { ...CONFIGS[each.model], ...each.config };
  const Class = theirs[config.tokenizer_class] ?? theirs.PreTrainedTokenizer;
  // What that package asks for in a file.
  const complete = { decoder: null, post_processor: null, pre_tokenizer: null, normalizer: null, added_tokens: [], ...json };
  each['transformers.js'] = answerOf(each.js, withLists(new Class(complete, config)));
}
fs.writeFileSync(file, `${JSON.stringify(cases, null, 2)}\n`);

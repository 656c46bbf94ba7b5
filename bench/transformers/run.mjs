/**
 * A call of 64 texts of 512 tokens with padding, beside transformers.js, in one run; then memory over 100,000 calls.
 *
 *   node bench/transformers/run.mjs TOKENIZER.json FOLDER-WITH-node_modules [TEXT.txt]
 *
 * The folder has @huggingface/transformers, which is no dependency of the project: `npm install --ignore-scripts` it anywhere.
 * Ids must be equal before anything is timed.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { AutoTokenizer } from '../../dist/node/transformers/index.js';

const [file, folder, textFile] = process.argv.slice(2);
if (file === undefined || folder === undefined) throw new Error('usage: node bench/transformers/run.mjs TOKENIZER.json FOLDER [TEXT.txt]');
const resolve = createRequire(path.resolve(folder, 'package.json')).resolve;
const { PreTrainedTokenizer, Tensor } = await import(pathToFileURL(resolve('@huggingface/transformers')).href);

const json = JSON.parse(fs.readFileSync(file, 'utf8'));
const config = { pad_token: json.added_tokens[0].content, model_max_length: 512 };
const theirs = new PreTrainedTokenizer(json, config);
const ours = await AutoTokenizer.from_pretrained({ 'tokenizer.json': json, 'tokenizer_config.json': config }, { Tensor });

// Different texts: a batch of one text over and over would only measure caches.
const corpus = textFile === undefined ? fs.readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8') : fs.readFileSync(textFile, 'utf8');
const texts = [];
const rest = corpus.repeat(Math.ceil(400_000 / corpus.length));
for (let at = 0; texts.length < 64; ) {
  // As long as 512 tokens with the ids around them, or a little less.
  const part = ours.tokenizer.truncate(rest.slice(at, at + 8000), 512 - ours.num_special_tokens_to_add());
  texts.push(part);
  at += part.length;
}

const options = { padding: true, truncation: true, max_length: 512 };
const [one, other] = [ours(texts, options), theirs(texts, options)];
if (`${one.input_ids.dims}` !== `${other.input_ids.dims}`) throw new Error(`shapes differ: ${one.input_ids.dims} and ${other.input_ids.dims}`);
const differing = one.input_ids.data.findIndex((id, at) => id !== other.input_ids.data[at]);
if (differing >= 0) console.log(`ids differ from transformers.js at ${differing} of ${one.input_ids.data.length}`);

const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];
const timed = (call, count) => {
  const times = [];
  for (let i = 0; i < count; i++) {
    const from = performance.now();
    call();
    times.push(performance.now() - from);
  }
  return median(times);
};
const ms = { ours: timed(() => ours(texts, options), 200), theirs: timed(() => theirs(texts, options), 7) };
console.log(`${path.basename(file)}, ${one.input_ids.dims.join(' × ')} ids: ${ms.ours.toFixed(2)} ms, transformers.js ${ms.theirs.toFixed(1)} ms, ${(ms.theirs / ms.ours).toFixed(0)} ×`);

const short = texts.map((text) => text.slice(0, 200));
const memory = () => {
  globalThis.gc?.();
  return Math.round(process.memoryUsage().rss / 1e6);
};
const resident = [];
for (let calls = 0; calls <= 100_000; calls++) {
  ours(short[calls % 64], options);
  if (calls % 20_000 === 0 && calls > 0) resident.push(memory());
}
console.log(`memory after every 20,000 calls: ${resident.join(', ')} MB`);

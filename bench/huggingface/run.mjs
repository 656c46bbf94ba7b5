/**
 * Batches of 64 texts and a long text, by crayon-tokenizer/huggingface and by npm tokenizers, in turns in one process.
 *
 *   node bench/huggingface/run.mjs TOKENIZER.json [TEXT.txt]
 *
 * All that encodings say must be equal before anything is timed.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as ours from '../../dist/node/huggingface.js';

const theirs = createRequire(import.meta.url)('tokenizers');
const [file, textFile] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: node bench/huggingface/run.mjs TOKENIZER.json [TEXT.txt]');

const corpus = fs.readFileSync(textFile ?? new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8');
const long = corpus.repeat(Math.ceil(400_000 / corpus.length)).slice(0, 400_000);
// Different texts: a batch of one text over and over would only measure caches.
const texts = Array.from({ length: 64 }, (_, index) => long.slice(index * 1800, (index + 1) * 1800));

const ids = (encoding) => encoding.getIds();
const all = (encoding) => [
  encoding.getIds(),
  encoding.getTokens(),
  encoding.getOffsets(),
  encoding.getWordIds(),
  encoding.getTypeIds(),
  encoding.getAttentionMask(),
  encoding.getSpecialTokensMask(),
];
const TASKS = {
  '64 texts of 1,800 characters, padded: ids': {
    prepare: (tokenizer) => tokenizer.setPadding({}),
    run: async (tokenizer) => (await tokenizer.encodeBatch(texts)).map(ids),
  },
  'the same: tokens, offsets, words and masks': {
    prepare: (tokenizer) => tokenizer.setPadding({}),
    run: async (tokenizer) => (await tokenizer.encodeBatch(texts)).map(all),
  },
  'a short text: ids': {
    prepare: (tokenizer) => tokenizer.disablePadding(),
    run: async (tokenizer) => ids(await tokenizer.encode('hello world, how are you?')),
  },
  '400,000 characters truncated to 512 tokens: ids': {
    prepare: (tokenizer) => tokenizer.setTruncation(512),
    run: async (tokenizer) => ids(await tokenizer.encode(long)),
  },
};

const both = [ours, theirs].map((api) => api.Tokenizer.fromFile(file));
for (const each of both) each.disableTruncation();
for (const [name, { prepare, run }] of Object.entries(TASKS)) {
  for (const each of both) prepare(each);
  const [own, other] = [await run(both[0]), await run(both[1])];
  if (!isDeepStrictEqual(own, other)) throw new Error(`${name}: the results differ`);
  const times = [[], []];
  for (let round = 0; round < 21; round++) {
    for (const [index, each] of both.entries()) {
      const start = performance.now();
      await run(each);
      times[index].push(performance.now() - start);
    }
  }
  const [mine, yours] = times.map((each) => each.sort((a, b) => a - b)[10]);
  console.log(`${path.basename(file)}, ${name}: ${mine.toFixed(3)} ms, tokenizers ${yours.toFixed(3)} ms, ${(yours / mine).toFixed(1)} ×`);
}

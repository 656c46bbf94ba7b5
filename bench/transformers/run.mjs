/**
 * A call of 64 texts of 512 tokens with padding, beside transformers.js, in one run; then memory over 100,000 calls.
 *
 *   node --expose-gc bench/transformers/run.mjs FOLDER-WITH-node_modules TOKENIZER.json… [--text TEXT.txt] [--rounds 9] [--no-save] [--out FILE.json]
 *
 * The folder has @huggingface/transformers, which is no dependency of the project: `npm install --ignore-scripts` it anywhere. Ids are
 * compared before anything is timed. The contenders take turns; every call of a round is timed alone, and times are medians.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { AutoTokenizer } from '../../dist/node/transformers.js';
import { Tokenizer } from '../../dist/node/transformers/tokenizers.js';
import { circumstances } from '../circumstances.mjs';
import { commit, machine, watchLoad } from '../machine.mjs';
import { record, today } from '../record.mjs';
import { grid, shown } from '../tables.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { text: { type: 'string' }, rounds: { type: 'string', default: '9' }, 'no-save': { type: 'boolean' }, out: { type: 'string' } },
});
const [folder, ...files] = positionals;
if (files.length === 0) throw new Error('usage: node --expose-gc bench/transformers/run.mjs FOLDER TOKENIZER.json… [--text TEXT.txt]');
const rounds = Number(values.rounds);
const resolve = createRequire(path.resolve(folder, 'package.json')).resolve;
const { PreTrainedTokenizer, Tensor, env } = await import(pathToFileURL(resolve('@huggingface/transformers')).href);

const text = fs.readFileSync(values.text ?? new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8');
const corpus = text.repeat(Math.ceil(2_000_000 / text.length));
const OPTIONS = { padding: true, truncation: true, max_length: 512 };
const COUNTS = { ours: 20, under: 3, theirs: 1 };

const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];
function timed(call, count) {
  const times = Array.from({ length: count }, () => {
    const from = performance.now();
    call();
    return performance.now() - from;
  });
  return median(times);
}

/** Different texts of 512 tokens with the ids around them, or a little less. */
function textsFor(tokenizer) {
  const texts = [];
  for (let at = 0; texts.length < 64; ) {
    const part = tokenizer.tokenizer.truncate(corpus.slice(at, at + 8000), 512 - tokenizer.num_special_tokens_to_add());
    texts.push(part);
    at += part.length;
  }
  return texts;
}

/** The name of a model: its package or folder. */
const nameOf = (file) => /tokenizer-([\w.-]+)\/models/.exec(file)?.[1] ?? path.basename(file).replace(/\.?tokenizer\.json$/, '');

/** Milliseconds in which a tokenizer is made at once, first compiled and then from the cache; and in which transformers.js makes its own. */
async function made(json, config) {
  const cache = fs.mkdtempSync(path.join(os.tmpdir(), 'crayon-cache-'));
  const before = process.env.CRAYON_CACHE_DIR;
  process.env.CRAYON_CACHE_DIR = cache;
  const compiled = timed(() => new Tokenizer(json, config), 1);
  while (!fs.readdirSync(cache).some((name) => name.endsWith('.cray')) && JSON.stringify(json).length > 65_536)
    await new Promise((then) => setTimeout(then, 50));
  const cached = timed(() => new Tokenizer(json, config), 5);
  if (before === undefined) delete process.env.CRAYON_CACHE_DIR;
  else process.env.CRAYON_CACHE_DIR = before;
  fs.rmSync(cache, { recursive: true, force: true });
  return { compiled, cached, theirs: timed(() => new PreTrainedTokenizer(json, config), 5) };
}

const load = watchLoad();
const rows = [];
const contenders = [];
for (const file of files) {
  const json = JSON.parse(fs.readFileSync(file, 'utf8'));
  const config = { pad_token: json.added_tokens[0].content, model_max_length: 512 };
  const opening = { megabytes: JSON.stringify(json).length / 1e6, ...(await made(json, config)) };
  const theirs = new PreTrainedTokenizer(json, config);
  // As with the aliases: transformers.js on this package's engine.
  const under = new PreTrainedTokenizer(json, config);
  under._tokenizer = new Tokenizer(json, config);
  const ours = await AutoTokenizer.from_pretrained({ 'tokenizer.json': json, 'tokenizer_config.json': config }, { Tensor });
  const texts = textsFor(ours);
  const calls = { ours: () => ours(texts, OPTIONS), under: () => under(texts, OPTIONS), theirs: () => theirs(texts, OPTIONS) };
  const [one, ...others] = Object.values(calls).map((call) => call().input_ids);
  const [beside, expected] = others.map(({ data }) => one.data.findIndex((id, at) => id !== data[at]));
  if (beside >= 0) throw new Error(`${file}: ids differ from those of the aliases at ${beside}`);
  contenders.push({
    model: nameOf(file),
    opening,
    calls,
    ours,
    times: { ours: [], under: [], theirs: [] },
    ids: one.data.length,
    dims: one.dims,
    differs: expected,
  });
}
for (let round = 0; round < rounds; round++) {
  for (const { calls, times } of contenders) {
    for (const name of Object.keys(calls)) times[name].push(timed(calls[name], COUNTS[name]));
  }
}
for (const { model, opening, times, dims, differs } of contenders) {
  const ratios = (name) => median(times.theirs.map((theirs, round) => theirs / times[name][round]));
  rows.push({
    model,
    opening,
    dims,
    differs,
    ms: Object.fromEntries(Object.entries(times).map(([name, each]) => [name, median(each)])),
    ratio: ratios('ours'),
    ratioUnder: ratios('under'),
  });
}

const memory = () => {
  globalThis.gc?.();
  return Math.round(process.memoryUsage().rss / 1e6);
};
const [{ ours }] = contenders;
const resident = [];
for (let calls = 1; calls <= 100_000; calls++) {
  // A different text each time.
  ours([corpus.slice(calls * 13, calls * 13 + 200), corpus.slice(calls * 7, calls * 7 + 100)], OPTIONS);
  if (calls % 20_000 === 0) resident.push(memory());
}

const result = { date: today(), machine: machine(), ...commit(), ...load(), texts: {}, transformers: env.version, memory: resident, rows };
const same = (at) => (at < 0 ? 'the same' : `differ from ${at}`);
const report = [
  '# A call beside transformers.js',
  '',
  ...circumstances(result).slice(0, 2),
  `- \`bench/transformers/run.mjs\`; transformers.js ${env.version}; medians of ${rounds} rounds, ratios within them`,
  `- 64 different texts of up to 512 ids, English${values.text ? '' : ' and code, of this repository'}; \`padding: true, truncation: true, max_length: 512\`; int64 tensors`,
  '',
  '## Milliseconds a call (how many times as fast as transformers.js)',
  '',
  ...grid(
    ['model', 'transformers.js', 'crayon-tokenizer/transformers', 'transformers.js with the aliases', 'ids'],
    rows.map(({ model, ms, ratio, ratioUnder, differs }) => [
      model,
      shown(ms.theirs),
      `${shown(ms.ours)} (${shown(ratio)}×)`,
      `${shown(ms.under)} (${shown(ratioUnder)}×)`,
      same(differs),
    ]),
  ),
  '',
  '## Milliseconds in which a tokenizer.json, parsed, becomes a tokenizer at once',
  '',
  ...grid(
    ['model', 'MB', 'transformers.js', 'crayon-tokenizer/transformers/tokenizers', 'the same from the cache'],
    rows.map(({ model, opening: { megabytes, theirs, compiled, cached } }) => [
      model,
      shown(megabytes),
      shown(theirs),
      shown(compiled),
      shown(cached),
    ]),
  ),
  '',
  `Resident memory after each 20,000 of 100,000 calls with ${rows[0].model}, of two texts that differ in every call: ${resident.join(', ')} MB.`,
].join('\n');
console.log(report);
if (!values['no-save']) record(result, report, { question: 'transformers', out: values.out });

/**
 * Datasets of longer texts, where what each process takes to start counts less.
 *
 *     node bench/datasets/sizes.mjs --prepare      # writes the texts into the system's temporary folder
 *     node bench/datasets/sizes.mjs                # measures, the best of a few rounds, and removes them
 *
 * A text is the English of the corpora, of which each copy has endings at other words, so that no copy is one that caches have seen.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { planDataset, runDataset } from '../../dist/node/dataset.js';
import { Tokenizer } from '../../dist/node/index.js';
import { corpora } from '../../test/corpora.mjs';

const TOKENIZER = 'o200k_base';
const SEPARATOR = '\n\n\n';
/** Of the English, and rounds: longer texts vary less. */
const COPIES = [1, 4, 10];
const ROUNDS = [3, 2, 1];
const CLI = path.resolve(import.meta.dirname, '../../dist/node/cli.js');
const { values } = parseArgs({ options: { prepare: { type: 'boolean', default: false } } });
const fileOf = (copies) => path.join(os.tmpdir(), `crayon-sizes-${copies}.txt`);

if (values.prepare) prepare();
else await measureAll();

function prepare() {
  const english = corpora({ assembled: true })?.find(({ path: name }) => name.endsWith('english_100mb.txt'));
  if (!english) throw new Error('there are no corpora beside the repository');
  const text = fs.readFileSync(english.path, 'utf8');
  for (const copies of COPIES) fs.rmSync(fileOf(copies), { force: true });
  for (let copy = 0; copy < Math.max(...COPIES); copy++) {
    let words = 0;
    const varied =
      copy === 0 ? text : text.replace(/ [a-z]{5,}/g, (word) => (++words % (7 + copy) === 0 ? `${word}${'aeioudlmn'[copy - 1]}x` : word));
    for (const copies of COPIES) if (copy < copies) fs.appendFileSync(fileOf(copies), varied + SEPARATOR);
  }
}

async function measureAll() {
  const rows = [];
  for (const [index, copies] of COPIES.entries()) {
    const input = fileOf(copies);
    const { size } = fs.statSync(input);
    const measures = {
      encodeFile: () => encodeFile(input),
      one: () => run(input, 1),
      two: () => run(input, 2),
      atOnce: () => run(input, 2, { taskBytes: Math.ceil(size / 8) }),
      process: () => processes(input, size, 1),
      processes: () => processes(input, size, 2),
      pinned: () => processes(input, size, 1, { isPinned: true }),
      pinnedTwo: () => processes(input, size, 2, { isPinned: true }),
    };
    const seconds = Object.fromEntries(Object.keys(measures).map((name) => [name, []]));
    for (let round = 0; round < ROUNDS[index]; round++) {
      for (const [name, measure] of Object.entries(measures)) seconds[name].push(await measure());
    }
    const best = Object.fromEntries(Object.entries(seconds).map(([name, all]) => [name, Math.min(...all)]));
    const rate = (name) => (size / 1e6 / best[name]).toFixed(0);
    const ratio = (slow, fast) => (best[slow] / best[fast]).toFixed(2);
    rows.push(
      `| ${(size / 1e6).toFixed(0)} MB | ${rate('encodeFile')} | ${rate('one')} | ${rate('two')} | ${ratio('one', 'two')} | ${rate('atOnce')} | ${ratio('one', 'atOnce')} | ${ratio('encodeFile', 'two')} | ${rate('process')} | ${rate('processes')} | ${ratio('process', 'processes')} | ${rate('pinned')} | ${rate('pinnedTwo')} | ${ratio('pinned', 'pinnedTwo')} |`,
    );
    fs.rmSync(input);
  }
  console.log(`| text | encodeFile, 2 threads, MB/s | 1 thread | 2 threads | two / one | 2 of 8 tasks at once | two / one | text / encodeFile | 1 process of 1 thread | 2 processes | two / one | 1 process on its core | 2, each on its core | two / one |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
${rows.join('\n')}`);
}

async function encodeFile(input) {
  const tokenizer = await Tokenizer.load(TOKENIZER);
  const began = performance.now();
  for await (const _ of tokenizer.encodeFile(input, { threads: 2 }));
  const seconds = (performance.now() - began) / 1000;
  tokenizer.close();
  return seconds;
}

async function planned(input, options = {}) {
  const output = fs.mkdtempSync(path.join(os.tmpdir(), 'crayon-sizes-'));
  await planDataset([input], { output, format: 'megatron', tokenizer: TOKENIZER, separator: SEPARATOR, ...options });
  return output;
}

async function run(input, threads, options = {}) {
  const output = await planned(input, options);
  const began = performance.now();
  await runDataset(output, { threads });
  const seconds = (performance.now() - began) / 1000;
  fs.rmSync(output, { recursive: true });
  return seconds;
}

/** A task for each process, with its start. */
async function processes(input, size, count, { isPinned = false } = {}) {
  const output = await planned(input, { taskBytes: Math.ceil(size / 2) });
  const began = performance.now();
  const started = Array.from({ length: count }, (_, task) => {
    const command = [process.execPath, CLI, 'dataset', 'run', output, '--task', `${task}/${count}`, '--threads', '1'];
    const [program, ...args] = isPinned ? ['taskset', '-c', String(task), ...command] : command;
    return spawn(program, args, { stdio: 'ignore' });
  });
  const exits = await Promise.all(started.map((each) => once(each, 'exit')));
  if (exits.some(([status]) => status !== 0)) throw new Error('a process has failed');
  const seconds = (performance.now() - began) / 1000;
  fs.rmSync(output, { recursive: true });
  return seconds;
}

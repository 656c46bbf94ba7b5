/**
 * Long documents on several threads, after the tables and figures of LoPT (lossless parallel tokenization, 2025): latency by
 * length beside other packages, slices, threads, batches, what the parts of a job take, texts that are hard to divide, and
 * what other strategies give. Every figure has the share of documents beside it whose ids are exactly those of the
 * reference; if one of ours is below 1, this ends with 1. bench/README.md says how to read the tables.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parseArgs } from 'node:util';

import { commit, machine, quiet, watchLoad } from '../machine.mjs';
import { versionOf } from '../../test/golden/references.mjs';
import { record, resultsFolder, today } from '../record.mjs';
import { charts } from './charts.mjs';
import { source } from './documents.mjs';
import { engine } from './engine.mjs';
import { latency, masks } from './latency.mjs';
import { inexact, report } from './report.mjs';
import { strategies } from './strategies.mjs';
import { TOKENIZERS, tokenizersNamed } from './tokenizers.mjs';

const SECTIONS = { engine, latency, masks, strategies };

const usage = `usage: npm run bench -- lopt [options]

  --quick             less than a minute: o200k_base and standard, short texts, few rounds; not saved
  --encodings LIST    default ${TOKENIZERS.map(({ name }) => name).join(',')}
  --only LIST         of ${Object.keys(SECTIONS).join(', ')}; not saved
  --cores N           threads that are not too many; default ${os.availableParallelism()}
  --out FILE          default bench/results/lopt.json; beside it .md and three .svg
  --wait S            waits up to S seconds for the machine to be quiet
`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    encodings: { type: 'string' },
    only: { type: 'string' },
    cores: { type: 'string', default: String(os.availableParallelism()) },
    out: { type: 'string' },
    wait: { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
});

async function measure() {
  const names = values.encodings?.split(',') ?? (values.quick ? ['o200k_base', 'standard'] : TOKENIZERS.map(({ name }) => name));
  const tokenizers = tokenizersNamed(names);
  const cores = Number(values.cores);
  const rows = [];
  const spent = {};
  const load = watchLoad();
  for (const name of values.only?.split(',') ?? Object.keys(SECTIONS)) {
    const began = Date.now();
    await SECTIONS[name]({ tokenizers, cores, quick: values.quick, rows, say });
    spent[name] = Math.round((Date.now() - began) / 1000);
  }
  say('');
  return {
    format: 1,
    date: today(),
    ...commit(),
    machine: machine(),
    packages: Object.fromEntries(['tiktoken', 'tokenizers', 'hypertok', 'gpt-tokenizer'].map((name) => [name, versionOf(name)])),
    options: { quick: values.quick, encodings: names, cores },
    ...load(),
    secondsOfSections: spent,
    texts: { documents: { source } },
    rows: rows.map(rounded),
  };
}

/** Four significant digits suffice. */
function rounded(row) {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key,
      typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value,
    ]),
  );
}

/** The current step, on one line that is overwritten. */
function say(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

if (values.help) {
  console.log(usage);
} else {
  setFlagsFromString('--expose-gc');
  global.gc = runInNewContext('gc');
  if (Number(values.wait) > 0 && !(await quiet(Number(values.wait)))) console.error(`the machine was not quiet within ${values.wait} s`);
  const result = await measure();
  const isSaved = values.out !== undefined || !(values.quick || values.only);
  const out = path.resolve(values.out ?? path.join(resultsFolder, 'lopt.json'));
  const stem = out.replace(/\.json$/, '');
  const pictures = isSaved ? await charts(result) : {};
  const names = Object.fromEntries(Object.keys(pictures).map((name) => [name, `${path.basename(stem)}-${name}.svg`]));
  const text = report(result, names);
  console.log(text);
  if (isSaved) {
    for (const [name, svg] of Object.entries(pictures)) fs.writeFileSync(path.join(path.dirname(out), names[name]), `${svg}\n`);
    console.log(`written: ${path.relative(process.cwd(), record(result, text, { out }))}, and beside it .md and .svg`);
  }
  const wrong = inexact(result);
  for (const row of wrong) console.error(`NOT EXACT: ${JSON.stringify(row)}`);
  if (wrong.length > 0) process.exitCode = 1;
}

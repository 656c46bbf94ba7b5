/**
 * The overhead of `embed` over a model: compared with the model alone, on existing matrices, and with a loop over
 * `batches()`. Contenders take turns in one process; their values are compared before anything is timed. Times are
 * wall-clock, since models and the next batches use other threads.
 *
 * The models are stand-ins, since no weights are at hand: the mean of embeddings, run by ONNX Runtime, whose width
 * determines the time of a call. Real models take longer, so `embed` adds relatively less to them.
 *
 * Hypothesis: the next batch is read and encoded while the model works, so that 64 rows of 512 bases cost less than 3 % more.
 */
import { parseArgs } from 'node:util';
import * as ort from 'onnxruntime-node';

import { DnaTokenizer, embed } from '../../dist/node/index.js';
import { meanEmbedding } from '../../test/onnx-model.mjs';
import { circumstances } from '../circumstances.mjs';
import { commit, machine, watchLoad } from '../machine.mjs';
import { median, now } from '../node/timing.mjs';
import { record, today } from '../record.mjs';
import { grid, shown } from '../tables.mjs';

const usage = `usage: npm run bench -- embed [options]

  --rounds N        default 15
  --quick           3 of them; not saved
  --no-save         writes no results
`;

const ROWS = 64;
const LENGTH = 512;
const BATCHES = 12;
const WIDTHS = [64, 256, 1024];

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    quick: { type: 'boolean', default: false },
    'no-save': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** Sequences without a pattern, the same on every machine. */
function randomSequences(count, length) {
  let state = 1;
  const base = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return 'ACGT'[state >>> 30];
  };
  return Array.from({ length: count }, () => Array.from({ length }, base).join(''));
}

/** The ways to run a model over the sequences: each resolves to its values, batch by batch. */
function contendersOf(dna, session, sequences) {
  const options = { batchSize: ROWS, length: LENGTH, type: 'bigint64', mask: 'ids' };
  const valuesOf = async ({ ids, mask, shape }) => {
    const feeds = { input_ids: new ort.Tensor('int64', ids, shape), attention_mask: new ort.Tensor('int64', mask, shape) };
    return (await session.run(feeds)).embedding.data;
  };
  const ready = Array.from({ length: BATCHES }, (_, batch) => dna.encodeBatch(sequences.slice(batch * ROWS, (batch + 1) * ROWS), { ...options, batchSize: undefined }));
  return {
    'the model alone': async () => {
      const all = [];
      for (const batch of ready) all.push(await valuesOf(batch));
      return all;
    },
    'a loop over batches()': async () => {
      const all = [];
      for await (const batch of dna.batches(sequences, options)) all.push(await valuesOf(batch));
      return all;
    },
    'embed, a function': async () => {
      const all = [];
      for await (const { values } of embed(dna, sequences, valuesOf, options)) all.push(values);
      return all;
    },
    'embed, a session': async () => {
      const all = [];
      for await (const { values } of embed(dna, sequences, session, { batchSize: ROWS, length: LENGTH })) all.push(values);
      return all;
    },
  };
}

async function measured(width, dna, sequences, rounds) {
  const table = Float32Array.from({ length: 16 * width }, (_, index) => Math.sin(index));
  const session = await ort.InferenceSession.create(meanEmbedding(table, width), { intraOpNumThreads: 1 });
  const contenders = contendersOf(dna, session, sequences);
  const names = Object.keys(contenders);
  const flat = (all) => all.flatMap((each) => [...each]).join();
  const expected = flat(await contenders[names[0]]());
  for (const name of names.slice(1)) if (flat(await contenders[name]()) !== expected) throw new Error(`${name}: not the same values`);
  const rows = [];
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const contender = names[(turn + round) % names.length];
      const begin = now();
      await contenders[contender]();
      rows.push({ width, contender, round, unit: 'ms a batch', value: (now() - begin) / 1e6 / BATCHES });
    }
  }
  return rows;
}

async function main() {
  const rounds = values.quick ? 3 : Number(values.rounds);
  const load = watchLoad();
  const dna = await DnaTokenizer.load('hyenadna');
  const sequences = randomSequences(ROWS * BATCHES, LENGTH);
  const rows = [];
  for (const width of WIDTHS) rows.push(...(await measured(width, dna, sequences, rounds)));
  const of = (width, contender) => rows.filter((row) => row.width === width && row.contender === contender).map(({ value }) => value);
  const names = [...new Set(rows.map(({ contender }) => contender))];
  const cell = (width, name) => {
    const alone = of(width, names[0]);
    const own = of(width, name);
    const ratio = name === names[0] ? '' : ` (${shown(median(own.map((value, round) => value / alone[round])))}×)`;
    return `${shown(median(own))}${ratio}`;
  };
  const result = { date: today(), machine: machine(), ...commit(), ...load(), texts: {}, rows };
  const report = [
    `# What embed adds to a model: ${result.date}, ${result.machine.cpu}, ${result.machine.cores} cores`,
    '',
    ...circumstances(result),
    `- Node ${result.machine.node}; commit ${result.commit}${result.changed ? ' with changes' : ''}; \`npm run bench -- embed\`; medians of ${rounds} rounds, ratios within them`,
    `- batches of ${ROWS} × ${LENGTH} ids; the models are stand-ins, the mean of embeddings of a width, with one thread of ONNX Runtime`,
    '',
    '## Milliseconds a batch (× the model alone)',
    '',
    ...grid(['width', ...names], WIDTHS.map((width) => [String(width), ...names.map((name) => cell(width, name))])),
    '',
  ].join('\n');
  console.log(report);
  if (!values.quick && !values['no-save']) record(result, report, { kind: 'embed' });
}

if (values.help) console.log(usage);
else await main();

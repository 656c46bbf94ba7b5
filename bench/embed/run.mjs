/**
 * How long a model waits for ids: in `embed`, which makes the next micro-batch on another thread while the model runs; in
 * `embed` without that; and in the loop that one writes with a tokenizer of strings, npm `tokenizers` with the same
 * vocabulary. Contenders take turns in one process; their values are compared before anything is timed. Times are
 * wall-clock, since models and the next micro-batches use other threads.
 *
 * The models have random weights (test/onnx-model.mjs), as published ones are not at hand: convolutions over bases, and
 * self-attention over 6-mers, both small. Real models take longer, so they wait for a smaller share of the time.
 *
 * Then what `batches({ ahead: 1 })` gains over one matrix after the other, for consumers that wait, work or do nothing.
 *
 * Hypothesis: with `embed` a model waits less than 3 % of the time from 10,000 bases in a micro-batch on; nothing ahead is slower.
 */
import { parseArgs } from 'node:util';
import * as ort from 'onnxruntime-node';

import { DnaTokenizer, embed } from '../../dist/node/dna.js';
import { convolutional, transformer } from '../../test/onnx-model.mjs';
import { huggingFace } from '../dna/hugging-face.mjs';
import { commit, machine, watchLoad } from '../machine.mjs';
import { median, now } from '../node/timing.mjs';
import { record, today } from '../record.mjs';
import { grid, shown } from '../tables.mjs';

const usage = `usage: npm run bench -- embed [options]

  --rounds N        default 5
  --quick           1 of them, without the largest size; not saved
  --no-save         writes no results
  --out FILE        default bench/results/embed.json; beside it .md
`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    quick: { type: 'boolean', default: false },
    'no-save': { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const MODELS = [
  { name: 'convolutional', tokenizer: 'hyenadna', make: convolutional, size: { width: 32, layers: 4 }, longest: Infinity },
  { name: 'transformer', tokenizer: 'nt-v2', make: transformer, size: { width: 64, layers: 2 }, longest: 2500 },
];
/** Bases of a micro-batch, how many of them are run, and how many times as many rounds. */
const SIZES = [
  [1000, 64, 10],
  [10_000, 64, 3],
  [100_000, 16, 1],
  [1_000_000, 6, 1],
];
/** Rows and bases of each, of a matrix of a stream; DNATok's shapes. */
const SHAPES = [
  [4096, 512],
  [8192, 512],
  [2048, 2048],
];
const STREAMED = 12;
const CONSUMERS = {
  'does nothing': () => undefined,
  'works 10 ms': () => {
    for (const end = performance.now() + 10; performance.now() < end; );
  },
  'waits 10 ms': () => new Promise((resolve) => setTimeout(resolve, 10)),
};
const [ALONE, AHEAD, SEQUENTIAL, STRINGS] = ['the model alone', 'embed', 'embed, ahead: 0', 'npm tokenizers'];

/** Sequences without a pattern, the same on every machine. */
function randomSequences(count, length) {
  let state = 1;
  const base = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return 'ACGT'[state >>> 30];
  };
  return Array.from({ length: count }, () => Array.from({ length }, base).join(''));
}

/** The ways to run a model over the sequences: each resolves to its values, and to the seconds in the model. */
function contendersOf({ dna, upstream, session, sequences, rows, batches }) {
  const length = dna.count(sequences[0]);
  const options = { batchSize: rows, length, type: 'bigint64', mask: 'none', tokensPerCall: rows * length };
  const run = async ({ ids, shape }, spent) => {
    const began = now();
    const { embedding } = await session.run({ input_ids: new ort.Tensor('int64', ids, shape) });
    spent.model += now() - began;
    return embedding.data;
  };
  const ready = Array.from({ length: batches }, (_, batch) =>
    dna.encodeBatch(sequences.slice(batch * rows, (batch + 1) * rows), { type: 'bigint64', mask: 'none', length }),
  );
  const timed = (work) => async () => {
    const spent = { model: 0, all: 0, values: [] };
    const began = now();
    await work(spent);
    spent.all = now() - began;
    return spent;
  };
  const embedded = (ahead) =>
    timed(async (spent) => {
      for await (const { values } of embed(dna, sequences, (batch) => run(batch, spent), { ...options, ahead })) spent.values.push(values);
    });
  return {
    [ALONE]: timed(async (spent) => {
      for (const batch of ready) spent.values.push(await run(batch, spent));
    }),
    [AHEAD]: embedded(undefined),
    [SEQUENTIAL]: embedded(0),
    [STRINGS]: timed(async (spent) => {
      for (let first = 0; first < sequences.length; first += rows) {
        const encodings = await upstream.encodeBatch(sequences.slice(first, first + rows));
        const ids = new BigInt64Array(rows * length);
        encodings.forEach((encoding, row) => {
          const each = encoding.getIds();
          for (let i = 0; i < length; i++) ids[row * length + i] = BigInt(each[i]);
        });
        spent.values.push(await run({ ids, shape: [rows, length] }, spent));
      }
    }),
  };
}

async function measured(model, [bases, batches, times], rounds) {
  const dna = await DnaTokenizer.load(model.tokenizer);
  const file = model.make({ ...model.size, vocabularySize: dna.vocabularySize });
  const session = await ort.InferenceSession.create(file, { intraOpNumThreads: 1 });
  const length = Math.min(bases, model.longest);
  const rows = bases / length;
  const sequences = randomSequences(rows * batches, length);
  const contenders = contendersOf({ dna, upstream: huggingFace(model.tokenizer), session, sequences, rows, batches });
  const names = Object.keys(contenders);
  const all = [];
  let expected;
  for (let round = -1; round < times * rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const contender = names[(turn + round + 1) % names.length];
      const spent = await contenders[contender]();
      const flat = spent.values.flatMap((each) => [...each]).join();
      if ((expected ??= flat) !== flat) throw new Error(`${model.name}, ${contender}: not the same values`);
      if (round < 0) continue; // warms up
      const each = { model: model.name, bases, contender, round };
      all.push(
        { ...each, unit: 'ms a micro-batch', value: spent.all / 1e6 / batches },
        { ...each, unit: 'share of waiting', value: 1 - spent.model / spent.all },
      );
    }
  }
  dna.close();
  return all;
}

async function read(tokenizer, [count, length], rounds) {
  const dna = await DnaTokenizer.load(tokenizer);
  const some = randomSequences(count, length).map((sequence) => Buffer.from(sequence));
  const sequences = Array.from({ length: STREAMED }, () => some).flat();
  const columns = dna.count(some[0]);
  const options = { batchSize: count, length: columns, mask: 'none', tokensPerCall: count * columns };
  const all = [];
  for (const [consumer, consume] of Object.entries(CONSUMERS)) {
    for (let round = -1; round < rounds; round++) {
      for (const ahead of round % 2 ? [1, 0] : [0, 1]) {
        const began = now();
        for await (const batch of dna.batches(sequences, { ...options, ahead })) {
          const waiting = consume(batch);
          if (waiting) await waiting;
        }
        const value = (now() - began) / 1e6 / STREAMED;
        if (round >= 0) all.push({ tokenizer, shape: `${count} × ${length}`, consumer, ahead, round, unit: 'ms a matrix', value });
      }
    }
  }
  dna.close();
  return all;
}

async function main() {
  const rounds = values.quick ? 1 : Number(values.rounds);
  const load = watchLoad();
  const rows = [];
  const sizes = values.quick ? SIZES.slice(0, 3) : SIZES;
  for (const model of MODELS) for (const size of sizes) rows.push(...(await measured(model, size, rounds)));
  for (const { tokenizer } of MODELS)
    for (const shape of sizes.length < SIZES.length ? SHAPES.slice(0, 1) : SHAPES) rows.push(...(await read(tokenizer, shape, 3 * rounds)));
  const streams = rows.filter(({ ahead }) => ahead === 0 || ahead === 1);
  const gain = (name, consumer) => {
    const times = (ahead) =>
      streams
        .filter((row) => `${row.tokenizer}, ${row.shape}` === name && row.consumer === consumer && row.ahead === ahead)
        .map(({ value }) => value);
    const [one, other] = [times(0), times(1)];
    return `${shown(median(one))} → ${shown(median(other))} (${shown(median(one.map((value, round) => value / other[round])))}×)`;
  };
  const of = (model, bases, contender, unit) =>
    rows
      .filter((row) => row.model === model && row.bases === bases && row.contender === contender && row.unit === unit)
      .map(({ value }) => value);
  const tableOf = (head, cells) =>
    grid(
      ['', ...head],
      MODELS.flatMap(({ name }) => sizes.map(([bases]) => [`${name}, ${bases.toLocaleString('en')} bases`, ...cells(name, bases)])),
    );
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  const times = (model, bases, contender) => of(model, bases, contender, 'ms a micro-batch');
  const ratio = (model, bases, slow, fast) => {
    const other = times(model, bases, fast);
    return `${shown(median(times(model, bases, slow).map((value, round) => value / other[round])))}×`;
  };
  const all = [ALONE, AHEAD, SEQUENTIAL, STRINGS];
  const { load: averages, foreign } = load();
  const result = { date: today(), machine: machine(), ...commit(), load: averages, foreign, rows };
  const inWords = (some) => some.map((each) => each.toFixed(1)).join(' ');
  const report = [
    '# How long a model waits for ids',
    '',
    `- load average ${inWords(averages.before)} before, ${inWords(averages.after)} after${foreign === null ? '' : `; others used ${foreign.toFixed(2)} cores meanwhile`}`,
    `- \`npm run bench -- embed\`; medians of ${rounds} rounds (10 and 3 times as many of 1,000 and 10,000 bases), ratios within them; values were compared`,
    '- models of random weights, by one thread of ONNX Runtime, which runs in the thread of JavaScript: four dilated convolutions of width 32 over bases (`hyenadna`), one sequence in a micro-batch; two layers of self-attention of width 64 over 6-mers (`nt-v2`), sequences of at most 2,500 bases. Models in use are larger, so they wait for a smaller share',
    '- *npm tokenizers*: a loop with `encodeBatch` of npm `tokenizers`, with the same vocabulary, on all cores; *the model alone*: with matrices made before',
    '',
    '## Share of the time in which the model waits for ids',
    '',
    ...tableOf([AHEAD, SEQUENTIAL, STRINGS], (model, bases) =>
      [AHEAD, SEQUENTIAL, STRINGS].map((each) => percent(median(of(model, bases, each, 'share of waiting')))),
    ),
    '',
    '## Milliseconds a micro-batch, and how many times as fast `embed` is, end to end',
    '',
    ...tableOf([...all, 'than ahead: 0', 'than npm tokenizers'], (model, bases) => [
      ...all.map((each) => shown(median(times(model, bases, each)))),
      ratio(model, bases, SEQUENTIAL, AHEAD),
      ratio(model, bases, STRINGS, AHEAD),
    ]),
    '',
    '## `batches({ ahead: 1 })` beside one matrix after the other, in milliseconds a matrix, by what the consumer does',
    '',
    `Streams of ${STREAMED} matrices of int32 from sequences in bytes; the same calls but for \`ahead\`.`,
    '',
    ...grid(
      ['', ...Object.keys(CONSUMERS)],
      [...new Set(streams.map(({ tokenizer, shape }) => `${tokenizer}, ${shape}`))].map((name) => [
        name,
        ...Object.keys(CONSUMERS).map((consumer) => gain(name, consumer)),
      ]),
    ),
    '',
  ].join('\n');
  console.log(report);
  if (!values.quick && !values['no-save']) record(result, report, { question: 'embed', out: values.out });
}

if (values.help) console.log(usage);
else await main();

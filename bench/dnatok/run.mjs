/**
 * DNATok's grid: sequences of bases to a matrix of ids in the memory of a device, by this package and by transformers with
 * PyTorch, on the same sequences and the same card. Copies alone, by element type and kind of memory, show what staging ids
 * as int32 and pinning memory would buy; a model of the Nucleotide Transformer's shape shows what share of the time
 * tokenizing has. Ids are compared before anything is timed. Without a device, matrices of the package go to the emulated one, whose
 * speed means nothing, and the report says so.
 *
 * DNATok (its code and paper; facts in docs/guide/gpu.md): 3 calls to warm up, 5 repetitions, seed 42.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import fs from 'node:fs';

import { DnaTokenizer } from '../../dist/node/index.js';
import { useEmulatedDevice } from '../../dist/node/internals.js';
import { commit, machine, slugOf } from '../machine.mjs';
import { median } from '../node/timing.mjs';
import { record, today } from '../record.mjs';
import { grid, shown } from '../tables.mjs';

const usage = `usage: npm run bench -- dnatok [options]

  --python FILE     an interpreter with torch and transformers (default python3)
  --plugin FILE     of CUDA (default build/cuda/gpu/crayon_gpu_cuda.so, where it has been built)
  --quick           the smallest shape of each grid; not saved
  --warm N, --repeats N   default 3 and 5
  --no-save         writes no results
`;
const { values } = parseArgs({
  allowNegative: true,
  options: {
    python: { type: 'string', default: 'python3' },
    plugin: { type: 'string' },
    quick: { type: 'boolean', default: false },
    warm: { type: 'string', default: '3' },
    repeats: { type: 'string', default: '5' },
    save: { type: 'boolean' },
    help: { type: 'boolean', default: false },
  },
});

const root = fileURLToPath(new URL('../../', import.meta.url));
const CUDA = values.plugin ?? path.join(root, 'build', 'cuda', 'gpu', 'crayon_gpu_cuda.so');
const EMULATED = path.join(root, 'build', 'release', 'gpu', 'crayon_gpu_emulated.so');
const MODELS = ['hyenadna', 'nt-v2'];
/** Rows and bases of each: DNATok's three shapes, then its sweeps. */
const MAIN = [[4096, 512], [8192, 512], [2048, 2048]];
const SWEEPS = [...[256, 1024, 16384].map((rows) => [rows, 512]), ...[128, 256, 1024, 2048, 4096].map((length) => [4096, length])];
/** Matrices of a stream. */
const STREAMED = 8;
const turns = { warm: Number(values.warm), repeats: Number(values.repeats) };

// --- Python ---

function startPython() {
  const child = spawn(values.python, [fileURLToPath(new URL('peer.py', import.meta.url))], { stdio: ['pipe', 'pipe', 'inherit'] });
  const failed = once(child, 'error').then(([error]) => Promise.reject(error));
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${values.python} ended with ${code}: it needs torch and transformers`)));
  ended.catch(() => {});
  failed.catch(() => {});
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(request) {
      child.stdin.write(`${JSON.stringify({ ...turns, ...request })}\n`);
      const { value } = await Promise.race([lines.next(), ended, failed]);
      return JSON.parse(value);
    },
    end: () => child.stdin.end(),
  };
}

// --- this package ---

/** The same for every run: the sequences of one matrix, as strings. */
function sequences(rows, length) {
  const all = [];
  for (let row = 0, state = 42; row < rows; row++) {
    const bytes = Buffer.alloc(length);
    for (let i = 0; i < length; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      bytes[i] = 'ACGT'.charCodeAt(state >>> 30);
    }
    all.push(bytes.toString('latin1'));
  }
  return all;
}

async function timed(call) {
  const times = [];
  for (let turn = 0; turn < turns.warm + turns.repeats; turn++) {
    const began = performance.now();
    await call();
    if (turn >= turns.warm) times.push((performance.now() - began) / 1000);
  }
  return times;
}

/** Rows of a matrix as one block of bytes, which a reader of files has. */
function asBlock(rows, length) {
  return { bytes: Buffer.from(rows.join(''), 'latin1'), offsets: Uint32Array.from({ length: rows.length + 1 }, (_, row) => row * length) };
}

/** The same rows as records of a stream, without their names. */
const asRows = ({ bytes, offsets }) => Array.from({ length: offsets.length - 1 }, (_, row) => bytes.subarray(offsets[row], offsets[row + 1]));

async function ours(dna, device, rows, length) {
  const strings = sequences(rows, length);
  const block = asBlock(strings, length);
  // As DNATok has it: the number of tokens of a row is given.
  const options = { type: 'int32', mask: 'none', length: dna.count(strings[0]) };
  const there = { ...options, device, resident: true };
  const out = { ids: dna.encodeBatch(block, options).ids };

  const resident = dna.encodeBatch(block, there);
  const { ids } = resident.toHost();
  resident.free();
  const isSame = ids.length === out.ids.length && ids.every((id, i) => id === out.ids[i]);

  const batches = Array.from({ length: STREAMED }, () => asRows(block)).flat();
  const stream = { ...there, batchSize: rows, tokensPerCall: rows * options.length };
  return {
    same: isSame,
    host: await timed(() => dna.encodeBatch(strings, { ...options, out })),
    hostFromBytes: await timed(() => dna.encodeBatch(block, { ...options, out })),
    onDevice: await timed(() => dna.encodeBatch(strings, there).free()),
    onDeviceFromBytes: await timed(() => dna.encodeBatch(block, there).free()),
    oneAfterTheOther: await timed(() => {
      for (let batch = 0; batch < STREAMED; batch++) dna.encodeBatch(block, there).free();
    }),
    stream: await timed(async () => {
      for await (const batch of dna.batches(batches, stream)) batch.free();
    }),
    ahead: await timed(async () => {
      for await (const batch of dna.batches(batches, { ...stream, ahead: 1 })) batch.free();
    }),
  };
}

// --- the report ---

const rows = [];
const say = (what) => console.error(what);
/** Thousand million bases a second, and how far the repetitions are apart. */
const rate = (bases, times) => bases / median([...times]) / 1e9;
const spread = (times) => `±${Math.round((50 * (Math.max(...times) - Math.min(...times))) / median([...times]))} %`;
const small = (value) => (value < 0.01 ? value.toPrecision(2) : shown(value));
const cell = (bases, times) => (times ? `${small(rate(bases, times))} (${spread(times)})` : '–');

async function measured(python, device) {
  const shapes = values.quick ? [[256, 512]] : [...MAIN, ...SWEEPS];
  const tables = { main: [], stream: [] };
  for (const model of MODELS) {
    const dna = await DnaTokenizer.load(model);
    for (const [count, length] of shapes) {
      const name = `${model}, ${count} × ${length}`;
      say(name);
      const mine = await ours(dna, device, count, length);
      // Its speed does not depend on the number of rows, so the sweeps do not repeat it.
      const isMain = values.quick || MAIN.some(([a, b]) => a === count && b === length);
      const theirs = isMain ? await python.ask({ do: 'encode', model, rows: count, length, warm: 0, repeats: Math.min(3, turns.repeats) }) : undefined;
      if (!mine.same) process.exitCode = 1;
      if (theirs) {
        const ids = [...dna.encode(theirs.sequence, { type: 'int32' })];
        if (ids.join() !== theirs.ids.join()) throw new Error(`${name}: transformers has other ids for ${theirs.sequence}`);
      }
      const bases = count * length;
      rows.push({ section: 'grid', model, rows: count, length, ...mine, ...(theirs && { peer: { encode: theirs.encode, onDevice: theirs.onDevice } }) });
      tables.main.push([name, cell(bases, mine.host), cell(bases, mine.hostFromBytes), cell(bases, mine.onDevice), cell(bases, mine.onDeviceFromBytes), cell(bases, theirs?.encode), cell(bases, theirs?.onDevice)]);
      tables.stream.push([name, cell(STREAMED * bases, mine.oneAfterTheOther), cell(STREAMED * bases, mine.stream), cell(STREAMED * bases, mine.ahead), shown(median([...mine.stream]) / median([...mine.ahead]))]);
    }
    dna.close();
  }
  return tables;
}

async function copied(python) {
  const body = [];
  for (const ids of values.quick ? [1 << 20] : [1 << 20, 1 << 22, 1 << 24, 1 << 26]) {
    say(`copies of ${ids} ids`);
    const answer = await python.ask({ do: 'copies', ids });
    rows.push({ section: 'copies', ids, ...answer });
    for (const [kind, times] of Object.entries(answer)) body.push([`${ids / (1 << 20)} Mi ids, ${kind}`, cell(ids, times)]);
  }
  return body;
}

async function modelled(python) {
  const body = [];
  for (const [count, length] of values.quick ? [[64, 512]] : [[256, 512], [4096, 512]]) {
    say(`a model, ${count} × ${length}`);
    const { times, tokens } = await python.ask({ do: 'model', rows: count, length });
    rows.push({ section: 'model', rows: count, length, tokens, times });
    body.push([`${count} × ${length}`, `${shown(median([...times]) * 1000)} ms`, String(tokens)]);
  }
  return body;
}

async function main() {
  const python = startPython();
  const load = os.loadavg();
  const about = await python.ask({ do: 'about' });
  const hasCuda = about.cuda && fs.existsSync(CUDA);
  const device = hasCuda ? 'cuda' : 'emulated';
  useEmulatedDevice(hasCuda ? CUDA : EMULATED, {}, device);
  const tables = await measured(python, device);
  const copies = await copied(python);
  const models = await modelled(python);
  python.end();
  useEmulatedDevice();

  const facts = machine();
  const result = { format: 1, date: today(), ...commit(), machine: facts, peer: about, emulated: !hasCuda, rows };
  const text = [
    `# ${result.date}: DNATok's grid on ${hasCuda ? about.device : 'the emulated device'}`,
    '',
    ...(hasCuda ? [] : ['**There is no accelerator on this machine: what goes to "the device" goes to the emulated one, whose speeds mean nothing.**', '']),
    `- machine: ${[facts.cpu, facts.virtual && 'virtual', `${facts.cores} cores`, facts.memory, facts.simd].filter(Boolean).join('; ')}; Node ${facts.node}; commit ${result.commit}${result.changed ? ', changed' : ''}`,
    `- Python: PyTorch ${about.torch}, transformers ${about.transformers}; device: ${about.device}`,
    `- load average ${load.map((each) => each.toFixed(1)).join(' ')} before, ${os.loadavg().map((each) => each.toFixed(1)).join(' ')} after`,
    `- medians of ${turns.repeats} repetitions after ${turns.warm} (transformers: at most 3, no warm-up); in parentheses half of the range`,
    '',
    '## Sequences to ids, in thousand million bases a second',
    '',
    'Matrices of int32, without special tokens. *Host*: into an array that is used again, by all threads. *Device*: the matrix stays in the memory of the device.',
    '*Strings*: an array of them; *bytes*: one block, as a reader of files has it. *transformers*: `EsmTokenizer`, or a tokenizer over characters, one call for all rows, to lists; *device*: to a',
    'tensor of int64 there. Its ids were compared. Published for DNATok (an H200): encoding 0.20 to 0.36, end to end 0.13 to 0.99.',
    '',
    ...grid(['', 'host, strings', 'host, bytes', 'device, strings', 'device, bytes', 'transformers', 'transformers, device'], tables.main),
    '',
    `## ${STREAMED} matrices, in thousand million bases a second`,
    '',
    'From bytes to the memory of the device: `encodeBatch` of a block again and again; `batches` of single sequences, one after the other and with one matrix ahead. *Ratio*: what reading ahead gains, like with like.',
    '',
    ...grid(['', 'encodeBatch of a block', 'batches', 'ahead: 1', 'ratio'], tables.stream),
    '',
    '## Copies to the device alone, in thousand million ids a second',
    '',
    'By PyTorch. One base is one id of `hyenadna`. This package copies the bases themselves, a byte each, from pinned memory, and makes the ids there; DNATok\'s `ids` path copies int32.',
    '',
    ...grid(['', ''], copies),
    '',
    '## A model on these ids',
    '',
    'transformers\' ESM with the sizes of Nucleotide Transformer v2 50M (12 layers of 512), bfloat16, **random weights**: published ones are not at hand.',
    '',
    ...grid(['bases', 'a call', 'tokens'], models),
  ].join('\n');
  console.log(text);
  if (values.save ?? !values.quick) {
    const written = record(result, text, { machine: hasCuda ? slugOf({ cpu: about.device, cores: facts.cores }) : undefined, kind: hasCuda ? 'dnatok' : 'dnatok-emulated' });
    console.log(`written: ${path.relative(process.cwd(), written)} and .md`);
  }
  if (process.exitCode) console.error('\nnot all is right: see above');
}

if (values.help) console.log(usage);
else await main();

/**
 * DNA through the package: bases per second, by vocabulary, type of ids and shape of the batch, with a new result and with
 * a reused array, natively and in WebAssembly, compared with a table in plain JavaScript and npm `tokenizers`. Contenders
 * take turns in one process, and all ids are compared before anything is timed. bench/README.md says more.
 */
import { parseArgs } from 'node:util';

import * as native from '../../dist/node/dna.js';
import * as wasm from '../../dist/node/wasm/dna.js';
import { grid } from '../tables.mjs';
import { median, timed } from '../node/timing.mjs';
import { huggingFace } from './hugging-face.mjs';

const usage = `usage: npm run bench -- dna [options]

  --repeats N       default 15
  --quick           3 of them
`;

const { values } = parseArgs({
  options: {
    repeats: { type: 'string', default: '15' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const repeats = values.quick ? 3 : Number(values.repeats);

/** Rows and bases in each. */
const SHAPES = [
  [4096, 512],
  [8192, 512],
  [2048, 2048],
];
const CASES = [
  ['hyenadna', 'uint8'],
  ['hyenadna', 'int32'],
  ['hyenadna', 'bigint64'],
  ['nt-v2', 'uint16'],
  ['nt-v2', 'int32'],
  ['nt-v2', 'bigint64'],
];
const ARRAYS = { uint8: Uint8Array, uint16: Uint16Array, int32: Int32Array, bigint64: BigInt64Array };
/** Bases in each row of the sweep, and in all. */
const LENGTHS = [128, 256, 512, 1024, 2048, 4096];
const SWEPT = 4 * 1024 * 1024;
/** Bases for npm `tokenizers`: all of them would take minutes. */
const FEW = 64 * 1024;

/** A small generator with a seed, so that every run has the same sequences. */
function* numbers(seed) {
  for (let state = seed; ; ) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    yield state >>> 0;
  }
}

/** Concatenated sequences of A, C, G and T. */
function sequences(rows, length) {
  const random = numbers(42);
  const bytes = Uint8Array.from({ length: rows * length }, () => 'ACGT'.charCodeAt(random.next().value & 3));
  const offsets = Uint32Array.from({ length: rows + 1 }, (_, row) => row * length);
  return { bytes, offsets };
}

/** Billions of bases per second, medians over turns. */
function inTimeSlices(contenders, bases) {
  const times = contenders.map(() => []);
  for (let repeat = 0; repeat <= repeats; repeat++) {
    for (const [index, run] of contenders.entries()) {
      const time = timed(run);
      if (repeat > 0) times[index].push(time); // the first pass warms the caches
    }
  }
  return times.map((all) => bases / median(all));
}

function checkSame(ids, expected, what) {
  const bytes = ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength);
  if (Buffer.compare(bytes(ids), bytes(expected)) !== 0) throw new Error(`not the same ids: ${what}`);
}

/** The ids by a loop over a table. */
function tableLoop(name, type) {
  const Ids = ARRAYS[type];
  const id = type === 'bigint64' ? BigInt : Number;
  if (name === 'hyenadna') {
    const table = new Ids(256).fill(id(6));
    [...'ACGTN'].forEach((base, index) => (table[base.charCodeAt(0)] = id(7 + index)));
    return (bytes, ids) => {
      for (let i = 0; i < bytes.length; i++) ids[i] = table[bytes[i]];
    };
  }
  const digits = new Uint8Array(256);
  [...'ATCG'].forEach((base, digit) => (digits[base.charCodeAt(0)] = digit));
  const kmers = Ids.from({ length: 4096 }, (_, index) => id(6 + index));
  const single = Ids.from({ length: 4 }, (_, digit) => id(4102 + digit));
  // Rows of a length that 6 does not divide: each has its own remainder.
  return (bytes, ids, length) => {
    let at = 0;
    for (let row = 0; row < bytes.length; row += length) {
      let i = row;
      for (; i + 6 <= row + length; i += 6) {
        let index = 0;
        for (let j = 0; j < 6; j++) index = index * 4 + digits[bytes[i + j]];
        ids[at++] = kmers[index];
      }
      for (; i < row + length; i++) ids[at++] = single[digits[bytes[i]]];
    }
  };
}

async function tokenizersSpeed(name, text, expected) {
  const tokenizer = huggingFace(name);
  const times = [];
  for (let repeat = 0; repeat < 3; repeat++) {
    const began = performance.now();
    const encoding = await tokenizer.encode(text);
    times.push(performance.now() - began);
    checkSame(Int32Array.from(encoding.getIds()), expected, `tokenizers, ${name}`);
  }
  return text.length / median(times) / 1e6;
}

async function batches() {
  const rows = [];
  for (const [name, type] of CASES) {
    const here = native.DnaTokenizer.loadSync(name);
    const there = wasm.DnaTokenizer.loadSync(name);
    const loop = tableLoop(name, type);
    for (const [count, length] of SHAPES) {
      const given = sequences(count, length);
      const strings = Array.from({ length: count }, (_, row) =>
        Buffer.from(given.bytes.subarray(row * length, (row + 1) * length)).toString('latin1'),
      );
      const options = { type, mask: 'none' };
      const expected = here.encodeBatch(given, options);
      const out = { ids: new ARRAYS[type](expected.ids.length) };
      const again = { ...options, out };
      const ids = new ARRAYS[type](expected.ids.length);
      loop(given.bytes, ids, length);
      checkSame(expected.ids, ids, `${name}, ${type}`);
      checkSame(there.encodeBatch(given, options).ids, ids, `${name}, ${type} in WebAssembly`);
      checkSame(here.encodeBatch(strings, options).ids, ids, `${name}, ${type} of strings`);
      const speeds = inTimeSlices(
        [
          () => here.encodeBatch(given, options),
          () => here.encodeBatch(given, again),
          () => here.encodeBatch(strings, again),
          () => there.encodeBatch(given, options),
          () => there.encodeBatch(given, again),
          () => loop(given.bytes, ids, length),
        ],
        count * length,
      );
      const first = strings[0].repeat(Math.ceil(FEW / length)).slice(0, FEW);
      const few = await tokenizersSpeed(name, first, here.encode(first));
      rows.push([`${name}, ${type}, ${count}×${length}`, ...speeds.map(shown), few.toFixed(4)]);
    }
    here.close();
    there.close();
  }
  return rows;
}

/** Batches of four million bases, by the length of a row; the output is reused. */
function byLength() {
  const rows = [];
  for (const [name, type] of [
    ['hyenadna', 'int32'],
    ['nt-v2', 'int32'],
  ]) {
    const here = native.DnaTokenizer.loadSync(name);
    const there = wasm.DnaTokenizer.loadSync(name);
    const loop = tableLoop(name, type);
    for (const length of LENGTHS) {
      const given = sequences(SWEPT / length, length);
      const { ids } = here.encodeBatch(given, { type, mask: 'none' });
      const expected = new ARRAYS[type](ids.length);
      loop(given.bytes, expected, length);
      checkSame(ids, expected, `${name}, rows of ${length}`);
      const again = { type, mask: 'none', out: { ids } };
      checkSame(there.encodeBatch(given, again).ids, expected, `${name}, rows of ${length} in WebAssembly`);
      const speeds = inTimeSlices(
        [() => here.encodeBatch(given, again), () => there.encodeBatch(given, again), () => loop(given.bytes, expected, length)],
        SWEPT,
      );
      rows.push([`${name}, ${type}, ${SWEPT / length}×${length}`, ...speeds.map(shown)]);
    }
    here.close();
    there.close();
  }
  return rows;
}

/** One sequence of 16 million bases. */
function long() {
  const { bytes } = sequences(1, 16 * 1024 * 1024);
  const text = Buffer.from(bytes).toString('latin1');
  const rows = [];
  for (const [name, type] of CASES) {
    const here = native.DnaTokenizer.loadSync(name);
    const there = wasm.DnaTokenizer.loadSync(name);
    const expected = here.encode(bytes, { type });
    const out = new ARRAYS[type](expected.length);
    checkSame(there.encode(bytes, { type }), expected, `${name}, ${type} in WebAssembly`);
    checkSame(here.encode(text, { type }), expected, `${name}, ${type} of a string`);
    const speeds = inTimeSlices(
      [
        () => here.encode(bytes, { type }),
        () => here.encode(bytes, { out }),
        () => here.encode(text, { out }),
        () => there.encode(bytes, { type }),
        () => there.encode(bytes, { out }),
      ],
      bytes.length,
    );
    rows.push([`${name}, ${type}`, ...speeds.map(shown)]);
    here.close();
    there.close();
  }
  const complement = Buffer.from(native.reverseComplement(bytes));
  checkSame(wasm.reverseComplement(bytes), complement, 'reverse complement');
  const [there, back] = inTimeSlices([() => native.reverseComplement(bytes), () => wasm.reverseComplement(bytes)], bytes.length);
  rows.push(['reverse complement', shown(there), '', '', shown(back), '']);
  const [packs, script] = inTimeSlices([() => native.packBases(bytes), () => wasm.packBases(bytes)], bytes.length);
  rows.push(['packed in 2 bits', shown(packs), '', '', shown(script), '']);
  return rows;
}

const shown = (value) => value.toFixed(2);

if (values.help) {
  console.log(usage);
} else {
  console.log(
    `Node ${process.versions.node}, kernel ${native.DnaTokenizer.loadSync('evo2').backend.kernel}; medians of ${repeats}, thousand million bases per second\n`,
  );
  const turns = ['new result', 'used again', 'strings, used again', 'WebAssembly, new', 'WebAssembly, again'];
  console.log(grid(['batch', ...turns, 'loop in JavaScript', 'npm tokenizers'], await batches()).join('\n'));
  console.log();
  console.log(grid(['by length', 'native', 'WebAssembly', 'loop in JavaScript'], byLength()).join('\n'));
  console.log();
  console.log(grid(['16 Mi bases', ...turns], long()).join('\n'));
}

/**
 * FASTA and FASTQ: the speed of the readers, from a file, and from gzip and bgzip, compared with a plain line parser in
 * JavaScript that gets the same chunks in the same run. `parser` is the parser alone, on bytes in memory. The files are
 * generated at random and deleted afterwards; all readers must agree on the number of records, the bases and their
 * checksum. Rates are megabytes of the inflated file. `batches`: to matrices of ids, from reads, or from windows of 2048
 * bases.
 *
 * Hypothesis: the cost of a line is the search for its end, so SIMD over blocks reads long sequences at several GB/s; the
 * cost of a short record is its JavaScript objects, which batches avoid.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import zlib from 'node:zlib';

import { grid, shown } from '../tables.mjs';

const usage = `usage: npm run bench -- fasta [options]

  --megabytes N     of each file; default 200
  --rounds N        the best of which counts; default 5
  --folder PATH     where files are made; default: that of temporary files
  --entries LIST    index, wasm; default both
`;

const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '5' },
    folder: { type: 'string', default: os.tmpdir() },
    entries: { type: 'string', default: 'index,wasm' },
    measure: { type: 'string' }, // the process of a row
    file: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** The files: records of this many lines of this many bases. */
const FILES = {
  'genome.fa': { lines: 80_000, width: 60 },
  'genome-80.fa': { lines: 80_000, width: 80 },
  'contigs.fa': { lines: 5, width: 60 },
  'reads.fastq': { lines: 1, width: 150 },
};
const CHUNK = 512 * 1024;

/** Random bases, as random to gzip as a genome's: a seeded generator, two bits at a time. */
function makeBases(length) {
  const bases = Buffer.alloc(length);
  let state = 42;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bases[at] = 'ACGT'.charCodeAt(state >>> 30);
  }
  return bases;
}

function makeFile(file, { lines, width }, bytes) {
  const bases = makeBases(8_000_000).toString('latin1');
  const isReads = file.endsWith('.fastq');
  const descriptor = fs.openSync(file, 'w');
  let written = 0;
  for (let record = 0; written < bytes; ) {
    const parts = [];
    for (const block = parts.length + Math.ceil(20_000 / lines); parts.length < block; record++) {
      parts.push(isReads ? `@read.${record} length=${width}\n` : `>seq${record} made at random\n`);
      for (let line = 0; line < lines; line++) {
        const from = (record * 7919 + line * width) % (bases.length - width);
        const text = bases.slice(from, from + width);
        parts.push(isReads ? `${text}\n+\n${text.replaceAll('A', 'I').replaceAll('C', '#')}\n` : `${text}\n`);
      }
    }
    written += fs.writeSync(descriptor, parts.join(''));
  }
  fs.closeSync(descriptor);
  return written;
}

/** bgzip: members of 64 KiB. */
function bgzipped(bytes) {
  const blocks = [];
  for (let at = 0; at < bytes.length; at += 0xff00) {
    const plain = zlib.gzipSync(bytes.subarray(at, at + 0xff00));
    const header = Buffer.from('1f8b08040000000000ff06004243020000ff', 'hex');
    header.writeUInt16LE(header.length + plain.length - 10 - 1, 16);
    blocks.push(header, plain.subarray(10));
  }
  blocks.push(Buffer.from('1f8b08040000000000ff0600424302001b0003000000000000000000', 'hex'));
  return Buffer.concat(blocks);
}

/** Compared values: records, bases, and some of the bases. */
class Tally {
  records = 0;
  bases = 0;
  sum = 0;

  add(sequence) {
    this.records++;
    this.bases += sequence.length;
    for (let at = 0; at < sequence.length; at += 4099) this.sum = (Math.imul(this.sum, 31) + sequence[at]) | 0;
  }
}

async function* chunksOf(file) {
  const bytes = fs.createReadStream(file, { highWaterMark: CHUNK });
  yield* file.endsWith('gz') ? bytes.pipe(zlib.createGunzip({ chunkSize: CHUNK })) : bytes;
}

/** Line by line, in ordinary JavaScript without checks. */
async function plainly(file, tally) {
  const isReads = file.includes('.fastq');
  let rest = Buffer.alloc(0);
  let parts = [];
  let line = 0;
  const take = (bytes) => {
    if (isReads) {
      if (line++ % 4 === 1) tally.add(Uint8Array.from(bytes));
    } else if (bytes[0] === 0x3e) {
      if (line++ > 0) tally.add(Buffer.concat(parts));
      parts = [];
    } else parts.push(bytes);
  };
  for await (const chunk of chunksOf(file)) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let at = 0;
    for (let end; (end = bytes.indexOf(10, at)) >= 0; at = end + 1) take(bytes.subarray(at, end));
    rest = bytes.subarray(at);
  }
  if (!isReads) tally.add(Buffer.concat(parts));
}

async function reading(entry, file, tally, options) {
  const { readFasta, readFastq } = await import(`../../dist/node/${entry === 'wasm' ? 'wasm/dna' : 'dna'}.js`);
  const read = file.includes('.fastq') ? readFastq : readFasta;
  for await (const { sequence } of read(file, options)) tally.add(sequence);
}

/** Matrices of reads, or of windows of 2048 bases, to uint8; ids of Evo 2 are the bytes. */
async function encoding(entry, file, tally) {
  const { DnaTokenizer, readFasta, readFastq } = await import(`../../dist/node/${entry === 'wasm' ? 'wasm/dna' : 'dna'}.js`);
  const isReads = file.includes('.fastq');
  const dna = await DnaTokenizer.load('evo2');
  const source = isReads ? readFastq(file) : readFasta(file, { window: 2048 });
  const length = isReads ? FILES['reads.fastq'].width : 2048;
  for await (const { ids, shape } of dna.batches(source, { batchSize: 512, length, type: 'uint8', mask: 'none' })) {
    for (let row = 0; row < shape[0]; row++) tally.add(ids.subarray(row * length, (row + 1) * length));
  }
  dna.close();
}

/** The addon's parser, on a file in memory, without creating the records. */
async function parsing(bytes, format) {
  const { native } = await import('../../dist/node/internals.js');
  const { addon } = native();
  const reader = addon.recordsCreate(format, '');
  const [out, parts, progress] = [new Uint8Array(256 * 1024), new Uint32Array(6 * 4096), new Uint32Array(5)];
  for (let at = 0; at < bytes.length; at += progress[0]) {
    const input = bytes.subarray(at, at + CHUNK);
    if (addon.recordsRead(reader, input, Number(at + input.length === bytes.length), out, parts, progress) < 0) throw new Error('refused');
  }
  addon.recordsRelease(reader);
}

/** One row: the best rate, and what was read. */
async function measure(what, file) {
  const inMemory = what === 'parser' && fs.readFileSync(file);
  let best = Infinity;
  let tally;
  for (let round = 0; round < Number(values.rounds); round++) {
    tally = new Tally();
    const began = performance.now();
    if (inMemory) await parsing(inMemory, file.endsWith('.fastq') ? 1 : 0);
    else if (what === 'plain') await plainly(file, tally);
    else if (what.endsWith('batches')) await encoding(what.split(' ')[0], file, tally);
    else await reading(what.split(' ')[0], file, tally, what.endsWith('windows') ? { window: 4096 } : {});
    best = Math.min(best, performance.now() - began);
  }
  console.log(JSON.stringify({ milliseconds: best, ...tally }));
}

function measured(what, file) {
  const own = ['--measure', what, '--file', file, '--rounds', values.rounds];
  return JSON.parse(execFileSync(process.execPath, [fileURLToPath(import.meta.url), ...own], { encoding: 'utf8' }));
}

if (values.help) {
  console.log(usage);
} else if (values.measure) {
  await measure(values.measure, values.file);
} else {
  const folder = fs.mkdtempSync(path.join(values.folder, 'crayon-bench-'));
  const entries = values.entries.split(',');
  const rows = [];
  try {
    for (const [name, about] of Object.entries(FILES)) {
      const file = path.join(folder, name);
      const size = makeFile(file, about, Number(values.megabytes) * 1e6);
      const small = fs.readFileSync(file);
      fs.writeFileSync(`${file}.gz`, zlib.gzipSync(small));
      fs.writeFileSync(`${file}.bgz`, bgzipped(small));
      for (const source of [file, `${file}.gz`, `${file}.bgz`]) {
        const expected = measured('plain', source);
        const row = [path.basename(source)];
        row.push(source === file ? shown(size / 1e3 / measured('parser', source).milliseconds) : '');
        for (const entry of entries) {
          const found = measured(entry, source);
          for (const each of ['records', 'bases', 'sum'])
            if (found[each] !== expected[each]) throw new Error(`${entry}, ${source}: not the same ${each}`);
          row.push(shown(size / 1e3 / found.milliseconds));
          for (const more of ['windows', 'batches']) row.push(shown(size / 1e3 / measured(`${entry} ${more}`, source).milliseconds));
        }
        row.push(shown(size / 1e3 / expected.milliseconds));
        rows.push(row);
      }
      for (const made of [file, `${file}.gz`, `${file}.bgz`]) fs.rmSync(made);
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  const heads = entries.flatMap((entry) => [entry === 'wasm' ? 'WebAssembly' : 'native', 'windows of 4096', 'batches']);
  console.log(`MB/s of files of ${values.megabytes} MB, inflated; the best of ${values.rounds}\n`);
  console.log(grid(['file', 'parser', ...heads, 'plain JavaScript'], rows).join('\n'));
}

// Batches of a reader's records, which become matrices without an object per record: the rows equal those of a naive line
// reader and naive windows, however the file is divided; names, errors, and readers that were partly read before.

import { type TokenizerError } from 'crayon-tokenizer';
import { type BatchesOptions, DnaTokenizer, readFasta, readFastq, type WindowOptions } from 'crayon-tokenizer/dna';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { cut } from './chunks.js';
import { naiveFasta, naiveFastq } from './naive-records.js';

const SEED = 20261123;
const READ = { fasta: readFasta, fastq: readFastq };
const NAIVE = { fasta: naiveFasta, fastq: naiveFastq };
type Format = keyof typeof READ;

let dna: DnaTokenizer;
beforeAll(async () => {
  dna = await DnaTokenizer.load('evo2'); // an id is its byte
});
afterAll(() => dna.close());

interface Row {
  name: string | undefined;
  sequence: string;
}

async function rowsOf(source: Parameters<DnaTokenizer['batches']>[0], options: BatchesOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const { ids, mask, names, indexes, shape } of dna.batches(source, { ...options, type: 'uint8', side: 'right' })) {
    const [count, length] = shape;
    for (let row = 0; row < count; row++) {
      const of = mask!.subarray(row * length, (row + 1) * length).reduce((sum, one) => sum + one, 0);
      rows[indexes[row] as number] = {
        name: names[row],
        sequence: Buffer.from(ids.subarray(row * length, row * length + of)).toString('latin1'),
      };
    }
  }
  return rows;
}

function randomFile(random: Random, format: Format, records: number, longest: number): Uint8Array {
  const lines: string[] = [];
  for (let record = 0; record < records; record++) {
    const sequence = Array.from({ length: random.integer(0, random.chance(0.2) ? 8 * longest : longest) }, () =>
      random.pick('ACGTNacgt'),
    ).join('');
    const header = random.chance(0.1)
      ? ''
      : `read.${record}${random.chance(0.3) ? ' with words' : ''}${random.chance(0.05) ? 'é'.repeat(50) : ''}`;
    if (format === 'fastq') lines.push(`@${header}`, sequence, '+', 'I'.repeat(sequence.length));
    else lines.push(`>${header}`, ...(sequence.match(/.{1,60}/g) ?? []));
  }
  return new TextEncoder().encode(lines.join('\n') + '\n');
}

/** Windows by their specification: one every `stride` bases, as long as it has bases that no earlier window has. */
function naiveWindows(rows: readonly Row[], { window, stride = window, partial }: WindowOptions): Row[] {
  return rows.flatMap(({ name, sequence }) => {
    const windows: Row[] = [];
    for (let start = 0, seen = 0; start < sequence.length; start += stride) {
      const part = sequence.slice(start, start + window);
      if (part.length < window && (partial === 'drop' || start + part.length <= seen)) break;
      windows.push({ name, sequence: part });
      seen = start + part.length;
    }
    return windows;
  });
}

it('batches hold the records, however the file arrives', async () => {
  const random = new Random(SEED, 1);
  for (let round = 0; round < sample(120, 12); round++) {
    const format = random.pick(['fasta', 'fastq'] as const);
    const file = randomFile(random, format, random.integer(0, 60), random.pick([3, 150, 150, 2000]));
    const expected: Row[] = NAIVE[format](file).map(({ name, sequence }) => ({ name, sequence }));
    const source = random.chance(0.3) ? [file] : cut(file, random, random.pick([3, 1000, 100_000]));
    const length = random.chance(0.5) ? Math.max(1, ...expected.map(({ sequence }) => sequence.length)) : undefined;
    const options = { batchSize: random.integer(1, 30), length, tokensPerCall: random.pick([undefined, 500]), ahead: random.integer(0, 3) };
    expect(await rowsOf(READ[format](source), options)).toEqual(expected);
  }
});

it('batches hold windows', async () => {
  const random = new Random(SEED, 2);
  for (let round = 0; round < sample(200, 24); round++) {
    const file = randomFile(random, 'fasta', random.integer(0, 20), random.pick([3, 30, 300]));
    const window = random.integer(1, random.pick([5, 50, 400]));
    const stride = random.pick([undefined, random.integer(1, 2 * window), window]);
    const options: WindowOptions = { window, stride, partial: random.pick([undefined, 'keep', 'drop'] as const) };
    const expected = naiveWindows(naiveFasta(file), options);
    const source = cut(file, random, random.pick([3, 100, 10_000]));
    const batchOptions = { batchSize: random.integer(1, 9), length: random.chance(0.5) ? window : undefined, ahead: random.integer(0, 2) };
    expect(await rowsOf(readFasta(source, options), batchOptions), JSON.stringify(options)).toEqual(expected);
  }
});

it('long files take many calls of the parser', async () => {
  const random = new Random(SEED, 3);
  const bases = Array.from({ length: 700_000 }, () => random.pick('ACGT')).join('');
  const file = `>one\n${bases.match(/.{1,70}/g)!.join('\n')}\n>two\n${bases.slice(5)}\n`;
  const rows = [
    { name: 'one', sequence: bases },
    { name: 'two', sequence: bases.slice(5) },
  ];
  expect(await rowsOf(readFasta([file]), { batchSize: 2 })).toEqual(rows);
  const windows = { window: 1000, stride: 900 };
  expect(await rowsOf(readFasta([file], windows), { batchSize: 64, length: 1000 })).toEqual(naiveWindows(rows, windows));
});

it('batches start after the records that the reader has already returned', async () => {
  const reader = readFasta(['>a\nAC\n>b\nGG\n>c\nTT\n'], { text: true });
  expect((await reader.next()).value).toMatchObject({ name: 'a' });
  expect(await rowsOf(reader, { batchSize: 2 })).toEqual([
    { name: 'b', sequence: 'GG' },
    { name: 'c', sequence: 'TT' },
  ]);
  const taken = readFasta(['>a\nAC\n']);
  expect(await rowsOf(taken, { batchSize: 2 })).toEqual([{ name: 'a', sequence: 'AC' }]);
  expect(await taken.next()).toEqual({ done: true, value: undefined });
});

it("passes on the reader's errors, and names the record of a refused sequence", async () => {
  const failure = async (source: Parameters<DnaTokenizer['batches']>[0], tokenizer = dna, options: BatchesOptions = { batchSize: 8 }) => {
    try {
      for await (const { shape } of tokenizer.batches(source, options)) expect(shape[0]).toBeGreaterThan(0);
    } catch (error) {
      return error as TokenizerError;
    }
    return expect.fail('nothing was thrown');
  };
  for (const [file, options] of [
    ['>a\nAC\n>b x\nA?\n', {}],
    ['AC\n', {}],
    ['>a\nAC\n>b\nACGT\n', { maxRecordLength: 3 }],
    [`>a\nAC\n>b\n${'ACGT\n'.repeat(100_000)}`, { maxRecordLength: 300_000 }],
  ] as const) {
    const expected = await (async () => {
      try {
        for await (const { name } of readFasta([file], options)) expect(name).toBeDefined();
      } catch (error) {
        return error as TokenizerError;
      }
      return expect.fail('nothing was thrown');
    })();
    expect(await failure(readFasta([file], options))).toMatchObject({
      message: expected.message,
      code: expected.code,
      position: expected.position,
      row: expected.row,
    });
  }
  const reason = new Error('enough');
  expect(await failure(readFasta(['>a\nA\n'], { signal: AbortSignal.abort(reason) }))).toBe(reason);
  using strict = await DnaTokenizer.load('nt-v2');
  expect(await failure(readFasta(['>a\nAC\n>b\nGGx\n']), strict)).toMatchObject({
    code: 'UNKNOWN_BASE',
    row: 1,
    position: 2,
    message: expect.stringContaining('item 1 of the source ("b") holds \'x\' at position 2'),
  });
});

it('the reader closes with the batches', async () => {
  let ended = false;
  async function* chunks() {
    try {
      for (;;) yield '>a\nACGT\n';
    } finally {
      ended = true;
    }
  }
  for await (const { shape } of dna.batches(readFasta(chunks()), { batchSize: 2 })) {
    expect(shape).toEqual([2, 4]);
    break;
  }
  for (let turn = 0; turn < 100 && !ended; turn++) await new Promise((resolve) => setTimeout(resolve));
  expect(ended).toBe(true);
});

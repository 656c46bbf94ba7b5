// Merged files equal those that the consumers' own programs have written (test/datasets/vectors.py), or are read by naive readers of
// their layouts.

import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { tableFromIPC } from '@uwdata/flechette';
import { parquetReadObjects } from 'hyparquet';
import { type DatasetFormat, mergeDataset, planDataset, type PlanOptions, runDataset, verifyDataset } from 'crayon-tokenizer/dataset';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const VECTORS = path.join(import.meta.dirname, '../datasets/vectors');
type Encoding = 'r50k_base' | 'o200k_base';
interface Recorded {
  texts: string[];
  /** Of each document, with the end token. */
  ids: Record<Encoding, number[][]>;
}
const { texts, ids } = JSON.parse(readFileSync(path.join(VECTORS, '../documents.json'), 'utf8')) as Recorded;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'crayon-test-'));
  writeFileSync(path.join(folder, 'texts.jsonl'), texts.map((text) => `${JSON.stringify({ text })}\n`).join(''));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let datasets = 0;
async function merged(tokenizer: Encoding, format: DatasetFormat, options: Partial<PlanOptions> = {}): Promise<string> {
  const output = path.join(folder, `dataset-${datasets++}`);
  // Small shards and tasks, so that merging joins several.
  await planDataset([path.join(folder, 'texts.jsonl')], { output, format, tokenizer, shardBytes: 20, taskBytes: 100, ...options });
  await runDataset(output);
  const { files } = await mergeDataset(output);
  expect(await verifyDataset(output, { deep: 2 })).toMatchObject({ encoded: 2, files: files.length });
  return output;
}

describe.each(['r50k_base', 'o200k_base'] as const)('of %s', (name) => {
  const flat = ids[name].flat();

  it.each<[DatasetFormat, [ours: string, theirs: string][]]>([
    [
      'megatron',
      [
        ['data.bin', `megatron-${name}.bin`],
        ['data.idx', `megatron-${name}.idx`],
      ],
    ],
    [
      'datatrove',
      [
        ['data.ds', `${name}.ds`],
        ['data.ds.index', `${name}.ds.index`],
        ['data.ds.metadata', `${name}.ds.metadata`],
      ],
    ],
    [
      'npy',
      [
        ['data.npy', `npy-${name}.npy`],
        ['data_ends.npy', `npy-${name}_ends.npy`],
      ],
    ],
    [
      'mds',
      [
        ['shard.00000.mds', `mds-${name}/shard.00000.mds`],
        ['index.json', `mds-${name}/index.json`],
      ],
    ],
  ])('%s files are those of the consumer', async (format, files) => {
    const output = await merged(name, format);
    for (const [ours, theirs] of files) {
      expect(readFileSync(path.join(output, ours)).equals(readFileSync(path.join(VECTORS, theirs))), ours).toBe(true);
    }
  });

  it('shards of llm.c have headers, and the separator before each document', async () => {
    const output = await merged(name, 'llmc', { fileTokens: 100 });
    const names = readdirSync(output)
      .filter((file) => file.endsWith('.bin'))
      .sort();
    expect(names.length).toBe(Math.ceil(flat.length / 100));
    const all = names.flatMap((file, index) => {
      expect(file).toBe(`data_00000${index}.bin`);
      const bytes = readFileSync(path.join(output, file));
      const header = Array.from({ length: 256 }, (_, at) => bytes.readInt32LE(4 * at));
      const width = name === 'r50k_base' ? 2 : 4;
      expect(header.slice(0, 2)).toEqual(width === 2 ? [20240520, 1] : [20240801, 7]);
      expect(header.slice(3).every((word) => word === 0)).toBe(true);
      const read = Array.from({ length: header[2]! }, (_, at) => bytes.readUIntLE(1024 + width * at, width));
      expect(bytes.length).toBe(1024 + width * read.length);
      return read;
    });
    const [end] = ids[name][0]!.slice(-1);
    expect(all).toEqual(ids[name].flatMap((document) => [end, ...document.slice(0, -1)]));
  });

  it('Arrow and Parquet have a list for each document', async () => {
    const arrow = tableFromIPC(readFileSync(path.join(await merged(name, 'arrow'), 'data.arrow')));
    expect(Array.from(arrow.toArray(), ({ input_ids }) => [...(input_ids as Int32Array)])).toEqual(ids[name]);
    const bytes = readFileSync(path.join(await merged(name, 'parquet'), 'data.parquet'));
    const rows = await parquetReadObjects({ file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) });
    expect(rows.map(({ input_ids }) => input_ids)).toEqual(ids[name]);
  });
});

it('nanoGPT gets the ids alone, in 16 bits', async () => {
  const bytes = readFileSync(path.join(await merged('r50k_base', 'nanogpt', { name: 'train' }), 'train.bin'));
  expect(Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readUInt16LE(2 * at))).toEqual(ids.r50k_base.flat());
});

it.each([
  ['without a separator', { endOfDocument: null }, (document: number[]) => document.slice(0, -1)],
  ['with another separator', { endOfDocument: '<|endofprompt|>' }, (document: number[]) => [...document.slice(0, -1), 200018]],
  ['with an id as separator', { endOfDocument: 7 }, (document: number[]) => [...document.slice(0, -1), 7]],
])('%s', async (_, options, expected) => {
  const output = await merged('o200k_base', 'npy', options);
  const bytes = readFileSync(path.join(output, 'data.npy'));
  const begin = 10 + bytes.readUInt16LE(8);
  const read = Array.from({ length: (bytes.length - begin) / 4 }, (_, at) => bytes.readUInt32LE(begin + 4 * at));
  expect(read).toEqual(ids.o200k_base.flatMap(expected));
});

it('documents across many batches of a layout stay whole', async () => {
  // Ids of more than the 8 MiB that Arrow, Parquet and MDS take at a time, in documents of all lengths.
  const input = path.join(folder, 'long.jsonl');
  const lengths = Array.from({ length: 200 }, (_, index) => 1 + ((index * index * 37) % 30_000));
  writeFileSync(input, '');
  for (const length of lengths) appendFileSync(input, `${JSON.stringify({ text: ' a'.repeat(length) })}\n`);
  const output = path.join(folder, 'long');
  await planDataset([input], { output, format: 'mds', endOfDocument: null });
  await runDataset(output);
  await mergeDataset(output);
  const { shards } = JSON.parse(readFileSync(path.join(output, 'index.json'), 'utf8'));
  const read = shards.flatMap(({ raw_data }: { raw_data: { basename: string } }) =>
    samplesOf(readFileSync(path.join(output, raw_data.basename))),
  );
  expect(read.map(({ length }: number[]) => length)).toEqual(lengths);
  expect(read.every((sample: number[]) => sample.every((id) => id === 261))).toBe(true);
});

/** The samples of an MDS file with one column of uint32, as MDSReader and NDArray.decode read these. */
function samplesOf(bytes: Buffer): number[][] {
  const count = bytes.readUInt32LE(0);
  return Array.from({ length: count }, (_, index) => {
    const [begin, end] = [bytes.readUInt32LE(4 + 4 * index), bytes.readUInt32LE(8 + 4 * index)];
    const sample = bytes.subarray(begin + 4, end);
    expect(bytes.readUInt32LE(begin)).toBe(sample.length);
    expect(sample[0]! >> 2).toBe(1);
    const width = 1 << (sample[0]! & 3);
    const length = sample.readUIntLE(1, width);
    expect(sample.length).toBe(1 + width + 4 * length);
    return Array.from({ length }, (_, at) => sample.readUInt32LE(1 + width + 4 * at));
  });
}

it('an id that does not fit is refused before anything is written', async () => {
  const output = path.join(folder, 'refused');
  const plan = (options: object) =>
    planDataset([path.join(folder, 'texts.jsonl')], { output, format: 'nanogpt', ...options } as PlanOptions);
  await expect(plan({})).rejects.toMatchObject({ name: 'DatasetError', code: 'ID_TOO_LARGE', worthAnotherTry: false });
  await expect(plan({ format: 'npy', dtype: 'uint16' })).rejects.toThrow('do not fit in uint16 of npy: use a wider dtype');
  expect(existsSync(output)).toBe(false);
});

it('a separator that the vocabulary lacks is refused by its name', async () => {
  const output = path.join(folder, 'no-separator');
  const plan = planDataset([path.join(folder, 'texts.jsonl')], { output, format: 'npy', endOfDocument: '<|endoftex|>' });
  await expect(plan).rejects.toMatchObject({ name: 'DatasetError', code: 'UNKNOWN_SPECIAL', worthAnotherTry: false });
  await expect(plan).rejects.toThrow('o200k_base has no special token "<|endoftex|>"; did you mean \'<|endoftext|>\'?');
  expect(existsSync(output)).toBe(false);
});

it('CommonJS programs read and write Parquet, Arrow and zstd, too', async () => {
  const output = (format: string) => path.join(folder, `required-${format}`);
  const zst = path.join(import.meta.dirname, '../datasets/lines.jsonl.zst');
  const program = `const { mergeDataset, planDataset, runDataset } = require('crayon-tokenizer/dataset');
    (async () => {
      const one = async (input, format, output) => {
        await planDataset([input], { output, format, shardBytes: 20, taskBytes: 100 });
        await runDataset(output);
        return (await mergeDataset(output)).documents;
      };
      const documents = await one(${JSON.stringify(path.join(folder, 'texts.jsonl'))}, 'parquet', ${JSON.stringify(output('parquet'))});
      const rows = await one(${JSON.stringify(path.join(folder, 'texts.jsonl'))}, 'arrow', ${JSON.stringify(output('arrow'))});
      const lines = await one(${JSON.stringify(zst)}, 'npy', ${JSON.stringify(output('npy'))});
      console.log(documents === rows, lines > 0);
    })();`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=commonjs', '-e', program], {
    cwd: path.join(import.meta.dirname, '../..'),
    encoding: 'utf8',
  });
  expect({ stdout, stderr }).toEqual({ stdout: 'true true\n', stderr: '' });
  for (const format of ['parquet', 'arrow'] as const) {
    const name = `data.${format}`;
    expect(
      readFileSync(path.join(output(format), name)).equals(readFileSync(path.join(await merged('o200k_base', format), name))),
      name,
    ).toBe(true);
  }
});

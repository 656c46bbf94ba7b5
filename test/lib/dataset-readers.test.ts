// Merged datasets in the programs that read them: for `npm run test:long`, with a Python that has them, which
// CRAYON_DATASETS_PYTHON names. The ids are tiktoken's.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type DatasetFormat, mergeDataset, planDataset, runDataset } from 'crayon-tokenizer/dataset';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PYTHON = process.env.CRAYON_DATASETS_PYTHON;
/** Importing torch takes its time. */
const PATIENCE = 180_000;
const FOLDER = path.join(import.meta.dirname, '../datasets');
const { texts, ids } = JSON.parse(readFileSync(path.join(FOLDER, 'documents.json'), 'utf8')) as {
  texts: string[];
  ids: Record<string, number[][]>;
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'crayon-test-'));
  writeFileSync(path.join(folder, 'texts.jsonl'), texts.map((text) => `${JSON.stringify({ text })}\n`).join(''));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function python(...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(PYTHON as string, args, { encoding: 'utf8', timeout: PATIENCE, maxBuffer: 2 ** 28 });
  expect({ status, error }, stderr?.slice(-2000)).toEqual({ status: 0, error: undefined });
  return stdout;
}

/** Whether the Python has what a reader needs. */
function has(format: string): boolean {
  const program = `import sys; sys.path.insert(0, ${JSON.stringify(FOLDER)}); import importlib, readers
for name in readers.IMPORTS[${JSON.stringify(format)}]: importlib.import_module(name)`;
  return PYTHON !== undefined && spawnSync(PYTHON, ['-c', program], { timeout: PATIENCE }).status === 0;
}

const TOKENIZERS = ['r50k_base', 'o200k_base'] as const;
/** What keeps documents apart, and what has only ids; the reader, where it is not the format's own. */
const FORMATS: [DatasetFormat, 'documents' | 'ids', string][] = [
  ['megatron', 'documents', 'megatron'],
  ['datatrove', 'documents', 'datatrove'],
  ['mds', 'documents', 'mds'],
  ['npy', 'documents', 'npy'],
  ['arrow', 'documents', 'arrow'],
  ['parquet', 'documents', 'parquet'],
  ['parquet', 'documents', 'litdata'],
  ['nanogpt', 'ids', 'nanogpt'],
  ['llmc', 'ids', 'llmc'],
];

describe.each(FORMATS)('%s', (format, kind, reader) => {
  it.skipIf(!has(reader)).each(format === 'nanogpt' ? (['r50k_base'] as const) : TOKENIZERS)(
    `is read by ${reader === format ? 'its own program' : reader}, with the ids of %s`,
    async (tokenizer) => {
      const output = path.join(folder, `${reader}-${tokenizer}`);
      const { dtype } = await planDataset([path.join(folder, 'texts.jsonl')], {
        output,
        format,
        tokenizer,
        shardBytes: 20,
        taskBytes: 100,
        fileTokens: 100,
      });
      await runDataset(output);
      await mergeDataset(output);
      const read = JSON.parse(python(path.join(FOLDER, 'readers.py'), reader, output, dtype).trim().split('\n').at(-1)!);
      const documents = (ids[tokenizer] as number[][]).map((own) => (format === 'llmc' ? [own.at(-1)!, ...own.slice(0, -1)] : own));
      expect(read).toEqual(kind === 'ids' ? documents.flat() : documents);
    },
    PATIENCE,
  );
});

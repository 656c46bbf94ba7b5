// Inputs that somebody writes to while tasks read them: documents as they were planned, or an error that names the input.

import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { mergeDataset, planDataset, runDataset } from 'crayon-tokenizer/dataset';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { shardsOf } from './datasets.js';

let folder: string;
const contents: Record<string, Uint8Array> = {};
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'crayon-test-'));
  // Several batches, of 2 MiB each.
  const texts = Array.from(
    { length: 150_000 },
    (_, row) => `document number ${row} of a file that somebody writes to, ${(row * 7919) % 10_007}`,
  );
  const lines = Buffer.from(texts.map((text) => `${JSON.stringify({ text })}\n`).join(''));
  contents['lines.jsonl'] = lines;
  contents['lines.jsonl.gz'] = gzipSync(lines);
  contents['texts.txt'] = Buffer.from(texts.join('\n\n'));
  contents['rows.parquet'] = new Uint8Array(parquetWriteBuffer({ columnData: [{ name: 'text', data: texts }], rowGroupSize: 10_000 }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes an input, long ago. */
function write(input: string, content: Uint8Array): void {
  writeFileSync(input, content);
  utimesSync(input, 1000, 1000);
}

/** Hashes of the documents of shards: receipts name the plan, and that the input. */
const documentsOnly = (output: string) => Object.entries(shardsOf(output)).filter(([name]) => !name.endsWith('.json'));

let names = 0;
async function planned(content: string, shardBytes = 700_000): Promise<{ input: string; output: string }> {
  const input = path.join(folder, `${names++}-${content}`);
  const output = path.join(folder, `dataset-${names}`);
  write(input, contents[content]!);
  const separator = content.endsWith('.txt') ? '\n\n' : undefined;
  await planDataset([input], { output, separator, format: 'npy', shardBytes });
  return { input, output };
}

/** Runs, and changes the input when some of its documents have been encoded. */
async function changedDuring(output: string, change: () => void, threads: number): Promise<unknown> {
  let hasChanged = false;
  const onProgress = ({ documents }: { documents: number }) => {
    if (hasChanged || documents === 0) return;
    hasChanged = true;
    change();
  };
  const outcome = await runDataset(output, { threads, onProgress }).catch((error: unknown) => error);
  expect(hasChanged).toBe(true);
  return outcome;
}

/** Writes over some of its bytes. */
function overwrite(file: string, at: number, bytes: Uint8Array): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, at);
  closeSync(descriptor);
}

const CHANGES: [string, (file: string) => void, RegExp][] = [
  ['rewritten in place', (file) => overwrite(file, 0, readFileSync(file).reverse()), /has been written since it was planned/],
  ['written to at its end', (file) => overwrite(file, statSync(file).size - 1, Buffer.from('!')), /has been written since it was planned/],
  ['appended to', (file) => appendFileSync(file, '{"text":"more"}\n'), /had \d+ bytes and has \d+ since it was planned/],
  ['cut', (file) => truncateSync(file, statSync(file).size >> 1), /has been cut at byte|had \d+ bytes and has \d+/],
  ['emptied', (file) => truncateSync(file, 0), /has been cut at byte|had \d+ bytes and has \d+/],
];

describe.each(['lines.jsonl', 'lines.jsonl.gz', 'texts.txt', 'rows.parquet'])('%s', (content) => {
  let expected: [string, string][];
  beforeAll(async () => {
    const { output } = await planned(content);
    await runDataset(output, { threads: 1 });
    expected = documentsOnly(output);
  });

  it.each(CHANGES)('%s while it is read is an error, and what was finished is as it was planned', async (name, change, message) => {
    // Half of them in a single shard: its only receipt comes when all has been read.
    const half = name.length % 2;
    const { input, output } = await planned(content, half ? 2 ** 30 : undefined);
    const failure = await changedDuring(output, () => change(input), 2 - half);
    expect(failure).toMatchObject({ name: 'DatasetError', code: 'INPUT_CHANGED', file: input, worthAnotherTry: false });
    expect((failure as Error).message).toMatch(message);
    await expect(runDataset(output)).rejects.toMatchObject({ code: 'INPUT_CHANGED', file: input });
    write(input, contents[content]!);
    expect(await runDataset(output)).toMatchObject({ documents: 150_000 });
    if (!half) expect(documentsOnly(output)).toEqual(expected);
  });

  it('replaced by another file while it is read has the documents that were planned', async () => {
    const { input, output } = await planned(content);
    const other = path.join(folder, 'other');
    writeFileSync(other, '{"text":"another"}\n');
    expect(await changedDuring(output, () => renameSync(other, input), 1)).toMatchObject({ documents: 150_000 });
    expect(documentsOnly(output)).toEqual(expected);
    expect((await mergeDataset(output)).documents).toBe(150_000);
  });
});

it('small ones with another time are read as they were when they were compared with the plan', async () => {
  const lines = Buffer.from(contents['lines.jsonl']!.subarray(0, 3_500_000));
  contents['small.jsonl'] = lines.subarray(0, lines.lastIndexOf('\n') + 1);
  const { output: undisturbed } = await planned('small.jsonl');
  await runDataset(undisturbed, { threads: 1 });
  for (const [name, change] of CHANGES) {
    const { input, output } = await planned('small.jsonl');
    utimesSync(input, 2000, 2000);
    const ran = await changedDuring(output, () => change(input), 1);
    expect(ran, name).toMatchObject({ tasks: [0] });
    expect(documentsOnly(output), name).toEqual(documentsOnly(undisturbed));
  }
});

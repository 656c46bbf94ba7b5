// Tasks of a dataset that run at once, on threads of their own: the same bytes as one after the other, and the same errors.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { compileCartridge } from 'crayon-tokenizer';
import {
  datasetStatus,
  mergeDataset,
  planDataset,
  type PlanOptions,
  runDataset,
  type RunProgress,
  verifyDataset,
} from 'crayon-tokenizer/dataset';
import { afterAll, beforeAll, expect, it } from 'vitest';

import type { DatasetManifest } from '../../lib/datasets/manifest.js';
import { DatasetError, FailedTasks } from '../../lib/datasets/dataset-error.js';
import { HashThread } from '../../lib/datasets/hash-thread.js';
import { runInThreads, type TasksOptions, threadsFor } from '../../lib/datasets/task-threads.js';
import { Random } from '../fuzz/random.mjs';
import { some } from '../share.js';
import { cli } from './command.js';
import { shardsOf } from './datasets.js';

let folder: string;
let input: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'crayon-test-'));
  const random = new Random(3);
  const words = ['word', ' naïve', ' 東京', '\n\n', ' 12345', ' 😀', '"'];
  const texts = Array.from({ length: 3000 }, () => Array.from({ length: random.length(300) }, () => random.pick(words)).join(''));
  input = path.join(folder, 'texts.jsonl');
  writeFileSync(input, texts.map((text) => `${JSON.stringify({ text })}\n`).join(''));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let names = 0;
async function planned(inputs = [input], options: Partial<PlanOptions> = {}): Promise<string> {
  const output = path.join(folder, `dataset-${names++}`);
  await planDataset(inputs, { output, format: 'npy', taskBytes: 50_000, shardBytes: 8_000, countDuplicates: true, ...options });
  return output;
}

/** Runs all tasks, so many at a time, as `runDataset` does with larger ones. */
async function run(output: string, count: number, options: Partial<TasksOptions> = {}) {
  const manifest = JSON.parse(readFileSync(path.join(output, 'manifest.json'), 'utf8')) as DatasetManifest;
  await runDataset(output, { task: manifest.tasks.length, of: manifest.tasks.length + 1 }); // none of them: makes the folder
  const ran = { documents: 0, tokens: 0, bytes: 0, damaged: 0 };
  const seen = { documents: 0, tokens: 0, bytes: 0 };
  const done: number[] = [];
  await runInThreads([...manifest.tasks.keys()], count, {
    manifest,
    folder: output,
    threads: undefined,
    cacheBytes: undefined,
    skipDamaged: false,
    signal: undefined,
    onBatch: (_, { bytes, documents, sources }) => {
      seen.bytes += bytes;
      seen.documents += documents;
      for (const [, { tokens }] of sources) seen.tokens += tokens;
    },
    onFailure: (_, error) => {
      throw error;
    },
    onDone: (task, sums) => {
      done.push(task);
      for (const name of ['documents', 'tokens', 'bytes', 'damaged'] as const) ran[name] += sums[name];
    },
    ...options,
  });
  return { ran, seen, done: done.sort((a, b) => a - b) };
}

const unfinished = (output: string) => readdirSync(path.join(output, 'shards')).filter((name) => name.includes('unfinished'));

it.each([
  [2, undefined],
  [3, 7],
  [2, 1],
])('%i tasks at a time, with %j threads in all, write the same bytes', async (count, threads) => {
  const alone = await planned();
  const { tasks, sources, ...expected } = await runDataset(alone, { threads: 1 });
  const { documents, tokens, bytes } = expected;
  expect(sources).toEqual([{ name: input, documents, tokens, bytes }]);
  const output = await planned();
  const { ran, seen, done } = await run(output, count, { threads });
  expect(shardsOf(output)).toEqual(shardsOf(alone));
  expect(done).toEqual(tasks);
  expect(ran).toEqual(expected);
  expect(seen).toEqual({ documents: expected.documents, tokens: expected.tokens, bytes: expected.bytes });
});

it('a damaged record is the same error, and ends the other tasks', async () => {
  const name = path.join(folder, 'damaged.jsonl');
  const lines = readFileSync(input, 'utf8').split('\n');
  lines[1500] = '{"text":';
  writeFileSync(name, lines.join('\n'));
  const failure = await runDataset(await planned([name]), { threads: 1 }).catch((error) => error);
  const output = await planned([name]);
  const rejected = await run(output, 2).catch((error) => error);
  expect(rejected.constructor.name).toBe('DatasetError');
  const { code, message, file, line, byte, worthAnotherTry } = failure;
  expect(rejected).toMatchObject({
    name: 'DatasetError',
    code,
    message,
    file,
    line,
    byte,
    worthAnotherTry,
    stack: expect.stringContaining(message),
  });
  expect(unfinished(output)).toEqual([]);
  writeFileSync(name, readFileSync(input));
  const { tokens } = (await run(await planned([name], {}), 2)).ran;
  expect(tokens).toBe((await runDataset(await planned())).tokens);
});

it.each([1, 2])('damaged records of some tasks leave the others to be done; %i at a time', async (count) => {
  const name = path.join(folder, `some-${count}.jsonl`);
  const lines = readFileSync(input, 'utf8').split('\n');
  const alone = await planned([input], { countDuplicates: false });
  await runDataset(alone);
  for (const at of [700, 2000]) lines[at] = lines[at]!.replace('{"text"', '{"last"');
  writeFileSync(name, lines.join('\n'));
  const output = await planned([name], { countDuplicates: false });
  const failed = new FailedTasks();
  const failure =
    count === 1
      ? await runDataset(output, { threads: 1 }).catch((error) => error)
      : await run(output, count, { onFailure: (task, error) => failed.add(task, error) })
          .then(() => failed.throwFirst())
          .catch((error) => error);
  expect(failure).toMatchObject({ code: 'DAMAGED_RECORD', file: name, line: 701, worthAnotherTry: false });
  expect(failure.message).toMatch(/; task \d+ has failed too$/);
  const done = Object.keys(shardsOf(output)).filter((shard) => shard.endsWith('.ids'));
  const tasks = new Set(done.map((shard) => shard.slice(0, 6)));
  const { tasks: all } = JSON.parse(readFileSync(path.join(output, 'manifest.json'), 'utf8'));
  expect(tasks.size).toBeGreaterThanOrEqual(all.length - 2);
  const status = await datasetStatus(output);
  expect(status.done).toHaveLength(all.length - 2);
  expect(unfinished(output)).toEqual([]);
});

it('a failure that concerns all tasks ends them', () => {
  const failed = new FailedTasks();
  const full = new DatasetError('the disk is full', { code: 'UNWRITABLE' });
  expect(() => failed.add(3, full)).toThrow(full);
  failed.throwFirst();
});

it('records are left out on request', async () => {
  const name = path.join(folder, 'left-out.jsonl');
  const lines = readFileSync(input, 'utf8').split('\n');
  for (const at of [3, 700, 701, 2900]) lines[at] = 'no JSON';
  writeFileSync(name, lines.join('\n'));
  const alone = await planned([name]);
  await runDataset(alone, { threads: 1, skipDamaged: true });
  const output = await planned([name]);
  expect((await run(output, 3, { skipDamaged: true })).ran.damaged).toBe(4);
  expect(shardsOf(output)).toEqual(shardsOf(alone));
});

it('another vocabulary than the planned one, and a file that is gone, are the same errors', async () => {
  const vocabulary = path.join(folder, 'letters.cray');
  const letters = (texts: string[]) =>
    compileCartridge(texts, { model: 'longest-match' }).then((bytes) => writeFileSync(vocabulary, bytes));
  await letters(['a', 'b', 'ab']);
  const name = path.join(folder, 'letters.jsonl');
  writeFileSync(name, '{"text":"ab"}\n'.repeat(20));
  const output = await planned([name], { tokenizer: vocabulary, taskBytes: 50 });
  await letters(['b', 'a', 'ab']);
  await expect(run(output, 2)).rejects.toMatchObject({ code: 'VOCABULARY_CHANGED', file: vocabulary, worthAnotherTry: false });
  await letters(['a', 'b', 'ab']);
  expect((await run(output, 2)).ran).toMatchObject({ documents: 20, tokens: 20 });
  const gone = await planned([name], { tokenizer: vocabulary, taskBytes: 50 });
  rmSync(name);
  await expect(run(gone, 2)).rejects.toMatchObject({
    code: 'UNREADABLE',
    file: name,
    cause: { message: expect.stringContaining('ENOENT') },
  });
});

it('a signal ends all tasks with its reason, and a callback with its error', async () => {
  const output = await planned();
  const controller = new AbortController();
  const reason = new Error('enough');
  let documents = 0;
  const { signal } = controller;
  const onBatch: TasksOptions['onBatch'] = (_, batch) => (documents += batch.documents) > 500 && controller.abort(reason);
  await expect(run(output, 2, { signal, onBatch })).rejects.toBe(reason);
  expect(unfinished(output)).toEqual([]);
  await expect(run(output, 2, { signal })).rejects.toBe(reason);
  const mistake = new RangeError('of the callback');
  const throwing = () => {
    throw mistake;
  };
  await expect(run(output, 2, { onBatch: throwing })).rejects.toBe(mistake);
  expect(unfinished(output)).toEqual([]);
  await run(output, 2);
  const alone = await planned();
  await runDataset(alone);
  expect(shardsOf(output)).toEqual(shardsOf(alone));
});

it('hashes on another thread are those of the calling one', async () => {
  const random = new Random(5);
  const shared = new Uint8Array(new SharedArrayBuffer(100_000)).map(() => random.integer(0, 255));
  await using thread = new HashThread();
  const [one, other, none] = [thread.begin(), thread.begin(), thread.begin()];
  const expected = [createHash('sha256'), createHash('sha256')];
  for (let at = 0; at < 100; at++) {
    const [begin, end] = [random.integer(0, 50_000), random.integer(50_000, 100_000)];
    const bytes = random.integer(0, 1) ? shared.subarray(begin, end) : new Uint8Array(shared).subarray(begin, end);
    expected[at % 2]!.update(bytes);
    await (at % 2 ? other : one).update(bytes);
  }
  expect(await Promise.all([one.digest(), other.digest(), none.digest()])).toEqual(
    [...expected, createHash('sha256')].map((hash) => hash.digest('hex')),
  );
});

it('large tasks get threads, small ones do not', () => {
  const task = (mebibytes: number) => ({ ranges: [], bytes: mebibytes * 2 ** 20 });
  expect(threadsFor([task(1), task(1)], 2)).toBe(1);
  expect(threadsFor([task(1024)], 8)).toBe(1);
  expect(threadsFor([task(100), task(100)], 1)).toBe(1);
  expect(threadsFor([task(100), task(100)], 8)).toBe(2);
  expect(threadsFor([task(100), task(20), task(10)], 8)).toBe(2);
  expect(
    threadsFor(
      Array.from({ length: 100 }, () => task(1024)),
      8,
    ),
  ).toBe(8);
});

it('runs of large tasks that are killed end with the same bytes', async () => {
  const part = Buffer.concat([readFileSync(input), Buffer.from('\n')]);
  const large = some([1, 2, 3], (each) => each < 3).map((each) => path.join(folder, `large-${each}.jsonl`));
  for (const name of large) writeFileSync(name, Buffer.concat(Array.from({ length: Math.ceil((44 * 2 ** 20) / part.length) }, () => part)));
  const zipped = path.join(folder, 'small.jsonl.gz');
  writeFileSync(zipped, gzipSync(part));
  const options = { taskBytes: 40 * 2 ** 20, shardBytes: 2 ** 24, countDuplicates: false };
  const alone = await planned([...large, zipped], options);
  await runDataset(alone, { threads: 1 });
  const output = await planned([...large, zipped], options);
  const terminated = spawn(process.execPath, [cli, 'dataset', 'run', output, '--all', '--threads', '2'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let advice = '';
  terminated.stderr.on('data', (text) => (advice += text));
  while (!existsSync(path.join(output, 'shards')) || readdirSync(path.join(output, 'shards')).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
  terminated.kill('SIGTERM');
  expect(await once(terminated, 'close')).toEqual([null, 'SIGTERM']);
  expect(advice).toBe('crayon: interrupted; what is written stays: run it again to go on\n');
  expect(unfinished(output)).toEqual([]);
  // Whoever reads the events goes away.
  const unread = spawn(process.execPath, [cli, 'dataset', 'run', output, '--all', '--threads', '1', '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  unread.stdout.destroy();
  let complaints = '';
  unread.stderr.on('data', (text) => (complaints += text));
  expect(await once(unread, 'exit')).toEqual([141, null]);
  expect(complaints).toBe('');
  expect(unfinished(output)).toEqual([]);
  rmSync(path.join(output, 'shards'), { recursive: true });
  for (let kills = 0, status: number | null = null; status !== 0; kills++) {
    const command = spawn(process.execPath, [cli, 'dataset', 'run', output, '--all', '--threads', '2'], { stdio: 'ignore' });
    if (kills < 3) setTimeout(() => command.kill('SIGKILL'), 300 + 100 * kills);
    [status] = await once(command, 'exit');
  }
  for (const name of unfinished(output)) rmSync(path.join(output, 'shards', name));
  expect(shardsOf(output)).toEqual(shardsOf(alone));
  const progress: RunProgress[] = [];
  rmSync(path.join(output, 'shards'), { recursive: true });
  const ran = await runDataset(output, { threads: 2, onProgress: (now) => void progress.push(now) });
  expect(shardsOf(output)).toEqual(shardsOf(alone));
  const { done, of, documents, tokens, bytes, sources } = progress.at(-1)!;
  expect({ done, of }).toEqual({ done: ran.tasks.length, of: ran.tasks.length });
  expect({ documents, tokens, bytes, damaged: 0, sources }).toEqual({ ...ran, tasks: undefined });
  const { inputBytes, inputTotal } = progress.at(-1)!;
  expect(inputBytes).toBe(inputTotal);
  expect(inputTotal).toBe([...large, zipped].reduce((sum, name) => sum + statSync(name).size, 0));
  progress.reduce((one, other) => (expect(other.inputBytes).toBeGreaterThanOrEqual(one.inputBytes), other));
  // Events are objects of their own.
  expect(progress[0]!.tokens).toBeLessThan(tokens);
  const each = (ran.documents - 3000) / large.length;
  expect(sources.map((source) => source.documents)).toEqual([...large.map(() => each), 3000]);
  const { tokens: merged, files } = await mergeDataset(output);
  expect(merged).toBe(ran.tokens);
  for (const { name, bytes, sha256 } of files) {
    const file = readFileSync(path.join(output, name));
    expect({ bytes: file.length, sha256: createHash('sha256').update(file).digest('hex') }).toEqual({ bytes, sha256 });
  }
  // Enough bytes for verifying on several threads.
  expect(files[0]!.bytes).toBeGreaterThan(70 * 2 ** 20);
  let read = 0;
  expect(await verifyDataset(output, { onProgress: (done) => (read = done) })).toMatchObject({ files: 2 });
  const shards = readdirSync(path.join(output, 'shards'))
    .filter((name) => name.endsWith('.ids'))
    .sort();
  const ids = createHash('sha256');
  for (const name of shards) ids.update(readFileSync(path.join(output, 'shards', name)));
  const array = readFileSync(path.join(output, 'data.npy'));
  expect(
    createHash('sha256')
      .update(array.subarray(10 + array.readUInt16LE(8)))
      .digest('hex'),
  ).toBe(ids.digest('hex'));
  const all = [...shards.map((name) => path.join(output, 'shards', name)), ...files.map(({ name }) => path.join(output, name))];
  const lengths = shards.map((name) => path.join(output, 'shards', name.replace('ids', 'lengths')));
  expect(read).toBe([...all, ...lengths].reduce((sum, name) => sum + statSync(name).size, 0));
  for (const damaged of [all.at(-2)!, all[5]!, all[4]!]) {
    const file = openSync(damaged, 'r+');
    writeSync(file, 'changed', statSync(damaged).size >> 1);
    closeSync(file);
    await expect(verifyDataset(output)).rejects.toMatchObject({ code: 'DAMAGED_SHARD', file: damaged });
  }
  const controller = new AbortController();
  const reason = new Error('enough');
  await expect(verifyDataset(output, { signal: controller.signal, onProgress: () => controller.abort(reason) })).rejects.toBe(reason);
});

// Runs of datasets: the same bytes whatever happens on the way, and damaged records named.

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { get_encoding } from 'tiktoken';
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
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { cli, crayon } from './command.js';
import { documentsOf, shardsOf } from './datasets.js';

let folder: string;
let input: string;
let texts: string[];
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'crayon-test-'));
  const random = new Random(1);
  const words = ['word', ' naïve', ' 東京', '\n\n', ' 12345', ' 😀', '<|endoftext|>', '"'];
  texts = Array.from({ length: 4000 }, () => Array.from({ length: random.length(400) }, () => random.pick(words)).join(''));
  input = path.join(folder, 'texts.jsonl');
  writeFileSync(input, texts.map((text) => `${JSON.stringify({ text })}\n`).join(''));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let names = 0;
const newFolder = () => path.join(folder, `dataset-${names++}`);
async function planned(inputs = [input], options: Partial<PlanOptions> = {}): Promise<string> {
  const output = newFolder();
  await planDataset(inputs, { output, format: 'npy', taskBytes: 50_000, shardBytes: 8_000, countDuplicates: true, ...options });
  return output;
}

let expected: Record<string, string>;
beforeAll(async () => {
  const output = await planned();
  await runDataset(output, { threads: 1 });
  expected = shardsOf(output);
  await mergeDataset(output);
  const reference = get_encoding('o200k_base');
  const [end] = reference.encode('<|endoftext|>', 'all');
  expect(documentsOf(output)).toEqual(texts.map((text) => [...reference.encode(text, [], []), end]));
  reference.free();
  const seen = new Set(texts);
  expect(await datasetStatus(output)).toMatchObject({ documents: texts.length, duplicates: texts.length - seen.size });
});

it.each([2, 3, undefined])('%j threads write the same bytes', async (threads) => {
  const output = await planned();
  await runDataset(output, { threads });
  expect(shardsOf(output)).toEqual(expected);
});

describe('documents longer than a batch, among short ones', () => {
  const words = [' international', ' responsibility', ' understanding', ' communication', ' environmental', ' infrastructure'];
  // Sizes in MiB around those of batches: several have a long document at once, and memory passes from one to another.
  const sizes = [5, 0.1, 3, 9, 0.1, 0.1, 2.1, 4.5, 0.1, 6, 1.9, 8, 0.2, 5];
  const documents = sizes.map((size, at) => `${at}${(words[at % words.length] as string).repeat((size * 2 ** 20) / 14)}`);
  let naive: number[][];
  beforeAll(() => {
    const reference = get_encoding('o200k_base');
    const [end] = reference.encode('<|endoftext|>', 'all');
    naive = documents.map((text) => [...reference.encode(text, [], []), end!]);
    reference.free();
    writeFileSync(path.join(folder, 'long.txt'), documents.join('\n\n\n'));
  }, 60_000);

  it.each([1, 2])('are encoded by %j threads', async (threads) => {
    const output = await planned([path.join(folder, 'long.txt')], { separator: '\n\n\n', taskBytes: 2 ** 30, shardBytes: 2 ** 25 });
    await runDataset(output, { threads });
    await mergeDataset(output);
    const found = documentsOf(output);
    // By document: a difference among millions of ids is not shown whole.
    const isEqual = (own: number[], at: number) => own.length === naive[at]!.length && own.every((id, index) => id === naive[at]![index]);
    expect(found.map(isEqual)).toEqual(documents.map(() => true));
  });
});

it('progress is measured in bytes of the files, whatever they inflate to', async () => {
  const name = path.join(folder, 'zeros.jsonl.gz');
  // Text that takes a hundredth of its bytes, and some that takes most.
  const random = new Random(4);
  const text = Buffer.from(new Uint8Array(6_000_000).map(() => random.integer(0, 255))).toString('hex');
  const lines = [...Array.from({ length: 1000 }, () => 'word '.repeat(3000)), ...text.match(/.{10000}/g)!].map((each) =>
    JSON.stringify({ text: each }),
  );
  writeFileSync(name, gzipSync(lines.join('\n')));
  const output = await planned([name], { shardBytes: 2 ** 26, countDuplicates: false });
  const shares: number[] = [];
  await runDataset(output, {
    threads: 1,
    onProgress: ({ inputBytes, inputTotal, bytes }) => void shares.push(inputBytes / inputTotal, bytes),
  });
  // Of 27 MB of text.
  const size = statSync(name).size;
  const halfway = shares.findIndex((value, at) => at % 2 === 1 && value > 12_000_000) - 1;
  expect(size).toBeLessThan(9_000_000);
  expect(shares[halfway]).toBeLessThan(0.6);
  expect(shares.at(-2)).toBe(1);
});

it('progress has the amounts of each source', async () => {
  const other = path.join(folder, 'other.txt');
  writeFileSync(other, 'hello world');
  const output = await planned([input, other, input]);
  const seen: RunProgress[] = [];
  await runDataset(output, { onProgress: (progress) => seen.push(structuredClone(progress)) });
  const { sources, documents, bytes, tokens } = await datasetStatus(output);
  expect(seen.at(-1)).toMatchObject({ sources, documents, bytes, tokens });
  expect(sources[1]).toEqual({ name: other, documents: 1, bytes: 11, tokens: 3 });
  expect(seen[0]!.sources[0]!.documents).toBe(seen[0]!.documents);
  expect(seen[0]!.sources[2]!.tokens).toBe(0);
});

it('without the addon, WebAssembly writes the same bytes', async () => {
  const alone = path.join(folder, 'alone');
  const from = (name: string) => path.join(import.meta.dirname, '../..', name);
  cpSync(from('dist'), path.join(alone, 'dist'), { recursive: true });
  mkdirSync(path.join(alone, 'cartridges'));
  cpSync(from('cartridges/o200k_base.cray'), path.join(alone, 'cartridges/o200k_base.cray'));
  writeFileSync(path.join(alone, 'package.json'), '{"type":"module","version":"0.0.0"}');
  const output = await planned();
  // Half of it here, half of it there.
  await runDataset(output, { task: 0, of: 2 });
  for (const threads of ['1', '2']) {
    const args = [
      path.join(alone, 'dist/node/cli.js'),
      'dataset',
      'run',
      output,
      '--threads',
      threads,
      ...(threads === '1' ? ['--task', '1/4'] : ['--all']),
    ];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: { ...process.env, CRAYON_ADDON: '' } });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  }
  expect(shardsOf(output)).toEqual(expected);
});

it('any division into parts writes the same bytes', async () => {
  const output = await planned();
  const { tasks } = JSON.parse(readFileSync(path.join(output, 'manifest.json'), 'utf8'));
  expect((await runDataset(output, { task: 2, of: 3 })).tasks).toEqual(
    tasks.map((_: unknown, task: number) => task).filter((task: number) => task % 3 === 2),
  );
  for (const task of [0, 1, 2, 3, 4]) await runDataset(output, { task, of: 5 });
  expect(shardsOf(output)).toEqual(expected);
});

it('two processes that run the same tasks at once write the same bytes', async () => {
  const output = await planned();
  const processes = [1, 2].map(() =>
    spawn(process.execPath, [cli, 'dataset', 'run', output, '--all', '--threads', '1'], { stdio: 'ignore' }),
  );
  const exits = await Promise.all(processes.map((each) => once(each, 'exit')));
  expect(exits.map(([status]) => status)).toEqual([0, 0]);
  expect(shardsOf(output)).toEqual(expected);
});

it('a run that is killed at any moment ends with the same bytes', async () => {
  const zipped = path.join(folder, 'texts.jsonl.gz');
  writeFileSync(zipped, gzipSync(readFileSync(input)));
  for (const inputs of [[input], [zipped]]) {
    const whole = await planned(inputs);
    await runDataset(whole);
    for (let seed = 0; seed < sample(100, 1); seed++) {
      const random = new Random(seed, 99);
      const output = await planned(inputs);
      let kills = 0;
      for (let status: number | null = null; status !== 0; ) {
        const run = spawn(process.execPath, [cli, 'dataset', 'run', output, '--all', '--threads', '2'], { stdio: 'ignore' });
        const timer = setTimeout(() => kills++ < 6 && run.kill('SIGKILL'), random.integer(60, 500));
        [status] = await once(run, 'exit');
        clearTimeout(timer);
      }
      const left = shardsOf(output);
      for (const name of Object.keys(left)) if (name.includes('unfinished')) delete left[name];
      expect(left, `seed ${seed}`).toEqual(shardsOf(whole));
    }
  }
});

it('files of a shard that are lost are written again, and damaged ones are named when the other tasks are done', async () => {
  const output = await planned();
  await runDataset(output);
  const whole = await datasetStatus(output);
  const shard = (name: string) => path.join(output, 'shards', name);
  rmSync(shard('000002-00001.json'));
  rmSync(shard('000000-00000.lengths'));
  const missing = shard('000000-00000.lengths');
  await expect(mergeDataset(output)).rejects.toMatchObject({
    code: 'INCOMPLETE',
    worthAnotherTry: true,
    file: missing,
    message: expect.stringContaining(missing),
  });
  expect(await datasetStatus(output)).toMatchObject({
    begun: [2],
    waiting: [0],
    done: whole.done.filter((task) => task !== 2 && task !== 0),
  });
  truncateSync(shard('000001-00000.ids'), 5);
  writeFileSync(shard('000003-00001.json'), '{"task":');
  const failure = { code: 'DAMAGED_SHARD', file: shard('000001-00000.ids'), worthAnotherTry: false };
  await expect(runDataset(output)).rejects.toMatchObject(failure);
  await expect(runDataset(output)).rejects.toThrow(
    /has 5; remove it, and run its task again \(crayon dataset run\); task 3 has failed too$/,
  );
  rmSync(shard('000001-00000.ids'));
  rmSync(shard('000003-00001.json'));
  await runDataset(output);
  expect(shardsOf(output)).toEqual(expected);
});

it('a changed byte is found by verify and by merge, and ids of other documents by encoding again', async () => {
  const output = await planned();
  await runDataset(output);
  const ids = path.join(output, 'shards', '000001-00002.ids');
  const whole = readFileSync(ids);
  const changed = Buffer.from(whole);
  changed[4]! ^= 1;
  writeFileSync(ids, changed);
  for (const call of [verifyDataset, mergeDataset]) await expect(call(output)).rejects.toMatchObject({ code: 'DAMAGED_SHARD', file: ids });
  expect(readdirSync(output)).not.toContain('data.npy');
  // A receipt that agrees with the wrong ids.
  const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  rewrite(ids.replace('.ids', '.json'), (receipt) => (receipt.files.ids.sha256 = hash(changed)));
  await verifyDataset(output);
  await expect(verifyDataset(output, { deep: 10_000 })).rejects.toMatchObject({ code: 'DAMAGED_SHARD', file: ids });
  // The same of lengths, which are not those of the ids.
  const lengths = path.join(output, 'shards', '000000-00001.lengths');
  const others = readFileSync(lengths);
  others.writeUInt32LE(others.readUInt32LE(0) + 1, 0);
  writeFileSync(lengths, others);
  rewrite(lengths.replace('.lengths', '.json'), (receipt) => (receipt.files.lengths.sha256 = hash(others)));
  await expect(mergeDataset(output)).rejects.toMatchObject({ code: 'DAMAGED_SHARD', file: lengths });
  expect(readdirSync(output)).toEqual(['manifest.json', 'shards']);
});

/** Changes a file of JSON that a dataset keeps, and makes its checksum right again. */
function rewrite(file: string, change: (content: any) => void): void {
  const { checksum: _, ...content } = JSON.parse(readFileSync(file, 'utf8'));
  change(content);
  const checksum = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  writeFileSync(file, JSON.stringify({ ...content, checksum }));
}

describe('a receipt that does not follow from the plan and from those before it, whatever its checksum', () => {
  it.each<[string, (receipt: any) => void, string]>([
    ['its documents', (receipt) => (receipt.documents += 2000), 'its documents is'],
    ['its tokens', (receipt) => receipt.tokens++, 'its tokens is'],
    ['the tokens of a source', (receipt) => receipt.sources[0].tokens++, 'its tokens is'],
    ['the bytes of its ids', (receipt) => (receipt.files.ids.bytes += 4), 'its files is'],
    ['its place', (receipt) => receipt.shard++, 'its shard is 2, and 1 follows'],
    ['where it begins', (receipt) => receipt.from.position--, 'its from is'],
    ['where it ends: behind its range', (receipt) => (receipt.next.position = 1e9), 'its next is not where a shard of its task can end'],
    ['where it ends: before it begins', (receipt) => (receipt.next.position = receipt.from.position), 'its next is not'],
    ['how long its documents are', (receipt) => receipt.lengths[0]++, 'its lengths are not'],
    ['a source that is not there', (receipt) => (receipt.sources = { 5: receipt.sources[0] }), 'it has a source that the plan lacks'],
    ['records that it does not list', (receipt) => receipt.damagedCount++, 'its damaged records are not as many'],
    ['a member that nobody knows', (receipt) => (receipt.more = 1), 'its more is unknown'],
    ['a member that is gone', (receipt) => delete receipt.empty, 'its empty is missing'],
    ['a number that is none', (receipt) => (receipt.bytes = -1), 'its bytes is -1, not an integer from 0 on'],
    ['its plan', (receipt) => (receipt.plan = '0'.repeat(64)), 'it is of another plan'],
    ['its version', (receipt) => (receipt.version = 2), 'its version is 2, and this program knows version 1'],
  ])('%s', async (_, change, reason) => {
    const output = await planned();
    await runDataset(output, { task: 1, of: 1000 });
    const file = path.join(output, 'shards', '000001-00001.json');
    rewrite(file, change);
    for (const call of [runDataset, datasetStatus, verifyDataset, mergeDataset]) {
      const failure = await call(output).catch((error) => error);
      expect(failure).toMatchObject({ name: 'DatasetError', code: 'DAMAGED_SHARD', file, worthAnotherTry: false });
      expect(failure.message).toContain(reason);
    }
  });

  it('its end, if that is before the end of its documents: by encoding again', async () => {
    const output = await planned();
    await runDataset(output);
    const shards = readdirSync(path.join(output, 'shards'))
      .filter((name) => /^000002-.*json$/.test(name))
      .sort();
    const file = path.join(output, 'shards', shards.at(-2)!);
    // As if the task ended here.
    rewrite(file, (receipt) => (receipt.next = { range: 1, position: 0 }));
    await verifyDataset(output);
    await expect(verifyDataset(output, { deep: 10_000 })).rejects.toMatchObject({ code: 'DAMAGED_SHARD', file });
  });
});

it('shards of another plan are not those of this one', async () => {
  const output = await planned();
  await runDataset(output);
  rmSync(path.join(output, 'manifest.json'));
  await planDataset([input], { output, format: 'npy', taskBytes: 50_000, shardBytes: 8_000, countDuplicates: true, endOfDocument: null });
  for (const call of [runDataset, datasetStatus, verifyDataset, mergeDataset]) {
    await expect(call(output)).rejects.toMatchObject({ code: 'DAMAGED_SHARD', message: expect.stringContaining('it is of another plan') });
  }
});

it('a list of merged files that is gone, damaged, or of other shards, is told', async () => {
  const output = await planned();
  await runDataset(output);
  expect(await verifyDataset(output)).toMatchObject({ files: 0 });
  await mergeDataset(output);
  const file = path.join(output, 'merged.json');
  const whole = readFileSync(file);
  const told = async (message: string) => {
    const failure = {
      name: 'DatasetError',
      code: 'DAMAGED_SHARD',
      file,
      message: expect.stringMatching(/merge again \(crayon dataset merge\)$/),
    };
    await expect(verifyDataset(output)).rejects.toMatchObject(failure);
    await expect(verifyDataset(output)).rejects.toThrow(message);
  };
  rmSync(file);
  await told('merged.json is missing, and data.npy is there');
  rmSync(path.join(output, 'data.npy'));
  await told('merged.json is missing, and data_ends.npy is there');
  for (const text of ['', '{"files":[', '{}', 'null']) {
    writeFileSync(file, text);
    await told('merged.json is damaged');
  }
  for (const change of [(merged: any) => merged.documents--, (merged: any) => (merged.plan = '0'.repeat(64))]) {
    writeFileSync(file, whole);
    rewrite(file, change);
    await told('it is not of these shards');
  }
  writeFileSync(file, whole);
  rewrite(file, (merged) => (merged.files[0].name = '../texts.jsonl'));
  await told('its files[0].name is "../texts.jsonl"');
  writeFileSync(file, whole);
  await expect(verifyDataset(output)).rejects.toThrow('data.npy is damaged: it is missing; merge again');
  await mergeDataset(output);
  await verifyDataset(output);
});

it('a file in the place of the folder of shards is not worth another try', async () => {
  const output = await planned();
  writeFileSync(path.join(output, 'shards'), '');
  for (const call of [runDataset, datasetStatus, verifyDataset, mergeDataset]) {
    const failure = await call(output).catch((error) => error);
    expect(failure).toMatchObject({ name: 'DatasetError', worthAnotherTry: false, file: expect.stringContaining('shards') });
    expect(failure.message).toMatch(/a file has the name of (?:this|its) folder/);
  }
  expect(crayon(['dataset', 'run', output, '--all'], folder).status).toBe(1);
});

it('a merge that fails while it begins a file leaves none', async () => {
  const name = path.join(folder, 'few-files.txt');
  writeFileSync(name, 'word '.repeat(60));
  const output = await planned([name], { format: 'llmc', fileTokens: 20 });
  await runDataset(output);
  const ids = path.join(output, 'shards', '000000-00000.ids');
  const bytes = readFileSync(ids);
  bytes[0]! ^= 1;
  writeFileSync(ids, bytes);
  const { open } = files;
  // Files begin so late that the rest of the shard has been read by then.
  files.open = async (...given) => {
    if (given[1] === 'wx') await new Promise((resolve) => setTimeout(resolve, 30));
    return open(...given);
  };
  syncBuiltinESMExports();
  try {
    await expect(mergeDataset(output)).rejects.toMatchObject({ code: 'DAMAGED_SHARD', file: ids });
  } finally {
    files.open = open;
    syncBuiltinESMExports();
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(readdirSync(output)).toEqual(['manifest.json', 'shards']);
});

it('a merged file that has changed is found by verify', async () => {
  const output = await planned();
  await runDataset(output);
  await mergeDataset(output);
  truncateSync(path.join(output, 'data.npy'), 100);
  await expect(verifyDataset(output)).rejects.toThrow('data.npy is damaged: its bytes are not those that were written; merge again');
});

it('an aborted run rejects with the reason, and goes on later', async () => {
  const output = await planned();
  const controller = new AbortController();
  const reason = new Error('enough');
  const run = runDataset(output, {
    signal: controller.signal,
    onProgress: ({ documents }) => documents > 1000 && controller.abort(reason),
  });
  await expect(run).rejects.toBe(reason);
  expect(readdirSync(path.join(output, 'shards')).some((name) => name.includes('unfinished'))).toBe(false);
  await runDataset(output);
  expect(shardsOf(output)).toEqual(expected);
});

describe('a damaged record', () => {
  const lines = ['{"text":"one"}', '', '{"text":', '{"text":"two"}', '{"other":"x"}', '{"text":7}', '[]', '{"text":"three"}', 'null'];
  const damaged = (zipped = false) => {
    const name = path.join(folder, `damaged-${names++}.jsonl`);
    const bytes = Buffer.concat([Buffer.from(`${lines.join('\n')}\n{"text":"`), Buffer.from([0xc3, 0x28]), Buffer.from('"}\n')]);
    writeFileSync(name, zipped ? gzipSync(bytes) : bytes);
    return name;
  };

  it.each([false, true])('is an error with file, line and byte; compressed: %j', async (zipped) => {
    const name = damaged(zipped);
    const output = await planned([name]);
    const byte = lines.slice(0, 2).join('\n').length + 1;
    const failure = { code: 'DAMAGED_RECORD', file: name, line: 3, byte, worthAnotherTry: false };
    await expect(runDataset(output)).rejects.toMatchObject(failure);
    await expect(runDataset(output)).rejects.toThrow(`${name}: line 3 (byte ${byte}): `);
  });

  it('is quoted with escapes in place of what ends a line or makes a terminal act', async () => {
    const name = path.join(folder, `controls-${names++}.jsonl`);
    writeFileSync(name, '{"text": "a"}\n{"text": \u001b[2J\r"\u0085\u2028"}\n');
    const failure = await runDataset(await planned([name])).catch((error: Error) => error);
    expect(failure).toMatchObject({ code: 'DAMAGED_RECORD', line: 2 });
    expect((failure as Error).message).toContain('\\u001b[2J\\r');
    expect((failure as Error).message).toMatch(/^[^\p{Cc}\u2028]+$/u);
  });

  it.each([1, 5, 1000])('is left out and listed on request, in tasks of %j bytes', async (taskBytes) => {
    const name = damaged();
    const output = await planned([name], { taskBytes, endOfDocument: null });
    expect(await runDataset(output, { skipDamaged: true })).toMatchObject({ documents: 3, damaged: 6 });
    const status = await datasetStatus(output);
    expect(status.damaged.map(({ file, line, reason }) => [file === name, line, reason])).toEqual([
      [true, 3, expect.stringContaining('JSON')],
      [true, 5, 'it has no "text"; it has "other"'],
      [true, 6, 'its "text" is a number, not a string'],
      [true, 7, 'it has no "text"'],
      [true, 9, 'it has no "text", since it is null'],
      [true, 10, 'it is not UTF-8'],
    ]);
    for (const { byte, line } of status.damaged) expect(byte).toBe(lines.slice(0, line! - 1).join('\n').length + 1);
    expect(status.empty).toBe(1);
    await mergeDataset(output);
    expect(documentsOf(output)).toEqual([[1174], [24294], [40902]].map(() => expect.any(Array)));
    await verifyDataset(output, { deep: 100 });
  });

  it('is a text that the vocabulary cannot encode', async () => {
    const vocabulary = path.join(folder, 'letters.cray');
    writeFileSync(vocabulary, await compileCartridge(['a', 'b', 'ab'], { model: 'longest-match' }));
    const name = path.join(folder, 'letters.jsonl');
    writeFileSync(name, ['ab', 'ba', 'xyz', 'a', 'b?'].map((text) => JSON.stringify({ text })).join('\n'));
    const output = await planned([name], { tokenizer: vocabulary });
    await expect(runDataset(output)).rejects.toMatchObject({ code: 'DAMAGED_RECORD', line: 3 });
    expect(await runDataset(output, { skipDamaged: true })).toMatchObject({ documents: 3, damaged: 2 });
    await mergeDataset(output);
    expect(documentsOf(output)).toEqual([[2], [1, 0], [0]]);
  });

  it('is all that a batch has, and the documents behind it are read', async () => {
    const vocabulary = path.join(folder, 'few.cray');
    writeFileSync(vocabulary, await compileCartridge(['a', 'b', 'ab'], { model: 'longest-match' }));
    const name = path.join(folder, 'few.jsonl');
    const lines = ['ab', 'xyz', 'ab', 'a', 'b', 'x', 'a', 'z'];
    writeFileSync(name, lines.map((text) => JSON.stringify({ text })).join('\n'));
    for (const shardBytes of [1, 2, 3, 4, 100]) {
      for (const threads of [1, 2]) {
        const output = await planned([name], { tokenizer: vocabulary, shardBytes, endOfDocument: null });
        expect(await runDataset(output, { threads, skipDamaged: true }), `${shardBytes}`).toMatchObject({ documents: 5, damaged: 3 });
        await verifyDataset(output, { deep: 100 });
        await mergeDataset(output);
        expect(documentsOf(output)).toEqual([[2], [2], [0], [1], [0]]);
      }
    }
  });

  it('of a file that is not what somebody thought is counted, and the first thousand are listed', async () => {
    const DAMAGED = sample(200_000, 20_000);
    const name = path.join(folder, 'none.jsonl');
    writeFileSync(name, 'no JSON\n'.repeat(DAMAGED));
    const output = await planned([name], { taskBytes: 2 ** 30 });
    expect(await runDataset(output, { skipDamaged: true })).toMatchObject({ documents: 0, damaged: DAMAGED });
    const { damaged: listed } = await datasetStatus(output);
    expect(listed).toHaveLength(1000);
    expect(listed.at(-1)).toMatchObject({ line: 1000, byte: 999 * 8 });
    expect((await mergeDataset(output)).tokens).toBe(0);
  });

  it('is a compressed file that is cut, or no such file', async () => {
    const zipped = gzipSync(readFileSync(input));
    const name = path.join(folder, 'cut.jsonl.gz');
    writeFileSync(name, zipped.subarray(0, zipped.length / 2));
    await expect(runDataset(await planned([name]))).rejects.toThrow(`cannot inflate ${name}: unexpected end of file`);
    zipped[zipped.length >> 1]! ^= 0x40;
    writeFileSync(name, zipped);
    await expect(planned([name]).then((output) => runDataset(output))).rejects.toMatchObject({ code: 'DAMAGED_RECORD', file: name });
  });
});

describe('the command', () => {
  it('plans, runs, shows, verifies and merges', async () => {
    const output = newFolder();
    const ok = (...args: string[]) => {
      const { status, stdout, stderr } = crayon(['dataset', ...args], folder);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      return stdout;
    };
    expect(ok('plan', 'texts.jsonl', '-f', 'npy', '-o', output, '--task-bytes', '40K', '--count-duplicates')).toContain(
      'npy, uint32 of o200k_base, "<|endoftext|>" (id 199999) between documents',
    );
    expect(crayon(['dataset', 'merge', output], folder)).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('tasks are not done: 0'),
    });
    expect(ok('run', output, '--task', '0/2')).toContain('documents');
    expect(JSON.parse(ok('status', output, '--json')).waiting).toContain(1);
    const events = ok('run', output, '--all', '--json')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.at(-1)).toMatchObject({ event: 'done', documents: texts.length, sources: [{ name: 'texts.jsonl' }] });
    expect(ok('status', output, '--report', 'report.html')).toContain(`documents  4,000`);
    expect(readFileSync(path.join(folder, 'report.html'), 'utf8')).toMatch(/<svg[\s\S]*<rect/);
    expect(ok('merge', output)).toContain('data.npy');
    expect(ok('verify', output, '--deep', '3')).toContain('3 encoded again, 2 merged files');
    expect(documentsOf(output)).toHaveLength(texts.length);
  });

  it('ends its events with the failure', async () => {
    const name = path.join(folder, 'failing.jsonl');
    writeFileSync(name, '{"text":"fine"}\n{"text":\n');
    const output = await planned([name]);
    const { status, stdout, stderr } = crayon(['dataset', 'run', output, '--all', '--json'], folder);
    const { message, ...failed } = JSON.parse(stdout.trim().split('\n').at(-1)!);
    expect({ status, ...failed }).toEqual({
      status: 1,
      event: 'failed',
      code: 'DAMAGED_RECORD',
      file: name,
      line: 2,
      byte: 16,
      worthAnotherTry: false,
    });
    expect(stderr).toBe(`crayon: ${message}\n`);
    if (process.platform !== 'linux') return;
    const full = spawnSync('sh', ['-c', '"$0" "$1" dataset run "$2" --all --json > /dev/full', process.execPath, cli, output], {
      encoding: 'utf8',
    });
    expect({ status: full.status, stderr: full.stderr }).toEqual({ status: 1, stderr });
  });

  it('takes its task from Slurm and Kubernetes', async () => {
    const output = await planned();
    const run = (env: Record<string, string>, ...args: string[]) => crayon(['dataset', 'run', output, '--json', ...args], folder, '', env);
    const tasksIn = ({ stdout }: { stdout: string }) => JSON.parse(stdout.trim().split('\n').at(-1)!).tasks;
    const { tasks } = await datasetStatus(output);
    expect(tasksIn(run({ SLURM_ARRAY_TASK_ID: '1', SLURM_ARRAY_TASK_COUNT: '2', SLURM_ARRAY_TASK_MIN: '0' }))).toBe(Math.floor(tasks / 2));
    expect(tasksIn(run({ SLURM_ARRAY_TASK_ID: '2', SLURM_ARRAY_TASK_COUNT: '2', SLURM_ARRAY_TASK_MIN: '1' }))).toBe(Math.floor(tasks / 2));
    expect(tasksIn(run({ JOB_COMPLETION_INDEX: '0' }, '--of', '2'))).toBe(Math.ceil(tasks / 2));
    expect(run({ JOB_COMPLETION_INDEX: '0' })).toMatchObject({ status: 2, stderr: expect.stringContaining('task 0 of how many?') });
    expect(run({ JOB_COMPLETION_INDEX: '2' }, '--of', '2')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('they count from 0'),
    });
    expect(run({})).toMatchObject({ status: 2, stderr: expect.stringContaining('--task i/n, or --all') });
  });

  it('has exit codes that tell what is worth another try', async () => {
    const bad = path.join(folder, 'bad.jsonl');
    writeFileSync(bad, 'no JSON\n');
    const output = await planned([bad]);
    const run = (...args: string[]) => crayon(['dataset', 'run', ...args], folder).status;
    expect(run(output, '--all')).toBe(1);
    expect(run(output, '--task', '1/1')).toBe(2);
    expect(run('missing', '--all')).toBe(1);
    expect(run(output, '--all', '--skip-damaged')).toBe(0);
  });
});

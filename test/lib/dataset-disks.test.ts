// Datasets on disks that fill up or fail, and merges that are killed: an error that is worth another try, and then the same bytes.

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mergeDataset, planDataset, runDataset, verifyDataset } from 'crayon-tokenizer/dataset';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { DurableFile } from '../../lib/datasets/durable-files.js';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { cli } from './command.js';

let folder: string;
let input: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'crayon-test-'));
  input = path.join(folder, 'texts.jsonl');
  const texts = Array.from(
    { length: 4000 },
    (_, row) => `document ${row} of a dataset that needs room on a disk ${'word '.repeat(row % 9)}`,
  );
  writeFileSync(input, texts.map((text) => `${JSON.stringify({ text })}\n`).join(''));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PLAN = { format: 'megatron', taskBytes: 60_000, shardBytes: 30_000, countDuplicates: true } as const;
const ARGUMENTS = ['--format', 'megatron', '--task-bytes', '60000', '--shard-bytes', '30000', '--count-duplicates'];

/** Hashes of all files of a dataset, by name. */
function filesOf(output: string): Record<string, string> {
  const names = readdirSync(output, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => statSync(path.join(output, name)).isFile());
  return Object.fromEntries(
    files.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(path.join(output, name)))
        .digest('hex'),
    ]),
  );
}

/** A dataset that nothing has happened to. */
async function whole(name: string): Promise<{ output: string; files: Record<string, string>; size: number }> {
  const output = path.join(folder, name);
  await planDataset([input], { output, ...PLAN });
  await runDataset(output);
  await mergeDataset(output);
  const size = Object.keys(filesOf(output)).reduce((sum, file) => sum + 4096 * Math.ceil(statSync(path.join(output, file)).size / 4096), 0);
  return { output, files: filesOf(output), size };
}

/** Whether this process may mount a file system of its own. */
function mount(place: string, ...options: string[]): boolean {
  mkdirSync(place, { recursive: true });
  return spawnSync('mount', ['-t', 'tmpfs', ...options, 'crayon-test', place]).status === 0;
}

const mayMount = (() => {
  const place = mkdtempSync(path.join(tmpdir(), 'crayon-mount-'));
  const may = process.platform === 'linux' && mount(place, '-o', 'size=64k');
  if (may) spawnSync('umount', [place]);
  rmSync(place, { recursive: true, force: true });
  return may;
})();

it.skipIf(!mayMount)('a disk that fills up, wherever that is, is worth another try, and leaves nothing unfinished', async () => {
  const { files, size } = await whole('roomy');
  const place = path.join(folder, 'small');
  const outcomes = new Set<string>();
  // From no room at all to enough: each file does not fit once.
  const steps = sample(60, 3);
  for (let step = 0; step < steps; step++) {
    const bytes = 4096 * (1 + Math.round((step * size) / 4096 / steps));
    expect(mount(place, '-o', `size=${bytes}`)).toBe(true);
    try {
      if (step === 0) writeFileSync(path.join(place, 'full'), Buffer.alloc(bytes));
      const output = path.join(place, 'out');
      for (const stage of [
        ['plan', input, ...ARGUMENTS, '--output', output],
        ['run', output, '--all'],
        ['merge', output],
        ['verify', output],
      ]) {
        for (let tries = 0; ; tries++) {
          const { status, stderr } = spawnSync(process.execPath, [cli, 'dataset', ...stage], { encoding: 'utf8' });
          if (status === 0) break;
          outcomes.add(stage[0]!);
          expect({ status, stderr }, `${bytes} bytes, ${stage[0]}`).toEqual({
            status: 3,
            stderr: expect.stringMatching(/^crayon: cannot write \S+small\/out\S*: the disk is full\n$/),
          });
          expect(readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('unfinished'))).toEqual([]);
          expect(tries).toBeLessThan(2);
          expect(spawnSync('mount', ['-o', `remount,size=${4 * size}`, place]).status).toBe(0);
        }
      }
      const found = filesOf(output);
      expect(Object.keys(found)).toEqual(Object.keys(files));
      for (const name of Object.keys(found)) if (!name.endsWith('.json')) expect(found[name], name).toBe(files[name]);
    } finally {
      spawnSync('umount', [place]);
    }
  }
  expect([...outcomes].sort()).toEqual(['merge', 'plan', 'run']);
});

it.skipIf(process.platform === 'win32')('files that may not grow are worth another try', async () => {
  const { output, files } = await whole('limited');
  // Of 512 bytes each.
  for (const blocks of [0, 4, 64, 200]) {
    rmSync(output, { recursive: true });
    for (const stage of [
      ['plan', input, ...ARGUMENTS, '--output', output],
      ['run', output, '--all'],
      ['merge', output],
    ]) {
      const { status, stderr } = spawnSync(
        'sh',
        ['-c', `ulimit -f ${blocks}; exec "$@"`, 'sh', process.execPath, cli, 'dataset', ...stage],
        { encoding: 'utf8' },
      );
      if (status !== 0)
        expect({ status, stderr }, `${blocks} blocks, ${stage[0]}`).toEqual({
          status: 3,
          stderr: expect.stringMatching(/^crayon: cannot write \S+: EFBIG/),
        });
      expect(Object.keys(filesOf(output)).filter((name) => name.includes('unfinished'))).toEqual([]);
      expect(spawnSync(process.execPath, [cli, 'dataset', ...stage]).status).toBe(0);
    }
    expect(filesOf(output)).toEqual(files);
  }
});

it('a merge that is killed at any moment is told by verify, and ends with the same bytes', async () => {
  const { output, files } = await whole('merged');
  const merged = Object.keys(files).filter((name) => !name.startsWith('shards') && name !== 'manifest.json');
  let ended = 0;
  for (let seed = 0; seed < sample(200, 4); seed++) {
    for (const name of merged) rmSync(path.join(output, name), { force: true });
    const merging = spawn(process.execPath, [cli, 'dataset', 'merge', output], { stdio: 'ignore' });
    const timer = setTimeout(() => merging.kill('SIGKILL'), 50 + new Random(seed, 57).integer(0, 120));
    const [status] = await once(merging, 'exit');
    clearTimeout(timer);
    if (status === 0) ended++;
    const found = merged.filter((name) => readdirSync(output).includes(name));
    const verified = await verifyDataset(output).catch((error) => error);
    if (found.length === 0) expect(verified).toMatchObject({ files: 0 });
    else if (found.includes('merged.json')) expect(verified).toMatchObject({ files: merged.length - 1 });
    else expect(verified, `seed ${seed}`).toMatchObject({ code: 'DAMAGED_SHARD', file: path.join(output, 'merged.json') });
    await mergeDataset(output);
    for (const name of readdirSync(output)) if (name.includes('unfinished')) rmSync(path.join(output, name));
    expect(filesOf(output), `seed ${seed}`).toEqual(files);
  }
  expect(ended).toBeLessThan(sample(200, 4) || 1);
});

it('a flush that fails before its time is not forgotten', async () => {
  const handle = await open(input, 'r');
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const { datasync } = prototype;
  let calls = 0;
  // Linux says once that pages could not be written: the next flush succeeds.
  prototype.datasync = function (this: FileHandle) {
    return calls++ === 0 ? Promise.reject(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })) : datasync.call(this);
  };
  const name = path.join(folder, 'flushed');
  try {
    await using file = await DurableFile.create(name);
    for (let part = 0; part < 20; part++) await file.append(new Uint8Array(2 ** 20));
    await expect(file.finish()).rejects.toMatchObject({
      code: 'UNWRITABLE',
      file: name,
      worthAnotherTry: true,
      message: expect.stringContaining('EIO'),
    });
    expect(calls).toBe(1);
  } finally {
    prototype.datasync = datasync;
  }
  expect(readdirSync(folder).filter((each) => each.startsWith('flushed'))).toEqual([]);
});

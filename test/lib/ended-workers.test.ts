// Threads that end at any moment while the process's threads work for them: the process lives, and others get the right ids.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

import { sample } from '../share.js';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const PLUGIN = file('../../build/release/gpu/crayon_gpu_emulated.so');
const SEED = Number(process.env.CRAYON_FUZZ_SEED ?? 1);
const THREADS = sample(1250, 12);

it('threads may end in every call of the public API, with every kind of input', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'crayon-test-'));
  const program = [file('ended-workers.mjs'), PLUGIN, String(SEED), String(THREADS)];
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, program, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28 });
  rmSync(folder, { recursive: true });
  // What the last threads did is in the failure.
  expect({ status, signal }, stderr.slice(-5000)).toEqual({ status: 0, signal: null });
  const { threads, calls, ended, unmade } = JSON.parse(stdout.trim().split('\n').at(-1) as string);
  console.log(`${threads} threads ended, in ${calls} calls with ${ended} kinds of arguments`);
  expect(unmade, 'calls that need a line in BY_HAND of ended-workers.mjs').toEqual([]);
  expect(threads).toBe(THREADS);
});

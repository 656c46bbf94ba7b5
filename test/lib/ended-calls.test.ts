// Threads terminated in the middle of an addon call, and node:vm time limits that interrupt its callbacks: every later
// Node-API request fails, which must not abort the process.

import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

import { SHARE } from '../share.js';
import { CALLS } from './addon-calls.mjs';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const ADDON = process.env.CRAYON_ADDON || file('../../build/release/crayon.node');
const PLUGIN = file('../../build/release/gpu/crayon_gpu_emulated.so');

/** Threads per function: hundreds in `npm run test:long`. */
const ROUNDS = SHARE === 1 ? 400 : 4;

it('a thread may end in the middle of every call', { timeout: 60_000 + 8000 * ROUNDS }, () => {
  const program = [file('ended-calls.mjs'), ADDON, PLUGIN, String(ROUNDS)];
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, program, { encoding: 'utf8', timeout: 50_000 + 8000 * ROUNDS });
  const lines = stdout.trim().split('\n');
  // The last functions that were called are in the failure.
  expect({ status, signal, stderr }, lines.slice(-3).join()).toEqual({ status: 0, signal: null, stderr: '' });
  const counts = JSON.parse(lines.at(-1) as string) as Record<string, { inside: number; before: number }>;
  expect(Object.keys(counts)).toEqual(Object.keys(CALLS));
  for (const [name, { inside, before }] of Object.entries(counts)) {
    expect(inside + before, name).toBeGreaterThanOrEqual(ROUNDS);
    expect(before, name).toBeGreaterThanOrEqual(ROUNDS / 2);
  }
});

describe('a time limit of node:vm', () => {
  it('may interrupt the getters and setters of arguments and results', async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [file('time-limits.mjs'), ADDON, PLUGIN]);
    expect(stderr).toBe('');
    expect(Number(stdout)).toBeGreaterThan(15);
  });
});

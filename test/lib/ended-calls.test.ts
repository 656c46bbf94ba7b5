// Threads terminated in the middle of an addon call, and node:vm time limits that interrupt its callbacks: every later
// Node-API request fails, which must not abort the process. ended-calls.mjs runs each function in its own process.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

import { SHARE } from '../share.js';
import { CALLS } from './ended-calls.mjs';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const ADDON = process.env.CRAYON_ADDON || file('../../build/release/crayon.node');
const PLUGIN = file('../../build/release/gpu/crayon_gpu_emulated.so');

/** Threads per function: a thousand in `npm run test:long`. */
const ROUNDS = SHARE === 1 ? 1000 : 10;

describe('a thread may end in the middle of', () => {
  it.each(Object.keys(CALLS))('%s', { timeout: 60_000 + 2000 * ROUNDS }, async (name) => {
    const run = promisify(execFile)(process.execPath, [file('ended-calls.mjs'), ADDON, PLUGIN, name, String(ROUNDS)]);
    const { stdout, stderr } = await run;
    const { inside, before } = JSON.parse(stdout) as { inside: number; before: number };
    expect(stderr).toBe('');
    expect(inside + before).toBeGreaterThanOrEqual(ROUNDS);
    expect(before).toBeGreaterThanOrEqual(ROUNDS / 2);
  });
});

describe('a time limit of node:vm', () => {
  it('may interrupt the getters and setters of arguments and results', async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [file('time-limits.mjs'), ADDON, PLUGIN]);
    expect(stderr).toBe('');
    expect(Number(stdout)).toBeGreaterThan(15);
  });
});

// Threads that end in the middle of a call of the addon, and time limits of node:vm that end what it calls: everything that it
// then asks of Node-API fails, which must not end the process. ended-calls.mjs does it, in a process of its own for each function.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

import { SHARE } from '../share.js';
import { CALLS } from './ended-calls.mjs';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const ADDON = process.env.CRAYON_ADDON || file('../../build/release/crayon.node');
const PLUGIN = file('../../build/release/gpu/crayon_gpu_emulated.so');

/** Threads for each function: a thousand in `npm run test:long`. */
const ROUNDS = SHARE === 1 ? 1000 : 20;

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
  it('may end getters and setters of what a call reads and makes', async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [file('time-limits.mjs'), ADDON, PLUGIN]);
    expect(stderr).toBe('');
    expect(Number(stdout)).toBeGreaterThan(40);
  });
});

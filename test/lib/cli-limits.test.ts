// `crayon count --max` and `--max-total`: limits that set the exit code, for scripts that check texts.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { get_encoding } from 'tiktoken';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { crayon as run } from './command.js';

const LONG = 'Straße, 東京, 👍🏽.\n'.repeat(200);
let folder: string;
let long: number;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  writeFileSync(join(folder, 'two.txt'), 'hello world');
  writeFileSync(join(folder, 'one.txt'), 'hello');
  writeFileSync(join(folder, 'long.txt'), LONG);
  const reference = get_encoding('o200k_base');
  long = reference.encode(LONG, [], []).length;
  reference.free();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const count = (...args: string[]) => run(['count', ...args], folder, 'hello world');

describe('--max', () => {
  it('applies to each file, and names the files over the limit', () => {
    const { status, stdout, stderr } = count('--max', '1', 'one.txt', 'two.txt', 'long.txt');
    expect(status).toBe(1);
    expect(stdout).toBe(`1\tone.txt\n2\ttwo.txt\n${long}\tlong.txt\n${long + 3}\ttotal\n`);
    const number = (value: number) => value.toLocaleString('en');
    expect(stderr).toBe(
      'crayon: two.txt: 2 tokens, 1 over --max 1\n' + `crayon: long.txt: ${number(long)} tokens, ${number(long - 1)} over --max 1\n`,
    );
  });

  it('allows exactly the limit, whatever the total', () => {
    expect(count('--max', '2', 'one.txt', 'two.txt', 'two.txt')).toMatchObject({ status: 0, stderr: '' });
    expect(count('--max', String(long), 'long.txt')).toMatchObject({ status: 0, stderr: '' });
    expect(count('--max', String(long - 1), 'long.txt')).toMatchObject({ status: 1 });
  });

  it('applies to standard input too, and may be 0', () => {
    const stderr = 'crayon: standard input: 2 tokens, 2 over --max 0\n';
    expect(count('--max', '0')).toMatchObject({ status: 1, stdout: '2\n', stderr });
    expect(count('--max', '2')).toMatchObject({ status: 0, stdout: '2\n', stderr: '' });
  });

  it('appears in the JSON', () => {
    const { status, stdout } = count('--max', '1', '--json', 'one.txt', 'two.txt', 'missing.txt');
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      encoding: 'o200k_base',
      files: [
        { file: 'one.txt', tokens: 1, bytes: 5, over: 0 },
        { file: 'two.txt', tokens: 2, bytes: 11, over: 1 },
        { file: 'missing.txt', error: 'no such file' },
      ],
      total: 3,
      max: 1,
    });
  });
});

describe('--max-total', () => {
  it('applies to all files together', () => {
    const stderr = 'crayon: total: 3 tokens, 1 over --max-total 2\n';
    expect(count('--max-total', '2', 'one.txt', 'two.txt')).toMatchObject({ status: 1, stderr });
    expect(count('--max-total', '3', 'one.txt', 'two.txt')).toMatchObject({ status: 0, stderr: '' });
  });

  it('combines with --max, and appears in the JSON', () => {
    const { status, stdout } = count('--max', '2', '--max-total', '2', '--json', 'one.txt', 'two.txt');
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ total: 3, max: 2, maxTotal: 2, totalOver: 1, files: [{ over: 0 }, { over: 0 }] });
  });
});

it('a file that cannot be counted fails with any limit', () => {
  expect(count('--max', '9', '--max-total', '9', 'missing.txt', 'one.txt')).toMatchObject({ status: 1, stdout: '1\tone.txt\n1\ttotal\n' });
});

it.each([['-1'], ['1.5'], ['8k'], ['1e3'], [''], ['99999999999999999999']])('%j tokens is wrong usage', (limit) => {
  for (const option of ['--max', '--max-total']) {
    const { status, stdout, stderr } = count(`${option}=${limit}`, 'one.txt');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(`'${option} <tokens>'`);
  }
});

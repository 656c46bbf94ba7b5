// Long files, which `crayon count` and `crayon encode` process on several threads: the output equals that for standard
// input, which one thread encodes.

import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { get_encoding, type Tiktoken } from 'tiktoken';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { crayon as run } from './command.js';

/** Longer than a megabyte. */
const TEXT = 'The naïve café — 東京タワー costs 12345 ¥ 😀.\r\n\n'.repeat(20_000);
const END = '<|endoftext|>';

let folder: string;
let reference: Tiktoken;
let ids: Uint32Array;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  writeFileSync(join(folder, 'long.txt'), TEXT);
  writeFileSync(join(folder, 'special.txt'), `${TEXT}${END}${TEXT}`);
  writeFileSync(join(folder, 'short.txt'), 'hello world');
  reference = get_encoding('o200k_base');
  ids = reference.encode(TEXT, [], []);
});
afterAll(() => {
  reference.free();
  rmSync(folder, { recursive: true, force: true });
});

const crayon = (args: string[], input?: string) => run(args, folder, input);

describe.each([[], ['--threads', '1'], ['--threads', '2'], ['--cache-bytes', '65536']])('%s %s', (...threads) => {
  it('counts', () => {
    const { status, stdout, stderr } = crayon(['count', ...threads, 'long.txt', 'short.txt']);
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: `${ids.length}\tlong.txt\n2\tshort.txt\n${ids.length + 2}\ttotal\n`,
      stderr: '',
    });
    const { files } = JSON.parse(crayon(['count', ...threads, '--json', 'long.txt']).stdout);
    expect(files).toEqual([{ file: 'long.txt', tokens: ids.length, bytes: Buffer.byteLength(TEXT) }]);
  });

  it('encodes', () => {
    expect(crayon(['encode', ...threads, 'long.txt']).stdout === `${ids.join(' ')}\n`).toBe(true);
    const { files } = JSON.parse(crayon(['encode', ...threads, '--json', 'long.txt', 'short.txt']).stdout);
    expect(files[0].ids.join() === ids.join()).toBe(true);
    expect(files[1]).toEqual({ file: 'short.txt', ids: [24912, 2375] });
  });
});

it.each(['-1', '1.5', '64k', ''])('%j bytes to remember pieces in is wrong usage', (bytes) => {
  const { status, stderr } = crayon(['count', `--cache-bytes=${bytes}`, 'long.txt']);
  expect(status).toBe(2);
  expect(stderr).toContain('Expected a number of bytes, an integer of 0 or more.');
});

it('shows the same tokens as for standard input', () => {
  for (const show of [['--show'], ['--show-ids'], ['--show-ids', '--json']]) {
    const [file, input] = [crayon(['encode', ...show, 'long.txt']), crayon(['encode', ...show], TEXT)];
    expect(file.stdout.replace('"long.txt"', '"-"') === input.stdout).toBe(true);
  }
});

it('applies --special, with the position of a refused token', () => {
  const [asText, allowed] = [[], 'all' as const].map((special) => reference.encode(`${TEXT}${END}${TEXT}`, special, []).length);
  for (const [special, expected] of [
    ['text', asText],
    ['allow', allowed],
    [END, allowed],
  ] as const) {
    expect(crayon(['count', '--special', special, 'special.txt']).stdout).toBe(`${expected}\tspecial.txt\n`);
  }
  const { status, stderr } = crayon(['count', '--special', 'forbid', 'special.txt']);
  expect(status).toBe(1);
  const position = Buffer.byteLength(TEXT);
  expect(stderr).toBe(`crayon: special.txt: has a special token at byte ${position}, which --special forbid refuses\n`);
  expect(crayon(['encode', '--special', '<|nothing|>', 'long.txt'])).toMatchObject({ status: 1, stdout: '' });
});

it('fails for invalid numbers of threads', () => {
  for (const threads of ['0', '-1', '1.5', 'all', '']) {
    const { status, stderr } = crayon(['count', `--threads=${threads}`, 'long.txt']);
    expect(status).toBe(2);
    expect(stderr).toContain('Expected a number of threads');
  }
});

it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)('reports a file without read permission', () => {
  appendFileSync(join(folder, 'secret.txt'), TEXT);
  chmodSync(join(folder, 'secret.txt'), 0);
  expect(crayon(['count', 'secret.txt'])).toMatchObject({ status: 1, stderr: 'crayon: secret.txt: permission denied\n' });
});

// `crayon truncate` and `crayon split`: what the API gives, byte for byte.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { Tokenizer } from 'crayon-tokenizer';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { crayon } from './command.js';

const TEXT = `# Heading\n\nhello world, how are you? naïve café 👍🏽 東京\n\n${'Another paragraph of words. '.repeat(20)}\n`;

let folder: string;
let tokenizer: Tokenizer;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'crayon-test-'));
  writeFileSync(path.join(folder, 'text.md'), TEXT);
  writeFileSync(path.join(folder, 'text.md.gz'), gzipSync(TEXT));
  tokenizer = await Tokenizer.load('o200k_base');
});
afterAll(() => {
  tokenizer.close();
  rmSync(folder, { recursive: true, force: true });
});

const lines = (stdout: string) =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

it('a text is cut to a number of tokens, at either side', () => {
  for (const tokens of [0, 1, 7, 15, 100_000]) {
    for (const side of ['right', 'left'] as const) {
      const expected = tokenizer.truncate(TEXT, tokens, { side });
      const args = ['truncate', '-n', `${tokens}`, '--side', side];
      expect(crayon(args, folder, TEXT)).toMatchObject({ status: 0, stdout: expected });
      expect(crayon([...args, 'text.md.gz'], folder).stdout).toBe(expected);
      const truncated = expected !== TEXT;
      const about = { file: 'text.md', text: expected, tokens: tokenizer.count(expected), truncated };
      expect(lines(crayon([...args, 'text.md', '--json'], folder).stdout)).toEqual([about]);
    }
  }
});

it('a text is split into parts of at most a number of tokens', () => {
  const bytes = Buffer.from(TEXT);
  for (const [options, args] of [
    [{}, []],
    [{ overlap: 2 }, ['--overlap', '2']],
    [{ separators: 'markdown' }, ['--at', 'markdown']],
  ] as const) {
    const expected = tokenizer.split(TEXT, { maxTokens: 12, ...options });
    const parts = lines(crayon(['split', '-n', '12', ...args, 'text.md'], folder).stdout);
    expect(parts.map(({ text }) => text)).toEqual(expected);
    for (const { text, tokens, start, end, file } of parts) {
      expect([bytes.subarray(start, end).toString(), tokenizer.count(text), file]).toEqual([text, tokens, 'text.md']);
    }
    expect(crayon(['split', '-n', '12', ...args, '--null'], folder, TEXT).stdout).toBe(expected.map((text) => `${text}\0`).join(''));
  }
});

it('bytes that are no UTF-8 stay as they are', () => {
  const bytes = Buffer.from([0x68, 0x69, 0xff, 0xfe, 0x00, 0x20, 0x61]);
  expect(crayon(['truncate', '-n', '100'], folder, bytes).bytes.equals(bytes)).toBe(true);
});

it('what cannot be done is said', () => {
  expect(crayon(['truncate', 'text.md'], folder)).toMatchObject({ status: 2, stderr: expect.stringContaining("'-n, --tokens <number>'") });
  expect(crayon(['split', '-n', '2', '--overlap', '2', 'text.md'], folder)).toMatchObject({
    status: 2,
    stderr: 'crayon: --overlap must be less than --tokens\n',
  });
  expect(crayon(['split', '-n', '1', '--text', '👍🏽'], folder)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('--tokens must be at least 2, for the character at position 4'),
  });
  expect(crayon(['split', '-n', '9', '-0'], folder, 'a\0b')).toMatchObject({ status: 1, stderr: expect.stringContaining('has a NUL') });
  expect(crayon(['truncate', '-n', '1', 'no.md', 'text.md'], folder)).toMatchObject({
    status: 1,
    stdout: tokenizer.truncate(TEXT, 1),
    stderr: 'crayon: no.md: no such file\n',
  });
});

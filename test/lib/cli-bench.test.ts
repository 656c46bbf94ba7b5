// `crayon bench`: that it measures what it reports, not how fast anything is.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { get_encoding } from 'tiktoken';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { crayon as run } from './command.js';

const text = 'Straße, 東京, 👍🏽.\n'.repeat(20);
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  writeFileSync(join(folder, 'text.txt'), text);
  writeFileSync(join(folder, 'empty.txt'), '');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bench = (...args: string[]) => run(['bench', '--seconds', '0.01', ...args], folder, text);

interface Rate {
  bytesPerSecond: number;
  tokensPerSecond: number;
  rounds: number;
}

it.each([['text.txt'], ['-']])('measures each operation on a text: %s', (file) => {
  const reference = get_encoding('cl100k_base');
  const tokens = reference.encode(text, [], []).length;
  reference.free();
  const { status, stdout } = bench('--json', '--model', 'gpt-4', file);
  expect(status).toBe(0);
  const facts = JSON.parse(stdout) as Record<string, Record<'first' | 'warm', Rate>>;
  const bytes = Buffer.byteLength(text);
  expect(facts).toMatchObject({ encoding: 'cl100k_base', backend: 'native', text: { file, bytes, tokens } });
  for (const operation of ['encode', 'count', 'decode']) {
    const { first, warm } = facts[operation]!;
    for (const { bytesPerSecond, tokensPerSecond } of [first, warm]) {
      expect(bytesPerSecond).toBeGreaterThan(0);
      expect(bytesPerSecond / tokensPerSecond).toBeCloseTo(bytes / tokens, 3);
    }
    expect(warm.rounds).toBeGreaterThanOrEqual(1);
  }
});

it('has a text of its own', () => {
  const { status, stdout } = bench();
  expect(status).toBe(0);
  expect(stdout).toMatch(/^crayon \d.*, native \w+, Node \d/);
  expect(stdout).toContain('\nthe sample texts, repeated (name a file to measure your own): ');
  for (const operation of ['encode', 'count', 'decode']) {
    expect(stdout).toMatch(new RegExp(`^${operation} +[\\d.]+ MB/s +[\\d.]+ MB/s +[\\d.]+ M tokens/s$`, 'm'));
  }
});

it('fails for a missing or empty text', () => {
  expect(bench('missing.txt')).toMatchObject({ status: 1, stdout: '', stderr: 'crayon: missing.txt: no such file\n' });
  expect(bench('.')).toMatchObject({ status: 1, stdout: '', stderr: 'crayon: .: is a directory\n' });
  const stderr = 'crayon: empty.txt: is empty, so there is nothing to measure\n';
  expect(bench('empty.txt')).toMatchObject({ status: 1, stdout: '', stderr });
});

it.each([['0'], ['-1'], ['x'], [''], ['1e9']])('%j seconds is wrong usage', (seconds) => {
  expect(run(['bench', '--seconds', seconds], folder)).toMatchObject({ status: 2, stdout: '' });
});

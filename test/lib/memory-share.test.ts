// The caches of all threads of all tokenizers together keep within a sixteenth of the memory that the process may use.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MB = 1024 * 1024;
/** What one tokenizer has by default, a little more than its table. */
const KEPT = 16 * MB;
const entry = fileURLToPath(new URL('../../dist/node/index.js', import.meta.url));

/** Two files of words that are all met twice, each of more than 32 MB: from there on a job may grow its caches. */
const files: string[] = [];
let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'crayon-test-'));
  for (const letter of ['x', 'y']) {
    const words: string[] = [];
    for (let i = 0; i < 2_100_000; i++) words.push(letter + ((i * 7919) % 2_100_000).toString(36));
    const text = words.join(' ');
    const file = path.join(folder, `${letter}.txt`);
    fs.writeFileSync(file, `${text} ${text} ${text}`);
    expect(fs.statSync(file).size).toBeGreaterThan(32 * MB);
    files.push(file);
  }
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** The bytes of the caches of two tokenizers, each after its file, in a process that may use so much memory. */
function cachesWithin(memory: number): number[] {
  const script = `
    process.constrainedMemory = () => ${memory};
    const { Tokenizer } = await import(${JSON.stringify(entry)});
    const caches = [];
    const tokenizers = [];
    for (const file of ${JSON.stringify(files)}) {
      const tokenizer = Tokenizer.loadSync('gpt2');
      tokenizers.push(tokenizer);
      for await (const _ of tokenizer.encodeFile(file));
      caches.push(tokenizer.memory.caches);
    }
    console.log(JSON.stringify(caches));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    env: { ...process.env, CRAYON_THREADS: '1' },
  });
  return JSON.parse(output);
}

describe.skipIf(process.env.CRAYON_TEST_ENTRY !== undefined)('caches of large files', () => {
  it('grow where there is memory', () => {
    const [first, second] = cachesWithin(12 * 1024 * MB);
    expect(first).toBeGreaterThan(KEPT);
    expect(second).toBeGreaterThan(KEPT);
  });

  it('are within a sixteenth of what the process may use, of two tokenizers together', () => {
    const [first, second] = cachesWithin(1024 * MB);
    expect(first).toBeGreaterThan(KEPT);
    expect(first).toBeLessThanOrEqual(64 * MB);
    // Nothing is left for the other one but what each has.
    expect(second).toBeLessThanOrEqual(KEPT);
  });

  it('do not grow where a sixteenth is less than they have', () => {
    for (const bytes of cachesWithin(256 * MB)) expect(bytes).toBeLessThanOrEqual(KEPT);
  });
});

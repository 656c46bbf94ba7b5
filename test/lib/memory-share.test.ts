// The caches of all threads of all tokenizers together stay within a sixteenth of the memory available to the process.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MB = 1024 * 1024;
/** The default of one tokenizer, slightly more than its table. */
const KEPT = 16 * MB;
const entry = fileURLToPath(new URL('../../dist/node/index.js', import.meta.url));

/** Two files in which every word occurs twice, each over 32 MB: from that size on, a job may grow its caches. */
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

/** The cache bytes of two tokenizers, each after its file, in a process with this much memory. */
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
  it('grow if there is memory', () => {
    const [first, second] = cachesWithin(12 * 1024 * MB);
    expect(first).toBeGreaterThan(KEPT);
    expect(second).toBeGreaterThan(KEPT);
  });

  it("of two tokenizers together stay within a sixteenth of the process's memory", () => {
    const [first, second] = cachesWithin(1024 * MB);
    expect(first).toBeGreaterThan(KEPT);
    expect(first).toBeLessThanOrEqual(64 * MB);
    // The other tokenizer gets only its default.
    expect(second).toBeLessThanOrEqual(KEPT);
  });

  it('do not grow if they already exceed a sixteenth', () => {
    for (const bytes of cachesWithin(256 * MB)) expect(bytes).toBeLessThanOrEqual(KEPT);
  });
});

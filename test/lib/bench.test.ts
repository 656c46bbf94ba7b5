// The benchmarks find this package in its checkout. A contender that fails to load drops out of a run with a message that
// is easily missed.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const harness = fileURLToPath(new URL('../../bench/node/contenders/contenders.mjs', import.meta.url));

it.each(['crayon', 'crayon-wasm', 'tiktoken-drop-in', 'gpt-tokenizer-drop-in'])('the contender %s encodes', (name) => {
  const program = `
    const { contenderNamed } = await import(${JSON.stringify(harness)});
    const contender = await contenderNamed(${JSON.stringify(name)});
    await contender.prepare();
    const { encode, decode } = await contender.load('o200k_base');
    const ids = encode('hello world');
    console.log(JSON.stringify([[...ids], decode(ids)]));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect(JSON.parse(output)).toEqual([[24912, 2375], 'hello world']);
});

// A contender that runs another text, or loses ids, would win the race.
describe('a contender of the race in Node', () => {
  const program = fileURLToPath(new URL('../../bench/race/node-contender.mjs', import.meta.url));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'crayon-test-'));
  const [text, warmUp] = [path.join(folder, 'text'), path.join(folder, 'warm-up')];
  fs.writeFileSync(text, 'hello world');
  fs.writeFileSync(warmUp, 'other words');
  afterAll(() => fs.rmSync(folder, { recursive: true }));
  const run = (name: string) =>
    JSON.parse(execFileSync(process.execPath, [program, name, 'o200k_base', text, warmUp, '2', '0'], { encoding: 'utf8' }));
  const sha256 = createHash('sha256')
    .update(new Uint8Array(Uint32Array.of(24912, 2375).buffer))
    .digest('hex');

  it.each(['encode', 'encodeBatch', 'encodeFile', 'two threads'])('%s: times each pass, and hashes the ids', (name) => {
    const time = { wall: expect.any(Number), cpu: expect.any(Number) };
    expect(run(name)).toEqual({ passes: [time, time], sha256 });
  });
  it('count: reports the number of ids', () => {
    expect(run('count')).toMatchObject({ count: 2 });
  });
});

// The benchmarks find this package in its checkout: a contender that does not load is left out of a run with a message
// that is easily missed.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

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

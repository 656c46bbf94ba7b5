// Short texts of every kind over the edges of 64-byte blocks have the ids of the reference, on every kernel.

import { describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

import { contenderOf } from '../fuzz/contenders.mjs';
import { firstDifference, report } from '../fuzz/differential.mjs';
import { SHIFTS, SWEEPS, sweepDigest, textsOfSweep } from '../golden/block-edges.mjs';
import { readGolden } from '../golden/goldens.mjs';
import { DISTINCT_ENCODINGS, loadTiktoken } from '../golden/tiktoken.mjs';
import { SHARE } from '../share.js';

const golden = readGolden('block-edges') as Record<string, Record<string, string>>;

/** In a sample, an encoding takes every third text, starting at a different offset than the previous one. */
function sampled<T>(all: readonly T[], beginning: number): T[] {
  return SHARE === 1 ? [...all] : all.filter((_, index) => (index + beginning) % 3 === 0);
}

/** Fails, naming the text, if the ids of a sweep are not the golden ones. */
async function expectSweep(tokenizer: Tokenizer, encoding: string, sweep: string, shift: number) {
  const expected = golden[encoding][sweep].split(' ')[SHIFTS.indexOf(shift)];
  if (sweepDigest((text: string) => tokenizer.encode(text), sweep, shift) === expected) return;
  // Only now the slow reference, to locate the difference.
  const [contender, reference] = [contenderOf(tokenizer), await loadTiktoken(encoding)];
  for (const text of textsOfSweep(sweep, shift)) {
    if (firstDifference(tokenizer.encode(text), reference.encode(text)) < 0) continue;
    expect.fail(report({ encoding, text, contender, reference, origin: `block edges: ${sweep}, ${shift} bytes before the edge` }));
  }
  expect.fail(`${encoding}, ${sweep}, shift ${shift}: not the golden digest, but no difference from the live reference`);
}

describe.each(DISTINCT_ENCODINGS)('%s', { timeout: 300_000 }, (encoding) => {
  it.each(Object.keys(SWEEPS))('%s', async (sweep) => {
    using tokenizer = await Tokenizer.load(encoding);
    const beginning = DISTINCT_ENCODINGS.indexOf(encoding) + Object.keys(SWEEPS).indexOf(sweep);
    for (const shift of sampled(SHIFTS, beginning)) await expectSweep(tokenizer, encoding, sweep, shift);
  });
});

describe('the kernels that are not chosen by default', { timeout: 300_000 }, () => {
  const KERNELS = ['scalar', 'ssse3', 'avx2', 'avx512', 'neon', 'simd128'];
  const CASES: [sweep: string, shift: number][] = [
    ['whiteSpace', 3],
    ['contractions', 2],
    ['lineEnds', 4],
  ];
  it.for(KERNELS)('%s', async (kernel, { skip }) => {
    for (const [index, encoding] of DISTINCT_ENCODINGS.entries()) {
      let tokenizer: Tokenizer;
      try {
        tokenizer = await Tokenizer.load(encoding, { kernel });
      } catch (error) {
        if ((error as { code?: string }).code === 'UNKNOWN_KERNEL') skip('this machine has no such kernel');
        throw error;
      }
      for (const [sweep, shift] of sampled(CASES, index + KERNELS.indexOf(kernel))) await expectSweep(tokenizer, encoding, sweep, shift);
      tokenizer.close();
    }
  });
});

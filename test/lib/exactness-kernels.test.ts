// Every kernel of this machine gives the reference's ids: the engine chooses the widest itself, so the others would never
// run here otherwise.

import { beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

import { contenderOf } from '../fuzz/contenders.mjs';
import { differenceOn, report } from '../fuzz/differential.mjs';
import { nastyString, runs, textsOf } from '../fuzz/strings.mjs';
import { BLOCKS, charactersOf } from '../golden/code-points.mjs';
import { DISTINCT_ENCODINGS, loadTiktoken, type Reference } from '../golden/tiktoken.mjs';
import { sample, SHARE } from '../share.js';

const KERNELS = ['scalar', 'ssse3', 'avx2', 'avx512', 'neon', 'simd128'];
const SEED = 2;
const STRINGS = sample(1000);
/** A sample takes all blocks up to U+1FFFF, which contain the scripts and emoji, and every eighth of the others. */
const SAMPLED = BLOCKS.filter((block, index) => SHARE === 1 || block < 0x20000 || index % 8 === 0);

async function isHere(kernel: string): Promise<boolean> {
  try {
    const tokenizer = await Tokenizer.load('r50k_base', { kernel });
    tokenizer.close();
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'UNKNOWN_KERNEL') return false;
    throw error;
  }
}

const here = await Promise.all(KERNELS.map(isHere));
const missing = KERNELS.filter((_, index) => !here[index]);
if (missing.length > 0) console.log(`SKIPPED: ${missing.length} of ${KERNELS.length} kernels, this machine has no ${missing.join(', ')}`);

it('there is one at least, and an unknown one is an error', async () => {
  expect(here).toContain(true);
  expect(await isHere('no such kernel')).toBe(false);
});

describe.each(DISTINCT_ENCODINGS)('%s', { timeout: 300_000 }, (name) => {
  let texts: string[];
  let reference: Reference;
  // The reference runs once for all kernels.
  const expected = new Map<string, Uint32Array>();
  const remembered = {
    encode(text: string) {
      let ids = expected.get(text);
      if (ids === undefined) expected.set(text, (ids = reference.encode(text)));
      return ids;
    },
  };

  beforeAll(async () => {
    reference = await loadTiktoken(name);
    const tokens = textsOf(reference.vocabulary());
    texts = [
      ...Array.from({ length: STRINGS }, (_, index) => nastyString(SEED, index, tokens)),
      ...runs(),
      // Whole blocks are in exactness-code-points.test.ts, since the reference takes seconds for them.
      ...SAMPLED.map((block) => charactersOf(block).slice(0, sample(100_000, 4000)).join('')),
      ...SAMPLED.map((block) => charactersOf(block).slice(0, 2000).join(' a')),
      Array.from({ length: 800 }, (_, index) => nastyString(SEED + 1, index)).join(''),
    ];
  });

  it.for(KERNELS)('%s', async (kernel, { skip }) => {
    if (missing.includes(kernel)) skip('this machine has no such kernel');
    using tokenizer = await Tokenizer.load(name, { kernel });
    expect(tokenizer.backend.kernel).toBe(kernel);
    const contender = contenderOf(tokenizer);
    // In a sample, three kernels share the texts: other tests run all of them on the default kernel.
    const own = texts.filter((_, index) => SHARE === 1 || (index + KERNELS.indexOf(kernel)) % 3 === 0);
    for (const text of own) {
      if (differenceOn(text, contender, remembered) === null) continue;
      expect.fail(report({ encoding: `${name}, ${kernel}`, text, contender, reference, origin: `CRAYON_FORCE_KERNEL=${kernel}` }));
    }
  });
});

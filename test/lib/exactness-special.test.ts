// Special tokens: ordinary text by default, recognised with 'allow', as in the reference.

import { describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

import { firstDifference, minimise, escaped } from '../fuzz/differential.mjs';
import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { loadTiktoken } from '../golden/tiktoken.mjs';
import { SAMPLED_ENCODINGS } from './encodings.js';
import { sample } from '../share.js';

const SEED = 20240501;
const STRINGS = sample(1000, 150);

describe.each(SAMPLED_ENCODINGS)('special tokens of %s', (name) => {
  it("equal the reference's, each with its id and bytes", async () => {
    const reference = await loadTiktoken(name);
    using tokenizer = await Tokenizer.load(name);
    const expected = Object.entries(reference.specialTokens);
    expect(Object.fromEntries(tokenizer.specialTokens)).toEqual(reference.specialTokens);
    // Two names may share an id (200018 of o200k_harmony): both are recognised, and the id decodes to the name that
    // gpt-tokenizer, the source of the table, returns.
    const textOf = new Map(expected.map(([text, id]) => [id, text]));
    for (const [text, id] of expected) {
      expect([...tokenizer.encode(text, { special: 'allow' })], text).toEqual([id]);
      expect([...tokenizer.encode(text)], text).toEqual([...reference.encode(text)]);
      expect(tokenizer.idOf(text), text).toBe(id);
      expect(tokenizer.decode([id]), text).toBe(textOf.get(id));
      expect(Buffer.from(tokenizer.tokenBytes(id)).toString(), text).toBe(textOf.get(id));
    }
  });

  it('among other text have the ids of the reference', async () => {
    const reference = await loadTiktoken(name);
    using tokenizer = await Tokenizer.load(name);
    const names = Object.keys(reference.specialTokens);
    const differs = (text: string, special: 'allow' | 'text') =>
      firstDifference(
        tokenizer.encode(text, { special }),
        special === 'allow' ? reference.encodeAllowingSpecial(text) : reference.encode(text),
      ) >= 0 ||
      tokenizer.count(text, { special }) !== tokenizer.encode(text, { special }).length ||
      firstDifference(tokenizer.encode(new TextEncoder().encode(text), { special }), tokenizer.encode(text, { special })) >= 0;
    let recognised = 0;
    for (let index = 0; index < STRINGS; index++) {
      const random = new Random(SEED, index);
      let text = '';
      for (let part = random.integer(1, 5); part > 0; part--) {
        text += nastyString(SEED, index * 8 + part).slice(0, 60);
        // Mostly complete tokens; sometimes without the first or the last character.
        const special = random.pick(names);
        text += random.chance(0.8) ? special : special.slice(random.integer(0, 1), random.integer(-1, 0) || undefined);
      }
      if (reference.encodeAllowingSpecial(text).length !== reference.encode(text).length) recognised++;
      for (const special of ['allow', 'text'] as const) {
        if (!differs(text, special)) continue;
        const small = minimise(text, (candidate) => differs(candidate, special));
        expect.fail(
          `${name}, special: '${special}': ${escaped(small)}\n  expected ${special === 'allow' ? reference.encodeAllowingSpecial(small) : reference.encode(small)}\n` +
            `  actual   ${tokenizer.encode(small, { special })}\n  seed ${SEED}, index ${index}`,
        );
      }
    }
    expect(recognised).toBeGreaterThan(0.9 * STRINGS);
  });
});

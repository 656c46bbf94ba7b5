// Counts that are remembered: the same numbers as the tokenizer's own, whatever has been counted before, in bounded memory.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { Tokenizer } from 'crayon-tokenizer';
import { countPrompt, tokenBudget } from 'crayon-tokenizer/ai-sdk';
import { countTokensWith } from 'crayon-tokenizer/langchain';

import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { sample } from '../share.js';
import { thrown } from './thrown.js';

const SEED = Number(process.env.CRAYON_FUZZ_SEED ?? 1);

let tokenizer: Tokenizer;
beforeAll(async () => {
  tokenizer = await Tokenizer.load('o200k_base');
});
afterAll(() => tokenizer.close());

const promptOf = (...texts: string[]) => ({ prompt: texts.map((text) => ({ role: 'user', content: text })) });
const counted = (own: Pick<Tokenizer, 'count'>, ...texts: string[]) => countPrompt(own, promptOf(...texts), { perMessage: 0 }).tokens;

describe('counts that are remembered', () => {
  it('are those of the tokenizer for prompts that grow and change', () => {
    for (let trace = 0; trace < sample(100, 5); trace++) {
      const random = new Random(SEED, trace);
      const texts = [nastyString(SEED, random.integer(0, 2 ** 30))];
      for (let step = 0; step < 40; step++) {
        const text = random.pick(texts);
        const at = random.integer(0, text.length);
        // Texts of the same length that differ in few units, among others.
        texts.push(
          random.chance(0.5)
            ? nastyString(SEED, random.integer(0, 2 ** 30))
            : `${text.slice(0, at)}${random.pick(['x', ' ', 'é', '中'])}${text.slice(at + 1)}`,
        );
        const naive = texts.reduce((sum, each) => sum + tokenizer.count(each), 0);
        expect(counted(tokenizer, ...texts), `seed ${SEED}, trace ${trace}, step ${step}`).toBe(naive);
      }
    }
  });

  it('tell texts apart that are found in the same place', () => {
    const base = 'a b c d e f g h '.repeat(64);
    for (let at = 0; at < base.length; at++) {
      const other = `${base.slice(0, at)}!${base.slice(at + 1)}`;
      expect(counted(tokenizer, base, other, base)).toBe(2 * tokenizer.count(base) + tokenizer.count(other));
    }
  });

  it('are counted once', () => {
    let asked = 0;
    const own = Object.assign(Object.create(null), {
      specialTokens: new Map(),
      count: (text: string) => {
        asked++;
        return text.length;
      },
    }) as Pick<Tokenizer, 'count'>;
    const texts = Array.from({ length: 100 }, (_, at) => `message ${at} `.repeat(at));
    const { transformParams } = tokenBudget({ tokenizer: own, maxTokens: 1e9 });
    for (let step = 1; step <= texts.length; step++) void transformParams({ params: promptOf(...texts.slice(0, step)) });
    expect(asked).toBe(100);
    const model = countTokensWith(own, new FakeListChatModel({ responses: [] }));
    void model.getNumTokens(texts[50]!);
    expect(asked).toBe(100);
  });

  it('are asked for each time of a counter that is no tokenizer', () => {
    let factor = 1;
    const own = { count: (text: string) => factor * text.length };
    expect(counted(own, 'hello')).toBe(5);
    factor = 2;
    expect(counted(own, 'hello')).toBe(10);
  });

  it('begin anew after swap, and end with the tokenizer', async () => {
    const own = await Tokenizer.load('gpt2');
    const text = 'antidisestablishmentarianism 東京';
    expect(counted(own, text)).toBe(own.count(text));
    await own.swap('o200k_base');
    expect(counted(own, text)).toBe(tokenizer.count(text));
    own.close();
    expect(thrown(() => counted(own, text))).toMatchObject({ code: 'CLOSED' });
  });

  it('take bounded memory, and keep no text alive that they were cut from', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let at = 0; at < 40; at++) counted(tokenizer, `${at} ${'some text, '.repeat(100_000)}`.slice(0, 1000 * (at + 1)));
    collect();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(4e6);
    for (let at = 0; at < 60; at++) counted(tokenizer, `${at} ${'some text, '.repeat(50_000)}`);
    collect();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(20e6);
  });
});

// The adaptive vocabulary in browsers: compiled in a worker, or in the page if no worker starts.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { compileCartridge, Tokenizer, trainBpe } from 'crayon-tokenizer';

import { adaptNaively, type NaiveVocabulary } from '../lib/naive-adaptation.js';

const LATIN = 'low lower lowest newer wider';
const CYRILLIC = 'ниже нижний дома дом у дома';
/** As Latin-1 strings. */
const bytes = (text: Uint8Array) => Array.from(text, (byte) => String.fromCharCode(byte)).join('');
const utf8 = (text: string) => bytes(new TextEncoder().encode(text));

type Worker = new (script: URL, options: object) => object;
const { Worker: Genuine } = globalThis as unknown as { Worker: Worker };

afterEach(() => vi.unstubAllGlobals());

describe('adapt', () => {
  it.each([
    ['in a worker', Genuine],
    ['where there are no workers', undefined],
  ])('adds the merges of the definition, %s', async (_, stub) => {
    const trained = await trainBpe(LATIN, { vocabularySize: 265, pretokenizer: 'gpt2', tieBreak: 'crayon' });
    using tokenizer = await Tokenizer.load(await trained.toCartridge());
    expect(tokenizer.observe(CYRILLIC)).toBeGreaterThan(0.15);
    const started: URL[] = [];
    vi.stubGlobal(
      'Worker',
      stub &&
        class extends stub {
          constructor(script: URL, options: object) {
            super(script, options);
            started.push(script);
          }
        },
    );
    const adaptation = await tokenizer.adapt({ add: 12 });
    expect(started.map(String)).toEqual(stub ? [expect.stringContaining('web-compile-worker')] : []);
    const naive: NaiveVocabulary = { model: 'bpe', tokens: trained.tokens.map(bytes) };
    const pieces = CYRILLIC.match(/ ?\S+/g)!.map(utf8);
    expect(adaptation.added.map(({ bytes: token, count }) => [bytes(token), count])).toEqual(adaptNaively(naive, pieces, { add: 12 }));
    const before = tokenizer.encode(CYRILLIC).slice();
    const running = tokenizer.encodeAsync(CYRILLIC.repeat(1000));
    await adaptation.commit();
    expect(tokenizer.count(CYRILLIC)).toBe(before.length - adaptation.saved);
    expect((await running).length).toBeGreaterThan(tokenizer.count(CYRILLIC.repeat(1000)));
    await adaptation.rollback();
    expect(tokenizer.encode(CYRILLIC)).toEqual(before);
    expect(await tokenizer.countAsync(CYRILLIC.repeat(1000))).toBe((await running).length);
  });

  it('with longest match', async () => {
    using tokenizer = await Tokenizer.load(await compileCartridge(['?', 'a', 'b'], { unknownId: 0 }));
    tokenizer.observe('abab ё ё');
    const adaptation = await tokenizer.adapt();
    const expected = adaptNaively({ model: 'longest-match', tokens: ['?', 'a', 'b'] }, [utf8('abab ё ё')]);
    expect(adaptation.added.map(({ bytes: token, count }) => [bytes(token), count])).toEqual(expected);
    await adaptation.commit();
    expect(tokenizer.decode(tokenizer.encode('abab ё ё'))).toBe('abab ё ё');
  });
});

// tokens(): every token of a vocabulary, compared with npm tiktoken and the other calls.

import { describe, expect, inject, it } from 'vitest';
import { compileCartridge, Tokenizer } from 'crayon-tokenizer';

import { ENCODINGS, loadTiktoken } from '../golden/tiktoken.mjs';
import { thrown } from './thrown.js';

describe('tokens', () => {
  it.each(ENCODINGS)("equal the reference's, in order of their ids: %s", async (name) => {
    using tokenizer = await Tokenizer.load(name);
    const reference = await loadTiktoken(name);
    const expected = reference.vocabulary();
    // If two names share an id, the first is the token's.
    const special = new Map([...tokenizer.specialTokens].reverse().map(([text, id]) => [id, text]));
    let before = -1;
    let ordinary = 0;
    const different: number[] = [];
    for (const { id, bytes, special: isSpecial } of tokenizer.tokens()) {
      if (id <= before) different.push(id);
      before = id;
      if (isSpecial !== special.has(id)) different.push(id);
      if (!isSpecial) ordinary++;
      const own = isSpecial ? Buffer.from(special.get(id) as string) : expected[id];
      if (own === undefined || Buffer.compare(bytes, own) !== 0) different.push(id);
    }
    expect(different).toEqual([]);
    expect(ordinary).toBe(Object.keys(expected).filter((id) => !special.has(Number(id))).length);
    expect(before).toBe(tokenizer.vocabularySize - 1);
  });

  it('skip ids without a token', async () => {
    const list = ['a', 'b', 'ab'];
    using tokenizer = await Tokenizer.load(await compileCartridge(list, { specialTokens: { '<end>': 9 } }));
    const found = Array.from(tokenizer.tokens(), ({ id, bytes, special }) => [id, Buffer.from(bytes).toString(), special]);
    expect(found).toEqual([
      [0, 'a', false],
      [1, 'b', false],
      [2, 'ab', false],
      [9, '<end>', true],
    ]);
  });

  it('can be read one by one, and stay valid', () => {
    using tokenizer = Tokenizer.loadSync('gpt2', { backend: inject('backend') });
    const [first, second] = tokenizer.tokens();
    expect(first).toEqual({ id: 0, bytes: Uint8Array.of(0x21), special: false });
    first?.bytes.fill(0);
    expect(tokenizer.tokenBytes(0)).toEqual(Uint8Array.of(0x21));
    expect(second?.id).toBe(1);
  });

  it('come from the vocabulary at the first step', async () => {
    using tokenizer = await Tokenizer.load('gpt2');
    const tokens = tokenizer.tokens();
    tokens.next();
    await tokenizer.swap('o200k_base');
    let last = 0;
    for (const { id } of tokens) last = id;
    expect(last).toBe(50256);
    expect([...tokenizer.tokens()].length).toBe(200_000);
  });

  it('of a closed tokenizer are an error', () => {
    const tokenizer = Tokenizer.loadSync('gpt2');
    const tokens = tokenizer.tokens();
    tokens.next();
    tokenizer.close();
    expect(thrown(() => tokens.next())).toMatchObject({ code: 'CLOSED' });
    expect(thrown(() => tokenizer.tokens())).toMatchObject({ code: 'CLOSED' });
  });
});

// The policy for special tokens in a text: text by default, which is safe for user input.

import { get_encoding } from 'tiktoken';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer, trainBpe } from 'crayon-tokenizer';
import { thrown } from './thrown.js';

const bytes = (text: string) => new TextEncoder().encode(text);

const TEXT = 'é<|endoftext|>x<|endofprompt|>';

describe('special tokens', () => {
  let tokenizer: Tokenizer;
  let asText: number[];
  let allowed: number[];
  let oneAllowed: number[];
  beforeAll(async () => {
    tokenizer = await Tokenizer.load('o200k_base');
    const reference = get_encoding('o200k_base');
    asText = [...reference.encode(TEXT, [], [])];
    allowed = [...reference.encode(TEXT, 'all')];
    oneAllowed = [...reference.encode(TEXT, ['<|endofprompt|>'], [])];
    reference.free();
  });
  afterAll(() => tokenizer.close());

  it('are text by default', () => {
    expect([...tokenizer.encode(TEXT)]).toEqual(asText);
    expect([...tokenizer.encode(TEXT, {})]).toEqual(asText);
    expect([...tokenizer.encode(TEXT, { special: 'text' })]).toEqual(asText);
    expect([...tokenizer.encode(bytes(TEXT))]).toEqual(asText);
    expect(tokenizer.count(TEXT)).toBe(asText.length);
    expect([...tokenizer.encodeBatch([TEXT]).ids]).toEqual(asText);
    expect(asText).not.toContain(199999);
  });

  it('are tokens if all are allowed', () => {
    expect([...tokenizer.encode(TEXT, { special: 'allow' })]).toEqual(allowed);
    expect([...tokenizer.encode(bytes(TEXT), { special: 'allow' })]).toEqual(allowed);
    expect(tokenizer.count(TEXT, { special: 'allow' })).toBe(allowed.length);
    expect(tokenizer.count(bytes(TEXT), { special: 'allow' })).toBe(allowed.length);
    expect([...tokenizer.encodeBatch([TEXT, TEXT], { special: 'allow' }).row(1)]).toEqual(allowed);
    expect(allowed).toContain(199999);
  });

  it('are tokens if listed, and text otherwise', () => {
    const special = ['<|endofprompt|>'];
    expect([...tokenizer.encode(TEXT, { special })]).toEqual(oneAllowed);
    expect([...tokenizer.encode(bytes(TEXT), { special })]).toEqual(oneAllowed);
    expect(tokenizer.count(TEXT, { special })).toBe(oneAllowed.length);
    expect(tokenizer.count(bytes(TEXT), { special })).toBe(oneAllowed.length);
    expect([...tokenizer.encodeBatch([TEXT], { special }).ids]).toEqual(oneAllowed);
    expect([...tokenizer.encode(TEXT, { special: [] })]).toEqual(asText);
    expect([...tokenizer.encode(TEXT, { special: ['<|endoftext|>', '<|endofprompt|>'] })]).toEqual(allowed);
  });

  it('must exist to be listed', () => {
    const error = thrown(() => tokenizer.encode(TEXT, { special: ['<|endoftext|>', '<|im_start|>'] }));
    expect(error).toMatchObject({ code: 'UNKNOWN_SPECIAL', position: 1 });
    expect(error.message).toBe(
      '"<|im_start|>" is not a special token of this tokenizer (it has <|endoftext|>, <|endofprompt|>); it is special[1]',
    );
  });

  describe('that are forbidden', () => {
    const forbid = { special: 'forbid' } as const;

    it('do not matter if the text has none', () => {
      expect([...tokenizer.encode('hello world', forbid)]).toEqual([24912, 2375]);
      expect(tokenizer.count(bytes('hello world'), forbid)).toBe(2);
    });

    it('cause an error with the position in UTF-16 units of a string', () => {
      const error = thrown(() => tokenizer.encode(`😀é<|endofprompt|>`, forbid));
      expect(error).toMatchObject({ code: 'SPECIAL_FORBIDDEN', position: 3 });
      expect(error.message).toBe(
        'the text holds the special token "<|endofprompt|>" at position 3, and special tokens are forbidden here ' + "(special: 'forbid')",
      );
      expect(thrown(() => tokenizer.count('\ud800<|endoftext|>', forbid)).position).toBe(1);
    });

    it('cause an error with the position in the bytes', () => {
      expect(thrown(() => tokenizer.encode(bytes('😀é<|endoftext|>'), forbid))).toMatchObject({
        code: 'SPECIAL_FORBIDDEN',
        position: 6,
      });
    });

    it('are found in later windows, and across the seam', () => {
      for (const before of [65_530, 65_536, 131_060, 200_000]) {
        const text = `${'é '.repeat(before / 2)}<|endoftext|>`;
        expect(thrown(() => tokenizer.encode(text, forbid)).position, `${before}`).toBe(before);
        expect(thrown(() => tokenizer.count(text, forbid)).position, `${before}`).toBe(before);
        expect(thrown(() => tokenizer.encode(bytes(text), forbid)).position, `${before}`).toBe((before / 2) * 3);
      }
    });

    it('name the row of a batch', () => {
      const error = thrown(() => tokenizer.encodeBatch(['a', 'é<|endoftext|>'], forbid));
      expect(error).toMatchObject({ code: 'SPECIAL_FORBIDDEN', position: 1, row: 1 });
      expect(error.message).toContain('texts[1] holds the special token "<|endoftext|>" at position 1');
      const rows = { bytes: bytes('aé<|endoftext|>'), offsets: Uint32Array.of(0, 1, 16) };
      expect(thrown(() => tokenizer.encodeBatch(rows, forbid))).toMatchObject({ position: 2, row: 1 });
    });

    it('leave the tokenizer unchanged', () => {
      thrown(() => tokenizer.encode('left over <|endoftext|>', forbid));
      expect([...tokenizer.encode('hello world')]).toEqual([24912, 2375]);
      thrown(() => tokenizer.encodeBatch(['left over', '<|endoftext|>'], forbid));
      expect([...tokenizer.encodeBatch(['hello world']).ids]).toEqual([24912, 2375]);
    });
  });

  it('of o200k_harmony match its table', async () => {
    using harmony = await Tokenizer.load('o200k_harmony');
    expect([...harmony.encode('<|start|>hello world<|end|>', { special: 'allow' })]).toEqual([200006, 24912, 2375, 200007]);
  });
});

describe('ordinary text', () => {
  it.each(['cl100k_base', 'o200k_base', 'o200k_harmony', 'gpt2', 'r50k_base', 'p50k_base', 'p50k_edit'])(
    'of special tokens never becomes their ids in %s',
    async (name) => {
      using tokenizer = await Tokenizer.load(name);
      expect(tokenizer.specialTokens.size).toBeGreaterThan(0);
      for (const [token, id] of tokenizer.specialTokens) expect([...tokenizer.encode(token)], token).not.toContain(id);
    },
  );

  // As in PyPI tokenizers 0.23.3 with `encode_special_tokens`, which gives [4, 1, 0] for both texts, and [2, 1, 0].
  it('is what the model makes of it, also the id of a special token that is an ordinary one, too', async () => {
    const special = (id: number, content: string) => {
      return { id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
    };
    const load = (json: object) => {
      const rest = { version: '1.0', truncation: null, padding: null, post_processor: null, decoder: null };
      const added_tokens = [special(0, '<unk>'), special(1, '</s>')];
      return Tokenizer.load(bytes(JSON.stringify({ normalizer: null, pre_tokenizer: null, ...rest, added_tokens, ...json })));
    };
    const vocab = [...['<unk>', '</s>'].map((token) => [token, 0]), ...['<', '/', 's', '>'].map((token) => [token, -1])];
    using unigram = await load({ normalizer: { type: 'NFKC' }, model: { type: 'Unigram', unk_id: 0, vocab } });
    for (const text of ['s</s>x', 's＜/s＞x']) expect([...unigram.encode(text)]).toEqual([4, 1, 0]);
    expect(thrown(() => unigram.encode('s</s>x', { special: 'forbid' }))).toMatchObject({ code: 'SPECIAL_FORBIDDEN', position: 1 });
    expect([...unigram.encode('s＜/s＞x', { special: 'forbid' })]).toEqual([4, 1, 0]);
    const words = { type: 'WordLevel', unk_token: '<unk>', vocab: { '<unk>': 0, '</s>': 1, s: 2 } };
    using wordLevel = await load({ pre_tokenizer: { type: 'WhitespaceSplit' }, model: words });
    expect([...wordLevel.encode('s </s> x')]).toEqual([2, 1, 0]);
    const trained = await trainBpe('low lower lowest', { vocabularySize: 260, specialTokens: ['low'] });
    using merging = await Tokenizer.load(bytes(JSON.stringify(trained.toTokenizerJson())));
    expect([...merging.encode('low')]).toEqual([0]);
    expect(thrown(() => merging.encode('low', { special: 'forbid' }))).toMatchObject({ code: 'SPECIAL_FORBIDDEN' });
  });
});

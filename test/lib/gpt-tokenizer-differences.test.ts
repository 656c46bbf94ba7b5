// Where the drop-in deliberately differs from npm gpt-tokenizer: each difference that its header lists, checked against
// tiktoken or literals, and that the original indeed differs. If a test fails because the original changed, drop that
// difference.

import * as theirCl100k from 'gpt-tokenizer/encoding/cl100k_base';
import * as theirO200k from 'gpt-tokenizer/encoding/o200k_base';
import { get_encoding } from 'tiktoken';
import { afterAll, describe, expect, it } from 'vitest';
import { TokenizerError } from 'crayon-tokenizer';
import * as cl100k from 'crayon-tokenizer/gpt-tokenizer/encoding/cl100k_base';
import * as o200k from 'crayon-tokenizer/gpt-tokenizer/encoding/o200k_base';
import { GptEncoding } from 'crayon-tokenizer/gpt-tokenizer/GptEncoding';

const tiktoken = { cl100k_base: get_encoding('cl100k_base'), o200k_base: get_encoding('o200k_base') };
afterAll(() => Object.values(tiktoken).forEach((encoding) => encoding.free()));

const NO_RULE = { disallowedSpecial: new Set<string>() };
const listOf = (ids: Iterable<number>) => [...ids];

describe("ids equal tiktoken's", () => {
  it.each(['\ufeffhello', 'hello\ufeffworld', 'a\ufeff\nb'])('%j', (text) => {
    const expected = listOf(tiktoken.o200k_base.encode_ordinary(text));
    expect(o200k.encode(text)).toEqual(expected);
    expect(o200k.countTokens(text)).toBe(expected.length);
    expect([...o200k.encodeGenerator(text)].flat()).toEqual(expected);
    expect(theirO200k.encode(text)).not.toEqual(expected);
  });

  it('a run of 20,000 letters', () => {
    const text = 'a'.repeat(20_000);
    expect(o200k.encode(text)).toEqual(listOf(tiktoken.o200k_base.encode_ordinary(text)));
  });
});

describe('special tokens', () => {
  const texts = [
    'hello <|endoftext|> world',
    '<|endoftext|><|endoftext|>',
    '<|endoftext|>a<|endofprompt|>b<|endoftext|>',
    '<|<|endoftext|>|>',
    'a<|endoftext|',
    `${'<|'.repeat(1000)}endoftext|>`,
  ];

  it.each(texts)('are found anywhere: %j', (text) => {
    for (const name of ['cl100k_base', 'o200k_base'] as const) {
      const ours = { cl100k_base: cl100k, o200k_base: o200k }[name];
      const expected = listOf(tiktoken[name].encode(text, 'all'));
      expect(ours.encode(text, { allowedSpecial: 'all' })).toEqual(expected);
      expect(ours.countTokens(text, { allowedSpecial: 'all' })).toBe(expected.length);
      expect(ours.isWithinTokenLimit(text, expected.length, { allowedSpecial: 'all' })).toBe(expected.length);
      expect(ours.isWithinTokenLimit(text, expected.length - 1, { allowedSpecial: 'all' })).toBe(false);
      expect([...ours.encodeGenerator(text, { allowedSpecial: 'all' })].flat()).toEqual(expected);
      expect(ours.decode(expected)).toBe(text);
      expect(ours.encode(text, NO_RULE)).toEqual(listOf(tiktoken[name].encode_ordinary(text)));
    }
  });

  it('are found only at the beginning by the original', () => {
    expect(theirCl100k.encode('hello <|endoftext|>', { allowedSpecial: 'all' })).not.toContain(100257);
    expect(cl100k.encode('hello <|endoftext|>', { allowedSpecial: 'all' })).toEqual([15339, 220, 100257]);
  });

  it('are text if neither allowed nor disallowed', () => {
    const rule = { allowedSpecial: new Set(['<|endoftext|>']), disallowedSpecial: new Set(['<|fim_prefix|>']) };
    const text = 'a<|endofprompt|><|endoftext|>';
    expect(cl100k.encode(text, rule)).toEqual([...tiktoken.cl100k_base.encode_ordinary('a<|endofprompt|>'), 100257]);
  });

  it('are an error if disallowed, also beside allowed ones', () => {
    const disallowedSpecial = new Set(['<|endoftext|>']);
    for (const rule of [
      { disallowedSpecial },
      { disallowedSpecial, allowedSpecial: 'all' },
      { disallowedSpecial, allowedSpecial: disallowedSpecial },
    ] as const) {
      expect(() => cl100k.encode('a<|fim_prefix|><|endoftext|>', rule)).toThrow('Disallowed special token found: <|endoftext|>');
      expect(() => cl100k.countTokens('<|endoftext|>', rule)).toThrow('Disallowed special token found: <|endoftext|>');
      expect(() => cl100k.encodeGenerator('<|endoftext|>', rule)).toThrow('Disallowed special token found: <|endoftext|>');
      expect(() => theirCl100k.encode('a<|fim_prefix|><|endoftext|>', rule as never)).not.toThrow();
    }
    // A set passed in is not modified.
    expect(disallowedSpecial.size).toBe(1);
  });

  it('are located by the error', () => {
    const failed = (): unknown => {
      try {
        return cl100k.encode('né👋<|im_start|>');
      } catch (error) {
        return error;
      }
    };
    expect(failed()).toBeInstanceOf(TokenizerError);
    expect(failed()).toMatchObject({ code: 'SPECIAL_FORBIDDEN', position: 4 });
    expect((failed() as Error).stack?.split('\n')[1]).toMatch(/gpt-tokenizer-differences/);
  });

  it('<|endofprompt|> of o200k_base has the id that OpenAI publishes', () => {
    expect(o200k.encode('<|endofprompt|>', { allowedSpecial: 'all' })).toEqual([200018]);
    expect(listOf(tiktoken.o200k_base.encode('<|endofprompt|>', 'all'))).toEqual([200018]);
    expect(theirO200k.encode('<|endofprompt|>', { allowedSpecial: 'all' })).toEqual([200006]);
    expect(o200k.decode([200018])).toBe('<|endofprompt|>');
    expect(() => o200k.decode([200006])).toThrow('Token 200006 is not in the byte pair encoder.');
  });
});

describe('decoding', () => {
  it('keeps a byte order mark', () => {
    const ids = listOf(tiktoken.o200k_base.encode_ordinary('\ufeffhello'));
    expect(o200k.decode(ids)).toBe('\ufeffhello');
    expect([...o200k.decodeGenerator(ids)].join('')).toBe('\ufeffhello');
    expect(theirO200k.decode(ids)).toBe('hello');
  });

  it('returns U+FFFD for a partial character, and carries nothing over to the next call', () => {
    const wave = [61138, 233]; // ' 👋': a space and three bytes, and the fourth
    expect(o200k.decode(wave)).toBe(' 👋');
    for (let round = 0; round < 3; round++) {
      expect(o200k.decode([61138])).toBe(' \ufffd');
      expect(o200k.decode([61138, 24912])).toBe(' \ufffdhello');
      expect([...o200k.decodeGenerator([61138])]).toEqual([' ', '\ufffd']);
      expect([...o200k.decodeGenerator([61138, 24912])]).toEqual([' ', '\ufffdhello']);
      expect([...o200k.decodeGenerator([61138, 300_000, 233])]).toEqual([' ', '👋']);
      expect(o200k.decode([200003, 61138])).toBe('<|im_start|> \ufffd');
    }
    expect(new TextDecoder().decode(tiktoken.o200k_base.decode(new Uint32Array([61138])))).toBe(' \ufffd');
  });

  it('reports the index of an unknown token', () => {
    for (const [ids, position] of [
      [[24912, 300000], 1],
      [[-1], 0],
      [[24912, 2375, 1.5], 2],
      [[200003, 200019], 1],
    ] as const) {
      const failed = (): unknown => {
        try {
          return o200k.decode(ids);
        } catch (error) {
          return error;
        }
      };
      expect(failed()).toBeInstanceOf(TokenizerError);
      expect(failed()).toMatchObject({
        code: 'INVALID_ID',
        position,
        message: `Token ${ids[position]} is not in the byte pair encoder.`,
      });
    }
  });

  it('accepts typed arrays of every kind', () => {
    for (const ids of [Uint32Array.of(24912, 2375), Int32Array.of(24912, 2375), BigInt64Array.of(24912n, 2375n)]) {
      expect(o200k.decode(ids as Iterable<number>)).toBe('hello world');
      expect([...o200k.decodeGenerator(ids as Iterable<number>)].join('')).toBe('hello world');
    }
  });
});

describe('chunks of a text', () => {
  const texts = ['naïve 👨‍👩‍👧 語 ê', '🇪🇸🌍🏽 மானிட', 'a\ud83d b', '\ufeff\u0085x', '𝒳'.repeat(2000), `${'語x '.repeat(400)}👋`];

  it.each(texts)('hold whole characters, as few as possible: %#', (text) => {
    for (const [name, api] of [
      ['o200k_base', o200k],
      ['cl100k_base', cl100k],
    ] as const) {
      const reference = tiktoken[name];
      const chunks = [...api.encodeGenerator(text)];
      expect(chunks.flat()).toEqual(listOf(reference.encode_ordinary(text)));
      const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      for (const chunk of chunks) {
        expect(chunk.length).toBeGreaterThan(0);
        expect(() => strict.decode(reference.decode(Uint32Array.from(chunk)))).not.toThrow();
        for (let end = 1; end < chunk.length; end++) {
          expect(() => strict.decode(reference.decode(Uint32Array.from(chunk.slice(0, end))))).toThrow();
        }
      }
      expect(chunks.map((chunk) => api.decode(chunk)).join('')).toBe(text.toWellFormed());
    }
  });

  it('are returned with the length of the last', () => {
    const generator = o200k.encodeGenerator('hello 👋');
    const steps = [generator.next(), generator.next(), generator.next()];
    expect(steps).toEqual([
      { value: [24912], done: false },
      { value: [61138, 233], done: false },
      { value: 2, done: true },
    ]);
    expect(o200k.encodeGenerator('').next()).toEqual({ value: 0, done: true });
  });
});

it('are refused with the name of an invalid argument', () => {
  const wrong: [() => unknown, string][] = [
    [() => o200k.encode(5 as never), 'expected a string for text but received 5'],
    [
      () => o200k.encode('a', { allowedSpecial: ['x'] as never }),
      "expected a Set of special tokens or 'all' for allowedSpecial but received an array of 1",
    ],
    [
      () => o200k.encode('a', { disallowedSpecial: 'none' as never }),
      `expected a Set of special tokens or 'all' for disallowedSpecial but received "none"`,
    ],
    [() => o200k.decode(5 as never), 'expected an iterable of token ids for tokens but received 5'],
    [() => o200k.encodeChat(5 as never, 'gpt-4o'), 'expected an iterable of messages for chat but received 5'],
    [() => o200k.encodeChat([{ role: 'user', content: 5 as never }], 'gpt-4o'), 'expected a string for content but received 5'],
    [() => o200k.countTokens(undefined as never), 'Model name must be provided either during initialization or passed in to the method.'],
    [() => GptEncoding.getEncodingApi('no' as never), 'Unknown encoding name: no'],
  ];
  for (const [call, message] of wrong) {
    expect(call).toThrow(message);
    try {
      call();
    } catch (error) {
      expect((error as Error).stack?.split('\n')[1]).toMatch(/gpt-tokenizer-differences/);
    }
  }
});

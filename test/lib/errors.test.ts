// The message, class and origin of errors.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StatusCode, Tokenizer, TokenizerError } from 'crayon-tokenizer';
import { GptEncoding } from 'crayon-tokenizer/gpt-tokenizer/GptEncoding';
import gpt4o from 'crayon-tokenizer/gpt-tokenizer/model/gpt-4o';
import { resolveEncoding } from 'crayon-tokenizer/gpt-tokenizer/resolveEncoding';
import { resolveEncodingAsync } from 'crayon-tokenizer/gpt-tokenizer/resolveEncodingAsync';
import { encoding_for_model, get_encoding, get_encoding_name_for_model, Tiktoken } from 'crayon-tokenizer/tiktoken';

const here = fileURLToPath(import.meta.url);

let tokenizer: Tokenizer;
beforeAll(() => {
  tokenizer = Tokenizer.loadSync('o200k_base');
});
afterAll(() => tokenizer.close());

/** Any value, for arguments that the types would reject. */
const wrong = (value: unknown): any => value;

describe('a wrong argument', () => {
  const cases: [string, () => unknown, string][] = [
    ['a number as text', () => tokenizer.encode(wrong(5)), 'expected a string or a Uint8Array for text but received 5'],
    ['undefined as text', () => tokenizer.encode(wrong(undefined)), 'expected a string or a Uint8Array for text but received undefined'],
    ['null as text', () => tokenizer.count(wrong(null)), 'expected a string or a Uint8Array for text but received null'],
    [
      'an object as text',
      () => tokenizer.encode(wrong({})),
      'expected a string or a Uint8Array for text but received an instance of Object',
    ],
    ['an array as text', () => tokenizer.count(wrong(['a'])), 'expected a string or a Uint8Array for text but received an array of 1'],
    [
      'other elements as text',
      () => tokenizer.encode(wrong(new Uint16Array(1))),
      'expected a string or a Uint8Array for text but received an instance of Uint16Array',
    ],
    [
      'a String object as text',
      () => tokenizer.encode(wrong(new String('a'))),
      'expected a string or a Uint8Array for text but received an instance of String',
    ],
    ['a symbol as text', () => tokenizer.encode(wrong(Symbol('a'))), 'expected a string or a Uint8Array for text but received Symbol(a)'],
    ['a bigint as text', () => tokenizer.encode(wrong(1n)), 'expected a string or a Uint8Array for text but received 1n'],
    [
      'a function as text',
      () => tokenizer.encode(wrong(function f() {})),
      'expected a string or a Uint8Array for text but received the function f',
    ],
    ['a string as options', () => tokenizer.encode('a', wrong('allow')), 'expected an object for options but received "allow"'],
    ['null as options', () => tokenizer.encode('a', wrong(null)), 'expected an object for options but received null'],
    [
      'an unknown policy',
      () => tokenizer.encode('a', { special: wrong('all') }),
      "expected 'text', 'allow', 'forbid' or a list of special tokens for special but received \"all\"",
    ],
    [
      'a policy of null',
      () => tokenizer.count('a', { special: wrong(null) }),
      "expected 'text', 'allow', 'forbid' or a list of special tokens for special but received null",
    ],
    [
      'a number in a list of special tokens',
      () => tokenizer.encode('a', { special: wrong([1]) }),
      'expected a string for special[0] but received 1',
    ],
    [
      'a number as addSpecialTokens',
      () => tokenizer.encode('a', { addSpecialTokens: wrong(1) }),
      'expected a boolean for addSpecialTokens but received 1',
    ],
    [
      'an unknown unit',
      () => tokenizer.encodeWithOffsets('a', { unit: wrong('utf8') }),
      "expected 'utf16' or 'bytes' for unit but received \"utf8\"",
    ],
    [
      'a number to encode with offsets',
      () => tokenizer.encodeWithOffsets(wrong(5)),
      'expected a string or a Uint8Array for text but received 5',
    ],
    ['a string as limit', () => tokenizer.isWithinLimit('a', wrong('5')), 'expected a number for limit but received "5"'],
    [
      'an array to count',
      () => tokenizer.isWithinLimit(wrong(['a']), 1),
      'expected a string or a Uint8Array for text but received an array of 1',
    ],
    ['no limit', () => tokenizer.truncate('a', wrong(undefined)), 'expected a number for limit but received undefined'],
    ['null to truncate', () => tokenizer.truncate(wrong(null), 1), 'expected a string or a Uint8Array for text but received null'],
    [
      'an unknown side',
      () => tokenizer.truncate('a', 1, { side: wrong('end') }),
      "expected 'left' or 'right' for side but received \"end\"",
    ],
    [
      'options of truncate that are none',
      () => tokenizer.truncate('a', 1, wrong('left')),
      'expected an object for options but received "left"',
    ],
    ['no options of split', () => tokenizer.split('a', wrong(undefined)), 'expected an object for options but received undefined'],
    ['a bigint as maxTokens', () => tokenizer.split('a', { maxTokens: wrong(5n) }), 'expected a number for maxTokens but received 5n'],
    [
      'null as overlap',
      () => tokenizer.split('a', { maxTokens: 5, overlap: wrong(null) }),
      'expected a number for overlap but received null',
    ],
    [
      'an object to split',
      () => tokenizer.split(wrong({}), { maxTokens: 5 }),
      'expected a string or a Uint8Array for text but received an instance of Object',
    ],
    ['a string as ids', () => tokenizer.decode(wrong('1')), 'expected an array or typed array of token ids for ids but received "1"'],
    [
      'a DataView as ids',
      () => tokenizer.decode(wrong(new DataView(new ArrayBuffer(8)))),
      'expected an array or typed array of token ids for ids but received an instance of DataView',
    ],
    [
      'no ids',
      () => tokenizer.decodeBytes(wrong(undefined)),
      'expected an array or typed array of token ids for ids but received undefined',
    ],
    ['a negative id', () => tokenizer.decode([1, 2, -1]), 'expected a token id (an integer of 0 or more) for ids[2] but received -1'],
    [
      'a negative id of an Int32Array',
      () => tokenizer.decode(Int32Array.of(-2)),
      'expected a token id (an integer of 0 or more) for ids[0] but received -2',
    ],
    [
      'a negative bigint',
      () => tokenizer.decode(BigInt64Array.of(1n, -1n)),
      'expected a token id (an integer of 0 or more) for ids[1] but received -1n',
    ],
    ['half an id', () => tokenizer.decodeBytes([0.5]), 'expected a token id (an integer of 0 or more) for ids[0] but received 0.5'],
    ['NaN as an id', () => tokenizer.decode([Number.NaN]), 'expected a token id (an integer of 0 or more) for ids[0] but received NaN'],
    [
      'a string as an id',
      () => tokenizer.decode(wrong([0, '1'])),
      'expected a token id (an integer of 0 or more) for ids[1] but received "1"',
    ],
    [
      'a hole in the ids',
      () => tokenizer.decode([1, , 2] as number[]),
      'expected a token id (an integer of 0 or more) for ids[1] but received undefined',
    ],
    [
      'a wrong skipSpecialTokens',
      () => tokenizer.decode([1], { skipSpecialTokens: wrong('yes') }),
      'expected a boolean for skipSpecialTokens but received "yes"',
    ],
    [
      'a negative id of a token',
      () => tokenizer.tokenBytes(-1),
      'expected a token id (an integer of 0 or more) for ids[0] but received -1',
    ],
    ['a number as token', () => tokenizer.idOf(wrong(1)), 'expected a string or a Uint8Array for token but received 1'],
    [
      'a string as texts',
      () => tokenizer.encodeBatch(wrong('a')),
      'expected an array of strings and Uint8Arrays, or { bytes: Uint8Array, offsets: Uint32Array }, for texts but received "a"',
    ],
    ['a number among texts', () => tokenizer.encodeBatch(wrong(['a', 5])), 'expected a string or a Uint8Array for texts[1] but received 5'],
    [
      'rows without bytes',
      () => tokenizer.encodeBatch(wrong({ offsets: new Uint32Array(1) })),
      'expected an array of strings and Uint8Arrays, or { bytes: Uint8Array, offsets: Uint32Array }, for texts but received an instance of Object',
    ],
    [
      'rows with an array of offsets',
      () => tokenizer.encodeBatch(wrong({ bytes: new Uint8Array(1), offsets: [0, 1] })),
      'expected a Uint32Array for texts.offsets but received an array of 2',
    ],
    [
      'a number as source',
      () => Tokenizer.loadSync(wrong(1)),
      'expected an encoding, a model, a path, a file: URL or the bytes of a cartridge for source but received 1',
    ],
    [
      'no source',
      () => Tokenizer.loadSync(wrong(undefined)),
      'expected an encoding, a model, a path, a file: URL or the bytes of a cartridge for source but received undefined',
    ],
    ['an empty name', () => Tokenizer.loadSync(''), 'expected the name of an encoding or model, or a path, for source but received ""'],
    [
      'a name with NUL',
      () => Tokenizer.loadSync('a\0b'),
      'expected a name or path without NUL characters for source but received "a\\u0000b"',
    ],
    [
      'a web address',
      () => Tokenizer.loadSync('https://example.org/a.cray'),
      'expected a file: URL for source but received https://example.org/a.cray; to load over the network, pass what fetch() gives: await Tokenizer.load(await fetch(url))',
    ],
    [
      'a wrong backend',
      () => Tokenizer.loadSync('o200k_base', { backend: wrong('gpu') }),
      'expected one of native, wasm for backend but received "gpu"',
    ],
    ['a wrong mmap', () => Tokenizer.loadSync('o200k_base', { mmap: wrong(0) }), 'expected a boolean for mmap but received 0'],
    ['a wrong verify', () => Tokenizer.loadSync('o200k_base', { verify: wrong('no') }), 'expected a boolean for verify but received "no"'],
    ['a wrong kernel', () => Tokenizer.loadSync('o200k_base', { kernel: wrong(1) }), 'expected a string for kernel but received 1'],
    ['a wrong view', () => Tokenizer.loadSync('o200k_base', { view: wrong(1) }), 'expected a string for view but received 1'],
    [
      'new',
      () => new (Tokenizer as unknown as new () => Tokenizer)(),
      'cannot make a Tokenizer with new: open a vocabulary with Tokenizer.load() or Tokenizer.loadSync()',
    ],
    ['load options that are none', () => Tokenizer.loadSync('o200k_base', wrong(true)), 'expected an object for options but received true'],
  ];

  it.each(cases)('%s', (_, action, message) => {
    const error = thrown(action);
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toBe(message);
    expect(firstFrame(error)).toContain(here);
  });

  it.each([
    ['offsets that descend', Uint32Array.of(0, 3, 2), 'expected ascending offsets up to 4 for texts.offsets[2] but received 2'],
    ['offsets past the end', Uint32Array.of(0, 5), 'expected ascending offsets up to 4 for texts.offsets[1] but received 5'],
    ['no offsets', new Uint32Array(0), 'expected at least one element for texts.offsets but received an instance of Uint32Array'],
  ])('%s', (_, offsets, message) => {
    const error = thrown(() => tokenizer.encodeBatch({ bytes: new Uint8Array(4), offsets }));
    expect(error).toBeInstanceOf(RangeError);
    expect(error.message).toBe(message);
    expect(firstFrame(error)).toContain(here);
  });

  it('shortens what it shows', () => {
    expect(thrown(() => tokenizer.decode(wrong('x'.repeat(1000)))).message.length).toBeLessThan(150);
  });
});

describe('a TokenizerError', () => {
  it('names an unknown id and its index', () => {
    for (const id of [200019, 199998, 1e6, 0xffffffff]) {
      const error = thrown(() => tokenizer.decode([1, 2, id])) as TokenizerError;
      expect(error).toBeInstanceOf(TokenizerError);
      expect(error).toMatchObject({ name: 'TokenizerError', code: 'INVALID_ID', position: 2 });
      const why = id === 199998 ? 'which leaves this id unused' : 'whose ids are below 200019';
      expect(error.message).toBe(`the id ${id} at index 2 is not in the vocabulary of o200k_base, ${why}`);
      expect(firstFrame(error)).toContain(here);
    }
    expect(thrown(() => tokenizer.decodeBytes([2 ** 32]))).toMatchObject({ code: 'INVALID_ID', position: 0 });
    expect(thrown(() => tokenizer.decode([2 ** 53]))).toMatchObject({ code: 'INVALID_ID', position: 0 });
    expect(thrown(() => tokenizer.tokenBytes(200019))).toMatchObject({ code: 'INVALID_ID' });
  });

  it('finds the index at any position', () => {
    for (const index of [0, 32_767, 32_768, 100_000, 1024 * 1024 - 1, 1024 * 1024, 2_500_000]) {
      const ids = new Uint32Array(index + 3);
      ids[index] = 300_000;
      expect(thrown(() => tokenizer.decode(ids))).toMatchObject({ code: 'INVALID_ID', position: index });
      expect(thrown(() => tokenizer.decodeBytes(ids))).toMatchObject({ code: 'INVALID_ID', position: index });
    }
  });

  it("points at the caller's line, for every call", async () => {
    const closed = Tokenizer.loadSync('o200k_base');
    closed.close();
    const actions = [
      () => closed.encode('a'),
      () => closed.count('a'),
      () => closed.decode([1]),
      () => closed.decodeBytes([1]),
      () => closed.encodeBatch(['a']),
      () => closed.countBatch(['a']),
      () => closed.decodeBatch([[1]]),
      () => closed.tokenBytes(1),
      () => closed.idOf('a'),
      () => closed.encodeWithOffsets('a'),
      () => closed.encodeWithOffsets('a'.repeat(5000)),
      () => closed.isWithinLimit('a', 1),
      () => closed.isWithinLimit('a'.repeat(5000), 1),
      () => closed.truncate('a', 1),
      () => closed.truncate('a', 1, { side: 'left' }),
      () => closed.split('a', { maxTokens: 1 }),
      () => closed.split(new Uint8Array(1), { maxTokens: 1 }),
      () => closed.encode('a', { special: ['<|endoftext|>'] }),
      () => closed.name,
      () => closed.vocabularySize,
      () => closed.modelKind,
      () => closed.specialTokens,
      () => closed.metadata,
      () => closed.backend,
      () => Tokenizer.loadSync('no such encoding'),
    ];
    for (const action of actions) {
      const error = thrown(action);
      expect(error).toBeInstanceOf(TokenizerError);
      expect(firstFrame(error), String(action)).toContain(here);
    }
    const rejected = await Tokenizer.load('no such encoding').catch((error: Error) => error);
    expect(rejected).toBeInstanceOf(TokenizerError);
    expect(firstFrame(rejected as Error)).toContain(here);
  });

  it('names the call that a closed tokenizer refuses', async () => {
    const closed = Tokenizer.loadSync('o200k_base');
    closed.close();
    expect(thrown(() => closed.encodePair('a', 'b')).message).toBe('cannot use encodePair: the tokenizer has been closed');
    expect(thrown(() => closed.vocabularySize).message).toBe('cannot use vocabularySize: the tokenizer has been closed');
    await expect(closed.encodeChat([])).rejects.toThrow('cannot use encodeChat: the tokenizer has been closed');
    expect(thrown(() => closed.streamEncoder()).stack).toContain('cannot use streamEncoder: the tokenizer has been closed\n');
    const freed = get_encoding('gpt2');
    freed.free();
    expect(thrown(() => freed.encode('a')).message).toBe('cannot use encode: the tokenizer has been closed');
    const scoped = await Tokenizer.loadSync('gpt2').using('r50k_base', (tokenizer) => tokenizer);
    expect(thrown(() => scoped.decode([1])).message).toMatch(/^cannot use decode: the tokenizer of using\(\) has been closed/);
  });

  it("points at the line of a drop-in's caller", async () => {
    const freed = get_encoding('gpt2');
    freed.free();
    const bytes = new Uint8Array(1);
    const actions: (() => unknown)[] = [
      () => freed.name,
      () => freed.encode('a'),
      () => freed.encode_ordinary('a'),
      () => freed.encode_with_unstable('a'),
      () => freed.encode_single_token(bytes),
      () => freed.decode(new Uint32Array(1)),
      () => freed.decode_single_token_bytes(1),
      () => freed.token_byte_values(),
      () => freed.free(),
      () => get_encoding('gpt2').encode('<|endoftext|>'),
      () => get_encoding(wrong('gpt-2')),
      () => encoding_for_model(wrong('gpt')),
      () => get_encoding_name_for_model(wrong('gpt')),
      () => new Tiktoken('', {}, 'a'),
      () => gpt4o.encode('<|endoftext|>'),
      () => gpt4o.encodeGenerator('<|endoftext|>'),
      () => gpt4o.encodeChat(wrong([{ content: 5 }])),
      () => gpt4o.encodeChatGenerator(wrong(5)).next(),
      () => gpt4o.countTokens('<|endoftext|>'),
      () => gpt4o.isWithinTokenLimit('<|endoftext|>', 5),
      () => gpt4o.countChatCompletionTokens?.(wrong(5)),
      () => gpt4o.decode([300000]),
      () => gpt4o.decodeGenerator(wrong(5)).next(),
      () => gpt4o.decodeAsyncGenerator(wrong(5)).next(),
      () => gpt4o.decodeAsync(wrong(undefined)),
      () => gpt4o.estimateCost(1, wrong({})),
      () => GptEncoding.getEncodingApi(wrong('gpt-2')),
      () => GptEncoding.getEncodingApiForModel('gpt-4o', wrong(5)),
      () => resolveEncoding(wrong('gpt-2')),
      () => resolveEncodingAsync(wrong('gpt-2')),
    ];
    for (const action of actions) {
      const error = await rejected(action);
      // Above it, a generator has its `next`, which is in no file.
      expect(firstFrame(error, /:\d+:\d+\)?$/), String(action)).toContain(here);
    }
  });

  it("has the engine's codes", async () => {
    // The statuses are listed in native/include/crayon/status.def; the codes of the types in lib/errors.ts.
    const text = readFileSync(new URL('../../native/include/crayon/status.def', import.meta.url), 'utf8');
    const rows = [...text.matchAll(/^CRAYON_STATUS\((\w+),\s*(\d+),\s*"([^"]+)"\)/gm)];
    expect(rows.length).toBeGreaterThan(20);
    const declared = readFileSync(new URL('../../lib/base/errors.ts', import.meta.url), 'utf8')
      .match(/export type StatusCode =([^;]+);/)?.[1]
      ?.match(/\w+/g);
    expect(declared).toEqual(rows.map(([, name]) => name));
    const { native } = await import('../../dist/node/internals.js');
    expect(native().addon.statuses()).toEqual(
      rows.map(([, name, number, sentence]) => ({ name: name as StatusCode, number: Number(number), sentence })),
    );
  });
});

function thrown(action: () => unknown): Error {
  try {
    action();
  } catch (error) {
    return error as Error;
  }
  return expect.fail('nothing was thrown');
}

function firstFrame(error: Error, which = /^\s+at /): string {
  return (error.stack as string).split('\n').find((line) => which.test(line)) ?? '';
}

/** The error that an action throws, synchronously or later. */
async function rejected(action: () => unknown): Promise<Error> {
  try {
    await action();
  } catch (error) {
    return error as Error;
  }
  return expect.fail(`no error: ${action}`);
}

// Batches: each row equals the single call on its text, whatever rows surround it.

import { get_encoding, type Tiktoken, type TiktokenEncoding } from 'tiktoken';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PaddedBatch, type PadOptions, TokenBatch, Tokenizer, TokenizerError, type TokenIds, trainBpe } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { utf8Of } from '../fuzz/differential.mjs';
import { sample } from '../share.js';

let tokenizer: Tokenizer;
let reference: Tiktoken;
beforeAll(async () => {
  tokenizer = await Tokenizer.load('o200k_base');
  reference = get_encoding('o200k_base' as TiktokenEncoding);
});
afterAll(() => {
  tokenizer.close();
  reference.free();
});

const expected = (text: string) => [...reference.encode(text, [], [])];
const listed = (batch: TokenBatch) => [...batch].map((row) => [...row]);
const rawBytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => Buffer.from(buffer, byteOffset, byteLength);
const bytesOf = (texts: string[]) => {
  const rows = texts.map((text) => utf8Of(text) as Uint8Array);
  const offsets = new Uint32Array(rows.length + 1);
  for (const [index, row] of rows.entries()) offsets[index + 1] = (offsets[index] as number) + row.length;
  return { bytes: Buffer.concat(rows), offsets };
};
/** Any value, for arguments that the types would reject. */
const wrong = (value: unknown): any => value;

describe('encodeBatch and countBatch', () => {
  it('encode rows of every length, short ones grouped and long ones singly', () => {
    const lengths = [0, 1, 8191, 1, 8192, 8193, 0, 20_000, 3, 65_536, 65_537, 5, 8190, 2, 1, 150_000, 0];
    const sentence = 'The naïve café — 東京タワー costs 12345 ¥, doesn’t it? 😀\n';
    const texts = lengths.map((length) => sentence.repeat(Math.ceil(length / sentence.length)).slice(0, length));
    const rows = texts.map(expected);
    expect(listed(tokenizer.encodeBatch(texts))).toEqual(rows);
    const counts = tokenizer.countBatch(texts);
    expect(counts).toBeInstanceOf(Uint32Array);
    expect([...counts]).toEqual(rows.map((row) => row.length));
    expect([...tokenizer.countBatch(bytesOf(texts))]).toEqual(rows.map((row) => row.length));
  });

  it('encode thousands of rows', () => {
    const random = new Random(1);
    const texts = Array.from({ length: sample(2000) }, (_, index) => (random.chance(0.1) ? '' : nastyString(2, index)));
    const rows = texts.map(expected);
    expect(listed(tokenizer.encodeBatch(texts))).toEqual(rows);
    expect([...tokenizer.countBatch(texts)]).toEqual(rows.map((row) => row.length));
    expect([...tokenizer.countBatch(bytesOf(texts))]).toEqual(rows.map((row) => row.length));
  });

  it('join no surrogates across rows', () => {
    const texts = ['\ud83d', '\ude00', 'a\ud83d', '\ude00b', '😀', '\ud83d', '', '\ude00'];
    const rows = texts.map((text) => expected(text.isWellFormed() ? text : text.replace(/[\ud800-\udfff]/g, '\ufffd')));
    expect(listed(tokenizer.encodeBatch(texts))).toEqual(rows);
    expect([...tokenizer.countBatch(texts)]).toEqual(rows.map((row) => row.length));
    // Also at the limit of what one call passes to the engine.
    const edge = ['x'.repeat(8191), '\ud83d', '\ude00', `${'y'.repeat(8191)}\ud83d`, '\ude00'];
    expect([...tokenizer.countBatch(edge)].slice(1, 3)).toEqual([1, 1]);
    expect(listed(tokenizer.encodeBatch(edge)).at(-1)).toEqual(expected('\ufffd'));
  });

  it('join no pieces across rows', () => {
    expect(listed(tokenizer.encodeBatch(['hello', ' world', ' ', ' ', '<|endof', 'text|>']))).toEqual(
      ['hello', ' world', ' ', ' ', '<|endof', 'text|>'].map(expected),
    );
    expect(tokenizer.encodeBatch(['<|endof', 'text|>'], { special: 'allow' }).ids).not.toContain(199999);
  });

  it('accept bytes, and strings mixed with bytes', () => {
    const lengths = [0, 1, 40_000, 30_000, 65_536, 65_537, 200_000, 0, 3, 65_535, 1, 1];
    const sentence = 'The naïve café — 東京タワー costs 12345 ¥, doesn’t it? 😀\n';
    const long = lengths.map((length) => sentence.repeat(Math.ceil(length / sentence.length)).slice(0, length));
    const short = Array.from({ length: sample(3000, 1000) }, (_, index) => nastyString(5, index));
    const random = new Random(9);
    for (const texts of [[...long, ...short], []]) {
      const rows = texts.map(expected);
      const counts = rows.map((row) => row.length);
      const inBytes = texts.map((text) => utf8Of(text) as Uint8Array);
      const asBuffers = inBytes.map((bytes) => Buffer.from(bytes));
      const mixed = texts.map((text, index) => (random.chance(0.5) ? text : (inBytes[index] as Uint8Array)));
      for (const batch of [inBytes, asBuffers, mixed]) {
        expect(listed(tokenizer.encodeBatch(batch))).toEqual(rows);
        expect([...tokenizer.countBatch(batch)]).toEqual(counts);
      }
    }
  });

  it('keep invalid UTF-8, row by row', () => {
    const rows = [[0xff], [0xe6, 0x9d], [0xb1], [0xc3, 0xa9, 0xc3], [], [0xa9]].map((row) => Uint8Array.from(row));
    const batch = tokenizer.encodeBatch(rows);
    expect([...batch].map((row) => [...tokenizer.decodeBytes(row)])).toEqual(rows.map((row) => [...row]));
    expect([...batch].map((row) => [...row])).toEqual(rows.map((row) => [...tokenizer.encode(row)]));
  });

  it('name the refused byte row among strings', () => {
    const bytes = (text: string) => utf8Of(text) as Uint8Array;
    const special = 'é<|endoftext|>';
    for (const long of ['', 'b'.repeat(70_000)]) {
      const before = ['a', bytes('é'), bytes(long), long, bytes('c')];
      for (const [text, position] of [
        [bytes(special), 2],
        [special, 1],
        [bytes(long + special), long.length + 2],
      ] as const) {
        const texts = [...before, text, 'd'];
        for (const call of [
          () => tokenizer.encodeBatch(texts, { special: 'forbid' }),
          () => tokenizer.countBatch(texts, { special: 'forbid' }),
        ]) {
          const error = thrown(call);
          expect(error).toMatchObject({ code: 'SPECIAL_FORBIDDEN', position, row: 5 });
          expect(error.message).toContain(`texts[5] holds the special token "<|endoftext|>" at position ${position}`);
        }
      }
    }
    expect([...tokenizer.countBatch([bytes(special), special], { special: 'allow' })]).toEqual([2, 2]);
  });

  it('accept an empty batch', () => {
    expect(tokenizer.countBatch([]).length).toBe(0);
    expect(tokenizer.countBatch({ bytes: new Uint8Array(0), offsets: Uint32Array.of(0) }).length).toBe(0);
  });

  it('follow the policy for special tokens', () => {
    const texts = ['a<|endoftext|>', '<|endofprompt|>'];
    expect([...tokenizer.countBatch(texts, { special: 'allow' })]).toEqual([2, 1]);
    expect([...tokenizer.countBatch(texts, { special: ['<|endofprompt|>'] })]).toEqual([expected('a<|endoftext|>').length, 1]);
    expect([...tokenizer.countBatch(texts)]).toEqual(texts.map((text) => expected(text).length));
  });

  it.each([
    ['a short row', 'é<|endoftext|>', 1],
    ['a row that is too long to be joined', `${'é '.repeat(5000)}<|endoftext|>`, 10_000],
    ['a row of many windows', `${'é '.repeat(100_000)}<|endoftext|>`, 200_000],
  ])('name %s that they refuse', (_, text, position) => {
    const texts = ['a', 'b'.repeat(9000), '', text, 'c'];
    for (const action of [
      () => tokenizer.countBatch(texts, { special: 'forbid' }),
      () => tokenizer.encodeBatch(texts, { special: 'forbid' }),
    ]) {
      const error = thrown(action);
      expect(error).toBeInstanceOf(TokenizerError);
      expect(error).toMatchObject({ code: 'SPECIAL_FORBIDDEN', position, row: 3 });
      expect(error.message).toContain(`texts[3] holds the special token "<|endoftext|>" at position ${position}`);
    }
    const inBytes = thrown(() => tokenizer.countBatch(bytesOf(texts), { special: 'forbid' }));
    expect(inBytes).toMatchObject({ code: 'SPECIAL_FORBIDDEN', row: 3 });
    // The tokenizer still encodes other texts.
    expect([...tokenizer.countBatch(['hello world'])]).toEqual([2]);
  });

  it('name a row that is not text before encoding anything', () => {
    for (const call of [tokenizer.encodeBatch, tokenizer.countBatch]) {
      const batch = call.bind(tokenizer) as (texts: unknown) => unknown;
      const expected = 'expected a string or a Uint8Array for';
      expect(thrown(() => batch(['a', 'b', 5])).message).toBe(`${expected} texts[2] but received 5`);
      expect(thrown(() => batch(['a', , 'b'])).message).toBe(`${expected} texts[1] but received undefined`);
      expect(thrown(() => batch(['a', Uint16Array.of(1)])).message).toBe(`${expected} texts[1] but received an instance of Uint16Array`);
      expect(thrown(() => batch(new Set(['a'])))).toBeInstanceOf(TypeError);
      expect(thrown(() => batch('abc'))).toBeInstanceOf(TypeError);
      expect(thrown(() => batch({ bytes: new Uint8Array(4), offsets: Uint32Array.of(0, 5) }))).toBeInstanceOf(RangeError);
    }
  });
});

describe('decodeBatch', () => {
  const rows: TokenIds[] = [[24912, 2375], [], Uint32Array.of(24912), BigInt64Array.of(2375n), Uint16Array.of(24912)];
  const texts = ['hello world', '', 'hello', ' world', 'hello'];

  it('decodes lists of ids', () => {
    expect(tokenizer.decodeBatch(rows)).toEqual(texts);
    expect(tokenizer.decodeBatch(new Set(rows))).toEqual(texts);
    expect(tokenizer.decodeBatch([])).toEqual([]);
    const generated = (function* () {
      yield* rows;
    })();
    expect(tokenizer.decodeBatch(generated)).toEqual(texts);
  });

  it('decodes a batch', () => {
    const nasty = Array.from({ length: 500 }, (_, index) => nastyString(3, index));
    expect(tokenizer.decodeBatch(tokenizer.encodeBatch(nasty))).toEqual(nasty.map((text) => text.toWellFormed()));
  });

  it('decodes each row separately', () => {
    const parts = expected('\uA001');
    expect(parts.length).toBeGreaterThan(1);
    expect(tokenizer.decodeBatch([parts, parts.slice(0, 1), parts.slice(1)]).at(0)).toBe('\uA001');
    expect(tokenizer.decodeBatch([parts.slice(0, 1)])).toEqual(['\ufffd']);
  });

  it('omits special tokens on request', () => {
    expect(tokenizer.decodeBatch([[24912, 199999], [199999]], { skipSpecialTokens: true })).toEqual(['hello', '']);
  });

  it('names the failing row', () => {
    const error = thrown(() => tokenizer.decodeBatch([[1], [1, 2, 200019]]));
    expect(error).toBeInstanceOf(TokenizerError);
    expect(error).toMatchObject({ code: 'INVALID_ID', position: 2, row: 1 });
    expect(error.message).toBe('the id 200019 at rows[1][2] is not in the vocabulary of o200k_base, whose ids are below 200019');
    expect(thrown(() => tokenizer.decodeBatch([[1], [2 ** 40]]))).toMatchObject({ code: 'INVALID_ID', row: 1 });
  });

  it.each([
    [[[1], [0.5]], 'expected a token id (an integer of 0 or more) for rows[1][0] but received 0.5'],
    [[[1], 5], 'expected an array or typed array of token ids for rows[1] but received 5'],
    [Uint32Array.of(7), 'expected an array or typed array of token ids for rows[0] but received 7'],
    [{}, 'expected a TokenBatch, or an array or iterable of token ids for rows but received an instance of Object'],
    ['1', 'expected a TokenBatch, or an array or iterable of token ids for rows but received "1"'],
    [undefined, 'expected a TokenBatch, or an array or iterable of token ids for rows but received undefined'],
  ])('refuses %o', (value, message) => {
    const error = thrown(() => tokenizer.decodeBatch(wrong(value)));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toBe(message);
  });

  it('refuses invalid options even for an empty batch', () => {
    expect(() => tokenizer.decodeBatch([], wrong(1))).toThrow('expected an object for options but received 1');
  });
});

describe('pad', () => {
  const batch = () => tokenizer.encodeBatch(['hello world', '', 'hello']);

  it('pads rows to the longest', () => {
    const { ids, mask, shape } = batch().pad();
    expect(ids).toEqual(Int32Array.of(24912, 2375, 0, 0, 24912, 0));
    expect(mask).toEqual(Int32Array.of(1, 1, 0, 0, 1, 0));
    expect(shape).toEqual([3, 2]);
  });

  it('pads to a length, on the left, with an id', () => {
    const { ids, mask, shape } = batch().pad({ length: 3, side: 'left', padId: -100 });
    expect(ids).toEqual(Int32Array.of(-100, 24912, 2375, -100, -100, -100, -100, -100, 24912));
    expect(mask).toEqual(Int32Array.of(0, 1, 1, 0, 0, 0, 0, 0, 1));
    expect(shape).toEqual([3, 3]);
  });

  it('makes 64-bit elements', () => {
    const { ids, mask, shape } = batch().pad({ type: 'bigint64', padId: -1, side: 'right' });
    expect(ids).toEqual(BigInt64Array.of(24912n, 2375n, -1n, -1n, 24912n, -1n));
    expect(mask).toEqual(BigInt64Array.of(1n, 1n, 0n, 0n, 1n, 0n));
    expect(shape).toEqual([3, 2]);
  });

  it('accepts an empty batch, and empty rows', () => {
    expect(tokenizer.encodeBatch([]).pad()).toEqual({ ids: new Int32Array(0), mask: new Int32Array(0), shape: [0, 0] });
    expect(tokenizer.encodeBatch(['', '']).pad().shape).toEqual([2, 0]);
    expect(tokenizer.encodeBatch(['']).pad({ length: 2, padId: 9 }).ids).toEqual(Int32Array.of(9, 9));
  });

  it('agrees with its definition on many rows', () => {
    const rows = tokenizer.encodeBatch(Array.from({ length: 300 }, (_, index) => nastyString(4, index)));
    const width = Math.max(...rows.offsets.slice(1).map((end, row) => end - (rows.offsets[row] as number)));
    for (const side of ['left', 'right'] as const) {
      const padded = rows.pad({ side, padId: 3 });
      const wide = rows.pad({ side, padId: 3, type: 'bigint64' });
      const naive = [...rows].map((row) => {
        const padding = Array.from({ length: width - row.length }, () => 3);
        return side === 'left' ? [...padding, ...row] : [...row, ...padding];
      });
      // As bytes, because Vitest's comparison of long lists takes seconds.
      const same = (one: ArrayBufferView, other: ArrayBufferView) => rawBytes(one).equals(rawBytes(other));
      expect(same(padded.ids, Int32Array.from(naive.flat()))).toBe(true);
      expect(same(wide.ids, BigInt64Array.from(naive.flat(), BigInt))).toBe(true);
      expect(same(wide.mask, BigInt64Array.from(padded.mask, BigInt))).toBe(true);
      expect(padded.mask.reduce((sum, bit) => sum + bit, 0)).toBe(rows.ids.length);
    }
  });

  it('without truncate names a row that is too long', () => {
    const error = thrown(() => batch().pad({ length: 1 }));
    expect(error).toBeInstanceOf(RangeError);
    expect(error.message).toBe('`length` must be at least 2, which row 0 has, unless `truncate` is true; received 1');
  });

  it('with truncate cuts rows at the end of the text', () => {
    const rows = tokenizer.encodeBatch(Array.from({ length: 100 }, (_, index) => nastyString(5, index)));
    for (const length of [0, 1, 3, 7, 1000]) {
      for (const side of ['left', 'right'] as const) {
        for (const type of ['int32', 'bigint64'] as const) {
          const { ids, mask, shape } = rows.pad({ length, side, type, padId: -1, truncate: true } as PadOptions);
          const naive = [...rows].map((row) => {
            const kept = [...row].slice(0, length);
            const padding = Array.from({ length: length - kept.length }, () => -1);
            return side === 'left' ? [...padding, ...kept] : [...kept, ...padding];
          });
          expect(shape).toEqual([100, length]);
          expect(Array.from(ids as Iterable<number | bigint>, Number)).toEqual(naive.flat());
          expect(Array.from(mask as Iterable<number | bigint>, Number)).toEqual(naive.flat().map((id) => Number(id >= 0)));
        }
      }
    }
  });

  it('cuts the text, not the ids around it', async () => {
    const json = (await trainBpe('low', { vocabularySize: 259, specialTokens: ['<s>', '</s>', '<e>'] })).toTokenizerJson();
    const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
    const single = [special('<s>'), { Sequence: { id: 'A', type_id: 0 } }, special('</s>'), special('<e>')];
    const special_tokens = Object.fromEntries(['<s>', '</s>', '<e>'].map((id, index) => [id, { id, ids: [index], tokens: [id] }]));
    const file = { ...json, post_processor: { type: 'TemplateProcessing', single, pair: [], special_tokens } };
    using around = await Tokenizer.load(utf8Of(JSON.stringify(file)));
    const texts = ['abcdef', '', 'ab'];
    for (const length of [3, 4, 5, 6, 20]) {
      for (const side of ['left', 'right'] as const) {
        const pad = { length, side, padId: -9, truncate: true };
        const naive = texts.flatMap((text) => {
          const row = [0, ...[...around.encode(text)].slice(0, length - 3), 1, 2];
          const padding = Array.from({ length: length - row.length }, () => -9);
          return side === 'left' ? [...padding, ...row] : [...row, ...padding];
        });
        const options = { addSpecialTokens: true };
        expect([...around.encodeBatch(texts, options).pad(pad).ids]).toEqual(naive);
        expect([...around.encodeBatch(texts, { ...options, pad }).ids]).toEqual(naive);
        expect([...(await around.encodeBatchAsync(texts, { ...options, pad })).ids]).toEqual(naive);
      }
    }
    const error = thrown(() => around.encodeBatch(texts, { addSpecialTokens: true }).pad({ length: 2, truncate: true }));
    expect(error).toMatchObject({
      name: 'RangeError',
      message: '`length` must be at least 3, the number of ids around a text; received 2',
    });
  });

  it.each([
    [{ length: -1 }, RangeError, 'expected an integer of 0 or more for length but received -1'],
    [{ length: 2.5 }, RangeError, 'expected an integer of 0 or more for length but received 2.5'],
    [{ length: '2' }, TypeError, 'expected a number for length but received "2"'],
    [{ length: 2 ** 52 }, RangeError, 'cannot pad 3 rows to 4503599627370496 ids: they do not fit into memory'],
    [{ truncate: 1 }, TypeError, 'expected a boolean for truncate but received 1'],
    [{ side: 'both' }, TypeError, "expected 'right' or 'left' for side but received \"both\""],
    [{ padId: 2 ** 31 }, RangeError, 'expected an integer of 32 bits for padId but received 2147483648'],
    [{ padId: 0.5 }, RangeError, 'expected an integer of 32 bits for padId but received 0.5'],
    [{ padId: 1n }, TypeError, 'expected a number for padId but received 1n'],
    [{ type: 'float32' }, TypeError, "expected 'int32' or 'bigint64' for type but received \"float32\""],
    [null, TypeError, 'expected an object for options but received null'],
  ])('refuses %o', (options, kind, message) => {
    const error = thrown(() => batch().pad(wrong(options)));
    expect(error).toBeInstanceOf(kind);
    expect(error.message).toBe(message);
  });
});

describe('the option pad', () => {
  const texts = ['hello world', '', 'hello', '<|endoftext|>'];

  it('gives what pad() makes of the batch', async () => {
    for (const options of [{}, { special: 'allow' }, { addSpecialTokens: true }, { threads: 1 }] as const) {
      for (const pad of [
        {},
        { length: 9, side: 'left', padId: -1 },
        { type: 'bigint64', padId: 3 },
        { length: 9, type: 'bigint64', padId: -1 },
      ] as PadOptions[]) {
        const expected = tokenizer.encodeBatch(texts, options).pad(pad);
        expect(tokenizer.encodeBatch(texts, { ...options, pad })).toEqual(expected);
        expect(await tokenizer.encodeBatchAsync(texts, { ...options, pad })).toEqual(expected);
      }
    }
    expect(tokenizer.encodeBatch([], { pad: { length: 3 } })).toEqual({ ids: new Int32Array(0), mask: new Int32Array(0), shape: [0, 3] });
    // The types agree, for options that are undefined or known only at run time.
    const batch: TokenBatch = tokenizer.encodeBatch(texts, { pad: undefined });
    const later: TokenBatch = await tokenizer.encodeBatchAsync(texts, { pad: undefined, threads: 1 });
    for (const each of [batch, later]) expect(each).toBeInstanceOf(TokenBatch);
    for (const pad of [undefined, { length: 9 }] as (PadOptions | undefined)[]) {
      const either: TokenBatch | PaddedBatch | PaddedBatch<BigInt64Array<ArrayBuffer>> = tokenizer.encodeBatch(texts, { pad });
      expect('shape' in either).toBe(pad !== undefined);
      expect('shape' in (await tokenizer.encodeBatchAsync(texts, { pad }))).toBe(pad !== undefined);
    }
  });

  it('pads a batch that takes several turns of the event loop', async () => {
    const many = Array.from({ length: sample(40_000, 4000) }, (_, index) => 'hello '.repeat(index % 20));
    const { ids, mask, shape } = await tokenizer.encodeBatchAsync(many, { pad: { length: 20, padId: 7 } });
    expect(shape).toEqual([many.length, 20]);
    for (const row of [0, 1, 19, many.length - 1]) {
      const own = [...tokenizer.encode(many[row] as string)];
      expect([...ids.subarray(20 * row, 20 * row + 20)]).toEqual([...own, ...Array.from({ length: 20 - own.length }, () => 7)]);
      expect([...mask.subarray(20 * row, 20 * row + 20)]).toEqual(Array.from({ length: 20 }, (_, at) => Number(at < own.length)));
    }
  });

  it('throws the errors of pad() and of the batch', async () => {
    const tooShort = { pad: { length: 1 } };
    const message = '`length` must be at least 2, which row 0 has, unless `truncate` is true; received 1';
    expect(thrown(() => tokenizer.encodeBatch(['hello world'], tooShort))).toMatchObject({ name: 'RangeError', message });
    await expect(tokenizer.encodeBatchAsync(['hello world'], tooShort)).rejects.toMatchObject({ name: 'RangeError', message });
    expect(thrown(() => tokenizer.encodeBatch(texts, { pad: wrong(true) })).message).toBe('expected an object for pad but received true');
    expect(thrown(() => tokenizer.encodeBatch(texts, { pad: wrong({ side: 1 }) })).message).toBe(
      "expected 'right' or 'left' for side but received 1",
    );
    expect(thrown(() => tokenizer.encodeBatch(texts, { pad: wrong({ size: 1 }) })).message).toMatch("unknown option 'size' in pad");
    expect(thrown(() => tokenizer.countBatch(texts, wrong({ pad: {} }))).message).toMatch("unknown option 'pad'");
    const forbidden = { code: 'SPECIAL_FORBIDDEN', row: 3 };
    expect(thrown(() => tokenizer.encodeBatch(texts, { pad: { length: 1 }, special: 'forbid' }))).toMatchObject(forbidden);
    await expect(tokenizer.encodeBatchAsync(texts, { pad: { length: 1 }, special: 'forbid' })).rejects.toMatchObject(forbidden);
  });
});

function thrown(action: () => unknown): Error {
  try {
    action();
  } catch (error) {
    const line = ((error as Error).stack as string).split('\n').find((frame) => /^\s+at /.test(frame)) ?? '';
    expect(line, 'the line of the caller').toContain('batch.test.ts');
    return error as Error;
  }
  return expect.fail('nothing was thrown');
}

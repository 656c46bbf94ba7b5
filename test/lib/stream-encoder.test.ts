// streamEncoder and streamDecoder: the results and errors of each call. That the ids of all calls are correct for any
// chunks is tested in streams.test.ts, and in the tests of normalizers and added tokens.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileCartridge, type StreamEncoder, Tokenizer } from 'crayon-tokenizer';
import { engineOf } from '../../dist/node/internals.js';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { cut, pushed } from './chunks.js';
import { thrown } from './thrown.js';

const bytesOf = (text: string) => new TextEncoder().encode(text);
/** Any value, for arguments that the types would reject. */
const wrong = (value: unknown): any => value;

let tokenizer: Tokenizer;
beforeEach(() => {
  tokenizer = Tokenizer.loadSync('o200k_base');
});
afterEach(() => tokenizer.close());

/** The length of the text that an encoder's returned ids cover. */
const textOf = (...parts: Uint32Array[]) => tokenizer.decode(parts.flatMap((ids) => [...ids]));

describe('streamEncoder', () => {
  it('holds back the first 255 units, then only the last 72 bytes', () => {
    for (const as of [(text: string) => text, bytesOf]) {
      const encoder = tokenizer.streamEncoder();
      const text = 'hello world '.repeat(100);
      expect(encoder.push(as(text.slice(0, 255)))).toEqual(new Uint32Array(0));
      const first = encoder.push(as(text.slice(255, 256)));
      expect(textOf(first).length).toBeGreaterThan(256 - 90);
      expect(encoder.push(as(text.slice(256, 500)))).toEqual(new Uint32Array(0));
      const second = encoder.flush();
      expect(textOf(first, second).length).toBeGreaterThan(500 - 90);
      const third = encoder.push(as(text.slice(500)));
      expect([...first, ...second, ...third, ...encoder.end()]).toEqual([...tokenizer.encode(text)]);
    }
  });

  it('returns results in their own buffers, even if empty', () => {
    const encoder = tokenizer.streamEncoder();
    for (let index = 0; index < 3; index++) structuredClone(encoder.push('a'), { transfer: [encoder.push('a').buffer] });
    expect([...encoder.end()]).toEqual([...tokenizer.encode('aaaaaa')]);
  });

  it('joins split surrogate pairs, and encodes lone ones as U+FFFD', () => {
    const ids = (text: string) => [...tokenizer.encode(text)];
    for (const flushes of [() => true, () => false]) {
      const encoded = (chunks: string[]) => pushed(chunks, tokenizer.streamEncoder(), flushes);
      expect(encoded(['\ud83d', '\ude00'])).toEqual(ids('😀'));
      expect(encoded(['a\ud83d', '', '\ude00b'])).toEqual(ids('a😀b'));
      expect(encoded(['\ud83d'])).toEqual(ids('\ufffd'));
      expect(encoded(['\ud83d', '\ud83d', '\ude00', '\ude00'])).toEqual(ids('\ufffd😀\ufffd'));
      expect(encoded(['\ud83d', 'x'])).toEqual(ids('\ufffdx'));
      expect(encoded(['\ufeff', '\ufeffx'])).toEqual(ids('\ufeff\ufeffx'));
      expect(encoded([`${'x'.repeat(300)}\ud83d`, `\ude00${'x'.repeat(300)}`])).toEqual(ids(`${'x'.repeat(300)}😀${'x'.repeat(300)}`));
    }
  });

  it('keeps bytes that are not UTF-8', () => {
    for (let index = 0; index < sample(200, 20); index++) {
      const random = new Random(91, index);
      const bytes = Uint8Array.from({ length: random.integer(1, 600) }, () =>
        random.pick([0xff, 0xc3, 0xa9, 0xf0, 0x9f, 0x98, 0x80, 0xed, 0xa0, 0x20, 0x61]),
      );
      const expected = [...tokenizer.encode(bytes)];
      expect(pushed(cut(bytes, random, 5), tokenizer.streamEncoder()), `bytes ${index}`).toEqual(expected);
      expect(
        pushed(cut(bytes, random, 5), tokenizer.streamEncoder(), () => random.chance(0.1)),
        `bytes ${index}`,
      ).toEqual(expected);
    }
  });

  it('accepts chunks longer than it feeds at once', () => {
    const text = `${'x '.repeat(32767)}x${'😀'.repeat(70_000)} ${'hello world '.repeat(20_000)}`;
    const expected = [...tokenizer.encode(text)];
    for (const special of ['text', 'forbid'] as const) {
      expect(pushed([text], tokenizer.streamEncoder({ special }), () => false)).toEqual(expected);
      expect(pushed(['x', text.slice(1)], tokenizer.streamEncoder({ special }), () => false)).toEqual(expected);
      expect(pushed([bytesOf(text)], tokenizer.streamEncoder({ special }), () => false)).toEqual(expected);
    }
    expect(thrown(() => tokenizer.streamEncoder({ special: 'forbid' }).push(`${text}<|endoftext|> `))).toMatchObject({
      position: text.length,
    });
  });

  it('reads bytes during push, not later', () => {
    const encoder = tokenizer.streamEncoder();
    const bytes = bytesOf('hello');
    encoder.push(bytes);
    bytes.fill(0);
    encoder.push(Buffer.from(' world'));
    expect([...encoder.end()]).toEqual([24912, 2375]);
  });

  it('takes the options of encode', () => {
    const text = 'a<|endoftext|><|endofprompt|>';
    for (const special of ['text', 'allow', ['<|endofprompt|>'], []] as const) {
      expect(pushed([text], tokenizer.streamEncoder({ special }))).toEqual([...tokenizer.encode(text, { special })]);
    }
    expect(() => tokenizer.streamEncoder(wrong({ speciall: 'allow' }))).toThrow("unknown option 'speciall'; did you mean 'special'?");
    expect(thrown(() => tokenizer.streamEncoder({ special: ['<|no|>'] }))).toMatchObject({ code: 'UNKNOWN_SPECIAL', position: 0 });
  });

  it('accepts only strings or bytes', () => {
    const fails = (chunks: unknown[], message: string) => expect(() => pushed(wrong(chunks), tokenizer.streamEncoder())).toThrow(message);
    fails([5], 'expected a string or a Uint8Array for chunk but received 5');
    fails([undefined], 'expected a string or a Uint8Array for chunk but received undefined');
    fails(['a', bytesOf('b')], '`chunk` must be a string like the chunks before it; received a Uint8Array');
    fails([bytesOf('b'), ''], '`chunk` must be a Uint8Array like the chunks before it; received a string');
    const gone = bytesOf('gone');
    structuredClone(gone, { transfer: [gone.buffer] });
    fails([gone], 'transferred');
  });

  it('refuses calls after its end, an error or close, and says why', () => {
    const calls = (encoder: StreamEncoder) => [() => encoder.push('a'), () => encoder.flush(), () => encoder.end()];
    const ended = tokenizer.streamEncoder();
    ended.end();
    ended.close();
    for (const call of calls(ended))
      expect(thrown(call)).toMatchObject({
        code: 'CLOSED',
        message: expect.stringMatching(/^cannot (push|flush|end): the encoder has ended$/),
      });

    const closed = tokenizer.streamEncoder();
    closed.push('a');
    closed[Symbol.dispose]();
    closed.close();
    for (const call of calls(closed))
      expect(thrown(call)).toMatchObject({ code: 'CLOSED', message: expect.stringContaining('the encoder has been closed') });

    for (const [mistake, code] of [
      ['<|endoftext|>', 'SPECIAL_FORBIDDEN'],
      [wrong(5), undefined],
    ] as const) {
      const failed = tokenizer.streamEncoder({ special: 'forbid' });
      failed.push('né ');
      const first = thrown(() => [failed.push(mistake), failed.flush()], Error);
      expect(wrong(first).code).toBe(code);
      if (code) expect(first).toMatchObject({ position: 3 });
      for (const call of calls(failed)) {
        expect(thrown(call)).toMatchObject({
          code: 'CLOSED',
          message: expect.stringContaining(`failed before (${first.message})`),
          cause: first,
        });
      }
    }
  });

  it('throws with the stack of the failing call', () => {
    function here() {
      tokenizer.streamEncoder({ special: 'forbid' }).push('<|endoftext|>'.repeat(30));
    }
    expect(thrown(here).stack!.split('\n')[1]).toContain('at here');
  });

  it('releases its session at the end, on an error and on close', () => {
    const engine = engineOf(tokenizer as never);
    const begin = engine.begin.bind(engine);
    let open = 0;
    engine.begin = (policy, counting) => {
      const session = begin(policy, counting);
      const end = session.end.bind(session);
      open++;
      session.end = () => {
        open--;
        end();
      };
      return session;
    };
    tokenizer.streamEncoder().end();
    tokenizer.streamEncoder().close();
    thrown(() => tokenizer.streamEncoder().push(wrong(5)), TypeError);
    thrown(() => tokenizer.streamEncoder({ special: 'forbid' }).push('<|endoftext|>'.repeat(30)));
    expect(open).toBe(0);
  });

  it('keeps its vocabulary through swap, and ends with its tokenizer', async () => {
    const encoder = tokenizer.streamEncoder({ special: 'forbid' });
    const failing = tokenizer.streamEncoder({ special: 'forbid' });
    const decoder = tokenizer.streamDecoder();
    await tokenizer.swap('r50k_base');
    expect([...encoder.push('hello world'), ...encoder.end()]).toEqual([24912, 2375]);
    expect(() => pushed(['a<|endofprompt|>'], failing)).toThrow('"<|endofprompt|>" at position 1');
    expect(decoder.push([24912, 2375])).toBe('hello world');
    expect(() => decoder.push(300_000)).toThrow('the id 300000 at index 2 is not in the vocabulary of o200k_base');

    const [late, unread] = [tokenizer.streamEncoder(), tokenizer.streamDecoder()];
    late.push('hello');
    tokenizer.close();
    expect(thrown(() => late.push('a'))).toMatchObject({ code: 'CLOSED', message: 'cannot encode: the tokenizer has been closed' });
    expect(thrown(() => unread.push(1))).toMatchObject({ code: 'CLOSED' });
    for (const begin of [() => tokenizer.streamEncoder(), () => tokenizer.streamDecoder()]) expect(begin).toThrow('closed');
  });

  it("reports an unknown character's position in the whole text", async () => {
    using own = await Tokenizer.load(await compileCartridge(['a', 'aa', 'aaa', 'é', '😀', ' ']));
    for (let index = 0; index < sample(60, 12); index++) {
      const random = new Random(92, index);
      const before = random.pick(['a', 'é😀a ', 'aé', ' ']).repeat(random.pick([0, 1, 50, 3000]));
      const text = `${before}?${random.pick(['', 'aé ', 'aaaa'.repeat(900)])}`;
      const failure = { code: 'UNKNOWN_CHARACTER', message: expect.stringContaining('the character "?" (U+003F)') };
      for (const flushes of [() => random.chance(0.3), () => false]) {
        expect(
          thrown(() => pushed(cut(text, random), own.streamEncoder(), flushes)),
          `${index}`,
        ).toMatchObject({ ...failure, position: before.length });
        expect(
          thrown(() => pushed(cut(bytesOf(text), random), own.streamEncoder(), flushes)),
          `${index}`,
        ).toMatchObject({ ...failure, position: bytesOf(before).length });
      }
    }
  });
});

describe('streamDecoder', () => {
  it('returns each character when it is complete', () => {
    const decoder = tokenizer.streamDecoder();
    const parts = [...tokenizer.encode(Uint8Array.of(0xe8, 0xaa)), ...tokenizer.encode(Uint8Array.of(0x9e))];
    expect(parts.length).toBeGreaterThan(1);
    const texts = parts.map((id) => decoder.push(id));
    expect(texts).toEqual([...parts.slice(1).map(() => ''), '語']);
    expect(decoder.push(24912)).toBe('hello');
    decoder.push(parts[0]!);
    expect(decoder.end()).toBe('\ufffd');
    expect(thrown(() => decoder.push(1))).toMatchObject({ code: 'CLOSED', message: 'cannot push: the decoder has ended' });
    expect(thrown(() => decoder.end())).toMatchObject({ code: 'CLOSED', message: 'cannot end: the decoder has ended' });
  });

  it('accepts the same arguments as decode', () => {
    const decoder = tokenizer.streamDecoder();
    const chunks = [24912, [2375], Int32Array.of(24912), BigInt64Array.of(2375n), Float64Array.of(0), [], tokenizer.encode('é')];
    expect(chunks.map((chunk) => decoder.push(chunk)).join('')).toBe('hello worldhello world!é');
    const long = 'né hello world '.repeat(100_000);
    expect(decoder.push(tokenizer.encode(long)) + decoder.end()).toBe(long);
    expect(() => tokenizer.streamDecoder(wrong({ special: 'allow' }))).toThrow("unknown option 'special'");
  });

  it('reports the index of an unknown id among all ids, and then stops', () => {
    for (const id of [200_019, 0xffffffff, 2 ** 40]) {
      for (const chunks of [
        [24912, [2375, 1], 3, id],
        [24912, [2375, 1, 3, id, 7]],
      ]) {
        const decoder = tokenizer.streamDecoder();
        const error = thrown(() => chunks.map((chunk) => decoder.push(chunk)));
        expect(error).toMatchObject({
          code: 'INVALID_ID',
          position: 4,
          message: expect.stringContaining(`the id ${id} at index 4 is not in the vocabulary of o200k_base`),
        });
        expect(thrown(() => decoder.push(1))).toMatchObject({ code: 'CLOSED', cause: error });
      }
    }
    for (const [chunk, message] of [
      ['a', 'for chunk but received "a"'],
      [[1, 1.5], 'for chunk[1] but received 1.5'],
      [-1, 'for chunk[0] but received -1'],
      [1.5, 'for chunk[0] but received 1.5'],
    ] as const) {
      expect(() => tokenizer.streamDecoder().push(wrong(chunk))).toThrow(message);
    }
  });
});

// encodePipeline: texts become records, in order, a bounded number at a time.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EncodedText, type PipelineOptions, type PipelineText, Tokenizer, TokenizerError } from 'crayon-tokenizer';
import { Random } from '../fuzz/random.mjs';
import { loadTiktoken } from '../golden/tiktoken.mjs';
import { through } from './chunks.js';

/** Any value, for arguments that the types would reject. */
const wrong = (value: unknown): any => value;
/** Too long to be encoded at once. */
const LONG = 'hello world, how are you? '.repeat(3000);

let tokenizer: Tokenizer;
beforeEach(async () => {
  tokenizer = await Tokenizer.load('o200k_base');
});
afterEach(() => tokenizer.close());

const records = (texts: Iterable<string | PipelineText<unknown>>, options?: PipelineOptions): Promise<EncodedText<unknown>[]> =>
  through(texts, tokenizer.encodePipeline(options));

describe('encodePipeline', () => {
  it('yields a record for each text in order, whichever finishes first', async () => {
    const reference = await loadTiktoken('o200k_base');
    const texts = ['hello world', '', LONG, 'short', LONG.repeat(5), LONG, 'é😀', LONG, LONG, LONG, 'end'];
    const expected = texts.map((text, id) => ({ id, inputIds: reference.encode(text), length: reference.encode(text).length }));
    expect(await records(texts)).toEqual(expected);
    expect(await records([...texts].reverse())).toEqual(expected.reverse().map((record, id) => ({ ...record, id })));
    expect(await records([])).toEqual([]);
    reference.free();
  });

  it('gives each record the id of its text', async () => {
    const found = await records(['a', { id: 'b', text: 'a' }, { text: 'a' }, { id: 0n, text: LONG }, { id: null, text: 'a' }]);
    expect(found.map(({ id }) => id)).toEqual([0, 'b', 2, 0n, null]);
  });

  it('normalizes on request', async () => {
    const texts = ['cafe\u0301', '\u1100\u1161', 'e\u0301'.repeat(9000), '\u212b', 'plain', 'é', '\u0344', '\ud800e\u0301'];
    const composed = ['caf\u00e9', '\uac00', '\u00e9'.repeat(9000), '\u00c5', 'plain', 'é', '\u0308\u0301', '\ud800\u00e9'];
    const ids = (texts: string[]) => texts.map((text) => tokenizer.encode(text));
    expect((await records(texts)).map(({ inputIds }) => inputIds)).toEqual(ids(texts));
    expect((await records(texts, { normalize: 'NFC' })).map(({ inputIds }) => inputIds)).toEqual(ids(composed));
  });

  it('treats every character that NFC changes as one that it may change', () => {
    // Characters that NFC never changes lie below U+0300; unnormalized text is made of them.
    const all = Array.from({ length: 0x300 }, (_, code) => String.fromCharCode(code));
    for (const first of all.filter((_, code) => code > 0x40)) {
      const text = all.map((second) => first + second).join('');
      expect(text.normalize('NFC') === text, first).toBe(true);
    }
  });

  it('takes the options of encode, and validates all', async () => {
    const text = 'a<|endoftext|>';
    for (const special of ['text', 'allow', ['<|endoftext|>'], []] as const) {
      const [short, long] = await records([text, LONG + text], { special });
      expect(short!.inputIds).toEqual(tokenizer.encode(text, { special }));
      expect(long!.inputIds).toEqual(tokenizer.encode(LONG + text, { special }));
    }
    expect(() => tokenizer.encodePipeline(wrong({ normalise: 'NFC' }))).toThrow("unknown option 'normalise'; did you mean 'normalize'?");
    expect(() => tokenizer.encodePipeline(wrong({ normalize: 'NFKC' }))).toThrow('expected \'NFC\' for normalize but received "NFKC"');
    expect(() => tokenizer.encodePipeline(wrong({ special: 1 }))).toThrow(TypeError);
    expect(() => tokenizer.encodePipeline({ special: ['<|no|>'] })).toThrow(TokenizerError);
  });

  it('names the text of an error, and the position in it', async () => {
    const special = 'forbid' as const;
    for (const before of ['é', LONG]) {
      const failure = {
        code: 'SPECIAL_FORBIDDEN',
        row: 2,
        position: before.length,
        message: expect.stringMatching(/^texts\[2\] holds the special token "<\|endoftext\|>" at position/),
      };
      await expect(records(['a', LONG, `${before}<|endoftext|>`, 'b', LONG], { special })).rejects.toMatchObject(failure);
    }
    await expect(records(wrong([5]))).rejects.toThrow('expected a string or { id, text } for texts[0] but received 5');
    await expect(records(wrong(['a', { id: 1 }]))).rejects.toThrow('expected a string for texts[1].text but received undefined');
  });

  it('encodes no more than a few texts ahead of its reader', async () => {
    // Long enough that encoding takes several turns of the event loop.
    const random = new Random(91);
    const text = Array.from({ length: 200_000 }, () => random.next().toString(36)).join(' ');
    let given = 0;
    const texts = function* () {
      for (; given < 200; given++) yield text;
    };
    const { readable, writable } = tokenizer.encodePipeline();
    const writer = writable.getWriter();
    const writing = (async () => {
      for (const text of texts()) await writer.write(text);
    })().catch(() => undefined);
    const reader = readable.getReader();
    for (let read = 1; read <= 5; read++) {
      expect((await reader.read()).value!.id).toBe(read - 1);
      for (let turn = 0; turn < 20; turn++) await new Promise((done) => setTimeout(done));
      expect(given).toBeLessThan(read + 8);
    }
    await reader.cancel();
    await writing;
    expect(given).toBeLessThan(20);
  });

  it('yields a record without waiting for the next text', async () => {
    const { readable, writable } = tokenizer.encodePipeline();
    const [reader, writer] = [readable.getReader(), writable.getWriter()];
    for (const text of ['hello world', LONG, 'hello world']) {
      void writer.write(text);
      expect((await reader.read()).value!.inputIds).toEqual(tokenizer.encode(text));
    }
    await writer.abort(new Error('enough'));
    await expect(reader.read()).rejects.toThrow('enough');
  });

  it('keeps the vocabulary it started with until the tokenizer is closed', async () => {
    const expected = [LONG, 'hello world'].map((text) => tokenizer.encode(text));
    const { readable, writable } = tokenizer.encodePipeline();
    const [reader, writer] = [readable.getReader(), writable.getWriter()];
    await tokenizer.swap('cl100k_base');
    void writer.write(LONG);
    void writer.write('hello world');
    for (const ids of expected) expect((await reader.read()).value!.inputIds).toEqual(ids);
    void writer.close();
    expect((await reader.read()).done).toBe(true);

    const late = tokenizer.encodePipeline();
    tokenizer.close();
    await expect(through(['a'], late)).rejects.toMatchObject({ code: 'CLOSED' });
    expect(() => tokenizer.encodePipeline()).toThrow('closed');
  });
});

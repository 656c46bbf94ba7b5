// Streams, and the encoders and decoders that they use: wherever the chunks end, the result equals that of the whole text.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';
import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { loadTiktoken, type Reference } from '../golden/tiktoken.mjs';
import { SAMPLED_DISTINCT_ENCODINGS } from './encodings.js';
import { sample } from '../share.js';
import { cut, joined, pushed, streamOf, through } from './chunks.js';
import { thrown } from './thrown.js';

const KERNELS = ['scalar', 'ssse3', 'avx2', 'avx512', 'neon', 'simd128'];
const bytesOf = (text: string) => new TextEncoder().encode(text);
/** Any value, for arguments that the types would reject. */
const wrong = (value: unknown): any => value;
/** Resolves after this many turns of the event loop. */
async function turnsOfEventLoop(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((done) => setTimeout(done));
}
/** One by one, units or bytes. */
const each = <T extends { length: number; slice(from: number, to: number): T }>(text: T) =>
  Array.from({ length: text.length }, (_, at) => text.slice(at, at + 1));

describe.each(SAMPLED_DISTINCT_ENCODINGS)('%s', { timeout: 300_000 }, (name) => {
  let reference: Reference;
  const tokenizers: Tokenizer[] = [];
  beforeAll(async () => {
    reference = await loadTiktoken(name);
    for (const kernel of KERNELS) {
      try {
        tokenizers.push(await Tokenizer.load(name, { kernel }));
      } catch (error) {
        if ((error as { code?: string }).code !== 'UNKNOWN_KERNEL') throw error;
      }
    }
    expect(tokenizers).not.toEqual([]);
  });
  afterAll(() => {
    for (const tokenizer of tokenizers) tokenizer.close();
    reference.free();
  });

  it("encodes strings and bytes, cut anywhere, like the reference's whole text", async () => {
    for (let index = 0; index < sample(160, 16); index++) {
      const random = new Random(71, index);
      let text = '';
      for (let part = 0; part < 6; part++) text += nastyString(70, 6 * index + part);
      const expected = [...reference.encode(text)];
      const tokenizer = tokenizers[index % tokenizers.length]!;
      const where = `${tokenizer.backend.kernel}, text ${index}`;
      expect(joined(await through(cut(text, random), tokenizer.encodeStream())), where).toEqual(expected);
      expect(joined(await through(cut(bytesOf(text), random), tokenizer.encodeStream())), where).toEqual(expected);
      const sometimes = () => random.chance(0.3);
      for (const flushes of [() => true, sometimes, () => false]) {
        for (const units of [cut(text, random), each(text)])
          expect(pushed(units, tokenizer.streamEncoder(), flushes), where).toEqual(expected);
        for (const bytes of [cut(bytesOf(text), random), each(bytesOf(text))])
          expect(pushed(bytes, tokenizer.streamEncoder(), flushes), where).toEqual(expected);
      }
    }
  });

  it('finds special tokens across chunks', async () => {
    const names = Object.keys(reference.specialTokens);
    for (let index = 0; index < sample(80, 8); index++) {
      const random = new Random(72, index);
      let text = '';
      for (let part = 0; part < 8; part++) {
        const special = random.pick(names);
        text += nastyString(73, 8 * index + part).slice(0, 40) + special + (random.chance(0.3) ? special.slice(0, -1) : '');
      }
      const tokenizer = tokenizers[index % tokenizers.length]!;
      const expected = [...reference.encodeAllowingSpecial(text)];
      for (const chunks of [cut(text, random), each(text), cut(bytesOf(text), random), each(bytesOf(text))]) {
        const ids = joined(await through<string | Uint8Array, Uint32Array>(chunks, tokenizer.encodeStream({ special: 'allow' })));
        expect(ids, `${tokenizer.backend.kernel}, text ${index}`).toEqual(expected);
        for (const flushes of [() => true, () => random.chance(0.3)]) {
          expect(pushed<string | Uint8Array>(chunks, tokenizer.streamEncoder({ special: 'allow' }), flushes), `text ${index}`).toEqual(
            expected,
          );
        }
      }
    }
  });

  it('decodes ids, one by one or in lists, as the bytes of the tokens', async () => {
    const vocabulary = reference.vocabulary();
    for (const text of Object.keys(reference.specialTokens)) vocabulary[reference.specialTokens[text]!] = bytesOf(text);
    // Tokens of partial characters are rare; here they often meet each other, and whole characters.
    const known = [...vocabulary.keys()].filter((id) => vocabulary[id]);
    const partial = known.filter((id) => vocabulary[id]!.some((byte) => byte >= 0x80));
    const specials = Object.values(reference.specialTokens);
    for (let index = 0; index < sample(160, 16); index++) {
      const random = new Random(74, index);
      const ids = Array.from({ length: random.integer(0, 200) }, () =>
        random.chance(0.05) ? random.pick(specials) : random.pick(random.chance(0.7) ? partial : known),
      );
      if (index % 8 === 0) ids.unshift(...reference.encode('\ufeffa'));
      const tokenizer = tokenizers[index % tokenizers.length]!;
      for (const skipSpecialTokens of [false, true]) {
        const kept = skipSpecialTokens ? ids.filter((id) => !specials.includes(id)) : ids;
        const bytes = Uint8Array.from(kept.flatMap((id) => [...vocabulary[id]!]));
        const expected = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
        for (const chunks of [ids, cut(ids, random, 6), cut(Uint32Array.from(ids), random, 6)]) {
          const parts = await through<number | number[] | Uint32Array, string>(chunks, tokenizer.decodeStream({ skipSpecialTokens }));
          expect(parts.join(''), `text ${index}`).toBe(expected);
          expect(parts).not.toContain('');
          const decoder = tokenizer.streamDecoder({ skipSpecialTokens });
          const texts = chunks.map((chunk) => decoder.push(chunk));
          expect(texts.join('') + decoder.end(), `text ${index}`).toBe(expected);
        }
      }
    }
  });
});

describe('encodeStream', () => {
  let tokenizer: Tokenizer;
  beforeAll(async () => {
    tokenizer = await Tokenizer.load('o200k_base');
  });
  afterAll(() => tokenizer.close());

  const encoded = async (chunks: Iterable<string | Uint8Array>, options?: Parameters<Tokenizer['encodeStream']>[0]) =>
    joined(await through(chunks, tokenizer.encodeStream(options)));

  it('of an empty stream is empty', async () => {
    expect(await through([], tokenizer.encodeStream())).toEqual([]);
    expect(await through(['', ''], tokenizer.encodeStream())).toEqual([]);
    expect(await through([new Uint8Array(0)], tokenizer.encodeStream())).toEqual([]);
  });

  it('joins split surrogate pairs, and encodes lone ones as U+FFFD', async () => {
    const ids = (text: string) => [...tokenizer.encode(text)];
    expect(await encoded(['\ud83d', '\ude00'])).toEqual(ids('😀'));
    expect(await encoded(['a\ud83d', '', '\ude00b'])).toEqual(ids('a😀b'));
    expect(await encoded(['\ud83d'])).toEqual(ids('\ufffd'));
    expect(await encoded(['\ud83d', '\ud83d', '\ude00', '\ude00'])).toEqual(ids('\ufffd😀\ufffd'));
    expect(await encoded(['\ud83d', 'x'])).toEqual(ids('\ufffdx'));
    expect(await encoded(['\ufeff', '\ufeffx'])).toEqual(ids('\ufeff\ufeffx'));
  });

  it('keeps bytes that are not UTF-8', async () => {
    for (let index = 0; index < sample(200, 20); index++) {
      const random = new Random(75, index);
      const bytes = Uint8Array.from({ length: random.integer(1, 300) }, () =>
        random.pick([0xff, 0xc3, 0xa9, 0xf0, 0x9f, 0x98, 0x80, 0xed, 0xa0, 0x20, 0x61]),
      );
      const ids = await encoded(cut(bytes, random, 5));
      expect([...tokenizer.decodeBytes(ids)], `bytes ${index}`).toEqual([...bytes]);
      expect(ids, `bytes ${index}`).toEqual([...tokenizer.encode(bytes)]);
    }
  });

  it('accepts pieces longer than it feeds at once', async () => {
    const random = new Random(76);
    for (const text of [
      `${'a'.repeat(200_000)} b`,
      ' '.repeat(150_000),
      '語'.repeat(70_000),
      `${'x '.repeat(32767)}x${'😀'.repeat(70_000)}`,
    ]) {
      const expected = [...tokenizer.encode(text)];
      expect(await encoded([text])).toEqual(expected);
      expect(await encoded(cut(text, random, 30_000))).toEqual(expected);
      expect(await encoded([bytesOf(text)])).toEqual(expected);
    }
  });

  it('emits ids before the text ends', async () => {
    const { readable, writable } = tokenizer.encodeStream();
    const [reader, writer] = [readable.getReader(), writable.getWriter()];
    // The engine works in blocks of 64 bytes, so the last ones wait; the rest is emitted at once.
    const text = 'hello world '.repeat(40);
    const expected = [...tokenizer.encode(text.repeat(3))];
    const first: number[] = [];
    for (let parts = 1; parts <= 3; parts++) {
      void writer.write(text);
      first.push(...(await reader.read()).value!);
      expect(first).toEqual(expected.slice(0, first.length));
      expect(tokenizer.decode(first).length).toBeGreaterThan(parts * text.length - 90);
    }
    void writer.close();
    expect([...first, ...(await reader.read()).value!]).toEqual(expected);
    expect((await reader.read()).done).toBe(true);
    await writer.closed;
  });

  it('emits the ids of a long piece a few at a time, each in memory of its own', async () => {
    const random = new Random(5);
    const letters = Array.from({ length: 400_000 }, () => String.fromCharCode(97 + random.below(26))).join('');
    const emitted: Uint32Array[] = [];
    for await (const ids of streamOf([letters, ' end']).pipeThrough(tokenizer.encodeStream())) {
      expect(ids.length).toBeLessThanOrEqual(65_536);
      emitted.push(structuredClone(ids, { transfer: [ids.buffer as ArrayBuffer] }));
    }
    expect(emitted.length).toBeGreaterThan(2);
    expect(joined(emitted)).toEqual([...tokenizer.encode(`${letters} end`)]);
  });

  it('reads the body of a response', async () => {
    const text = 'né 😀 hello world. '.repeat(5000);
    const ids: number[] = [];
    for await (const chunk of new Response(text).body!.pipeThrough(tokenizer.encodeStream())) ids.push(...chunk);
    expect(ids).toEqual([...tokenizer.encode(text)]);
  });

  it('composes with decodeStream', async () => {
    const text = 'né 😀 hello\r\n 語 world. '.repeat(300);
    const chunks = cut(bytesOf(text), new Random(77));
    expect((await through(await through(chunks, tokenizer.encodeStream()), tokenizer.decodeStream())).join('')).toBe(text);
  });

  it('takes the options of encode', async () => {
    const text = 'a<|endoftext|><|endofprompt|>';
    for (const special of ['text', 'allow', ['<|endofprompt|>'], []] as const) {
      expect(await encoded([text], { special })).toEqual([...tokenizer.encode(text, { special })]);
    }
    expect(() => tokenizer.encodeStream(wrong({ speciall: 'allow' }))).toThrow("unknown option 'speciall'; did you mean 'special'?");
    expect(() => tokenizer.encodeStream(wrong(1))).toThrow('expected an object for options but received 1');
    expect(thrown(() => tokenizer.encodeStream({ special: ['<|no|>'] }))).toMatchObject({ code: 'UNKNOWN_SPECIAL', position: 0 });
    // Later changes to the caller's list have no effect.
    const special = ['<|endoftext|>'];
    const stream = tokenizer.encodeStream({ special });
    special.pop();
    expect(joined(await through(['<|endoftext|>'], stream))).toEqual([199999]);
  });

  it("reports a forbidden token's position in the whole text", async () => {
    const special = 'forbid' as const;
    const before = ['', 'é😀x ', 'é😀x '.repeat(7), '語 '.repeat(900), 'hello world '.repeat(9000), 'é😀x '.repeat(30_000)];
    for (let index = 0; index < sample(30, 2 * before.length); index++) {
      const random = new Random(78, index);
      const start = before[index % before.length]!;
      const after = random.pick(['', '<|endofprompt|>', ' and more']);
      const text = `${start}<|endoftext|>${after}`;
      const expected = {
        code: 'SPECIAL_FORBIDDEN',
        position: start.length,
        message: thrown(() => tokenizer.encode(text, { special })).message,
      };
      expect(expected.message).toContain(`"<|endoftext|>" at position ${start.length}`);
      for (const chunks of [cut(text, random, 9000), [text]]) await expect(encoded(chunks, { special })).rejects.toMatchObject(expected);
      const bytes = bytesOf(text);
      const inBytes = { code: 'SPECIAL_FORBIDDEN', position: bytesOf(start).length };
      await expect(encoded(cut(bytes, random, 9000), { special })).rejects.toMatchObject(inBytes);
      if (text.length > 100_000) continue;
      for (const flushes of [() => random.chance(0.3), () => false]) {
        expect(thrown(() => pushed(cut(text, random), tokenizer.streamEncoder({ special }), flushes))).toMatchObject(expected);
        expect(thrown(() => pushed(cut(bytes, random), tokenizer.streamEncoder({ special }), flushes))).toMatchObject(inBytes);
      }
    }
    // The memory of a chunk may be detached when a later one completes the token.
    const { readable, writable } = tokenizer.encodeStream({ special });
    const writer = writable.getWriter();
    const read = readable
      .getReader()
      .read()
      .catch((error) => error);
    const first = bytesOf('né <|endof');
    await writer.write(first);
    structuredClone(first, { transfer: [first.buffer] });
    const failure = { code: 'SPECIAL_FORBIDDEN', position: 4, message: expect.stringContaining('"<|endoftext|>"') };
    const closed = expect(writer.closed).rejects.toMatchObject(failure);
    await writer.write(bytesOf('text|>'));
    expect(await read).toMatchObject(failure);
    await closed;
    await expect(encoded(['<|endoftex'], { special })).resolves.toEqual([...tokenizer.encode('<|endoftex')]);
  });

  it('accepts only strings or bytes', async () => {
    await expect(encoded(wrong([5]))).rejects.toThrow('expected a string or a Uint8Array for chunk but received 5');
    await expect(encoded(wrong([undefined]))).rejects.toThrow(TypeError);
    await expect(encoded(wrong([new ArrayBuffer(1)]))).rejects.toThrow(TypeError);
    await expect(encoded(['a', bytesOf('b')])).rejects.toThrow('`chunk` must be a string like the chunks before it; received a Uint8Array');
    await expect(encoded([bytesOf('b'), ''])).rejects.toThrow('`chunk` must be a Uint8Array like the chunks before it; received a string');
    const gone = bytesOf('gone');
    structuredClone(gone, { transfer: [gone.buffer] });
    await expect(encoded([gone])).rejects.toThrow('transferred');
  });

  it('fails on both sides', async () => {
    const { readable, writable } = tokenizer.encodeStream({ special: 'forbid' });
    const [reader, writer] = [readable.getReader(), writable.getWriter()];
    const read = reader.read();
    const failure = { code: 'SPECIAL_FORBIDDEN', position: 1 };
    const results = [read, writer.closed, reader.closed].map((promise) => expect(promise).rejects.toMatchObject(failure));
    await writer.write('a<|endoftext|>'); // accepted, and encoded when the source pauses
    await Promise.all(results);
    await expect(writer.write(' ')).rejects.toMatchObject(failure);
    // A long chunk is encoded by its own write.
    const other = tokenizer.encodeStream({ special: 'forbid' });
    const rest = other.readable.pipeTo(new WritableStream()).catch((error) => error);
    await expect(other.writable.getWriter().write(`a<|endoftext|>${' a'.repeat(200)}`)).rejects.toMatchObject(failure);
    expect(await rest).toMatchObject(failure);
  });

  it('can be cancelled, and aborted, also while a write waits for the reader', async () => {
    for (const side of ['cancel', 'abort'] as const) {
      const { readable, writable } = tokenizer.encodeStream();
      const [reader, writer] = [readable.getReader(), writable.getWriter()];
      const write = writer.write('hello world '.repeat(40_000));
      const results = [write, writer.closed, reader.closed].map((promise) =>
        promise.then(
          () => 'done',
          (error) => error,
        ),
      );
      await reader.read(); // and no more, so that the rest of the chunk waits
      const reason = new Error('enough');
      await (side === 'cancel' ? reader.cancel(reason) : writer.abort(reason));
      const [written, closed, ended] = await Promise.all(results);
      expect([written, closed]).toEqual([reason, reason]);
      expect(ended).toBe(side === 'cancel' ? 'done' : reason);
      await expect(writer.write('x')).rejects.toBe(reason);
      await expect(writer.close()).rejects.toThrow();
    }
  });

  it('takes no more than its reader wants, except short chunks, which it gathers', async () => {
    for (const [chunk, perRead] of [
      ['hello world '.repeat(22), 1],
      ['hello world ', 22],
    ] as const) {
      let given = 0;
      const chunks = function* () {
        for (; given < 1000; given++) yield chunk;
      };
      const reader = streamOf(chunks()).pipeThrough(tokenizer.encodeStream()).getReader();
      for (let read = 1; read <= 5; read++) {
        await reader.read();
        await new Promise((done) => setTimeout(done));
        // Some wait in the previous stream, in the writable side, and in the pipe between them.
        expect(given).toBeLessThan(perRead * read + 8);
      }
      await reader.cancel();
      expect(given).toBeLessThan(5 * perRead + 11);
    }
  });

  it('emits few results for many short chunks, and everything ready when the source pauses', async () => {
    const text = 'hello world, how are you? '.repeat(60);
    const parts = await through(each(text), tokenizer.encodeStream());
    expect(joined(parts)).toEqual([...tokenizer.encode(text)]);
    // More on a busy machine: each time slice emits what is ready.
    expect(parts.length).toBeLessThan(text.length / 32);

    const { readable, writable } = tokenizer.encodeStream();
    const [reader, writer] = [readable.getReader(), writable.getWriter()];
    const ids: number[] = [];
    for (let at = 0; at < 1000; at += 100) {
      void writer.write(text.slice(at, at + 100));
      if (at === 0) continue; // the engine may wait for the rest of its first blocks
      const late = turnsOfEventLoop(5).then(() => 'nothing has come');
      const result = await Promise.race([reader.read(), late]);
      if (typeof result === 'string') expect.fail(`${result} of ${at + 100} units`);
      ids.push(...result.value!);
      expect(tokenizer.decode(ids).length).toBeGreaterThan(at + 100 - 90);
    }
    await reader.cancel();
  });

  it('leaves room for other work, within a chunk and between chunks', async () => {
    const random = new Random(79);
    const text = Array.from({ length: 600_000 }, () => random.next().toString(36)).join(' ');
    const inChunks = (size: number, length: number) =>
      Array.from({ length: length / size }, (_, at) => text.slice(at * size, (at + 1) * size));
    for (const chunks of [[text], inChunks(4096, text.length), inChunks(1, 30_000)]) {
      let turns = 0;
      const timer = setInterval(() => turns++, 0);
      const ids = await through(chunks, tokenizer.encodeStream());
      clearInterval(timer);
      expect(turns).toBeGreaterThan(0);
      expect(ids.reduce((sum, { length }) => sum + length, 0)).toBe(tokenizer.count(chunks.join('')));
    }
  });
});

describe('decodeStream', () => {
  let tokenizer: Tokenizer;
  beforeAll(async () => {
    tokenizer = await Tokenizer.load('o200k_base');
  });
  afterAll(() => tokenizer.close());

  const decoded = async (chunks: Iterable<any>) => (await through(chunks, tokenizer.decodeStream())).join('');

  it('of an empty stream is empty', async () => {
    expect(await through([], tokenizer.decodeStream())).toEqual([]);
    expect(await through([[], new Uint32Array(0)], tokenizer.decodeStream())).toEqual([]);
  });

  it('emits each character when it is complete', async () => {
    const ids = tokenizer.encode(Uint8Array.of(0xe8, 0xaa)); // two of the three bytes of 語
    const rest = tokenizer.encode(Uint8Array.of(0x9e));
    const { readable, writable } = tokenizer.decodeStream();
    const [reader, writer] = [readable.getReader(), writable.getWriter()];
    void writer.write(24912);
    expect((await reader.read()).value).toBe('hello');
    for (const id of ids) void writer.write(id);
    void writer.write(rest);
    expect((await reader.read()).value).toBe('語');
    for (const id of ids) void writer.write(id);
    void writer.close();
    expect((await reader.read()).value).toBe('\ufffd');
    expect((await reader.read()).done).toBe(true);
  });

  it('accepts the same ids as decode', async () => {
    expect(
      await decoded([24912, [2375], Int32Array.of(24912), BigInt64Array.of(2375n), Float64Array.of(0), [], tokenizer.encode('é')]),
    ).toBe('hello worldhello world!é');
    const long = tokenizer.encode('hello world '.repeat(200_000));
    expect(await decoded([long])).toBe('hello world '.repeat(200_000));
  });

  it('reports the index of an unknown id in the stream', async () => {
    for (const id of [200_019, 0xffffffff, 2 ** 40]) {
      const failure = {
        code: 'INVALID_ID',
        position: 4,
        message: expect.stringContaining(`the id ${id} at index 4 is not in the vocabulary of o200k_base`),
      };
      await expect(decoded([24912, [2375, 1], 3, id])).rejects.toMatchObject(failure);
      await expect(decoded([24912, [2375, 1, 3, id, 7]])).rejects.toMatchObject(failure);
    }
    const long = new Uint32Array(100_000);
    long[99_999] = 300_000;
    await expect(decoded([1, long])).rejects.toMatchObject({
      code: 'INVALID_ID',
      position: 100_000,
      message: expect.stringContaining('index 100000'),
    });
  });

  it('refuses values that are not ids', async () => {
    await expect(decoded(['a'])).rejects.toThrow('expected a token id or a list of them for chunk but received "a"');
    await expect(decoded([[1, 1.5]])).rejects.toThrow('expected a token id (an integer of 0 or more) for chunk[1] but received 1.5');
    await expect(decoded([-1])).rejects.toThrow(TypeError);
    expect(() => tokenizer.decodeStream(wrong({ special: 'allow' }))).toThrow("unknown option 'special'");
    expect(() => tokenizer.decodeStream(wrong({ skipSpecialTokens: 1 }))).toThrow(
      'expected a boolean for skipSpecialTokens but received 1',
    );
  });
});

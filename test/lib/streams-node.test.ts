// Streams of the API together with Node's, and the lifetime of their resources.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { compileCartridge, Tokenizer } from 'crayon-tokenizer';
import { engineOf } from '../../dist/node/internals.js';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { cut, joined, streamOf, through } from './chunks.js';

const project = fileURLToPath(new URL('../../', import.meta.url));
const entry = new URL('../../dist/node/index.js', import.meta.url).href;
const backend = inject('backend');
const HELLO = [24912, 2375];
const LONG = 'hello world '.repeat(200_000);
const bytesOf = (text: string) => new TextEncoder().encode(text);

let tokenizer: Tokenizer;
beforeEach(() => {
  tokenizer = Tokenizer.loadSync('o200k_base');
});
afterEach(() => tokenizer.close());

describe('with node:stream', () => {
  it('fits into a pipeline', async () => {
    const ids: number[] = [];
    const collect = new Writable({
      objectMode: true,
      write(chunk: Uint32Array, _, done) {
        ids.push(...chunk);
        done();
      },
    });
    await pipeline(Readable.from([Buffer.from('hello wo'), Buffer.from('rld')]), tokenizer.encodeStream() as never, collect);
    expect(ids).toEqual(HELLO);

    async function* words() {
      yield 'hello';
      yield ' world';
    }
    let text = '';
    const join = async (parts: AsyncIterable<string>) => {
      for await (const part of parts) text += part;
    };
    await pipeline(Readable.from(words()), tokenizer.encodeStream() as never, tokenizer.decodeStream() as never, join as never);
    expect(text).toBe('hello world');
    await expect(
      pipeline(Readable.from(['<|endoftext|>']), tokenizer.encodeStream({ special: 'forbid' }) as never, collect),
    ).rejects.toMatchObject({ code: 'SPECIAL_FORBIDDEN' });
  });

  it('accepts a stream from Readable.toWeb', async () => {
    const ids: number[] = [];
    const web = Readable.toWeb(Readable.from(['hello', ' world'])) as ReadableStream<string>;
    for await (const chunk of web.pipeThrough(tokenizer.encodeStream())) ids.push(...chunk);
    expect(ids).toEqual(HELLO);
    const parts = await Readable.fromWeb(streamOf(HELLO).pipeThrough(tokenizer.decodeStream()) as never).toArray();
    expect(parts.join('')).toBe('hello world');
  });
});

/** Counts the calls to a tokenizer's sessions. */
function watched(of: Tokenizer) {
  const engine = engineOf(of as never);
  const begin = engine.begin.bind(engine);
  const seen = { open: 0, longest: 0, units: 0 };
  engine.begin = (policy, counting) => {
    const session = begin(policy, counting);
    const [feed, end] = [session.feed.bind(session), session.end.bind(session)];
    seen.open++;
    session.feed = (text, last) => {
      seen.longest = Math.max(seen.longest, text.length);
      seen.units += text.length;
      return feed(text, last);
    };
    session.end = () => {
      seen.open--;
      end();
    };
    return session;
  };
  return seen;
}

describe('the session', () => {
  it('is fed slices on demand, even of one chunk', async () => {
    for (const chunk of [LONG, bytesOf(LONG)]) {
      const other = Tokenizer.loadSync('o200k_base');
      const seen = watched(other);
      const { readable, writable } = other.encodeStream();
      const [reader, writer] = [readable.getReader(), writable.getWriter()];
      const write = writer.write(chunk).catch(() => undefined);
      for (let turn = 0; turn < 5; turn++) await new Promise((done) => setTimeout(done));
      expect(seen).toEqual({ open: 1, longest: 0, units: 0 });
      await reader.read();
      for (let turn = 0; turn < 5; turn++) await new Promise((done) => setTimeout(done));
      expect(seen).toEqual({ open: 1, longest: 65536, units: 65536 });
      await reader.cancel();
      expect(seen.open).toBe(0);
      await write;
      other.close();
    }
  });

  it('is released at the end, by a failure, by abort and by cancel', async () => {
    const seen = watched(tokenizer);
    await through(['hello'], tokenizer.encodeStream());
    expect(seen.open).toBe(0);
    await through([5 as never], tokenizer.encodeStream()).catch(() => undefined);
    expect(seen.open).toBe(0);
    await through(['<|endoftext|> '.repeat(9)], tokenizer.encodeStream({ special: 'forbid' })).catch(() => undefined);
    expect(seen.open).toBe(0);
    for (const chunk of [undefined, 'hello', LONG]) {
      for (const side of ['abort', 'cancel', 'break'] as const) {
        const { readable, writable } = tokenizer.encodeStream();
        const writer = writable.getWriter();
        const write = chunk === undefined ? undefined : writer.write(chunk).catch(() => undefined);
        writer.closed.catch(() => undefined);
        if (side === 'break') {
          if (chunk !== LONG) void writer.close();
          for await (const _ of readable) break;
        } else if (side === 'cancel') await readable.cancel();
        else await writer.abort();
        expect(seen.open, `${side} after ${chunk?.length}`).toBe(0);
        await write;
      }
    }
  });

  it('is released in a later turn of the event loop', async () => {
    const seen = watched(tokenizer);
    const random = new Random(83);
    const words = Array.from({ length: 300_000 }, () => random.next().toString(36)).join(' ');
    const { readable, writable } = tokenizer.encodeStream();
    const writer = writable.getWriter();
    const write = writer.write(words).catch(() => 'failed');
    const read = readable.pipeTo(new WritableStream()).catch(() => 'failed');
    await new Promise((done) => setTimeout(done));
    await writer.abort(new Error('enough'));
    expect(await Promise.all([write, read])).toContain('failed');
    expect(seen.open).toBe(0);
    expect(seen.units).toBeLessThan(words.length);
  });
});

describe('an error in a pipe', () => {
  it('has a stack that begins where the stream was created', async () => {
    const made = [
      ['encodeStream', 'a<|endoftext|>', () => tokenizer.encodeStream({ special: 'forbid' })],
      ['encodeStream', 5, () => tokenizer.encodeStream()],
      ['decodeStream', 300_000, () => tokenizer.decodeStream()],
      ['encodePipeline', 'a<|endoftext|>', () => tokenizer.encodePipeline({ special: 'forbid' })],
    ] as const;
    for (const [name, chunk, make] of made) {
      const error = await through([chunk as never], make() as TransformStream<never, unknown>).then(
        () => undefined,
        (failure: Error) => failure,
      );
      expect(error, name).toBeInstanceOf(Error);
      expect(
        error?.stack?.split('\n').find((line) => /^\s+at /.test(line)),
        name,
      ).toContain('streams-node.test.ts');
    }
  });

  it('of the user keeps its own stack', async () => {
    const own = new Error('mine');
    const { stack } = own;
    const failing = new ReadableStream<string>({ pull: (controller) => controller.error(own) });
    await expect(failing.pipeThrough(tokenizer.encodeStream()).getReader().read()).rejects.toBe(own);
    expect(own.stack).toBe(stack);
  });
});

describe('the vocabulary', () => {
  it('stays the one at the beginning', async () => {
    const encoding = tokenizer.encodeStream({ special: 'forbid' });
    const failing = tokenizer.encodeStream({ special: 'forbid' });
    const decoding = tokenizer.decodeStream();
    const refusing = tokenizer.decodeStream();
    await tokenizer.swap('r50k_base');
    expect(joined(await through(['hello', ' world'], encoding))).toEqual(HELLO);
    await expect(through(['a<|endofprompt|>'], failing)).rejects.toThrow('"<|endofprompt|>" at position 1');
    expect((await through(HELLO, decoding)).join('')).toBe('hello world');
    await expect(through([1, 300_000], refusing)).rejects.toThrow(
      'the id 300000 at index 1 is not in the vocabulary of o200k_base, whose ids are below 200019',
    );
    expect([...tokenizer.encode('hello world')]).toEqual([31373, 995]);
    expect((await through([31373, 995], tokenizer.decodeStream())).join('')).toBe('hello world');
  });

  it('of using() lives until its streams have ended', async () => {
    const [encoding, decoding] = await tokenizer.using('r50k_base', (other) => [other.encodeStream(), other.decodeStream()] as const);
    expect(joined(await through(['hello', ' world'], encoding))).toEqual([31373, 995]);
    expect((await through([31373, 995], decoding)).join('')).toBe('hello world');
  });

  it('of a closed tokenizer is released', async () => {
    const encoding = tokenizer.encodeStream();
    const decoding = tokenizer.decodeStream();
    const { readable, writable } = tokenizer.encodeStream();
    const writer = writable.getWriter();
    const closed = { code: 'CLOSED' };
    const results = [readable.getReader().read(), writer.closed].map((promise) => expect(promise).rejects.toMatchObject(closed));
    await writer.write('hello');
    tokenizer.close();
    await expect(through(['a'], encoding)).rejects.toMatchObject(closed);
    await expect(through([1], decoding)).rejects.toMatchObject(closed);
    await expect(writer.write(' world')).rejects.toMatchObject(closed);
    await Promise.all(results);
    for (const begin of [() => tokenizer.encodeStream(), () => tokenizer.decodeStream()]) expect(begin).toThrow('closed');
  });

  it.skipIf(backend !== 'native' || !existsSync('/proc/self/maps'))('is released when the streams have ended or were collected', () => {
    const printed = execFileSync(
      process.execPath,
      [
        '--expose-gc',
        '--input-type=module',
        '-e',
        `import { readFileSync } from 'node:fs';
         import { setImmediate } from 'node:timers/promises';
         import { Tokenizer } from ${JSON.stringify(entry)};
         const isMapped = () => readFileSync('/proc/self/maps', 'utf8').includes('/p50k_base.cray');
         const tokenizer = Tokenizer.loadSync('p50k_base');
         const ended = [tokenizer.encodeStream(), tokenizer.decodeStream(), tokenizer.encodePipeline()];
         await tokenizer.swap('r50k_base');
         const during = isMapped();
         for (const { readable, writable } of ended) { writable.close(); await readable.getReader().read(); }
         const after = isMapped();

         await tokenizer.swap('p50k_base');
         await (async () => {
           for (let i = 0; i < 5; i++) {
             const { readable, writable } = tokenizer.encodeStream();
             const reader = readable.getReader();
             writable.getWriter().write('hello world '.repeat(100)).catch(() => undefined);
             await reader.read();
             tokenizer.decodeStream();
             tokenizer.encodePipeline();
           }
         })();
         await tokenizer.swap('r50k_base');
         const before = isMapped();
         let rounds = 0;
         while (isMapped() && rounds++ < 100) { globalThis.gc(); await setImmediate(); }
         console.log(during, after, before, isMapped(), tokenizer.count('hello world'));`,
      ],
      { encoding: 'utf8', cwd: project },
    );
    expect(printed.trim()).toBe('true false true false 2');
  });
});

describe('an unknown character', () => {
  it('is reported with its position in the whole text', async () => {
    using own = await Tokenizer.load(await compileCartridge(['a', 'aa', 'aaa', 'é', '😀', ' ']));
    for (let index = 0; index < sample(60, 12); index++) {
      const random = new Random(81, index);
      // Without the space, the whole text is one piece.
      const before = random.pick(['a', 'é😀a ', 'aé', ' ']).repeat(random.pick([0, 1, 50, 3000, 90_000]));
      const text = `${before}?${random.pick(['', 'aé ', 'aaaa'.repeat(9000)])}`;
      const failure = {
        code: 'UNKNOWN_CHARACTER',
        position: before.length,
        message: expect.stringContaining('the character "?" (U+003F)'),
      };
      await expect(through(cut(text, random, 20_000), own.encodeStream())).rejects.toMatchObject(failure);
      const bytes = cut(bytesOf(text), random, 20_000);
      await expect(through(bytes, own.encodeStream())).rejects.toMatchObject({ ...failure, position: bytesOf(before).length });
    }
  });
});

it('a host without web streams gets a clear error', () => {
  const { ReadableStream } = globalThis;
  try {
    Reflect.deleteProperty(globalThis, 'ReadableStream');
    for (const name of ['encodeStream', 'decodeStream', 'encodePipeline'] as const) {
      expect(() => tokenizer[name]()).toThrow(`${name} needs web streams`);
    }
  } finally {
    Object.assign(globalThis, { ReadableStream });
  }
});

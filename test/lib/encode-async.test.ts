// encodeAsync, countAsync and encodeBatchAsync on the calling thread: the same ids and errors as their synchronous calls,
// turns of the event loop in between, and jobs that are aborted, or whose tokenizer is closed or swaps its vocabulary. The
// pool of workers has its own tests (worker-pool.test.ts).

import { getEventListeners } from 'node:events';
import { type AsyncOptions, type SpecialPolicy, TokenBatch, Tokenizer, TokenizerError } from 'crayon-tokenizer';
import { get_encoding } from 'tiktoken';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { engineOf } from '../../dist/node/internals.js';
import { utf8Of } from '../fuzz/differential.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { sample } from '../share.js';

const encoder = new TextEncoder();
const HELLO = [24912, 2375];
/** Several turns of work, and several slices. */
const LONG = 'hello world, 東京 — naïve café 😀\n'.repeat(60_000);
const SLICE = 64 * 1024;

let tokenizer: Tokenizer;
beforeEach(async () => {
  tokenizer = await Tokenizer.load('o200k_base');
});
afterEach(() => tokenizer.close());

/** Any value, for arguments that the types would reject. */
const wrong = (value: unknown): any => value;

/** Each call, for one text and for several. */
const CALLS: [string, (text: string | Uint8Array, options?: AsyncOptions) => Promise<unknown>][] = [
  ['encodeAsync', (text, options) => tokenizer.encodeAsync(text, options)],
  ['countAsync', (text, options) => tokenizer.countAsync(text, options)],
  ['encodeBatchAsync', (text, options) => tokenizer.encodeBatchAsync(['a', text], options)],
];

/** Like toEqual, which takes seconds for a million ids. */
function expectIds(ids: Uint32Array, expected: Uint32Array): void {
  expect(ids).toBeInstanceOf(Uint32Array);
  expect(ids.length).toBe(expected.length);
  expect(
    Buffer.compare(
      Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength),
      Buffer.from(expected.buffer, expected.byteOffset, expected.byteLength),
    ),
  ).toBe(0);
}

function expectBatch(batch: TokenBatch, expected: TokenBatch): void {
  expectIds(batch.ids, expected.ids);
  expectIds(batch.offsets, expected.offsets);
}

async function expectSame(text: string | Uint8Array, special: SpecialPolicy = 'text'): Promise<void> {
  const ids = tokenizer.encode(text, { special });
  expectIds(await tokenizer.encodeAsync(text, { special }), ids);
  expect(await tokenizer.countAsync(text, { special })).toBe(ids.length);
}

/** In the addon, jobs run on threads, which continue after the tokenizer is closed: see threads.test.ts. */
const hasThreads = process.env.CRAYON_TEST_ENTRY === undefined;

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  );

describe('ids', () => {
  it("equal tiktoken's", async () => {
    const reference = get_encoding('o200k_base');
    const texts = Array.from({ length: sample(200, 20) }, (_, index) => nastyString(7, index));
    const rows = texts.map((text) => [...reference.encode(text, [], [])]);
    const batch = await tokenizer.encodeBatchAsync(texts);
    expect(batch).toBeInstanceOf(TokenBatch);
    expect([...batch].map((row) => [...row])).toEqual(rows);
    for (const [index, text] of texts.entries()) {
      expect([...(await tokenizer.encodeAsync(text))]).toEqual(rows[index]);
      expect(await tokenizer.countAsync(text)).toBe((rows[index] as number[]).length);
    }
    reference.free();
  });

  it('equal the ids of encode, wherever slices end', async () => {
    expect([...(await tokenizer.encodeAsync('hello world'))]).toEqual(HELLO);
    const pairs = `${'x '.repeat(SLICE / 2 - 1)}x😀 and more`; // a surrogate pair spans the end of a slice
    const lone = `${'x'.repeat(SLICE - 1)}\ud83d${'x'.repeat(SLICE - 1)}\ude00`;
    for (const text of ['', LONG, pairs, lone, ' '.repeat(3 * SLICE), 'a'.repeat(SLICE), `${'é'.repeat(SLICE)}\r\n`]) {
      await expectSame(text);
      await expectSame(encoder.encode(text));
    }
    await expectSame(Uint8Array.from({ length: 3 * SLICE }, (_, index) => (index * 2654435761) >>> 24)); // not UTF-8
    const special = `${'x '.repeat(SLICE / 2 - 4)}<|endoftext|>${LONG}<|endofprompt|>`;
    for (const policy of ['text', 'allow', ['<|endofprompt|>']] as const) await expectSame(special, policy);
  });

  it('of a batch equal the ids of encodeBatch, for short and long texts', async () => {
    const texts: (string | Uint8Array)[] = Array.from({ length: sample(3000, 300) }, (_, index) => {
      const text = nastyString(11, index);
      return index % 3 === 0 ? (utf8Of(text) as Uint8Array) : text;
    });
    texts.splice(2, 0, LONG, '', encoder.encode(LONG), '', '');
    texts.push(...Array<string>(5000).fill(''), LONG);
    const expected = tokenizer.encodeBatch(texts);
    expect(expected.ids.length).toBeGreaterThan(2 ** 20); // more than are taken at once
    expectBatch(await tokenizer.encodeBatchAsync(texts), expected);
    const bytes = Buffer.concat(texts.map((text) => (typeof text === 'string' ? encoder.encode(text) : text)));
    const offsets = new Uint32Array(texts.length + 1);
    texts.forEach((text, row) => (offsets[row + 1] = (offsets[row] as number) + Buffer.byteLength(text)));
    const rows = { bytes, offsets };
    expectBatch(await tokenizer.encodeBatchAsync(rows), tokenizer.encodeBatch(rows));
    expect((await tokenizer.encodeBatchAsync([])).length).toBe(0);
    const inner = { bytes: encoder.encode('xhello worldx'), offsets: Uint32Array.of(1, 1, 12) };
    expect([...(await tokenizer.encodeBatchAsync(inner)).row(1)]).toEqual(HELLO);
  });

  it('of a batch do not change if its list or offsets change after the call', async () => {
    const texts = Array<string>(20_000).fill('hello world');
    const bytes = encoder.encode('hello world'.repeat(20_000));
    const offsets = Uint32Array.from({ length: 20_001 }, (_, row) => 11 * row);
    const coming = [tokenizer.encodeBatchAsync(texts), tokenizer.encodeBatchAsync({ bytes, offsets })];
    texts.fill('x');
    offsets.fill(7);
    for (const batch of await Promise.all(coming)) {
      expect(batch.ids.length).toBe(40_000);
      expect(batch.offsets.every((offset, row) => offset === 2 * row)).toBe(true);
    }
  });
});

describe('errors', () => {
  it('equal the errors of the synchronous calls', async () => {
    const forbidden = [`é<|endoftext|>`, `${LONG}<|endoftext|>`];
    for (const text of forbidden.flatMap((text) => [text, encoder.encode(text)])) {
      const special = 'forbid';
      const pairs: [() => unknown, () => Promise<unknown>][] = [
        [() => tokenizer.encode(text, { special }), () => tokenizer.encodeAsync(text, { special })],
        [() => tokenizer.count(text, { special }), () => tokenizer.countAsync(text, { special })],
        [() => tokenizer.encodeBatch(['a', 'b', text], { special }), () => tokenizer.encodeBatchAsync(['a', 'b', text], { special })],
      ];
      for (const [call, asyncCall] of pairs) {
        const error = await failure((async () => call())());
        expect(error).toMatchObject({ code: 'SPECIAL_FORBIDDEN' });
        const other = await failure(asyncCall());
        expect(other).toBeInstanceOf(TokenizerError);
        expect({ ...(other as Error), message: (other as Error).message }).toEqual({
          ...(error as Error),
          message: (error as Error).message,
        });
      }
    }
  });

  it('name the invalid argument', async () => {
    for (const [name, call] of CALLS) {
      for (const threads of [0, -1, 1.5, NaN, Infinity]) {
        await expect(call('a', { threads }), name).rejects.toThrow(
          new RangeError(`expected an integer of 1 or more for threads but received ${threads}`),
        );
      }
      const strategy = "expected 'cuts', 'overlap' or { overlap: … } for strategy but received \"chunks\"";
      await expect(call('a', { strategy: wrong('chunks') }), name).rejects.toThrow(new RangeError(strategy));
      await expect(call('a', { threads: wrong('2') }), name).rejects.toThrow(
        new TypeError('expected a number for threads but received "2"'),
      );
      for (const signal of [null, 5, {}, new AbortController(), { aborted: false }]) {
        await expect(call('a', { signal: wrong(signal) }), name).rejects.toThrow(/^expected an AbortSignal for signal but received/);
      }
      await expect(call('a', wrong({ sginal: AbortSignal.abort() })), name).rejects.toThrow("did you mean 'signal'?");
      await expect(call(wrong(5)), name).rejects.toThrow(/^expected a string or a Uint8Array for text.* but received 5/);
      await expect(call('a', { special: ['nothing'] }), name).rejects.toMatchObject({ code: 'UNKNOWN_SPECIAL' });
    }
    await expect(tokenizer.encodeBatchAsync(wrong(5))).rejects.toThrow('for texts but received 5');
  });

  it('have the stack of the caller', async () => {
    tokenizer.close();
    for (const [name, call] of CALLS) {
      const error = (await failure(call('a'))) as Error;
      expect(error, name).toMatchObject({ code: 'CLOSED' });
      expect(
        error.stack?.split('\n').find((line) => /^\s+at /.test(line)),
        name,
      ).toContain('encode-async.test.ts');
    }
  });

  it('report a text whose memory was detached', async () => {
    const pairs: [Uint8Array, (text: Uint8Array) => Promise<number>][] = [
      [encoder.encode(LONG.repeat(10)), (text) => tokenizer.encodeAsync(text).then(({ length }) => length)],
      [encoder.encode(LONG.repeat(10)), (text) => tokenizer.countAsync(text)],
      [encoder.encode(LONG.repeat(10)), (text) => tokenizer.encodeBatchAsync([text]).then(({ ids }) => ids.length)],
    ];
    const expected = tokenizer.count(LONG.repeat(10));
    for (const [text, call] of pairs) {
      const coming = call(text);
      structuredClone(0, { transfer: [text.buffer as ArrayBuffer] });
      const outcome = await coming.catch((error: unknown) => error);
      // Threads may have all of it by then: a fast machine hands it over within the first turn.
      if (hasThreads && typeof outcome === 'number') expect(outcome).toBe(expected);
      else expect(outcome).toBeInstanceOf(TypeError);
    }
  });
});

describe('the event loop', () => {
  /** Counts the turns of the event loop until a promise settles. */
  async function turnsDuring(promise: Promise<unknown>): Promise<number> {
    let turns = 0;
    let isOver = false;
    void promise.finally(() => (isOver = true));
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      turns++;
    }
    return turns;
  }
  const fastest = (call: () => unknown) =>
    Math.min(
      ...[1, 2, 3].map(() => {
        const began = performance.now();
        call();
        return performance.now() - began;
      }),
    );

  it('keeps turning meanwhile', async () => {
    const text = LONG.repeat(10);
    const texts = Array<string>(300_000).fill('some words and 12 numbers');
    const pairs: [string, () => unknown, () => Promise<unknown>][] = [
      ['encode', () => tokenizer.encode(text), () => tokenizer.encodeAsync(text)],
      ['count', () => tokenizer.count(text), () => tokenizer.countAsync(text)],
      ['one long row', () => tokenizer.encodeBatch([text]), () => tokenizer.encodeBatchAsync([text])],
      ['many rows', () => tokenizer.encodeBatch(texts), () => tokenizer.encodeBatchAsync(texts)],
    ];
    for (const [name, call, asyncCall] of pairs) {
      // A turn has 8 ms; four times that leaves room for a slice that takes long.
      const fewest = Math.floor(fastest(call) / 32);
      expect(await turnsDuring(asyncCall()), name).toBeGreaterThanOrEqual(Math.max(fewest, 1));
    }
  });

  it('keeps turning among many jobs started at once', async () => {
    const text = LONG.slice(0, 50_000);
    const calls = sample(2000, 500);
    const atOnce = fastest(() => {
      for (let i = 0; i < calls; i++) tokenizer.encode(text);
    });
    const all = Promise.all(Array.from({ length: calls }, () => tokenizer.encodeAsync(text)));
    expect(await turnsDuring(all)).toBeGreaterThanOrEqual(Math.max(Math.floor(atOnce / 32), 1));
    const ids = tokenizer.encode(text);
    for (const one of await all) expect(one.length).toBe(ids.length);
  });

  it('lets short jobs finish before a huge one', async () => {
    const ended: string[] = [];
    const note = (name: string) => () => void ended.push(name);
    const huge = [
      tokenizer.encodeBatchAsync(Array<string>(40).fill(LONG)).then(note('batch')),
      tokenizer.encodeAsync(LONG.repeat(8)).then(note('text')),
    ];
    const short = Array.from({ length: 100 }, () => tokenizer.encodeAsync('hello world').then(note('short')));
    await Promise.all([...huge, ...short]);
    expect(ended.slice(0, 100)).toEqual(Array(100).fill('short'));
  });
});

describe('a signal', () => {
  const reasons = [new Error('enough'), 'enough', Object.freeze(new Error('frozen'))];
  const HUGE = LONG.repeat(20);

  it('that is already aborted prevents any work', async () => {
    for (const reason of reasons) {
      const stack = (reason as Error).stack;
      for (const [name, call] of CALLS) {
        expect(await failure(call(wrong(5), { signal: AbortSignal.abort(reason) })), name).toBe(reason);
      }
      expect((reason as Error).stack).toBe(stack);
    }
    expect(await failure(tokenizer.encodeAsync('a', { signal: AbortSignal.abort() }))).toMatchObject({ name: 'AbortError' });
  });

  it.skipIf(hasThreads)('rejects at once and stops the work', async () => {
    const engine = engineOf(tokenizer);
    for (const reason of reasons) {
      const stack = (reason as Error).stack;
      for (const [name, call] of CALLS) {
        for (const wait of [0, 1, 3]) {
          const sessions: { feed: ReturnType<typeof vi.spyOn>; end: ReturnType<typeof vi.spyOn> }[] = [];
          const begin = vi.spyOn(engine, 'begin').mockImplementation((policy, counting) => {
            const session = Object.getPrototypeOf(engine).begin.call(engine, policy, counting);
            sessions.push({ feed: vi.spyOn(session, 'feed'), end: vi.spyOn(session, 'end') });
            return session;
          });
          const controller = new AbortController();
          const coming = failure(call(HUGE, { signal: controller.signal }));
          // On a busy machine the first session may start some turns later.
          for (let turn = 0; turn < wait || (wait > 0 && sessions.length === 0); turn++)
            await new Promise((resolve) => setImmediate(resolve));
          expect(getEventListeners(controller.signal, 'abort'), name).toHaveLength(1);
          controller.abort(reason);
          const feeds = sessions.map(({ feed }) => feed.mock.calls.length);
          expect(
            sessions.every(({ end }) => end.mock.calls.length === 1),
            name,
          ).toBe(true);
          expect(await coming, name).toBe(reason);
          await new Promise((resolve) => setTimeout(resolve, 2));
          expect(
            sessions.map(({ feed }) => feed.mock.calls.length),
            name,
          ).toEqual(feeds);
          expect(getEventListeners(controller.signal, 'abort'), name).toHaveLength(0);
          begin.mockRestore();
        }
      }
      expect((reason as Error).stack).toBe(stack);
    }
  });

  it('that is aborted after the end changes nothing', async () => {
    const controller = new AbortController();
    const ids = await tokenizer.encodeAsync(LONG, { signal: controller.signal });
    controller.abort();
    expectIds(ids, tokenizer.encode(LONG));
  });

  it('keeps no listener, however the calls end', async () => {
    const warn = vi.fn();
    process.on('warning', warn);
    const { signal } = new AbortController();
    const calls = sample(10_000, 1000);
    const outcomes = await Promise.allSettled(
      Array.from({ length: calls }, (_, index) => {
        const [, call] = CALLS[index % 3]!;
        if (index % 7 === 0) return call('x<|endoftext|>', { signal, special: 'forbid' });
        return call(index % 500 === 0 ? LONG : 'hello world', { signal });
      }),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(Math.ceil(calls / 7));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    const closed = CALLS.map(([, call]) => call(HUGE, { signal }).catch((error: unknown) => error));
    tokenizer.close();
    if (!hasThreads) for (const error of closed) expect(await error).toMatchObject({ code: 'CLOSED' });
    else await Promise.all(closed);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', warn);
    expect(warn).not.toHaveBeenCalled();
  });

  it('may be any object that behaves like one', async () => {
    const target = Object.assign(new EventTarget(), { aborted: false, reason: undefined as unknown });
    const coming = failure(tokenizer.encodeAsync(HUGE, { signal: wrong(target) }));
    Object.assign(target, { aborted: true, reason: 'its own' });
    target.dispatchEvent(new Event('abort'));
    expect(await coming).toBe('its own');
  });
});

describe('a tokenizer in use', () => {
  const HUGE = LONG.repeat(20);

  it.skipIf(hasThreads)('rejects its jobs when it is closed', async () => {
    const jobs = CALLS.map(([, call]) => failure(call(HUGE)));
    const short = Array.from({ length: 200 }, () =>
      tokenizer.encodeAsync(LONG.slice(0, 60_000)).then(
        () => 'done',
        (error) => error.code,
      ),
    );
    tokenizer.close();
    for (const job of jobs) expect(await job).toMatchObject({ code: 'CLOSED' });
    for (const outcome of await Promise.all(short)) expect(['done', 'CLOSED']).toContain(outcome);
  });

  it('finishes them with the vocabulary they started with', async () => {
    const text = `${LONG}${'x'.repeat(10)}`;
    const short = LONG.slice(0, 60_000);
    const expected = { long: tokenizer.encode(text), short: tokenizer.encode(short) };
    const long = [tokenizer.encodeAsync(text), tokenizer.encodeBatchAsync([text]).then(({ ids }) => ids)];
    const count = tokenizer.countAsync(text);
    const many = Array.from({ length: 200 }, () => tokenizer.encodeAsync(short));
    const forbidden = failure(tokenizer.encodeAsync(`${text}<|endoftext|>`, { special: 'forbid' }));
    await tokenizer.swap('r50k_base');
    expect([...tokenizer.encode('hello world')]).toEqual([31373, 995]);
    for (const ids of await Promise.all(long)) expectIds(ids, expected.long);
    expect(await count).toBe(expected.long.length);
    for (const ids of await Promise.all(many)) expectIds(ids, expected.short);
    expect(((await forbidden) as Error).message).toContain('"<|endoftext|>"');
    expect([...(await tokenizer.encodeAsync('hello world'))]).toEqual([31373, 995]);
  });

  it('does the same for jobs in the queue', async () => {
    const text = LONG.slice(0, 60_000);
    const ids = tokenizer.encode(text);
    const jobs = Array.from({ length: 1000 }, () => tokenizer.encodeAsync(text));
    const batches = Array.from({ length: 100 }, () => tokenizer.encodeBatchAsync([text]));
    await tokenizer.swap('r50k_base');
    for (const one of await Promise.all(jobs)) expectIds(one, ids);
    for (const batch of await Promise.all(batches)) expectIds(batch.ids, ids);
  });
});

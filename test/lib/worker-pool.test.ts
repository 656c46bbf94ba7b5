// The pool of workers behind encodeAsync, countAsync and encodeBatchAsync in browsers. Real workers, in Node threads,
// return the engine's results. Stand-ins with scripted answers show how jobs are scheduled.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { Tokenizer, TokenizerError } from 'crayon-tokenizer';
import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { engineOf, type WorkerAnswer, type WorkerHandle, WorkerPool, type WorkerRequest } from '../../dist/node/internals.js';
import { utf8Of } from '../fuzz/differential.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { sample } from '../share.js';

const project = fileURLToPath(new URL('../../', import.meta.url));
const encoder = new TextEncoder();
/** The maximum size of a message. */
const MESSAGE = 256 * 1024;
/** Too long for this thread, in one message. */
const LONG = 'hello world '.repeat(10_000);
/** In five messages. */
const HUGE = 'hello world '.repeat(100_000);
const HELLO = [24912, 2375];

let tokenizer: Tokenizer;
beforeEach(async () => {
  // One core is left to the page.
  vi.stubGlobal('navigator', { hardwareConcurrency: 4 });
  tokenizer = await Tokenizer.load('o200k_base');
});
afterEach(() => {
  vi.unstubAllGlobals();
  tokenizer.close();
});

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  );
const same = (one: Uint32Array, other: Uint32Array) =>
  one.length === other.length &&
  Buffer.compare(Buffer.from(one.buffer, one.byteOffset, one.byteLength), Buffer.from(other.buffer, other.byteOffset, other.byteLength)) ===
    0;

describe('genuine workers', () => {
  /** The script of a page's worker, in a Node thread. */
  const script = `
    import { parentPort } from 'node:worker_threads';
    globalThis.postMessage = (message, transfer) => parentPort.postMessage(message, transfer);
    await import(${JSON.stringify(new URL('../../dist/web/encode-worker.js', import.meta.url).href)});
    parentPort.on('message', (data) => globalThis.onmessage({ data }));`;
  let started = 0;
  let pool: WorkerPool;

  function start(): WorkerHandle {
    started++;
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
    const handle: WorkerHandle = {
      postMessage: (message, transfer) => worker.postMessage(message, transfer),
      terminate: () => void worker.terminate(),
      onmessage: null,
      onerror: null,
      onmessageerror: null,
    };
    worker.on('message', (data: WorkerAnswer) => handle.onmessage?.({ data }));
    worker.on('error', (error) => handle.onerror?.(error as Error));
    return handle;
  }

  beforeEach(() => {
    started = 0;
    const { WebAssembly } = globalThis as unknown as { WebAssembly: { Module: new (bytes: Uint8Array) => object } };
    const module = new WebAssembly.Module(readFileSync(`${project}dist/wasm/core.wasm`));
    const bytes = readFileSync(`${project}cartridges/o200k_base.slim.cray`);
    pool = new WorkerPool(engineOf(tokenizer), { module, bytes, options: {}, unknown: undefined }, start);
  });
  afterEach(() => pool.end());

  it("return the engine's results, wherever messages end", async () => {
    const pairs = `${'x '.repeat(MESSAGE / 2 - 1)}x😀 and more`;
    const lone = `${'x'.repeat(MESSAGE - 1)}\ud83d${'x'.repeat(MESSAGE - 1)}\ude00`;
    for (const text of ['', 'hello world', LONG, HUGE, pairs, lone, '東京 '.repeat(MESSAGE), `${HUGE}<|endoftext|>${HUGE}`]) {
      for (const policy of [0, 1, Uint32Array.of(199999)] as const) {
        const ids = engineOf(tokenizer).encode(text, policy);
        const bytes = encoder.encode(text);
        const results = [pool.encode(text, policy, {}), pool.encode(bytes, policy, {})];
        const counts = [pool.count(text, policy, {}), pool.count(bytes, policy, {})];
        for (const result of await Promise.all(results)) expect(same(result, ids), text.slice(0, 10)).toBe(true);
        expect(await Promise.all(counts)).toEqual([ids.length, ids.length]);
      }
    }
    expect(started).toBeGreaterThan(0);
  });

  it('share batches', async () => {
    const texts: (string | Uint8Array)[] = Array.from({ length: sample(20_000, 9_000) }, (_, index) => {
      const text = nastyString(5, index);
      return index % 5 === 0 ? (utf8Of(text) as Uint8Array) : text;
    });
    texts.splice(100, 0, HUGE, '', encoder.encode(HUGE), LONG, '');
    const expected = tokenizer.encodeBatch(texts);
    const bytes = Buffer.concat(texts.map((text) => (typeof text === 'string' ? encoder.encode(text) : text)));
    const offsets = new Uint32Array(texts.length + 1);
    texts.forEach((text, row) => (offsets[row + 1] = (offsets[row] as number) + Buffer.byteLength(text)));
    const jobs = [{}, { threads: 1 }, { threads: 2 }].map((options) => pool.encodeBatch(texts, 0, options));
    jobs.push(pool.encodeBatch({ bytes, offsets }, 0, {}));
    for (const { ids, totals } of await Promise.all(jobs)) {
      expect(same(ids, expected.ids)).toBe(true);
      expect(same(totals, expected.offsets)).toBe(true);
    }
    expect(bytes.byteLength).toBeGreaterThan(0); // the caller's own buffer is not transferred
  });

  it('fail like the engine', async () => {
    const forbid = 2;
    for (const text of [`${LONG}é<|endoftext|>`, `${HUGE}é<|endoftext|>${HUGE}`]) {
      const position = Buffer.byteLength(text.slice(0, text.indexOf('<')));
      expect(await failure(pool.encode(text, forbid, {}))).toMatchObject({ code: 'SPECIAL_FORBIDDEN', position });
      expect(await failure(pool.encode(text, forbid, {}))).not.toHaveProperty('row');
      expect(await failure(pool.count(encoder.encode(text), forbid, {}))).toMatchObject({ code: 'SPECIAL_FORBIDDEN', position });
      const texts = [...Array<string>(5000).fill('hello'), text];
      expect(await failure(pool.encodeBatch(texts, forbid, {}))).toMatchObject({ code: 'SPECIAL_FORBIDDEN', position, row: 5000 });
    }
    const short = [...Array<string>(5000).fill('hello'), 'x<|endoftext|>', 'a'];
    const error = (await failure(pool.encodeBatch(short, forbid, {}))) as Error;
    expect(error).toMatchObject({ code: 'SPECIAL_FORBIDDEN', position: 1, row: 5000 });
    expect(error.message).toMatch(/^cannot encode texts\[5000\]: /);
    expect(error.message.match(/texts\[/g)).toHaveLength(1);
    // And then they continue.
    expect(same(await pool.encode(HUGE, 0, {}), tokenizer.encode(HUGE))).toBe(true);
  });

  it('continue with others when a job is aborted', async () => {
    for (let round = 0; round < 3; round++) {
      const controller = new AbortController();
      const aborted = [
        pool.encode(HUGE.repeat(20), 0, controller),
        pool.count(HUGE.repeat(20), 0, controller),
        pool.encodeBatch(Array(2000).fill(LONG), 0, controller),
      ].map(failure);
      await new Promise((resolve) => setTimeout(resolve, 20 * round));
      controller.abort('enough');
      for (const reason of await Promise.all(aborted)) expect(reason).toBe('enough');
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
      expect(same(await pool.encode(HUGE, 0, {}), tokenizer.encode(HUGE))).toBe(true);
    }
  });
});

/** A worker that does nothing on its own. */
class StandIn implements WorkerHandle {
  readonly requests: WorkerRequest[] = [];
  readonly transfers: (ArrayBuffer[] | undefined)[] = [];
  isTerminated = false;
  onmessage: WorkerHandle['onmessage'] = null;
  onerror: WorkerHandle['onerror'] = null;
  onmessageerror: WorkerHandle['onmessageerror'] = null;
  postMessage(request: WorkerRequest, transfer?: ArrayBuffer[]) {
    this.requests.push(request);
    this.transfers.push(transfer);
  }
  terminate() {
    this.isTerminated = true;
  }
  answer(data: WorkerAnswer) {
    this.onmessage?.({ data });
  }
  /** Answers with ids for one text. */
  give(...ids: number[]) {
    this.answer({ ids: Uint32Array.from(ids), totals: Uint32Array.of(0, ids.length) });
  }
  get last(): any {
    return this.requests[this.requests.length - 1];
  }
}

describe('jobs', () => {
  const recipe = { module: {}, bytes: new Uint8Array(0), options: {}, unknown: undefined };
  let workers: StandIn[];
  const poolOf = () => {
    workers = [];
    return new WorkerPool(engineOf(tokenizer), recipe, () => {
      const worker = new StandIn();
      workers.push(worker);
      return worker;
    });
  };
  /** A pool with its maximum number of workers, ready and idle. */
  async function readyPool() {
    const pool = poolOf();
    const first = Array.from({ length: 5 }, () => pool.encode(LONG, 0, {}));
    expect(workers).toHaveLength(3);
    for (const worker of workers) {
      worker.answer({ ready: true });
      worker.give(1);
    }
    for (const worker of workers.slice(0, 2)) worker.give(1);
    await Promise.all(first);
    return pool;
  }
  const answered = new WeakSet<object>();
  const part = (text: string | Uint8Array, isFirst = true, isLast = true, policy = 0, counting = false) => ({
    part: text,
    isFirst,
    isLast,
    policy,
    counting,
  });

  it('a worker opens the tokenizer, then handles one message at a time', async () => {
    const pool = poolOf();
    const ids = pool.encode(LONG, 0, {});
    expect(workers).toHaveLength(1);
    const [worker] = workers as [StandIn];
    expect(worker.requests).toEqual([{ recipe }]);
    worker.answer({ ready: true });
    expect(worker.last).toEqual(part(LONG));
    worker.give(1, 2, 3);
    expect([...(await ids)]).toEqual([1, 2, 3]);
    const count = pool.count(LONG, 1, {});
    expect(worker.last).toEqual(part(LONG, true, true, 1, true));
    worker.answer({ ids: new Uint32Array(0), totals: Uint32Array.of(0, 7) });
    expect(await count).toBe(7);
    expect(workers).toHaveLength(1);
    pool.end();
    expect(worker.isTerminated).toBe(true);
  });

  it('a long text goes to one worker in parts, interleaved with others', async () => {
    const pool = await readyPool();
    const [worker, second, third] = workers as [StandIn, StandIn, StandIn];
    const ids = pool.encode(HUGE, 0, {});
    expect(worker.last).toEqual(part(HUGE.slice(0, MESSAGE), true, false));
    const others = [1, 2, 3].map(() => pool.encode(LONG, 0, {}));
    const another = pool.encode(HUGE, 0, {});
    worker.give(1);
    expect(worker.last).toEqual(part(HUGE.slice(MESSAGE, 2 * MESSAGE), false, false));
    worker.give(2);
    // The third of the others is next, not the other long text.
    expect(worker.last).toEqual(part(LONG));
    worker.give(50);
    expect(worker.last).toEqual(part(HUGE.slice(2 * MESSAGE, 3 * MESSAGE), false, false));
    second.give(60);
    expect(second.last).toEqual(part(HUGE.slice(0, MESSAGE), true, false));
    third.give(70);
    expect((await Promise.all(others)).map((one) => [...one])).toEqual([[60], [70], [50]]);
    for (const id of [3, 4]) worker.give(id);
    expect(worker.last).toEqual(part(HUGE.slice(4 * MESSAGE), false, true));
    worker.give(5, 6);
    expect([...(await ids)]).toEqual([1, 2, 3, 4, 5, 6]);
    pool.end();
    expect(await failure(another)).toMatchObject({ code: 'CLOSED' });
  });

  it('only one part of the bytes is copied, and transferred', async () => {
    const pool = await readyPool();
    const bytes = encoder.encode(HUGE);
    const ids = pool.encode(bytes.subarray(1), 0, {});
    const { part: sent } = workers[0]!.last as { part: Uint8Array };
    expect(Buffer.compare(sent, bytes.subarray(1, 1 + MESSAGE))).toBe(0);
    expect(sent.buffer.byteLength).toBe(MESSAGE);
    expect(workers[0]!.transfers.at(-1)).toEqual([sent.buffer]);
    pool.end();
    await failure(ids);
    expect(bytes.length).toBe(HUGE.length);
  });

  it('a batch is assembled in row order', async () => {
    const pool = await readyPool();
    const batch = pool.encodeBatch(
      Array.from({ length: 20_000 }, (_, row) => String(row)),
      0,
      {},
    );
    /** Row i becomes i % 3 ids with the value i. */
    const answer = (worker: StandIn) => {
      const totals = [0];
      const ids: number[] = [];
      for (const text of worker.last.texts as string[]) {
        for (let n = 0; n < Number(text) % 3; n++) ids.push(Number(text));
        totals.push(ids.length);
      }
      worker.answer({ ids: Uint32Array.from(ids), totals: Uint32Array.from(totals) });
    };
    // The first worker is the slowest.
    for (let left = 5; left > 0; ) {
      const worker = [...workers].reverse().find(({ last }) => 'texts' in last && !answered.has(last)) as StandIn;
      answered.add(worker.last);
      answer(worker);
      left--;
    }
    const { ids, totals } = await batch;
    expect(totals).toHaveLength(20_001);
    for (let row = 0; row < 20_000; row++) {
      const own = ids.subarray(totals[row], totals[row + 1]);
      if (own.length !== row % 3 || own.some((id) => id !== row)) expect.fail(`row ${row} is [${own}]`);
    }
    pool.end();
  });

  it('take turns', async () => {
    const pool = await readyPool();
    const big = pool.encodeBatch(Array<string>(400).fill(LONG), 0, {});
    const many = pool.encodeBatch(Array<string>(30_000).fill('a'), 0, {});
    const one = pool.encode(LONG, 0, {});
    const seen: string[] = [];
    for (let turn = 0; turn < 4; turn++) {
      for (const worker of workers) {
        const rows = 'texts' in worker.last ? worker.last.texts.length : 1;
        seen.push(rows === 1 ? 'one' : rows < 10 ? 'big' : 'many');
        worker.answer({ ids: new Uint32Array(0), totals: new Uint32Array(rows + 1) });
      }
    }
    expect(seen.slice(0, 3)).toEqual(['big', 'big', 'big']);
    expect(seen.slice(3, 6).sort()).toEqual(['big', 'many', 'one']);
    expect(seen.slice(6).sort()).toEqual(['big', 'big', 'big', 'many', 'many', 'many']);
    expect((await one).length).toBe(0);
    pool.end();
    for (const job of [big, many]) expect(await failure(job)).toMatchObject({ code: 'CLOSED' });
  });

  it('use as many workers as allowed', async () => {
    const pool = poolOf();
    const batch = pool.encodeBatch(Array<string>(400).fill(LONG), 0, { threads: 1 });
    expect(workers).toHaveLength(1);
    const others = pool.encodeBatch(Array<string>(400).fill(LONG), 0, { threads: 2 });
    expect(workers).toHaveLength(3);
    const fourth = pool.encodeBatch(Array<string>(400).fill(LONG), 0, {});
    expect(workers).toHaveLength(3);
    pool.end();
    for (const job of [batch, others, fourth]) await failure(job);
  });

  it('short ones need no worker', async () => {
    const pool = poolOf();
    expect([...(await pool.encode('hello world', 0, {}))]).toEqual(HELLO);
    expect(await pool.count('hello world', 0, {})).toBe(2);
    expect([...(await pool.encodeBatch(['hello world', ''], 0, {})).totals]).toEqual([0, 2, 2]);
    expect([...(await pool.encodeBatch([], 0, {})).totals]).toEqual([0]);
    expect(workers).toEqual([]);
  });

  it('that wait are dropped when aborted, and running ones stop', async () => {
    const pool = await readyPool();
    const controller = new AbortController();
    const running = failure(pool.encode(HUGE, 0, controller));
    const batch = failure(pool.encodeBatch(Array<string>(400).fill(LONG), 0, controller));
    const waiting = failure(pool.count(HUGE, 0, controller));
    const counts = workers.map(({ requests }) => requests.length);
    controller.abort('enough');
    for (const job of [running, batch, waiting]) expect(await job).toBe('enough');
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    // The worker that had a part forgets the text; its answer is ignored.
    expect(workers[0]!.last).toEqual({ forget: true });
    for (const [index, worker] of workers.entries()) {
      worker.give(1);
      expect(worker.requests.filter((request) => !('forget' in request)).length, `${index}`).toBe(counts[index]);
    }
    const next = pool.encode(LONG, 0, {});
    expect(workers[0]!.last).toEqual(part(LONG));
    workers[0]!.give(3);
    expect([...(await next)]).toEqual([3]);
    pool.end();
  });

  it('that are aborted before their worker has started leave it to others', async () => {
    const pool = poolOf();
    const controller = new AbortController();
    const gone = failure(pool.encode(LONG, 0, controller));
    controller.abort('enough');
    expect(await gone).toBe('enough');
    workers[0]!.answer({ ready: true });
    expect(workers[0]!.requests).toHaveLength(1);
    const next = pool.encode(LONG, 0, {});
    workers[0]!.give(3);
    expect([...(await next)]).toEqual([3]);
    pool.end();
  });

  it("are rejected with the worker's error", async () => {
    const pool = poolOf();
    const ids = failure(pool.encode(LONG, 2, {}));
    workers[0]!.answer({ ready: true });
    workers[0]!.answer({ failure: { message: 'no', code: 'SPECIAL_FORBIDDEN', position: 7 } });
    const error = await ids;
    expect(error).toBeInstanceOf(TokenizerError);
    expect(error).toMatchObject({ code: 'SPECIAL_FORBIDDEN', position: 7, message: 'no' });
    pool.end();
  });

  it('of a worker that dies are rejected, and another takes its place', async () => {
    const pool = poolOf();
    const lost = pool.encode(LONG, 0, {});
    workers[0]!.answer({ ready: true });
    workers[0]!.onerror?.({ message: 'out of memory' });
    await expect(lost).rejects.toThrow('the worker that had the text has stopped (out of memory)');
    expect(workers[0]!.isTerminated).toBe(true);
    const next = pool.encode(LONG, 0, {});
    expect(workers).toHaveLength(2);
    workers[1]!.answer({ ready: true });
    workers[1]!.give(1);
    expect([...(await next)]).toEqual([1]);
    pool.end();
  });

  it('go to the existing workers if no more of them start', async () => {
    const pool = poolOf();
    const jobs = [1, 2].map(() => pool.encode(LONG, 0, {}));
    const [first, second] = workers as [StandIn, StandIn];
    first.answer({ ready: true });
    second.onerror?.({ message: 'out of memory' });
    first.give(1);
    expect(first.last).toEqual(part(LONG));
    first.give(2);
    expect((await Promise.all(jobs)).map((ids) => [...ids])).toEqual([[1], [2]]);
    const more = [1, 2].map(() => pool.encode(LONG, 0, {}));
    expect(workers).toHaveLength(2);
    pool.end();
    for (const job of more) await failure(job);
  });

  it('run on the calling thread if no worker starts, also after swap', async () => {
    for (const fail of [
      (worker: StandIn) => worker.onerror?.({}),
      (worker: StandIn) => worker.answer({ failure: { message: 'no such file' } }),
    ]) {
      const ids = tokenizer.encode(LONG);
      const pool = poolOf();
      const jobs = [pool.encode(LONG, 0, {}), pool.encodeBatch([LONG, 'a'], 0, {}).then(({ ids }) => ids.subarray(0, -1))];
      const count = pool.count(LONG, 0, {});
      await tokenizer.swap('o200k_base');
      fail(workers[0]!);
      for (const job of jobs) expect(same(await job, ids)).toBe(true);
      expect(await count).toBe(ids.length);
    }
    const ids = tokenizer.encode(LONG);
    const none = new WorkerPool(engineOf(tokenizer), recipe, () => {
      throw new Error('no workers here');
    });
    expect(same(await none.encode(LONG, 0, {}), ids)).toBe(true);
    expect(same(await none.encode(LONG, 0, {}), ids)).toBe(true);
  });

  it('end with the tokenizer', async () => {
    const pool = poolOf();
    const all = Array.from({ length: 10 }, () => failure(pool.encode(LONG, 0, {})));
    expect(workers.length).toBeGreaterThan(0);
    expect(workers.length).toBeLessThan(5);
    pool.end();
    for (const error of await Promise.all(all)) expect(error).toMatchObject({ code: 'CLOSED' });
    expect(workers.every(({ isTerminated }) => isTerminated)).toBe(true);
  });
});

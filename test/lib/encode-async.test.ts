// encodeAsync: in turns on this thread, and by a pool of workers. The workers here are stand-ins that answer as told: what
// is tested is what becomes of the texts.

import { Tokenizer, TokenizerError } from 'crayon-tokenizer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { engineOf } from '../../dist/node/internals.js';
import { type WorkerAnswer, type WorkerHandle, WorkerPool, type WorkerRequest } from '../../dist/node/internals.js';

const HELLO = [24912, 2375];
const LONG = 'hello world '.repeat(100_000);

let tokenizer: Tokenizer;
beforeEach(async () => {
  tokenizer = await Tokenizer.load('o200k_base');
});
afterEach(() => tokenizer.close());

describe('in turns', () => {
  it('gives what encode gives', async () => {
    expect([...(await tokenizer.encodeAsync('hello world'))]).toEqual(HELLO);
    expect(await tokenizer.encodeAsync('')).toEqual(new Uint32Array(0));
    expect([...(await tokenizer.encodeAsync('<|endoftext|>', { special: 'allow' }))]).toEqual([199999]);
    // A surrogate pair lies over the end of a slice.
    for (const text of [LONG, `${'x '.repeat(32767)}x😀${LONG}`, new TextEncoder().encode(LONG)]) {
      expect(await tokenizer.encodeAsync(text)).toEqual(tokenizer.encode(text));
    }
  });

  it('leaves room for other work', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await tokenizer.encodeAsync(LONG.repeat(20));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });

  it('fails as encode does', async () => {
    await expect(tokenizer.encodeAsync(5 as never)).rejects.toThrow('expected a string or a Uint8Array for text but received 5');
    await expect(tokenizer.encodeAsync('é<|endoftext|>', { special: 'forbid' })).rejects.toMatchObject({ code: 'SPECIAL_FORBIDDEN', position: 1 });
    const late = tokenizer.encodeAsync(LONG.repeat(20));
    tokenizer.close();
    await expect(late).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(tokenizer.encodeAsync('a')).rejects.toMatchObject({ code: 'CLOSED' });
    const error = await tokenizer.encodeAsync('a').catch((error: Error) => error);
    expect((error as Error).stack).toContain('encode-async.test.ts');
  });
});

/** A worker that does nothing by itself. */
class StandIn implements WorkerHandle {
  readonly requests: WorkerRequest[] = [];
  isTerminated = false;
  onmessage: WorkerHandle['onmessage'] = null;
  onerror: WorkerHandle['onerror'] = null;
  onmessageerror: WorkerHandle['onmessageerror'] = null;
  postMessage(request: WorkerRequest) {
    this.requests.push(request);
  }
  terminate() {
    this.isTerminated = true;
  }
  answer(data: WorkerAnswer) {
    this.onmessage?.({ data });
  }
}

describe('by workers', () => {
  const recipe = { module: {}, bytes: new Uint8Array(0), options: {}, unknownId: undefined };
  let workers: StandIn[];
  const poolOf = () => {
    workers = [];
    return new WorkerPool(engineOf(tokenizer), recipe, () => {
      const worker = new StandIn();
      workers.push(worker);
      return worker;
    });
  };

  it('a worker opens the tokenizer, then has a text at a time', async () => {
    const pool = poolOf();
    const ids = pool.encode(LONG, 0);
    expect(workers).toHaveLength(1);
    const [worker] = workers as [StandIn];
    expect(worker.requests).toEqual([{ recipe }]);
    worker.answer({ ready: true });
    expect(worker.requests[1]).toEqual({ text: LONG, policy: 0 });
    worker.answer({ ids: Uint32Array.of(1, 2, 3) });
    expect([...(await ids)]).toEqual([1, 2, 3]);
    const again = pool.encode(LONG, 1);
    expect(worker.requests[2]).toEqual({ text: LONG, policy: 1 });
    worker.answer({ ids: Uint32Array.of(4) });
    expect([...(await again)]).toEqual([4]);
    expect(workers).toHaveLength(1);
    pool.end();
    expect(worker.isTerminated).toBe(true);
  });

  it('a short text needs none', async () => {
    expect([...(await poolOf().encode('hello world', 0))]).toEqual(HELLO);
    expect(workers).toEqual([]);
  });

  it('a failure comes through', async () => {
    const pool = poolOf();
    const ids = pool.encode(LONG, 2);
    workers[0]!.answer({ ready: true });
    workers[0]!.answer({ failure: { message: 'no', code: 'SPECIAL_FORBIDDEN', position: 7 } });
    await expect(ids).rejects.toBeInstanceOf(TokenizerError);
    await expect(ids).rejects.toMatchObject({ code: 'SPECIAL_FORBIDDEN', position: 7 });
    pool.end();
  });

  it('one that dies rejects its text, and another takes its place', async () => {
    const pool = poolOf();
    const lost = pool.encode(LONG, 0);
    workers[0]!.answer({ ready: true });
    workers[0]!.onerror?.({ message: 'out of memory' });
    await expect(lost).rejects.toThrow('the worker that had the text has stopped (out of memory)');
    expect(workers[0]!.isTerminated).toBe(true);
    const next = pool.encode(LONG, 0);
    expect(workers).toHaveLength(2);
    workers[1]!.answer({ ready: true });
    workers[1]!.answer({ ids: Uint32Array.of(1) });
    expect([...(await next)]).toEqual([1]);
    pool.end();
  });

  it('without any that starts, the thread encodes', async () => {
    for (const fail of [(worker: StandIn) => worker.onerror?.({}), (worker: StandIn) => worker.answer({ failure: { message: 'no such file' } })]) {
      const pool = poolOf();
      const ids = pool.encode(LONG, 0);
      fail(workers[0]!);
      expect(await ids).toEqual(tokenizer.encode(LONG));
      expect(await pool.encode(LONG, 0)).toEqual(tokenizer.encode(LONG));
      expect(workers).toHaveLength(1);
    }
    const none = new WorkerPool(engineOf(tokenizer), recipe, () => {
      throw new Error('no workers here');
    });
    expect(await none.encode(LONG, 0)).toEqual(tokenizer.encode(LONG));
  });

  it('the end of the tokenizer ends them', async () => {
    const pool = poolOf();
    const all = [pool.encode(LONG, 0), ...Array.from({ length: 9 }, () => pool.encode(LONG, 0))];
    expect(workers.length).toBeGreaterThan(0);
    expect(workers.length).toBeLessThan(5);
    pool.end();
    for (const ids of all) await expect(ids).rejects.toMatchObject({ code: 'CLOSED' });
    expect(workers.every(({ isTerminated }) => isTerminated)).toBe(true);
  });
});

// DNA matrices on Node's threads: the same ids and errors as on one thread, off the calling thread; in WebAssembly, in
// turns of the event loop. Matrices use threads from 1 MiB or 4 MiB on.

import { getEventListeners } from 'node:events';

import { type TokenizerError } from 'crayon-tokenizer';
import { DnaTokenizer } from 'crayon-tokenizer/dna';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { Random } from '../fuzz/random.mjs';
import { encodeNaively, MODELS, rowNaively } from './naive-dna.js';

const SEED = 20261124;
const COLUMNS = 600;
const ROWS = 1500; // 4.3 MiB of int32 and mask

let dna: DnaTokenizer;
let sequences: string[];
/** From the naive version. */
let expected: Int32Array;
beforeAll(async () => {
  dna = await DnaTokenizer.load('nt-v2', { tail: 'single' });
  const random = new Random(SEED);
  const pool = Array.from({ length: 40_000 }, () => random.pick('ACGTACGTACGTACGTACGTN')).join('');
  sequences = Array.from({ length: ROWS }, () => {
    const begin = random.integer(0, 39_000);
    return pool.slice(begin, begin + random.integer(0, 1000));
  });
  const rules = MODELS['nt-v2']!;
  expected = Int32Array.from(
    sequences.flatMap(
      (sequence) => rowNaively(rules, encodeNaively(rules, new TextEncoder().encode(sequence)) as number[], COLUMNS, 'right', false).ids,
    ),
  );
});
afterAll(() => dna.close());

const OPTIONS = { length: COLUMNS, side: 'right' } as const;
const failure = async (work: Promise<unknown>): Promise<TokenizerError> => {
  try {
    await work;
  } catch (error) {
    return error as TokenizerError;
  }
  return expect.fail('nothing was thrown');
};
const same = (ids: Int32Array) =>
  expect(Buffer.compare(Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength), Buffer.from(expected.buffer))).toBe(0);
const rows = () => {
  const bytes = new TextEncoder().encode(sequences.join(''));
  const offsets = new Uint32Array(ROWS + 1);
  sequences.forEach(({ length }, row) => (offsets[row + 1] = offsets[row]! + length));
  return { bytes, offsets };
};

describe('encodeBatch', () => {
  it.each([1, 2, 3, 16, undefined])('gives the same ids with %s threads', (threads) => {
    same(dna.encodeBatch(sequences, { ...OPTIONS, threads }).ids);
    const { ids, mask } = dna.encodeBatch(rows(), { ...OPTIONS, threads, type: 'bigint64', mask: 'ids' });
    expect(ids.every((id, index) => Number(id) === expected[index])).toBe(true);
    expect(mask.every((one, index) => Number(one) === (expected[index] === 1 ? 0 : 1))).toBe(true);
  });

  it('names the first invalid row, whatever the number of threads', () => {
    const bad = [...sequences];
    for (const row of [700, 300, 301, 1100]) bad[row] = 'ACGTx';
    for (let round = 0; round < 10; round++) {
      expect(() => dna.encodeBatch(bad, { ...OPTIONS, threads: 1 + (round % 4) })).toThrow(
        expect.objectContaining({
          code: 'UNKNOWN_BASE',
          row: 300,
          position: 4,
          message: expect.stringContaining("sequences[300] holds 'x'"),
        }),
      );
    }
    const long = [...sequences];
    long[900] = long[500] = 'N'.repeat(COLUMNS + 1);
    expect(() => dna.encodeBatch(long, OPTIONS)).toThrow(expect.objectContaining({ code: 'TEXT_TOO_LONG', row: 500 }));
  });

  it('validates the number of threads', () => {
    expect(() => dna.encodeBatch(['A'], { threads: 0 })).toThrow('expected an integer of 1 or more for threads but received 0');
    expect(() => dna.encodeBatch(['A'], { threads: '2' as unknown as number })).toThrow(TypeError);
  });
});

describe('encodeBatchAsync', () => {
  it('gives the same ids in many concurrent calls', async () => {
    const calls = [undefined, 1, 2, 5].flatMap((threads) => [
      dna.encodeBatchAsync(sequences, { ...OPTIONS, threads }),
      dna.encodeBatchAsync(rows(), { ...OPTIONS, threads }),
    ]);
    for (const { ids, shape } of await Promise.all(calls)) {
      same(ids);
      expect(shape).toEqual([ROWS, COLUMNS]);
    }
    expect((await dna.encodeBatchAsync(['ACGTAC', 'A'])).ids.length).toBe(2);
    expect((await dna.encodeBatchAsync([])).shape).toEqual([0, 0]);
  });

  it('reads the sequences during the call, and fills arrays at its end', async () => {
    const given = rows();
    const ids = new Int32Array(ROWS * COLUMNS + 5);
    const mask = new Uint8Array(ROWS * COLUMNS);
    const coming = dna.encodeBatchAsync(given, { ...OPTIONS, out: { ids, mask } });
    given.bytes.fill(0x3f);
    given.offsets.fill(0);
    const matrix = await coming;
    same(matrix.ids);
    expect(matrix.ids.buffer).toBe(ids.buffer);
    expect(mask.subarray(0, 100)).toEqual(matrix.mask.subarray(0, 100));
    const transferred = new Int32Array(ROWS * COLUMNS);
    const lost = dna.encodeBatchAsync(sequences, { ...OPTIONS, out: { ids: transferred } });
    structuredClone(transferred.buffer, { transfer: [transferred.buffer] });
    expect(await failure(lost)).toBeInstanceOf(RangeError);
    expect(await failure(dna.encodeBatchAsync(sequences, { ...OPTIONS, out: { ids: new Int32Array(5) } }))).toBeInstanceOf(RangeError);
  });

  it('does not block the event loop, and finishes after close', async () => {
    const own = await DnaTokenizer.load('nt-v2');
    const large = Array.from({ length: 20 }, () => sequences).flat();
    let turns = 0;
    let isDone = false;
    const turn = () => {
      turns++;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    const coming = own.encodeBatchAsync(large, OPTIONS);
    own.close();
    const outcome = await coming.then(
      ({ ids }) => ids,
      (error: unknown) => error as TokenizerError,
    );
    isDone = true;
    expect(turns).toBeGreaterThan(0);
    if (outcome instanceof Int32Array) same(outcome.subarray(0, expected.length));
    else expect(outcome.code).toBe('CLOSED'); // in turns of the event loop
  });

  it('is aborted by a signal', async () => {
    const reason = new Error('enough');
    expect(await failure(dna.encodeBatchAsync(5 as unknown as string[], { signal: AbortSignal.abort(reason) }))).toBe(reason);
    const controller = new AbortController();
    const coming = failure(
      dna.encodeBatchAsync(Array.from({ length: 10 }, () => sequences).flat(), { ...OPTIONS, signal: controller.signal }),
    );
    controller.abort(reason);
    expect(await coming).toBe(reason);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    const later = new AbortController();
    same((await dna.encodeBatchAsync(sequences, { ...OPTIONS, signal: later.signal })).ids);
    expect(getEventListeners(later.signal, 'abort')).toHaveLength(0);
    await expect(dna.encodeBatchAsync(['A'], { signal: 5 as unknown as AbortSignal })).rejects.toThrow(
      'expected an AbortSignal for signal',
    );
  });

  it('names the first invalid row', async () => {
    const bad = [...sequences];
    bad[800] = bad[400] = 'ACx';
    for (let round = 0; round < 5; round++) {
      expect(await failure(dna.encodeBatchAsync(bad, OPTIONS))).toMatchObject({ code: 'UNKNOWN_BASE', row: 400, position: 2 });
    }
  });
});

describe('batches', () => {
  it.each([0, 1, 3])('of large matrices are the same, %s ahead', async (ahead) => {
    const all = [0, 1, 2, 3].flatMap(() => sequences);
    let at = 0;
    for await (const { ids, mask, shape, indexes } of dna.batches(all, { ...OPTIONS, batchSize: ROWS, ahead })) {
      same(ids);
      expect(shape).toEqual([ROWS, COLUMNS]);
      expect(mask.length).toBe(ids.length);
      expect(indexes[0]).toBe(at);
      at += ROWS;
      if (at === 2 * ROWS) await new Promise((resolve) => setTimeout(resolve, 5));
      if (at === 3 * ROWS) structuredClone(ids.buffer, { transfer: [ids.buffer as ArrayBuffer] }); // then others are taken
    }
    expect(at).toBe(all.length);
  });

  it('read no further than allowed, and return everything before an error', async () => {
    for (const ahead of [0, 1, 2]) {
      let read = 0;
      function* source() {
        for (const sequence of [...sequences, ...sequences, ...sequences, 'Ax', ...sequences]) {
          read++;
          yield sequence;
        }
      }
      const batches = dna.batches(source(), { ...OPTIONS, batchSize: ROWS, ahead });
      for (let matrix = 1; matrix <= 3; matrix++) {
        same((await batches.next()).value!.ids);
        expect(read).toBeLessThanOrEqual((matrix + ahead) * ROWS);
      }
      expect(await failure(batches.next())).toMatchObject({ code: 'UNKNOWN_BASE', row: 3 * ROWS });
      expect(await batches.next()).toEqual({ done: true, value: undefined });
    }
  });

  it('can be abandoned at any time, even while they wait for the source or a matrix', async () => {
    for (let round = 0; round < 3; round++) {
      for await (const { shape } of dna.batches([...sequences, ...sequences], { ...OPTIONS, batchSize: ROWS, ahead: 2 })) {
        expect(shape[0]).toBe(ROWS);
        break;
      }
    }
    async function* stalled() {
      yield 'ACGTAC';
      await new Promise(() => undefined);
    }
    for await (const { ids } of dna.batches(stalled(), { batchSize: 1 })) {
      expect(ids.length).toBe(1);
      break;
    }
    const own = await DnaTokenizer.load('nt-v2');
    const batches = own.batches([...sequences, ...sequences, ...sequences], { ...OPTIONS, batchSize: ROWS });
    same((await batches.next()).value!.ids);
    own.close();
    expect(await failure(batches.next())).toMatchObject({ code: 'CLOSED' });
  });
});

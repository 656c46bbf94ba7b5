// DnaTokenizer.batches: matrices of sequences as they arrive, and a model's results for them.

import * as ort from 'onnxruntime-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BatchesOptions, DnaTokenizer } from 'crayon-tokenizer/dna';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { encodeNaively, MODELS } from './naive-dna.js';
import { meanEmbedding } from '../onnx-model.mjs';

const SEED = 20261122;
const plain = (ids: ArrayLike<number | bigint>) => Array.from(ids, Number);
const rules = MODELS['nt-v2']!;
const naive = (sequence: string) => encodeNaively(rules, new TextEncoder().encode(sequence)) as number[];

let dna: DnaTokenizer;
beforeAll(async () => {
  dna = await DnaTokenizer.load('nt-v2');
});
afterAll(() => dna.close());

function randomSequences(random: Random, count: number, most: number): string[] {
  return Array.from({ length: count }, () => Array.from({ length: random.integer(0, most) }, () => random.pick('ACGTACGTACGTN')).join(''));
}

async function* later<T>(items: Iterable<T>) {
  for (const item of items) {
    await Promise.resolve();
    yield item;
  }
}

async function collect(source: Parameters<DnaTokenizer['batches']>[0], options: BatchesOptions) {
  const all = [];
  for await (const { ids, mask, shape, indexes, names } of dna.batches(source, options)) {
    all.push({ ids: plain(ids), mask: mask && plain(mask), shape: [...shape], indexes: plain(indexes), names: [...names] });
  }
  return all;
}

const NT = { batchSize: 8 } as const;

it('names the record of an error', async () => {
  const dna = await DnaTokenizer.load('nt-v2');
  const bad = [{ name: 'r7', sequence: 'ACGT' }, { name: 'r8', sequence: 'ACx' }, 'TT'];
  for (const options of [NT, { ...NT, length: 8 }]) {
    const failed = (async () => {
      for await (const { shape } of dna.batches(bad, options)) expect(shape).toBeDefined();
    })();
    await expect(failed).rejects.toMatchObject({
      code: 'UNKNOWN_BASE',
      row: 1,
      position: 2,
      message: expect.stringContaining('item 1 of the source ("r8") holds \'x\''),
    });
  }
  dna.close();
});

describe('batches', () => {
  it('without a length have rows of equal length, and no padding', async () => {
    const random = new Random(SEED, 10);
    for (let round = 0; round < sample(20, 5); round++) {
      const sequences = randomSequences(random, random.integer(0, 60), 40);
      const batchSize = random.integer(1, 20);
      const tokensPerCall = random.integer(1, 60);
      const type = random.pick(['int32', 'bigint64', 'uint16'] as const);
      const batches = await collect(random.chance(0.5) ? sequences : later(sequences), { batchSize, tokensPerCall, type });
      const seen = batches.flatMap(({ indexes }) => indexes);
      expect([...seen].sort((a, b) => a - b)).toEqual(sequences.map((_, index) => index));
      for (const { ids, mask, shape, indexes } of batches) {
        const [rows, length] = shape as [number, number];
        expect(rows).toBe(indexes.length);
        expect(rows).toBeLessThanOrEqual(Math.min(batchSize, Math.max(1, Math.floor(tokensPerCall / Math.max(1, length)))));
        expect(ids).toEqual(indexes.flatMap((index) => naive(sequences[index]!)));
        expect(mask).toEqual(ids.map(() => 1));
        expect(new Set(indexes.map((index) => Math.floor(index / batchSize))).size).toBe(1); // in the same portion
        expect(indexes).toEqual([...indexes].sort((a, b) => a - b));
      }
    }
  });

  it('with a length take the rows in order', async () => {
    const random = new Random(SEED, 11);
    const sequences = randomSequences(random, 50, 60);
    const options = { batchSize: 16, length: 12, tokensPerCall: 100, truncate: true, addSpecialTokens: true, side: 'left' } as const;
    const batches = await collect(later(sequences), options);
    expect(batches.map(({ shape }) => shape)).toEqual([...new Array(6).fill([8, 12]), [2, 12]]); // floor(100 / 12) rows
    expect(batches.flatMap(({ indexes }) => indexes)).toEqual(sequences.map((_, index) => index));
    const whole = dna.encodeBatch(sequences, { length: 12, truncate: true, addSpecialTokens: true, side: 'left' });
    expect(batches.flatMap(({ ids }) => ids)).toEqual(plain(whole.ids));
    expect(batches.flatMap(({ mask }) => mask)).toEqual(plain(whole.mask));
  });

  it('reuse their arrays, unless copies are requested', async () => {
    const sequences = ['ACGTAC', 'GGGGGGTTTTTT', 'AAAAAA', 'CCCCCC'];
    const kept = [];
    for await (const { ids } of dna.batches(sequences, { batchSize: 1 })) kept.push(ids);
    expect(new Set(kept.map(({ buffer }) => buffer)).size).toBe(2); // the second needs more room
    const own = [];
    for await (const { ids } of dna.batches(sequences, { batchSize: 1, copy: true })) own.push(ids);
    expect(own.map(plain)).toEqual(sequences.map(naive));
  });

  it('have the names of records, even if the source reuses memory', async () => {
    const memory = new Uint8Array(6);
    function* reader() {
      for (const [name, base] of [
        ['a', 65],
        ['b', 67],
        [undefined, 71],
      ] as const)
        yield { name, sequence: memory.fill(base), quality: 5 };
    }
    const [batch] = await collect(reader(), { batchSize: 8 });
    expect(batch).toMatchObject({ names: ['a', 'b', undefined], ids: ['AAAAAA', 'CCCCCC', 'GGGGGG'].flatMap(naive) });
  });

  it('close their source when they end', async () => {
    let ended = false;
    async function* source() {
      try {
        for (;;) yield 'ACGTAC';
      } finally {
        ended = true;
      }
    }
    for await (const { shape } of dna.batches(source(), { batchSize: 2 })) {
      expect(shape).toEqual([2, 1]);
      break;
    }
    expect(ended).toBe(true);
  });

  it.each([undefined, 0, 1, 3])('read ahead only while their consumer waits, ahead: %s', async (ahead) => {
    const sequences = randomSequences(new Random(SEED, 11), 60, 40);
    for (const waits of [false, true]) {
      let read = 0;
      function* source() {
        for (const sequence of sequences) yield (read++, sequence);
      }
      const rows: string[] = [];
      let matrices = 0;
      for await (const { ids } of dna.batches(source(), { batchSize: 6, length: 40, side: 'right', ahead })) {
        rows.push(plain(ids).join());
        matrices++;
        // Nothing is read before the consumer has its matrix.
        if (!waits) expect(read).toBe(6 * matrices);
        else await new Promise((resolve) => setImmediate(resolve));
        expect(read).toBe(Math.min(60, 6 * (matrices + (waits ? (ahead ?? 0) : 0))));
      }
      expect(rows.join()).toBe(plain(dna.encodeBatch(sequences, { length: 40, side: 'right' }).ids).join());
    }
  });

  it('validate their arguments', async () => {
    const first = (source: unknown, options: object) => dna.batches(source as string[], options as BatchesOptions).next();
    await expect(first(['A'], { batchSize: 0 })).rejects.toThrow(RangeError);
    await expect(first(['A'], { batchSize: 1, tokensPerCall: 0 })).rejects.toThrow(/for tokensPerCall/);
    await expect(first(['A'], { batchSize: 1, copy: 1 })).rejects.toThrow(/for copy/);
    await expect(first(['A'], { batchSize: 1, out: {} })).rejects.toThrow(/unknown option 'out'/);
    await expect(first('ACGT', { batchSize: 1 })).rejects.toThrow(/an iterable of sequences or records for source/);
    await expect(first(['A', 5], { batchSize: 2 })).rejects.toThrow('expected a string or a Uint8Array for source[1] but received 5');
    await expect(first([{ name: 'x' }], { batchSize: 1 })).rejects.toThrow(/for source\[0\].sequence/);
    for (const options of [undefined, {}])
      await expect(first(['A'], options as never)).rejects.toThrow('`batchSize` must be set: it has no default');
    await expect(first(['A', 'a'], { batchSize: 2 })).rejects.toMatchObject({ code: 'UNKNOWN_BASE', row: 1 });
    await expect(first(['ACGT'], { batchSize: 2, length: 2 })).rejects.toMatchObject({ code: 'TEXT_TOO_LONG', row: 0 });
    expect(await collect([], { batchSize: 2 })).toEqual([]);
  });
});

describe('a model of ONNX', () => {
  const WIDTH = 8;
  const random = new Random(SEED, 12);
  const sequences = [...randomSequences(random, 40, 200), 'A'].filter((sequence) => sequence !== '');
  let table: Float32Array;
  let session: ort.InferenceSession;
  beforeAll(async () => {
    table = Float32Array.from({ length: dna.vocabularySize * WIDTH }, () => random.next() / 2 ** 31 - 1);
    session = await ort.InferenceSession.create(meanEmbedding(table, WIDTH));
  });

  /** The mean, computed naively. */
  function expected(sequence: string, length = Infinity): number[] {
    const ids = naive(sequence).slice(0, length);
    return Array.from({ length: WIDTH }, (_, column) => ids.reduce((sum, id) => sum + table[id * WIDTH + column]!, 0) / ids.length);
  }

  it.each([
    ['rows of equal length', {}],
    ['padded rows', { length: 20, truncate: true }],
    ['rows that are padded on the left', { length: 40, truncate: true, side: 'left' }],
  ] as const)('embeds sequences from batches: %s', async (_, options) => {
    const embeddings: number[][] = [];
    const all = { ...options, batchSize: 16, tokensPerCall: 300, type: 'bigint64', mask: 'ids' } as const;
    for await (const { ids, mask, shape, indexes } of dna.batches(later(sequences), all)) {
      const feeds = { input_ids: new ort.Tensor('int64', ids, shape), attention_mask: new ort.Tensor('int64', mask, shape) };
      const { embedding } = await session.run(feeds);
      const rows = embedding!.data as Float32Array;
      plain(indexes).forEach((index, row) => (embeddings[index] = plain(rows.subarray(row * WIDTH, (row + 1) * WIDTH))));
    }
    expect(embeddings.length).toBe(sequences.length);
    sequences.forEach((sequence, index) => {
      expected(sequence, (options as { length?: number }).length).forEach((value, column) =>
        expect(embeddings[index]![column]).toBeCloseTo(value, 4),
      );
    });
  });
});

// embed: runs sequences through a model, whose memory may run out at any time.

import * as ort from 'onnxruntime-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DnaBatch, DnaTokenizer, embed, type Embedded, type EmbedOptions, type EmbedProgress, type RowValues } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { meanEmbedding } from '../onnx-model.mjs';

let dna: DnaTokenizer;
beforeAll(async () => {
  dna = await DnaTokenizer.load('hyenadna');
});
afterAll(() => dna.close());

const randomSequences = (random: Random, count: number, most: number) =>
  Array.from({ length: count }, () => Array.from({ length: random.integer(1, most) }, () => random.pick('ACGTN')).join(''));

/** The result of these tests' model for a row: its ids without padding. */
const idsOf = ({ ids, mask, shape: [rows, length] }: DnaBatch) =>
  Array.from({ length: rows }, (_, row) => ids.slice(row * length, (row + 1) * length).filter((_, at) => mask[row * length + at]).join());

/** All values, one per sequence, checked to come in order. */
async function collect<Value>(results: AsyncIterable<Embedded<Value[] | RowValues>>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const { values, from, rows } of results) {
    expect([from, rows]).toEqual([all.length, values.length]);
    all.push(...(values as Value[]));
  }
  return all;
}

const failure = (message: string, more = {}) => Object.assign(new Error(message), more);

describe('results', () => {
  it('come in source order, each sequence once, whatever fails', async () => {
    for (let round = 0; round < sample(200, 20); round++) {
      const random = new Random(1, round);
      const sequences = randomSequences(random, random.integer(0, 80), random.pick([3, 12]));
      const expected = sequences.map((sequence) => dna.encode(sequence).join());
      const options: EmbedOptions<'int32'> & { mask?: 'uint8' } = {
        batchSize: random.integer(1, 20),
        ahead: random.integer(0, 2),
        ...(random.integer(0, 1) ? { length: 12, side: 'right' as const } : { tokensPerCall: random.pick([10, 1000]) }),
      };
      const most = random.integer(1, 9);
      const calls: number[] = [];
      const run = async (batch: DnaBatch) => {
        calls.push(batch.shape[0]);
        expect([batch.indexes.length, batch.names.length, batch.unknownPerRow.length]).toEqual([batch.shape[0], batch.shape[0], batch.shape[0]]);
        if (batch.shape[0] > most && random.integer(0, 3) > 0) throw failure('CUDA error: out of memory');
        return idsOf(batch);
      };
      expect(await collect(embed(dna, sequences, run, options))).toEqual(expected);
      expect(Math.max(0, ...calls)).toBeLessThanOrEqual(options.batchSize);
    }
  });

  it('may be typed arrays with several numbers a row', async () => {
    const sequences = ['ACGT', 'AC', 'GGTT', 'TT', 'CCCC'];
    const model = ({ indexes, shape: [, length] }: DnaBatch) => Float32Array.from([...indexes].flatMap((index) => [index, length]));
    const all = [];
    for await (const { values, from, rows } of embed(dna, sequences, model, { batchSize: 5 })) all.push([from, rows, values]);
    expect(all).toEqual([
      [0, 1, Float32Array.of(0, 4)],
      [1, 4, Float32Array.of(1, 2, 2, 4, 3, 2, 4, 4)],
    ]);
  });
});

describe('a model that runs out of memory', () => {
  const sequences = Array.from({ length: 400 }, (_, index) => 'ACGT'[index % 4]!.repeat(8));

  it('gets half the rows, from the failed row on, and more again after some calls', async () => {
    const calls: [rows: number, first: number][] = [];
    const seen: EmbedProgress[] = [];
    const run = (batch: DnaBatch) => {
      calls.push([batch.shape[0], batch.indexes[0] as number]);
      if (batch.shape[0] > 8 && calls.length < 40) throw failure('Failed to allocate memory for requested buffer of size 1024');
      return [...batch.indexes];
    };
    expect(await collect(embed(dna, sequences, run, { batchSize: 32, length: 8, onProgress: (each) => seen.push(each) }))).toEqual(sequences.map((_, index) => index));
    expect(calls.slice(0, 4)).toEqual([[32, 0], [16, 0], [8, 0], [8, 8]]);
    expect(calls.some(([rows], at) => rows > 8 && at >= 39)).toBe(true);
    expect(seen.at(-1)).toMatchObject({ rows: 400, ids: 3200, calls: calls.length });
    expect(seen.at(-1)!.failures).toBe(calls.length - seen.length);
  });

  it.each([
    ['CUDA', failure('CUDA out of memory. Tried to allocate 20.00 MiB')],
    ['PyTorch', failure('Expected canUse32BitIndexMath(input) to be true, but got false')],
    ['ONNX Runtime', failure('Available memory of 0 is smaller than requested bytes of 4096')],
    ['C++', failure('std::bad_alloc')],
    ['V8', new RangeError('Array buffer allocation failed')],
    ['a code', failure('no', { code: 'ENOMEM' })],
    ['a cause', failure('the run failed', { cause: failure('HIP out of memory') })],
    ['a string', 'out of memory'],
  ])('is recognised by the message of %s', async (_, thrown) => {
    const run = ({ indexes }: DnaBatch) => {
      if (indexes.length > 1) throw thrown;
      return [...indexes];
    };
    expect(await collect(embed(dna, ['AC', 'GT', 'TT'], run, { batchSize: 3 }))).toEqual([0, 1, 2]);
  });

  it('passes the failure on if a single row failed', async () => {
    const thrown = failure('out of memory');
    const run = ({ indexes }: DnaBatch) => {
      if (indexes.includes(2)) throw thrown;
      return [...indexes];
    };
    const seen: number[] = [];
    const reading = async () => {
      for await (const { values } of embed(dna, ['AC', 'GT', 'TT', 'AA'], run, { batchSize: 4 })) seen.push(...values);
    };
    await expect(reading()).rejects.toBe(thrown);
    expect(seen).toEqual([0, 1]);
  });

  it('passes the failure on if the ids were transferred', async () => {
    const thrown = failure('out of memory');
    const run = ({ ids }: DnaBatch) => {
      structuredClone(ids.buffer, { transfer: [ids.buffer as ArrayBuffer] });
      throw thrown;
    };
    await expect(collect(embed(dna, ['AC', 'GT'], run as (batch: DnaBatch) => number[], { batchSize: 2 }))).rejects.toBe(thrown);
  });
});

describe('it ends on', () => {
  it('any other failure, without a retry', async () => {
    const thrown = failure('shapes do not match');
    let calls = 0;
    const run = (): number[] => {
      calls++;
      throw thrown;
    };
    await expect(collect(embed(dna, ['AC', 'GT'], run, { batchSize: 2 }))).rejects.toBe(thrown);
    expect(calls).toBe(1);
  });

  it('a signal, before the next call', async () => {
    const controller = new AbortController();
    const run = ({ indexes }: DnaBatch) => {
      controller.abort(new Error('enough'));
      return [...indexes];
    };
    const all: number[] = [];
    const reading = async () => {
      for await (const { values } of embed(dna, ['AC', 'GT', 'TT'], run, { batchSize: 1, signal: controller.signal })) all.push(...values);
    };
    await expect(reading()).rejects.toThrow('enough');
    expect(all).toEqual([0]);
  });

  it('a reader that stops, closing the source', async () => {
    let isEnded = false;
    function* source() {
      try {
        for (;;) yield 'ACGT';
      } finally {
        isEnded = true;
      }
    }
    for await (const { rows } of embed(dna, source(), ({ indexes }) => [...indexes], { batchSize: 2, length: 4 })) {
      expect(rows).toBe(2);
      break;
    }
    expect(isEnded).toBe(true);
  });

  it.each<[string, (batch: DnaBatch) => any]>([
    ['too few', () => [1]],
    ['too many', () => [1, 2, 3]],
    ['numbers that cannot be divided', () => new Float32Array(3)],
    ['none', () => undefined],
    ['an object', () => ({})],
  ])('values that do not match the rows: %s', async (_, run) => {
    const error = await collect(embed(dna, ['AC', 'GT'], run, { batchSize: 2 })).catch((error: Error) => error);
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toMatch(/^expected an array with a value for each of 2 rows/);
    expect((error as Error).stack).toContain('embed.test.ts');
  });

  it.each<[string, () => unknown, string]>([
    ['no tokenizer', () => embed({} as DnaTokenizer, [], () => [], { batchSize: 1 }), 'a DnaTokenizer'],
    ['no model', () => embed(dna, [], 5 as never, { batchSize: 1 }), 'a function from batches to values'],
    ['an output without a session', () => embed(dna, [], () => [], { batchSize: 1, output: 'x' }), 'unless run is an ONNX session'],
    ['an unknown option', () => embed(dna, ['A'], () => [], { batchSize: 1, batchsize: 2 } as never), "unknown option 'batchsize'; did you mean 'batchSize'?"],
    ['no signal', () => embed(dna, ['A'], () => [], { batchSize: 1, signal: 5 } as never), 'expected an AbortSignal for signal but received 5'],
    ['no batchSize', () => embed(dna, ['A'], () => [], {} as never), 'a number of rows, which has no default'],
  ])('%s', async (_, begin, message) => {
    await expect(collect(begin() as AsyncIterable<Embedded<number[]>>)).rejects.toThrow(message);
  });
});

describe('a session of ONNX Runtime', () => {
  const width = 4;
  const table = Float32Array.from({ length: 16 * width }, (_, index) => Math.sin(index));
  let session: ort.InferenceSession;
  beforeAll(async () => {
    session = await ort.InferenceSession.create(meanEmbedding(table, width));
  });

  it('gets ids and masks, and its output has a value for each row', async () => {
    const sequences = randomSequences(new Random(2), 50, 30);
    const all: number[][] = [];
    for await (const { values, from, rows } of embed(dna, sequences, session, { batchSize: 16, length: 30 })) {
      expect(from).toBe(all.length);
      for (let row = 0; row < rows; row++) all.push(Array.from(values.slice(row * width, (row + 1) * width) as Float32Array));
    }
    const expected = sequences.map((sequence) => {
      const ids = dna.encode(sequence);
      return Array.from({ length: width }, (_, at) => ids.reduce((sum, id) => sum + table[id * width + at]!, 0) / ids.length);
    });
    expect(all.length).toBe(50);
    all.forEach((row, index) => row.forEach((value, at) => expect(value).toBeCloseTo(expected[index]![at]!, 4)));
  });

  it('is refused if it needs inputs that batches lack, or lacks the requested output', async () => {
    const odd = { inputNames: ['input_ids', 'position_ids'], outputNames: ['a'], run: async () => ({}) };
    await expect(collect(embed(dna, ['A'], odd as never, { batchSize: 1 }))).rejects.toThrow('an input position_ids, which batches have not');
    await expect(collect(embed(dna, ['A'], session as never, { batchSize: 1, output: 'x' }))).rejects.toThrow('the name of an output (embedding)');
    await expect(collect(embed(dna, ['A'], session as never, { batchSize: 1, type: 'int32' }))).rejects.toThrow("'bigint64' for an ONNX session");
  });
});

// embed: runs sequences through a model, whose memory may run out at any time.

import * as ort from 'onnxruntime-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TokenizerError } from 'crayon-tokenizer';
import {
  type DnaBatch,
  DnaTokenizer,
  embed,
  type Embedded,
  type EmbedOptions,
  type EmbedProgress,
  type RowValues,
} from 'crayon-tokenizer/dna';

import { dnaEngineOf } from '../../dist/node/internals.js';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { meanEmbedding } from '../onnx-model.mjs';

type MatrixPlan = Parameters<ReturnType<typeof dnaEngineOf>['encodeRows']>[0];

let dna: DnaTokenizer;
beforeAll(async () => {
  dna = await DnaTokenizer.load('hyenadna');
});
afterAll(() => dna.close());

const randomSequences = (random: Random, count: number, most: number) =>
  Array.from({ length: count }, () => Array.from({ length: random.integer(1, most) }, () => random.pick('ACGTN')).join(''));

/** The result of these tests' model for a row: its ids without padding. */
const idsOf = ({ ids, mask, shape: [rows, length] }: DnaBatch) =>
  Array.from({ length: rows }, (_, row) =>
    ids
      .slice(row * length, (row + 1) * length)
      .filter((_, at) => mask[row * length + at])
      .join(),
  );

/** All values, one per sequence, checked to come in order. */
async function collect<Value>(results: AsyncIterable<Embedded<Value[] | RowValues>>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const { values, from, rows } of results) {
    expect([from, rows]).toEqual([all.length, values.length]);
    all.push(...(values as Value[]));
  }
  return all;
}

/** What a model takes that waits for another thread: the next matrices are begun meanwhile. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

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
        expect([batch.indexes.length, batch.names.length, batch.unknownPerRow.length]).toEqual([
          batch.shape[0],
          batch.shape[0],
          batch.shape[0],
        ]);
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

it.each([
  [undefined, 1],
  [0, 0],
  [2, 2],
])('the next matrices are read while the model waits, by default one (ahead: %s)', async (ahead, expected) => {
  let read = 0;
  function* source() {
    for (const base of 'ACGTACGT') yield (read++, base);
  }
  let calls = 0;
  const run = async ({ indexes }: DnaBatch) => {
    calls++;
    await turn();
    expect(read).toBe(Math.min(8, calls + expected));
    return [...indexes];
  };
  expect(await collect(embed(dna, source(), run, { batchSize: 1, ahead }))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

describe('a model that gets too much', () => {
  const sequences = Array.from({ length: 400 }, (_, index) => 'ACGT'[index % 4]!.repeat(8));

  it('gets half the rows, from the failed row on, and more again after some calls', async () => {
    const calls: [rows: number, first: number][] = [];
    const seen: EmbedProgress[] = [];
    const run = (batch: DnaBatch) => {
      calls.push([batch.shape[0], batch.indexes[0] as number]);
      if (batch.shape[0] > 8 && calls.length < 40) throw failure('Failed to allocate memory for requested buffer of size 1024');
      return [...batch.indexes];
    };
    expect(await collect(embed(dna, sequences, run, { batchSize: 32, length: 8, onProgress: (each) => seen.push(each) }))).toEqual(
      sequences.map((_, index) => index),
    );
    expect(calls.slice(0, 4)).toEqual([
      [32, 0],
      [16, 0],
      [8, 0],
      [8, 8],
    ]);
    expect(calls.some(([rows], at) => rows > 8 && at >= 39)).toBe(true);
    expect(seen.at(-1)).toMatchObject({ rows: 400, ids: 3200, calls: calls.length });
    expect(seen.at(-1)!.failures).toBe(calls.length - seen.length);
  });

  it.each([
    ['CUDA', failure('CUDA out of memory. Tried to allocate 20.00 MiB')],
    ['PyTorch', failure('Expected canUse32BitIndexMath(input) to be true, but got false')],
    ['32-bit indexing', failure('Tensor is too large for 32-bit indexing')],
    ['32-bit sizes', failure('nonzero is not supported for tensors with more than INT_MAX elements')],
    ['a convolution', failure('conv1d index 2147483648 is out of range')],
    ['this package', failure('no', { code: 'OUT_OF_MEMORY' })],
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

  it('is recognised by isTooLarge', async () => {
    const full = failure('the tile is full');
    const other = failure('shapes do not match');
    const asked: unknown[] = [];
    const isTooLarge = (error: unknown) => (asked.push(error), error === full);
    const run =
      (thrown: unknown) =>
      ({ indexes }: DnaBatch) => {
        if (indexes.length > 1) throw thrown;
        return [...indexes];
      };
    expect(await collect(embed(dna, ['AC', 'GT', 'TT'], run(full), { batchSize: 3, isTooLarge }))).toEqual([0, 1, 2]);
    // The known errors need no question.
    expect(await collect(embed(dna, ['AC', 'GT'], run('out of memory'), { batchSize: 2, isTooLarge }))).toEqual([0, 1]);
    await expect(collect(embed(dna, ['AC', 'GT'], run(other), { batchSize: 2, isTooLarge }))).rejects.toBe(other);
    await expect(collect(embed(dna, ['AC', 'GT'], run(full), { batchSize: 2, isTooLarge: (() => 1) as never }))).rejects.toBe(full);
    expect(asked).toEqual([full, other]);
  });

  it.each([1, 3])('gets a single row that failed again with nothing ahead of it, nor ever after (ahead: %i)', async (ahead) => {
    const sequences = Array.from({ length: 12 }, (_, index) => 'ACGT'[index % 4]!.repeat(1 + index));
    let read = 0;
    function* source() {
      for (const sequence of sequences) {
        read++;
        yield sequence;
      }
    }
    const calls: [index: number, read: number][] = [];
    const run = async (batch: DnaBatch) => {
      await turn();
      const index = batch.indexes[0]!;
      if (calls.push([index, read]) === 4) throw failure('out of memory');
      return idsOf(batch);
    };
    const values = await collect(embed(dna, source(), run, { batchSize: 1, ahead }));
    expect(values).toEqual(sequences.map((sequence) => dna.encode(sequence).join()));
    const expected = sequences.map((_, index): [number, number] => [
      index,
      index <= 3 ? index + 1 + ahead : Math.max(index + 1, 4 + ahead),
    ]);
    expect(calls).toEqual([...expected.slice(0, 4), expected[3], ...expected.slice(4)]);
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

describe('where encoding is too large', () => {
  const IDS: Record<string, number> = { A: 3, C: 4, G: 5, T: 6, N: 7 };
  const characters = (sequence: string) => Array.from(sequence, (base) => IDS[base] ?? 8);
  const pairs = (sequence: string) =>
    (sequence.match(/[ACGTN]{2}|[^]/g) ?? []).flatMap((part) =>
      part.length === 2 ? [20 + 5 * IDS[part[0]!]! + IDS[part[1]!]!] : characters(part),
    );

  /** Lets this many matrices come from jobs of other threads, and as many from the calling thread; then all fail. */
  function limited(of: DnaTokenizer, most: number) {
    const engine = dnaEngineOf(of);
    const encodeRows = engine.encodeRows.bind(engine);
    const done = { ahead: 0, here: 0 };
    let last: 'ahead' | 'here' = 'here';
    const full = () => new TokenizerError('an allocation failed', { code: 'OUT_OF_MEMORY' });
    const write = (stage: 'ahead' | 'here', matrix: MatrixPlan) => {
      if (done[stage] === most) {
        matrix.ids.fill(99 as never); // half of a matrix is none
        throw full();
      }
      done[stage]++;
      last = stage;
      encodeRows(matrix, 1);
    };
    Object.assign(engine, {
      job: (matrix: MatrixPlan) => ({
        start() {},
        run: () => write('ahead', matrix),
        done: async () => write('ahead', matrix),
        release() {},
      }),
      encodeRows: (matrix: MatrixPlan) => write('here', matrix),
    });
    return { done, lastStage: () => last };
  }

  it.each<[string, (sequence: string) => number[], boolean, object]>([
    ['characters', characters, false, {}],
    ['characters in rows of a length', characters, false, { length: 24 }],
    ['k-mers', pairs, false, {}],
    ['promises', characters, true, {}],
    ['promises in rows of a length', pairs, true, { length: 24 }],
  ])(
    'it goes on without work ahead, then by the tokenizer behind the tables, while the model fails, too: %s',
    async (_, encode, isAsync, options) => {
      for (let round = 0; round < sample(40, 6); round++) {
        const random = new Random(11, round);
        const sequences = randomSequences(random, 500, 3);
        let asked = 0;
        const upstream = (sequence: string) => (asked++, isAsync ? Promise.resolve(encode(sequence)) : encode(sequence));
        using found = await DnaTokenizer.discover(upstream, { padId: 0 });
        expect(found.fallback).toBe(undefined);
        asked = 0;
        const { done, lastStage } = limited(found, 5);
        // In each stage a call has too many rows; a single row fails once.
        const failed = new Set<string>();
        let aheadWhenAlone: number | undefined;
        const run = async (batch: DnaBatch) => {
          await turn();
          const stage = asked > 0 ? 'upstream' : lastStage();
          const [rows] = batch.shape;
          if (rows > 1 && !failed.has(stage)) {
            failed.add(stage);
            throw failure(
              stage === 'here' ? 'conv1d index is too large' : 'Expected canUse32BitIndexMath(input) to be true, but got false',
            );
          }
          if (rows === 1 && aheadWhenAlone === undefined) {
            aheadWhenAlone = done.ahead;
            throw failure('CUDA out of memory');
          }
          return idsOf(batch);
        };
        const ahead = random.integer(1, 3);
        const all = embed(found, sequences, run, { batchSize: 32, ahead, ...options });
        expect(await collect(all), `round ${round}`).toEqual(sequences.map((sequence) => encode(sequence).join()));
        // After that row, what has begun is finished, and nothing else is left to other threads.
        expect(done).toEqual({ ahead: Math.min(5, (aheadWhenAlone ?? 5) + ahead), here: 5 });
        expect(asked).toBeGreaterThan(0);
        expect(failed).toEqual(new Set(['ahead', 'here', 'upstream']));
      }
    },
  );

  it('counting k-mers is left to that tokenizer as well', async () => {
    using found = await DnaTokenizer.discover(pairs, { padId: 0 });
    const sequences = randomSequences(new Random(12), 40, 9);
    limited(found, 0);
    dnaEngineOf(found).countRows = () => {
      throw new TokenizerError('an allocation failed', { code: 'OUT_OF_MEMORY' });
    };
    const values = await collect(embed(found, sequences, idsOf, { batchSize: 8 }));
    expect(values).toEqual(sequences.map((sequence) => pairs(sequence).join()));
  });

  it('a vocabulary without such a tokenizer passes the failure on, for its row, after the rows before it', async () => {
    using own = await DnaTokenizer.load('hyenadna');
    limited(own, 2);
    const seen: number[] = [];
    const reading = async () => {
      for await (const { rows } of embed(
        own,
        Array.from({ length: 20 }, () => 'ACGT'),
        async (batch) => (await turn(), idsOf(batch)),
        { batchSize: 2 },
      ))
        seen.push(rows);
    };
    await expect(reading()).rejects.toMatchObject({ code: 'OUT_OF_MEMORY' });
    expect(seen).toEqual([2, 2, 2, 2]);
  });

  it('other errors of a sequence end it at once', async () => {
    using found = await DnaTokenizer.discover((sequence) =>
      Array.from(sequence, (base) => {
        if (!(base in IDS)) throw new Error(base);
        return IDS[base]!;
      }),
    );
    await expect(collect(embed(found, ['A', 'AXA'], idsOf, { batchSize: 2 }))).rejects.toMatchObject({
      code: 'UNKNOWN_BASE',
      row: 1,
      position: 1,
    });
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
    [
      'an output without a session',
      () => embed(dna, [], () => [], { batchSize: 1, output: 'x' }),
      '`output` must be left out: it is for an ONNX session',
    ],
    [
      'an unknown option',
      () => embed(dna, ['A'], () => [], { batchSize: 1, batchsize: 2 } as never),
      "unknown option 'batchsize'; did you mean 'batchSize'?",
    ],
    [
      'no signal',
      () => embed(dna, ['A'], () => [], { batchSize: 1, signal: 5 } as never),
      'expected an AbortSignal for signal but received 5',
    ],
    [
      'no isTooLarge',
      () => embed(dna, ['A'], () => [], { batchSize: 1, isTooLarge: /memory/ } as never),
      'expected a function for isTooLarge',
    ],
    ['no batchSize', () => embed(dna, ['A'], () => [], {} as never), '`batchSize` must be set: it has no default'],
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
    await expect(collect(embed(dna, ['A'], odd as never, { batchSize: 1 }))).rejects.toThrow(
      'an input position_ids, which batches have not',
    );
    await expect(collect(embed(dna, ['A'], session as never, { batchSize: 1, output: 'x' }))).rejects.toThrow(
      'the name of an output (embedding)',
    );
    await expect(collect(embed(dna, ['A'], session as never, { batchSize: 1, type: 'int32' }))).rejects.toThrow(
      "'bigint64' for an ONNX session",
    );
  });
});

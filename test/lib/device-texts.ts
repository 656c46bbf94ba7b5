// Batches of texts on the emulated device, or on another one (hardware.ts): what tests of several models have in common.

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

import { compileCartridge, type TextRows, Tokenizer, type TokenBatch } from 'crayon-tokenizer';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';

import { deviceProgress, type DeviceSettings, keptBytes, useEmulatedDevice as useDevice } from '../../dist/node/internals.js';
import { Random } from '../fuzz/random.mjs';
import { HARDWARE } from './hardware.js';

const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as typeof import('tokenizers');

export const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
export const PLUGIN = HARDWARE ?? file('build/release/gpu/crayon_gpu_emulated.so');
/** The types do not have its name. */
export const EMULATED = { device: 'emulated' as 'cuda' };

/** `faults`: of gpu/emulated/faults.h. */
export function useEmulatedDevice(settings: DeviceSettings = {}, faults = '', kind?: 'cuda'): void {
  process.env.CRAYON_EMULATED_DEVICE = faults;
  useDevice(PLUGIN, faults ? { timeLimit: 30_000, ...settings } : settings, kind);
}

/** After each test: without a device, on which nothing was left. */
export function leaveDeviceAfterEach(): void {
  afterEach(() => {
    expect(keptBytes('emulated'), 'bytes that are still on the device').toBe(0);
    useDevice();
  });
}

export function rowsOf(texts: string[]): TextRows {
  const each = texts.map((text) => new TextEncoder().encode(text));
  const offsets = new Uint32Array(each.length + 1);
  each.forEach((bytes, row) => (offsets[row + 1] = offsets[row]! + bytes.length));
  return { bytes: Buffer.concat(each), offsets };
}

export const listed = (batch: TokenBatch) => [...batch].map((row) => [...row]);

/** What `work` returns, and that the device did it: without, ids of the CPU would look the same. */
export async function onDevice<T>(work: () => T | Promise<T>, jobs = 1) {
  const before = deviceProgress().jobs;
  const result = await work();
  expect(deviceProgress().jobs - before, 'jobs of the device').toBe(jobs);
  return result;
}

export const open = async (source: string | Uint8Array) =>
  Tokenizer.load(await compileCartridge(typeof source === 'string' ? Buffer.from(source) : source));

/** Slices of every kind: all in one, many, with other warps, in little memory. */
export const SLICES: [DeviceSettings, string?][] = [
  [{}],
  [{ sliceBytes: 4096 }, 'seed=1'],
  [{ sliceBytes: 9000 }, 'warp_size=64 seed=2'],
  [{ memoryBudget: 1500 }],
];

/**
 * Tests that batches have the ids of Hugging Face, and those of the CPU if bytes are not UTF-8.
 * @param json the tokenizer.json
 * @param damaged texts in which some bytes become those of `by`, wherever they are
 * @returns the open tokenizer, for more tests
 */
export function itHasIdsOfHuggingFace(
  json: string,
  texts: string[],
  damaged: { texts: string[]; by: readonly number[]; seed: number },
): () => Tokenizer {
  let tokenizer: Tokenizer;
  let expected: number[][];
  beforeAll(async () => {
    tokenizer = await open(json);
    const reference = HuggingFace.fromString(json);
    expected = await Promise.all(texts.map(async (text) => (await reference.encode(text, null, { addSpecialTokens: false })).getIds()));
  });
  afterAll(() => tokenizer.close());

  it.each(SLICES)('have the ids of Hugging Face with %o', async (settings, faults) => {
    useEmulatedDevice(settings, faults);
    expect(listed(await onDevice(() => tokenizer.encodeBatch(texts, { ...EMULATED, special: 'allow' })))).toEqual(expected);
    expect(listed(await onDevice(() => tokenizer.encodeBatchAsync(rowsOf(texts), { ...EMULATED, special: 'allow' })))).toEqual(expected);
    if (settings.sliceBytes === 4096) expect(deviceProgress().slices).toBeGreaterThan(3);
  });

  it('may have bytes that are not UTF-8', async () => {
    const random = new Random(damaged.seed);
    const rows = rowsOf(damaged.texts);
    for (let n = 0; n < rows.bytes.length / 15; n++) rows.bytes[random.integer(0, rows.bytes.length - 1)] = random.pick([...damaged.by]);
    const cpu = listed(tokenizer.encodeBatch(rows, { device: 'cpu', special: 'text' }));
    useEmulatedDevice({ sliceBytes: 4096 });
    expect(listed(await onDevice(() => tokenizer.encodeBatch(rows, { ...EMULATED, special: 'text' })))).toEqual(cpu);
  });

  return () => tokenizer;
}

// The device model in bench/gpu, checked against figures computed by hand.

import { describe, expect, it } from 'vitest';

import { ASSUMED } from '../../bench/gpu/devices.mjs';
import { compiledOf } from '../../bench/gpu/resources.mjs';
import { batchTime, chunkSize, extrapolated, kernelTime, streamedTime } from '../../bench/gpu/roofline.mjs';

/** One processor at 1 GHz, so that clocks are nanoseconds. */
const device = {
  name: 'none',
  architecture: 'sm_90',
  processors: 1,
  clock: 1,
  memory: 10,
  second: 100,
  secondSize: 1,
  first: 128,
  bus: 2,
  latency: { shared: 20, first: 30, second: 200, memory: 500 },
};
const compiled = { name: 'Walk<int>', threads: 64, warps: 4, blocks: 2, shared: 32 * 1024, instructions: 40, accesses: 10, registers: 32 };
const counts = {
  launches: 1,
  blocks: 10,
  phases: 20,
  steps: 1000,
  sharedGroups: 100,
  memoryGroups: 10,
  firstGroups: [1, 2, 3],
  secondGroups: [6, 5, 4],
  newLoaded: 300,
  newStored: 100,
  missed: [900, 800, 700],
  storedSectors: 200,
  lines: 50,
  sharedTurns: 250,
};

describe('the model of a kernel', () => {
  it('has five bounds', () => {
    const { bounds, best, worst, boundBy } = kernelTime('walk', counts, compiled, device);
    // 64 of the 128 KiB are shared memory: the second of the caches.
    const waiting = 100 * 20 + 2 * 30 + 5 * 200 + 10 * 500 + 1000 * 4 * ASSUMED.clocksPerInstruction + 20 * 2 * ASSUMED.barrier;
    const expected = {
      memory: (400 * 32) / (10 * ASSUMED.memoryShare),
      second: (1000 * 32) / 100,
      first: 300,
      instructions: (1000 * 4 * 32) / ASSUMED.integerLanes,
      waiting: waiting / 4,
    };
    for (const [bound, nanoseconds] of Object.entries(expected))
      expect(bounds[bound as keyof typeof bounds] * 1e9, bound).toBeCloseTo(nanoseconds, 3);
    expect(boundBy).toBe('waiting');
    expect(best).toBe(bounds.waiting);
    expect(worst).toBeCloseTo(
      Object.values(bounds).reduce((a, b) => a + b),
      12,
    );
  });

  it('waits longer if there are fewer warps than a processor can hold', () => {
    const few = { ...counts, blocks: 1 };
    const many = { ...counts, blocks: 2 };
    expect(kernelTime('walk', few, compiled, device).bounds.waiting).toBeCloseTo(
      2 * kernelTime('walk', many, compiled, device).bounds.waiting,
      12,
    );
  });
});

describe('batches', () => {
  it('grow linearly from two sizes, and blocks grow in steps', () => {
    const small = { bytes: 100, kernels: { walk: { ...counts, steps: 600, blocks: 1 }, hop: { ...counts, blocks: 1 } } };
    const large = { bytes: 200, kernels: { walk: { ...counts, blocks: 1 }, hop: { ...counts, steps: 1200, blocks: 1 } } };
    const { walk, hop } = extrapolated(small, large, 1000) as Record<string, typeof counts>;
    expect(walk!.steps).toBe(600 + 9 * 400);
    expect(walk!.missed).toEqual(counts.missed);
    expect(walk!.blocks).toBeCloseTo(4.2);
    expect(hop!.blocks).toBe(1);
  });

  it('take the time of their kernels, launches and transfers', () => {
    const kernels = new Map([['Walk<LongestMatchStep>', compiled]]);
    const of = { step: 'LongestMatchStep', width: 4, readBacks: 2 };
    const { best, fixed, parts } = batchTime({ walk: counts }, kernels, device, of);
    expect(fixed).toBeCloseTo((ASSUMED.launch + 2 * ASSUMED.readBack) / 1e6);
    expect(best).toBeCloseTo(fixed + parts[0]!.best);
    expect(() => batchTime({ unheard_of: counts }, kernels, device, of)).toThrow('no compiled kernel is unheard_of');
  });

  it('overlap except at their ends', () => {
    const times = { sliceBytes: 2e9, sliceIds: 4e9, compute: 0.5, device };
    expect(streamedTime({ ...times, count: 1 })).toBeCloseTo(1 + 0.5 + 2);
    expect(streamedTime({ ...times, count: 5 })).toBeCloseTo(1 + 0.5 + 2 + 4 * 2);
  });

  it("have the pipeline's chunks", () => {
    expect([1, 16 << 20, 32 << 20, 1 << 30].map((bytes) => chunkSize(bytes, 132))).toEqual([64, 64, 128, 512]);
  });
});

it('find a compiled kernel by name', () => {
  const kernels = new Map(
    [
      'Lut<unsigned char>',
      'Lut<unsigned int>',
      'LutStarts<unsigned int>',
      'Speculate<LongestMatchStep>',
      'Speculate<PieceStep>',
      'ScanSums<Sum>',
      'Emit<unsigned int, false>',
      'Emit<unsigned long, true>',
    ].map((name) => [name, compiled]),
  );
  const found = (name: string, of: { step?: string; width: number }) => compiledOf(kernels, name, of)?.name;
  expect(found('lut8', { width: 4 })).toBe('Lut<unsigned char>');
  expect(found('lut32', { width: 4 })).toBe('Lut<unsigned int>');
  expect(found('lut_starts', { width: 4 })).toBe('LutStarts<unsigned int>');
  expect(found('speculate', { step: 'PieceStep', width: 4 })).toBe('Speculate<PieceStep>');
  expect(found('scan_sums', { step: 'PieceStep', width: 4 })).toBe('ScanSums<Sum>');
  expect(found('scan_sums', { step: '', width: 4 })).toBe('ScanSums<Sum>'); // words are found without steps
  expect(found('emit', { step: '', width: 4 })).toBe('Emit<unsigned int, false>');
  expect(found('emit_begins', { step: '', width: 4 })).toBe('Emit<unsigned long, true>');
  expect(found('hop', { width: 4 })).toBeUndefined();
});

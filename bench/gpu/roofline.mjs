/**
 * How long kernels would take on a device, from the counts of the emulated one and the compilers' reports. A model: it knows
 * no cache of pages, no other program, no clock that falls with the power.
 *
 * Of each kernel there are five bounds: the bytes that must come from memory or go there (each sector once a launch); those
 * that the second cache gives or takes; the lines and the turns of banks that the first one serves, one a clock; instructions;
 * and waiting: of each warp the latencies of its loads that follow from each other, over the warps that there are at once.
 * `best` is the greatest bound: everything else is hidden behind it. `worst` is their sum: nothing is.
 */
import { ASSUMED } from './devices.mjs';
import { compiledOf } from './resources.mjs';

/** KiB, as kCaches in native/warp_costs.h. */
const CACHES = [32, 64, 128];

/** Kernels of one block, whatever the size of a batch. */
const ONE_BLOCK = new Set(['scan_sums', 'hop']);

/**
 * The counts for a batch of another size, from two sizes: counts grow linearly, on top of the fixed cost of a launch.
 * @param {{ bytes: number, kernels: object }} small @param {{ bytes: number, kernels: object }} large
 */
export function extrapolated(small, large, bytes) {
  const share = (bytes - small.bytes) / (large.bytes - small.bytes);
  const line = (a, b) => (Array.isArray(a) ? a.map((each, index) => line(each, b[index])) : Math.max(0, a + (b - a) * share));
  const kernels = {};
  for (const [name, counts] of Object.entries(large.kernels)) {
    const before = small.kernels[name];
    if (before === undefined) continue;
    kernels[name] = Object.fromEntries(Object.keys(counts).map((key) => [key, line(before[key], counts[key])]));
    kernels[name].launches = counts.launches;
    // Few blocks do not grow with small batches; blocks of large ones have about as many steps each.
    if (!ONE_BLOCK.has(name))
      kernels[name].blocks = Math.max(kernels[name].blocks, (counts.blocks * kernels[name].steps) / Math.max(1, counts.steps));
  }
  return kernels;
}

/** Seconds of one kernel over all of its launches. */
export function kernelTime(name, counts, compiled, device) {
  const { processors, latency } = device;
  const hertz = device.clock * 1e9;
  const cache = device.first - (device.sharedApart ? 0 : (compiled.shared * compiled.blocks) / 1024);
  const level = Math.max(
    0,
    CACHES.findLastIndex((each) => each <= cache),
  );
  const perAccess = compiled.instructions / Math.max(1, compiled.accesses);
  const instructions = counts.steps * perAccess;
  const warpSize = device.architecture.startsWith('gfx') ? 64 : 32;
  const warpsOfBlock = compiled.threads / warpSize;
  const waiting =
    counts.sharedGroups * latency.shared +
    counts.firstGroups[level] * latency.first +
    counts.secondGroups[level] * latency.second +
    counts.memoryGroups * latency.memory +
    instructions * ASSUMED.clocksPerInstruction +
    counts.phases * warpsOfBlock * ASSUMED.barrier;
  const atOnce = Math.max(1, Math.min(processors * compiled.warps, (counts.blocks * warpsOfBlock) / counts.launches));
  const bounds = {
    memory: ((counts.newLoaded + counts.newStored) * 32) / (device.memory * 1e9 * ASSUMED.memoryShare),
    second: ((counts.missed[level] + counts.storedSectors) * 32) / (device.second * 1e9),
    first: (counts.lines + counts.sharedTurns) / (processors * hertz),
    instructions: (instructions * warpSize) / (processors * ASSUMED.integerLanes * hertz),
    waiting: waiting / atOnce / hertz,
  };
  const times = Object.values(bounds);
  const best = Math.max(...times);
  return {
    name,
    compiled: compiled.name,
    bounds,
    best,
    worst: times.reduce((a, b) => a + b),
    boundBy: Object.keys(bounds).find((each) => bounds[each] === best),
  };
}

/**
 * Seconds of a batch that is on the device already.
 * @param {object} kernels counts by kernel
 * @param {{ step?: string, width: number, without?: string[], readBacks: number }} of
 */
export function batchTime(kernels, compiled, device, of) {
  const parts = [];
  let launches = 0;
  for (const [name, counts] of Object.entries(kernels)) {
    if (of.without?.some((each) => name.startsWith(each))) continue;
    const found = compiledOf(compiled, name, of);
    if (found === undefined) throw new Error(`no compiled kernel is ${name}`);
    parts.push(kernelTime(name, counts, found, device));
    launches += counts.launches;
  }
  const fixed = (launches * ASSUMED.launch + of.readBacks * ASSUMED.readBack) / 1e6;
  const sum = (key) => parts.reduce((total, part) => total + part[key], fixed);
  return { best: sum('best'), worst: sum('worst'), fixed, parts: parts.sort((a, b) => b.best - a.best) };
}

/**
 * Seconds from bytes in pinned memory to ids, in slices on several streams: what is copied in, computed and copied out overlaps, but for
 * the first slice in and the last one's work.
 * @param {{ sliceBytes: number, sliceIds: number, compute: number, count: number, device: { bus: number } }} of `sliceIds`: bytes of ids that
 *   are copied out, `compute`: seconds of a slice, `count`: slices
 */
export function streamedTime({ sliceBytes, sliceIds, compute, count, device }) {
  const copyIn = sliceBytes / (device.bus * 1e9);
  const copyOut = sliceIds / (device.bus * 1e9);
  return copyIn + compute + copyOut + (count - 1) * Math.max(copyIn, compute, copyOut);
}

/** Chunks that a processor has at least, where they are not of the smallest or the largest size. */
export const CHUNKS_OF_PROCESSOR = 1920;

/** The size of chunks, as chunk_size_for in gpu/plugin/pipeline.h. */
export function chunkSize(bytes, processors) {
  const wanted = Math.min(512, Math.max(64, bytes / (processors * CHUNKS_OF_PROCESSOR)));
  return 2 ** Math.floor(Math.log2(wanted));
}

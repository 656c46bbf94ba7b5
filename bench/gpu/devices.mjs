/**
 * Published constants of devices and architectures: the model in model.mjs takes its knowledge of hardware from here. None was measured here.
 *
 * Rates of memory, clocks, processors and caches come from the makers' data sheets and white papers: NVIDIA T4 (TU104 white paper
 * WP-09183), A100 80 GB SXM (GA100 white paper), H100 SXM and H200 SXM (GH100 white paper, H200 data sheet), AMD MI210 (CDNA 2 white
 * paper and data sheet). Clocks are boost clocks. Limits of occupancy: CUDA C++ Programming Guide 13, "Compute Capabilities".
 * Latencies and rates of second caches, rounded: T4, Jia et al. 2019 (arXiv:1903.07486); A100 and H100, Luo et al. 2024
 * (arXiv:2402.13499) and chipsandcheese.com 2023-07-02; MI210, chipsandcheese.com 2023-07-27. The H200 is taken to be an H100
 * with its own memory.
 */

/** Of a processor, by architecture. `reserved`: bytes of shared memory that each block takes besides its own. */
export const ARCHITECTURES = {
  sm_75: { warps: 32, blocks: 16, shared: 64, reserved: 0 },
  sm_80: { warps: 64, blocks: 32, shared: 164, reserved: 1024 },
  sm_86: { warps: 48, blocks: 16, shared: 100, reserved: 1024 },
  sm_89: { warps: 48, blocks: 24, shared: 100, reserved: 1024 },
  sm_90: { warps: 64, blocks: 32, shared: 228, reserved: 1024 },
  sm_100: { warps: 64, blocks: 32, shared: 228, reserved: 1024 },
  sm_120: { warps: 48, blocks: 32, shared: 100, reserved: 1024 },
  // Waves of 64 and of 32 threads; the compiler reports how many waves a SIMD has; a compute unit has this many SIMDs.
  gfx90a: { warps: 32, simds: 4, wave: 64 },
  gfx1030: { warps: 32, simds: 2, wave: 32 },
};

/**
 * `memory` GB/s; `second` GB/s of the second cache and its `secondSize` in MB; `first` KiB of a processor's first cache, with what is shared
 * memory (`sharedApart`: without); `clock` GHz; `bus` GB/s each way, nine tenths of PCIe 3, 4 or 5 with 16 lanes, which is what large copies
 * of pinned memory reach; latencies in clocks: shared memory, first cache, second cache, memory.
 */
export const DEVICES = [
  {
    name: 'T4',
    architecture: 'sm_75',
    processors: 40,
    clock: 1.59,
    memory: 320,
    second: 1270,
    secondSize: 4,
    first: 96,
    bus: 14,
    latency: { shared: 19, first: 32, second: 188, memory: 440 },
  },
  {
    name: 'A100',
    architecture: 'sm_80',
    processors: 108,
    clock: 1.41,
    memory: 2039,
    second: 4500,
    secondSize: 40,
    first: 192,
    bus: 28,
    latency: { shared: 29, first: 38, second: 262, memory: 466 },
  },
  {
    name: 'H100',
    architecture: 'sm_90',
    processors: 132,
    clock: 1.98,
    memory: 3350,
    second: 5600,
    secondSize: 50,
    first: 256,
    bus: 56,
    latency: { shared: 29, first: 41, second: 263, memory: 479 },
  },
  {
    name: 'H200',
    architecture: 'sm_90',
    processors: 132,
    clock: 1.98,
    memory: 4800,
    second: 5600,
    secondSize: 50,
    first: 256,
    bus: 56,
    latency: { shared: 29, first: 41, second: 263, memory: 479 },
  },
  {
    name: 'MI210',
    architecture: 'gfx90a',
    processors: 104,
    clock: 1.7,
    memory: 1638,
    second: 3500,
    secondSize: 8,
    first: 16,
    sharedApart: true,
    bus: 28,
    latency: { shared: 64, first: 120, second: 300, memory: 700 },
  },
];

/** Assumptions that no data sheet has, in one place. */
export const ASSUMED = {
  /** Of a memory's rate, what copies reach. */
  memoryShare: 0.9,
  /** Integer lanes of a processor: 64 on all of these devices. */
  integerLanes: 64,
  /** Clocks from an instruction of a warp to the next one, which mostly needs its result. */
  clocksPerInstruction: 3,
  /** Clocks of a barrier. */
  barrier: 30,
  /** Microseconds from a launch to the next in a stream, and of a number that the host reads before it goes on. */
  launch: 2.5,
  readBack: 12,
};

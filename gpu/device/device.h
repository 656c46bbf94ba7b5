// Kernels, written once for CUDA, HIP and the CPU.
//
// A kernel is a struct:
//
//   struct Double {
//       struct Args { Global<const u32> in; Global<u32> out; u64 count; };
//       struct Shared { gpu::Shared<u32, kThreads> values; };       // the memory that a block shares
//       static constexpr u32 kThreads = 256;                        // of a block
//       template <class Block> CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
//           block.each([&](Thread& t) { … t.store(shared.values, t.index, t.load(a.in, i)); });
//           block.each([&](Thread& t) { … });
//       }
//   };
//
// It consists of phases. `each` runs one for all threads of the block, in any order or at once, and ends when all have
// finished: their writes to shared memory, and the block's writes to device memory, can be read in the next phase. Within a
// phase no thread may touch memory that another one writes, unless both do so atomically; between blocks this holds for the
// whole kernel. Code outside phases, including loops and conditions, is the same for all threads of a block. Registers that
// a thread keeps across phases are a Block::Values<T>.
//
// Warps, whose threads run in step, are visible through four operations on such values, between phases: `ballot`,
// `shuffle_up`, `shuffle` and `warp_size`. Masks have 64 bits: warps have 32 threads (NVIDIA, RDNA) or 64 (CDNA).
//
// With nvcc (CRAYON_GPU_CUDA) and hipcc (CRAYON_GPU_HIP) a phase is a piece of code and a barrier (threads.h); otherwise it
// is a loop over the threads (emulated.h), which can be checked.
#pragma once

#if defined(CRAYON_GPU_CUDA) || defined(CRAYON_GPU_HIP)
#include "device/threads.h"
#else
#include "device/emulated.h"
#endif

// Reverse complement and two bits per base, by the engine's module for DNA: in windows, through an instance that is kept.

import { basesInScript } from '../dna/bases.js';
import { BASE_OPERATIONS, type OnBases } from '../dna/engine.js';
import type { WasmModule } from '../open/source.js';
import { TokenizerError } from '../base/errors.js';
import { WasmCore } from './core.js';

type U32 = number;
type BaseFunction = (bytes: U32, length: U32, out: U32, kernel: U32, kernelLength: U32, result: U32) => U32;

/** The functions of crayon.h, in the order of BASE_OPERATIONS. */
const FUNCTIONS = ['crayon_dna_reverse_complement', 'crayon_dna_pack', 'crayon_dna_unpack'] as const;
/** Bases per call: a multiple of 4, and small enough for the L1 cache. */
const WINDOW = 16 * 1024;
/** For fewer bases, copying there and back takes longer than the work. */
const WORTH = 512;

interface Scratch {
  core: WasmCore;
  /** Addresses of windows. */
  in: U32;
  out: U32;
}

/** `module`: returns undefined if the module is unavailable or not loaded yet. */
export function wasmBases(module: () => WasmModule | undefined): OnBases {
  let scratch: Scratch | undefined;
  const here = (): Scratch | undefined => {
    const own = scratch ? undefined : module();
    if (own) {
      const core = new WasmCore(own);
      scratch = { core, in: core.allocate(WINDOW), out: core.allocate(WINDOW) };
    }
    return scratch;
  };
  return (operation, bytes, out) => {
    const own = Math.max(bytes.length, out.length) < WORTH ? undefined : here();
    if (!own) return basesInScript(operation, bytes, out);
    const { core } = own;
    const run = (core.engine as unknown as Record<string, BaseFunction>)[
      FUNCTIONS[BASE_OPERATIONS.indexOf(operation)] as string
    ] as BaseFunction;
    const bases = operation === 'unpackBases' ? out.length : bytes.length;
    const packed = (count: number) => Math.ceil(count / 4);
    try {
      for (let at = 0; at < bases; at += WINDOW) {
        const count = Math.min(WINDOW, bases - at);
        const from = operation === 'unpackBases' ? bytes.subarray(packed(at), packed(at + count)) : bytes.subarray(at, at + count);
        core.bytes.set(from, own.in);
        if (run(own.in, count, own.out, 0, 0, core.result) !== 0) {
          const { message, code, position } = core.failed('cannot read the sequence');
          throw new TokenizerError(message, { code, position: at + position });
        }
        const size = operation === 'packBases' ? packed(count) : count;
        const to = operation === 'reverseComplement' ? bases - at - count : operation === 'packBases' ? packed(at) : at;
        out.set(core.bytes.subarray(own.out, own.out + size), to);
      }
    } catch (error) {
      const caught = core.caught(error);
      if (caught !== error) scratch = undefined; // another instance next time
      throw caught;
    }
  };
}

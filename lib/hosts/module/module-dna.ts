// DNA on WebAssembly: the module `dna`, with an instance for each tokenizer, for each compiler, and for operations on bases.

import { basesInScript } from '../../engine/bases-in-script.js';
import type { DnaEngine, DnaParts, OnBases } from '../../engine/dna-engine.js';
import { basesOn, compileDna, type DnaBinding, EngineDna } from '../../engine/dna-calls.js';
import type { DnaFunctions } from '../../engine/functions.js';
import type { OpenOptions } from '../../vocabularies/open/open-failed.js';
import type { WasmModule } from '../../vocabularies/open/source.js';
import type { UnsharedUint8Array } from '../../base/typed-arrays.js';
import { Arena } from './arena.js';
import { WasmCore } from './core.js';
import { insideOf, openWasm } from './module-tokenizer.js';
import { dnaIn } from './functions/dna.js';

/** Bytes of sequences in a call. */
const WINDOW = 64 * 1024;
/** Bases in a call of an operation on them: small enough for the L1 cache. */
const BASES = 16 * 1024;
/** For fewer bases, copying there and back takes longer than the work. */
const WORTH = 512;

function dnaOf(core: WasmCore): Arena & DnaFunctions {
  const arena = new Arena(core);
  if ('crayon_dna_create' in core.engine) return Object.assign(arena, dnaIn(arena));
  throw new TypeError('expected the module for DNA, crayon-tokenizer/dna.wasm, for wasm but received another one of the engine');
}

/** Compiles a vocabulary in a separate instance. */
export function compileWasmDna(module: WasmModule, parts: DnaParts): UnsharedUint8Array {
  return compileDna(dnaOf(new WasmCore(module)), parts);
}

/** Opens a DNA cartridge from its bytes, which are copied. */
export function openWasmDna(
  module: WasmModule,
  bytes: Uint8Array,
  options: OpenOptions,
  policies: Uint32Array,
  bases: OnBases,
  path?: string,
): DnaEngine {
  const copy = new Uint8Array(bytes); // a Buffer's slice would be a view of it
  const names = openWasm(module, copy, options, path);
  const { core, tokenizer } = insideOf(names);
  const opened = dnaOf(core);
  const place = {
    get engine() {
      insideOf(names); // throws if it is closed, or has stopped
      return opened;
    },
    window: WINDOW,
    names,
    bases,
    cartridge: () => copy.slice(),
  };
  return new EngineDna(place, tokenizer, policies);
}

/** Operations on bases, by an instance that is kept. `module`: undefined if it is unavailable or not loaded yet. */
export function wasmBases(module: () => WasmModule | undefined): OnBases {
  let engine: (Arena & DnaFunctions) | undefined;
  const inModule = basesOn(
    () => engine as DnaBinding,
    BASES,
    () => '',
  );
  return (operation, bytes, out) => {
    const isWorth = Math.max(bytes.length, out.length) >= WORTH;
    const newModule = isWorth && !engine?.isAlive ? module() : undefined;
    if (newModule) engine = dnaOf(new WasmCore(newModule));
    return (isWorth && engine?.isAlive ? inModule : basesInScript)(operation, bytes, out);
  };
}

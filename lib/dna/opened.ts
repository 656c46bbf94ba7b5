// What opening or discovering a vocabulary gives, and what an entry provides for it.

import type { CompilerInput } from '../compile/compiler.js';
import type { EngineTokenizer } from '../engine/engine.js';
import type { LoadOptions } from '../open/load-options.js';
import type { Source } from '../open/source.js';
import type { UnsharedUint8Array } from '../base/typed-arrays.js';
import type { DnaDiscovery } from './discovery.js';
import type { DnaEngine, DnaParts, Maybe } from './engine.js';
import type { MakeKeeper } from './matrix-maker.js';

/**
 * Why a discovered tokenizer calls the one it was made from.
 *
 * @example
 * ```ts
 * using dna = await DnaTokenizer.discover((sequence) => [sequence.length]);
 * const { reason, example } = dna.fallback as DnaFallback;
 * reason; // "it has no id for each base: 'AAA' are other than 3 ids"
 * example?.expected; // [3]
 * ```
 */
export interface DnaFallback {
  /** The reason, in words. */
  reason: string;
  /** The first sequence that showed it, with the other tokenizer's ids, and the tables' ids if there were tables. */
  example?: { sequence: string; expected: readonly number[]; received?: readonly number[] | undefined } | undefined;
}

/** The result of `load` or `discover`. */
export interface OpenedDna {
  engine: DnaEngine;
  /** Whether sequences get ids around them by default. */
  around: boolean;
  fallback?: DnaFallback | undefined;
  /** The tokenizer that the tables were made from, where tables are too large. */
  upstream?: (() => DnaEngine) | undefined;
  discovery?: DnaDiscovery | undefined;
  /** Of the entry. */
  keeper?: MakeKeeper | undefined;
}

/** What an entry provides. */
export interface DnaHost {
  /** The default backend. */
  kind: 'native' | 'wasm';
  /** Compiles a vocabulary to the bytes of a cartridge. */
  compile(parts: DnaParts, options: LoadOptions): Maybe<UnsharedUint8Array>;
  /** Opens a cartridge. `policies`: the numbers of crayon_dna_policies. */
  open(source: Source, options: LoadOptions, policies: Uint32Array): Maybe<DnaEngine>;
  /** Opens a byte-level BPE vocabulary. */
  openBpe(vocabulary: CompilerInput, options: LoadOptions): Maybe<EngineTokenizer>;
  /** The cartridge file of a built-in vocabulary; undefined if it does not exist. Not on every host. */
  builtIn?(name: string): string | undefined;
  /** Matrices that stay on a device. Not on every host. */
  keeper?: MakeKeeper;
  /** Reads a text file. Not on every host. */
  readText?(path: string | URL): string;
}

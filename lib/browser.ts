// The entry for browsers, web workers and edge workers: the same API as index.ts, with the engine in WebAssembly.
//
// The engine and the built-in cartridges are JavaScript modules, imported on first use. Each import is a literal, so
// that every bundler finds it and there is no separate asset to lose.

import type { EngineTokenizer } from './tokenizer/engine.js';
import { type CompileCartridge, compileCartridgeOn } from './compile/compile-cartridge.js';
import { embeddedModules } from './wasm/embedded-modules.js';
import { bytesOfText, type EmbeddedBytes } from './open/embedded-bytes.js';
import { fromCaller } from './tokenizer/errors.js';
import type { Host } from './tokenizer/host.js';
import type { LateSource } from './open/source.js';
import type { LoadOptions } from './open/load-options.js';
import { LoadedTokenizer } from './tokenizer/loaded-tokenizer.js';
import type { EncodingName, ProfileName } from './tokenizer/models.js';
import type { Source } from './open/source.js';
import { compileJsonOnWeb, compileOnWeb } from './compile/on-web.js';
import { trainOnWeb } from './train/on-web.js';
import { type TrainBpe, trainBpeOn } from './train/train-bpe.js';
import { embeddedCompiler, embeddedTrainer } from './wasm/embedded-compiler.js';
import { tooLargeForScripts } from './open/on-web.js';
import { openThrough, recipeOf } from './wasm/on-web.js';
import { type WorkerHandle, WorkerPool } from './wasm/worker-pool.js';

export * from './exports.js';

const CARTRIDGES: Partial<Record<string, () => Promise<{ default: EmbeddedBytes }>>> = {
  r50k_base: () => import('./embedded/r50k_base.js'),
  p50k_base: () => import('./embedded/p50k_base.js'),
  cl100k_base: () => import('./embedded/cl100k_base.js'),
  o200k_base: () => import('./embedded/o200k_base.js'),
  lite: () => import('./embedded/lite.js'),
} satisfies Partial<Record<EncodingName | ProfileName, unknown>>;

async function loadCartridge(name: string): Promise<Uint8Array> {
  const load = CARTRIDGES[name];
  if (load) return bytesOfText((await load()).default);
  throw tooLargeForScripts(name);
}

const { later, now } = openThrough({
  ...embeddedModules,
  cartridge: loadCartridge,
  compile: (json, place) => compileJsonOnWeb(json, place, embeddedCompiler),
});

/**
 * Compiles a vocabulary to the bytes of a cartridge, as in Node, from a list of tokens, a URL of one (`.json`, `.txt`),
 * of ranks (`.tiktoken`) or of a cartridge, a name, or bytes. Jobs that are not small run in a worker, or on this
 * thread where no worker starts.
 *
 * @example
 * ```ts
 * using own = await Tokenizer.load(await compileCartridge(['a', 'b', 'ab']));
 * own.encode('abba'); // Uint32Array [2, 1, 0]
 * ```
 */
export const compileCartridge: CompileCartridge = compileCartridgeOn((source, options) =>
  compileOnWeb(source, options, { cartridge: loadCartridge, compiler: embeddedCompiler }),
);

/**
 * Learns a vocabulary from texts, as in Node: a string, bytes, a URL, an iterable or a stream. A worker does the work, or
 * this thread where no worker starts.
 *
 * @example
 * ```ts
 * const trained = await trainBpe('low lower lowest', { vocabularySize: 258 });
 * trained.merges.length; // 2
 * ```
 */
export const trainBpe: TrainBpe = trainBpeOn((source, options) =>
  trainOnWeb(source, options, { compiler: embeddedCompiler, trainer: embeddedTrainer }),
);

declare const Worker: new (script: URL, options: { type: 'module' }) => WorkerHandle;

const pools = new WeakMap<EngineTokenizer, WorkerPool>();

const host: Host = {
  backgroundOf(engine) {
    const recipe = recipeOf(engine);
    if (typeof Worker === 'undefined' || !recipe) return undefined;
    let pool = pools.get(engine);
    if (!pool) {
      // Bundlers recognize exactly this expression.
      pool = new WorkerPool(engine, recipe, () => new Worker(new URL('./encode-worker.js', import.meta.url), { type: 'module' }));
      pools.set(engine, pool);
    }
    return pool;
  },
  end: (engine) => pools.get(engine)?.end(),
};

/**
 * One vocabulary, open: text to token ids and back, by the engine in WebAssembly.
 *
 * @example
 * ```ts
 * using tokenizer = await Tokenizer.load('o200k_base');
 * tokenizer.decode(tokenizer.encode('hello world')); // 'hello world'
 * ```
 */
export class Tokenizer extends LoadedTokenizer {
  /**
   * Opens a vocabulary: a built-in encoding, a model name, the URL of a cartridge, bytes, or a `Response` or `Blob` of
   * them. The first call loads the engine; each vocabulary is loaded on first use.
   *
   * @example
   * ```ts
   * using tokenizer = await Tokenizer.load('gpt-4o');
   * tokenizer.name; // 'o200k_base'
   * ```
   */
  static async load(source: Source | LateSource, options?: LoadOptions): Promise<Tokenizer> {
    try {
      return new Tokenizer(await later(source, options), later, host);
    } catch (error) {
      throw fromCaller(error, Tokenizer.load);
    }
  }

  /**
   * The same synchronously: for bytes, once the engine's module is available, after a `load` or from `wasm` or
   * {@link useWasm}.
   *
   * @example
   * ```ts
   * await Tokenizer.load('gpt2');
   * Tokenizer.loadSync(Uint8Array.of(1, 2, 3)); // throws TokenizerError (NOT_A_CARTRIDGE)
   * ```
   */
  static loadSync(source: Source, options?: LoadOptions): Tokenizer {
    try {
      return new Tokenizer(now(source, options), later, host);
    } catch (error) {
      throw fromCaller(error, Tokenizer.loadSync);
    }
  }
}

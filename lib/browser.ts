// The entry for browsers, web workers and edge workers: the same API as index.ts, with the engine in WebAssembly.
//
// The engine and the built-in cartridges are JavaScript modules, imported when they are first needed and each named here
// literally: every bundler sees them, and none has an asset to lose.

import type { EngineTokenizer } from './backend.js';
import type { CompileOptions, TokenList } from './compile-options.js';
import { embeddedModules } from './embedded-modules.js';
import { bytesOfText } from './embedded-bytes.js';
import { fromCaller } from './errors.js';
import type { LateSource } from './late-source.js';
import type { LoadOptions } from './load-options.js';
import { LoadedTokenizer, type Workers } from './loaded-tokenizer.js';
import type { EncodingName, ProfileName } from './models.js';
import type { Source } from './sources.js';
import { compileOnWeb } from './web-compile.js';
import { openThrough, recipeOf, tooLargeForScripts } from './web-opening.js';
import { type WorkerHandle, WorkerPool } from './worker-pool.js';

export * from './exports.js';

const CARTRIDGES: Partial<Record<string, () => Promise<{ default: string }>>> = {
  r50k_base: () => import('./embedded/r50k_base.js'),
  p50k_base: () => import('./embedded/p50k_base.js'),
  cl100k_base: () => import('./embedded/cl100k_base.js'),
  o200k_base: () => import('./embedded/o200k_base.js'),
  lite: () => import('./embedded/lite.js'),
} satisfies Partial<Record<EncodingName | ProfileName, unknown>>;

async function brought(name: string): Promise<Uint8Array> {
  const bring = CARTRIDGES[name];
  if (bring) return bytesOfText((await bring()).default);
  throw tooLargeForScripts(name);
}

const { later, now } = openThrough({ ...embeddedModules, cartridge: brought });

/**
 * Compiles a vocabulary to the bytes of a cartridge, as in Node, from a list of tokens, a URL of one (`.json`, `.txt`),
 * of ranks (`.tiktoken`) or of a cartridge, a name, or bytes. A worker does what is not small; the thread
 * itself does it where no worker starts.
 *
 * @example
 * ```ts
 * using own = await Tokenizer.load(await compileCartridge(['a', 'b', 'ab']));
 * own.encode('abba'); // Uint32Array [2, 1, 0]
 * ```
 */
export async function compileCartridge(
  source: Source | LateSource | TokenList,
  options: CompileOptions = {},
): Promise<Uint8Array> {
  try {
    return await compileOnWeb(source, options, brought);
  } catch (error) {
    throw options?.signal?.aborted ? error : fromCaller(error, compileCartridge);
  }
}

declare const Worker: new (script: URL, options: { type: 'module' }) => WorkerHandle;

const pools = new WeakMap<EngineTokenizer, WorkerPool>();

const workers: Workers = {
  poolOf(engine) {
    const recipe = recipeOf(engine);
    if (typeof Worker === 'undefined' || !recipe) return undefined;
    let pool = pools.get(engine);
    if (!pool) {
      // Bundlers look for exactly this expression.
      pool = new WorkerPool(engine, recipe, () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }));
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
   * Opens a vocabulary: a built-in encoding, a model name, the URL of a cartridge, bytes, or a `Response` or `Blob` that
   * brings them. The first call brings the engine, and each vocabulary is brought when it is first asked for.
   *
   * @example
   * ```ts
   * using tokenizer = await Tokenizer.load('gpt-4o');
   * tokenizer.name; // 'o200k_base'
   * ```
   */
  static async load(source: Source | LateSource, options?: LoadOptions): Promise<Tokenizer> {
    try {
      return new Tokenizer(await later(source, options), later, workers);
    } catch (error) {
      throw fromCaller(error, Tokenizer.load);
    }
  }

  /**
   * The same at once: for bytes, once the engine's module is there, be it through a `load` before or because `wasm` or
   * {@link useWasm} hand it in.
   *
   * @example
   * ```ts
   * await Tokenizer.load('gpt2');
   * Tokenizer.loadSync(Uint8Array.of(1, 2, 3)); // throws TokenizerError (NOT_A_CARTRIDGE)
   * ```
   */
  static loadSync(source: Source, options?: LoadOptions): Tokenizer {
    try {
      return new Tokenizer(now(source, options), later, workers);
    } catch (error) {
      throw fromCaller(error, Tokenizer.loadSync);
    }
  }
}

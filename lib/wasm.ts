/**
 * The same API as `crayon-tokenizer` with the engine in WebAssembly, in Node too.
 *
 * @example
 * ```ts
 * import { Tokenizer } from 'crayon-tokenizer/wasm';
 *
 * using tokenizer = Tokenizer.loadSync('o200k_base');
 * tokenizer.backend.kind; // 'wasm'
 * tokenizer.encode('hello world'); // Uint32Array [24912, 2375]
 * ```
 *
 * @module crayon-tokenizer/wasm
 */

import { type CompileCartridge, compileCartridgeOn } from './compile/compile-cartridge.js';
import { atOnce } from './open/at-once.js';
import { files } from './file/files.js';
import { explainBuiltIn, resolveSource } from './open/in-node.js';
import { type LoadOptions, loadOptions } from './open/load-options.js';
import { isJsonSource, refuseJson } from './open/json-bytes.js';
import { arrived, isLate, type LateSource, type Source } from './open/source.js';
import type { EngineTokenizer } from './tokenizer/engine.js';
import { fromCaller, unexpected } from './tokenizer/errors.js';
import type { Host } from './tokenizer/host.js';
import { LoadedTokenizer } from './tokenizer/loaded-tokenizer.js';
import { bytesOf } from './tokenizer/views.js';
import { type TrainBpe, trainBpeOn } from './train/train-bpe.js';
import { buildModulePath, openWasmFile } from './wasm/in-node.js';

export * from './exports.js';

/**
 * The same as `compileCartridge` of `crayon-tokenizer`, in WebAssembly.
 *
 * @example
 * ```ts
 * const { compileCartridge, Tokenizer } = await import('crayon-tokenizer/wasm');
 * using own = await Tokenizer.load(await compileCartridge(['a', 'b', 'ab']));
 * own.encode('abba'); // Uint32Array [2, 1, 0]
 * ```
 */
export const compileCartridge: CompileCartridge = compileCartridgeOn(async (source, options) => {
  checkBackend(options);
  const { compileInNode } = await import('./compile/in-node.js');
  const open = (cartridge: string | Uint8Array) => atOnce(openHere(cartridge));
  return compileInNode(source, options, { native: undefined, module: buildModulePath, open });
});

/**
 * The same as `trainBpe` of `crayon-tokenizer`, in WebAssembly: with one thread.
 *
 * @example
 * ```ts
 * const { trainBpe } = await import('crayon-tokenizer/wasm');
 * const trained = await trainBpe('low lower lowest', { vocabularySize: 258 });
 * trained.merges.length; // 2
 * ```
 */
export const trainBpe: TrainBpe = trainBpeOn(async (source, options) => {
  checkBackend(options);
  const { trainInNode } = await import('./train/in-node.js');
  return trainInNode(source, options, { native: undefined, module: buildModulePath, threads: () => 1 });
});

/**
 * One vocabulary, open: text to token ids and back, by the engine in WebAssembly.
 *
 * @example
 * ```ts
 * const { Tokenizer } = await import('crayon-tokenizer/wasm');
 * using tokenizer = await Tokenizer.load('o200k_base');
 * tokenizer.decode(tokenizer.encode('hello world')); // 'hello world'
 * ```
 */
export class Tokenizer extends LoadedTokenizer {
  /**
   * Opens a vocabulary: a built-in encoding, a model name, a path or `file:` URL, bytes, or a `Response` or `Blob` of
   * them. The file is read and copied into the memory of the tokenizer's own instance, which takes some milliseconds.
   *
   * @example
   * ```ts
   * const { Tokenizer } = await import('crayon-tokenizer/wasm');
   * using tokenizer = await Tokenizer.load('gpt-4o');
   * tokenizer.name; // 'o200k_base'
   * ```
   */
  static async load(source: Source | LateSource, options?: LoadOptions): Promise<Tokenizer> {
    try {
      return new Tokenizer(await open(source, options), open, host);
    } catch (error) {
      throw fromCaller(error, Tokenizer.load);
    }
  }

  /**
   * The same synchronously, for every source but a `Response`, a `Blob` or a promise.
   *
   * @example
   * ```ts
   * const { Tokenizer } = await import('crayon-tokenizer/wasm');
   * using tokenizer = Tokenizer.loadSync('gpt2');
   * tokenizer.count('hello world'); // 2
   * ```
   */
  static loadSync(source: Source, options?: LoadOptions): Tokenizer {
    try {
      return new Tokenizer(atOnce(openHere(source, options)), open, host);
    } catch (error) {
      throw fromCaller(error, Tokenizer.loadSync);
    }
  }
}

const host: Host = { files };

function open(source: Source | LateSource, options?: LoadOptions): EngineTokenizer | Promise<EngineTokenizer> {
  if (!isLate(source) && !isJsonSource(source)) return openHere(source, options);
  const own = loadOptions(options); // copied now: the caller may change them before the source arrives
  checkBackend(own);
  return openLater(source, own);
}

async function openLater(source: Source | LateSource, own: LoadOptions): Promise<EngineTokenizer> {
  const here = isLate(source) ? await arrived(source) : (bytesOf(source, 'source')?.slice() ?? source);
  if (!isJsonSource(here)) return openHere(here, own);
  const { loadJson } = await import('./compile/in-node.js');
  return loadJson(here, { native: undefined, module: buildModulePath }, (cartridge) => openHere(cartridge, own));
}

function openHere(source: Source, given?: LoadOptions): EngineTokenizer | Promise<EngineTokenizer> {
  const options = loadOptions(given);
  refuseJson(source);
  checkBackend(options);
  const cartridge = resolveSource(source);
  try {
    return openWasmFile(cartridge, options);
  } catch (error) {
    throw explainBuiltIn(error, cartridge);
  }
}

function checkBackend({ backend }: Pick<LoadOptions, 'backend'>): void {
  if (backend === 'native') throw unexpected("'wasm'", 'backend', backend);
}

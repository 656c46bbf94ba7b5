/**
 * Exact token ids in Node.
 *
 * @example
 * ```ts
 * import { Tokenizer } from 'crayon-tokenizer';
 *
 * const tokenizer = await Tokenizer.load('o200k_base');
 * tokenizer.encode('hello world'); // Uint32Array [24912, 2375]
 * tokenizer.count('hello world'); // 2
 * tokenizer.decode([24912, 2375]); // 'hello world'
 * ```
 *
 * Examples that import nothing go on from this one: `tokenizer` is `o200k_base`.
 *
 * @module crayon-tokenizer
 */

import type { EngineTokenizer } from './backend.js';
import { readDat } from './dat.js';
import { datOf } from './dat-file.js';
import { fromCaller } from './errors.js';
import { arrived, isLate, type LateSource } from './late-source.js';
import { checkNoUnknownId, checkOptions, type LoadOptions } from './load-options.js';
import { atOnce, LoadedTokenizer } from './loaded-tokenizer.js';
import { openNative } from './native-backend.js';
import { missing } from './native-loader.js';
import { explainBuiltIn, outOfArchive, resolveSource, type Source } from './sources.js';
import { hasWasm, openWasmFile } from './wasm-files.js';

export { compileCartridge } from './compile-cartridge.js';
export * from './exports.js';

/**
 * One vocabulary, open: text to token ids and back.
 *
 * It may be used until `close()`, and closes itself when it is forgotten. Every member but `close` throws a
 * {@link TokenizerError} with the code `CLOSED` after that.
 *
 * @example
 * ```ts
 * const tokenizer = await Tokenizer.load('o200k_base');
 * const ids = tokenizer.encode('hello world');
 * tokenizer.decode(ids); // 'hello world'
 * ```
 */
export class Tokenizer extends LoadedTokenizer {
  /**
   * Opens a vocabulary: a built-in encoding or profile, a model name, a path or `file:` URL, bytes, or a `Response`
   * that brings them.
   *
   * A file is mapped, not read: that takes about a millisecond the first time, and microseconds when the process has it
   * open already. Throws a {@link TokenizerError} that says what was searched, or why the file is refused.
   *
   * @example
   * ```ts
   * using tokenizer = await Tokenizer.load('gpt-4o');
   * tokenizer.name; // 'o200k_base'
   * await Tokenizer.load('gpt4o-2'); // throws TokenizerError (FILE_NOT_FOUND)
   * ```
   */
  static async load(source: Source | LateSource, options?: LoadOptions): Promise<Tokenizer> {
    try {
      return new Tokenizer(await open(source, options), open);
    } catch (error) {
      throw fromCaller(error, Tokenizer.load);
    }
  }

  /**
   * The same at once, for everything that needs no waiting for.
   *
   * @example
   * ```ts
   * using tokenizer = Tokenizer.loadSync('text-embedding-3-small');
   * tokenizer.name; // 'cl100k_base'
   * ```
   */
  static loadSync(source: Source, options?: LoadOptions): Tokenizer {
    try {
      return new Tokenizer(atOnce(openHere(source, options)), open);
    } catch (error) {
      throw fromCaller(error, Tokenizer.loadSync);
    }
  }
}

function open(
  source: Source | LateSource,
  options?: LoadOptions,
  before?: EngineTokenizer,
): EngineTokenizer | Promise<EngineTokenizer> {
  if (isLate(source)) return arrived(source).then((source) => openHere(source, options, before));
  return openHere(source, options, before);
}

/** Natively; in WebAssembly where the options or the tokenizer have it so, or where there is no addon. */
function openHere(
  source: Source,
  options: LoadOptions = {},
  before?: EngineTokenizer,
): EngineTokenizer | Promise<EngineTokenizer> {
  checkOptions(options);
  const backend = options.backend ?? before?.kind ?? (missing && hasWasm() ? 'wasm' : 'native');
  const cartridge = resolveSource(source);
  try {
    if (backend === 'wasm') return openWasmFile(cartridge, options);
    const { source, view, model } = cartridge;
    const kernel = options.kernel ?? process.env.CRAYON_FORCE_KERNEL;
    const beside = datOf(source, options.unknownId);
    if (!beside) checkNoUnknownId(options);
    const dat = beside && readDat(beside);
    return openNative(outOfArchive(source), { ...options, kernel, view: options.view ?? view, model, dat });
  } catch (error) {
    throw explainBuiltIn(error, cartridge);
  }
}

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
 * Examples without imports continue this one: `tokenizer` is `o200k_base`.
 *
 * @module crayon-tokenizer
 */

import { type CompileCartridge, compileCartridgeOn } from './compile/compile-cartridge.js';
import { files } from './file/files.js';
import { missing } from './native/addon.js';
import { nativeCompiler } from './native/compiler.js';
import { nativeBackground } from './native/engine.js';
import { openNativeFile } from './native/open.js';
import { threadCount } from './native/thread-count.js';
import { atOnce } from './open/at-once.js';
import { explainBuiltIn, resolveSource } from './open/in-node.js';
import { type LoadOptions, loadOptions } from './open/load-options.js';
import { isJsonSource, refuseJson } from './open/json-bytes.js';
import { arrived, isLate, type LateSource, type Source } from './open/source.js';
import type { EngineTokenizer } from './tokenizer/engine.js';
import { fromCaller } from './tokenizer/errors.js';
import type { Host } from './tokenizer/host.js';
import { LoadedTokenizer } from './tokenizer/loaded-tokenizer.js';
import { bytesOf } from './tokenizer/views.js';
import { type TrainBpe, trainBpeOn } from './train/train-bpe.js';
import { buildModulePath, hasWasm, openWasmFile } from './wasm/in-node.js';

export * from './exports.js';

/**
 * Compiles a vocabulary to the bytes of a cartridge, to write to a file or pass to {@link Tokenizer.load}.
 *
 * `source`: a list of tokens, for longest match; the path or `file:` URL of one as `.json` (`["token", …]` or
 * `{"vocab": {"token": id}}`) or `.txt` (a token per line), of a rank file (`.tiktoken`), for BPE, or of a
 * `tokenizer.json` of Hugging Face with byte-level BPE, whose ids are kept exactly; or anything that
 * `load` takes, a cartridge or a version 2 file: full, slim and version 2 can be converted to each other. The same
 * source always produces the same bytes. Jobs that are not small run on another thread; 200,000 tokens take up to a
 * second. Throws a {@link TokenizerError} for a vocabulary that no cartridge can hold.
 *
 * @example
 * ```ts
 * const slim = await compileCartridge('cl100k_base', { slim: true });
 * using small = await Tokenizer.load(slim);
 * small.encode('hello world'); // Uint32Array [15339, 1917]
 * using own = await Tokenizer.load(await compileCartridge(['a', 'b', 'ab', '<unk>']));
 * own.encode('abba?'); // Uint32Array [2, 1, 0, 3]
 * ```
 */
export const compileCartridge: CompileCartridge = compileCartridgeOn(async (source, options) => {
  // Most programs compile nothing, so the first call loads the code.
  const { compileInNode } = await import('./compile/in-node.js');
  const backend = backendOf(options);
  return compileInNode(source, options, {
    native: backend === 'native' ? nativeCompiler : undefined,
    module: buildModulePath,
    open: (cartridge) => atOnce(openHere(cartridge, { backend })),
  });
});

/**
 * Learns a vocabulary from texts: byte-level BPE, exactly, with the same tokens, merges and ids as Hugging Face tokenizers,
 * or in CRAYON's order.
 *
 * `source`: a text as a string or bytes; `{ files }`, paths and `file:` URLs; an iterable, each item of which is a text;
 * or a stream, which is one text. Other threads do the work. The result does not depend on how many, nor on the order of
 * the texts.
 *
 * @example
 * ```ts
 * const trained = await trainBpe('low lower lowest', { vocabularySize: 260, specialTokens: ['<|end|>'] });
 * using own = await Tokenizer.load(await trained.toCartridge());
 * own.encode('lower<|end|>', { special: 'allow' }); // Uint32Array [258, 69, 82, 0]
 * ```
 */
export const trainBpe: TrainBpe = trainBpeOn(async (source, options) => {
  const { trainInNode } = await import('./train/in-node.js');
  const native = backendOf(options) === 'native' ? nativeCompiler : undefined;
  return trainInNode(source, options, { native, module: buildModulePath, threads: threadCount });
});

/**
 * One vocabulary, open: text to token ids and back.
 *
 * It may be used until `close()`; after that every member but `close` throws a {@link TokenizerError} with the code
 * `CLOSED`. One that is no longer reachable is closed by the garbage collector.
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
   * Opens a vocabulary: a built-in encoding or profile, a model name, a path or `file:` URL, bytes, or a `Response` or
   * `Blob` of them. A `tokenizer.json` is compiled, and its cartridge kept in the user's cache.
   *
   * A file is mapped, not read: that takes about a millisecond the first time, and microseconds if the process already
   * has it open. Throws a {@link TokenizerError} that says what was searched, or why the file was rejected.
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
   * using tokenizer = Tokenizer.loadSync('text-embedding-3-small');
   * tokenizer.name; // 'cl100k_base'
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

/** The threads of the process; a job that they have goes on when its tokenizer is closed. */
const host: Host = { backgroundOf: nativeBackground, files };

function open(
  source: Source | LateSource,
  options?: LoadOptions,
  before?: EngineTokenizer,
): EngineTokenizer | Promise<EngineTokenizer> {
  if (!isLate(source) && !isJsonSource(source)) return openHere(source, options, before);
  const own = loadOptions(options); // copied now: the caller may change them before the source arrives
  return openLater(source, own, before);
}

async function openLater(source: Source | LateSource, own: LoadOptions, before?: EngineTokenizer): Promise<EngineTokenizer> {
  const here = isLate(source) ? await arrived(source) : (bytesOf(source, 'source')?.slice() ?? source);
  if (!isJsonSource(here)) return openHere(here, own, before);
  const { loadJson } = await import('./compile/in-node.js');
  const native = backendOf(own, before) === 'native' ? nativeCompiler : undefined;
  return loadJson(here, { native, module: buildModulePath }, (cartridge) => openHere(cartridge, own, before));
}

function openHere(
  source: Source,
  given?: LoadOptions,
  before?: EngineTokenizer,
): EngineTokenizer | Promise<EngineTokenizer> {
  const options = loadOptions(given);
  refuseJson(source);
  const cartridge = resolveSource(source);
  try {
    return backendOf(options, before) === 'wasm' ? openWasmFile(cartridge, options) : openNativeFile(cartridge, options);
  } catch (error) {
    throw explainBuiltIn(error, cartridge);
  }
}

/** The requested backend, or that of the previous engine; else the addon, with WebAssembly as the fallback. */
function backendOf({ backend }: Pick<LoadOptions, 'backend'>, before?: EngineTokenizer): 'native' | 'wasm' {
  // A requested addon that cannot be loaded is an error, not a reason to fall back.
  return backend ?? before?.kind ?? (missing && !process.env.CRAYON_ADDON && hasWasm() ? 'wasm' : 'native');
}

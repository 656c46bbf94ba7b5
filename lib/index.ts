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

import type { CompileCartridge } from './vocabularies/import/compile-cartridge.js';
import { kindInNode } from './hosts/kind-in-node.js';
import { load, loadSync } from './api/host.js';
import { nativeCompiler } from './hosts/addon/addon-compiler.js';
import { nativeBackground, openNativeFile } from './hosts/addon/addon-tokenizer.js';
import { threadCount } from './hosts/addon/thread-count.js';
import { nodeEntry } from './node-entry.js';
import type { LoadOptions } from './vocabularies/open/load-options.js';
import type { LateSource, Source } from './vocabularies/open/source.js';
import { Tokenizer as OpenTokenizer } from './api/tokenizer.js';
import type { TrainBpe } from './training/train-bpe.js';

export * from './exports.js';

const entry = /* @__PURE__ */ nodeEntry({
  native: { compiler: nativeCompiler, openFile: openNativeFile, backgroundOf: nativeBackground, threads: threadCount },
  kindOf: kindInNode,
});

/**
 * Compiles a vocabulary to the bytes of a cartridge, to write to a file or pass to {@link Tokenizer.load}.
 *
 * `source`: a list of tokens, for longest match; a path or `file:` URL; or anything that `load` takes. Files: a token
 * list as `.json` (`["token", …]` or `{"vocab": {"token": id}}`) or `.txt` (a token per line); a rank file
 * (`.tiktoken`), for BPE; a Hugging Face `tokenizer.json` with byte-level BPE, whose ids are kept exactly; a cartridge
 * or a version 2 file. Full, slim and version 2 files can be converted to each other. The same source always produces
 * the same bytes. A list of up to 262,144 tokens for longest match is compiled on the calling
 * thread, 50 ms for 200,000; every other file of more than 64 KiB on a thread of its own, up to a second. Throws a {@link
 * TokenizerError} for a vocabulary that no cartridge can hold.
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
export const compileCartridge: CompileCartridge = entry.compileCartridge;

/**
 * Learns a byte-level BPE vocabulary from texts, with exactly the tokens, merges and ids of Hugging Face tokenizers, or in
 * CRAYON's order.
 *
 * `source`: a text as a string or bytes; `{ files }` with paths and `file:` URLs; an iterable, each item a text; or a
 * stream, which is one text. Other threads do the work. The result depends neither on the number of threads nor on the
 * order of the texts.
 *
 * @example
 * ```ts
 * const trained = await trainBpe('low lower lowest', { vocabularySize: 260, specialTokens: ['<|end|>'] });
 * using own = await Tokenizer.load(await trained.toCartridge());
 * own.encode('lower<|end|>', { special: 'allow' }); // Uint32Array [258, 69, 82, 0]
 * ```
 */
export const trainBpe: TrainBpe = entry.trainBpe;

/**
 * An open vocabulary: text to token ids and back.
 *
 * It can be used until `close()`; after that every member but `close` throws a {@link TokenizerError} with the code
 * `CLOSED`. The garbage collector closes an unreachable instance.
 *
 * @example
 * ```ts
 * const tokenizer = await Tokenizer.load('o200k_base');
 * const ids = tokenizer.encode('hello world');
 * tokenizer.decode(ids); // 'hello world'
 * ```
 */
export class Tokenizer extends OpenTokenizer {
  /**
   * Opens a vocabulary: a built-in encoding or profile, a model name, a path or `file:` URL, bytes, or a `Response` or `Blob`
   * of them. A `tokenizer.json` or SentencePiece `.model` is compiled, and its cartridge kept in the user's cache.
   *
   * Files are mapped, not read: about a millisecond the first time, microseconds if the process already has the file
   * open. Throws a {@link TokenizerError} that says what was searched, or why the file was rejected.
   *
   * @example
   * ```ts
   * using tokenizer = await Tokenizer.load('gpt-4o');
   * tokenizer.name; // 'o200k_base'
   * await Tokenizer.load('gpt4o-2'); // throws TokenizerError (FILE_NOT_FOUND)
   * ```
   */
  static load(source: Source | LateSource, options?: LoadOptions): Promise<Tokenizer> {
    return load(Tokenizer, entry, source, options);
  }

  /**
   * Synchronous version of `load`, for every source except a `Response`, a `Blob` or a promise.
   *
   * @example
   * ```ts
   * using tokenizer = Tokenizer.loadSync('text-embedding-3-small');
   * tokenizer.name; // 'cl100k_base'
   * ```
   */
  static loadSync(source: Source, options?: LoadOptions): Tokenizer {
    return loadSync(Tokenizer, entry, source, options);
  }
}

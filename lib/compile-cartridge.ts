// compileCartridge in Node. What it takes is loaded with the first call: most who import the package compile nothing.

import type { CompileOptions, TokenList } from './compile-options.js';
import { fromCaller } from './errors.js';
import type { LateSource } from './late-source.js';
import type { Source } from './sources.js';

/**
 * Compiles a vocabulary to the bytes of a cartridge: a file to be written, or to be given to {@link Tokenizer.load}.
 *
 * `source`: a list of tokens, for longest match; the path or `file:` URL of one as `.json` (`["token", …]` or
 * `{"vocab": {"token": id}}`) or `.txt` (a token a line), or of a rank file (`.tiktoken`), for BPE; or whatever `load`
 * takes, a cartridge or a version 2 file: full, slim and version 2 become each other. The same source gives the same
 * bytes, always. What is not small is done on another thread; 200,000 tokens take up to a second. Throws a
 * {@link TokenizerError} for a vocabulary that no cartridge can hold.
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
export async function compileCartridge(
  source: Source | LateSource | TokenList,
  options: CompileOptions = {},
): Promise<Uint8Array> {
  try {
    const { compileInNode } = await import('./compile-in-node.js');
    return await compileInNode(source, options);
  } catch (error) {
    throw options?.signal?.aborted ? error : fromCaller(error, compileCartridge);
  }
}

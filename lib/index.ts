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

import type { CompileCartridge } from './compile/compile-cartridge.js';
import type { PackBases, ReverseComplement, UnpackBases } from './dna/bases.js';
import type { DiscoverOptions } from './dna/discover.js';
import { DnaTokenizer as OpenDna } from './dna/dna-tokenizer.js';
import type { DnaLoadOptions } from './dna/load-options.js';
import { type DnaSource, openDna } from './dna/open.js';
import type { UpstreamEncode } from './dna/upstream.js';
import { missing } from './native/addon.js';
import { nativeCompiler } from './native/compiler.js';
import { compileDna, nativeBases, openNativeBpe, openNativeDna } from './native/dna.js';
import { nativeBackground } from './native/engine.js';
import { openNativeFile } from './native/open.js';
import { threadCount } from './native/thread-count.js';
import { nodeEntry } from './node-entry.js';
import { atOnce } from './open/at-once.js';
import type { LoadOptions } from './open/load-options.js';
import type { LateSource, Source } from './open/source.js';
import type { ReadFasta, ReadFastq } from './records/read-records.js';
import { fromCaller } from './base/errors.js';
import { LoadedTokenizer } from './tokenizer/loaded-tokenizer.js';
import type { TrainBpe } from './train/train-bpe.js';
import { hasWasm } from './wasm/in-node.js';

export * from './exports.js';

const entry = /* @__PURE__ */ nodeEntry({
  native: {
    compiler: nativeCompiler,
    openFile: openNativeFile,
    backgroundOf: nativeBackground,
    dna: { compile: compileDna, open: openNativeDna, openBpe: openNativeBpe },
    bases: nativeBases,
    records: async () => (await import('./native/records.js')).nativeRecords(),
    threads: threadCount,
  },
  // The requested backend, or that of the engine before; else the addon, or WebAssembly where it is missing. A requested addon
  // that cannot be loaded is an error, not a reason to fall back.
  kindOf: ({ backend }, before) => backend ?? before?.kind ?? (missing && !process.env.CRAYON_ADDON && hasWasm() ? 'wasm' : 'native'),
});

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
export const compileCartridge: CompileCartridge = entry.compileCartridge;

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
export const trainBpe: TrainBpe = entry.trainBpe;

/**
 * Reads FASTA: an async iterable of records, or of windows of sequences with `window`.
 *
 * `source`: a path or `file:` URL, a web stream or one of Node, an iterable of strings or bytes, bytes, a `Blob`, or what
 * `fetch` gives. Files of gzip and bgzip are recognized and inflated. A file of any size takes no more memory than a record,
 * or a window, and it is read as far as it is asked for. What is no FASTA is refused with a {@link TokenizerError}
 * (`INVALID_RECORD`) that says which record is wrong, why, and at which byte; so is a file that has been cut. A sequence has
 * letters of either case, which are kept, `*`, `-` and `.`; lines of comments (`;`) are refused.
 *
 * @example
 * ```ts
 * const source = ['>chr1 first\nACGTN\nacgt\n', '>chr2\nGG\n'];
 * const sequences = [];
 * for await (const { name, sequence } of readFasta(source, { text: true })) sequences.push([name, sequence]);
 * sequences; // [['chr1', 'ACGTNacgt'], ['chr2', 'GG']]
 * ```
 */
export const readFasta: ReadFasta = entry.readFasta;

/**
 * Reads FASTQ: as {@link readFasta}, records with qualities. These may have several lines if the sequence has; windows have
 * none.
 *
 * @example
 * ```ts
 * for await (const { name, sequence, quality } of readFastq(['@read1\nACGT\n+\nII#I\n'], { text: true })) {
 *   name; // 'read1'
 *   quality; // 'II#I'
 * }
 * ```
 */
export const readFastq: ReadFastq = entry.readFastq;

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
   * `Blob` of them. A `tokenizer.json` or a `.model` of SentencePiece is compiled, and its cartridge kept in the user's cache.
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
      return new Tokenizer(await entry.open(source, options), entry.open, entry.host);
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
      return new Tokenizer(entry.openSync(source, options), entry.open, entry.host);
    } catch (error) {
      throw fromCaller(error, Tokenizer.loadSync);
    }
  }
}

/**
 * A vocabulary of DNA, open: sequences of bases to ids and back, at the speed of memory.
 *
 * It may be used until `close()`; after that every method but `close` throws a {@link TokenizerError} with the code
 * `CLOSED`. One that is no longer reachable is closed by the garbage collector.
 *
 * @example
 * ```ts
 * using dna = await DnaTokenizer.load('hyenadna');
 * dna.encode('ACGTN'); // Int32Array [7, 8, 9, 10, 11]
 * dna.encodeBatch(['ACGT', 'AC']).shape; // [2, 4]
 * dna.decode([7, 8, 9, 10]); // 'ACGT'
 * ```
 */
export class DnaTokenizer extends OpenDna {
  /**
   * Opens a vocabulary: a built-in one, one as plain data, or a cartridge by its path, URL or bytes.
   *
   * The defaults of the built-in ones are those of their models, as far as these are published: HyenaDNA takes lower case for
   * unknown, Caduceus for upper case. Nucleotide Transformer's treatment of lower case and of codes of several bases is not
   * known here, so these are errors unless `lowerCase` and `ambiguous` say what to do; nor is what it puts before a sequence
   * with `addSpecialTokens`: `<cls>` for `nt-v1` and `nt-v2` and nothing for `nt-v3`, unless `prefix` says otherwise.
   * `'dnabert2'` needs the `tokenizer.json` of the model.
   *
   * @example
   * ```ts
   * using dna = await DnaTokenizer.load('nt-v2', { lowerCase: 'normalize' });
   * dna.encode('acgtacNa'); // Int32Array [728, 4106, 4102]
   * await DnaTokenizer.load('hyena'); // throws TokenizerError (FILE_NOT_FOUND)
   * ```
   */
  static async load(source: DnaSource, options?: DnaLoadOptions): Promise<DnaTokenizer> {
    try {
      return new DnaTokenizer(await openDna(entry.dnaHost, source, options));
    } catch (error) {
      throw fromCaller(error, DnaTokenizer.load);
    }
  }

  /**
   * The same synchronously, for every source but a `Response`, a `Blob` or a promise.
   *
   * @example
   * ```ts
   * using dna = DnaTokenizer.loadSync('evo2');
   * dna.encode('ACGT'); // Int32Array [65, 67, 71, 84]
   * ```
   */
  static loadSync(source: DnaSource, options?: DnaLoadOptions): DnaTokenizer {
    try {
      return new DnaTokenizer(atOnce(openDna(entry.dnaHost, source, options)));
    } catch (error) {
      throw fromCaller(error, DnaTokenizer.loadSync);
    }
  }

  /**
   * Makes tables of another tokenizer by asking it some thousand sequences: of k-mers, or an id for each byte. They are
   * checked with sequences of all kinds, and used if every id is the same. Otherwise the result asks that tokenizer itself,
   * and `fallback` says why. Of bytes beyond ASCII it is not asked: they are errors, as is what it refuses.
   *
   * `encodeFn` returns the ids of a sequence, or a promise of them; what it puts around every sequence, `encode` does too,
   * unless `addSpecialTokens` is false. Instead of the function it may be an object: a tokenizer, or a model with one as its
   * `tokenizer`, such as those of transformers.js, which then also says what padding is, which special tokens there are and how
   * many ids the model takes. `discovery` has what was found, and where.
   *
   * @example
   * ```ts
   * using dna = await DnaTokenizer.discover((sequence) => [1, ...Array.from(sequence, (base) => 5 + 'ACGT'.indexOf(base)), 2]);
   * dna.fallback; // undefined
   * dna.encode('ACGTN'); // Int32Array [1, 5, 6, 7, 8, 4, 2]
   * dna.encode('ACGTN', { addSpecialTokens: false }); // Int32Array [5, 6, 7, 8, 4]
   * ```
   */
  static async discover(encodeFn: UpstreamEncode | object, options?: DiscoverOptions): Promise<DnaTokenizer> {
    try {
      const { discover } = await import('./dna/discover.js');
      return new DnaTokenizer(await discover(entry.dnaHost, encodeFn, options));
    } catch (error) {
      throw fromCaller(error, DnaTokenizer.discover);
    }
  }
}

/**
 * The other strand of a sequence, in its direction. Case is kept, and codes of several bases have theirs (R and Y, K and M, B
 * and V, D and H); the complement of U is A. Throws `UNKNOWN_BASE` for anything else.
 *
 * @example
 * ```ts
 * reverseComplement('AACgtN'); // 'NacGTT'
 * reverseComplement(Uint8Array.of(65, 67)); // Uint8Array [71, 84]
 * ```
 */
export const reverseComplement: ReverseComplement = entry.reverseComplement;

/**
 * Two bits for each base: A 0, C 1, G 2, T 3, of either case, four to a byte, the first in the lowest bits. Throws
 * `UNKNOWN_BASE` for anything else, N too.
 *
 * @example
 * ```ts
 * packBases('ACGTA'); // Uint8Array [0b11100100, 0]
 * ```
 */
export const packBases: PackBases = entry.packBases;

/**
 * The bases, as bytes, of what `packBases` has made. `length` is how many they are.
 *
 * @example
 * ```ts
 * new TextDecoder().decode(unpackBases(packBases('ACGTA'), 5)); // 'ACGTA'
 * ```
 */
export const unpackBases: UnpackBases = entry.unpackBases;

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
  // The requested backend, or the previous engine's; otherwise the addon, or WebAssembly if the addon is missing. A requested
  // addon that fails to load is an error, not a reason to fall back.
  kindOf: ({ backend }, before) => backend ?? before?.kind ?? (missing && !process.env.CRAYON_ADDON && hasWasm() ? 'wasm' : 'native'),
});

/**
 * Compiles a vocabulary to the bytes of a cartridge, to write to a file or pass to {@link Tokenizer.load}.
 *
 * `source`: a list of tokens, for longest match; a path or `file:` URL; or anything that `load` takes. Files: a token
 * list as `.json` (`["token", …]` or `{"vocab": {"token": id}}`) or `.txt` (a token per line); a rank file
 * (`.tiktoken`), for BPE; a Hugging Face `tokenizer.json` with byte-level BPE, whose ids are kept exactly; a cartridge
 * or a version 2 file. Full, slim and version 2 files can be converted to each other. The same source always produces
 * the same bytes. Larger jobs run on another thread; 200,000 tokens take up to a second. Throws a {@link
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
 * Reads FASTA: an async iterable of records, or with `window` of windows of sequences.
 *
 * `source`: a path or `file:` URL, a web or Node stream, an iterable of strings or bytes, bytes, a `Blob`, or the result of
 * `fetch`. Gzip and bgzip are detected and inflated. Memory is bounded by one record or window, whatever the size of the
 * file, and the file is read only as far as the iteration goes. Anything but FASTA is rejected with a {@link TokenizerError}
 * (`INVALID_RECORD`) that says which record is wrong, why, and at which byte; so is a truncated file. A sequence may contain
 * letters of either case, which are kept, `*`, `-` and `.`; comment lines (`;`) are rejected.
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
 * Reads FASTQ: like {@link readFasta}, with qualities. These may span several lines if the sequence does; windows have
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
export class Tokenizer extends LoadedTokenizer {
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
  static async load(source: Source | LateSource, options?: LoadOptions): Promise<Tokenizer> {
    try {
      return new Tokenizer(await entry.open(source, options), entry.open, entry.host);
    } catch (error) {
      throw fromCaller(error, Tokenizer.load);
    }
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
    try {
      return new Tokenizer(entry.openSync(source, options), entry.open, entry.host);
    } catch (error) {
      throw fromCaller(error, Tokenizer.loadSync);
    }
  }
}

/**
 * An open DNA vocabulary: sequences of bases to ids and back, at memory speed.
 *
 * It can be used until `close()`; after that every method but `close` throws a {@link TokenizerError} with the code
 * `CLOSED`. The garbage collector closes an unreachable instance.
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
   * Opens a vocabulary: a built-in one, plain data, or a cartridge by its path, URL or bytes.
   *
   * Built-in vocabularies default to their models' published behaviour: HyenaDNA maps lower case to the unknown token,
   * Caduceus treats it as upper case. How Nucleotide Transformer treats lower case and ambiguity codes is not published, so
   * both are errors unless `lowerCase` and `ambiguous` are set. Nor is what it puts before a sequence with
   * `addSpecialTokens`: by default `<cls>` for `nt-v1` and `nt-v2` and nothing for `nt-v3`; `prefix` overrides this.
   * `'dnabert2'` needs the model's `tokenizer.json`.
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
   * Synchronous version of `load`, for every source except a `Response`, a `Blob` or a promise.
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
   * Builds tables for another tokenizer by asking it for the ids of about a thousand sequences: k-mer tables, or an id for
   * each byte. The tables are checked with sequences of all kinds and used only if every id matches. Otherwise the result
   * calls that tokenizer itself, and `fallback` says why. Bytes beyond ASCII have ids if it has a token for each byte of a
   * character, or one unknown id; otherwise, like anything it rejects, they are errors.
   *
   * `encodeFn` returns the ids of a sequence, or a promise of them. If it wraps every sequence in special tokens, so does
   * `encode`, unless `addSpecialTokens` is false. It may also be an object: a tokenizer, or a model with one as its
   * `tokenizer`, as in transformers.js; the object then also supplies the padding, the special tokens and the maximum number of
   * ids. `discovery` reports what was found, and where.
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
 * The opposite strand of a sequence, read in its own direction. Keeps case and complements ambiguity codes (R and Y, K and M,
 * B and V, D and H); U becomes A. Throws `UNKNOWN_BASE` for anything else.
 *
 * @example
 * ```ts
 * reverseComplement('AACgtN'); // 'NacGTT'
 * reverseComplement(Uint8Array.of(65, 67)); // Uint8Array [71, 84]
 * ```
 */
export const reverseComplement: ReverseComplement = entry.reverseComplement;

/**
 * Packs bases of either case into two bits each: A 0, C 1, G 2, T 3, four to a byte, the first in the lowest bits.
 * Throws `UNKNOWN_BASE` for anything else, including N.
 *
 * @example
 * ```ts
 * packBases('ACGTA'); // Uint8Array [0b11100100, 0]
 * ```
 */
export const packBases: PackBases = entry.packBases;

/**
 * Unpacks the result of `packBases` into bases, as bytes. `length` is the number of bases.
 *
 * @example
 * ```ts
 * new TextDecoder().decode(unpackBases(packBases('ACGTA'), 5)); // 'ACGTA'
 * ```
 */
export const unpackBases: UnpackBases = entry.unpackBases;

/**
 * The same API as `crayon-tokenizer`, with the engine in WebAssembly in Node too.
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

import type { CompileCartridge } from './compile/compile-cartridge.js';
import type { PackBases, ReverseComplement, UnpackBases } from './dna/bases.js';
import type { DiscoverOptions } from './dna/discover.js';
import { DnaTokenizer as OpenDna } from './dna/dna-tokenizer.js';
import type { DnaLoadOptions } from './dna/load-options.js';
import { type DnaSource, openDna } from './dna/open.js';
import type { UpstreamEncode } from './dna/upstream.js';
import { nodeEntry } from './node-entry.js';
import { atOnce } from './open/at-once.js';
import type { LoadOptions } from './open/load-options.js';
import type { LateSource, Source } from './open/source.js';
import type { ReadFasta, ReadFastq } from './records/read-records.js';
import { fromCaller, unexpected } from './base/errors.js';
import { LoadedTokenizer } from './tokenizer/loaded-tokenizer.js';
import type { TrainBpe } from './train/train-bpe.js';

export * from './exports.js';

const entry = /* @__PURE__ */ nodeEntry({
  kindOf({ backend }) {
    if (backend === 'native') throw unexpected("'wasm'", 'backend', backend);
    return 'wasm';
  },
});

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
export const compileCartridge: CompileCartridge = entry.compileCartridge;

/**
 * The same as `trainBpe` of `crayon-tokenizer`, in WebAssembly, on one thread.
 *
 * @example
 * ```ts
 * const { trainBpe } = await import('crayon-tokenizer/wasm');
 * const trained = await trainBpe('low lower lowest', { vocabularySize: 258 });
 * trained.merges.length; // 2
 * ```
 */
export const trainBpe: TrainBpe = entry.trainBpe;

/**
 * The same as `readFasta` of `crayon-tokenizer`, in WebAssembly.
 *
 * @example
 * ```ts
 * for await (const { name, sequence } of readFasta(['>chr1\nACGT\n'], { text: true })) {
 *   name; // 'chr1'
 *   sequence; // 'ACGT'
 * }
 * ```
 */
export const readFasta: ReadFasta = entry.readFasta;

/**
 * The same as `readFastq` of `crayon-tokenizer`, in WebAssembly.
 *
 * @example
 * ```ts
 * for await (const { quality } of readFastq(['@read1\nACGT\n+\nII#I\n'], { text: true })) quality; // 'II#I'
 * ```
 */
export const readFastq: ReadFastq = entry.readFastq;

/**
 * An open vocabulary: text to token ids and back, with the engine in WebAssembly.
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
   * them. The file is read and copied into the memory of the tokenizer's own instance, which takes a few milliseconds.
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
   * const { Tokenizer } = await import('crayon-tokenizer/wasm');
   * using tokenizer = Tokenizer.loadSync('gpt2');
   * tokenizer.count('hello world'); // 2
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
 * An open DNA vocabulary: sequences of bases to ids and back, with the engine in WebAssembly.
 *
 * It can be used until `close()`; after that every method but `close` throws a {@link TokenizerError} with the code
 * `CLOSED`. The garbage collector closes an unreachable instance.
 *
 * @example
 * ```ts
 * const { DnaTokenizer } = await import('crayon-tokenizer/wasm');
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
   * const { DnaTokenizer } = await import('crayon-tokenizer/wasm');
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
   * const { DnaTokenizer } = await import('crayon-tokenizer/wasm');
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
   * const { DnaTokenizer } = await import('crayon-tokenizer/wasm');
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
 * const { reverseComplement } = await import('crayon-tokenizer/wasm');
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
 * const { packBases } = await import('crayon-tokenizer/wasm');
 * packBases('ACGTA'); // Uint8Array [0b11100100, 0]
 * ```
 */
export const packBases: PackBases = entry.packBases;

/**
 * Unpacks the result of `packBases` into bases, as bytes. `length` is the number of bases.
 *
 * @example
 * ```ts
 * const { packBases, unpackBases } = await import('crayon-tokenizer/wasm');
 * new TextDecoder().decode(unpackBases(packBases('ACGTA'), 5)); // 'ACGTA'
 * ```
 */
export const unpackBases: UnpackBases = entry.unpackBases;

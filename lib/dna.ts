/**
 * Sequences of bases to ids and back, in Node and in pages: vocabularies of DNA models, FASTA and FASTQ, batches for models.
 *
 * @example
 * ```ts
 * import { DnaTokenizer, readFasta } from 'crayon-tokenizer/dna';
 *
 * using dna = await DnaTokenizer.load('hyenadna');
 * for await (const { sequence } of readFasta(['>chr1\nACGTN\n'])) dna.encode(sequence); // Int32Array [7, 8, 9, 10, 11]
 * ```
 *
 * @module crayon-tokenizer/dna
 */

import type { PackBases, ReverseComplement, UnpackBases } from './dna/bases.js';
import type { DiscoverOptions } from './dna/discover.js';
import { discover, DnaTokenizer as OpenDna, load, loadSync } from './dna/dna-tokenizer.js';
import type { DnaLoadOptions, DnaSource } from './dna/dna-sources.js';
import type { UpstreamEncode } from './dna/upstream.js';
import { dnaNodeEntry } from './dna-node-entry.js';
import { kindInNode } from './hosts/kind-in-node.js';
import { native } from './hosts/addon/addon.js';
import { compileNativeDna, nativeBases, openNativeBpe, openNativeDna } from './hosts/addon/addon-dna.js';
import type { ReadFasta, ReadFastq } from './dna/records/read-records.js';

export * from './dna-exports.js';

const entry = /* @__PURE__ */ dnaNodeEntry({
  native: {
    compile: compileNativeDna,
    open: openNativeDna,
    openBpe: openNativeBpe,
    bases: nativeBases,
    records: async () => (await import('./engine/record-calls.js')).recordsOn(() => native().addon),
  },
  kindOf: kindInNode,
});

/**
 * An open DNA vocabulary: sequences of bases to ids and back, at memory speed.
 *
 * It can be used until `close()`; after that every method but `close` throws a `TokenizerError` with the code
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
  static load(source: DnaSource, options?: DnaLoadOptions): Promise<DnaTokenizer> {
    return load(DnaTokenizer, entry.host, source, options);
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
    return loadSync(DnaTokenizer, entry.host, source, options);
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
  static discover(encodeFn: UpstreamEncode | object, options?: DiscoverOptions): Promise<DnaTokenizer> {
    return discover(DnaTokenizer, entry.host, encodeFn, options);
  }
}

/**
 * Reads FASTA: an async iterable of records, or with `window` of windows of sequences.
 *
 * `source`: a path or `file:` URL, a web or Node stream, an iterable of strings or bytes, bytes, a `Blob`, or the result of
 * `fetch`. Gzip and bgzip are detected and inflated. Memory is bounded by one record or window, whatever the size of the
 * file, and the file is read only as far as the iteration goes. Anything but FASTA is rejected with a `TokenizerError`
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
 * The opposite strand of a sequence, read in its own direction. Keeps case, N, S and W, and complements ambiguity codes (R and Y, K and M,
 * B and V, D and H); U becomes A. Throws `UNKNOWN_BASE` for anything else: also for `-`, `*` and `.`, which readers of FASTA accept.
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

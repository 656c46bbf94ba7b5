// The entry for browsers, web workers and edge workers: the same API as index.ts, with the engine in WebAssembly.
//
// The engine and the built-in cartridges are JavaScript modules, imported on first use. Each import is a literal, so
// every bundler finds it and there are no separate assets to deploy.

import { FASTA, FASTQ } from './records/parser.js';
import { type LoadRecords, type ReadFasta, type ReadFastq, readRecordsOn } from './records/read-records.js';
import { checkSource } from './records/sources.js';
import type { EngineTokenizer } from './engine/engine.js';
import { type CompileCartridge, compileCartridgeOn } from './compile/compile-cartridge.js';
import { embeddedDna } from './wasm/embedded-dna.js';
import { completeModules, embeddedModules } from './wasm/embedded-modules.js';
import {
  basesLater,
  packBasesOn,
  type PackBases,
  reverseComplementOn,
  type ReverseComplement,
  unpackBasesOn,
  type UnpackBases,
} from './dna/bases.js';
import type { DiscoverOptions } from './dna/discover.js';
import { DnaTokenizer as OpenDna } from './dna/dna-tokenizer.js';
import type { DnaSource } from './dna/open.js';
import type { DnaLoadOptions } from './dna/load-options.js';
import type { UpstreamEncode } from './dna/upstream.js';
import { atOnce } from './open/at-once.js';
import { bytesOfText, type EmbeddedBytes } from './open/embedded-bytes.js';
import { fromCaller } from './base/errors.js';
import type { Host } from './tokenizer/host.js';
import type { LateSource } from './open/source.js';
import type { LoadOptions } from './open/load-options.js';
import { LoadedTokenizer } from './tokenizer/loaded-tokenizer.js';
import type { EncodingName, ProfileName } from './vocabulary/models.js';
import type { Source } from './open/source.js';
import { type TrainBpe, trainBpeOn } from './train/train-bpe.js';
import { tooLargeForScripts } from './open/on-web.js';
import { openThrough, recipeOf } from './wasm/on-web.js';
import { type WorkerHandle, WorkerPool } from './wasm/worker-pool.js';

export * from './exports.js';

const CARTRIDGES: Partial<Record<string, () => Promise<{ default: EmbeddedBytes }>>> = {
  r50k_base: () => import('./embedded/r50k_base.js'),
  p50k_base: () => import('./embedded/p50k_base.js'),
  cl100k_base: () => import('./embedded/cl100k_base.js'),
  o200k_base: () => import('./embedded/o200k_base.js'),
  lite: () => import('./embedded/lite.js'),
} satisfies Partial<Record<EncodingName | ProfileName, unknown>>;

async function loadCartridge(name: string): Promise<Uint8Array> {
  const load = CARTRIDGES[name];
  if (load) return bytesOfText((await load()).default);
  throw tooLargeForScripts(name);
}

// Most pages compile and train nothing, so the first call loads this code.
const compiler = async () => (await import('./wasm/embedded-compiler.js')).embeddedCompiler();
const trainer = async () => (await import('./wasm/embedded-compiler.js')).embeddedTrainer();

const { later, now } = openThrough({
  ...embeddedModules,
  complete: completeModules,
  cartridge: loadCartridge,
  decoders: async () => (await import('./decode/decoder.js')).decoderOf,
  documents: async () => (await import('./wasm/documents.js')).installDocuments(),
  compile: async (bytes, url, options) => (await import('./compile/on-web.js')).compileFileOnWeb(bytes, url, options, compiler),
});

/**
 * Compiles a vocabulary to the bytes of a cartridge, as in Node: from a list of tokens, a name, bytes, or the URL of a
 * token list (`.json`, `.txt`), a rank file (`.tiktoken`) or a cartridge. Larger jobs run in a worker, or on this
 * thread if no worker can start.
 *
 * @example
 * ```ts
 * using own = await Tokenizer.load(await compileCartridge(['a', 'b', 'ab']));
 * own.encode('abba'); // Uint32Array [2, 1, 0]
 * ```
 */
export const compileCartridge: CompileCartridge = /* @__PURE__ */ compileCartridgeOn(async (source, options) => {
  const { compileOnWeb } = await import('./compile/on-web.js');
  return compileOnWeb(source, options, { cartridge: loadCartridge, compiler });
});

/**
 * Learns a vocabulary from texts, as in Node: a string, bytes, a URL, an iterable or a stream. Runs in a worker, or on
 * this thread if no worker can start.
 *
 * @example
 * ```ts
 * const trained = await trainBpe('low lower lowest', { vocabularySize: 258 });
 * trained.merges.length; // 2
 * ```
 */
export const trainBpe: TrainBpe = /* @__PURE__ */ trainBpeOn(async (source, options) => {
  const { trainOnWeb } = await import('./train/on-web.js');
  return trainOnWeb(source, options, { compiler, trainer });
});

/**
 * The same as `readFasta` of `crayon-tokenizer`: from a web stream, the result of `fetch`, a URL, a `Blob`, bytes or an
 * iterable.
 *
 * @example
 * ```ts
 * for await (const { name, sequence } of readFasta(new Blob(['>chr1\nACGT\n']), { text: true })) {
 *   name; // 'chr1'
 *   sequence; // 'ACGT'
 * }
 * ```
 */
export const readFasta: ReadFasta = /* @__PURE__ */ readRecordsOn(FASTA, loadRecords, checkSource);

/**
 * The same as `readFastq` of `crayon-tokenizer`.
 *
 * @example
 * ```ts
 * for await (const { quality } of readFastq(['@read1\nACGT\n+\nII#I\n'], { text: true })) quality; // 'II#I'
 * ```
 */
export const readFastq: ReadFastq = /* @__PURE__ */ readRecordsOn(FASTQ, loadRecords, checkSource);

async function loadRecords(): ReturnType<LoadRecords> {
  const { recordsOnWeb } = await import('./records/on-web.js');
  const { wasmRecords } = await import('./wasm/records.js');
  return recordsOnWeb(async (wasm) => wasmRecords(await embeddedDna(wasm)));
}

declare const Worker: new (script: URL, options: { type: 'module' }) => WorkerHandle;

const pools = new WeakMap<EngineTokenizer, WorkerPool>();

const host: Host = {
  backgroundOf(engine) {
    const recipe = recipeOf(engine);
    if (typeof Worker === 'undefined' || !recipe) return undefined;
    let pool = pools.get(engine);
    if (!pool) {
      // Bundlers recognize exactly this expression.
      pool = new WorkerPool(engine, recipe, () => new Worker(new URL('./encode-worker.js', import.meta.url), { type: 'module' }));
      pools.set(engine, pool);
    }
    return pool;
  },
  end: (engine) => pools.get(engine)?.end(),
  async adapt(adapting, options) {
    const [{ adapt }, { run }] = await Promise.all([import('./adapt/adapt.js'), import('./compile/on-web.js')]);
    return adapt(adapting, options, (job, signal) => run(job, { signal }, compiler));
  },
  chat: async () => (await import('./chat/chat.js')).chat,
};

/**
 * An open vocabulary: text to token ids and back, with the engine in WebAssembly.
 *
 * @example
 * ```ts
 * using tokenizer = await Tokenizer.load('o200k_base');
 * tokenizer.decode(tokenizer.encode('hello world')); // 'hello world'
 * ```
 */
export class Tokenizer extends LoadedTokenizer {
  /**
   * Opens a vocabulary: a built-in encoding, a model name, the URL of a cartridge, bytes, or a `Response` or `Blob` of
   * them. The first call loads the engine, and each vocabulary is loaded on first use.
   *
   * @example
   * ```ts
   * using tokenizer = await Tokenizer.load('gpt-4o');
   * tokenizer.name; // 'o200k_base'
   * ```
   */
  static async load(source: Source | LateSource, options?: LoadOptions): Promise<Tokenizer> {
    try {
      return new Tokenizer(await later(source, options), later, host);
    } catch (error) {
      throw fromCaller(error, Tokenizer.load);
    }
  }

  /**
   * Synchronous version of `load`: for bytes, once the engine's module is available, from an earlier `load`, from
   * `wasm` or from {@link useWasm}.
   *
   * @example
   * ```ts
   * await Tokenizer.load('gpt2');
   * Tokenizer.loadSync(Uint8Array.of(1, 2, 3)); // throws TokenizerError (NOT_A_CARTRIDGE)
   * ```
   */
  static loadSync(source: Source, options?: LoadOptions): Tokenizer {
    try {
      return new Tokenizer(now(source, options), later, host);
    } catch (error) {
      throw fromCaller(error, Tokenizer.loadSync);
    }
  }
}

/**
 * An open DNA vocabulary: sequences of bases to ids and back, with the engine in WebAssembly, which the first `load`
 * loads.
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
   * Opens a vocabulary: a built-in one, plain data, or a cartridge by its URL or bytes.
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
      const { open } = (dna ??= await import('./dna-on-web.js'));
      return new DnaTokenizer(await open(source, options));
    } catch (error) {
      throw fromCaller(error, DnaTokenizer.load);
    }
  }

  /**
   * Synchronous version of `load`, for sources that need no waiting, after a first `load`.
   *
   * @example
   * ```ts
   * await DnaTokenizer.load('hyenadna');
   * using dna = DnaTokenizer.loadSync('evo2');
   * dna.encode('ACGT'); // Int32Array [65, 67, 71, 84]
   * ```
   */
  static loadSync(source: DnaSource, options?: DnaLoadOptions): DnaTokenizer {
    try {
      if (!dna) throw new TypeError('expected an engine that is already here, as loadSync needs it: await DnaTokenizer.load()');
      return new DnaTokenizer(atOnce(dna.open(source, options)));
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
      const { discoverHere } = (dna ??= await import('./dna-on-web.js'));
      return new DnaTokenizer(await discoverHere(encodeFn, options));
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
export const reverseComplement: ReverseComplement = /* @__PURE__ */ reverseComplementOn(basesLater);

/**
 * Packs bases of either case into two bits each: A 0, C 1, G 2, T 3, four to a byte, the first in the lowest bits.
 * Throws `UNKNOWN_BASE` for anything else, including N.
 *
 * @example
 * ```ts
 * packBases('ACGTA'); // Uint8Array [0b11100100, 0]
 * ```
 */
export const packBases: PackBases = /* @__PURE__ */ packBasesOn(basesLater);

/**
 * Unpacks the result of `packBases` into bases, as bytes. `length` is the number of bases.
 *
 * @example
 * ```ts
 * new TextDecoder().decode(unpackBases(packBases('ACGTA'), 5)); // 'ACGTA'
 * ```
 */
export const unpackBases: UnpackBases = /* @__PURE__ */ unpackBasesOn(basesLater);

let dna: typeof import('./dna-on-web.js') | undefined;

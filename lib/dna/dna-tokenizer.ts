// The public API for DNA, the same on every host: checks arguments and reports errors. Entries add `load`, `loadSync` and `discover` to the
// class, by the functions at the end.

import { type DecodeOptions, idArray as plainIdArray, policyFor, skipsSpecial, SPECIAL_AS_TEXT, type TokenIds } from '../api/arguments.js';
import { type Backend, backendOf } from '../engine/devices.js';
import { atCaller, beginAtCallers, fromCaller, type FromCallSite, fromCallSite, TokenizerError } from '../base/errors.js';
import { failureInIds } from '../api/text-failures.js';
import { FrozenMap, inspectAs } from '../base/public-objects.js';
import { checkedTexts, type TextRows } from '../engine/text-rows.js';
import type { UnsharedUint8Array } from '../base/typed-arrays.js';
import { atOnce } from '../vocabularies/open/source.js';
import type { BatchesOptions, DnaBatch, DnaDeviceBatch, DnaRecord } from './batches.js';
import type { DnaEngine } from '../engine/dna-engine.js';
import type { DnaDeviceMatrix, DnaMatrix, MaskType } from './matrix.js';
import { DnaEncoder } from './sequence-encoder.js';
import {
  checkedAsync,
  checkedBatch,
  checkedEncode,
  type DnaBatchAsyncOptions,
  type DnaBatchOptions,
  type DnaEncodeOptions,
  type DnaIdArray,
  type DnaIdType,
  type DnaResident,
  type RowDefaults,
  type Shape,
} from './dna-options.js';
import {
  type DnaDiscovery,
  type DnaFallback,
  type DnaHost,
  type DnaLoadOptions,
  type DnaSource,
  openDna,
  type OpenedDna,
} from './dna-sources.js';
import type { DiscoverOptions } from './discover.js';
import { bytesOfSequence } from './sequence-bytes.js';
import { withSpecial } from './special.js';

let isIntroduced = false;
let dnaEngineOf: (tokenizer: DnaTokenizer) => DnaEngine;

/**
 * An open DNA vocabulary: sequences to ids and back.
 *
 * Sequences are strings or bytes (ASCII). It can be used until `close()`; after that every method but `close` throws a
 * `TokenizerError` with the code `CLOSED`. The garbage collector closes an unreachable instance.
 */
export class DnaTokenizer {
  #engine: DnaEngine | undefined;
  readonly #defaults: RowDefaults;
  readonly #upstream: OpenedDna['upstream'];
  readonly #name: string;
  readonly #size: number;
  readonly #encoder: DnaEncoder;
  #specialTokens: ReadonlyMap<string, number> | undefined;

  /**
   * For a discovered tokenizer: why it calls the one it was made from; undefined if it has its own tables.
   *
   * @example
   * ```ts
   * using dna = await DnaTokenizer.load('hyenadna');
   * dna.fallback; // undefined
   * ```
   */
  readonly fallback: DnaFallback | undefined;

  /**
   * For a discovered tokenizer: what was found, and where; undefined for a loaded one.
   *
   * @example
   * ```ts
   * using dna = await DnaTokenizer.discover((sequence) => Array.from(sequence, (base) => 1 + 'ACGTN'.indexOf(base)));
   * dna.discovery?.n; // 'token'
   * ```
   */
  readonly discovery: DnaDiscovery | undefined;

  /** @internal */
  constructor(opened: OpenedDna) {
    if (typeof opened?.engine?.encodeRows !== 'function') {
      const message = 'expected DnaTokenizer.load() or DnaTokenizer.discover(), which open a vocabulary, instead of new';
      throw fromCaller(new TypeError(message), new.target);
    }
    this.#engine = opened.engine;
    // Without a padding id there is nothing to fill rows with.
    const length = opened.engine.facts.padId === undefined ? undefined : opened.discovery?.modelLength;
    this.#defaults = { around: opened.around, length };
    this.#upstream = opened.upstream;
    this.fallback = opened.fallback;
    this.discovery = opened.discovery;
    const { name, vocabularySize } = opened.engine.names.describe();
    this.#name = name;
    this.#size = vocabularySize;
    this.#encoder = new DnaEncoder(name, vocabularySize);
    DnaTokenizer.#introduce();
  }

  /** Runs once, for the first object: a static block would keep the class in every page, even in pages that do not use it. */
  static #introduce(): void {
    if (isIntroduced) return;
    isIntroduced = true;
    beginAtCallers(DnaTokenizer);
    dnaEngineOf = (tokenizer) => tokenizer.#live();
    inspectAs(
      DnaTokenizer.prototype,
      (tokenizer) => (tokenizer.#engine ? 'DnaTokenizer' : 'DnaTokenizer { closed }'),
      (tokenizer) => tokenizer.#engine && { name: tokenizer.#name, unit: tokenizer.unit, k: tokenizer.k, vocabularySize: tokenizer.#size },
    );
  }

  /**
   * The name of the vocabulary.
   *
   * @example
   * ```ts
   * using dna = await DnaTokenizer.load('nt-v2');
   * dna.name; // 'nt-v2'
   * ```
   */
  get name(): string {
    return this.#name;
  }

  /**
   * The highest id + 1, special tokens included.
   *
   * @example
   * ```ts
   * using dna = await DnaTokenizer.load('nt-v2');
   * dna.vocabularySize; // 4107
   * ```
   */
  get vocabularySize(): number {
    return this.#size;
  }

  /**
   * The unit of an id: `'byte'`, one base; `'kmer'`, k bases; `'kmer-stride-1'`, k bases at each position; `'bpe'`, a BPE token;
   * `'other'`, whatever the other tokenizer returns, see {@link DnaTokenizer.fallback}.
   *
   * @example
   * ```ts
   * using dna = await DnaTokenizer.load('nt-v2');
   * dna.unit; // 'kmer'
   * ```
   */
  get unit(): 'byte' | 'kmer' | 'kmer-stride-1' | 'bpe' | 'other' {
    return this.#live().facts.unit;
  }

  /**
   * The bases of a k-mer; 1 without k-mers.
   *
   * @example
   * ```ts
   * using dna = await DnaTokenizer.load('nt-v2');
   * dna.k; // 6
   * ```
   */
  get k(): number {
    return this.#live().facts.k;
  }

  /**
   * The padding id; undefined if there is none.
   *
   * @example
   * ```ts
   * using dna = await DnaTokenizer.load('hyenadna');
   * dna.padId; // 4
   * ```
   */
  get padId(): number | undefined {
    return this.#live().facts.padId;
  }

  /**
   * The id of unknown letters; undefined if they are an error (`UNKNOWN_BASE`).
   *
   * @example
   * ```ts
   * using dna = await DnaTokenizer.load('hyenadna');
   * dna.unknownId; // 6
   * ```
   */
  get unknownId(): number | undefined {
    return this.#live().facts.unknownId;
  }

  /**
   * The special tokens and their ids, in ascending order of id. The map cannot be changed.
   *
   * @example
   * ```ts
   * using dna = await DnaTokenizer.load('hyenadna');
   * dna.specialTokens.get('[SEP]'); // 1
   * ```
   */
  get specialTokens(): ReadonlyMap<string, number> {
    const { names } = this.#live();
    this.#specialTokens ??= new FrozenMap(
      names
        .describe()
        .addedTokens.filter(({ special }) => special)
        .map(({ text, id }) => [text, id] as const),
    );
    return this.#specialTokens;
  }

  /**
   * The backend that runs this tokenizer.
   *
   * @example
   * ```ts
   * using dna = await DnaTokenizer.load('hyenadna');
   * dna.backend.kind; // 'native'
   * ```
   */
  get backend(): Backend {
    const engine = this.#live();
    return backendOf(engine.names.kind, engine.names.describe().kernel, engine);
  }

  /**
   * The ids of a sequence. `type` sets their element type, `length` their number, and `out` the array to write to. Throws
   * `UNKNOWN_BASE`, with the position, for anything without an id. In a string each non-ASCII character is one unknown
   * letter, unless the vocabulary has ids for its bytes; a `Uint8Array` is encoded byte by byte. Each unknown letter gets
   * the unknown id; with `nt-v1` and `nt-v2` each word of them gets one, and white space none.
   *
   * @example
   * ```ts
   * using dna = await DnaTokenizer.load('hyenadna');
   * dna.encode('ACGTN'); // Int32Array [7, 8, 9, 10, 11]
   * dna.encode('ACGT', { type: 'uint8', addSpecialTokens: true }); // Uint8Array [7, 8, 9, 10, 1]
   * dna.encode('ACGT', { length: 6 }); // Int32Array [4, 4, 7, 8, 9, 10]
   * dna.encode('AC[MASK]T', { special: 'allow' }); // Int32Array [7, 8, 3, 10]
   * const out = new Int32Array(100);
   * dna.encode(new TextEncoder().encode('GT'), { out }).length; // 2
   * ```
   */
  encode<Out extends DnaIdArray>(sequence: string | Uint8Array, options: DnaEncodeOptions & { out: Out }): Out;
  encode<Type extends DnaIdType = 'int32'>(sequence: string | Uint8Array, options?: DnaEncodeOptions<Type>): DnaIdArray<Type>;
  encode(sequence: string | Uint8Array, options?: DnaEncodeOptions): DnaIdArray {
    const shape = checkedEncode(options, this.#defaults.around);
    return this.#encoder.encode(this.#engineFor(this.#live(), shape), sequence, shape) as DnaIdArray;
  }

  /**
   * `encode` as a promise, for a discovered tokenizer whose original answers with promises. Others encode immediately.
   *
   * @example
   * ```ts
   * using dna = await DnaTokenizer.load('hyenadna');
   * await dna.encodeAsync('ACGT'); // Int32Array [7, 8, 9, 10]
   * ```
   */
  async encodeAsync<Type extends DnaIdType = 'int32'>(
    sequence: string | Uint8Array,
    options?: DnaEncodeOptions<Type>,
  ): Promise<DnaIdArray<Type>> {
    const shape = checkedEncode(options, this.#defaults.around);
    const engine = this.#engineFor(this.#live(), shape);
    const ready = engine.prepared ? await engine.prepared([bytesOfSequence(sequence, engine).slice()]) : engine;
    return this.#encoder.encode(ready, sequence, shape) as DnaIdArray<Type>;
  }

  /**
   * The ids of many sequences as a matrix, and a mask that tells ids from padding. Takes a list of strings and bytes, or
   * bytes stored back to back. An error names its row. With `resident: true` the matrix stays on a device.
   *
   * @example
   * ```ts
   * using dna = await DnaTokenizer.load('hyenadna');
   * const { ids, mask, shape } = dna.encodeBatch(['ACGT', 'AC'], { side: 'right' });
   * ids; // Int32Array [7, 8, 9, 10, 7, 8, 4, 4]
   * mask; // Uint8Array [1, 1, 1, 1, 1, 1, 0, 0]
   * shape; // [2, 4]
   * dna.encodeBatch(['ACGT'], { type: 'bigint64', mask: 'ids' }).mask; // BigInt64Array [1n, 1n, 1n, 1n]
   * ```
   */
  encodeBatch<Type extends DnaIdType = 'int32', Mask extends MaskType = 'uint8'>(
    sequences: readonly (string | Uint8Array)[] | TextRows,
    options: DnaBatchOptions<Type> & DnaResident & { mask?: Mask | undefined },
  ): DnaDeviceMatrix<Type, Mask>;
  encodeBatch<Type extends DnaIdType = 'int32', Mask extends MaskType = 'uint8'>(
    sequences: readonly (string | Uint8Array)[] | TextRows,
    options?: DnaBatchOptions<Type> & { mask?: Mask | undefined; resident?: false | undefined },
  ): DnaMatrix<Type, Mask>;
  encodeBatch<Type extends DnaIdType = 'int32', Mask extends MaskType = 'uint8'>(
    sequences: readonly (string | Uint8Array)[] | TextRows,
    options?: DnaBatchOptions<Type> & { mask?: Mask | undefined; resident?: boolean | undefined },
  ): DnaMatrix<Type, Mask> | DnaDeviceMatrix<Type, Mask> {
    const shape = checkedBatch(options, this.#defaults);
    const engine = this.#engineFor(this.#live(), shape);
    const texts = checkedTexts(sequences, 'sequences');
    return this.#encoder.encodeRows(engine, texts, shape) as DnaMatrix<Type, Mask> | DnaDeviceMatrix<Type, Mask>;
  }

  /**
   * `encodeBatch` as a promise, without blocking the calling thread: Node's threads write a large matrix; without threads it is
   * written in slices. The sequences are read during the call. An aborted `signal` rejects the promise with its reason. A
   * discovered tokenizer whose original answers with promises is queried here.
   *
   * @example
   * ```ts
   * using dna = await DnaTokenizer.load('hyenadna');
   * (await dna.encodeBatchAsync(['ACGT', 'AC'])).shape; // [2, 4]
   * const options = { length: 4, threads: 2, signal: AbortSignal.timeout(60_000) };
   * (await dna.encodeBatchAsync(['ACGT', 'AC'], options)).ids; // Int32Array [7, 8, 9, 10, 4, 4, 7, 8]
   * ```
   */
  encodeBatchAsync<Type extends DnaIdType = 'int32', Mask extends MaskType = 'uint8'>(
    sequences: readonly (string | Uint8Array)[] | TextRows,
    options: DnaBatchAsyncOptions<Type> & DnaResident & { mask?: Mask | undefined },
  ): Promise<DnaDeviceMatrix<Type, Mask>>;
  encodeBatchAsync<Type extends DnaIdType = 'int32', Mask extends MaskType = 'uint8'>(
    sequences: readonly (string | Uint8Array)[] | TextRows,
    options?: DnaBatchAsyncOptions<Type> & { mask?: Mask | undefined; resident?: false | undefined },
  ): Promise<DnaMatrix<Type, Mask>>;
  async encodeBatchAsync<Type extends DnaIdType = 'int32', Mask extends MaskType = 'uint8'>(
    sequences: readonly (string | Uint8Array)[] | TextRows,
    options?: DnaBatchAsyncOptions<Type> & { mask?: Mask | undefined; resident?: boolean | undefined },
  ): Promise<DnaMatrix<Type, Mask> | DnaDeviceMatrix<Type, Mask>> {
    const { signal, ...rest } = checkedAsync(options);
    const shape = checkedBatch(rest, this.#defaults);
    const engine = this.#engineFor(this.#live(), shape);
    signal?.throwIfAborted();
    const texts = checkedTexts(sequences, 'sequences');
    return (await this.#encoder.encodeRowsLater(engine, texts, shape, signal)) as DnaMatrix<Type, Mask> | DnaDeviceMatrix<Type, Mask>;
  }

  /**
   * Matrices for a model, from incoming sequences or records (such as `readFasta`'s): `batchSize` rows each, or fewer, so
   * that none has more than `tokensPerCall` ids. With `length` (by default {@link DnaDiscovery.modelLength}), rows are padded
   * to it (or cut, with `truncate`), and matrices take rows in order. Without, each matrix groups rows of equal length, so none is padded; its `indexes` give
   * the sequences of the rows, within the same `batchSize`, so that results can be put back in order.
   *
   * The arrays are reused: they are valid until the next matrix is requested, unless `copy` is true. With `resident: true` each
   * matrix has its own memory on a device until it is freed.
   *
   * @example
   * ```ts
   * using dna = await DnaTokenizer.load('hyenadna');
   * const shapes = [];
   * for await (const { ids, mask, shape, indexes } of dna.batches(['ACGT', 'AC', 'GGTT'], { batchSize: 2 })) {
   *   shapes.push([...shape, ...indexes]);
   * }
   * shapes; // [[1, 4, 0], [1, 2, 1], [1, 4, 2]]
   * ```
   */
  batches<Type extends DnaIdType = 'int32', Mask extends MaskType = 'uint8'>(
    source: Iterable<string | Uint8Array | DnaRecord> | AsyncIterable<string | Uint8Array | DnaRecord>,
    options: BatchesOptions<Type> & DnaResident & { mask?: Mask | undefined },
  ): AsyncGenerator<DnaDeviceBatch<Type, Mask>, void, undefined>;
  batches<Type extends DnaIdType = 'int32', Mask extends MaskType = 'uint8'>(
    source: Iterable<string | Uint8Array | DnaRecord> | AsyncIterable<string | Uint8Array | DnaRecord>,
    options: BatchesOptions<Type> & { mask?: Mask | undefined; resident?: false | undefined },
  ): AsyncGenerator<DnaBatch<Type, Mask>, void, undefined>;
  batches(
    source: Iterable<string | Uint8Array | DnaRecord> | AsyncIterable<string | Uint8Array | DnaRecord>,
    options: BatchesOptions & { mask?: MaskType | undefined },
  ): AsyncGenerator<never, void, undefined> {
    return this.#batches(source, options, fromCallSite(DnaTokenizer.prototype.batches)) as AsyncGenerator<never, void, undefined>;
  }

  async *#batches(
    source: unknown,
    options: BatchesOptions,
    explained: FromCallSite,
  ): AsyncGenerator<DnaBatch<DnaIdType, MaskType> | DnaDeviceBatch<DnaIdType, MaskType>, void, undefined> {
    try {
      this.#live();
    } catch (error) {
      throw explained(error);
    }
    const { batchesOf } = await import('./batches.js');
    const upstream = this.#upstream;
    yield* batchesOf(source, options, this.#defaults, {
      engine: (shape) => this.#engineFor(this.#live(), shape),
      upstream: upstream && ((shape) => this.#engineFor(upstream(), shape)),
      encoder: this.#encoder,
      name: this.#name,
      explained,
    });
  }

  /**
   * The number of ids of a sequence.
   *
   * @example
   * ```ts
   * using dna = await DnaTokenizer.load('nt-v2');
   * dna.count('ACGTACGTA'); // 4
   * dna.count('ACGTACGTA', { addSpecialTokens: true }); // 5
   * ```
   */
  count(sequence: string | Uint8Array, options?: Pick<DnaEncodeOptions, 'addSpecialTokens' | 'special'>): number {
    const shape = checkedEncode(options, this.#defaults.around);
    return this.#encoder.count(this.#engineFor(this.#live(), shape), sequence, shape.around);
  }

  /**
   * The sequence for the given ids, with the names of special tokens unless `skipSpecialTokens` omits them. Throws
   * `INVALID_ID`, with the index, for an id without a token.
   *
   * @example
   * ```ts
   * using dna = await DnaTokenizer.load('hyenadna');
   * dna.decode([7, 8, 9, 10, 1]); // 'ACGT[SEP]'
   * dna.decode([7, 8, 9, 10, 1], { skipSpecialTokens: true }); // 'ACGT'
   * ```
   */
  decode(ids: TokenIds, options?: DecodeOptions): string {
    try {
      const engine = this.#live();
      const skip = skipsSpecial(options);
      const checked = plainIdArray(ids);
      if (engine.facts.unit !== 'kmer-stride-1') return engine.names.decode(checked, skip);
      return decodeOverlapping(engine, checked, skip, new Set(this.specialTokens.values()));
    } catch (error) {
      const description = { name: this.#name, vocabularySize: this.#size };
      throw failureInIds(error, ids, { description } as Parameters<typeof failureInIds>[2]);
    }
  }

  /**
   * The bytes of a cartridge with this vocabulary, to write to a file or pass to `load`; `crayon` reads it too. Policies
   * passed to `load` are not included.
   *
   * @example
   * ```ts
   * using dna = await DnaTokenizer.load('caduceus');
   * using again = await DnaTokenizer.load(dna.toCartridge());
   * again.name; // 'caduceus'
   * ```
   */
  toCartridge(): UnsharedUint8Array {
    return this.#live().cartridge();
  }

  /**
   * Releases the tokenizer's resources. Calling it again has no effect.
   *
   * @example
   * ```ts
   * const dna = await DnaTokenizer.load('hyenadna');
   * dna.close();
   * dna.encode('A'); // throws TokenizerError (CLOSED)
   * ```
   */
  close(): void {
    this.#engine?.close();
    this.#engine = undefined;
  }

  /**
   * Does the same as `close`, for `using`.
   *
   * @example
   * ```ts
   * {
   *   using dna = await DnaTokenizer.load('hyenadna');
   *   dna.encode('A'); // Int32Array [7]
   * }
   * ```
   */
  [Symbol.dispose](): void {
    this.close();
  }

  #live(): DnaEngine {
    if (this.#engine) return this.#engine;
    throw new TokenizerError('the tokenizer has been closed', { code: 'CLOSED' });
  }

  /** The engine for sequences in which the options allow special tokens. */
  #engineFor(engine: DnaEngine, { special }: Pick<Shape, 'special'>): DnaEngine {
    return special === SPECIAL_AS_TEXT ? engine : withSpecial(engine, policyFor(special, { specialIds: this.specialTokens }));
  }
}

/** The text of overlapping k-mers: each adds one base to the one before it. `special`: the ids of special tokens. */
function decodeOverlapping({ facts, names }: DnaEngine, ids: Uint32Array, skip: boolean, special: ReadonlySet<number>): string {
  const texts = new Map<number, string>();
  let text = '';
  let isInside = false;
  ids.forEach((id, index) => {
    let token = texts.get(id);
    if (token === undefined) texts.set(id, (token = decodeOne(names, ids, index)));
    const isKmer = !special.has(id) && token.length === facts.k;
    if (!skip || !special.has(id)) text += isKmer && isInside ? token.slice(-1) : token;
    isInside = isKmer;
  });
  return text;
}

function decodeOne(names: DnaEngine['names'], ids: Uint32Array, index: number): string {
  try {
    return names.decode(ids.subarray(index, index + 1), false);
  } catch (error) {
    if (!(error instanceof TokenizerError)) throw error;
    throw new TokenizerError(error.message, { code: error.code, position: index });
  }
}

/** The class of an entry, whose methods these are. */
interface Loaded<T> {
  new (opened: OpenedDna): T;
  load(source: DnaSource, options?: DnaLoadOptions): Promise<T>;
  loadSync(source: DnaSource, options?: DnaLoadOptions): T;
  discover(encodeFn: object, options?: DiscoverOptions): Promise<T>;
}

export function load<T>(Class: Loaded<T>, host: DnaHost, source: DnaSource, options?: DnaLoadOptions): Promise<T> {
  return atCaller(Class.load, async () => new Class(await openDna(host, source, options)));
}

export function loadSync<T>(Class: Loaded<T>, host: DnaHost, source: DnaSource, options?: DnaLoadOptions): T {
  return atCaller(Class.loadSync, () => new Class(atOnce(openDna(host, source, options), 'DnaTokenizer.load()')));
}

export function discover<T>(Class: Loaded<T>, host: DnaHost, encodeFn: unknown, options?: DiscoverOptions): Promise<T> {
  return atCaller(Class.discover, async () => {
    // Most programs discover nothing, so the first call loads the code.
    const { discover } = await import('./discover.js');
    return new Class(await discover(host, encodeFn, options));
  });
}

export { /** @internal */ dnaEngineOf };

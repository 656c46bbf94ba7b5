// Sequences of DNA to ids: crayon_dna, its compiler, and operations on bases.

import { TokenizerError } from '../base/errors.js';
import { concatenated, type UnsharedUint8Array } from '../base/typed-arrays.js';
import {
  CONTINUED,
  type DnaEngine,
  type DnaFacts,
  type DnaParts,
  type EncodedPart,
  FACTS,
  idArray,
  type IdArray,
  type IdType,
  type MatrixPlan,
  MAX_AROUND,
  type OnBases,
  readFacts,
  UNFINISHED,
  WHOLE,
  WITH_TEMPLATE,
} from './dna-engine.js';
import { countIn, type EngineHost, failedIn } from './binding.js';
import type { EngineTokenizer } from './engine.js';
import type { DnaFunctions, Handle } from './functions.js';
import type { TextRows } from './text-rows.js';

export type DnaBinding = EngineHost & DnaFunctions;

/** Where a vocabulary is open. */
export interface DnaPlace {
  /** Throws once the vocabulary is closed. */
  readonly engine: DnaBinding;
  /**
   * Bytes of sequences in a call, of what passes through memory of the engine's: that stays small, and ids are copied while they are in
   * the cache. Infinity where the engine has the caller's arrays. A row is never divided.
   */
  readonly window: number;
  readonly names: EngineTokenizer;
  readonly bases: OnBases | undefined;
  /** The bytes of the cartridge. */
  readonly cartridge: () => UnsharedUint8Array;
}

/** The ids of sequences up to this length are made in memory that is kept, and then copied. */
const SHORT = 16 * 1024;
/** Ids of a call, by the bytes of its sequences; rows, by the least that a row counts. */
const ID_BYTES = 4;
const LEAST_ROW = 64;
const PART_WORDS = 3;
const NONE = { before: [], after: [] } as const;

const spare: Partial<Record<IdType, IdArray>> = {};

const forgotten = new FinalizationRegistry<{ engine: DnaBinding; dna: Handle }>(({ engine, dna }) => engine.dnaRelease(dna));

export class EngineDna implements DnaEngine {
  readonly facts: DnaFacts;
  readonly names: EngineTokenizer;
  readonly bases: OnBases | undefined;
  readonly cartridge: () => UnsharedUint8Array;
  protected readonly handle: Handle;
  readonly #place: DnaPlace;
  readonly #opened: DnaBinding;
  /** A crayon_dna_part: of the last part of a sequence. */
  readonly #part = new Uint32Array(PART_WORDS);

  /** `tokenizer`: of `place.names`, which close with it. `policies`: as in crayon_dna_policies. */
  constructor(place: DnaPlace, tokenizer: Handle, policies: Uint32Array) {
    const { engine, names, bases, cartridge } = place;
    const dna = engine.dnaCreate(tokenizer, policies);
    if (dna < 0) {
      const failure = failedIn(engine, 'cannot open the vocabulary for DNA');
      names.close();
      throw failure;
    }
    this.#place = place;
    this.#opened = engine;
    this.handle = dna;
    this.names = names;
    this.bases = bases;
    this.cartridge = cartridge;
    this.facts = factsOf(engine, dna);
    forgotten.register(this, { engine, dna }, this);
  }

  countRows(rows: TextRows, around: boolean): Uint32Array {
    const { before, after } = around ? this.facts : NONE;
    const more = before.length + after.length;
    const counts = new Uint32Array(rows.offsets.length - 1);
    if (this.#countOf(0) !== undefined) {
      const lengthOf = (row: number) => (rows.offsets[row + 1] as number) - (rows.offsets[row] as number);
      for (let row = 0; row < counts.length; row++) counts[row] = more + (this.#countOf(lengthOf(row)) as number);
      return counts;
    }
    const { engine } = this.#place;
    this.#inParts(rows, 0, ({ bytes, offsets }, first, last) => {
      const answer = engine.dnaCountRows(this.handle, bytes, offsets, partOf(counts, first, last));
      if (answer === -1) throw this.#failureInRows(first);
    });
    return more === 0 ? counts : counts.map((count) => count + more);
  }

  encode(bytes: Uint8Array, type: IdType, around: boolean): IdArray {
    const flags = around ? WITH_TEMPLATE : 0;
    const { before, after } = around ? this.facts : NONE;
    let count = this.#countOf(bytes.length);
    if (count === undefined) {
      if (bytes.length <= SHORT) {
        const ids = (spare[type] ??= idArray(type, SHORT + 2 * MAX_AROUND));
        return ids.slice(0, this.encodeInto(bytes, flags, ids));
      }
      if (bytes.length > this.#place.window) return this.#encodeLong(bytes, type, before, after);
      [count = 0] = this.countRows({ bytes, offsets: Uint32Array.of(0, bytes.length) }, false);
    }
    const ids = idArray(type, before.length + count + after.length);
    this.encodeInto(bytes, flags, ids);
    return ids;
  }

  /**
   * Counting takes as long as encoding where bytes are copied. So there is first room for the ids that bases alone have, which is all of
   * most sequences, and then for as many more as there were.
   */
  #encodeLong(bytes: Uint8Array, type: IdType, before: readonly number[], after: readonly number[]): IdArray {
    const { k } = this.facts;
    const { length } = bytes;
    const ids = idArray(type, before.length + Math.floor(length / k) + (length % k) + after.length);
    put(before, ids, 0);
    let { at, used } = this.#fill(bytes, 0, ids, before.length, ids.length - after.length);
    if (at === length && used + after.length === ids.length) return put(after, ids, used);
    const parts = [ids.subarray(0, used)];
    for (let total = used; at < length; total += used) {
      const part = idArray(type, Math.min(length - at, Math.ceil((total / (at + 1)) * (length - at)) + SHORT));
      ({ at, used } = this.#fill(bytes, at, part, 0, part.length));
      parts.push(part.subarray(0, used));
    }
    parts.push(put(after, idArray(type, after.length), 0));
    return concatenated(ids.constructor as new (length: number) => IdArray, parts);
  }

  encodeInto(bytes: Uint8Array, flags: number, ids: IdArray): number {
    const { engine, window } = this.#place;
    const { before, after } = (flags & WITH_TEMPLATE) !== 0 ? this.facts : NONE;
    const end = ids.length - after.length;
    const isFixed = (flags & WHOLE & ~WITH_TEMPLATE) !== 0;
    const maxIds = before.length + bytes.length + after.length; // no byte has two ids
    if (isFixed || (maxIds <= ids.length && bytes.length <= this.#windowFor(ids))) {
      const room = isFixed || window === Infinity ? ids : partOf(ids, 0, maxIds);
      const count = engine.dnaEncode(this.handle, bytes, flags, room, undefined);
      if (count === -1) throw this.#failure(0);
      return countIn(count);
    }
    const { at, used } = before.length > end ? { at: -1, used: 0 } : this.#fill(bytes, 0, ids, before.length, end);
    if (at < bytes.length) throw new TokenizerError('there are more ids than room for them', { code: 'TEXT_TOO_LONG' });
    put(before, ids, 0);
    put(after, ids, used);
    return used + after.length;
  }

  encodePart(bytes: Uint8Array, flags: number, ids: IdArray): EncodedPart {
    const count = this.#encodeSome(bytes, 0, flags, ids, 0, ids.length);
    const [consumed = 0, more, unknown = 0] = this.#part;
    return { count, consumed, unknown, more: more !== 0 || bytes.length > this.#windowFor(ids) };
  }

  encodeRows({ rows, columns, flags, ids, mask, unknown }: MatrixPlan): void {
    const { engine } = this.#place;
    this.#inParts(rows, columns * ids.BYTES_PER_ELEMENT, ({ bytes, offsets }, first, last) => {
      const [from, to] = [first * columns, last * columns];
      const [someIds, someMask, counts] = [partOf(ids, from, to), mask && partOf(mask, from, to), partOf(unknown, first, last)];
      const answer = engine.dnaEncodeRows(this.handle, bytes, offsets, columns, flags, someIds, someMask, counts);
      if (answer === -1) throw this.#failureInRows(first);
    });
  }

  close(): void {
    if (forgotten.unregister(this)) this.#opened.dnaRelease(this.handle); // once: an address in a module may be another's later
    this.names.close();
  }

  /** The number of ids of `length` bytes; undefined if it depends on the bytes. */
  #countOf(length: number): number | undefined {
    const { unit, k } = this.facts;
    if (unit === 'byte') return length;
    return unit === 'kmer' ? undefined : Math.max(0, length - k + 1);
  }

  /** The most bytes of a sequence in a call that writes ids of this type. */
  #windowFor(ids: IdArray): number {
    const { window } = this.#place;
    return Math.min(window, (ID_BYTES * window) / ids.BYTES_PER_ELEMENT);
  }

  /** Encodes from byte `at` on, to ids [used, end), until either ends. */
  #fill(bytes: Uint8Array, at: number, ids: IdArray, used: number, end: number): { at: number; used: number } {
    const window = this.#windowFor(ids);
    for (;;) {
      used += this.#encodeSome(bytes, at, 0, ids, used, end);
      const [consumed = 0, more] = this.#part;
      if (more === 0 && at + window >= bytes.length) return { at: bytes.length, used };
      at += consumed;
      if (more !== 0) return { at, used };
    }
  }

  /** Encodes as many bytes from `at` on as a call takes; returns the number of ids. */
  #encodeSome(bytes: Uint8Array, at: number, flags: number, ids: IdArray, used: number, end: number): number {
    const { engine } = this.#place;
    const window = this.#windowFor(ids);
    const some = at === 0 && bytes.length <= window ? bytes : bytes.subarray(at, at + window);
    const how = flags | (at > 0 ? CONTINUED : 0) | (at + some.length < bytes.length ? UNFINISHED : 0);
    const room = partOf(ids, used, Math.min(end, used + some.length));
    const count = engine.dnaEncode(this.handle, some, how, room, this.#part);
    if (count === -1) throw this.#failure(at);
    return countIn(count);
  }

  /** Passes on as many rows as a call takes, [first, last). `rowBytes`: of the ids of a row. */
  #inParts(rows: TextRows, rowBytes: number, work: (rows: TextRows, first: number, last: number) => void): void {
    const { window } = this.#place;
    const { bytes, offsets } = rows;
    const count = offsets.length - 1;
    const maxRows = Math.max(1, Math.floor((ID_BYTES * window) / Math.max(rowBytes, LEAST_ROW)));
    if (window === Infinity || (bytes.length <= window && count <= maxRows)) return work(rows, 0, count);
    for (let first = 0, last = 0; first < count; first = last) {
      const from = offsets[first] as number;
      for (last = first + 1; last < count && last - first < maxRows && (offsets[last + 1] as number) - from <= window; ) last++;
      const shifted = new Uint32Array(last + 1 - first);
      for (let row = first; row <= last; row++) shifted[row - first] = (offsets[row] as number) - from;
      work({ bytes: bytes.subarray(from, offsets[last]), offsets: shifted }, first, last);
    }
  }

  /** `at`: where the bytes of the last call began. */
  #failure(at: number): TokenizerError {
    const { code, sentence, position } = this.#place.engine.failure();
    return new TokenizerError(`cannot encode: ${sentence}`, { code, position: at + position });
  }

  /** `first`: the first row of the last call. */
  #failureInRows(first: number): TokenizerError {
    const { code, sentence, section, position } = this.#place.engine.failure();
    const isOfRow = code === 'UNKNOWN_BASE' || code === 'TEXT_TOO_LONG' || code === 'INVALID_ARGUMENT';
    return new TokenizerError(`cannot encode: ${sentence}`, { code, position, row: isOfRow ? first + section : undefined });
  }
}

/** The bytes of a cartridge. */
export function compileDna(engine: DnaBinding, parts: DnaParts): UnsharedUint8Array {
  const compiler = engine.dnaCompilerCreate();
  const bytes = compiler >= 0 && setAll(engine, compiler, parts) ? engine.dnaCompilerFinish(compiler) : undefined;
  const failure = bytes ? undefined : failedIn(engine, 'cannot compile the vocabulary');
  if (compiler >= 0) engine.dnaCompilerRelease(compiler);
  if (!bytes) throw failure;
  return bytes;
}

function setAll(engine: DnaBinding, compiler: Handle, parts: DnaParts): boolean {
  const { rules, tokens, offsets, bases, starts, digits, kmers, before, after, name, specials } = parts;
  return (
    engine.dnaCompilerSetRules(compiler, rules) >= 0 &&
    engine.dnaCompilerSetTokens(compiler, tokens, offsets) >= 0 &&
    engine.dnaCompilerSetBases(compiler, bases, starts) >= 0 &&
    (digits.length === 0 || engine.dnaCompilerSetKmers(compiler, digits, kmers) >= 0) &&
    engine.dnaCompilerSetTemplate(compiler, before, after) >= 0 &&
    engine.dnaCompilerSetMetadata(compiler, JSON.stringify({ name })) >= 0 &&
    engine.dnaCompilerSetName(compiler, name) >= 0 &&
    specials.every(([token, id, flags]) => engine.dnaCompilerAddSpecial(compiler, new TextEncoder().encode(token), id, flags) >= 0)
  );
}

/** Operations on bases. `window`: as in `DnaPlace`, a multiple of 4. `kernel`: its name; '' for the best one. */
export function basesOn(engine: () => DnaBinding, window: number, kernel: () => string): OnBases {
  return (operation, bytes, out) => {
    const host = engine();
    const name = kernel();
    const count = operation === 'unpackBases' ? out.length : bytes.length;
    for (let at = 0; at < count; at += window) {
      const end = Math.min(at + window, count);
      const packed = (array: Uint8Array) => partOf(array, at / 4, Math.ceil(end / 4));
      const answer =
        operation === 'reverseComplement'
          ? host.dnaReverseComplement(partOf(bytes, at, end), partOf(out, count - end, count - at), name)
          : operation === 'packBases'
            ? host.dnaPack(partOf(bytes, at, end), packed(out), name)
            : host.dnaUnpack(packed(bytes), partOf(out, at, end), name);
      if (answer >= 0) continue;
      const { code, sentence, position } = host.failure();
      throw new TokenizerError(`cannot read the sequence: ${sentence}`, { code, position: at + position });
    }
  };
}

function factsOf(engine: DnaBinding, dna: Handle): DnaFacts {
  const facts = new Uint32Array(FACTS + 2 * MAX_AROUND);
  engine.dnaDescribe(dna, facts);
  return readFacts(facts);
}

/** Elements [from, to); the array itself if these are all. */
function partOf<T extends IdArray | Uint32Array>(array: T, from: number, to: number): T {
  return from === 0 && to === array.length ? array : (array.subarray(from, to) as T);
}

/** Writes ids from `at` on. */
function put(list: readonly number[], ids: IdArray, at: number): IdArray {
  for (let i = 0; i < list.length; i++) ids[at + i] = (ids instanceof BigInt64Array ? BigInt(list[i] as number) : list[i]) as never;
  return ids;
}

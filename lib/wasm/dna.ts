// DNA on WebAssembly: the module `dna`, with an instance for each tokenizer.
//
// A sequence without a fixed length passes through the instance's memory in windows, so that memory stays small and ids
// are copied while they are in the cache. Matrices are processed by rows.

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
  MOST_AROUND,
  type OnBases,
  PAD_LEFT,
  PAD_RIGHT,
  readFacts,
  UNFINISHED,
  WHOLE,
  WITH_TEMPLATE,
} from '../dna/engine.js';
import type { OpenOptions } from '../open/open-failed.js';
import type { WasmModule } from '../open/source.js';
import { TokenizerError } from '../base/errors.js';
import type { EngineTokenizer } from '../engine/engine.js';
import type { TextRows } from '../engine/text-rows.js';
import type { UnsharedUint8Array } from '../base/typed-arrays.js';
import { WasmCore } from './core.js';
import { insideOf } from './engine.js';
import { openWasm } from './open.js';

type U32 = number;

/** The functions of crayon.h that only the module `dna` exports. */
interface DnaFunctions {
  crayon_dna_create(tokenizer: U32, policies: U32, out: U32, result: U32): U32;
  crayon_dna_describe(dna: U32, out: U32): void;
  crayon_dna_template(dna: U32, which: U32, index: U32): U32;
  crayon_dna_count(dna: U32, bytes: U32, length: U32, result: U32): U32;
  crayon_dna_encode(dna: U32, bytes: U32, length: U32, flags: U32, width: U32, ids: U32, capacity: U32, unknown: U32, result: U32): U32;
  crayon_dna_encode_rows(
    dna: U32,
    bytes: U32,
    offsets: U32,
    rows: U32,
    columns: U32,
    flags: U32,
    width: U32,
    ids: U32,
    mask: U32,
    unknown: U32,
    result: U32,
  ): U32;
  crayon_dna_compiler_create(out: U32, result: U32): U32;
  crayon_dna_compiler_set_rules(compiler: U32, rules: U32, result: U32): U32;
  crayon_dna_compiler_set_tokens(compiler: U32, bytes: U32, size: U32, offsets: U32, count: U32, result: U32): U32;
  crayon_dna_compiler_set_bases(compiler: U32, ids: U32, starts: U32, result: U32): U32;
  crayon_dna_compiler_set_kmers(compiler: U32, digits: U32, digitCount: U32, ids: U32, count: U32, result: U32): U32;
  crayon_dna_compiler_set_template(compiler: U32, before: U32, beforeCount: U32, after: U32, afterCount: U32, result: U32): U32;
  crayon_dna_compiler_set_metadata(compiler: U32, json: U32, length: U32, result: U32): U32;
  crayon_dna_compiler_set_name(compiler: U32, name: U32, length: U32, result: U32): U32;
  crayon_dna_compiler_add_special(compiler: U32, bytes: U32, length: U32, id: U32, flags: U32, result: U32): U32;
  crayon_dna_compiler_finish(compiler: U32, bytes: U32, result: U32): U32;
}

/** Bytes of a sequence per call, and bytes of ids: a window that consists of bases has room for its ids as int32. */
const WINDOW = 64 * 1024;
const ID_BYTES = 4 * WINDOW;
/** Rows per call. */
const ROWS = 4 * 1024;

function dnaOf(core: WasmCore): DnaFunctions {
  const engine = core.engine as unknown as DnaFunctions;
  if (typeof engine.crayon_dna_create === 'function') return engine;
  throw new TypeError('expected the module for DNA, crayon-tokenizer/dna.wasm, for wasm but received another one of the engine');
}

/** Compiles a vocabulary in a separate instance. */
export function compileWasmDna(module: WasmModule, parts: DnaParts): UnsharedUint8Array {
  const core = new WasmCore(module);
  const { out, result } = core;
  const engine = dnaOf(core);
  const check = (status: number) => {
    if (status !== 0) throw core.failed('cannot compile the vocabulary');
  };
  try {
    check(engine.crayon_dna_compiler_create(out, result));
    const compiler = core.outWord(0);
    // Inputs stay in the instance's memory, which is released with it.
    const put = (array: Uint8Array | Uint32Array) => {
      const address = core.allocate(array.byteLength);
      core.bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), address);
      return address;
    };
    const [rules, tokens, tokenOffsets, bases, starts, digits, kmers, before, after, metadata, name, specials, ends, ids, flags] = parts;
    check(engine.crayon_dna_compiler_set_rules(compiler, put(rules), result));
    check(engine.crayon_dna_compiler_set_tokens(compiler, put(tokens), tokens.length, put(tokenOffsets), tokenOffsets.length - 1, result));
    check(engine.crayon_dna_compiler_set_bases(compiler, put(bases), starts.length ? put(starts) : 0, result));
    if (digits.length > 0) {
      check(engine.crayon_dna_compiler_set_kmers(compiler, put(digits), digits.length, put(kmers), kmers.length, result));
    }
    check(engine.crayon_dna_compiler_set_template(compiler, put(before), before.length, put(after), after.length, result));
    check(engine.crayon_dna_compiler_set_metadata(compiler, put(metadata), metadata.length, result));
    check(engine.crayon_dna_compiler_set_name(compiler, put(name), name.length, result));
    const texts = put(specials);
    ids.forEach((id, index) => {
      const begin = ends[index] as number;
      check(
        engine.crayon_dna_compiler_add_special(
          compiler,
          texts + begin,
          (ends[index + 1] as number) - begin,
          id,
          flags[index] as number,
          result,
        ),
      );
    });
    check(engine.crayon_dna_compiler_finish(compiler, out, result));
    const { count } = core;
    return core.bytes.slice(core.outWord(0), core.outWord(0) + count);
  } catch (error) {
    throw core.caught(error);
  }
}

/** Opens a DNA cartridge from its bytes, which are copied. */
export function openWasmDna(
  module: WasmModule,
  bytes: Uint8Array,
  options: OpenOptions,
  policies: Uint32Array,
  bases: OnBases,
  path?: string,
): DnaEngine {
  const own = new Uint8Array(bytes); // a Buffer's slice would be a view of it
  const tokenizer = openWasm(module, own, options, path);
  return new WasmDna(tokenizer, policies, bases, own);
}

class WasmDna implements DnaEngine {
  readonly facts: DnaFacts;
  readonly names: EngineTokenizer;
  readonly bases: OnBases;
  readonly #core: WasmCore;
  readonly #engine: DnaFunctions;
  readonly #dna: U32;
  readonly #cartridge: Uint8Array;
  /** Addresses of the windows: bytes, ids, one mask byte per id, offsets, counts of unknown ids. */
  readonly #in: U32;
  readonly #ids: U32;
  readonly #mask: U32;
  readonly #offsets: U32;
  readonly #unknown: U32;

  constructor(tokenizer: EngineTokenizer, policies: Uint32Array, bases: OnBases, cartridge: Uint8Array) {
    const { core, tokenizer: address } = insideOf(tokenizer);
    this.names = tokenizer;
    this.bases = bases;
    this.#core = core;
    this.#engine = dnaOf(core);
    this.#cartridge = cartridge;
    const { out, result } = core;
    const numbers = new Uint8Array(policies.buffer, policies.byteOffset, policies.byteLength);
    const status = core.withBytes(numbers, (at) => this.#engine.crayon_dna_create(address, at, out, result));
    if (status !== 0) throw core.failed('cannot open the vocabulary for DNA');
    this.#dna = core.outWord(0);
    this.facts = this.#readFacts();
    this.#in = core.allocate(WINDOW + ID_BYTES + ID_BYTES + 4 * (ROWS + 1) + 4 * ROWS);
    this.#ids = this.#in + WINDOW;
    this.#mask = this.#ids + ID_BYTES;
    this.#offsets = this.#mask + ID_BYTES;
    this.#unknown = this.#offsets + 4 * (ROWS + 1);
  }

  countRows({ bytes, offsets }: TextRows, around: boolean): Uint32Array {
    const { before, after } = this.facts;
    const more = around ? before.length + after.length : 0;
    const counts = new Uint32Array(offsets.length - 1);
    const core = this.#core;
    this.#run(() => {
      for (let first = 0; first < counts.length; ) {
        const end = this.#rowsTogether(offsets, first, ROWS);
        const begin = offsets[first] as number;
        this.#withSequence(bytes.subarray(begin, offsets[end]), (at) => {
          for (let row = first; row < end; row++) {
            const from = offsets[row] as number;
            const length = (offsets[row + 1] as number) - from;
            this.#check(this.#engine.crayon_dna_count(this.#dna, at + from - begin, length, core.result), row);
            counts[row] = more + core.count;
          }
        });
        first = end;
      }
    });
    return counts;
  }

  encode(bytes: Uint8Array, type: IdType, around: boolean): IdArray {
    const { unit, before, after } = this.facts;
    if (unit === 'byte') {
      const ids = idArray(type, bytes.length + (around ? before.length + after.length : 0));
      this.encodeInto(bytes, around ? WITH_TEMPLATE : 0, ids);
      return ids;
    }
    // The number of ids is known only once they have been encoded.
    const parts: IdArray[] = around ? [idsFrom(before, type)] : [];
    this.#run(() => this.#encodeInWindows(bytes, type, (ids) => parts.push(ids.slice())));
    if (around) parts.push(idsFrom(after, type));
    const all = idArray(
      type,
      parts.reduce((sum, { length }) => sum + length, 0),
    );
    let at = 0;
    for (const part of parts) {
      all.set(part as never, at);
      at += part.length;
    }
    return all;
  }

  encodeInto(bytes: Uint8Array, flags: number, ids: IdArray): number {
    const around = (flags & WITH_TEMPLATE) !== 0;
    if ((flags & WHOLE & ~WITH_TEMPLATE) !== 0) return this.#run(() => this.#encodeWhole(bytes, flags, ids));
    const { before, after } = this.facts;
    let used = 0;
    const add = (part: IdArray) => {
      if (part.length > ids.length - used) throw new TokenizerError('there are more ids than room for them', { code: 'TEXT_TOO_LONG' });
      ids.set(part as never, used);
      used += part.length;
    };
    const type = typeOf(ids);
    if (around) add(idsFrom(before, type));
    this.#run(() => this.#encodeInWindows(bytes, type, add));
    if (around) add(idsFrom(after, type));
    return used;
  }

  encodePart(bytes: Uint8Array, flags: number, ids: IdArray): EncodedPart {
    const part = bytes.subarray(0, WINDOW);
    const width = ids.BYTES_PER_ELEMENT;
    const capacity = Math.min(ids.length, ID_BYTES / width);
    const how = flags | (part.length < bytes.length ? UNFINISHED : 0);
    return this.#run(() => {
      const core = this.#core;
      core.bytes.set(part, this.#in);
      this.#check(
        this.#engine.crayon_dna_encode(this.#dna, this.#in, part.length, how, width, this.#ids, capacity, this.#unknown, core.result),
      );
      const { count, position } = core;
      ids.set(this.#view(this.#ids, count, typeOf(ids)) as never);
      const unknown = core.words[this.#unknown >>> 2] as number;
      return { count, consumed: position, unknown, more: core.more || part.length < bytes.length };
    });
  }

  encodeRows(matrix: MatrixPlan): void {
    const { columns, ids } = matrix;
    const { offsets } = matrix.rows;
    const rows = offsets.length - 1;
    const most = Math.min(ROWS, Math.floor(ID_BYTES / ids.BYTES_PER_ELEMENT / Math.max(columns, 1)));
    this.#run(() => {
      for (let row = 0; row < rows; ) {
        const end = this.#rowsTogether(offsets, row, most);
        this.#encodeRows(matrix, row, end);
        row = end;
      }
    });
  }

  cartridge(): UnsharedUint8Array {
    return this.#cartridge.slice();
  }

  close(): void {
    this.names.close();
  }

  /** The end of the rows to process together from `row` on: at least one row. */
  #rowsTogether(offsets: Uint32Array, row: number, most: number): number {
    const first = offsets[row] as number;
    let end = row + 1;
    while (end + 1 < offsets.length && end - row < most && (offsets[end + 1] as number) - first <= WINDOW) end++;
    return end;
  }

  #encodeRows({ rows: all, columns, flags, ids, mask, unknown }: MatrixPlan, firstRow: number, end: number): void {
    const rows = end - firstRow;
    const offsets = all.offsets.subarray(firstRow, end + 1);
    const first = offsets[0] as number;
    const size = rows * columns;
    const width = ids.BYTES_PER_ELEMENT;
    const bytes = all.bytes.subarray(first, offsets[rows]);
    const from = firstRow * columns;
    this.#withSequence(bytes, (at) =>
      this.#withRoom(this.#ids, size * width, ID_BYTES, (idsAt) =>
        this.#withRoom(this.#mask, mask ? size : 0, ID_BYTES, (maskAt) => {
          const words = this.#core.words;
          for (let row = 0; row <= rows; row++) words[(this.#offsets >>> 2) + row] = (offsets[row] as number) - first;
          const { result } = this.#core;
          const status = this.#engine.crayon_dna_encode_rows(
            this.#dna,
            at,
            this.#offsets,
            rows,
            columns,
            flags,
            width,
            idsAt,
            mask ? maskAt : 0,
            this.#unknown,
            result,
          );
          if (status !== 0) throw this.#failureInRows(firstRow);
          ids.set(this.#view(idsAt, size, typeOf(ids)) as never, from);
          mask?.set(this.#core.bytes.subarray(maskAt, maskAt + size), from);
          const counts = this.#unknown >>> 2;
          unknown.set(this.#core.words.subarray(counts, counts + rows), firstRow);
        }),
      ),
    );
  }

  #failureInRows(firstRow: number): TokenizerError {
    const { code, section, position } = this.#core.failed('cannot encode');
    const { message } = this.#core.failed('cannot encode');
    const isBase = code === 'UNKNOWN_BASE';
    const row = firstRow + (isBase ? section : position);
    return new TokenizerError(message, { code, position: isBase ? position : 0, row });
  }

  /** All ids of a sequence, or a fixed number. */
  #encodeWhole(bytes: Uint8Array, flags: number, ids: IdArray): number {
    const width = ids.BYTES_PER_ELEMENT;
    return this.#withSequence(bytes, (at) =>
      this.#withRoom(this.#ids, ids.length * width, ID_BYTES, (idsAt) => {
        const { result } = this.#core;
        this.#check(this.#engine.crayon_dna_encode(this.#dna, at, bytes.length, flags, width, idsAt, ids.length, 0, result));
        const count = (flags & (PAD_LEFT | PAD_RIGHT)) !== 0 ? ids.length : this.#core.count;
        ids.set(this.#view(idsAt, count, typeOf(ids)) as never);
        return count;
      }),
    );
  }

  /** Passes the ids of each window to `take`, as a view that is valid during the call. */
  #encodeInWindows(bytes: Uint8Array, type: IdType, take: (ids: IdArray) => void): void {
    const { result } = this.#core;
    const width = idArray(type, 0).BYTES_PER_ELEMENT;
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + WINDOW);
      this.#core.bytes.set(part, this.#in);
      const flags = (at > 0 ? CONTINUED : 0) | (at + part.length < bytes.length ? UNFINISHED : 0);
      const status = this.#engine.crayon_dna_encode(this.#dna, this.#in, part.length, flags, width, this.#ids, ID_BYTES / width, 0, result);
      if (status !== 0) {
        const { message, code, position } = this.#core.failed('cannot encode');
        throw new TokenizerError(message, { code, position: at + position });
      }
      at += this.#core.position;
      take(this.#view(this.#ids, this.#core.count, type));
    }
  }

  #view(address: U32, length: number, type: IdType): IdArray {
    const { buffer } = this.#core.bytes;
    switch (type) {
      case 'uint8':
        return new Uint8Array(buffer, address, length);
      case 'uint16':
        return new Uint16Array(buffer, address, length);
      case 'int32':
        return new Int32Array(buffer, address, length);
      case 'bigint64':
        return new BigInt64Array(buffer, address, length);
    }
  }

  #withSequence<T>(bytes: Uint8Array, fn: (address: U32) => T): T {
    return this.#withRoom(this.#in, bytes.length, WINDOW, (address) => {
      this.#core.bytes.set(bytes, address);
      return fn(address);
    });
  }

  /** The window at `address`, or more memory while `fn` runs. */
  #withRoom<T>(address: U32, size: number, most: number, fn: (address: U32) => T): T {
    if (size <= most) return fn(address);
    const own = this.#core.allocate(size);
    try {
      return fn(own);
    } finally {
      this.#core.engine.free(own);
    }
  }

  #check(status: number, row?: number): void {
    if (status === 0) return;
    const { message, code, position } = this.#core.failed('cannot encode');
    throw new TokenizerError(message, { code, position, row });
  }

  #readFacts(): DnaFacts {
    const words = new Uint32Array(FACTS + 2 * MOST_AROUND);
    const { numbers } = this.#core;
    this.#engine.crayon_dna_describe(this.#dna, numbers);
    words.set(this.#core.words.subarray(numbers >>> 2, (numbers >>> 2) + FACTS));
    let at = FACTS;
    for (const which of [0, 1]) {
      const count = words[FACTS - 2 + which] as number;
      for (let index = 0; index < count; index++) words[at++] = this.#engine.crayon_dna_template(this.#dna, which, index);
    }
    return readFacts(words);
  }

  #run<T>(work: () => T): T {
    insideOf(this.names); // throws if it is closed, or has stopped
    try {
      return work();
    } catch (error) {
      throw this.#core.caught(error);
    }
  }
}

function typeOf(ids: IdArray): IdType {
  if (ids instanceof Uint8Array) return 'uint8';
  if (ids instanceof Uint16Array) return 'uint16';
  return ids instanceof Int32Array ? 'int32' : 'bigint64';
}

function idsFrom(list: readonly number[], type: IdType): IdArray {
  const ids = idArray(type, list.length);
  list.forEach((id, index) => (ids[index] = (type === 'bigint64' ? BigInt(id) : id) as never));
  return ids;
}

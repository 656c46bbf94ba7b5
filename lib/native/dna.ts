// DNA on the addon.

import {
  BASE_OPERATIONS,
  type BaseOperation,
  type DnaEngine,
  type DnaFacts,
  type DnaParts,
  type EncodedPart,
  FACTS,
  idArray,
  type IdArray,
  type IdType,
  type KeptJob,
  type KeptPlan,
  type MatrixJob,
  type MatrixPlan,
  MOST_AROUND,
  readFacts,
  WITH_TEMPLATE,
} from '../dna/engine.js';
import type { DeviceList } from '../engine/devices.js';
import type { CompilerInput } from '../compile/compiler.js';
import type { Cartridge } from '../open/in-node.js';
import type { LoadOptions } from '../open/load-options.js';
import { readCartridge } from '../open/regular-file.js';
import { TokenizerError } from '../base/errors.js';
import type { TextRows } from '../engine/text-rows.js';
import type { UnsharedUint8Array } from '../base/typed-arrays.js';
import type { EngineTokenizer } from '../engine/engine.js';
import { addon, failed, type Handle, missing, native } from './addon.js';
import { nativeCompiler } from './compiler.js';
import { handleOf } from './engine.js';
import { DeviceMatrix, matrixOnDevice } from './device-matrix.js';
import { deviceList } from './devices.js';
import { isShared } from './job.js';
import { KeptMatrixJob } from './kept-matrix.js';
import { openNativeFile } from './open.js';
import { PoolJob } from './pool-job.js';
import { threadCount } from './thread-count.js';

const DOING = 'cannot encode';
/**
 * Bytes of ids and mask. Below the first number a matrix is not left to other threads, since that takes longer than writing
 * it (about 50 µs); below the second, two threads are no faster than one (two cores, 2026-11-23).
 */
const LEFT = 1024 * 1024;
const SHARED = 4 * LEFT;

const forgotten = new FinalizationRegistry<Handle>((handle) => addon.dnaClose(handle));

/** The bytes of a cartridge. */
export function compileDna(parts: DnaParts): UnsharedUint8Array {
  const { addon } = native();
  const bytes = addon.dnaCompile(...parts);
  if (!bytes) throw failed('cannot compile the vocabulary');
  return bytes;
}

/** Opens a DNA cartridge. */
export function openNativeDna(cartridge: Cartridge, options: LoadOptions, policies: Uint32Array): DnaEngine {
  const { source } = cartridge;
  const tokenizer = openNativeFile(cartridge, options, true);
  const handle = addon.dnaOpen(handleOf(tokenizer), policies);
  if (handle < 0) {
    const failure = failed('cannot open the vocabulary for DNA');
    tokenizer.close();
    throw failure;
  }
  // The file may change later, so only bytes passed directly are kept.
  const own = typeof source === 'string' ? undefined : source.slice();
  return new NativeDna(handle, tokenizer, () => own?.slice() ?? Uint8Array.from(readCartridge(source as string)));
}

/** Compiles a vocabulary and opens it. */
export function openNativeBpe(vocabulary: CompilerInput, options: LoadOptions): EngineTokenizer {
  const bytes = nativeCompiler().compile(vocabulary, 'full');
  if ('code' in bytes) throw new TokenizerError(`cannot compile: ${bytes.sentence}`, bytes);
  return openNativeFile({ source: bytes }, options);
}

/** Operations on bases, if there is an addon. */
export const nativeBases = missing
  ? undefined
  : (operation: BaseOperation, bytes: Uint8Array, out: Uint8Array): void => {
      const kernel = new TextEncoder().encode(process.env.CRAYON_FORCE_KERNEL ?? '');
      if (addon.dnaBases(BASE_OPERATIONS.indexOf(operation), bytes, out, kernel) < 0) throw failed('cannot read the sequence');
    };

class NativeMatrixJob extends PoolJob implements MatrixJob {
  constructor(dna: Handle, { rows, columns, flags, ids, mask, unknown }: MatrixPlan, threads: number) {
    super(() => addon.dnaJobBegin(dna, rows.bytes, rows.offsets, columns, flags, ids, mask, unknown, threads));
  }

  run(): void {
    checked(addon.jobRun(this.handle));
  }

  async done(): Promise<void> {
    await this.submit();
    checked(addon.jobResult(this.handle));
  }
}

class NativeDna implements DnaEngine {
  readonly facts: DnaFacts;
  readonly names: EngineTokenizer;
  readonly cartridge: () => UnsharedUint8Array;
  readonly bases = nativeBases;
  readonly #handle: Handle;
  /** Receives the addon's description of a part. */
  readonly #part = new Uint32Array(3);

  constructor(handle: Handle, tokenizer: EngineTokenizer, cartridge: () => UnsharedUint8Array) {
    this.#handle = handle;
    this.names = tokenizer;
    this.cartridge = cartridge;
    this.facts = factsOf(handle);
    forgotten.register(this, handle, this);
  }

  countRows({ bytes, offsets }: TextRows, around: boolean): Uint32Array {
    const { before, after } = this.facts;
    const counts = new Uint32Array(offsets.length - 1);
    checked(addon.dnaCountRows(this.#handle, bytes, offsets, counts));
    if (!around) return counts;
    return counts.map((count) => count + before.length + after.length);
  }

  encode(bytes: Uint8Array, type: IdType, around: boolean): IdArray {
    const { unit, before, after } = this.facts;
    const count = unit === 'byte' ? bytes.length : checked(addon.dnaCount(this.#handle, bytes));
    const ids = idArray(type, count + (around ? before.length + after.length : 0));
    checked(addon.dnaEncode(this.#handle, bytes, around ? WITH_TEMPLATE : 0, ids));
    return ids;
  }

  encodeInto(bytes: Uint8Array, flags: number, ids: IdArray): number {
    return checked(addon.dnaEncode(this.#handle, bytes, flags, ids));
  }

  encodePart(bytes: Uint8Array, flags: number, ids: IdArray): EncodedPart {
    const count = checked(addon.dnaEncode(this.#handle, bytes, flags, ids, this.#part));
    const [consumed = 0, more, unknown = 0] = this.#part;
    return { count, consumed, unknown, more: more !== 0 };
  }

  encodeRows(matrix: MatrixPlan, threads = threadCount()): void {
    if (!matrixOnDevice(this.#handle, matrix, this)) this.#encodeHere(matrix, threads);
  }

  #encodeHere(matrix: MatrixPlan, threads: number): void {
    const isWorth = threads > 1 && threadCount() > 1 && bytesOf(matrix) >= SHARED;
    const job = isWorth ? this.#jobHere(matrix, threads) : undefined;
    if (!job) {
      const { rows, columns, flags, ids, mask, unknown } = matrix;
      checked(addon.dnaEncodeRows(this.#handle, rows.bytes, rows.offsets, columns, flags, ids, mask, unknown));
      return;
    }
    try {
      job.run();
    } finally {
      job.release();
    }
  }

  job(matrix: MatrixPlan, threads = threadCount()): MatrixJob | undefined {
    return this.deviceJob(matrix, () => matrix, threads) ?? this.#jobHere(matrix, threads);
  }

  deviceJob(rows: Pick<MatrixPlan, 'rows' | 'device'>, matrix: () => MatrixPlan, threads = threadCount()): MatrixJob | undefined {
    return DeviceMatrix.begin(this.#handle, rows.device, matrix, this, threads);
  }

  keptJob(plan: KeptPlan): KeptJob {
    return new KeptMatrixJob(this.#handle, plan, this);
  }

  devices(): DeviceList {
    return deviceList(undefined);
  }

  #jobHere(matrix: MatrixPlan, threads: number): NativeMatrixJob | undefined {
    const { rows, ids, mask } = matrix;
    if (bytesOf(matrix) < LEFT) return undefined;
    // Shared memory is excluded, because the arrays are read more than once.
    if ([rows.bytes, rows.offsets, ids, ...(mask ? [mask] : [])].some(isShared)) return undefined;
    return new NativeMatrixJob(this.#handle, matrix, threads);
  }

  close(): void {
    forgotten.unregister(this);
    addon.dnaClose(this.#handle);
    this.names.close();
  }
}

function bytesOf({ ids, mask }: MatrixPlan): number {
  return ids.byteLength + (mask?.length ?? 0);
}

function checked(answer: number): number {
  if (answer < 0) throw failed(DOING);
  return answer;
}

function factsOf(handle: Handle): DnaFacts {
  const words = new Uint32Array(FACTS + 2 * MOST_AROUND);
  checked(addon.dnaDescribe(handle, words));
  return readFacts(words);
}

// DNA on the addon: what only it has are the process's threads, and devices.

import type { DnaEngine, DnaParts, KeptJob, KeptPlan, MatrixJob, MatrixPlan } from '../../engine/dna-engine.js';
import { basesOn, compileDna, EngineDna } from '../../engine/dna-calls.js';
import type { DeviceList } from '../../engine/devices.js';
import type { CompilerInput } from '../../engine/compiler.js';
import type { Cartridge } from '../../vocabularies/open/sources-in-node.js';
import type { LoadOptions } from '../../vocabularies/open/load-options.js';
import { readCartridge } from '../../io/regular-file.js';
import { TokenizerError } from '../../base/errors.js';
import type { UnsharedUint8Array } from '../../base/typed-arrays.js';
import type { EngineTokenizer } from '../../engine/engine.js';
import { addon, type Handle, missing, native } from './addon.js';
import { nativeCompiler } from './addon-compiler.js';
import { handleOf, openNativeFile } from './addon-tokenizer.js';
import { DeviceMatrix, matrixOnDevice } from './device-matrix.js';
import { deviceList } from './addon-devices.js';
import { isShared } from './addon-job.js';
import { KeptMatrixJob } from './kept-matrix.js';
import { checked, PoolJob } from './pool-job.js';
import { threadCount } from './thread-count.js';
import { variable } from '../../base/environment.js';

/**
 * Bytes of ids and mask. Below the first number a matrix is not left to other threads, since that takes longer than writing
 * it (about 50 µs); below the second, two threads are no faster than one (two cores, 2026-11-23).
 */
const LEFT = 1024 * 1024;
const SHARED = 4 * LEFT;

/** The bytes of a cartridge. */
export function compileNativeDna(parts: DnaParts): UnsharedUint8Array {
  return compileDna(native().addon, parts);
}

/** Opens a DNA cartridge. */
export function openNativeDna(cartridge: Cartridge, options: LoadOptions, policies: Uint32Array): DnaEngine {
  const { source } = cartridge;
  const names = openNativeFile(cartridge, options, true);
  // The file may change later, so only bytes passed directly are kept.
  const copy = typeof source === 'string' ? undefined : source.slice();
  const bytes = () => copy?.slice() ?? Uint8Array.from(readCartridge(source as string));
  return new NativeDna({ engine: addon, window: Infinity, names, bases: nativeBases, cartridge: bytes }, handleOf(names), policies);
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
  : basesOn(
      () => addon,
      Infinity,
      () => variable('CRAYON_FORCE_KERNEL') ?? '',
    );

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

/** With the process's threads, and devices. */
class NativeDna extends EngineDna {
  override encodeRows(matrix: MatrixPlan, threads = threadCount()): void {
    if (matrixOnDevice(this.handle, matrix, this)) return;
    const isWorth = threads > 1 && threadCount() > 1 && bytesOf(matrix) >= SHARED;
    const job = isWorth ? this.#jobHere(matrix, threads) : undefined;
    if (!job) return super.encodeRows(matrix);
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
    return DeviceMatrix.begin(this.handle, rows.device, matrix, this, threads);
  }

  keptJob(plan: KeptPlan): KeptJob {
    return new KeptMatrixJob(this.handle, plan, this);
  }

  devices(): DeviceList {
    return deviceList(undefined);
  }

  #jobHere(matrix: MatrixPlan, threads: number): NativeMatrixJob | undefined {
    const { rows, ids, mask } = matrix;
    if (bytesOf(matrix) < LEFT) return undefined;
    // Shared memory is excluded, because the arrays are read more than once.
    if ([rows.bytes, rows.offsets, ids, ...(mask ? [mask] : [])].some(isShared)) return undefined;
    return new NativeMatrixJob(this.handle, matrix, threads);
  }
}

function bytesOf({ ids, mask }: MatrixPlan): number {
  return ids.byteLength + (mask?.length ?? 0);
}

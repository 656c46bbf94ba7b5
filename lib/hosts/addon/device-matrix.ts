// DNA matrices on accelerators.

import { type DnaEngine, type IdArray, idArray, type IdType, type MatrixJob, type MatrixPlan } from '../../engine/dna-engine.js';
import { TokenizerError } from '../../base/errors.js';
import { addon, type Handle } from './addon.js';
import { DeviceJob } from './device-job.js';
import { afterFailure, type Choice, chosenDevice, deviceHandle, succeeded } from './addon-devices.js';

/** Writes matrices on the CPU. */
type Cpu = Pick<DnaEngine, 'encodeRows' | 'job'>;

/**
 * `'auto'` uses the CPU: a device has the ids a hundred times faster, but copying them to a host array takes longer than 16 cores
 * need for everything (bench/results/gpu-h100.md).
 */
const NEVER_WORTH = () => 0;

/** True if a device has written it; otherwise the CPU must. */
export function matrixOnDevice(dna: Handle, matrix: MatrixPlan, cpu: Cpu): boolean {
  const choice = choose(dna, matrix);
  if (!choice) return false;
  let job: DeviceJob | undefined;
  try {
    job = jobOf(choice, dna, matrix);
    job.run();
    succeeded(choice, job);
    return true;
  } catch (error) {
    failed(choice, error, matrix, cpu);
    return false;
  } finally {
    job?.release();
  }
}

/** A matrix job on a Node thread. */
export class DeviceMatrix implements MatrixJob {
  readonly #job: DeviceJob;
  readonly #choice: Choice;
  readonly #matrix: MatrixPlan;
  readonly #cpu: Cpu;
  readonly #threads: number;
  #instead: MatrixJob | undefined;
  #work: Promise<void> | undefined;
  #isReleased = false;

  /** Undefined if the CPU should do it; only otherwise is the matrix requested. */
  static begin(dna: Handle, device: MatrixPlan['device'], ask: () => MatrixPlan, cpu: Cpu, threads: number): DeviceMatrix | undefined {
    const choice = chosenDevice({ device, bytes: NEVER_WORTH, unsupported: () => undefined, isWaitedFor: false });
    if (!choice) return undefined;
    const matrix = ask();
    try {
      return new DeviceMatrix(choice, jobOf(choice, dna, matrix), matrix, cpu, threads);
    } catch (error) {
      failed(choice, error, matrix, cpu);
      return undefined;
    }
  }

  private constructor(choice: Choice, job: DeviceJob, matrix: MatrixPlan, cpu: Cpu, threads: number) {
    this.#choice = choice;
    this.#job = job;
    this.#matrix = matrix;
    this.#cpu = cpu;
    this.#threads = threads;
  }

  start(): void {
    this.#work ??= this.#run();
    this.#work.catch(() => undefined); // whoever ends it sees the error
  }

  done(): Promise<void> {
    return (this.#work ??= this.#run());
  }

  async #run(): Promise<void> {
    try {
      await this.#job.submit();
      succeeded(this.#choice, this.#job);
    } catch (error) {
      if (this.#isReleased) throw error;
      failed(this.#choice, error, this.#matrix, this.#cpu);
      this.#instead = this.#cpu.job?.(onCpu(this.#matrix), this.#threads);
      if (this.#instead) await this.#instead.done();
      else this.#cpu.encodeRows(onCpu(this.#matrix), this.#threads);
    }
  }

  release(): void {
    this.#isReleased = true;
    this.#job.release();
    this.#instead?.release();
    this.#instead = undefined;
  }
}

function onCpu(matrix: MatrixPlan): MatrixPlan {
  return { ...matrix, device: 'cpu' };
}

function choose(dna: Handle, { device, ids }: MatrixPlan): Choice | undefined {
  // Opens the context by copying a few bases.
  const warmUp = (kind: Choice['kind']) => {
    const choice: Choice = { kind, handle: deviceHandle(kind) as Handle, isNamed: false };
    const nothing: MatrixPlan = {
      rows: { bytes: new Uint8Array(0), offsets: new Uint32Array(2) },
      columns: 1,
      flags: 0,
      ids: ids.slice(0, 1),
      mask: undefined,
      unknown: new Uint32Array(1),
    };
    const job = jobOf(choice, dna, nothing);
    const done = job.submit().then(() => succeeded(choice, job));
    done.catch((error: unknown) => void afterFailure(choice, error)).finally(() => job.release());
  };
  return chosenDevice({ device, bytes: NEVER_WORTH, unsupported: () => undefined, isWaitedFor: true, warmUp });
}

function jobOf({ handle }: Choice, dna: Handle, { rows, columns, flags, ids, mask, unknown }: MatrixPlan): DeviceJob {
  return new DeviceJob(() => addon.dnaDeviceJob(dna, rows.bytes, rows.offsets, columns, flags, ids, mask, unknown, handle));
}

/** Throws errors of the caller's data: a row rejected by the device is written here, alone. */
function failed(choice: Choice, error: unknown, { rows: { bytes, offsets }, columns, flags, ids }: MatrixPlan, cpu: Cpu): void {
  const isShape = error instanceof TokenizerError && error.code === 'DEVICE_UNSUPPORTED';
  const { row } = isShape ? {} : afterFailure(choice, error);
  if (row === undefined) return;
  const rows = { bytes, offsets: offsets.slice(row, row + 2) };
  const nowhere = { ids: idArray(typeOf(ids), columns), mask: undefined, unknown: new Uint32Array(1) };
  throwRowError(row, () => cpu.encodeRows({ rows, columns, flags, ...nowhere, device: 'cpu' }, 1));
}

/** Encodes some rows on the CPU, from `first` on; an error about one of them names it. */
export function throwRowError(first: number, encode: () => void): void {
  try {
    encode();
  } catch (failure) {
    if (!(failure instanceof TokenizerError) || failure.row === undefined) throw failure;
    throw new TokenizerError(failure.message, { code: failure.code, position: failure.position, row: first + failure.row });
  }
}

function typeOf(ids: IdArray): IdType {
  return ids instanceof Uint8Array ? 'uint8' : ids instanceof Uint16Array ? 'uint16' : ids instanceof Int32Array ? 'int32' : 'bigint64';
}

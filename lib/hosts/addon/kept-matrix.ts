// Resident DNA matrices on accelerators.

import { type KeptJob, type KeptPlan, idArray, type MatrixPlan } from '../../engine/dna-engine.js';
import type { DeviceBatch } from '../../engine/device-batch.js';
import { TokenizerError } from '../../base/errors.js';
import { addon, type Handle } from './addon.js';
import { DeviceJob } from './device-job.js';
import { throwRowError } from './device-matrix.js';
import { type Choice, keepingDevice, keepingFailure, succeeded } from './addon-devices.js';
import { keptBatch, type KeptForm, widthOf } from './kept-batch.js';

/** Writes matrices on the CPU, to find out what is wrong with a row. */
interface Cpu {
  encodeRows(matrix: MatrixPlan, threads?: number): void;
}

/** A job for one matrix. It owns the batch until the caller takes it. */
export class KeptMatrixJob implements KeptJob {
  readonly #choice: Choice;
  readonly #plan: KeptPlan;
  readonly #cpu: Cpu;
  readonly #form: KeptForm;
  /** Undefined if there is nothing to encode. */
  readonly #job: DeviceJob | undefined;
  #work: Promise<void> | undefined;

  /** Throws if there is no device. */
  constructor(dna: Handle, plan: KeptPlan, cpu: Cpu) {
    const { rows, columns, flags, type, mask, unknown, device } = plan;
    this.#choice = keepingDevice(device, () => undefined);
    this.#plan = plan;
    this.#cpu = cpu;
    this.#form = { rows: rows.offsets.length - 1, columns, type, mask };
    if (this.#form.rows === 0 || columns === 0) {
      if (this.#form.rows > 0) this.#encodeHere(0, this.#form.rows); // throws if a row is invalid
      return;
    }
    const widths = [widthOf(type), mask ? widthOf(mask) : 0] as const;
    const { handle } = this.#choice;
    try {
      this.#job = new DeviceJob(() => addon.dnaKeptJob(dna, rows.bytes, rows.offsets, columns, flags, ...widths, unknown, handle));
    } catch (error) {
      throw this.#failure(error);
    }
  }

  run(): DeviceBatch {
    try {
      this.#job?.run();
    } catch (error) {
      throw this.#failure(error);
    }
    return this.#batch();
  }

  start(): void {
    this.#work ??= this.#submit();
    this.#work.catch(() => undefined); // whoever asks for the batch sees the error
  }

  async done(): Promise<DeviceBatch> {
    await (this.#work ??= this.#submit());
    return this.#batch();
  }

  release(): void {
    this.#job?.release();
  }

  async #submit(): Promise<void> {
    try {
      await this.#job?.submit();
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #batch(): DeviceBatch {
    const batch = keptBatch(this.#choice, this.#job, this.#form);
    if (this.#job) succeeded(this.#choice, this.#job);
    return batch;
  }

  #failure(error: unknown): unknown {
    const isRow = error instanceof TokenizerError && error.code === 'ROW_REFUSED';
    const isShape = error instanceof TokenizerError && error.code === 'DEVICE_UNSUPPORTED';
    try {
      // A device accepts every shape that the CPU does, except one without room for the ids around a sequence.
      if (isRow) this.#encodeHere(error.position, error.position + 1);
      else if (isShape) this.#encodeHere(0, 1);
    } catch (failure) {
      return failure;
    }
    return keepingFailure(this.#choice, error);
  }

  #encodeHere(first: number, last: number): void {
    const { rows, columns, flags, type } = this.#plan;
    const nowhere = { ids: idArray(type, (last - first) * columns), mask: undefined, unknown: new Uint32Array(last - first) };
    throwRowError(first, () => {
      const some = { bytes: rows.bytes, offsets: rows.offsets.slice(first, last + 1) };
      this.#cpu.encodeRows({ rows: some, columns, flags, ...nowhere, device: 'cpu' }, 1);
    });
  }
}

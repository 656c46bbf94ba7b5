// Resident matrices on accelerators, by addon handle.
//
// KeptMemory owns the memory and is shared by the batch and its mask: it lives as long as either is in use. The addon knows a
// handle only until it is closed, and closes an environment's handles when it ends.

import { idArray, type IdArray, type IdType } from '../../engine/dna-engine.js';
import type { DeviceBatch, DeviceTensor, DlpackTensor } from '../../engine/device-batch.js';
import { TokenizerError } from '../../base/errors.js';
import type { DeviceJob, KeptMatrix } from './device-job.js';
import { addon, failed, type Handle } from './addon.js';
import type { Choice } from './addon-devices.js';

/** The form of a matrix. */
export interface KeptForm {
  rows: number;
  columns: number;
  type: IdType;
  /** Undefined for no mask. */
  mask: IdType | undefined;
}

/** Type names and codes in DLPack and elsewhere. */
const DTYPES = { uint8: 'uint8', uint16: 'uint16', int32: 'int32', bigint64: 'int64' } as const;
const BITS: Record<IdType, number> = { uint8: 8, uint16: 16, int32: 32, bigint64: 64 };
const INT = 0;
const UINT = 1;

/** The constants of dlpack.h, indexed by the addon's device kinds: CUDA, HIP, emulated. */
const DEVICE_TYPES: readonly number[] = [1, 2, 10, 1];

const registry = new FinalizationRegistry<Handle>((handle) => addon.deviceMatrixClose(handle));

/** Bytes per element. */
export function widthOf(type: IdType): number {
  return BITS[type] / 8;
}

/** The batch of a finished job. */
export function keptBatch<Host>(choice: Choice, job: DeviceJob | undefined, form: KeptForm): DeviceBatch<Host> {
  const kind = addon.deviceDescribe(choice.handle)?.kind ?? 0;
  return new KeptBatch<Host>(new KeptMemory(job?.residentMatrix(), DEVICE_TYPES[kind] ?? 1, choice.kind), form);
}

class KeptMemory {
  /** Undefined for a matrix without elements, which has no memory. */
  readonly #matrix: KeptMatrix | undefined;
  readonly deviceType: number;
  readonly device: string;
  isFreed = false;

  constructor(matrix: KeptMatrix | undefined, deviceType: number, device: string) {
    this.#matrix = matrix;
    this.deviceType = deviceType;
    this.device = device;
    if (matrix) registry.register(this, matrix.handle, this);
  }

  get deviceId(): number {
    return this.#live()?.device ?? 0;
  }

  get maskOffset(): number {
    return this.#live()?.maskOffset ?? 0;
  }

  address(offset: number): bigint {
    const matrix = this.#live();
    return matrix ? matrix.address + BigInt(offset) : 0n;
  }

  read(offset: number, to: IdArray): void {
    const matrix = this.#live();
    if (!matrix || to.length === 0) return;
    const bytes = new Uint8Array(to.buffer, to.byteOffset, to.byteLength);
    if (addon.deviceMatrixRead(matrix.handle, offset, bytes) < 0) throw failed('cannot copy the batch from its device');
  }

  free(): void {
    if (this.isFreed) return;
    this.isFreed = true;
    if (!this.#matrix) return;
    registry.unregister(this);
    addon.deviceMatrixClose(this.#matrix.handle);
  }

  #live(): KeptMatrix | undefined {
    if (!this.isFreed) return this.#matrix;
    throw new TokenizerError('the batch has been freed: its memory on the device may be in use by others', { code: 'CLOSED' });
  }
}

class KeptTensor implements DeviceTensor {
  readonly shape: readonly [rows: number, length: number];
  readonly dtype: DeviceTensor['dtype'];
  readonly #type: IdType;
  readonly #memory: KeptMemory;
  readonly #offset: number;

  constructor(memory: KeptMemory, offset: number, { rows, columns }: KeptForm, type: IdType) {
    this.shape = Object.freeze([rows, columns] as const);
    this.dtype = DTYPES[type];
    this.#type = type;
    this.#memory = memory;
    this.#offset = offset;
  }

  get device(): string {
    return this.#memory.device;
  }

  get deviceId(): number {
    return this.#memory.deviceId;
  }

  get pointer(): bigint {
    return this.#memory.address(this.#offset);
  }

  get stream(): bigint {
    this.#memory.address(0); // throws if it has been freed
    return 0n;
  }

  get dlpack(): DlpackTensor {
    const [rows, columns] = this.shape;
    const isSigned = this.#type === 'int32' || this.#type === 'bigint64';
    return {
      data: this.pointer,
      device: { type: this.#memory.deviceType, id: this.deviceId },
      ndim: 2,
      dtype: { code: isSigned ? INT : UINT, bits: BITS[this.#type], lanes: 1 },
      shape: [rows, columns],
      strides: [columns, 1],
      byteOffset: 0n,
    };
  }

  /** @internal */
  get [Symbol.toStringTag](): string {
    return 'DeviceTensor';
  }
}

class KeptBatch<Host> extends KeptTensor implements DeviceBatch<Host> {
  readonly mask: DeviceTensor | undefined;
  readonly #memory: KeptMemory;
  readonly #form: KeptForm;

  constructor(memory: KeptMemory, form: KeptForm) {
    super(memory, 0, form, form.type);
    this.mask = form.mask && new KeptTensor(memory, memory.maskOffset, form, form.mask);
    this.#memory = memory;
    this.#form = form;
  }

  get isFreed(): boolean {
    return this.#memory.isFreed;
  }

  toHost(): Host {
    const { rows, columns, type, mask: maskType } = this.#form;
    const maskOffset = this.#memory.maskOffset; // throws if it has been freed
    const ids = idArray(type, rows * columns);
    const mask = maskType && idArray(maskType, rows * columns);
    this.#memory.read(0, ids);
    if (mask) this.#memory.read(maskOffset, mask);
    return { ids, mask, shape: [rows, columns] } as Host;
  }

  free(): void {
    this.#memory.free();
  }

  [Symbol.dispose](): void {
    this.free();
  }

  /** @internal */
  override get [Symbol.toStringTag](): string {
    return 'DeviceBatch';
  }
}

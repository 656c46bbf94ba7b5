// Matrices that stay on a device. Types only; lib/hosts/addon/kept-batch.ts implements them.

/**
 * The fields of a `DLTensor` (dlpack.h, version 1), for code that makes a capsule from them.
 *
 * @example
 * ```ts
 * const describe = ({ data, byteOffset, shape }: DlpackTensor) => `${shape.join(' x ')} at ${data + byteOffset}`;
 * ```
 */
export interface DlpackTensor {
  /** The address of the first element, less `byteOffset`. */
  data: bigint;
  /** `type`: 2 kDLCUDA, 10 kDLROCM, 1 kDLCPU (the emulated device). `id`: the device's index within its type. */
  device: { type: number; id: number };
  ndim: number;
  /** `code`: 0 kDLInt, 1 kDLUInt. */
  dtype: { code: number; bits: number; lanes: number };
  shape: readonly number[];
  /** In elements. */
  strides: readonly number[];
  byteOffset: bigint;
}

/**
 * An array in device memory, for other addons and for libraries used through one. Its properties can be read until its batch
 * is freed; after that they throw a {@link TokenizerError} with the code `CLOSED`.
 *
 * @example
 * ```ts
 * const bytesOf = ({ shape: [rows, length], dtype }: DeviceTensor) => rows * length * (dtype === 'int64' ? 8 : 4);
 * ```
 */
export interface DeviceTensor {
  /** The number of rows, and of elements per row. */
  readonly shape: readonly [rows: number, length: number];
  /** The element type. */
  readonly dtype: 'uint8' | 'uint16' | 'int32' | 'int64';
  /** `'cuda'` or `'hip'`. */
  readonly device: string;
  /** The device's index, as the runtime counts them. */
  readonly deviceId: number;
  /** Its address in device memory, aligned to 256 bytes; 0n if it has no elements. */
  readonly pointer: bigint;
  /**
   * The stream that the array is written in: always 0n, because a batch exists only once it is written. Any stream may read it
   * immediately without synchronizing.
   */
  readonly stream: bigint;
  /** The array as DLPack describes it. It does not keep the batch alive. */
  readonly dlpack: DlpackTensor;
}

/**
 * The ids of a batch as a matrix that stays on the device that wrote it, and its mask, if requested: nothing has been copied to
 * the CPU. It depends neither on its tokenizer nor on the texts any more. It occupies device memory until it is freed by `free`,
 * by `using`, or by garbage collection of the batch and its mask, which a full device does not trigger.
 *
 * The owning thread must not free it while anything on the device still reads it.
 *
 * @example
 * ```ts
 * const onDevice = { device: 'cuda', resident: true } as const;
 * const pointerOf = ({ pointer }: DeviceBatch) => pointer;
 * pointerOf(tokenizer.encodeBatch(['hello world'], onDevice)); // throws TokenizerError (DEVICE_UNAVAILABLE)
 * ```
 */
export interface DeviceBatch<Host = unknown> extends DeviceTensor {
  /** 1 for an id, 0 for padding; undefined if no mask was requested. */
  readonly mask: DeviceTensor | undefined;
  /** Whether the batch has been freed. */
  readonly isFreed: boolean;
  /**
   * Copies it to the CPU, after waiting for any batch that the device is working on. Throws `CLOSED` if it has been freed, and
   * `DEVICE_FAILED` if its device has failed since.
   */
  toHost(): Host;
  /** Frees the memory: immediately, or as soon as the device has finished its current batch. Calling it again has no effect. */
  free(): void;
  /** The same, for `using`. */
  [Symbol.dispose](): void;
}

// Matrices that stay on a device. Types only: what there is of it is in lib/native/kept-batch.ts.

/**
 * The fields of a `DLTensor` (dlpack.h, version 1), for what makes a capsule of them.
 *
 * @example
 * ```ts
 * const describe = ({ data, byteOffset, shape }: DlpackTensor) => `${shape.join(' x ')} at ${data + byteOffset}`;
 * ```
 */
export interface DlpackTensor {
  /** The address of the first element, less `byteOffset`. */
  data: bigint;
  /** `type`: 2 kDLCUDA, 10 kDLROCM, 1 kDLCPU (the emulated device). `id`: of the device among those of its type. */
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
 * An array in the memory of a device, for other addons and for libraries that are used through one. Its properties may be read
 * until its batch is freed; after that they throw a {@link TokenizerError} with the code `CLOSED`.
 *
 * @example
 * ```ts
 * const bytesOf = ({ shape: [rows, length], dtype }: DeviceTensor) => rows * length * (dtype === 'int64' ? 8 : 4);
 * ```
 */
export interface DeviceTensor {
  /** The number of rows, and of elements in each. */
  readonly shape: readonly [rows: number, length: number];
  /** What its elements are. */
  readonly dtype: 'uint8' | 'uint16' | 'int32' | 'int64';
  /** `'cuda'` or `'hip'`. */
  readonly device: string;
  /** Which of these, as the runtime counts them. */
  readonly deviceId: number;
  /** Its address in the memory of the device, aligned to 256 bytes; 0n if it has no elements. */
  readonly pointer: bigint;
  /**
   * The stream that the array is written in: always 0n, as it has been written when there is a batch. Any stream may read it at
   * once, and nobody has to wait.
   */
  readonly stream: bigint;
  /** The same for DLPack. It does not keep the batch. */
  readonly dlpack: DlpackTensor;
}

/**
 * The ids of a batch as a matrix that stays on the device which has written it, and its mask, if one was asked for: nothing has been
 * copied to the CPU. It needs neither its tokenizer nor the texts any more, and takes memory of the device until it is freed, by
 * `free`, by `using`, or when it and its mask are garbage, which a device that is full does not hasten.
 *
 * The thread that has it must not free it while something on the device still reads it.
 *
 * @example
 * ```ts
 * const onDevice = { device: 'cuda', resident: true } as const;
 * const pointerOf = ({ pointer }: DeviceBatch) => pointer;
 * pointerOf(tokenizer.encodeBatch(['hello world'], onDevice)); // throws TokenizerError (DEVICE_UNAVAILABLE)
 * ```
 */
export interface DeviceBatch<Host = unknown> extends DeviceTensor {
  /** 1 where there is an id, 0 where there is padding; undefined if no mask was asked for. */
  readonly mask: DeviceTensor | undefined;
  /** Whether the batch has been freed. */
  readonly isFreed: boolean;
  /**
   * Copies it to the CPU. It waits for the batch that the device is at, if there is one. Throws `CLOSED` if it has been freed, and
   * `DEVICE_FAILED` if its device has failed since.
   */
  toHost(): Host;
  /** Gives the memory back: at once, or as soon as the device has done the batch that it is at. Calling it again has no effect. */
  free(): void;
  /** The same, for `using`. */
  [Symbol.dispose](): void;
}

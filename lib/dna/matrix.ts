// The results of batches. Types only.

import type { UnsharedUint32Array, UnsharedUint8Array } from '../base/typed-arrays.js';
import type { DeviceBatch } from '../engine/device-batch.js';
import type { DnaIdArray, DnaIdType } from './dna-options.js';

/**
 * The ids of many sequences as a matrix, row after row.
 *
 * @example
 * ```ts
 * using dna = await DnaTokenizer.load('hyenadna');
 * const matrix: DnaMatrix = dna.encodeBatch(['ACGT', 'AC']);
 * matrix.ids; // Int32Array [7, 8, 9, 10, 4, 4, 7, 8]
 * matrix.mask; // Uint8Array [1, 1, 1, 1, 0, 0, 1, 1]
 * matrix.shape; // [2, 4]
 * matrix.unknown; // 0
 * ```
 */
export interface DnaMatrix<Type extends DnaIdType = 'int32', Mask extends MaskType = 'uint8'> {
  ids: DnaIdArray<Type>;
  /** 1 for an id, 0 for padding. */
  mask: MaskArray<Type, Mask>;
  /** The number of rows, and of ids per row. */
  shape: [rows: number, length: number];
  /**
   * How many ids are the unknown one, in all rows together: only ids of the sequences, without padding and the special tokens
   * around them. 0 if there is no unknown id. Counted while the ids are written.
   */
  unknown: number;
  /** `unknown` for each row. */
  unknownPerRow: UnsharedUint32Array;
}

/**
 * The ids of many sequences as a matrix that stays on a device. By default a mask of bytes tells ids from padding; the option `mask`
 * changes that.
 *
 * @example
 * ```ts
 * using dna = await DnaTokenizer.load('hyenadna');
 * const options = { device: 'cuda', resident: true, type: 'bigint64', mask: 'ids' } as const;
 * const pointerOf = ({ pointer }: DnaDeviceMatrix<'bigint64', 'ids'>) => pointer;
 * pointerOf(dna.encodeBatch(['ACGT'], options)); // throws TokenizerError (DEVICE_UNAVAILABLE)
 * ```
 */
export interface DnaDeviceMatrix<Type extends DnaIdType = 'int32', Mask extends MaskType = 'uint8'>
  extends DeviceBatch<Pick<DnaMatrix<Type, Mask>, 'ids' | 'mask' | 'shape'>>,
    Pick<DnaMatrix, 'unknown' | 'unknownPerRow'> {}

/**
 * The element type of a mask: bytes, the type of the ids, or no mask.
 *
 * @example
 * ```ts
 * const mask: MaskType = 'ids';
 * using dna = await DnaTokenizer.load('hyenadna');
 * dna.encodeBatch(['A'], { mask }).mask; // Int32Array [1]
 * ```
 */
export type MaskType = 'uint8' | 'ids' | 'none';
/**
 * The array of a mask.
 *
 * @example
 * ```ts
 * using dna = await DnaTokenizer.load('hyenadna');
 * const mask: MaskArray<'int32', 'uint8'> = dna.encodeBatch(['A']).mask;
 * mask; // Uint8Array [1]
 * ```
 */
export type MaskArray<Type extends DnaIdType, Mask extends MaskType> = {
  uint8: UnsharedUint8Array;
  ids: DnaIdArray<Type>;
  none: undefined;
}[Mask];

// The formats of datasets: which integers they hold, and how they end documents. Their layouts are in layouts/.

import { refused } from '../base/errors.js';
import { DatasetError } from './dataset-error.js';

/**
 * What training programs read: Megatron-LM's `.bin` and `.idx`; the raw ids of nanoGPT; the shards of llm.c and
 * modded-nanogpt; datatrove's and nanotron's `.ds`; MosaicML's MDS; NumPy; Arrow IPC streams and Parquet with a column
 * `input_ids`.
 *
 * @example
 * ```ts
 * import { type DatasetFormat } from 'crayon-tokenizer/dataset';
 *
 * const format: DatasetFormat = 'megatron';
 * format; // 'megatron'
 * ```
 */
export type DatasetFormat = 'megatron' | 'nanogpt' | 'llmc' | 'datatrove' | 'mds' | 'npy' | 'arrow' | 'parquet';

/**
 * The integers of a dataset, little-endian.
 *
 * @example
 * ```ts
 * import { type DatasetDtype } from 'crayon-tokenizer/dataset';
 *
 * const dtype: DatasetDtype = 'uint16';
 * dtype; // 'uint16'
 * ```
 */
export type DatasetDtype = 'uint16' | 'int32' | 'uint32';

type Integers = Pick<Format, 'dtypeFor' | 'dtypes'>;

export interface Format {
  /** The integers of a vocabulary whose largest id is this. */
  dtypeFor(largestId: number): DatasetDtype;
  dtypes: readonly DatasetDtype[];
  /** Where the id that separates documents goes, and whether training programs depend on it. */
  separator: 'before' | 'after';
  needsSeparator: boolean;
  /** The merged files of a dataset of this name, in order; of numbered files, the first. */
  files(name: string): readonly string[];
}

const ALL = ['uint16', 'int32', 'uint32'] as const;

/** What most formats have. */
const USUAL = { separator: 'after', needsSeparator: false } as const;
const UNSIGNED: Integers = { dtypeFor: (largestId) => (largestId <= 0xffff ? 'uint16' : 'uint32'), dtypes: ['uint16', 'uint32'] };
const INT32: Integers = { dtypeFor: () => 'int32', dtypes: ['int32'] };

export const FORMATS: Readonly<Record<DatasetFormat, Format>> = {
  // Megatron-LM takes 16 bits for vocabularies of fewer than 65,500 tokens.
  megatron: {
    ...USUAL,
    dtypeFor: (largestId) => (largestId < 65_499 ? 'uint16' : 'int32'),
    dtypes: ['uint16', 'int32'],
    files: (name) => [`${name}.bin`, `${name}.idx`],
  },
  nanogpt: { separator: 'after', needsSeparator: true, dtypeFor: () => 'uint16', dtypes: ['uint16'], files: (name) => [`${name}.bin`] },
  llmc: { separator: 'before', needsSeparator: true, ...UNSIGNED, files: (name) => [`${name}_000000.bin`] },
  datatrove: { ...USUAL, ...UNSIGNED, files: (name) => [`${name}.ds`, `${name}.ds.index`, `${name}.ds.metadata`] },
  mds: { ...USUAL, ...UNSIGNED, dtypes: ALL, files: () => ['shard.00000.mds', 'index.json'] },
  npy: { ...USUAL, ...UNSIGNED, dtypes: ALL, files: (name) => [`${name}.npy`, `${name}_ends.npy`] },
  arrow: { ...USUAL, ...INT32, files: (name) => [`${name}.arrow`] },
  parquet: { ...USUAL, ...INT32, files: (name) => [`${name}.parquet`] },
};

/** The largest id that each type holds. */
export const LARGEST: Readonly<Record<DatasetDtype, number>> = { uint16: 0xffff, int32: 0x7fffffff, uint32: 0xffffffff };

/** The integers of a dataset; throws if ids of the vocabulary do not fit in them. */
export function dtypeOf(name: DatasetFormat, wanted: DatasetDtype | undefined, largestId: number): DatasetDtype {
  const format = FORMATS[name];
  if (wanted !== undefined && !format.dtypes.includes(wanted)) {
    throw refused(`\`dtype\` must be ${format.dtypes.join(' or ')}, as ${name} has`, wanted);
  }
  const dtype = wanted ?? format.dtypeFor(largestId);
  if (largestId <= LARGEST[dtype]) return dtype;
  const advice = format.dtypes.length > 1 ? 'use a wider dtype' : 'use another format, such as megatron';
  throw new DatasetError(`the vocabulary has ids up to ${largestId}, which do not fit in ${dtype} of ${name}: ${advice}`, {
    code: 'ID_TOO_LARGE',
  });
}

/** Bytes of an id. */
export function widthOf(dtype: DatasetDtype): 2 | 4 {
  return dtype === 'uint16' ? 2 : 4;
}

/** The words of bytes; a copy if they do not begin at a multiple of 4. */
export function wordsOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  if (byteOffset % 4 === 0) return new Uint32Array(buffer, byteOffset, byteLength / 4);
  return new Uint32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

export function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

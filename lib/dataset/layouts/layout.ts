// What `merge` passes to the layout of a format: the documents of all shards, in order.

import type { DatasetManifest } from '../manifest.js';
import type { Receipt } from '../receipts.js';

/**
 * A file of a merged dataset.
 *
 * @example
 * ```ts
 * import { type MergedFile, mergeDataset, planDataset, runDataset } from 'crayon-tokenizer/dataset';
 *
 * await planDataset(['hello.txt'], { output: 'planned', format: 'npy' });
 * await runDataset('planned');
 * const { files } = await mergeDataset('planned');
 * const [ids]: MergedFile[] = files;
 * ids?.bytes; // 140
 * ```
 */
export interface MergedFile {
  name: string;
  bytes: number;
  sha256: string;
}

/** A file that is being written. */
export interface OutputFile {
  append(bytes: Uint8Array): Promise<void>;
  /** In any order, for a file to which nothing is appended. */
  writeAt(bytes: Uint8Array, position: number): Promise<void>;
}

export interface Output {
  /** A file in the folder of the dataset. */
  create(name: string): Promise<OutputFile>;
}

/** Writes the files of a format. */
export interface Layout {
  /** How many ids each document has, of those that follow. Valid during the call. */
  documents(lengths: Uint32Array): Promise<void>;
  /** Their ids, in the integers of the dataset, in parts of any size. Valid during the call. */
  ids(bytes: Uint8Array): Promise<void>;
  finish(): Promise<void>;
}

/** Begins the files of a format. */
export type NewLayout = (manifest: DatasetManifest, output: Output, receipts: readonly Receipt[]) => Promise<Layout>;

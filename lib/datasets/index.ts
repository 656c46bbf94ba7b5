/**
 * Datasets of token ids: planned once, encoded by any number of processes on any number of machines, killed and started again
 * without loss, and merged to the files that training programs read.
 *
 * @module crayon-tokenizer/dataset
 */

export { DatasetError, type DatasetErrorCode } from './dataset-error.js';
export type { DatasetDtype, DatasetFormat } from './formats.js';
export type { DatasetInput, DatasetManifest, DatasetRange, DatasetTask, InputKind } from './manifest.js';
export type { MergedFile } from './layouts/layout.js';
export type { MergedDataset } from './merge-dataset.js';
export { type MergeOptions, mergeDataset } from './merge-dataset.js';
export { planDataset, type PlanOptions } from './plan-dataset.js';
export type { DamagedRecord } from './receipts.js';
export type { SourceAmounts } from './receipts.js';
export { type DatasetRun, runDataset, type RunDatasetOptions, type RunProgress } from './run-dataset.js';
export { datasetStatus, type DatasetStatus } from './dataset-status.js';
export { type VerifiedDataset, verifyDataset, type VerifyOptions } from './verify-dataset.js';

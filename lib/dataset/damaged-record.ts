// What is left of a record that has no document.

/**
 * A record that has no document.
 *
 * @example
 * ```ts
 * import { type DamagedRecord, datasetStatus, planDataset, runDataset } from 'crayon-tokenizer/dataset';
 *
 * await planDataset(['hello.txt'], { output: 'damaged', format: 'npy', kind: 'jsonl' });
 * await runDataset('damaged', { skipDamaged: true });
 * const { damaged } = await datasetStatus('damaged');
 * const [record]: DamagedRecord[] = damaged;
 * record?.line; // 1
 * ```
 */
export interface DamagedRecord {
  file: string;
  /** From 1; `null` for files without lines. */
  line: number | null;
  /** Where it begins; the row of a Parquet file. */
  byte: number;
  reason: string;
}

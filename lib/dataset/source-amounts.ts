// Text and tokens of each source.

import type { DatasetInput, DatasetManifest } from './manifest.js';
import type { TextBatch } from './text-batch.js';

/**
 * Text and tokens of a source.
 *
 * @example
 * ```ts
 * import { datasetStatus, planDataset, runDataset, type SourceAmounts } from 'crayon-tokenizer/dataset';
 *
 * await planDataset(['hello.txt'], { output: 'planned', format: 'npy' });
 * await runDataset('planned');
 * const { sources } = await datasetStatus('planned');
 * const [amounts]: SourceAmounts[] = sources;
 * amounts?.tokens; // 3
 * ```
 */
export interface SourceAmounts {
  documents: number;
  bytes: number;
  tokens: number;
}

/** Of a batch, by the index of the source. `lengths`: how many ids each document has. */
export function amountsOf({ inputs }: DatasetManifest, batch: TextBatch, lengths: Uint32Array): Map<number, SourceAmounts> {
  const { offsets } = batch.rows;
  const all = new Map<number, SourceAmounts>();
  let amounts: SourceAmounts | undefined;
  let input = -1;
  for (let row = 0; row < lengths.length; row++) {
    if (!amounts || batch.inputOf(row) !== input) {
      input = batch.inputOf(row);
      const { source } = inputs[input] as DatasetInput;
      amounts = all.get(source) ?? noAmounts();
      all.set(source, amounts);
    }
    amounts.documents++;
    amounts.bytes += (offsets[row + 1] as number) - (offsets[row] as number);
    amounts.tokens += lengths[row] as number;
  }
  return all;
}

/** The beginning of a sum. */
export function noAmounts(): SourceAmounts {
  return { documents: 0, bytes: 0, tokens: 0 };
}

/** Adds amounts to a sum. */
export function addAmounts(sum: SourceAmounts, { documents, bytes, tokens }: SourceAmounts): void {
  sum.documents += documents;
  sum.bytes += bytes;
  sum.tokens += tokens;
}

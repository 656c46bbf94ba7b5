// How many documents are equal to an earlier one, by their hashes: in passes over parts of the hashes, so that memory does not grow
// with the dataset.

import { checkedBytes } from './checked-bytes.js';
import { type Receipt, type ShardFile, shardPath, sumOf } from './receipts.js';

/** Hashes to sort at a time, of 8 bytes. */
const MOST = 8 * 1024 * 1024;

export async function duplicatesOf(folder: string, receipts: readonly Receipt[]): Promise<number> {
  const passes = Math.max(1, Math.ceil(sumOf(receipts, 'documents') / MOST));
  let duplicates = 0;
  for (let pass = 0; pass < passes; pass++) duplicates += await duplicatesIn(folder, receipts, pass, passes);
  return duplicates;
}

/** Of the hashes whose first word has this rest. */
async function duplicatesIn(folder: string, receipts: readonly Receipt[], pass: number, passes: number): Promise<number> {
  let hashes = new BigUint64Array(1024);
  let count = 0;
  for (const { task, shard, files } of receipts) {
    for await (const bytes of checkedBytes(shardPath(folder, task, shard, 'hashes'), files.hashes as ShardFile)) {
      for (let at = 0; at < bytes.length; at += 8) {
        if (bytes.readUInt32LE(at) % passes !== pass) continue;
        if (count === hashes.length) hashes = grown(hashes);
        hashes[count++] = bytes.readBigUInt64LE(at);
      }
    }
  }
  const sorted = hashes.subarray(0, count).sort();
  let duplicates = 0;
  for (let at = 1; at < count; at++) if (sorted[at] === sorted[at - 1]) duplicates++;
  return duplicates;
}

function grown(values: BigUint64Array): BigUint64Array<ArrayBuffer> {
  const larger = new BigUint64Array(2 * values.length);
  larger.set(values);
  return larger;
}

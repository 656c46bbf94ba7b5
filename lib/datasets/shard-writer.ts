// A shard: the ids of its documents back to back, how many each has, and a receipt. Memory does not grow with it.

import { DurableFile, flushPath } from './durable-files.js';
import type { Rows } from './document-queue.js';
import { bytesOf, widthOf } from './formats.js';
import { type Sha256, sha256Here } from './hash-thread.js';
import type { DatasetManifest } from './manifest.js';
import {
  addAmounts,
  type DamagedRecord,
  NAMED,
  noAmounts,
  type Receipt,
  shardFolder,
  type ShardPart,
  shardPath,
  type SourceAmounts,
  type TaskPosition,
} from './receipts.js';
import { sealed } from './sealed-files.js';
import type { TextBatch } from './text-batch.js';

/** Powers of two up to the longest document. */
const LENGTHS = 33;

export interface ShardWriter extends AsyncDisposable {
  /** Adds the documents of a batch; `sources`: their amounts. The rows are in use until the promise settles; others come then. */
  write(batch: TextBatch, rows: Rows, sources: ReadonlyMap<number, SourceAmounts>): Promise<void>;
  /** Adds what a batch has left out. */
  leaveOut(batch: TextBatch): void;
  /**
   * Flushes the files, and gives them their names, the receipt last. (If the power fails before the folder is flushed, a name may be
   * missing: a receipt without its files counts for nothing.) `next`: where the next shard begins, or behind the last range.
   */
  finish(next: TaskPosition): Promise<Receipt>;
}

/** Begins a shard. `hash`: of its ids. */
export async function shardWriter(
  manifest: DatasetManifest,
  folder: string,
  at: { task: number; shard: number; from: TaskPosition },
  hash: Sha256,
): Promise<ShardWriter> {
  const { task, shard } = at;
  const create = (part: ShardPart, of = sha256Here()) => DurableFile.create(shardPath(folder, task, shard, part), of);
  const hashes = manifest.countsDuplicates ? await create('hashes') : undefined;
  const ids = await create('ids', hash);
  const lengths = await create('lengths');
  const counts = new Array<number>(LENGTHS).fill(0);
  const amounts = { ...noAmounts(), empty: 0, damagedCount: 0, damaged: [] as DamagedRecord[], lengths: counts };
  const sources: Record<string, SourceAmounts> = {};
  let written: Promise<void> = Promise.resolve();
  let isFinishing = false;

  async function close(): Promise<void> {
    await written.catch(() => undefined);
    for (const file of [ids, lengths, hashes]) await file?.[Symbol.asyncDispose]();
  }

  const writer: ShardWriter = {
    write(batch, rows, amountsOfSources) {
      for (const [source, each] of amountsOfSources) {
        addAmounts((sources[source] ??= noAmounts()), each);
        amounts.tokens += each.tokens;
      }
      for (let row = 0; row < rows.lengths.length; row++) counts[32 - Math.clz32(rows.lengths[row] as number)]!++;
      amounts.documents += rows.lengths.length;
      amounts.bytes += batch.size;
      writer.leaveOut(batch);
      const parts = [ids.append(rows.ids), lengths.append(bytesOf(rows.lengths))];
      if (hashes) parts.push(hashes.append(bytesOf(hashesOf(rows, manifest))));
      written = Promise.all(parts).then(() => undefined);
      return written;
    },
    leaveOut({ empty, damaged, damagedCount }) {
      amounts.empty += empty;
      amounts.damagedCount += damagedCount;
      amounts.damaged.push(...damaged.slice(0, NAMED - amounts.damaged.length));
    },
    async finish(next) {
      isFinishing = true;
      try {
        await written;
        const ofHashes = await hashes?.content();
        const files = { ids: await ids.content(), lengths: await lengths.content(), ...(ofHashes && { hashes: ofHashes }) };
        const receipt: Receipt = sealed({ plan: manifest.checksum, ...at, next, files, ...amounts, sources });
        await using file = await DurableFile.create(shardPath(folder, task, shard, 'json'));
        await file.append(Buffer.from(`${JSON.stringify(receipt)}\n`));
        await Promise.all([ids.flush(), lengths.flush(), hashes?.flush(), file.flush()]);
        await Promise.all([ids.finish(), lengths.finish(), hashes?.finish()]);
        await file.finish();
        await flushPath(shardFolder(folder));
        return receipt;
      } finally {
        await close();
      }
    },
    /** Leaves nothing of a shard that nobody has begun to finish. */
    async [Symbol.asyncDispose]() {
      if (!isFinishing) await close();
    },
  };
  return writer;
}

/** The hash of each document, without the id that separates it from others. */
function hashesOf({ ids, lengths }: Rows, { dtype, endOfDocument }: DatasetManifest): Uint32Array {
  const { buffer, byteOffset, byteLength } = ids;
  const width = widthOf(dtype);
  const all = width === 2 ? new Uint16Array(buffer, byteOffset, byteLength / 2) : new Uint32Array(buffer, byteOffset, byteLength / 4);
  const [before, after] = endOfDocument.id === null ? [0, 0] : endOfDocument.position === 'before' ? [1, 0] : [0, 1];
  const hashes = new Uint32Array(2 * lengths.length);
  for (let row = 0, at = 0; row < lengths.length; row++) {
    const end = at + (lengths[row] as number);
    documentHash(all, at + before, end - after, hashes, 2 * row);
    at = end;
  }
  return hashes;
}

const [C1, C2] = [0xcc9e2d51 | 0, 0x1b873593];
const [D1, D2] = [0x239b961b, 0xab0e9789 | 0];

/** Writes the hash of ids[from, to) to two elements of `hashes`. */
function documentHash(ids: Uint16Array | Uint32Array, from: number, to: number, hashes: Uint32Array, at: number): void {
  let a = 0x9747b28c | 0;
  let b = 0x38b34ae5;
  for (let index = from; index < to; index++) {
    const id = ids[index] as number;
    const x = Math.imul(id, C1);
    a ^= Math.imul((x << 15) | (x >>> 17), C2);
    a = (Math.imul((a << 13) | (a >>> 19), 5) + 0xe6546b64) | 0;
    const y = Math.imul(id, D1);
    b ^= Math.imul((y << 16) | (y >>> 16), D2);
    b = (Math.imul((b << 17) | (b >>> 15), 5) + 0x561ccd1b) | 0;
  }
  a ^= to - from;
  b ^= to - from;
  hashes[at] = mixed((a + b) | 0);
  hashes[at + 1] = mixed(b);
}

function mixed(value: number): number {
  let h = value ^ (value >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

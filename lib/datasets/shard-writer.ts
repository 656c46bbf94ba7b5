// A shard: the ids of its documents back to back, how many each has, and a receipt. Memory does not grow with it.

import { DurableFile, flushPath } from './durable-files.js';
import type { Rows } from './document-queue.js';
import { bytesOf, widthOf } from './formats.js';
import { type Sha256, sha256Here } from './hash-thread.js';
import type { DatasetManifest } from './manifest.js';
import {
  addAmounts,
  NAMED,
  noAmounts,
  type Receipt,
  type ShardContent,
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

export class ShardWriter implements AsyncDisposable {
  readonly #manifest: DatasetManifest;
  readonly #folder: string;
  readonly #receipt: Omit<ShardContent, 'next' | 'files'>;
  readonly #ids: DurableFile;
  readonly #lengths: DurableFile;
  readonly #hashes: DurableFile | undefined;
  #written: Promise<void> = Promise.resolve();
  #isFinishing = false;

  private constructor(
    manifest: DatasetManifest,
    folder: string,
    at: { task: number; shard: number; from: TaskPosition },
    files: { ids: DurableFile; lengths: DurableFile; hashes: DurableFile | undefined },
  ) {
    this.#manifest = manifest;
    this.#folder = folder;
    this.#ids = files.ids;
    this.#lengths = files.lengths;
    this.#hashes = files.hashes;
    const lengths = new Array<number>(LENGTHS).fill(0);
    const counts = { ...noAmounts(), empty: 0, damagedCount: 0, damaged: [], lengths, sources: {} };
    this.#receipt = { plan: manifest.checksum, ...at, ...counts };
  }

  /** `hash`: of its ids. */
  static async create(
    manifest: DatasetManifest,
    folder: string,
    at: { task: number; shard: number; from: TaskPosition },
    hash: Sha256,
  ): Promise<ShardWriter> {
    const create = (part: ShardPart, of = sha256Here()) => DurableFile.create(shardPath(folder, at.task, at.shard, part), of);
    const hashes = manifest.countsDuplicates ? await create('hashes') : undefined;
    return new ShardWriter(manifest, folder, at, { ids: await create('ids', hash), lengths: await create('lengths'), hashes });
  }

  /** Adds the documents of a batch; `sources`: their amounts. The rows are in use until the promise settles; others come then. */
  write(batch: TextBatch, rows: Rows, sources: ReadonlyMap<number, SourceAmounts>): Promise<void> {
    this.#count(batch, rows.lengths, sources);
    const parts = [this.#ids.append(rows.ids), this.#lengths.append(bytesOf(rows.lengths))];
    if (this.#hashes) parts.push(this.#hashes.append(bytesOf(hashesOf(rows, this.#manifest))));
    this.#written = Promise.all(parts).then(() => undefined);
    return this.#written;
  }

  /** Adds what a batch has left out. */
  leaveOut({ empty, damaged, damagedCount }: TextBatch): void {
    this.#receipt.empty += empty;
    this.#receipt.damagedCount += damagedCount;
    this.#receipt.damaged.push(...damaged.slice(0, NAMED - this.#receipt.damaged.length));
  }

  /**
   * Flushes the files, and gives them their names, the receipt last. (If the power fails before the folder is flushed, a name may be
   * missing: a receipt without its files counts for nothing.) `next`: where the next shard begins, or behind the last range.
   */
  async finish(next: TaskPosition): Promise<Receipt> {
    this.#isFinishing = true;
    try {
      return await this.#finish(next);
    } finally {
      await this.#close();
    }
  }

  /** Leaves nothing of a shard that nobody has begun to finish. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isFinishing) await this.#close();
  }

  async #finish(next: TaskPosition): Promise<Receipt> {
    await this.#written;
    const { plan, task, shard, from, ...amounts } = this.#receipt;
    const hashes = await this.#hashes?.content();
    const files = { ids: await this.#ids.content(), lengths: await this.#lengths.content(), ...(hashes && { hashes }) };
    const receipt: Receipt = sealed({ plan, task, shard, from, next, files, ...amounts });
    await using file = await DurableFile.create(shardPath(this.#folder, task, shard, 'json'));
    await file.append(Buffer.from(`${JSON.stringify(receipt)}\n`));
    await Promise.all([this.#ids.flush(), this.#lengths.flush(), this.#hashes?.flush(), file.flush()]);
    await Promise.all([this.#ids.finish(), this.#lengths.finish(), this.#hashes?.finish()]);
    await file.finish();
    await flushPath(shardFolder(this.#folder));
    return receipt;
  }

  async #close(): Promise<void> {
    await this.#written.catch(() => undefined);
    for (const file of [this.#ids, this.#lengths, this.#hashes]) await file?.[Symbol.asyncDispose]();
  }

  #count(batch: TextBatch, lengths: Uint32Array, sources: ReadonlyMap<number, SourceAmounts>): void {
    const receipt = this.#receipt;
    for (const [source, amounts] of sources) {
      addAmounts((receipt.sources[source] ??= noAmounts()), amounts);
      receipt.tokens += amounts.tokens;
    }
    const counts = receipt.lengths as number[];
    for (let row = 0; row < lengths.length; row++) counts[32 - Math.clz32(lengths[row] as number)]!++;
    receipt.documents += lengths.length;
    receipt.bytes += batch.size;
    this.leaveOut(batch);
  }
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
export function documentHash(ids: Uint16Array | Uint32Array, from: number, to: number, hashes: Uint32Array, at: number): void {
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

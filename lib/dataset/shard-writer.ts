// A shard: the ids of its documents back to back, how many each has, and a receipt. Memory does not grow with it.

import { createHash, type Hash } from 'node:crypto';

import type { TokenBatch } from '../tokenizer/token-batch.js';
import { bytesOf } from './words.js';
import { documentHash } from './document-hash.js';
import { DurableFile, flushFolder, writeDurably } from './durable-files.js';
import type { DatasetInput, DatasetManifest } from './manifest.js';
import { NAMED, type TaskPosition } from './readers/task-reader.js';
import { type Receipt, type ShardPart, shardFolder, shardPath, type SourceAmounts } from './receipts.js';
import type { SeparatedIds } from './separated-ids.js';
import type { TextBatch } from './text-batch.js';

/** Powers of two up to the longest document. */
const LENGTHS = 33;

export class ShardWriter implements AsyncDisposable {
  readonly #manifest: DatasetManifest;
  readonly #folder: string;
  readonly #receipt: Omit<Receipt, 'next' | 'files'>;
  readonly #ids: HashedFile;
  readonly #lengths: HashedFile;
  readonly #hashes: HashedFile | undefined;

  private constructor(
    manifest: DatasetManifest,
    folder: string,
    at: { task: number; shard: number; from: TaskPosition },
    files: { ids: HashedFile; lengths: HashedFile; hashes: HashedFile | undefined },
  ) {
    this.#manifest = manifest;
    this.#folder = folder;
    this.#ids = files.ids;
    this.#lengths = files.lengths;
    this.#hashes = files.hashes;
    const lengths = new Array<number>(LENGTHS).fill(0);
    this.#receipt = { ...at, documents: 0, empty: 0, tokens: 0, bytes: 0, damagedCount: 0, damaged: [], lengths, sources: {} };
  }

  static async create(
    manifest: DatasetManifest,
    folder: string,
    at: { task: number; shard: number; from: TaskPosition },
  ): Promise<ShardWriter> {
    const create = (part: ShardPart) => HashedFile.create(shardPath(folder, at.task, at.shard, part));
    const hashes = manifest.countsDuplicates ? await create('hashes') : undefined;
    return new ShardWriter(manifest, folder, at, { ids: await create('ids'), lengths: await create('lengths'), hashes });
  }

  /** Adds the documents of a batch, of which row i has the tokens of row i. */
  async write(batch: TextBatch, tokens: TokenBatch, separated: SeparatedIds): Promise<void> {
    const { ids, lengths } = separated.of(tokens);
    this.#count(batch, lengths);
    await this.#ids.append(ids);
    await this.#lengths.append(bytesOf(lengths));
    await this.#hashes?.append(bytesOf(hashesOf(tokens)));
  }

  /** Adds what a batch has left out. */
  leaveOut({ empty, damaged, damagedCount }: TextBatch): void {
    this.#receipt.empty += empty;
    this.#receipt.damagedCount += damagedCount;
    this.#receipt.damaged.push(...damaged.slice(0, NAMED - this.#receipt.damaged.length));
  }

  /** Gives the files their names, and writes the receipt. `next`: where the next shard begins. */
  async finish(next: TaskPosition | null): Promise<Receipt> {
    const { task, shard, from, ...amounts } = this.#receipt;
    const [ids, lengths, hashes] = await Promise.all([this.#ids.finish(), this.#lengths.finish(), this.#hashes?.finish()]);
    await flushFolder(shardFolder(this.#folder));
    const files = { ids, lengths, ...(hashes && { hashes }) };
    const receipt: Receipt = { task, shard, from, next, files, ...amounts };
    await writeDurably(shardPath(this.#folder, task, shard, 'json'), `${JSON.stringify(receipt)}\n`);
    return receipt;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of [this.#ids, this.#lengths, this.#hashes]) await file?.[Symbol.asyncDispose]();
  }

  #count(batch: TextBatch, lengths: Uint32Array): void {
    const { inputs } = this.#manifest;
    const { offsets } = batch.rows;
    const receipt = this.#receipt;
    let amounts: SourceAmounts = { documents: 0, bytes: 0, tokens: 0 };
    let input = -1;
    for (let row = 0; row < lengths.length; row++) {
      if (batch.inputOf(row) !== input) {
        input = batch.inputOf(row);
        const { source } = inputs[input] as DatasetInput;
        amounts = receipt.sources[source] ??= { documents: 0, bytes: 0, tokens: 0 };
      }
      const tokens = lengths[row] as number;
      const bytes = (offsets[row + 1] as number) - (offsets[row] as number);
      amounts.documents++;
      amounts.bytes += bytes;
      amounts.tokens += tokens;
      receipt.tokens += tokens;
      (receipt.lengths as number[])[32 - Math.clz32(tokens)]!++;
    }
    receipt.documents += lengths.length;
    receipt.bytes += batch.size;
    this.leaveOut(batch);
  }
}

function hashesOf({ ids, offsets }: TokenBatch): Uint32Array {
  const hashes = new Uint32Array(2 * (offsets.length - 1));
  for (let row = 0; row < offsets.length - 1; row++) {
    documentHash(ids, offsets[row] as number, offsets[row + 1] as number, hashes, 2 * row);
  }
  return hashes;
}

/** A file and the hash of its bytes. */
class HashedFile implements AsyncDisposable {
  readonly #file: DurableFile;
  readonly #hash: Hash = createHash('sha256');

  private constructor(file: DurableFile) {
    this.#file = file;
  }

  static async create(path: string): Promise<HashedFile> {
    return new HashedFile(await DurableFile.create(path));
  }

  async append(bytes: Uint8Array): Promise<void> {
    const written = this.#file.append(bytes); // which Node's threads do meanwhile
    this.#hash.update(bytes);
    await written;
  }

  async finish(): Promise<{ bytes: number; sha256: string }> {
    const bytes = this.#file.length;
    await this.#file.finish();
    return { bytes, sha256: this.#hash.digest('hex') };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#file[Symbol.asyncDispose]() as Promise<void>;
  }
}

// Shards to the files of a format: read from beginning to end, once, and checked on the way.

import { join, relative } from 'node:path';

import { concatenated } from '../base/concatenated.js';
import { checkedBytes, ReadMemory } from './checked-bytes.js';
import { DatasetError } from './dataset-error.js';
import { DurableFile, flushFolder, removeAbandoned, writeDurably } from './durable-files.js';
import { hashOf } from './inputs.js';
import { LAYOUTS } from './layouts/layouts.js';
import type { Layout, MergedFile, Output, OutputFile } from './layouts/layout.js';
import { type DatasetManifest, readManifest } from './manifest.js';
import { wordsOf } from './words.js';
import { isDone, type Receipt, receiptsOf, shardFolder, shardPath, sumOf } from './receipts.js';
import { newHashThread, type Sha256, sha256Here } from './threads/hash-thread.js';

/** Bytes of ids that are worth a thread to hash the files of the format. */
const WORTH_A_THREAD = 128 * 1024 * 1024;

/**
 * What `mergeDataset` has written.
 *
 * @example
 * ```ts
 * import { type MergedDataset, mergeDataset, planDataset, runDataset } from 'crayon-tokenizer/dataset';
 *
 * await planDataset(['hello.txt'], { output: 'planned', format: 'npy' });
 * await runDataset('planned');
 * const { files }: MergedDataset = await mergeDataset('planned');
 * files.map(({ name }) => name); // ['data.npy', 'data_ends.npy']
 * ```
 */
export interface MergedDataset {
  /** In the folder of the dataset. */
  files: MergedFile[];
  documents: number;
  tokens: number;
}

/** Writes the files of the format. `onBytes` gets how many bytes of shards have been read. */
export async function merge(folder: string, signal: AbortSignal | undefined, onBytes: (bytes: number) => void): Promise<MergedDataset> {
  const manifest = await readManifest(folder);
  const receipts = await allReceipts(folder, manifest);
  const bytes = receipts.reduce((sum, { files }) => sum + files.ids.bytes, 0);
  await using thread = bytes < WORTH_A_THREAD ? undefined : newHashThread();
  await using output = new MergedOutput(folder, () => thread?.begin() ?? sha256Here());
  const layout = await LAYOUTS[manifest.format](manifest, output, receipts);
  const memory = new ReadMemory();
  for (const receipt of receipts) {
    signal?.throwIfAborted();
    await mergeShard(folder, receipt, { layout, memory }, (bytes) => {
      signal?.throwIfAborted();
      onBytes(bytes);
    });
  }
  await layout.finish();
  const files = await output.finish();
  const merged: MergedDataset = { files, documents: sumOf(receipts, 'documents'), tokens: sumOf(receipts, 'tokens') };
  await writeDurably(mergedPath(folder), `${JSON.stringify(merged, null, 1)}\n`);
  for (const each of [folder, shardFolder(folder)]) await removeAbandoned(each);
  return merged;
}

/** The file that says what has been merged. */
export function mergedPath(folder: string): string {
  return join(folder, 'merged.json');
}

/** The receipts of all tasks, in order; throws if a task is not done. */
export async function allReceipts(folder: string, { tasks }: DatasetManifest): Promise<Receipt[]> {
  const all: Receipt[] = [];
  const missing: number[] = [];
  for (let task = 0; task < tasks.length; task++) {
    const receipts = await receiptsOf(folder, task);
    if (!isDone(receipts)) missing.push(task);
    for (const receipt of receipts) all.push(receipt);
  }
  if (missing.length === 0) return all;
  const named = missing.length > 5 ? `${missing.slice(0, 5).join(', ')} …` : missing.join(', ');
  const message = `${missing.length} of ${tasks.length} tasks ${missing.length === 1 ? 'is' : 'are'} not done: ${named}; run them first (crayon dataset run)`;
  throw new DatasetError(message, { code: 'INCOMPLETE', file: folder });
}

/** Passes the documents of a shard to a layout: their lengths, then their ids. */
async function mergeShard(
  folder: string,
  { task, shard, files }: Receipt,
  { layout, memory }: { layout: Layout; memory: ReadMemory },
  onBytes: (bytes: number) => void,
): Promise<void> {
  const lengths: Uint32Array[] = [];
  for await (const bytes of checkedBytes(shardPath(folder, task, shard, 'lengths'), files.lengths, memory)) {
    lengths.push(wordsOf(bytes).slice());
  }
  await layout.documents(concatenated(Uint32Array, lengths));
  let taken: Promise<void> = Promise.resolve();
  for await (const bytes of checkedBytes(shardPath(folder, task, shard, 'ids'), files.ids, memory)) {
    await taken;
    taken = layout.ids(bytes);
    taken.catch(() => undefined); // somebody waits for it, unless something else fails first
    onBytes(bytes.length);
  }
  await taken;
}

/** The files of a merge: they get their names together, at its end. */
class MergedOutput implements Output, AsyncDisposable {
  readonly #folder: string;
  readonly #newHash: () => Sha256;
  readonly #files: { file: DurableFile; hash: Sha256; isInOrder: boolean }[] = [];

  constructor(folder: string, newHash: () => Sha256) {
    this.#folder = folder;
    this.#newHash = newHash;
  }

  async create(name: string): Promise<OutputFile> {
    const file = await DurableFile.create(join(this.#folder, name));
    const entry = { file, hash: this.#newHash(), isInOrder: true };
    this.#files.push(entry);
    return {
      append: async (bytes) => {
        await Promise.all([file.append(bytes), entry.isInOrder && entry.hash.update(bytes)]);
      },
      writeAt: (bytes, position) => {
        entry.isInOrder = false;
        return file.writeAt(bytes, position);
      },
    };
  }

  async finish(): Promise<MergedFile[]> {
    const files: MergedFile[] = [];
    for (const { file, hash, isInOrder } of this.#files) {
      await file.finish();
      const sha256 = isInOrder ? await hash.digest() : await hashOf(file.path);
      files.push({ name: relative(this.#folder, file.path), bytes: file.length, sha256 });
    }
    await flushFolder(this.#folder);
    return files;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { file } of this.#files) await file[Symbol.asyncDispose]();
  }
}

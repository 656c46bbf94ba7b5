// Shards to the files of a format: read from beginning to end, once, and checked on the way.

import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';

import { concatenated } from '../base/typed-arrays.js';
import { atCaller, unexpected } from '../base/errors.js';
import { checkOptionNames, optionNames } from '../base/option-objects.js';
import { checkedBytes, type ReadMemory, readMemory } from './checked-bytes.js';
import { DatasetError, namesOf } from './dataset-error.js';
import { DurableFile, flushPath, removeAbandoned, unlessMissing, writeDurably } from './durable-files.js';
import { type DatasetFormat, FORMATS, wordsOf } from './formats.js';
import { arrow, parquet } from './layouts/columnar.js';
import { type Layout, type MergedFile, type NewLayout, type Output, totalOf } from './layouts/layout.js';
import { mds } from './layouts/mds.js';
import { megatron } from './layouts/megatron.js';
import { datatrove, llmc, nanogpt, npy } from './layouts/raw.js';
import { type DatasetManifest, FILE_NAME, readManifest } from './manifest.js';
import { damagedShard, type Receipt, receiptsOf, shardFolder, shardPath, sumOf } from './receipts.js';
import { damagedFile, type FileKind, integer, list, object, readSealed, sealed, sha256, textLike } from './sealed-files.js';
import { newHashThread, type Sha256, sha256Here } from './hash-thread.js';

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

type Merged = MergedDataset & { plan: string };

const MERGED: FileKind<Merged> = {
  code: 'DAMAGED_SHARD',
  advice: 'merge again (crayon dataset merge)',
  members: {
    plan: sha256,
    files: list(object<MergedFile>({ name: textLike(FILE_NAME, 'the name of a file of this folder'), bytes: integer(), sha256 }), 1),
    documents: integer(),
    tokens: integer(),
  },
};

/** Writes the files of the format. `onBytes` gets how many bytes of ids have been read, and how many there are. */
export async function merge(
  folder: string,
  signal: AbortSignal | undefined,
  onBytes: (bytes: number, total: number) => void,
): Promise<MergedDataset> {
  const manifest = await readManifest(folder);
  const receipts = await allReceipts(folder, manifest);
  const total = receipts.reduce((sum, { files }) => sum + files.ids.bytes, 0);
  await using thread = total < WORTH_A_THREAD ? undefined : newHashThread();
  await using output = mergedOutput(folder, () => thread?.begin() ?? sha256Here());
  const layout = await LAYOUTS[manifest.format](manifest, output, receipts);
  const memory = readMemory();
  let done = 0;
  for (const receipt of receipts) {
    signal?.throwIfAborted();
    await mergeShard(folder, receipt, { layout, memory }, (bytes) => {
      signal?.throwIfAborted();
      done += bytes;
      onBytes(done, total);
    });
  }
  await layout.finish();
  const merged: MergedDataset = {
    files: await output.finish(),
    documents: sumOf(receipts, 'documents'),
    tokens: sumOf(receipts, 'tokens'),
  };
  await writeDurably(mergedPath(folder), `${JSON.stringify(sealed({ plan: manifest.checksum, ...merged }), null, 1)}\n`);
  for (const each of [folder, shardFolder(folder)]) await removeAbandoned(each);
  return merged;
}

/** What has been merged, from these receipts; none before a merge. */
export async function mergedFiles(folder: string, manifest: DatasetManifest, receipts: readonly Receipt[]): Promise<readonly MergedFile[]> {
  const path = mergedPath(folder);
  const merged = await readSealed(path, MERGED).catch(unlessMissing);
  if (!merged) {
    const found = FORMATS[manifest.format].files(manifest.name).find((name) => existsSync(join(folder, name)));
    if (found === undefined) return [];
    const message = `${path} is missing, and ${found} is there: ${MERGED.advice}`;
    throw new DatasetError(message, { code: MERGED.code, file: path });
  }
  const { plan, documents, tokens, files } = merged;
  const isOfThese = plan === manifest.checksum && documents === sumOf(receipts, 'documents') && tokens === sumOf(receipts, 'tokens');
  if (!isOfThese) throw damagedFile(path, MERGED, 'it is not of these shards');
  return files;
}

/** The error for a merged file that is not what was written. */
export function damagedMerged(path: string, why: string): DatasetError {
  return damagedFile(path, MERGED, why);
}

/** The file that says what has been merged. */
function mergedPath(folder: string): string {
  return join(folder, 'merged.json');
}

/** The receipts of all tasks, in order; throws if a task is not done. */
export async function allReceipts(folder: string, manifest: DatasetManifest): Promise<Receipt[]> {
  const all: Receipt[] = [];
  const left: { task: number; missing: string }[] = [];
  const count = manifest.tasks.length;
  for (let task = 0; task < count; task++) {
    const { receipts, missing } = await receiptsOf(manifest, folder, task);
    if (missing !== undefined) left.push({ task, missing });
    for (const receipt of receipts) all.push(receipt);
  }
  const [first] = left;
  if (!first) return all;
  const message = `${left.length} of ${count} tasks ${left.length === 1 ? 'is' : 'are'} not done: ${namesOf(left)} (${first.missing} is missing); run them first (crayon dataset run)`;
  throw new DatasetError(message, { code: 'INCOMPLETE', file: first.missing });
}

/** Passes the documents of a shard to a layout: their lengths, then their ids. */
async function mergeShard(
  folder: string,
  { task, shard, files, tokens }: Receipt,
  { layout, memory }: { layout: Layout; memory: ReadMemory },
  onBytes: (bytes: number) => void,
): Promise<void> {
  const parts: Uint32Array[] = [];
  const path = shardPath(folder, task, shard, 'lengths');
  for await (const bytes of checkedBytes(path, files.lengths, memory)) parts.push(wordsOf(bytes).slice());
  const lengths = concatenated(Uint32Array, parts);
  if (totalOf(lengths) !== tokens) throw damagedShard(path, `its lengths are not those of ${tokens} tokens`);
  await layout.documents(lengths);
  let taken: Promise<void> = Promise.resolve();
  try {
    for await (const bytes of checkedBytes(shardPath(folder, task, shard, 'ids'), files.ids, memory)) {
      await taken;
      taken = layout.ids(bytes);
      taken.catch(() => undefined); // waited for below, unless something else fails first
      onBytes(bytes.length);
    }
  } catch (error) {
    await taken.catch(() => undefined); // no file is created once those that are unfinished are removed
    throw error;
  }
  await taken;
}

/** The files of a merge: they get their names together, at its end. */
function mergedOutput(folder: string, newHash: () => Sha256): Output & AsyncDisposable & { finish(): Promise<MergedFile[]> } {
  const files: DurableFile[] = [];
  return {
    async create(name) {
      const file = await DurableFile.create(join(folder, name), newHash());
      files.push(file);
      return file;
    },
    async finish() {
      const merged: MergedFile[] = [];
      for (const file of files) {
        await file.finish();
        merged.push({ name: relative(folder, file.path), ...(await file.content()) });
      }
      await flushPath(folder);
      return merged;
    },
    async [Symbol.asyncDispose]() {
      for (const file of files) await file[Symbol.asyncDispose]();
    },
  };
}

/**
 * Options of `mergeDataset`.
 *
 * @example
 * ```ts
 * import { mergeDataset, type MergeOptions, planDataset, runDataset } from 'crayon-tokenizer/dataset';
 *
 * await planDataset(['hello.txt'], { output: 'planned', format: 'npy' });
 * await runDataset('planned');
 * const options: MergeOptions = { signal: AbortSignal.timeout(60_000) };
 * (await mergeDataset('planned', options)).tokens; // 3
 * ```
 */
export interface MergeOptions {
  signal?: AbortSignal | undefined;
  /** Gets the bytes of ids that have been copied so far, and how many there are. */
  onProgress?: ((bytes: number, total: number) => void) | undefined;
}

const NAMES = optionNames<MergeOptions>({ signal: true, onProgress: true });

/**
 * Writes the files of the format, in the order of the inputs, from the shards of all tasks, which it checks on the way. Files have
 * their names when all of them are whole. Throws a `DatasetError` if a task is not done (`INCOMPLETE`) or a shard is not what was
 * written (`DAMAGED_SHARD`). Memory does not grow with the dataset.
 *
 * @example
 * ```ts
 * import { mergeDataset, planDataset, runDataset } from 'crayon-tokenizer/dataset';
 *
 * await planDataset(['hello.txt'], { output: 'for-megatron', format: 'megatron' });
 * await runDataset('for-megatron');
 * const { files } = await mergeDataset('for-megatron');
 * files.map(({ name, bytes }) => [name, bytes]); // [['data.bin', 12], ['data.idx', 62]]
 * ```
 */
export async function mergeDataset(folder: string, options: MergeOptions = {}): Promise<MergedDataset> {
  atCaller(mergeDataset, () => {
    if (typeof folder !== 'string' || folder === '') throw unexpected('a path', 'folder', folder);
    checkOptionNames(options, NAMES);
  });
  const { signal, onProgress } = options;
  signal?.throwIfAborted();
  return merge(folder, signal, (bytes, total) => onProgress?.(bytes, total));
}

const LAYOUTS: Readonly<Record<DatasetFormat, NewLayout>> = { megatron, nanogpt, llmc, datatrove, mds, npy, arrow, parquet };

// `runDataset`: what is left of tasks, in one process.

import { checkedByteCount, checkOptionNames, optionNames } from '../base/option-objects.js';
import { atCaller, outOfRange, unexpected } from '../base/errors.js';
import { makeFolder, removeAbandoned } from './durable-files.js';
import { FailedTasks } from './dataset-error.js';
import { type DatasetManifest, type DatasetTask, readManifest } from './manifest.js';
import { addAmounts, noAmounts, receiptsOf, shardFolder, type SourceAmounts, sumsOf, type TaskSums } from './receipts.js';
import { type BatchAmounts, runTask } from './run-task.js';
import { runInThreads, type TasksOptions, threadsFor } from './task-threads.js';
import { plannedTokenizer } from './planned-tokenizer.js';

/**
 * Progress of `runDataset`.
 *
 * @example
 * ```ts
 * import { planDataset, runDataset, type RunProgress } from 'crayon-tokenizer/dataset';
 *
 * await planDataset(['hello.txt'], { output: 'watched', format: 'npy' });
 * const seen: RunProgress[] = [];
 * await runDataset('watched', { onProgress: (progress) => void seen.push({ ...progress }) });
 * seen.at(-1)?.tokens; // 3
 * ```
 */
export interface RunProgress {
  /** The task, and how many of the tasks asked for are done. */
  task: number;
  done: number;
  of: number;
  /** Text of this run so far, in bytes, its documents and tokens. */
  bytes: number;
  documents: number;
  tokens: number;
  /** Text, documents and tokens of each argument of the plan that named inputs. */
  sources: (SourceAmounts & { name: string })[];
  /** Bytes of input files that are done, compressed as they are, about; of all tasks asked for, as many as `inputTotal`. */
  inputBytes: number;
  inputTotal: number;
}

/**
 * Options of `runDataset`.
 *
 * @example
 * ```ts
 * import { planDataset, runDataset, type RunDatasetOptions } from 'crayon-tokenizer/dataset';
 *
 * await planDataset(['hello.txt'], { output: 'planned', format: 'npy' });
 * const options: RunDatasetOptions = { task: 0, of: 1, threads: 2 };
 * (await runDataset('planned', options)).tasks; // [0]
 * ```
 */
export interface RunDatasetOptions {
  /** With `of`: only the tasks of the plan whose number leaves this rest when divided by `of`. Default: all tasks. */
  task?: number | undefined;
  of?: number | undefined;
  /**
   * 1 works on the calling thread alone. More run large tasks at once, each on a thread of its own; one task is encoded by all of them, while
   * the calling thread reads and writes. Default: as many as the process may use.
   */
  threads?: number | undefined;
  /** Bytes of cache of each thread. */
  cacheBytes?: number | undefined;
  /** Leaves out records without a text, and lists them, instead of failing. Default: false. */
  skipDamaged?: boolean | undefined;
  /** Ends the run; what is finished stays. */
  signal?: AbortSignal | undefined;
  /** Gets the progress after each few megabytes. */
  onProgress?: ((progress: RunProgress) => void) | undefined;
}

/**
 * What `runDataset` has done.
 *
 * @example
 * ```ts
 * import { type DatasetRun, planDataset, runDataset } from 'crayon-tokenizer/dataset';
 *
 * await planDataset(['hello.txt'], { output: 'planned', format: 'npy' });
 * const ran: DatasetRun = await runDataset('planned');
 * ran.documents; // 1
 * ```
 */
export interface DatasetRun {
  /** The tasks asked for: all are done. */
  tasks: number[];
  /** The documents of all these tasks, even of tasks that were done before. */
  documents: number;
  tokens: number;
  /** Of text. */
  bytes: number;
  /** Records that were left out. */
  damaged: number;
  /** Documents, bytes and tokens of each argument of the plan that named inputs. */
  sources: (SourceAmounts & { name: string })[];
}

const NAMES = optionNames<RunDatasetOptions>({
  task: true,
  of: true,
  threads: true,
  cacheBytes: true,
  skipDamaged: true,
  signal: true,
  onProgress: true,
});

/**
 * Runs tasks of a planned dataset, each as far as it is not done. The bytes of its shards do not depend on machine, threads, or how
 * often it was ended and started; a process that is killed loses at most the shard it was writing. Several processes may run
 * different tasks, or the same, which then both do. Throws a `DatasetError`: for a record without a text, with its file, line and
 * byte; for an input or vocabulary that is not the planned one; for a disk that is full (`worthAnotherTry`). If only the input of a task is at
 * fault, the other tasks are done first.
 *
 * Memory: about 100 MB, 80 MB for each task that runs at the same time, the caches of threads, and the longest document or row group
 * several times.
 *
 * @example
 * ```ts
 * import { planDataset, runDataset } from 'crayon-tokenizer/dataset';
 *
 * await planDataset(['hello.txt'], { output: 'planned', format: 'npy' });
 * const { tasks, documents, tokens } = await runDataset('planned');
 * [tasks, documents, tokens]; // [[0], 1, 3]
 * ```
 */
export async function runDataset(folder: string, options: RunDatasetOptions = {}): Promise<DatasetRun> {
  const checked = atCaller(runDataset, () => checkedOptions(folder, options));
  const { task, of, threads, cacheBytes, skipDamaged, signal, onProgress } = checked;
  signal?.throwIfAborted();
  const manifest = await readManifest(folder);
  const tasks = tasksOf(manifest, task, of);
  await makeFolder(shardFolder(folder));
  for (const each of [folder, shardFolder(folder)]) await removeAbandoned(each);
  const newSums = () => manifest.sources.map((name) => ({ name, ...noAmounts() }));
  const sums = newSums();
  const progress: RunProgress = {
    task: tasks[0] ?? 0,
    done: 0,
    of: tasks.length,
    bytes: 0,
    documents: 0,
    tokens: 0,
    sources: sums,
    inputBytes: 0,
    inputTotal: 0,
  };
  for (const each of tasks) progress.inputTotal += (manifest.tasks[each] as DatasetTask).bytes;
  const run: DatasetRun = { tasks, documents: 0, tokens: 0, bytes: 0, damaged: 0, sources: newSums() };
  const tell = () => onProgress?.({ ...progress, sources: sums.map((each) => ({ ...each })) }); // whoever keeps one compares it later
  /** Of the tasks asked for, how much of each has been read. */
  const read = new Map<number, number>();
  const readOf = (task: number, bytes: number) => {
    const size = Math.min(bytes, (manifest.tasks[task] as DatasetTask).bytes);
    progress.inputBytes += size - (read.get(task) ?? 0);
    read.set(task, size);
  };
  const onBatch = (task: number, batch: BatchAmounts) => {
    progress.task = task;
    readOf(task, batch.fileBytes);
    progress.bytes += batch.bytes;
    progress.documents += batch.documents;
    for (const [source, amounts] of batch.sources) {
      progress.tokens += amounts.tokens;
      addAmounts(sums[source] as SourceAmounts, amounts);
    }
    tell();
  };
  const onDone = (task: number, { documents, tokens, bytes, damaged, sources }: TaskSums) => {
    run.documents += documents;
    run.tokens += tokens;
    run.bytes += bytes;
    run.damaged += damaged;
    for (const [source, amounts] of Object.entries(sources)) addAmounts(run.sources[Number(source)] as SourceAmounts, amounts);
    readOf(task, Number.POSITIVE_INFINITY);
    progress.done++;
  };
  const failed = new FailedTasks();
  const onFailure = (task: number, error: unknown) => failed.add(task, error);
  const left: number[] = [];
  for (const each of tasks) {
    try {
      const { receipts, missing } = await receiptsOf(manifest, folder, each);
      if (missing === undefined) onDone(each, sumsOf(receipts));
      else left.push(each);
    } catch (error) {
      onFailure(each, error);
    }
  }
  const shared = { manifest, folder, threads, cacheBytes, skipDamaged, signal, onBatch, onDone, onFailure };
  const count = threadsFor(
    left.map((each) => manifest.tasks[each] as DatasetTask),
    threads,
  );
  if (count > 1) await runInThreads(left, count, shared);
  else if (left.length > 0) await runHere(left, shared);
  failed.throwFirst();
  tell();
  return run;
}

/** Runs what is left of tasks, one after the other. */
async function runHere(
  tasks: readonly number[],
  { manifest, folder, cacheBytes, onBatch, onDone, onFailure, ...options }: TasksOptions,
): Promise<void> {
  using tokenizer = await plannedTokenizer(manifest, cacheBytes);
  for (const task of tasks) {
    try {
      onDone(task, sumsOf(await runTask(manifest, folder, task, tokenizer, { ...options, onBatch: (batch) => onBatch(task, batch) })));
    } catch (error) {
      onFailure(task, error);
    }
  }
}

function tasksOf({ tasks }: DatasetManifest, task: number, of: number): number[] {
  return tasks.map((_, index) => index).filter((index) => index % of === task);
}

function checkedOptions(folder: unknown, options: RunDatasetOptions) {
  if (typeof folder !== 'string' || folder === '') throw unexpected('a path', 'folder', folder);
  checkOptionNames(options, NAMES);
  const { task = 0, of = 1, threads, skipDamaged = false, signal, onProgress } = options;
  if ((options.task === undefined) !== (options.of === undefined))
    throw new TypeError('`task` and `of` must be set together: of 4 parts, the first has `task: 0` and `of: 4`');
  if (!Number.isSafeInteger(of) || of < 1) throw outOfRange('an integer of 1 or more', 'of', of);
  if (!Number.isSafeInteger(task) || task < 0 || task >= of) throw outOfRange(`an integer from 0 to ${of - 1}`, 'task', task);
  if (threads !== undefined && (!Number.isSafeInteger(threads) || threads < 1))
    throw outOfRange('an integer of 1 or more', 'threads', threads);
  if (typeof skipDamaged !== 'boolean') throw unexpected('a boolean', 'skipDamaged', skipDamaged);
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function') throw unexpected('an AbortSignal', 'signal', signal);
  if (onProgress !== undefined && typeof onProgress !== 'function') throw unexpected('a function', 'onProgress', onProgress);
  return { task, of, threads, cacheBytes: checkedByteCount(options.cacheBytes, 'cacheBytes'), skipDamaged, signal, onProgress };
}

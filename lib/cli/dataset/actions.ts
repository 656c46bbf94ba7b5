// What the commands `crayon dataset …` do. Schedulers decide by their exit codes whether to try again.

import {
  DatasetError,
  datasetStatus,
  type DatasetStatus,
  mergeDataset,
  planDataset,
  type PlanOptions,
  runDataset,
  type RunProgress,
  verifyDataset,
} from '../../datasets/index.js';
import { EXIT_FAILED, EXIT_USAGE, OutputError, UsageError, untilInterrupted } from '../command-errors.js';
import { Progress, tell, tellFailure, write } from '../output/terminal.js';
import { counted, inBytes, inThousands } from '../output/fields.js';
import { Tokenizer } from '../../index.js';
import { TokenizerError } from '../../base/errors.js';
import { writeWhole } from '../output/output-file.js';
import { reportOf } from './report.js';

/** Failed, and worth another try. */
const EXIT_RETRY = 3;

/** Runs a command; reports its failure, and returns the exit code. */
async function exitCodeOf(work: () => Promise<void>): Promise<number> {
  try {
    await work();
    return 0;
  } catch (error) {
    const isUsage = error instanceof UsageError || error instanceof TypeError || error instanceof RangeError;
    const isFull = error instanceof OutputError && error.code !== 'EPIPE';
    if (!(isUsage || isFull || error instanceof DatasetError || error instanceof TokenizerError)) throw error;
    tellFailure(error.message);
    if (isUsage) return EXIT_USAGE;
    return isFull || (error instanceof DatasetError && error.worthAnotherTry) ? EXIT_RETRY : EXIT_FAILED;
  }
}

export function plan(inputs: readonly string[], options: PlanOptions, json: boolean): Promise<number> {
  return exitCodeOf(async () => {
    const manifest = await planDataset(inputs, options);
    const { output } = options;
    const { tasks, format, dtype, tokenizer, endOfDocument } = manifest;
    const bytes = manifest.inputs.reduce((sum, { size }) => sum + size, 0);
    const { id } = endOfDocument;
    using planned = await Tokenizer.load(tokenizer.source);
    const end = id === null ? null : { id, token: planned.decode([id]) };
    if (json) {
      const files = manifest.inputs.length;
      const about = { output, files, bytes, tasks: tasks.length, format, dtype, tokenizer: tokenizer.name, endOfDocument: end };
      await write(`${JSON.stringify(about)}\n`);
      return;
    }
    const separator = end ? `${JSON.stringify(end.token)} (id ${id})` : 'nothing';
    await write(
      `${counted(manifest.inputs.length, 'file')}, ${inBytes(bytes)}, ${counted(tasks.length, 'task')}: ${format}, ${dtype} of ` +
        `${tokenizer.name}, ${separator} between documents\nnow run it: crayon dataset run ${output} --all\n`,
    );
  });
}

/** Seconds between events. */
const EVENTS = 1;
/** The most sources in the progress bar. */
const NOTED = 4;

export interface RunFlags {
  task?: { task: number; of: number | undefined };
  of?: number;
  all?: boolean;
  threads?: number;
  cacheBytes?: number;
  skipDamaged?: boolean;
  json?: boolean;
  progress: boolean;
}

export function run(folder: string, flags: RunFlags): Promise<number> {
  return exitCodeOf(() => untilInterrupted((signal) => runTasks(folder, flags, signal)));
}

async function runTasks(folder: string, flags: RunFlags, signal: AbortSignal): Promise<void> {
  const part = partOf(flags, process.env);
  const { threads, cacheBytes, skipDamaged, json = false } = flags;
  const began = process.uptime(); // `performance` takes a millisecond to load
  let bar: Progress | undefined;
  let shown = 0;
  /** Bytes of input that are done: before, and by now. */
  let before: number | undefined;
  let done = 0;
  let lastEvent = began;
  let unwritten: Error | undefined;
  const onProgress = (progress: RunProgress) => {
    if (unwritten) throw unwritten; // nobody reads the events: the run ends
    if (before === undefined) [before, done] = [progress.inputBytes, progress.inputBytes];
    bar ??= new Progress(progress.inputTotal - before, flags.progress && !json, { log: true });
    void bar.add(progress.inputBytes - done, noteOf(progress, process.uptime() - began));
    done = progress.inputBytes;
    shown = progress.bytes;
    if (!json || process.uptime() - lastEvent < EVENTS) return;
    lastEvent = process.uptime();
    write(`${JSON.stringify(eventOf(progress, before, lastEvent - began))}\n`).catch((error) => (unwritten = error));
  };
  try {
    const ran = await runDataset(folder, { ...part, threads, cacheBytes, skipDamaged, signal, onProgress });
    bar?.end();
    const seconds = process.uptime() - began;
    if (json) {
      await write(`${JSON.stringify({ event: 'done', ...ran, tasks: ran.tasks.length, seconds: rounded(seconds) })}\n`);
      return;
    }
    const rate = shown > 0 ? `, ${inBytes(shown / seconds)}/s` : ', which was done before';
    const names = ran.tasks.length === 1 ? `task ${ran.tasks[0]}` : counted(ran.tasks.length, 'task');
    await write(`${names}: ${inThousands(ran.documents)} documents, ${inThousands(ran.tokens)} tokens${rate}\n`);
    const damaged = counted(ran.damaged, 'damaged record was', 'damaged records were');
    if (ran.damaged > 0) tell(`crayon: ${damaged} left out: crayon dataset status ${folder} --json lists them`);
  } catch (error) {
    bar?.end();
    // If nobody reads standard output any more, the failure is told on standard error alone.
    if (json && error instanceof DatasetError) await write(`${JSON.stringify(failureOf(error))}\n`).catch(() => undefined);
    if (signal.aborted) tell('crayon: interrupted; what is written stays: run it again to go on');
    throw error;
  } finally {
    bar?.end();
  }
}

function failureOf({ message, code, file, line, byte, worthAnotherTry }: DatasetError) {
  return { event: 'failed', code, message, file, line, byte, worthAnotherTry };
}

/** What has been encoded, how fast, and tokens of each source, if there are a few. */
function noteOf({ documents, tokens, bytes, sources }: RunProgress, seconds: number): string {
  const amounts = `; ${inThousands(documents)} documents, ${inThousands(tokens)} tokens, ${inBytes(bytes / seconds)}/s`;
  if (sources.length < 2 || sources.length > NOTED) return amounts;
  return `${amounts}; tokens: ${sources.map(({ name, tokens: count }) => `${name} ${inThousands(count)}`).join(', ')}`;
}

function eventOf(progress: RunProgress, before: number, seconds: number) {
  const { bytes, inputBytes, inputTotal } = progress;
  const secondsLeft = inputBytes > before ? rounded(((inputTotal - inputBytes) * seconds) / (inputBytes - before)) : null;
  return { event: 'progress', ...progress, seconds: rounded(seconds), bytesPerSecond: Math.round(bytes / seconds), secondsLeft };
}

function rounded(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}

/** Which part of the tasks: from the command line, else from Slurm or an indexed Job of Kubernetes. Undefined for all. */
function partOf({ task, of, all }: RunFlags, environment: NodeJS.ProcessEnv): { task: number; of: number } | undefined {
  if (all) {
    if (task !== undefined || of !== undefined) throw new UsageError('--all does not go with --task and --of');
    return undefined;
  }
  const slurm = environment.SLURM_ARRAY_TASK_ID;
  const index = task?.task ?? numberIn(slurm === undefined ? 'JOB_COMPLETION_INDEX' : 'SLURM_ARRAY_TASK_ID', environment);
  if (index === undefined) throw new UsageError('say which tasks: --task i/n, or --all for all of them');
  const count = task?.of ?? of ?? (task === undefined ? numberIn('SLURM_ARRAY_TASK_COUNT', environment) : undefined);
  if (count === undefined) throw new UsageError(`task ${index} of how many? say --task ${index}/n or --of n`);
  const first = task === undefined && slurm !== undefined ? (numberIn('SLURM_ARRAY_TASK_MIN', environment) ?? 0) : 0;
  if (index - first >= count || index < first) {
    throw new UsageError(`there is no task ${index} of ${count}: they count from 0; number the array 0-${count - 1}`);
  }
  return { task: index - first, of: count };
}

function numberIn(name: string, environment: NodeJS.ProcessEnv): number | undefined {
  const text = environment[name];
  if (text === undefined || text === '') return undefined;
  if (!/^\d+$/.test(text)) throw new UsageError(`${name} must be a number; received ${JSON.stringify(text)}`);
  return Number(text);
}

/** Numbers of tasks to write out. */
const NAMED = 20;

export function status(folder: string, { report, json }: { report: string | undefined; json: boolean }): Promise<number> {
  return exitCodeOf(async () => {
    const about = await datasetStatus(folder);
    if (report !== undefined) await writeWhole(report, reportOf(folder, about));
    await write(json ? `${JSON.stringify(about)}\n` : inWords(about));
  });
}

function inWords(about: DatasetStatus): string {
  const { tasks, done, begun, waiting, documents, tokens, bytes, empty, damagedCount, duplicates } = about;
  const lines = [
    `tasks      ${done.length} of ${tasks} done`,
    begun.length > 0 && `begun      ${namesOf(begun)}`,
    waiting.length > 0 && `waiting    ${namesOf(waiting)}`,
    `documents  ${inThousands(documents)}${empty > 0 ? `, besides ${inThousands(empty)} without text` : ''}`,
    `text       ${inBytes(bytes)}`,
    `tokens     ${inThousands(tokens)}${tokens > 0 ? `, ${(bytes / tokens).toFixed(2)} bytes each` : ''}`,
    duplicates !== undefined && `duplicates ${inThousands(duplicates)}`,
    damagedCount > 0 && `damaged    ${inThousands(damagedCount)}, left out; --json lists them`,
    ...about.sources.map(({ name, tokens: count, bytes: text }) => `  ${name}: ${inThousands(count)} tokens of ${inBytes(text)}`),
  ];
  return lines
    .filter((line) => line !== false)
    .map((line) => `${line}\n`)
    .join('');
}

function namesOf(tasks: readonly number[]): string {
  const named = tasks.slice(0, NAMED).join(' ');
  return tasks.length > NAMED ? `${named} and ${tasks.length - NAMED} more` : named;
}

/** Runs long work, with a progress bar that is erased before the result is written. */
async function withProgress<T>(
  wanted: boolean,
  work: (options: { signal: AbortSignal; onProgress: (done: number, total: number) => void }) => Promise<T>,
): Promise<T> {
  const bar = new Progress(0, wanted, { log: true });
  try {
    return await untilInterrupted((signal) => work({ signal, onProgress: (done, total) => bar.at(done, total) }));
  } finally {
    bar.end();
  }
}

interface VerifyFlags {
  deep: number | undefined;
  json: boolean;
  progress: boolean;
}

export function verify(folder: string, { deep, json, progress }: VerifyFlags): Promise<number> {
  return exitCodeOf(async () => {
    const verified = await withProgress(progress && !json, (options) => verifyDataset(folder, { deep, ...options }));
    const { shards, encoded, files } = verified;
    const again = encoded > 0 ? `, ${encoded} encoded again` : '';
    const inWords = `${counted(shards, 'shard')}${again}, ${counted(files, 'merged file')}: all as they were written`;
    await write(`${json ? JSON.stringify(verified) : inWords}\n`);
  });
}

export function merge(folder: string, { json, progress }: { json: boolean; progress: boolean }): Promise<number> {
  return exitCodeOf(async () => {
    const merged = await withProgress(progress && !json, (options) => mergeDataset(folder, options));
    const files = merged.files.map(({ name, bytes }) => `${folder}/${name}  ${inBytes(bytes)}\n`).join('');
    const inWords = `${files}${inThousands(merged.documents)} documents, ${inThousands(merged.tokens)} tokens`;
    await write(`${json ? JSON.stringify(merged) : inWords}\n`);
  });
}

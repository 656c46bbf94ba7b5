// `crayon dataset run`: the tasks of this process, which command line or scheduler name.

import { DatasetError, runDataset, type RunProgress } from '../../dataset/index.js';
import { UsageError } from '../usage-error.js';
import { untilInterrupted } from '../interrupt.js';
import { Progress } from '../output/progress.js';
import { tell, write } from '../output/standard-streams.js';
import { inBytes, inThousands } from '../output/fields.js';
import { exitCodeOf } from './failures.js';
import type { RunGiven } from './run-options.js';

/** Seconds between events. */
const EVENTS = 1;
/** The most sources in the progress bar. */
const NOTED = 4;

export function run(folder: string, given: RunGiven): Promise<number> {
  return exitCodeOf(() => untilInterrupted((signal) => runTasks(folder, given, signal)));
}

async function runTasks(folder: string, given: RunGiven, signal: AbortSignal): Promise<void> {
  const part = partOf(given, process.env);
  const { threads, cacheBytes, skipDamaged, json = false } = given;
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
    bar ??= new Progress(progress.inputTotal - before, given.progress && !json);
    void bar.add(progress.inputBytes - done, noteOf(progress));
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
    const names = ran.tasks.length === 1 ? `task ${ran.tasks[0]}` : `${ran.tasks.length} tasks`;
    await write(`${names}: ${inThousands(ran.documents)} documents, ${inThousands(ran.tokens)} tokens${rate}\n`);
    if (ran.damaged > 0)
      tell(
        `crayon: ${ran.damaged} damaged ${ran.damaged === 1 ? 'record was' : 'records were'} left out: crayon dataset status ${folder} --json lists them`,
      );
  } catch (error) {
    bar?.end();
    // Who cannot be told so is told on standard error, with the exit code of this failure.
    if (json && error instanceof DatasetError) await write(`${JSON.stringify(failureOf(error))}\n`).catch(() => undefined);
    throw error;
  } finally {
    bar?.end();
  }
}

function failureOf({ message, code, file, line, byte, worthAnotherTry }: DatasetError) {
  return { event: 'failed', code, message, file, line, byte, worthAnotherTry };
}

/** Tokens of each source, if there are a few. */
function noteOf({ sources }: RunProgress): string {
  if (sources.length < 2 || sources.length > NOTED) return '';
  return `; tokens: ${sources.map(({ name, tokens }) => `${name} ${inThousands(tokens)}`).join(', ')}`;
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
function partOf({ task, of, all }: RunGiven, environment: NodeJS.ProcessEnv): { task: number; of: number } | undefined {
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
  if (!/^\d+$/.test(text)) throw new UsageError(`expected a number in ${name} but found ${JSON.stringify(text)}`);
  return Number(text);
}

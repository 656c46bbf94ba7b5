// Texts and files that are encoded beside the calling thread.

import { TokenizerError } from '../base/errors.js';
import { checkedBoolean } from '../base/option-objects.js';
import { inTimeSlices } from '../base/time-slices.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import type { RowJob } from '../engine/background.js';
import type { DeviceBatch } from '../engine/device-batch.js';
import { checkHasDevices } from '../engine/devices.js';
import { backgroundInTurns } from '../engine/encode-in-slices.js';
import { type AnyPaddedBatch, type Padding, padInSlices, type PadOptions } from '../engine/padding.js';
import { checkedTexts, failureInRow, textAt, textCount, type TextRows, type Texts } from '../engine/text-rows.js';
import type { Vocabulary } from '../vocabularies/vocabulary.js';
import { checkedText, policyFor, SPECIAL_FORBID, specialOf } from './arguments.js';
import {
  ASYNC_BATCH_OPTIONS,
  ASYNC_OPTIONS,
  type AsyncBatchOptions,
  type AsyncOptions,
  FILE_OPTIONS,
  type FileOptions,
  jobOf,
  paddingOf,
} from './async-options.js';
import { failureInText } from './text-failures.js';
import { checkedSplit, formFor, partsIn, SPLIT_ASYNC_OPTIONS, type SplitAsyncOptions } from './token-limits.js';
import type { Call, Entry, FilePart, FileTokens, Host, Reading } from './host.js';
import { type Template, templateOf } from './id-template.js';
import { TokenBatch } from './token-batch.js';

type Text = string | Uint8Array;

/** A text that is short is encoded at once. */
export function encodeAsync(
  host: Host,
  vocabulary: Vocabulary,
  text: Text,
  options: AsyncOptions | undefined,
): Promise<UnsharedUint32Array> | UnsharedUint32Array {
  return ofText(callOf(host, vocabulary, options), text, ({ background, policy, template, job }, plain) => {
    const ids = background.encode(plain, policy, job);
    return ids instanceof Promise ? ids.then((each) => template.around(each)) : template.around(ids);
  });
}

export function countAsync(host: Host, vocabulary: Vocabulary, text: Text, options: AsyncOptions | undefined): Promise<number> | number {
  return ofText(callOf(host, vocabulary, options), text, ({ background, policy, template, job }, plain) => {
    const count = background.count(plain, policy, job);
    return count instanceof Promise ? count.then((each) => template.size + each) : template.size + count;
  });
}

export async function encodeBatchAsync(
  host: Host,
  vocabulary: Vocabulary,
  texts: Texts,
  options: (AsyncBatchOptions & { pad?: PadOptions | undefined; resident?: boolean | undefined }) | undefined,
): Promise<TokenBatch | AnyPaddedBatch | DeviceBatch> {
  const padding = paddingOf(options);
  const call = callOf(host, vocabulary, options, ASYNC_BATCH_OPTIONS);
  const isResident = checkedBoolean(options?.resident, 'resident');
  const { background, engine, policy, template, job } = call;
  checkHasDevices(engine, job.device, isResident);
  throwIfAborted(call);
  let checked = checkedTexts(texts);
  if ('offsets' in checked) checked = { bytes: checked.bytes, offsets: checked.offsets.slice() };
  try {
    if (isResident) return (await background.encodeKept?.(checked, policy, { template, padding: padding as Padding }, job)) as DeviceBatch;
    const encoding = padding && background.encodePadded?.(checked, policy, { template, padding }, job);
    const encoded = await (encoding ?? background.encodeBatch(checked, policy, job));
    if ('shape' in encoded) return encoded;
    const { ids, totals } = template.aroundRows(encoded);
    if (!padding) return new TokenBatch(ids, totals, template);
    return await inTimeSlices(padInSlices({ ids, offsets: totals, template }, padding), job.signal);
  } catch (error) {
    throw failureOfRow(call, error, checked);
  }
}

export async function splitAsync(host: Host, vocabulary: Vocabulary, text: Text, options: SplitAsyncOptions): Promise<unknown[]> {
  return ofText(callOf(host, vocabulary, options, SPLIT_ASYNC_OPTIONS), text, async ({ background, policy, template, job }, plain) => {
    const split = checkedSplit(options, template, SPLIT_ASYNC_OPTIONS);
    const { ids } = await background.split([plain], formFor(plain, split.form), policy, job);
    return inTimeSlices(partsIn(text, plain, ids, split), job.signal);
  });
}

export async function splitBatch(host: Host, vocabulary: Vocabulary, texts: Texts, options: SplitAsyncOptions): Promise<unknown[]> {
  const call = callOf(host, vocabulary, options, SPLIT_ASYNC_OPTIONS);
  const { background, policy, template, job } = call;
  const split = checkedSplit(options, template, SPLIT_ASYNC_OPTIONS);
  throwIfAborted(call);
  const list = Array.isArray(texts) ? [...(texts as readonly Text[])] : texts;
  const checked = checkedTexts(list);
  const rows = Array.from({ length: textCount(checked) }, (_, row) => textAt(checked, row));
  const parts: unknown[] = [];
  // Positions are in the unit of the text, and all texts of a job have the same.
  const cutAll = async (kind: 'string' | 'object') => {
    const some = [...rows.keys()].filter((row) => typeof rows[row] === kind);
    const group = some.map((row) => rows[row] as Text);
    const [first] = group;
    if (first === undefined) return;
    const { ids, totals } = await background.split(group, formFor(first, split.form), policy, job).catch((error: unknown) => {
      throw error instanceof TokenizerError && error.row !== undefined ? failureInRow(error, some[error.row] as number) : error;
    });
    for (const [at, row] of some.entries()) {
      const text = Array.isArray(list) ? (list[row] as Text) : (rows[row] as Uint8Array);
      const numbers = ids.subarray(totals[at], totals[at + 1]);
      parts[row] = await inTimeSlices(partsIn(text, rows[row] as Text, numbers, split), job.signal);
    }
  };
  try {
    await Promise.all([cutAll('string'), cutAll('object')]);
    return parts;
  } catch (error) {
    throw failureOfRow(call, error, rows);
  }
}

/** `entry`: the function that the user called. */
export function encodeFile(
  host: Host,
  vocabulary: Vocabulary,
  path: string | URL,
  options: FileOptions | undefined,
  entry: Entry,
): AsyncGenerator<FileTokens, void, undefined> {
  const call = callOf(host, vocabulary, options, FILE_OPTIONS);
  const mmap = options?.mmap;
  const reading = { counting: false, mmap: mmap === undefined ? undefined : checkedBoolean(mmap, 'mmap') };
  return filesOf(host).tokens(path, call, reading, entry);
}

/** Like `encodeFile`, or only counts. */
export function partsOfFile(
  host: Host,
  vocabulary: Vocabulary,
  path: string,
  options: AsyncOptions | undefined,
  reading: Reading,
): AsyncGenerator<FilePart, void, undefined> {
  return filesOf(host).parts(path, callOf(host, vocabulary, options), reading, partsOfFile);
}

function filesOf({ files }: Host) {
  if (files) return files;
  throw new Error('encodeFile needs Node; here, use file.stream().pipeThrough(tokenizer.encodeStream())');
}

/** Rows that are being encoded, and the ids around each. */
export interface RowsToWrite {
  job: RowJob;
  template: Template;
}

/** Like `Background.encodeRows`. */
export function rowsToWrite(
  host: Host,
  vocabulary: Vocabulary,
  rows: TextRows,
  options: AsyncOptions,
  textBytes: number,
): RowsToWrite | undefined {
  const { background, policy, template, job } = callOf(host, vocabulary, options);
  const begun = background.encodeRows?.(rows, policy, job, textBytes);
  return begun && { job: begun, template };
}

/** The current data for a call with these options. */
function callOf(
  host: Host,
  vocabulary: Vocabulary,
  options: AsyncBatchOptions | undefined,
  names: readonly string[] = ASYNC_OPTIONS,
): Call {
  const special = specialOf(options, names);
  const job = jobOf(options);
  const policy = policyFor(special, vocabulary);
  const { engine } = vocabulary;
  return {
    engine,
    background: host.backgroundOf?.(engine) ?? backgroundInTurns(engine),
    policy,
    template: templateOf(options, vocabulary),
    job,
    specialIds: policy === SPECIAL_FORBID ? vocabulary.specialIds : new Map(),
  };
}

function ofText<Result>(call: Call, text: Text, ask: (call: Call, text: Text) => Promise<Result> | Result): Promise<Result> | Result {
  throwIfAborted(call);
  const fail = (error: unknown): never => {
    throw hasAborted(call, error) ? error : failureInText(error, text, call);
  };
  try {
    const result = ask(call, checkedText(text));
    return result instanceof Promise ? result.catch(fail) : result;
  } catch (error) {
    return fail(error);
  }
}

/** An error about a text of a batch, in that text. */
function failureOfRow(call: Call, error: unknown, texts: Texts): unknown {
  if (hasAborted(call, error) || !(error instanceof TokenizerError) || error.row === undefined) return error;
  return failureInText(error, textAt(texts, error.row), call, error.row);
}

/** Unlike the method of a signal, for what only looks like one. */
function throwIfAborted({ job: { signal } }: Call): void {
  if (signal?.aborted) throw signal.reason;
}

/** Whether an error is the reason why a call was aborted: it is the caller's, and stays as it is. */
function hasAborted({ job: { signal } }: Call, error: unknown): boolean {
  return signal?.aborted === true && error === signal.reason;
}

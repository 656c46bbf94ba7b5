// A job of the addon: a text or a batch that the threads of the process encode.

import type { Policy } from '../tokenizer/engine.js';
import { TokenizerError } from '../tokenizer/errors.js';
import type { Texts } from '../tokenizer/text-rows.js';
import type { UnsharedUint32Array } from '../tokenizer/typed-arrays.js';
import { addon, failed, type Handle, WINDOW } from './addon.js';
import { threadCount } from './thread-count.js';

/** Units of short strings that are passed in one call. */
const JOINED_UNITS = 8 * 1024;
/** Bytes that are passed in one call: a fraction of a millisecond. */
const BYTES = 256 * 1024;
/** UTF-8 needs at most so many bytes for a UTF-16 unit. */
const BYTES_PER_UNIT = 3;

/** By the handles of jobs that the threads have. */
const waiting = new Map<Handle, () => void>();

function reported(handles: Handle[]): void {
  for (const handle of handles) {
    const done = waiting.get(handle);
    waiting.delete(handle);
    done?.();
  }
}

let isStarted = false;

/** Starts the threads, if they have not been started; throws if there is no memory for them. */
function start(): void {
  if (isStarted) return;
  if (addon.startBackground(reported, threadCount()) < 0) throw failed('cannot start threads');
  isStarted = true;
}

export interface Encoded {
  ids: UnsharedUint32Array;
  totals: UnsharedUint32Array;
}

/** One job. It is released when it has a result, has failed, or is no longer wanted. */
export class Job {
  readonly #handle: Handle;
  readonly #counting: boolean;

  /** `bytes`: of its text, at most. */
  constructor(tokenizer: Handle, policy: Policy, counting: boolean, threads: number, bytes: number) {
    start();
    const handle = addon.jobBegin(tokenizer, policy, counting, threads, bytes);
    if (handle < 0) throw failed('cannot encode');
    this.#handle = handle;
    this.#counting = counting;
  }

  /** Hands it to the threads. The promise is settled when they are done; text may be appended meanwhile. */
  submit(): Promise<void> {
    checked(addon.jobSubmit(this.#handle));
    return this.#reported();
  }

  /** Lets the threads begin; `run` ends it. */
  start(): void {
    checked(addon.jobStart(this.#handle));
  }

  /** Works at it in the calling thread, too, until it is done. */
  run(): void {
    this.#checkRow(addon.jobRun(this.#handle));
  }

  /** Appends a text, step by step: each takes a fraction of a millisecond. */
  *feed(text: string | Uint8Array): Generator<void, void> {
    yield* this.#feedRow(text);
    checked(addon.jobEnd(this.#handle));
  }

  /** Appends the texts of a batch. */
  *feedTexts(texts: Texts): Generator<void, void> {
    if ('offsets' in texts) yield* this.#feedRows(texts.bytes, texts.offsets);
    else yield* this.#feedList(texts);
    checked(addon.jobEnd(this.#handle));
  }

  /** The number of tokens; throws what went wrong. */
  count(): number {
    return this.#checkRow(addon.jobResult(this.#handle));
  }

  /** The totals after each of `rows` rows. */
  totals(rows: number): UnsharedUint32Array {
    const totals = new Uint32Array(rows + 1);
    checked(addon.jobTotals(this.#handle, totals));
    return totals;
  }

  /** The ids, written by the calling thread. */
  take(count: number): UnsharedUint32Array {
    const ids = new Uint32Array(this.#counting ? 0 : count);
    if (ids.length > 0) checked(addon.jobTake(this.#handle, ids));
    return ids;
  }

  /** The ids, written by the threads. */
  async takeLater(count: number): Promise<UnsharedUint32Array> {
    const ids = new Uint32Array(count);
    checked(addon.jobSubmitTake(this.#handle, ids));
    await this.#reported();
    checked(addon.jobResult(this.#handle));
    return ids;
  }

  /** Ends the work at it. */
  release(): void {
    waiting.delete(this.#handle);
    addon.jobRelease(this.#handle);
  }

  #reported(): Promise<void> {
    return new Promise((resolve) => waiting.set(this.#handle, resolve));
  }

  *#feedRow(text: string | Uint8Array): Generator<void, void> {
    const isText = typeof text === 'string';
    const step = isText ? WINDOW : BYTES;
    for (let at = 0; ; at += step) {
      const last = at + step >= text.length;
      if (isText) checked(addon.jobFeed(this.#handle, at === 0 && last ? text : text.slice(at, at + step), last));
      else checked(addon.jobFeedBytes(this.#handle, text.subarray(at, at + step), last));
      if (last) return;
      yield;
    }
  }

  *#feedRows(bytes: Uint8Array, offsets: Uint32Array): Generator<void, void> {
    const rows = offsets.length - 1;
    for (let first = 0; first < rows; ) {
      const begin = offsets[first] as number;
      let last = first + 1;
      if ((offsets[last] as number) - begin > BYTES) {
        yield* this.#feedRow(bytes.subarray(begin, offsets[last]));
      } else {
        while (last < rows && last - first < JOINED_UNITS && (offsets[last + 1] as number) - begin <= BYTES) last++;
        checked(addon.jobFeedRows(this.#handle, bytes, offsets, first, last));
      }
      first = last;
      yield;
    }
  }

  // Short strings are joined: that costs less than a call for each.
  *#feedList(texts: readonly (string | Uint8Array)[]): Generator<void, void> {
    const lengths = new Uint32Array(JOINED_UNITS);
    for (let from = 0; from < texts.length; ) {
      let units = 0;
      let count = 0;
      for (; count < lengths.length && from + count < texts.length; count++) {
        const text = texts[from + count] as string | Uint8Array;
        if (typeof text !== 'string' || units + text.length > JOINED_UNITS) break;
        lengths[count] = text.length;
        units += text.length;
      }
      if (count > 0) {
        const joined = texts.slice(from, from + count).join('');
        checked(addon.jobFeedJoined(this.#handle, joined, lengths.subarray(0, count)));
        from += count;
      } else {
        yield* this.#feedRow(texts[from] as string | Uint8Array);
        from++;
      }
      yield;
    }
  }

  #checkRow(count: number): number {
    if (count >= 0) return count;
    const failure = addon.failure();
    throw new TokenizerError(`cannot encode: ${failure.sentence}`, failure);
  }
}

/** The bytes that a text may take, or the texts of a batch together. */
export function mostBytes(text: string | Uint8Array): number {
  return typeof text === 'string' ? BYTES_PER_UNIT * text.length : text.length;
}

export function mostBytesOf(texts: Texts): number {
  if ('offsets' in texts) return texts.bytes.length;
  let bytes = 0;
  for (const text of texts) bytes += mostBytes(text);
  return bytes;
}

function checked(answer: number): void {
  if (answer < 0) throw failed('cannot encode');
}

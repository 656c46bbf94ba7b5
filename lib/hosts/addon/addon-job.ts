// An addon job: a text or a batch that the process's threads encode.

import type { MappedPart, Overlap, RowForm } from '../../engine/background.js';
import type { BatchIds, PartForm, Policy } from '../../engine/engine.js';
import { shownPath, TokenizerError } from '../../base/errors.js';
import { textCount, type TextRows, type Texts } from '../../engine/text-rows.js';
import type { Work } from '../../base/time-slices.js';
import type { UnsharedUint32Array } from '../../base/typed-arrays.js';
import { isShared as isSharedBuffer, partOf } from '../../base/views.js';
import { addon, failed, type Handle, limitsOf, newIds, WINDOW } from './addon.js';
import type { Caches } from './caches.js';
import { checked, PoolJob } from './pool-job.js';
import { threadCount } from './thread-count.js';

/** Units of short strings to pass per call. */
const JOINED_UNITS = 8 * 1024;
/** Bytes to pass per call: a fraction of a millisecond. */
const BYTES = 256 * 1024;
/** Job flags of `crayon_job_create`. */
const COUNT = 1;
const OVERLAP = 2;
const APART = 4;
/** The most UTF-8 bytes per UTF-16 unit. */
const BYTES_PER_UNIT = 3;

/** The description of a job. */
export interface JobDescription {
  policy: Policy;
  counting: boolean;
  /** The most threads; undefined: all. */
  threads: number | undefined;
  /** The most bytes of its text; 0 if it is not copied. */
  bytes: number;
  /** Whether its ids stay apart, for `run` or `writeRows`. */
  apart?: boolean;
  /** How the parts of a long text overlap, if they do. */
  overlap?: Overlap | undefined;
  /** For the numbers of the parts of each row, instead of ids. */
  form?: PartForm;
  /** The cache limit of each thread, and the caches it belongs to. */
  cacheLimit: number;
  caches: Caches;
}

/** A job. It must be released. */
export class Job extends PoolJob {
  readonly #caches: Caches;

  constructor(
    tokenizer: Handle,
    { policy, counting, threads = threadCount(), bytes, apart = false, overlap, form, cacheLimit, caches }: JobDescription,
  ) {
    const flags = (counting ? COUNT : 0) | (overlap ? OVERLAP : 0) | (apart ? APART : 0);
    super(() => addon.jobBegin(tokenizer, policy, flags, threads, bytes, cacheLimit));
    this.#caches = caches;
    if (form) checked(addon.jobSetParts(this.handle, limitsOf(form), form.separation.separators, form.separation.numbers));
    if (!overlap) return;
    const { chunkLength = 0, overlapLength = 0, threshold = 0 } = overlap;
    checked(addon.jobSetOverlap(this.handle, chunkLength, overlapLength, threshold));
  }

  override release(): void {
    super.release();
    this.#caches.used();
  }

  /** Appends a text, slice by slice. */
  *feed(text: string | Uint8Array): Work<void> {
    yield* this.#feedRow(text);
    checked(addon.jobEnd(this.handle));
  }

  /** Uses bytes as the text without copying them: nobody may change them until the job is done. Or maps a part of a file. */
  setText(text: Uint8Array | MappedPart, last: boolean): void {
    if (text instanceof Uint8Array) return checked(addon.jobSetText(this.handle, text, last));
    const { path, descriptor, begin, length } = text;
    if (addon.jobMapText(this.handle, descriptor, begin, length, last) < 0) throw failed(`cannot map ${shownPath(path)}`);
  }

  /** Uses rows without copying them. */
  setRows({ bytes, offsets }: TextRows): void {
    checked(addon.jobSetRows(this.handle, bytes, offsets));
  }

  /** Encodes rows in the calling thread, and in others that may work on them; returns their number of ids. */
  runRows(): number {
    addon.jobRun(this.handle);
    return this.batchCount();
  }

  /** Writes rows; returns how many ids each has. */
  writeRows({ before, after, width }: RowForm, memory: Uint8Array, rows: number): UnsharedUint32Array {
    const lengths = new Uint32Array(rows);
    checked(addon.jobWriteRows(this.handle, before, after, width, memory, lengths));
    return lengths;
  }

  /** Appends the texts of a batch. */
  *feedTexts(texts: Texts): Work<void> {
    if ('offsets' in texts) yield* this.#feedRows(texts.bytes, texts.offsets);
    else yield* this.#feedList(texts);
    checked(addon.jobEnd(this.handle));
  }

  /** The number of tokens of the text; throws if the job failed. */
  count(): number {
    const count = addon.jobResult(this.handle);
    if (count >= 0) return count;
    const { code, position, sentence } = addon.failure(); // a single text has no row
    throw new TokenizerError(`cannot encode: ${sentence}`, { code, position });
  }

  /** The byte of the text where its ids end. */
  position(): number {
    const position = addon.jobPosition(this.handle);
    checked(position);
    return position;
  }

  /** The totals after each of `rows` rows. */
  totals(rows: number): UnsharedUint32Array {
    const totals = new Uint32Array(rows + 1);
    checked(addon.jobTotals(this.handle, totals));
    return totals;
  }

  /** The ids, once. */
  take(): UnsharedUint32Array {
    const ids = addon.jobTake(this.handle);
    if (ids === undefined) throw failed('cannot encode');
    return ids;
  }

  /** The result of a batch, with the calling thread working on it too. */
  run(texts: Texts, counting: boolean): BatchIds {
    if ('offsets' in texts && !isShared(texts.bytes)) {
      this.setRows(texts);
    } else {
      this.start();
      for (const _ of this.feedTexts(texts));
    }
    const count = this.runRows();
    const ids = newIds(counting ? 0 : count);
    if (!counting) checked(addon.jobCopy(this.handle, ids));
    return { ids, totals: this.totals(textCount(texts)) };
  }

  /** The number of tokens of a batch; throws if the job failed, naming the row. */
  batchCount(): number {
    const count = addon.jobResult(this.handle);
    if (count >= 0) return count;
    const { row, ...failure } = addon.failure();
    if (row === undefined) throw failed('cannot encode');
    throw new TokenizerError(`cannot encode texts[${row}]: ${failure.sentence}`, { ...failure, row });
  }

  *#feedRow(text: string | Uint8Array): Work<void> {
    const slice = typeof text === 'string' ? WINDOW : BYTES;
    const { length } = text;
    for (let at = 0; ; at += slice) {
      const last = at + slice >= length;
      const part = partOf(text, at, at + slice);
      if (typeof part === 'string') checked(addon.jobFeed(this.handle, part, last));
      else checked(addon.jobFeedBytes(this.handle, part, last));
      if (last) return;
      yield;
    }
  }

  *#feedRows(bytes: Uint8Array, offsets: Uint32Array): Work<void> {
    const rows = offsets.length - 1;
    for (let first = 0; first < rows; ) {
      const begin = offsets[first] as number;
      let last = first + 1;
      if ((offsets[last] as number) - begin > BYTES) {
        yield* this.#feedRow(partOf(bytes, begin, offsets[last] as number));
      } else {
        while (last < rows && last - first < JOINED_UNITS && (offsets[last + 1] as number) - begin <= BYTES) last++;
        checked(addon.jobFeedRows(this.handle, partOf(bytes, 0, bytes.length) as Uint8Array, offsets, first, last));
      }
      first = last;
      yield;
    }
  }

  // Short strings are joined: that costs less than a call for each.
  *#feedList(texts: readonly (string | Uint8Array)[]): Work<void> {
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
        checked(addon.jobFeedJoined(this.handle, joined, lengths.subarray(0, count)));
        from += count;
      } else {
        yield* this.#feedRow(texts[from] as string | Uint8Array);
        from++;
      }
      yield;
    }
  }
}

/** Whether another thread may write to it: it must then be copied, since it is read more than once. */
export function isShared({ buffer }: ArrayBufferView): boolean {
  return isSharedBuffer(buffer);
}

/** The most UTF-8 bytes that a text, or all texts of a batch, can take. */
export function mostBytes(text: string | Uint8Array): number {
  return typeof text === 'string' ? BYTES_PER_UNIT * text.length : text.length;
}

/** The size of all texts of a batch: bytes, or units of strings. */
export function sizeOf(texts: Texts): number {
  if ('offsets' in texts) return texts.bytes.length;
  let size = 0;
  for (const text of texts) size += text.length;
  return size;
}

export function mostBytesOf(texts: Texts): number {
  if ('offsets' in texts) return texts.bytes.length;
  let bytes = 0;
  for (const text of texts) bytes += mostBytes(text);
  return bytes;
}

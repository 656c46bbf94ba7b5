// The documents of a task: its ranges, one after the other.

import type { DatasetInput, DatasetManifest, DatasetRange, DatasetTask } from '../manifest.js';
import type { TextBatch } from '../text-batch.js';
import { NAMED, type TaskPosition } from '../receipts.js';
import { DatasetError } from '../dataset-error.js';
import { InputFile } from './input-file.js';
import { LineCounter } from './line-count.js';
import { JsonLines } from './json-lines.js';
import { ParquetRows } from './parquet.js';
import type { DamagedRecord } from '../damaged-record.js';
import type { Damaged, DocumentReader } from './reader.js';
import { Separated } from './separated.js';
import { WholeFile } from './whole-file.js';

export class TaskReader implements AsyncDisposable {
  readonly #manifest: DatasetManifest;
  readonly #ranges: readonly DatasetRange[];
  #range: number;
  #from: number;
  #file: InputFile | undefined;
  #reader: DocumentReader | undefined;
  /** Of the ranges that are done. */
  #fileBytes = 0;
  readonly #skipDamaged: boolean;
  /** Records that the current call has left out: how many, and the first of them. */
  #damagedCount = 0;
  #damaged: { begin: number; reason: string }[] = [];
  #lines: { input: number; counter: LineCounter } | undefined;
  #counting: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(manifest: DatasetManifest, { ranges }: DatasetTask, start: TaskPosition, skipDamaged: boolean) {
    this.#skipDamaged = skipDamaged;
    this.#manifest = manifest;
    this.#ranges = ranges;
    this.#range = start.range;
    this.#from = start.position;
  }

  /** Behind the last document. */
  get position(): TaskPosition {
    return { range: this.#range, position: this.#reader?.position ?? this.#from };
  }

  /** Bytes of input files that have been read, about. */
  get fileBytes(): number {
    return this.#fileBytes + (this.#reader?.fileBytes ?? 0);
  }

  /** Empties the batch and adds documents until it has this many bytes; none at the end. */
  async fill(batch: TextBatch, size: number): Promise<void> {
    batch.clear();
    try {
      while (this.#range < this.#ranges.length && batch.size < size) {
        this.#reader ??= await this.#open(this.#ranges[this.#range] as DatasetRange);
        batch.input = (this.#ranges[this.#range] as DatasetRange).input;
        const more = await this.#fill(this.#reader, batch, size);
        if (!more) await this.#next();
      }
    } catch (error) {
      await this.checkUnchanged(); // records of a file that is being written are not damaged
      throw error;
    }
  }

  /** Throws if an input has been written to before now, as far as documents have been read of it. */
  async checkUnchanged(): Promise<void> {
    await this.#file?.checkUnchanged();
  }

  /** Leaves a document out of a batch that has none, or throws. */
  async leaveOut(batch: TextBatch, input: number, begin: number, reason: string): Promise<void> {
    if (batch.damaged.length < NAMED) {
      const record = await this.#recordAt(input, begin, reason);
      if (!this.#skipDamaged) throw damagedRecord(record);
      batch.damaged.push(record);
    }
    batch.damagedCount++;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
    this.#isClosed = true;
    await this.#counting;
    await this.#lines?.counter[Symbol.asyncDispose]();
  }

  async #fill(reader: DocumentReader, batch: TextBatch, size: number): Promise<boolean> {
    const before = reader.empty;
    try {
      return await reader.fill(batch, size);
    } catch (error) {
      if (!(error instanceof FirstDamage)) throw error;
      throw damagedRecord(await this.#recordAt(batch.input, error.begin, error.message));
    } finally {
      batch.empty += reader.empty - before;
      const [count, named] = [this.#damagedCount, this.#damaged];
      this.#damagedCount = 0;
      this.#damaged = [];
      batch.damagedCount += count;
      for (const { begin, reason } of named) {
        if (batch.damaged.length < NAMED) batch.damaged.push(await this.#recordAt(batch.input, begin, reason));
      }
    }
  }

  #damage(begin: number, reason: string): void {
    if (!this.#skipDamaged) throw new FirstDamage(begin, reason);
    this.#damagedCount++;
    if (this.#damaged.length < NAMED) this.#damaged.push({ begin, reason });
  }

  /** One record at a time: a batch may be read while another leaves documents out. */
  #recordAt(input: number, begin: number, reason: string): Promise<DamagedRecord> {
    const record = this.#counting.then(() => this.#countedRecord(input, begin, reason));
    this.#counting = record.catch(() => undefined);
    return record;
  }

  async #countedRecord(input: number, begin: number, reason: string): Promise<DamagedRecord> {
    if (this.#isClosed) throw new Error('nobody asks for the record');
    const about = this.#manifest.inputs[input] as DatasetInput;
    if (this.#lines?.input !== input) {
      await this.#lines?.counter[Symbol.asyncDispose]();
      this.#lines = { input, counter: new LineCounter(about) };
    }
    return { file: about.path, line: await this.#lines.counter.lineAt(begin), byte: begin, reason };
  }

  async #next(): Promise<void> {
    await this.checkUnchanged();
    this.#fileBytes = this.fileBytes;
    await this.#close();
    this.#range++;
    this.#from = this.#ranges[this.#range]?.from ?? 0;
  }

  async #close(): Promise<void> {
    const [reader, file] = [this.#reader, this.#file];
    this.#reader = this.#file = undefined;
    await reader?.[Symbol.asyncDispose]();
    await file?.[Symbol.asyncDispose]();
  }

  async #open({ input: index, to }: DatasetRange): Promise<DocumentReader> {
    const { field, separator, inputs } = this.#manifest;
    const input = inputs[index] as DatasetInput;
    const file = await InputFile.open(input);
    this.#file = file;
    const damaged: Damaged = (begin, reason) => this.#damage(begin, reason);
    if (input.kind === 'jsonl') return JsonLines.open(file, this.#from, to, field, damaged);
    if (input.kind === 'parquet') return ParquetRows.open(file, this.#from, to as number, field, damaged);
    if (separator !== null) return Separated.open(file, this.#from, to, separator, damaged);
    return new WholeFile(file, this.#from, damaged);
  }
}

/** Ends reading, since a record is damaged. */
class FirstDamage extends Error {
  readonly begin: number;

  constructor(begin: number, reason: string) {
    super(reason);
    this.begin = begin;
  }
}

function damagedRecord({ file, line, byte, reason }: DamagedRecord): DatasetError {
  const where = line === null ? `row ${byte}` : `line ${line} (byte ${byte})`;
  const message = `${file}: ${where}: ${reason}; leave such records out with --skip-damaged, or mend the file and plan again`;
  return new DatasetError(message, { code: 'DAMAGED_RECORD', file, line: line ?? undefined, byte });
}

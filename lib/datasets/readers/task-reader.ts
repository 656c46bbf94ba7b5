// The documents of a task: its ranges, one after the other.

import { type DamagedRecord, NAMED, type TaskPosition } from '../receipts.js';
import { DatasetError } from '../dataset-error.js';
import { InputFile } from '../dataset-inputs.js';
import type { DatasetInput, DatasetManifest, DatasetRange, DatasetTask } from '../manifest.js';
import type { DocumentReader, TextBatch } from '../text-batch.js';
import { ByteWindow } from './input-bytes.js';
import { jsonLines } from './json-lines.js';
import { parquetRows } from './parquet-reader.js';
import { textDocuments } from './text-documents.js';

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
  #lines: LineCounter | undefined;
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
        const filled = await this.#reader.fill(batch, size);
        if (filled === 'end') await this.#next();
        else if (filled !== 'full') await this.leaveOut(batch, batch.input, filled.begin, filled.reason);
      }
    } catch (error) {
      await this.checkUnchanged(); // records of a file that is being written are not damaged
      throw error;
    }
  }

  /** Throws if the input that is being read has been written to since it was planned. */
  async checkUnchanged(): Promise<void> {
    await this.#file?.checkUnchanged();
  }

  /** Leaves a record out of a batch, or throws. */
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
    await this.#lines?.[Symbol.asyncDispose]();
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
    if (about.kind === 'parquet') return { file: about.path, line: null, byte: begin, reason };
    if (this.#lines?.input !== about || this.#lines.position > begin) {
      await this.#lines?.[Symbol.asyncDispose]();
      this.#lines = await lineCounter(about);
    }
    return { file: about.path, line: await this.#lines.lineAt(begin), byte: begin, reason };
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
    if (input.kind === 'parquet') return parquetRows(file, this.#from, to as number, field);
    const window = await ByteWindow.open(file, this.#from, to);
    return input.kind === 'jsonl' ? jsonLines(window, field) : textDocuments(window, separator);
  }
}

function damagedRecord({ file, line, byte, reason }: DamagedRecord): DatasetError {
  const where = line === null ? `row ${byte}` : `line ${line} (byte ${byte})`;
  const message = `${file}: ${where}: ${reason}; leave such records out with --skip-damaged, or mend the file and plan again`;
  return new DatasetError(message, { code: 'DAMAGED_RECORD', file, line: line ?? undefined, byte });
}

const LINE_FEED = 0x0a;

/** Says which line of an input a byte is in. Asked only for damaged records, in ascending order: it reads the input once. */
interface LineCounter extends AsyncDisposable {
  readonly input: DatasetInput;
  /** Lines have been counted up to here. */
  readonly position: number;
  /** From 1. */
  lineAt(byte: number): Promise<number>;
}

async function lineCounter(input: DatasetInput): Promise<LineCounter> {
  const file = await InputFile.open(input);
  const window = await ByteWindow.open(file, 0, null);
  let line = 1;
  return {
    input,
    get position() {
      return window.position;
    },
    async lineAt(byte) {
      while (window.position < byte && (window.bytes.length > 0 || (await window.more()))) {
        const bytes = window.bytes.subarray(0, byte - window.position);
        for (let found = bytes.indexOf(LINE_FEED); found >= 0; found = bytes.indexOf(LINE_FEED, found + 1)) line++;
        window.take(bytes.length);
      }
      return line;
    },
    async [Symbol.asyncDispose]() {
      await window[Symbol.asyncDispose]();
      await file[Symbol.asyncDispose]();
    },
  };
}

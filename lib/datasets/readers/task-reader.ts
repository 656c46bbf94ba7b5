// The documents of a task: its ranges, one after the other.

import { type DamagedRecord, NAMED, type TaskPosition } from '../receipts.js';
import { DatasetError } from '../dataset-error.js';
import { type InputFile, openInput } from '../dataset-inputs.js';
import type { DatasetInput, DatasetManifest, DatasetRange, DatasetTask } from '../manifest.js';
import { type Damage, type DocumentReader, TextBatch } from '../text-batch.js';
import { ByteWindow } from './input-bytes.js';
import { jsonLines } from './json-lines.js';
import { parquetRows } from './parquet-reader.js';
import { textDocuments } from './text-documents.js';

export interface TaskReader extends AsyncDisposable {
  /** Behind the last document. */
  readonly position: TaskPosition;
  /** Bytes of input files that have been read, about. */
  readonly fileBytes: number;
  /** Empties the batch and adds documents until it has this many bytes; none at the end. */
  fill(batch: TextBatch, size: number): Promise<void>;
  /** Throws if the input that is being read has been written to since it was planned. */
  checkUnchanged(): Promise<void>;
  /** Leaves a record out of a batch, or throws. */
  leaveOut(batch: TextBatch, input: number, begin: number, reason: string): Promise<void>;
}

/** `start`: where to begin in the task. */
export function taskReader(manifest: DatasetManifest, { ranges }: DatasetTask, start: TaskPosition, skipDamaged: boolean): TaskReader {
  const { field, separator, inputs } = manifest;
  let { range, position: from } = start;
  let file: InputFile | undefined;
  let reader: DocumentReader | undefined;
  /** The bytes of the ranges that are done. */
  let bytesBefore = 0;
  let lines: LineCounter | undefined;
  let counting: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  async function opened({ input: index, to }: DatasetRange): Promise<DocumentReader> {
    const input = inputs[index] as DatasetInput;
    file = await openInput(input);
    if (input.kind === 'parquet') return parquetRows(file, from, to as number, field);
    const window = await ByteWindow.open(file, from, to);
    return input.kind === 'jsonl' ? jsonLines(window, field) : textDocuments(window, separator);
  }

  async function close(): Promise<void> {
    const open = [reader, file];
    reader = file = undefined;
    for (const each of open) await each?.[Symbol.asyncDispose]();
  }

  async function damaged(input: number, begin: number, reason: string): Promise<DamagedRecord> {
    if (isClosed) throw new Error('nobody asks for the record');
    const about = inputs[input] as DatasetInput;
    if (about.kind === 'parquet') return { file: about.path, line: null, byte: begin, reason };
    if (lines?.input !== about || lines.position > begin) {
      await lines?.[Symbol.asyncDispose]();
      lines = await lineCounter(about);
    }
    return { file: about.path, line: await lines.lineAt(begin), byte: begin, reason };
  }

  const result: TaskReader = {
    get position() {
      return { range, position: reader?.position ?? from };
    },
    get fileBytes() {
      return bytesBefore + (reader?.fileBytes ?? 0);
    },
    async fill(batch, size) {
      batch.clear();
      try {
        while (range < ranges.length && batch.size < size) {
          const current = ranges[range] as DatasetRange;
          reader ??= await opened(current);
          batch.input = current.input;
          const filled = await reader.fill(batch, size);
          if (filled === 'full') continue;
          if (filled !== 'end') {
            await result.leaveOut(batch, batch.input, filled.begin, filled.reason);
            continue;
          }
          await result.checkUnchanged();
          bytesBefore = result.fileBytes;
          await close();
          range++;
          from = ranges[range]?.from ?? 0;
        }
      } catch (error) {
        await result.checkUnchanged(); // records of a file that is being written are not damaged
        throw error;
      }
    },
    async checkUnchanged() {
      await file?.checkUnchanged();
    },
    async leaveOut(batch, input, begin, reason) {
      if (batch.damaged.length < NAMED) {
        // One record at a time: a batch may be read while another leaves documents out.
        const found = counting.then(() => damaged(input, begin, reason));
        counting = found.catch(() => undefined);
        const record = await found;
        if (!skipDamaged) throw damagedRecord(record);
        batch.damaged.push(record);
      }
      batch.damagedCount++;
    },
    async [Symbol.asyncDispose]() {
      await close();
      isClosed = true;
      await counting;
      await lines?.[Symbol.asyncDispose]();
    },
  };
  return result;
}

const ADVICE = 'leave such records out with --skip-damaged, or mend the file and plan again';

function damagedRecord({ file, line, byte, reason }: DamagedRecord, advice = ADVICE): DatasetError {
  const where = line === null ? `row ${byte}` : `line ${line} (byte ${byte})`;
  return new DatasetError(`${file}: ${where}: ${reason}; ${advice}`, { code: 'DAMAGED_RECORD', file, line: line ?? undefined, byte });
}

/** Records to look at for one with a text. */
const LOOKED_AT = 100;

/** Throws if the first record of an input of JSON lines has other keys, and so have those that follow: the field is another. */
export async function checkFirstRecords(input: DatasetInput, field: string): Promise<void> {
  await using file = await openInput(input);
  await using window = await ByteWindow.open(file, 0, null);
  const reader = jsonLines(window, field);
  const batch = new TextBatch();
  let first: Damage | undefined;
  for (let record = 0; record < LOOKED_AT; record++) {
    const filled = await reader.fill(batch, 1);
    if (filled === 'full') return;
    if (filled === 'end') break;
    if (!filled.hasOtherKeys) return; // a run says so, and can leave it out
    first ??= filled;
  }
  if (!first) return;
  await using lines = await lineCounter(input);
  const line = await lines.lineAt(first.begin);
  const advice = 'say where its text is with --field';
  throw damagedRecord({ file: input.path, line, byte: first.begin, reason: first.reason }, advice);
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
  const file = await openInput(input);
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

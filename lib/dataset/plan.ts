// Divides documents into tasks of about equal size, cut between documents.

import type { DatasetInput, DatasetRange, DatasetTask } from './manifest.js';
import { InputFile } from './readers/input-file.js';
import { rowGroupsOf } from './readers/parquet.js';

/** Bytes to read at a time when looking for the end of a document. */
const CHUNK = 64 * 1024;

/** The part of an input that tasks may cut further: up to `end`, `size` bytes. */
interface Piece {
  end: number | null;
  size: number;
}

/** The tasks of inputs, in order. `taskBytes`: of each, unless a document or a compressed file is longer. */
export async function tasksOf(
  inputs: readonly DatasetInput[],
  { taskBytes, field, separator }: { taskBytes: number; field: string; separator: string | null },
): Promise<DatasetTask[]> {
  const tasks: DatasetTask[] = [];
  let task: DatasetTask = { ranges: [], bytes: 0 };
  const endTask = () => {
    if (task.ranges.length > 0) tasks.push(task);
    task = { ranges: [], bytes: 0 };
  };
  for (const [input, about] of inputs.entries()) {
    if (about.compression !== null) {
      // What it inflates to is not known, and only its beginning can be found fast.
      endTask();
      task = { ranges: [{ input, from: 0, to: null }], bytes: about.size };
      endTask();
      continue;
    }
    const cutter = await cutterOf(about, field, separator);
    for (let from = 0; ; ) {
      const piece = await cutter(from, taskBytes - task.bytes);
      if (piece === undefined) break;
      append(task, { input, from, to: piece.end }, piece.size);
      if (task.bytes >= taskBytes) endTask();
      from = piece.end as number;
    }
  }
  endTask();
  return tasks;
}

function append(task: DatasetTask, range: DatasetRange, size: number): void {
  task.ranges.push(range);
  task.bytes += size;
}

/** Cuts an input: the next piece from a position of at least so many bytes, ending between documents; undefined at the end. */
type Cutter = (from: number, bytes: number) => Promise<Piece | undefined>;

async function cutterOf(input: DatasetInput, field: string, separator: string | null): Promise<Cutter> {
  const { size, kind } = input;
  if (kind === 'parquet') return rowCutter(await rowGroupsOf(input, field));
  const boundary = kind === 'jsonl' ? '\n' : separator;
  return async (from, bytes) => {
    if (from >= size) return undefined;
    const end = boundary === null || from + bytes >= size ? size : await boundaryAfter(input, from + bytes, from, Buffer.from(boundary));
    return { end, size: end - from };
  };
}

function rowCutter(groups: readonly { rows: number; bytes: number }[]): Cutter {
  let next = 0;
  return async (from, bytes) => {
    if (next === groups.length) return undefined;
    let [end, size] = [from, 0];
    while (next < groups.length && size < bytes) {
      const group = groups[next++] as { rows: number; bytes: number };
      end += group.rows;
      size += group.bytes;
    }
    return { end, size };
  };
}

/**
 * Where a separator ends, at or behind a byte; the size of the file if there is none. Only a separator that no other overlaps
 * from the left is one whatever comes before: of three line feeds, two can be the separator in two ways.
 */
async function boundaryAfter(input: DatasetInput, byte: number, from: number, separator: Buffer): Promise<number> {
  const { length } = separator;
  const { size } = input;
  await using file = await InputFile.open(input);
  const chunk = Buffer.alloc(CHUNK + 2 * length);
  // The first byte at which a separator may begin that could overlap one at `byte`.
  let last = Number.NEGATIVE_INFINITY;
  for (let at = Math.max(from, byte - 2 * length); at < size; at += CHUNK) {
    const bytes = chunk.subarray(0, await file.read(chunk, at));
    for (let found = bytes.indexOf(separator); found >= 0 && found < CHUNK; found = bytes.indexOf(separator, found + 1)) {
      const begin = at + found;
      if (begin + length >= byte && begin - last >= length && begin - from >= 0) return begin + length;
      last = begin;
    }
  }
  return size;
}

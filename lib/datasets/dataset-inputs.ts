// The files of documents that arguments name, and whether they are still what was planned.

import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';

import { isPattern, matchesOf } from '../io/file-patterns.js';
import { DatasetError } from './dataset-error.js';
import { attempt, hashOf } from './durable-files.js';
import type { DatasetInput, InputKind } from './manifest.js';

/** Files up to this size are hashed, so that copies of them with another time are known to be the same. */
const HASHED = 4 * 1024 * 1024;

/** The inputs of each argument, a path or a pattern, in order. `kind`: of all of them; else the name says it. */
export async function inputsOf(sources: readonly string[], kind: InputKind | undefined): Promise<DatasetInput[]> {
  const inputs: DatasetInput[] = [];
  for (const [source, name] of sources.entries()) {
    const paths = isPattern(name) ? await matchesOf(name) : [name];
    if (paths.length === 0) throw new DatasetError(`no file matches ${name}`, { code: 'UNREADABLE', file: name, worthAnotherTry: false });
    for (const path of paths) inputs.push(await inputOf(resolve(path), source, kind));
  }
  return inputs;
}

async function inputOf(path: string, source: number, kind: InputKind | undefined): Promise<DatasetInput> {
  const about = await attempt('read', path, () => stat(path));
  if (!about.isFile()) {
    const advice = about.isDirectory() ? 'name its files, as in "folder/**/*.jsonl"' : 'only files can be read again';
    throw new DatasetError(`${path} is not a regular file: ${advice}`, { code: 'UNREADABLE', file: path, worthAnotherTry: false });
  }
  const { size, mtimeMs: modified } = about;
  const compression = await compressionOf(path);
  const sha256 = size <= HASHED ? await hashOf(path) : null;
  return { path, source, kind: kind ?? kindOf(path), compression, size, modified, sha256 };
}

/** The first bytes say it, not the name. */
async function compressionOf(path: string): Promise<'gzip' | 'zstd' | null> {
  const start = await attempt('read', path, async () => {
    const handle = await open(path, 'r');
    try {
      return (await handle.read(Buffer.alloc(4), 0, 4, 0)).buffer;
    } finally {
      await handle.close();
    }
  });
  if (start.readUInt16BE(0) === 0x1f8b) return 'gzip';
  return start.readUInt32LE(0) === 0xfd2fb528 ? 'zstd' : null;
}

function kindOf(path: string): InputKind {
  const name = path.toLowerCase().replace(/\.(?:gz|zst|zstd)$/, '');
  if (name.endsWith('.parquet')) return 'parquet';
  return /\.(?:jsonl|ndjson|json)$/.test(name) ? 'jsonl' : 'text';
}

/** An input of a plan, open to be read. */
export interface InputFile extends AsyncDisposable {
  readonly input: DatasetInput;
  /** Reads bytes from a position on: as many as fit, and as there were when it was planned. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Throws if it has been written to since it was planned: what has been read since then may be of another file. */
  checkUnchanged(): Promise<void>;
}

/**
 * Opens an input, which is known by its size and time; throws if it is not as it was planned (`INPUT_CHANGED`). If only the time differs,
 * as after copying, a small file is read whole, compared by its hash, and kept in memory.
 */
export async function openInput(input: DatasetInput): Promise<InputFile> {
  const { path, size, modified, sha256 } = input;
  const handle = await attempt('read', path, () => open(path, 'r'));
  let content: Buffer | undefined;
  const about = () => attempt('read', path, () => handle.stat());
  const compare = ({ size: found, mtimeMs }: Stats) => {
    if (found !== size) throw changed(path, `had ${size} bytes and has ${found}`);
    if (mtimeMs !== modified) throw changed(path, 'has been written');
  };
  const file: InputFile = {
    input,
    async read(into, position) {
      const length = Math.min(into.length, size - position);
      if (content) return content.copy(into, 0, position, position + length);
      for (let at = 0; at < length; ) {
        const { bytesRead } = await attempt('read', path, () => handle.read(into, at, length - at, position + at));
        if (bytesRead === 0) throw changed(path, `has been cut at byte ${position + at}`);
        at += bytesRead;
      }
      return length;
    },
    async checkUnchanged() {
      if (!content) compare(await about());
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
  try {
    const found = await about();
    if (found.size !== size || found.mtimeMs === modified || sha256 === null) {
      compare(found);
      return file;
    }
    const whole = Buffer.allocUnsafeSlow(size);
    await file.read(whole, 0);
    if (createHash('sha256').update(whole).digest('hex') !== sha256) throw changed(path, 'has been written');
    content = whole;
    return file;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function changed(path: string, what: string): DatasetError {
  return new DatasetError(`${path} ${what} since it was planned: restore it, or plan again`, { code: 'INPUT_CHANGED', file: path });
}

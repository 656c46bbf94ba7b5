// The files of documents that arguments name, and whether they are still what was planned.

import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';

import { isPattern, matchesOf } from '../open/file-patterns.js';
import { DatasetError } from './dataset-error.js';
import { attempt } from './durable-files.js';
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

/** By the first bytes, whatever the file is called. */
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

/** The sha256 of a file, in hexadecimal. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  // Used again for all of it: new memory costs more than reading and hashing it.
  const chunk = Buffer.allocUnsafeSlow(512 * 1024);
  await attempt('read', path, async () => {
    const handle = await open(path, 'r');
    try {
      for (;;) {
        const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
        if (bytesRead === 0) break;
        hash.update(chunk.subarray(0, bytesRead));
      }
    } finally {
      await handle.close();
    }
  });
  return hash.digest('hex');
}

// The bytes of files, compared with their receipts while they are read.

import { type FileHandle, open } from 'node:fs/promises';

import { attempt, type FileContent, unlessMissing } from './durable-files.js';
import { damagedShard } from './receipts.js';
import { sha256Here } from './hash-thread.js';

/** Bytes to read at a time: ids of both widths fit in it without rest. */
const PART = 4 * 1024 * 1024;
const PARTS = 3;

/** The parts of a memory, of at most this many bytes each, as Node has them. */
export type ReadMemory = (size: number) => Buffer[];

/** Memory to read files into, one after the other: new memory costs more than reading. Shared, so that other threads can hash it. */
export function readMemory(): ReadMemory {
  let memory = new SharedArrayBuffer(0);
  return (size) => {
    if (memory.byteLength < PARTS * size) memory = new SharedArrayBuffer(PARTS * size);
    return Array.from({ length: PARTS }, (_, part) => Buffer.from(memory, part * size, size));
  };
}

/**
 * The bytes of a file, in parts, each of which is valid until the part after the next is asked for: while one is used, the next is
 * hashed, and the one after that read. Throws `damaged` at the end if the bytes are not those of the receipt, and reads no more than the
 * receipt says.
 */
export async function* checkedBytes(
  path: string,
  { bytes, sha256 }: FileContent,
  memory = readMemory(),
  hash = sha256Here(),
  damaged = damagedShard,
): AsyncGenerator<Buffer, void, undefined> {
  const parts = memory(Math.min(PART, 4 * Math.ceil((bytes + 1) / 4)));
  const handle = await attempt('read', path, () => open(path, 'r')).catch(unlessMissing);
  if (!handle) throw damaged(path, 'it is missing');
  let reading: Promise<Buffer> | undefined;
  let length = 0;
  try {
    const read = (part: number) => {
      reading = attempt('read', path, () => filled(handle, parts[part % PARTS] as Buffer));
      reading.catch(() => undefined); // somebody waits for it, unless something else fails first
    };
    read(0);
    for (let next = 1; length <= bytes; next++) {
      const part = (await reading) as Buffer;
      if (part.length === 0) break;
      read(next);
      length += part.length;
      await hash.update(part);
      yield part;
    }
  } finally {
    await reading?.catch(() => undefined);
    await handle.close();
  }
  const isSame = (await hash.digest()) === sha256 && length === bytes;
  if (!isSame) throw damaged(path, 'its bytes are not those that were written');
}

/** What follows in a file: as much as fits, unless it ends. */
async function filled(handle: FileHandle, into: Buffer): Promise<Buffer> {
  let length = 0;
  while (length < into.length) {
    const { bytesRead } = await handle.read(into, length, into.length - length, null);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return into.subarray(0, length);
}

// Files that are read whole. A path may be a pipe without a writer, a terminal or `/dev/zero`, which nobody could read to its end. So only
// regular files are read, and only up to a limit. The check is on the open descriptor, since the path may name another file by then.

import { type BigIntStats, closeSync, constants, fstatSync, openSync, readFileSync, readSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';

import { shownPath, type StatusCode, TokenizerError } from '../base/errors.js';

/** The kind of content a file is read as. */
export interface FileKind {
  noun: string;
  maxBytes: number;
  /** The beginning of its errors, before the path. Default: 'cannot read'. */
  failure?: string;
}

/** 128 bytes for each of the 2²¹ ids that a vocabulary can have; published lists have about 10 MB. */
export const TOKEN_LIST: FileKind = { noun: 'a list of tokens', maxBytes: 2 ** 28 };

const CARTRIDGE: FileKind = { noun: 'a cartridge', maxBytes: 2 ** 31 - 1, failure: 'cannot open the cartridge' };

/** `O_NONBLOCK`: opening a pipe does not wait for its writer. Windows lacks these flags. */
export const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
/** The engine's message for a path that it cannot read. */
const UNREADABLE = 'the path exists but cannot be read as a file';
/** Bytes to read at a time. */
const CHUNK = 1024 * 1024;

/** The bytes of a regular file. Throws a TokenizerError that names the path. */
export function readRegularFile(path: string, kind: FileKind): Buffer {
  try {
    const descriptor = openSync(path, FLAGS);
    try {
      refuseAllBut(kind, fstatSync(descriptor));
      return within(kind, readFileSync(descriptor));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw unreadable(error, path, kind.failure);
  }
}

/** Reads a regular file without blocking the thread; aborting the signal rejects the promise with its reason. */
export async function readRegularFileAsync(path: string, kind: FileKind, signal?: AbortSignal): Promise<Buffer> {
  try {
    const file = await open(path, FLAGS);
    try {
      refuseAllBut(kind, await file.stat());
      return within(kind, await file.readFile(signal && { signal }));
    } finally {
      await file.close();
    }
  } catch (error) {
    throw signal?.aborted ? signal.reason : unreadable(error, path, kind.failure);
  }
}

/** The bytes of a cartridge file, for engines that cannot open files. Throws the same error as an engine that can. */
export function readCartridge(path: string): Uint8Array {
  return readRegularFile(path, CARTRIDGE);
}

/** The first bytes of a regular file, for a message about it; undefined if it cannot be read. */
export function beginningOf(path: string, length: number): Uint8Array | undefined {
  const buffer = Buffer.allocUnsafeSlow(length);
  try {
    const descriptor = openSync(path, FLAGS);
    try {
      refuseIrregular(fstatSync(descriptor));
      return buffer.subarray(0, readSync(descriptor, buffer, 0, length, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

/** Passes the bytes of a regular file from `start` to before `end` to `take`, in parts that are valid only during the call. */
export function readInParts({ path, start, end }: { path: string; start: number; end: number }, take: (bytes: Uint8Array) => void): void {
  const buffer = Buffer.allocUnsafeSlow(CHUNK);
  const opened = attempt(path, () => openSync(path, FLAGS));
  try {
    attempt(path, () => refuseIrregular(fstatSync(opened)));
    for (let at = start; at < end; ) {
      const wanted = Math.min(buffer.length, end - at);
      const count = attempt(path, () => readSync(opened, buffer, 0, wanted, at));
      if (count === 0) return;
      take(buffer.subarray(0, count));
      at += count;
    }
  } finally {
    closeSync(opened);
  }
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw unreadable(error, path);
  }
}

/** Why a file is rejected; the path is added later. */
class Refusal {
  constructor(
    readonly code: StatusCode,
    readonly sentence: string,
  ) {}
}

/** Throws a refusal for anything but a regular file. */
export function refuseIrregular(about: Stats | BigIntStats): void {
  if (!about.isFile()) throw new Refusal('FILE_UNREADABLE', `${UNREADABLE}: it is ${inWords(about)}`);
}

function refuseAllBut(kind: FileKind, about: Stats): void {
  refuseIrregular(about);
  refuseLarger(kind, about.size);
}

/** The size of some files is known only when they are read: some systems report 0, and a file may grow. */
function within(kind: FileKind, bytes: Buffer): Buffer {
  refuseLarger(kind, bytes.length);
  return bytes;
}

function refuseLarger({ noun, maxBytes }: FileKind, size: number): void {
  if (size <= maxBytes) return;
  const limit = maxBytes < 2 ** 30 ? `${maxBytes / 2 ** 20} MiB` : `${Math.ceil(maxBytes / 2 ** 30)} GiB`;
  throw new Refusal('FILE_TOO_LARGE', `the file is larger than ${noun} may be (${limit})`);
}

function inWords(about: Stats | BigIntStats): string {
  if (about.isDirectory()) return 'a directory';
  if (about.isFIFO()) return 'a pipe';
  if (about.isSocket()) return 'a socket';
  return 'a device';
}

/** The error for a refusal or a system failure. `failure`: its beginning, before the path. */
export function unreadable(error: unknown, path: string, failure = 'cannot read'): TokenizerError {
  const { code, sentence, ...rest } = error instanceof Refusal ? error : ofSystem(error as NodeJS.ErrnoException);
  const advice = code === 'FILE_NOT_FOUND' && /[*?]/.test(path) ? ' (a path is expected here, not a pattern)' : '';
  return new TokenizerError(`${failure} ${shownPath(path)}: ${sentence}${advice}`, { code }, rest);
}

function ofSystem(cause: NodeJS.ErrnoException): { code: StatusCode; sentence: string; cause?: unknown } {
  if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(cause.code ?? '')) {
    return { code: 'FILE_NOT_FOUND', sentence: 'no file exists at the path' };
  }
  return { code: 'FILE_UNREADABLE', sentence: `${UNREADABLE}: ${cause.message}`, cause };
}

// Files that are there whole or not at all, even if the power fails: written under another name, flushed, renamed, and the
// folder flushed.

import { createHash, randomBytes } from 'node:crypto';
import { constants, copyFile, type FileHandle, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { failureOfFile } from './dataset-error.js';
import type { Sha256 } from './hash-thread.js';

/** The end of the name of a file that is not finished. */
const UNFINISHED = /\.unfinished-\d+-[0-9a-f]{8}$/;
/** Milliseconds without a write after which an unfinished file belongs to a process that is gone. */
const ABANDONED = 60 * 60 * 1000;
/** Flushing begins this early, so that little is left for the end. */
const FLUSHED = 16 * 1024 * 1024;

/** What a file holds, as receipts have it. */
export interface FileContent {
  bytes: number;
  sha256: string;
}

/** A file that is written from beginning to end. Several processes may write one at a time; the last has its name. */
export class DurableFile implements AsyncDisposable {
  readonly path: string;
  readonly #unfinished: string;
  readonly #handle: FileHandle;
  #length = 0;
  #flushed = 0;
  #flushing: Promise<void> | undefined;
  /** Why that failed: systems say it once, and not when the file is flushed again. */
  #failure: unknown;
  #isFlushed = false;
  #isOpen = true;
  /** The hash of what is appended; undefined once something is written elsewhere. */
  #hash: Sha256 | undefined;

  private constructor(path: string, unfinished: string, handle: FileHandle, hash: Sha256 | undefined) {
    this.path = path;
    this.#unfinished = unfinished;
    this.#handle = handle;
    this.#hash = hash;
  }

  /** `hash`: takes what is appended, for `content`. */
  static async create(path: string, hash?: Sha256): Promise<DurableFile> {
    const unfinished = `${path}.unfinished-${process.pid}-${randomBytes(4).toString('hex')}`;
    return new DurableFile(path, unfinished, await attempt('write', path, () => open(unfinished, 'wx')), hash);
  }

  async append(bytes: Uint8Array): Promise<void> {
    await Promise.all([this.#write(bytes, this.#length), this.#hash?.update(bytes)]); // which are different threads
    this.#length += bytes.length;
    if (this.#length - this.#flushed < FLUSHED || this.#flushing) return;
    this.#flushed = this.#length;
    const flushing = async () => {
      await this.#handle.datasync().catch((error: unknown) => (this.#failure ??= error));
      this.#flushing = undefined;
    };
    this.#flushing = flushing();
  }

  /** Writes anywhere. */
  async writeAt(bytes: Uint8Array, position: number): Promise<void> {
    this.#hash = undefined;
    await this.#write(bytes, position);
    this.#length = Math.max(this.#length, position + bytes.length);
  }

  /** What it holds, once all has been written; of a file that was written in another order, once it has its name. */
  async content(): Promise<FileContent> {
    return { bytes: this.#length, sha256: await (this.#hash?.digest() ?? hashOf(this.path)) };
  }

  /** Flushes what has been written. */
  async flush(): Promise<void> {
    await this.#flushing;
    if (this.#isFlushed) return;
    await attempt('write', this.path, async () => {
      if (this.#failure !== undefined) throw this.#failure;
      await this.#handle.datasync(); // the length with it, but not the times
    });
    this.#isFlushed = true;
  }

  /** Flushes it, and gives it its name; the folder is left to be flushed. */
  async finish(): Promise<void> {
    await this.flush();
    await attempt('write', this.path, async () => {
      await this.#close();
      await rename(this.#unfinished, this.path);
    });
  }

  /** Flushes it and gives it its name, unless a file has that name, which stays. Returns whether it has its name. */
  async finishNew(): Promise<boolean> {
    await this.flush();
    const isThere = ({ code }: NodeJS.ErrnoException) => code === 'EEXIST';
    return attempt('write', this.path, async () => {
      try {
        await link(this.#unfinished, this.path).catch((error) => {
          if (isThere(error)) throw error;
          // On a file system without links. Whoever reads the copy before it is whole finds it damaged.
          return copyFile(this.#unfinished, this.path, constants.COPYFILE_EXCL);
        });
      } catch (error) {
        if (isThere(error as NodeJS.ErrnoException)) return false;
        throw error;
      }
      await flushPath(this.path);
      return true;
    });
  }

  /** Leaves nothing of a file that has not been finished. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOpen) return;
    await this.#flushing;
    await this.#close().catch(() => undefined);
    await rm(this.#unfinished, { force: true }).catch(() => undefined);
  }

  async #write(bytes: Uint8Array, position: number): Promise<void> {
    this.#isFlushed = false;
    await attempt('write', this.path, async () => {
      for (let at = 0; at < bytes.length; ) {
        at += (await this.#handle.write(bytes, at, bytes.length - at, position + at)).bytesWritten;
      }
    });
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#handle.close();
  }
}

/** Writes a file whole, its name included. */
export async function writeDurably(path: string, text: string): Promise<void> {
  await using file = await DurableFile.create(path);
  await file.append(Buffer.from(text));
  await file.finish();
  await flushPath(dirname(path));
}

/** Writes a file whole, unless there is a file at the path, which stays. Returns whether it has been written. */
export async function createDurably(path: string, text: string): Promise<boolean> {
  await using file = await DurableFile.create(path);
  await file.append(Buffer.from(text));
  const isNew = await file.finishNew();
  await flushPath(dirname(path));
  return isNew;
}

/** Flushes a file, or the names given in a folder: they survive a power failure only after this. */
export async function flushPath(path: string): Promise<void> {
  if (process.platform === 'win32') return; // which cannot open folders, and flushes names with the files
  await attempt('write', path, async () => {
    const handle = await open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  });
}

/** Makes a folder, with all folders above it. */
export async function makeFolder(path: string): Promise<void> {
  await attempt('write', path, () => mkdir(path, { recursive: true }));
}

/** Removes what processes that are gone have left unfinished in a folder. */
export async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!UNFINISHED.test(name)) continue;
    const path = join(folder, name);
    const { mtimeMs = Number.POSITIVE_INFINITY } = (await stat(path).catch(() => undefined)) ?? {};
    if (Date.now() - mtimeMs > ABANDONED) await rm(path, { force: true }).catch(() => undefined);
  }
}

/** Calls the file system; a failure names the file. */
export async function attempt<Result>(doing: 'read' | 'write', path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw failureOfFile(error, doing, path);
  }
}

/** Catches the error for a file that is not there. */
export function unlessMissing(error: unknown): undefined {
  if (((error as Error).cause as NodeJS.ErrnoException | undefined)?.code !== 'ENOENT') throw error;
  return undefined;
}

/** The sha256 of a file, in hexadecimal. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  // One chunk for the whole file: new memory costs more than reading and hashing.
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

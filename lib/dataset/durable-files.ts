// Files that are there whole or not at all, even if the power fails: written under another name, flushed, renamed, and the
// folder flushed.

import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { failureOfFile } from './dataset-error.js';

/** What marks a file that is not finished. */
const UNFINISHED = '.unfinished-';
/** Milliseconds without a write after which an unfinished file belongs to a process that is gone. */
const ABANDONED = 60 * 60 * 1000;
/** Flushing begins this early, so that little is left for the end. */
const FLUSHED = 16 * 1024 * 1024;

/** A file that is written from beginning to end. Several processes may write one at a time; the last has its name. */
export class DurableFile implements AsyncDisposable {
  readonly path: string;
  readonly #unfinished: string;
  readonly #handle: FileHandle;
  #length = 0;
  #flushed = 0;
  #flushing: Promise<unknown> | undefined;
  #isFlushed = false;
  #isOpen = true;

  private constructor(path: string, unfinished: string, handle: FileHandle) {
    this.path = path;
    this.#unfinished = unfinished;
    this.#handle = handle;
  }

  static async create(path: string): Promise<DurableFile> {
    const unfinished = `${path}${UNFINISHED}${process.pid}-${randomBytes(4).toString('hex')}`;
    return new DurableFile(path, unfinished, await attempt('write', path, () => open(unfinished, 'wx')));
  }

  get length(): number {
    return this.#length;
  }

  async append(bytes: Uint8Array): Promise<void> {
    await this.#write(bytes, this.#length);
    this.#length += bytes.length;
    if (this.#length - this.#flushed < FLUSHED || this.#flushing) return;
    this.#flushed = this.#length;
    // A failure comes again when the file is finished.
    this.#flushing = this.#handle.datasync().catch(() => undefined);
    void this.#flushing.then(() => (this.#flushing = undefined));
  }

  /** Writes anywhere. */
  async writeAt(bytes: Uint8Array, position: number): Promise<void> {
    await this.#write(bytes, position);
    this.#length = Math.max(this.#length, position + bytes.length);
  }

  /** Flushes what has been written. */
  async flush(): Promise<void> {
    await this.#flushing;
    if (this.#isFlushed) return;
    // The length with it, but not the times.
    await attempt('write', this.path, () => this.#handle.datasync());
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
  await flushFolder(dirname(path));
}

/** Names given in a folder survive a power failure only after this. */
export async function flushFolder(path: string): Promise<void> {
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

/** Makes a folder, with those above it. */
export async function makeFolder(path: string): Promise<void> {
  await attempt('write', path, () => mkdir(path, { recursive: true }));
}

/** Removes what processes that are gone have left unfinished in a folder. */
export async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.includes(UNFINISHED)) continue;
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

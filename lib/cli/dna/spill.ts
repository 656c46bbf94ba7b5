// Text that is too long to be held in memory, in a file without a name that is gone with the process.

import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { InputError, reasonFor } from '../command-errors.js';
import { write } from '../output/standard-streams.js';

const CHUNK = 1024 * 1024;

export class Spill implements AsyncDisposable {
  readonly #handle: FileHandle;
  /** The files to remove at the end, on systems that cannot remove a file in use. */
  readonly #folder: string | undefined;
  #length = 0;

  private constructor(handle: FileHandle, folder: string | undefined) {
    this.#handle = handle;
    this.#folder = folder;
  }

  static async create(): Promise<Spill> {
    const folder = await attempt(() => mkdtemp(join(tmpdir(), 'crayon-')));
    const handle = await attempt(() => open(join(folder, 'ids'), 'wx+', 0o600));
    const isGone = await rm(folder, { recursive: true }).then(
      () => true,
      () => false,
    );
    return new Spill(handle, isGone ? undefined : folder);
  }

  get isUsed(): boolean {
    return this.#length > 0;
  }

  /** ASCII. */
  async append(text: string): Promise<void> {
    const bytes = Buffer.from(text, 'latin1');
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await attempt(() => this.#handle.write(bytes, at, bytes.length - at, this.#length));
      at += bytesWritten;
      this.#length += bytesWritten;
    }
  }

  clear(): void {
    this.#length = 0;
  }

  /** Copies all to standard output; it is empty afterwards. */
  async writeOut(): Promise<void> {
    const bytes = Buffer.allocUnsafe(Math.min(CHUNK, this.#length));
    for (let at = 0; at < this.#length; ) {
      const { bytesRead } = await attempt(() => this.#handle.read(bytes, 0, Math.min(bytes.length, this.#length - at), at));
      if (bytesRead === 0) throw new Error(`a temporary file in ${tmpdir()} has been cut`);
      await write(bytes.subarray(0, bytesRead));
      at += bytesRead;
    }
    this.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true }).catch(() => undefined);
  }
}

async function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new InputError(`cannot keep a record in ${tmpdir()}: ${reasonFor(error)}`);
  }
}

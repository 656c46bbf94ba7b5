// Files that commands write.

import { existsSync, realpathSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';

import { readRegularFileAsync, TOKEN_LIST } from '../../io/regular-file.js';
import { InputError, reasonFor } from '../command-errors.js';

/** Whether two paths name one file. */
export function isSameFile(a: string, b: string): boolean {
  const [one, other] = [statusOf(a), statusOf(b)];
  return one !== undefined && other !== undefined && one.dev === other.dev && one.ino === other.ino;
}

/** A file that is there already is replaced only if it is the list of a `.dat` that is replaced. */
export async function writeList(list: string, dat: string, text: string): Promise<void> {
  if (existsSync(list)) {
    if ((await readRegularFileAsync(list, TOKEN_LIST)).toString() === text) return;
    if (!existsSync(dat)) throw new InputError(`cannot write ${list}, the list of ${dat}: another file has that name`);
  }
  await writeWhole(list, text);
}

/** Writes a file under its name only when it is whole. */
export async function writeWhole(file: string, content: Uint8Array | string): Promise<void> {
  await using output = await OutputFile.create(file);
  await output.append(content);
  await output.finish();
}

/**
 * A file that is written in parts, and has its name only when it is whole, since other processes may have the old
 * one mapped. A device or a pipe is written to and never replaced.
 */
export class OutputFile {
  readonly #name: string;
  readonly #handle: FileHandle;
  /** Where it is while it is written, and the file that it becomes; undefined for a device or a pipe. */
  readonly #paths: { temporary: string; target: string } | undefined;
  #isOpen = true;
  /** How many bytes it has. */
  #length = 0;

  private constructor(name: string, handle: FileHandle, paths: { temporary: string; target: string } | undefined) {
    this.#name = name;
    this.#handle = handle;
    this.#paths = paths;
  }

  static async create(name: string): Promise<OutputFile> {
    const status = statusOf(name);
    try {
      if (status && !status.isFile()) return new OutputFile(name, await open(name, 'w'), undefined);
      const target = status ? realpathSync(name) : name; // a link stays a link
      const temporary = `${target}.${process.pid}.tmp`;
      return new OutputFile(name, await open(temporary, 'w'), { temporary, target });
    } catch (error) {
      throw cannotWrite(name, error);
    }
  }

  get length(): number {
    return this.#length;
  }

  async append(content: Uint8Array | string): Promise<void> {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    await this.#attempt(async () => {
      if (!this.#paths) return this.#handle.writeFile(bytes);
      for (let at = 0; at < bytes.length; ) {
        at += (await this.#handle.write(bytes, at, bytes.length - at, this.#length + at)).bytesWritten;
      }
    });
    this.#length += bytes.length;
  }

  /** Takes back all but its first bytes. */
  async cut(length: number): Promise<void> {
    if (length >= this.#length) return;
    if (!this.#paths) throw new InputError(`cannot take back what has been written to ${this.#name}, which is not a file`);
    await this.#attempt(() => this.#handle.truncate(length));
    this.#length = length;
  }

  /** Replaces its first bytes. */
  async rewriteStart(content: Uint8Array): Promise<void> {
    await this.#attempt(() => this.#handle.write(content, 0, content.length, 0));
  }

  /** Gives it its name. */
  async finish(): Promise<void> {
    await this.#attempt(async () => {
      await this.#close();
      if (this.#paths) await rename(this.#paths.temporary, this.#paths.target);
    });
  }

  /** Leaves nothing of a file that has not been finished. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close().catch(() => undefined);
    if (this.#paths) await rm(this.#paths.temporary, { force: true });
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#handle.close();
  }

  async #attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw cannotWrite(this.#name, error);
    }
  }
}

function cannotWrite(name: string, error: unknown): InputError {
  return new InputError(`cannot write ${name}: ${reasonFor(error, { ENOENT: 'no such directory' })}`);
}

function statusOf(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}

// An input while it is read: what was planned, from beginning to end.

import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

import { DatasetError } from '../dataset-error.js';
import { attempt } from '../durable-files.js';
import type { DatasetInput } from '../manifest.js';

/**
 * An input of a plan, known by its size and time. Where the time is another, as of a copy, a small file is read whole and known by its
 * hash, and what is read of it later is what was hashed.
 */
export class InputFile implements AsyncDisposable {
  readonly input: DatasetInput;
  readonly #handle: FileHandle;
  #content: Buffer | undefined;

  private constructor(input: DatasetInput, handle: FileHandle) {
    this.input = input;
    this.#handle = handle;
  }

  /** Throws if it is not as it was planned (`INPUT_CHANGED`). */
  static async open(input: DatasetInput): Promise<InputFile> {
    const { path, size, modified, sha256 } = input;
    const file = new InputFile(input, await attempt('read', path, () => open(path, 'r')));
    try {
      const about = await file.#about();
      if (about.size === size && about.mtimeMs !== modified && sha256 !== null) await file.#readWhole();
      else file.#compare(about);
      return file;
    } catch (error) {
      await file[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Reads bytes from a position on: as many as fit, and as there were when it was planned. */
  async read(into: Uint8Array, position: number): Promise<number> {
    const { path, size } = this.input;
    const length = Math.min(into.length, size - position);
    if (this.#content) return this.#content.copy(into, 0, position, position + length);
    for (let at = 0; at < length; ) {
      const { bytesRead } = await attempt('read', path, () => this.#handle.read(into, at, length - at, position + at));
      if (bytesRead === 0) throw changed(path, `has been cut at byte ${position + at}`);
      at += bytesRead;
    }
    return length;
  }

  /** Throws if it has been written to since it was planned: nobody knows what has been read of it since then. */
  async checkUnchanged(): Promise<void> {
    if (!this.#content) this.#compare(await this.#about());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }

  #about(): Promise<Stats> {
    return attempt('read', this.input.path, () => this.#handle.stat());
  }

  #compare(about: Stats): void {
    const { path, size, modified } = this.input;
    if (about.size !== size) throw changed(path, `had ${size} bytes and has ${about.size}`);
    if (about.mtimeMs !== modified) throw changed(path, 'has been written');
  }

  /** Of a file with another time. */
  async #readWhole(): Promise<void> {
    const { path, size, sha256 } = this.input;
    const content = Buffer.allocUnsafeSlow(size);
    await this.read(content, 0);
    if (createHash('sha256').update(content).digest('hex') !== sha256) throw changed(path, 'has been written');
    this.#content = content;
  }
}

function changed(path: string, what: string): DatasetError {
  return new DatasetError(`${path} ${what} since it was planned: restore it, or plan again`, { code: 'INPUT_CHANGED', file: path });
}

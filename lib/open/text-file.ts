// A file of text, in parts from its beginning to its end. It is read, by Node's own threads: a mapped file that another process
// truncates ends this one with SIGBUS. Only a file that cannot shrink, or of which the caller says so, may be mapped, by its
// descriptor.

import type { BigIntStats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { shownPath, TokenizerError, unexpected } from '../base/errors.js';
import { tagOf } from '../base/views.js';
import { FLAGS, refuseIrregular, unreadable } from './regular-file.js';

/** The most that one read asks for: it cannot be stopped. */
const READ = 16 * 1024 * 1024;

/** The path of a file: a path as `fs` takes it, or a `file:` URL. */
export function pathOf(path: unknown): string {
  if (path instanceof URL || tagOf(path) === 'URL') {
    const url = path as URL;
    if (url.protocol === 'file:') return fileURLToPath(url);
    throw new TypeError(`expected a file: URL for path but received ${shownPath(url.href)}`);
  }
  if (typeof path !== 'string' || path === '') throw unexpected('a path or file: URL', 'path', path);
  if (path.includes('\0')) throw unexpected('a path without NUL characters', 'path', path);
  return path;
}

/**
 * A regular file. Failures are TokenizerErrors that name the path.
 *
 * One that is written to while it is read is an error at its end: nobody could say of which of its states the text is. Its
 * size and time of modification tell. A file that another one replaces at its path is read to its own end.
 */
export class TextFile {
  readonly path: string;
  #file: Promise<FileHandle> | undefined;
  #isClosed = false;
  /** The file when it was opened. */
  #opened: BigIntStats | undefined;
  /** How many bytes `fill` has read. */
  #read = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** Opens it, once, and returns its size, which may change, and which some file systems do not know: then it is 0. */
  open(): Promise<number> {
    return this.#done(async () => {
      this.#file = open(this.path, FLAGS);
      const file = await this.#file;
      if (this.#isClosed) await file.close();
      const about = await file.stat({ bigint: true });
      refuseIrregular(about);
      this.#opened = about;
      return Number(about.size);
    });
  }

  /**
   * Reads the next bytes, as many as there is room for, fewer only at the end of the file. Returns how many. Throws at the end
   * if the file has changed since it was opened: FILE_UNREADABLE, with the byte that has been read up to.
   */
  async fill(target: Uint8Array): Promise<number> {
    let filled = 0;
    const about = await this.#done(async () => {
      const file = await this.#handle();
      while (filled < target.length) {
        const { bytesRead } = await file.read(target, filled, Math.min(target.length - filled, READ), null);
        if (bytesRead === 0) return file.stat({ bigint: true });
        filled += bytesRead;
      }
      return undefined;
    });
    this.#read += filled;
    if (about) this.#checkUnchanged(about);
    return filled;
  }

  /** Of the open file. */
  async descriptor(): Promise<number> {
    return (await this.#handle()).fd;
  }

  /** Throws if the file has changed since it was opened: FILE_UNREADABLE, with the byte that the caller has read up to. */
  async checkUnchanged(read: number): Promise<void> {
    const about = await this.#done(async () => (await this.#handle()).stat({ bigint: true }));
    this.#checkUnchanged(about, read);
  }

  /** The bytes from a position on, as far as there are some. Does not matter to `fill`. */
  at(position: number, length: number): Promise<Uint8Array> {
    return this.#done(async () => {
      const file = await this.#handle();
      const bytes = new Uint8Array(length);
      const { bytesRead } = await file.read(bytes, 0, length, position);
      return bytes.subarray(0, bytesRead);
    });
  }

  /** Closes it when what goes on has ended. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#file?.then((file) => file.close()).catch(() => undefined); // there is nobody to tell
  }

  #handle(): Promise<FileHandle> {
    return this.#file as Promise<FileHandle>;
  }

  #checkUnchanged(now: BigIntStats, read = this.#read): void {
    const before = this.#opened as BigIntStats;
    if (now.size === before.size && now.mtimeNs === before.mtimeNs) return;
    const sizes = `from ${before.size} to ${now.size} bytes`;
    const change = now.size < before.size ? `shrank ${sizes}` : now.size > before.size ? `grew ${sizes}` : 'was written to';
    throw new TokenizerError(
      `cannot read ${shownPath(this.path)}: the file ${change} while it was read, up to byte ${read}; ` +
        'read it again when nothing writes to it, or read a copy',
      { code: 'FILE_UNREADABLE', position: read },
    );
  }

  async #done<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw unreadable(error, this.path);
    }
  }
}

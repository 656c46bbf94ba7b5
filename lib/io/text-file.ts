// A text file that Node's threads read from beginning to end. It is not mapped, since a mapped file that another process truncates ends
// this one with SIGBUS: callers may map the descriptor of a file that cannot shrink, or that the user vouches for.

import type { BigIntStats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { shownPath, TokenizerError, unexpected } from '../base/errors.js';
import { tagOf } from '../base/views.js';
import { FLAGS, refuseIrregular, unreadable } from './regular-file.js';

/** The most to request per read, which cannot be aborted. */
const READ = 16 * 1024 * 1024;

/** The path of a file: a path as `fs` accepts it, or a `file:` URL. */
export function pathOf(path: unknown): string {
  if (path instanceof URL || tagOf(path) === 'URL') {
    const url = path as URL;
    if (url.protocol === 'file:') return fileURLToPath(url);
    throw new TypeError(`\`path\` must be a file: URL or a path; received ${shownPath(url.href)}`);
  }
  if (typeof path !== 'string' || path === '') throw unexpected('a path or file: URL', 'path', path);
  if (path.includes('\0')) throw unexpected('a path without NUL characters', 'path', path);
  return path;
}

/**
 * A regular file. Failures are TokenizerErrors that name the path.
 *
 * A file that changes while it is read gives an error at its end, since the text may mix two states: its size and modification time show
 * the change. A file whose path is replaced is read to its end.
 */
export class TextFile {
  readonly path: string;
  #file: Promise<FileHandle> | undefined;
  #isClosed = false;
  /** The file when it was opened. */
  #opened: BigIntStats | undefined;
  /** Bytes read by `fill` so far. */
  #read = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** Opens it, once, and returns its size, which may change; file systems that do not know it report 0. */
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
   * Reads the next bytes, as many as fit, fewer only at the end of the file. Returns how many. Throws at the end if the file
   * has changed since it was opened: FILE_UNREADABLE, with the number of bytes read.
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

  /** The descriptor of the open file. */
  async descriptor(): Promise<number> {
    return (await this.#handle()).fd;
  }

  /** Throws if the file has changed since it was opened: FILE_UNREADABLE, with the number of bytes the caller has read. */
  async checkUnchanged(read: number): Promise<void> {
    const about = await this.#done(async () => (await this.#handle()).stat({ bigint: true }));
    this.#checkUnchanged(about, read);
  }

  /** The bytes from a position, or as many as exist. Does not affect `fill`. */
  at(position: number, length: number): Promise<Uint8Array> {
    return this.#done(async () => {
      const file = await this.#handle();
      const bytes = new Uint8Array(length);
      const { bytesRead } = await file.read(bytes, 0, length, position);
      return bytes.subarray(0, bytesRead);
    });
  }

  /** Closes it after pending operations. */
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

// Records in Node: sources are files, and zlib inflates. The entry passes its parser.

import { markAsUntransferable } from 'node:worker_threads';

import { pathOf, TextFile } from '../../io/text-file.js';
import { shownPath } from '../../base/errors.js';
import { gunzipInNode } from '../../io/gunzip-in-node.js';
import { Reading, type RecordHost } from './reading.js';
import type { ByteSource } from '../../io/gzip.js';
import type { Opened } from './sources.js';

/** Bytes to read at a time. */
const CHUNK = 512 * 1024;
/** The last chunk returned, the one before, which is still valid, and the one being read. */
const BUFFERS = 3;

export function recordsInNode(parser: RecordHost['parser']): { Reading: typeof Reading; host: RecordHost } {
  return { Reading, host: { parser, open: openFile, inflate: async () => gunzipInNode, protect: markAsUntransferable } };
}

function openFile(location: string | URL): Opened {
  const path = pathOf(typeof location === 'string' && location.startsWith('file:') ? new URL(location) : location);
  return { source: new FileSource(path), name: shownPath(path) };
}

/** Reads one chunk ahead. */
class FileSource implements ByteSource {
  readonly #file: TextFile;
  readonly #buffers: Buffer[] = Array.from({ length: BUFFERS }, () => Buffer.allocUnsafeSlow(CHUNK));
  #reading: Promise<number> | undefined;
  #isOpen = false;

  constructor(path: string) {
    this.#file = new TextFile(path);
  }

  async next(): Promise<Uint8Array | undefined> {
    if (!this.#isOpen) {
      this.#isOpen = true;
      await this.#file.open();
      this.#readAhead();
    }
    if (!this.#reading) return undefined;
    const filled = await this.#reading;
    this.#reading = undefined;
    const buffer = this.#buffers.shift() as Buffer;
    this.#buffers.push(buffer);
    if (filled === buffer.length) this.#readAhead();
    else this.#file.close();
    return filled > 0 ? buffer.subarray(0, filled) : undefined;
  }

  cancel(): void {
    this.#file.close();
  }

  #readAhead(): void {
    this.#reading = this.#file.fill(this.#buffers[0] as Buffer);
    this.#reading.catch(() => undefined); // the next call of `next` reports it
  }
}

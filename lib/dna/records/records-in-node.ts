// Records in Node: sources are files, and zlib inflates. The entry passes its parser.

import { markAsUntransferable } from 'node:worker_threads';

import { pathOf, TextFile } from '../../io/text-file.js';
import { shownPath } from '../../base/errors.js';
import { gunzipInNode } from '../../io/gunzip-in-node.js';
import { Reading, type RecordHost } from './reading.js';
import type { ByteSource } from '../../io/gzip.js';
import type { NamedSource } from './sources.js';

/** Bytes to read at a time. */
const CHUNK = 512 * 1024;
/** The last chunk returned, the one before, which is still valid, and the one being read. */
const BUFFERS = 3;

export function recordsInNode(parser: RecordHost['parser']): { Reading: typeof Reading; host: RecordHost } {
  return { Reading, host: { parser, open: openFile, inflate: async () => gunzipInNode, protect: markAsUntransferable } };
}

function openFile(location: string | URL): NamedSource {
  const path = pathOf(typeof location === 'string' && location.startsWith('file:') ? new URL(location) : location);
  return { source: fileSource(path), name: shownPath(path) };
}

/** Reads one chunk ahead. */
function fileSource(path: string): ByteSource {
  const file = new TextFile(path);
  const buffers: Buffer[] = Array.from({ length: BUFFERS }, () => Buffer.allocUnsafeSlow(CHUNK));
  let reading: Promise<number> | undefined;
  let isOpen = false;
  const readAhead = () => {
    reading = file.fill(buffers[0] as Buffer);
    reading.catch(() => undefined); // the next call of `next` reports it
  };
  return {
    async next() {
      if (!isOpen) {
        isOpen = true;
        await file.open();
        readAhead();
      }
      if (!reading) return undefined;
      const filled = await reading;
      reading = undefined;
      const buffer = buffers.shift() as Buffer;
      buffers.push(buffer);
      if (filled === buffer.length) readAhead();
      else file.close();
      return filled > 0 ? buffer.subarray(0, filled) : undefined;
    },
    cancel: () => file.close(),
  };
}

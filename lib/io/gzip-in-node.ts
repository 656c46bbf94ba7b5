// Texts in Node that may be gzip-compressed, judged by their first bytes.

import { shownPath } from '../base/errors.js';
import { type ByteSource, inflated, isGzip } from './gzip.js';
import { beginningOf } from './regular-file.js';
import { TextFile } from './text-file.js';

/** Bytes to read at a time. */
const CHUNK = 512 * 1024;

/** Whether a file begins like gzip. An unreadable file does not. */
export function isGzipFile(path: string): boolean {
  const start = beginningOf(path, 2);
  return start !== undefined && isGzip(start);
}

/** The bytes of a file, inflated if compressed. The caller owns each chunk. */
export function inflatedFile(path: string): AsyncGenerator<Uint8Array> {
  const file = new TextFile(path);
  async function* chunks() {
    try {
      await file.open();
      for (;;) {
        const chunk = new Uint8Array(CHUNK);
        const filled = await file.fill(chunk);
        if (filled > 0) yield chunk.subarray(0, filled);
        if (filled < CHUNK) return;
      }
    } finally {
      file.close();
    }
  }
  return inflatedChunks(chunks(), shownPath(path));
}

/** The bytes of chunks, inflated if compressed. `name`: the name of their source, for errors about truncated or damaged data. */
export async function* inflatedChunks(chunks: AsyncGenerator<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const source: ByteSource = {
    next: async () => (await chunks.next()).value as Uint8Array | undefined,
    cancel: () => void chunks.return(undefined),
  };
  let plain = source;
  try {
    plain = await inflated(source, name, async () => (await import('./gunzip-in-node.js')).gunzipInNode);
    for (let chunk: Awaited<ReturnType<typeof plain.next>>; (chunk = await plain.next()); ) yield chunk;
  } finally {
    plain.cancel();
  }
}

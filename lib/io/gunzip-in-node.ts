// gzip in Node, by zlib.

import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

import type { ByteSource, GzipFailures } from './gzip.js';

/** Bytes to inflate at a time. */
const CHUNK = 256 * 1024;

export function gunzipInNode(source: ByteSource, failures: GzipFailures): ByteSource {
  const gunzip = createGunzip({ chunkSize: CHUNK });
  let passed = 0;
  /** Where the last byte ends that is not 0: zeros behind the last member are padding. */
  let filled = 0;
  let lost: { error: unknown } | undefined;
  async function* chunks() {
    try {
      for (let bytes: Awaited<ReturnType<typeof source.next>>; (bytes = await source.next()); ) {
        const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
        if (end > 0) filled = passed + end;
        passed += bytes.length;
        // Copied: the source may reuse its memory before zlib has read it.
        if (bytes.length > 0) yield Buffer.from(bytes);
      }
    } catch (error) {
      lost = { error };
      throw error;
    }
  }
  // The iterator throws errors, too.
  pipeline(Readable.from(chunks(), { highWaterMark: 1 }), gunzip, () => undefined);
  const iterator = gunzip[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  return {
    async next() {
      try {
        const { done, value } = await iterator.next();
        if (!done) return value;
      } catch (error) {
        if (lost) throw lost.error;
        const { code, message } = error as NodeJS.ErrnoException;
        throw code === 'Z_BUF_ERROR' ? failures.truncated() : failures.damaged(message, error);
      }
      // zlib ignores trailing data that does not begin a member.
      if (gunzip.bytesWritten < filled) throw failures.damaged('trailing data after the gzip stream');
      return undefined;
    },
    cancel() {
      gunzip.destroy();
      source.cancel();
    },
  };
}

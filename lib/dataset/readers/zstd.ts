// Inflates zstd: by Node where it can (22.15 and later), else in JavaScript, at about a tenth of the speed.

import { Transform } from 'node:stream';
import zlib from 'node:zlib';

type WithZstd = typeof zlib & { createZstdDecompress?: (options?: { chunkSize?: number }) => Transform };

export async function zstdDecompressor(): Promise<Transform> {
  const create = (zlib as WithZstd).createZstdDecompress;
  return create ? create({ chunkSize: 256 * 1024 }) : inJavaScript(await import('../columns.js'));
}

function inJavaScript({ Decompress }: typeof import('../columns.js')): Transform {
  let inflated = 0;
  const stream = new Decompress((chunk) => {
    inflated += chunk.length;
    // It reuses its memory.
    transform.push(Buffer.from(chunk));
  });
  const transform = new Transform({
    readableHighWaterMark: 1024 * 1024,
    transform: (chunk: Uint8Array, _encoding, done) => done(failureOf(() => stream.push(chunk))),
    flush: (done) => done(failureOf(() => stream.push(new Uint8Array(0), true))),
  });
  const failureOf = (work: () => void): Error | undefined => {
    try {
      work();
      return undefined;
    } catch (error) {
      return new Error(`${(error as Error).message} after ${inflated} bytes`);
    }
  };
  return transform;
}

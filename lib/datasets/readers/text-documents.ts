// Text with a separator between documents, or a file that is one document.

import { isUtf8 } from 'node:buffer';

import { type DocumentReader, LONGEST } from '../text-batch.js';
import { type ByteWindow, readerOf } from './input-bytes.js';

/** `separator`: null if the input is one document. */
export function textDocuments(window: ByteWindow, separator: string | null): DocumentReader {
  const ending = separator === null ? undefined : Buffer.from(separator);
  const tooLong = ending
    ? `no separator ends it within ${LONGEST} bytes`
    : `it is longer than ${LONGEST} bytes: say what separates its documents (--separator)`;
  /** How many bytes of the window are known to begin no separator. */
  let searched = 0;

  /** The length of the next document, and the same with its separator; 0 behind the last. */
  async function next(): Promise<{ length: number; taken: number }> {
    for (;;) {
      const { bytes } = window;
      if (ending) {
        const { length } = ending;
        const found = bytes.indexOf(ending, searched);
        searched = found < 0 ? Math.max(0, bytes.length - length + 1) : 0;
        if (found >= 0) return { length: found, taken: found + length };
      }
      if (bytes.length <= LONGEST && (await window.more())) continue;
      searched = 0;
      return { length: bytes.length, taken: bytes.length };
    }
  }

  return readerOf(window, async (batch, size) => {
    while (batch.size < size) {
      const { length, taken } = await next();
      if (taken === 0) return 'end';
      const begin = window.position;
      const text = window.bytes.subarray(0, length);
      window.take(taken);
      if (length === 0) batch.empty++;
      else if (length > LONGEST) return { begin, reason: tooLong };
      else if (!isUtf8(text)) return { begin, reason: 'it is not UTF-8' };
      else batch.addBytes(text, begin);
    }
    return 'full';
  });
}

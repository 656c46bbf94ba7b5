// The addon's record parser.

import type { OpenParser, ReadParts } from '../records/parser.js';
import { failed, native } from './addon.js';

/** Throws the loader's error if no addon loaded. */
export function nativeRecords(): OpenParser {
  const { addon } = native();
  return (format, capacity) => {
    const handle = addon.recordsBegin(format);
    if (handle < 0) throw failed('cannot read records');
    const bytes = new Uint8Array(capacity.bytes);
    const parts = new Uint32Array(capacity.words);
    const progress = new Uint32Array(6);
    const read: ReadParts = { consumed: 0, more: false, bytes, parts, count: 0 };
    return {
      read(input, last) {
        const answer = addon.recordsRead(handle, input, last, bytes, parts, progress);
        const [consumed = 0, , reason = 0, record = 0, recordHigh = 0, count = 0] = progress;
        if (answer < 0) {
          const failure = addon.failure();
          if (failure.code !== 'INVALID_RECORD') throw failed('cannot read records');
          read.failure = { reason, record: recordHigh * 2 ** 32 + record, position: failure.position };
        }
        read.consumed = consumed;
        read.more = answer > 0;
        read.count = count;
        return read;
      },
      end: () => void addon.recordsEnd(handle),
    };
  };
}

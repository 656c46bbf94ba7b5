// Reads the records of FASTA and FASTQ: crayon_records.

import type { OpenParser, ReadParts } from './record-parser.js';
import { countIn, type EngineHost, failedIn } from './binding.js';
import type { RecordFunctions } from './functions.js';

/** Where records are read. */
export type RecordEngine = EngineHost & RecordFunctions;

/** Bytes of input in a call. */
const MAX_INPUT = 256 * 1024;
/** Words of crayon_records_progress. */
const PROGRESS_WORDS = 5;

/** `take`: where a file is read; `give`: it has been. */
export function recordsOn<Engine extends RecordEngine>(take: () => Engine, give: (engine: Engine) => void = () => {}): OpenParser {
  return (format, capacity) => {
    const engine = take();
    const records = engine.recordsCreate(format, '');
    if (records < 0) throw failedIn(engine, 'cannot read records');
    const bytes = new Uint8Array(capacity.bytes);
    const parts = new Uint32Array(capacity.words);
    const progress = new Uint32Array(PROGRESS_WORDS);
    let isOpen = true;
    return {
      read(input, last) {
        const part = input.subarray(0, MAX_INPUT);
        const isLast = last && part.length === input.length ? 1 : 0;
        const answer = engine.recordsRead(records, part, isLast, bytes, parts, progress);
        const [consumed = 0, , reason = 0, record = 0, recordHigh = 0] = progress;
        const more = answer < -1 || part.length < input.length;
        const read: ReadParts = { consumed, more, bytes, parts, count: countIn(answer) };
        if (answer !== -1) return read;
        const { code, position } = engine.failure();
        if (code !== 'INVALID_RECORD') throw failedIn(engine, 'cannot read records');
        return { ...read, more: false, count: engine.resultCount(), failure: { reason, record: recordHigh * 2 ** 32 + record, position } };
      },
      end() {
        if (!isOpen) return;
        isOpen = false;
        engine.recordsRelease(records);
        give(engine);
      },
    };
  };
}

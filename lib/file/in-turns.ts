// The tokens of a file on the thread itself, in turns, where there are no other threads: one text of a session, whose
// parts are as long as those that are read.

import type { TextSession } from '../tokenizer/engine.js';
import type { FilePart, Reading } from '../tokenizer/host.js';
import { SLICE } from '../tokenizer/pause.js';
import { inTurns, type Work } from '../tokenizer/turns.js';
import type { ByteSource, Wait } from './source.js';

/** Bytes that are read at a time. */
const WINDOW = 1024 * 1024;

export async function* partsInTurns(
  source: ByteSource,
  session: Required<TextSession>,
  { counting, window = WINDOW }: Reading,
  wait: Wait,
  signal: AbortSignal | undefined,
): AsyncGenerator<FilePart, void, undefined> {
  let bytes = new Uint8Array(window);
  let other = new Uint8Array(window);
  let reading = source.fill(bytes);
  let counted = 0;
  for (let begin = 0; ; ) {
    const filled = await wait(reading);
    const last = filled < window;
    if (!last) {
      reading = source.fill(other);
      reading.catch(() => undefined); // it is awaited later
    }
    const total = await inTurns(feed(session, bytes.subarray(0, filled), last), signal);
    const end = session.position();
    const ids = counting ? new Uint32Array(0) : session.take();
    yield { ids, tokens: counting ? total - counted : total, begin, end };
    if (last) return;
    if (counting) counted = total;
    begin = end;
    [bytes, other] = [other, bytes];
  }
}

/** Feeds a part; the session's total. */
function* feed(session: TextSession, bytes: Uint8Array, last: boolean): Work<number> {
  let at = 0;
  for (; bytes.length - at > SLICE; at += SLICE) {
    session.feed(bytes.subarray(at, at + SLICE), false);
    yield;
  }
  return session.feed(bytes.subarray(at), last);
}

// Ids and text in chunks, for generators: each chunk is as short as possible and holds whole characters.

import { SPECIAL_AS_TEXT } from '../../api/arguments.js';
import type { TextSession } from '../../engine/engine.js';
import { count as countOf } from '../../api/encode-texts.js';
import { type OpenEncoding, textOfToken, type TokenText } from './open-encoding.js';

/** UTF-16 units to encode first; the windows grow, so that stopping early costs little. */
const FIRST_WINDOW = 512;
const LAST_WINDOW = 64 * 1024;

// A generator that is abandoned halfway never reaches its end.
const abandoned = new FinalizationRegistry<TextSession>((session) => session.end());

/** The windows of a text, and whether each is the last. */
function* windowsOf(text: string): Generator<[part: string, last: boolean]> {
  let window = FIRST_WINDOW;
  let at = 0;
  for (; text.length - at > window; at += window, window = Math.min(2 * window, LAST_WINDOW)) {
    yield [text.slice(at, at + window), false];
  }
  yield [text.slice(at), true];
}

/** The number of tokens of a text; above `limit`, any number greater than it. */
export function countUpTo(encoding: OpenEncoding, text: string, limit: number): number {
  if (text.length <= FIRST_WINDOW) return countOf(encoding.vocabulary, text);
  const session = encoding.vocabulary.engine.begin(SPECIAL_AS_TEXT, true);
  try {
    let count = 0;
    for (const [part, last] of windowsOf(text)) {
      count = session.feed(part, last);
      if (count > limit) break;
    }
    return count;
  } finally {
    session.end();
  }
}

/** The ids of a text's parts, chunk by chunk; returns the length of the last chunk. */
export function encodeChunks(encoding: OpenEncoding, parts: (string | number)[]): Generator<number[], number, undefined> {
  const session = encoding.vocabulary.engine.begin(SPECIAL_AS_TEXT, false);
  const chunks = chunksOf(encoding, session, parts);
  abandoned.register(chunks, session);
  return chunks;
}

function* chunksOf(encoding: OpenEncoding, session: TextSession, parts: (string | number)[]): Generator<number[], number, undefined> {
  let length = 0;
  try {
    for (const part of parts) {
      if (typeof part === 'number') {
        length = 1;
        yield [part];
        continue;
      }
      let chunk: number[] = [];
      let missing = 0;
      for (const [window, last] of windowsOf(part)) {
        session.feed(window, last);
        for (const id of session.take()) {
          chunk.push(id);
          missing = missingAfter(textOfToken(encoding, id) as TokenText, missing);
          if (missing > 0) continue;
          length = chunk.length;
          yield chunk;
          chunk = [];
        }
      }
    }
    return length;
  } finally {
    session.end();
  }
}

/** How many bytes the last character still lacks after this token, if it lacked `missing` before. */
function missingAfter(token: TokenText, missing: number): number {
  if (typeof token === 'string') return 0;
  for (const byte of token) {
    if (byte >= 0xf0) missing = 3;
    else if (byte >= 0xe0) missing = 2;
    else if (byte >= 0xc0) missing = 1;
    else if (byte >= 0x80) missing -= 1;
  }
  return missing;
}

// Calls on whole texts in an instance: what is hot, and therefore written by hand.

import type { TextPolicy } from '../../engine/engine.js';
import type { Handle } from '../../engine/functions.js';
import { NumberChunks } from '../../engine/number-chunks.js';
import { beginText, readInto } from '../../engine/session.js';
import type { TokenizerEngine } from '../../engine/host-tokenizer.js';
import type { UnsharedUint32Array } from '../../base/typed-arrays.js';
import { WINDOW, type WasmCore } from './core.js';

/**
 * The longest text that is always passed unit by unit: for longer ASCII text `encodeInto` is faster, although a call
 * takes 40 ns in Node and 200 ns in Chromium. Only Node has a bulk copy of units (November 2026).
 */
const BY_UNITS = 256;
const BY_UNITS_IN_NODE = 16;
/** The shortest text for which copying the units is as fast as converting them. */
const BY_COPY = 1024;
/** The most that a call counts. */
const MOST_COUNTED = 0xffffffff;

const utf8 = new TextEncoder();

/** Feeds a string of at most a window, which splits no surrogate pair, in the form that is the fastest to pass. */
export function feedString(core: WasmCore, encoder: Handle, text: string, last: number): number {
  const { length } = text;
  const { writeUnits, engine } = core;
  if (length <= (writeUnits ? BY_UNITS_IN_NODE : BY_UNITS) || (!writeUnits && !looksLikeAscii(text))) {
    const { units } = core;
    const at = core.text >>> 1;
    for (let i = 0; i < length; i++) units[at + i] = text.charCodeAt(i);
  } else if (writeUnits && length >= BY_COPY) {
    writeUnits(text, core.text);
  } else {
    return engine.crayon_encoder_feed_utf8(encoder, core.text, utf8.encodeInto(text, core.textBytes).written, last, core.result);
  }
  return engine.crayon_encoder_feed_utf16(encoder, core.text, length, last, core.result);
}

/** Begins a text, and feeds it. */
function feedWhole(core: WasmCore, engine: TokenizerEngine, encoder: Handle, text: string | Uint8Array, policy: TextPolicy): void {
  if (typeof policy !== 'number') beginText(engine, encoder, policy);
  else if (core.engine.crayon_encoder_begin(encoder, policy, 0, 0, core.result) !== 0) throw core.failed('cannot encode');
  let status: number;
  if (typeof text === 'string') {
    status = feedString(core, encoder, text, 1);
  } else {
    core.textBytes.set(text);
    status = core.engine.crayon_encoder_feed_utf8(encoder, core.text, text.length, 1, core.result);
  }
  if (status !== 0) throw core.failed('cannot encode');
}

/** The ids of a whole text of at most a window. */
export function encodeWhole(
  core: WasmCore,
  engine: TokenizerEngine,
  encoder: Handle,
  text: string | Uint8Array,
  policy: TextPolicy,
): UnsharedUint32Array {
  feedWhole(core, engine, encoder, text, policy);
  if (core.engine.crayon_encoder_read(encoder, core.numbers, WINDOW, core.result) !== 0) throw core.failed('cannot encode');
  const { count } = core;
  const at = core.numbers >>> 2;
  if (!core.more) return core.ids.copy(core.words, at, count);
  const ids = new NumberChunks();
  ids.append(core.words.subarray(at, at + count));
  readInto(engine, encoder, ids, WINDOW);
  return ids.take();
}

/** The number of tokens of a whole text of at most a window; stops at `limit`, or when that many are certain. */
export function countWhole(
  core: WasmCore,
  engine: TokenizerEngine,
  encoder: Handle,
  text: string | Uint8Array,
  policy: TextPolicy,
  limit: number,
): number {
  feedWhole(core, engine, encoder, text, policy);
  let sum = 0;
  do {
    if (sum >= limit) return sum;
    const status = core.engine.crayon_encoder_count(encoder, Math.min(limit - sum, MOST_COUNTED), core.result);
    if (status !== 0) throw core.failed('cannot count');
    sum += core.count;
  } while (core.more);
  return sum + (core.engine.crayon_encoder_pending_tokens(encoder) >>> 0) >= limit ? limit : sum;
}

/** Guesses from a few characters. For other texts, browsers convert units more slowly than they return them. */
function looksLikeAscii(text: string): boolean {
  const step = (text.length >>> 5) + 1;
  for (let i = 0; i < text.length; i += step) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

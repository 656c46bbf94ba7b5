// Ids to bytes and strings: ids are passed to the instance, and bytes read from it, one window at a time.

import { concatenated, type UnsharedUint8Array } from '../../base/typed-arrays.js';
import { TokenizerError } from '../../base/errors.js';
import { WINDOW, WINDOW_BYTES, type WasmCore } from './core.js';

const SKIP_SPECIAL = 1;
/** The longest text that is decoded byte by byte. */
const BY_BYTES = 24;

const whole = new TextDecoder('utf-8', { ignoreBOM: true });

/** The text of ids. */
export function decodeText(core: WasmCore, tokenizer: number, ids: Uint32Array, skipSpecial: boolean): string {
  if (ids.length <= WINDOW) {
    const { count, at } = decodeWindow(core, tokenizer, ids, 0, skipSpecial);
    if (at === ids.length) return short(core.textBytes, count) ?? whole.decode(core.textBytes.subarray(0, count));
  }
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  try {
    eachWindow(core, tokenizer, ids, skipSpecial, (bytes) => {
      text += decoder.decode(bytes, { stream: true });
    });
    return text + decoder.decode();
  } catch (error) {
    if (!(error instanceof RangeError) || /call stack/i.test(error.message)) throw error;
    // `+=` can fail only for this reason; decodeBytes can still return the text.
    const message = `cannot decode ${ids.length} ids: their text is longer than a string can be`;
    throw new TokenizerError(message, { code: 'TEXT_TOO_LONG' }, { cause: error });
  }
}

/** The bytes of ids. */
export function decodeToBytes(core: WasmCore, tokenizer: number, ids: Uint32Array, skipSpecial: boolean): UnsharedUint8Array {
  if (ids.length <= WINDOW) {
    const { count, at } = decodeWindow(core, tokenizer, ids, 0, skipSpecial);
    if (at === ids.length) return core.textBytes.slice(0, count);
  }
  const parts: Uint8Array[] = [];
  eachWindow(core, tokenizer, ids, skipSpecial, (bytes) => {
    parts.push(bytes.slice());
  });
  return concatenated(Uint8Array, parts);
}

/** A short ASCII text; undefined for any other. */
function short(bytes: Uint8Array, count: number): string | undefined {
  if (count > BY_BYTES) return undefined;
  let text = '';
  for (let i = 0; i < count; i++) {
    const byte = bytes[i] as number;
    if (byte >= 0x80) return undefined;
    text += String.fromCharCode(byte);
  }
  return text;
}

/** Passes the bytes on, one window at a time; they are valid only during the callback. */
function eachWindow(core: WasmCore, tokenizer: number, ids: Uint32Array, skipSpecial: boolean, take: (bytes: Uint8Array) => void): void {
  for (let from = 0; from < ids.length; ) {
    const { count, at } = decodeWindow(core, tokenizer, ids, from, skipSpecial);
    if (at > from) {
      take(core.textBytes.subarray(0, count));
      from = at;
    } else {
      // A token longer than the buffer.
      take(decodeLong(core, tokenizer, ids[from] as number));
      from++;
    }
  }
}

/** Decodes a window of ids into the text buffer: returns the byte count and the first id that did not fit. */
function decodeWindow(core: WasmCore, tokenizer: number, ids: Uint32Array, from: number, skipSpecial: boolean) {
  const part = from === 0 && ids.length <= WINDOW ? ids : ids.subarray(from, from + WINDOW);
  const flags = skipSpecial ? SKIP_SPECIAL : 0;
  const { length } = part;
  const { words } = core;
  const to = core.numbers >>> 2;
  if (length <= 16) for (let i = 0; i < length; i++) words[to + i] = part[i] as number;
  else words.set(part, to);
  if (core.engine.crayon_decode(tokenizer, core.numbers, length, flags, core.text, WINDOW_BYTES, core.result) !== 0) {
    const failure = core.failure();
    if (failure.code === 'INVALID_ID') failure.position += from;
    throw new TokenizerError(`cannot decode: ${failure.sentence}`, failure);
  }
  return { count: core.count, at: from + core.position };
}

function decodeLong(core: WasmCore, tokenizer: number, id: number): Uint8Array {
  const address = core.engine.crayon_tokenizer_token_bytes(tokenizer, id, core.out) >>> 0;
  return core.bytes.subarray(address, address + core.outWord(0));
}

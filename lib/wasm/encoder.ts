// An encoder of an instance: takes text one window at a time, returns ids or counts. One text at a time; `begin` starts
// the next.

import type { EngineUnit, PartForm, Side, TextPolicy } from '../engine/engine.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import { IdBuffer } from './id-buffer.js';
import { NumberChunks } from './number-chunks.js';
import { WINDOW, WINDOW_BYTES, type WasmCore } from './core.js';

const SPECIAL_LISTED = 3;
/** The units of offsets, in the order of the engine's numbers. */
const UNITS: readonly EngineUnit[] = ['bytes', 'utf16', 'pieces', 'words', 'spaces'];
/**
 * The longest text that is always passed unit by unit: for longer ASCII text `encodeInto` is faster, although a call
 * takes 40 ns in Node and 200 ns in Chromium. Only Node has a bulk copy of units (November 2026).
 */
const BY_UNITS = 256;
const BY_UNITS_IN_NODE = 16;
/** The shortest text for which copying the units is as fast as converting them. */
const BY_COPY = 1024;
/** Means no limit on a count. */
const NO_LIMIT = 0xffffffff;

const utf8 = new TextEncoder();

export class WasmEncoder {
  readonly core: WasmCore;
  readonly #encoder: number;
  readonly #buffer: IdBuffer;
  /** The high surrogate that ended the previous string; the next one may begin with the other half. */
  #half = '';

  constructor(core: WasmCore, tokenizer: number) {
    this.core = core;
    if (core.engine.crayon_encoder_create(tokenizer, core.out, core.result) !== 0) throw core.failed('cannot encode');
    this.#encoder = core.outWord(0);
    this.#buffer = new IdBuffer(core);
  }

  /** For other functions of the engine that take an encoder; its text is lost. */
  get address(): number {
    return this.#encoder;
  }

  release(): void {
    this.#buffer.release();
    this.core.engine.crayon_encoder_release(this.#encoder);
  }

  begin(policy: TextPolicy): void {
    const { core } = this;
    this.#half = '';
    if (typeof policy === 'number') return this.#begin(policy, 0, 0);
    if (!('ranges' in policy)) {
      return core.withBytes(bytesOf(policy), (ids) => this.#begin(SPECIAL_LISTED, ids, policy.length));
    }
    const { control, ranges } = policy;
    core.withBytes(bytesOf(control), (ids) =>
      core.withBytes(bytesOf(ranges), (rangesAt) => {
        const { engine, result } = core;
        const pairs = ranges.length >>> 1;
        const status = engine.crayon_encoder_begin_masked(this.#encoder, ids, control.length, rangesAt, pairs, result);
        if (status !== 0) throw core.failed('cannot encode');
      }),
    );
  }

  #begin(special: number, allowed: number, count: number): void {
    const { core } = this;
    const status = core.engine.crayon_encoder_begin(this.#encoder, special, allowed, count, core.result);
    if (status !== 0) throw core.failed('cannot encode');
  }

  /** Feeds a whole text that is no longer than a window. */
  feedWhole(text: string): void {
    this.#feedString(text, true);
  }

  /** Feeds a string of any length, which may end inside a surrogate pair; `ready` reads results after each window. */
  feedText(part: string, last: boolean, ready: () => boolean): void {
    let text = part;
    if (this.#half !== '') {
      text = this.#half + part;
      this.#half = '';
    }
    if (!last && isHighSurrogate(text, text.length - 1)) {
      this.#half = text.slice(-1);
      text = text.slice(0, -1);
    }
    let at = 0;
    do {
      let end = Math.min(at + WINDOW, text.length);
      if (end < text.length && isHighSurrogate(text, end - 1)) end--;
      const isEnd = end === text.length;
      this.#feedString(at === 0 && isEnd ? text : text.slice(at, end), last && isEnd);
      at = end;
      if (!ready()) return;
    } while (at < text.length);
  }

  /** The same for bytes of any length. */
  feedBytes(bytes: Uint8Array, last: boolean, ready: () => boolean): void {
    if (this.#half !== '') {
      const half = this.#half;
      this.#half = '';
      this.#feedString(half, false);
    }
    let at = 0;
    do {
      const part = bytes.subarray(at, at + WINDOW_BYTES);
      this.core.textBytes.set(part);
      at += part.length;
      this.#feedUtf8(part.length, last && at === bytes.length);
      if (!ready()) return;
    } while (at < bytes.length);
  }

  #feedString(given: string, last: boolean): void {
    const { core } = this;
    // The rest does not begin with the other half. The engine would nevertheless wait for it, past text that arrives as
    // UTF-8.
    const text = !last && isHighSurrogate(given, given.length - 1) ? `${given.slice(0, -1)}\ufffd` : given;
    const { length } = text;
    const { writeUnits } = core;
    if (length <= (writeUnits ? BY_UNITS_IN_NODE : BY_UNITS) || (!writeUnits && !looksLikeAscii(text))) {
      const { units } = core;
      const at = core.text >>> 1;
      for (let i = 0; i < length; i++) units[at + i] = text.charCodeAt(i);
    } else if (writeUnits && length >= BY_COPY) {
      writeUnits(text, core.text);
    } else {
      return this.#feedUtf8(utf8.encodeInto(text, core.textBytes).written, last);
    }
    this.#feedUnits(length, last);
  }

  /** Feeds the text buffer as units. */
  #feedUnits(length: number, last: boolean): void {
    const { core } = this;
    const status = core.engine.crayon_encoder_feed_utf16(this.#encoder, core.text, length, last ? 1 : 0, core.result);
    if (status !== 0) throw core.failed('cannot encode');
  }

  /** Feeds the text buffer as bytes. */
  #feedUtf8(length: number, last: boolean): void {
    const { core } = this;
    const status = core.engine.crayon_encoder_feed_utf8(this.#encoder, core.text, length, last ? 1 : 0, core.result);
    if (status !== 0) throw core.failed('cannot encode');
  }

  /** The ids of a whole text of any length. */
  encodeLong(text: string | Uint8Array): UnsharedUint32Array {
    const buffer = this.#buffer;
    const before = new NumberChunks(); // ids that did not fit into the id buffer
    let held = 0;
    const take = (): boolean => {
      do {
        if (!buffer.fits(held)) {
          before.append(buffer.ids(held));
          held = 0;
        }
        held += this.#read(buffer.behind(held));
      } while (this.core.more);
      return true;
    };
    if (typeof text === 'string') this.feedText(text, true, take);
    else this.feedBytes(text, true, take);
    if (before.count === 0) return buffer.ids(held).slice();
    before.append(buffer.ids(held));
    return before.take();
  }

  /** The ids of a whole short text that has been fed. */
  readWhole(): UnsharedUint32Array {
    const count = this.#read();
    const { core } = this;
    const at = core.numbers >>> 2;
    if (core.more) return this.#readRest(count);
    return core.ids.copy(core.words, at, count);
  }

  #readRest(count: number): UnsharedUint32Array {
    const ids = new NumberChunks();
    ids.append(this.#numbers(count));
    this.readInto(ids);
    return ids.take();
  }

  /** Moves the ids that are ready. */
  readInto(ids: NumberChunks): void {
    do ids.append(this.#numbers(this.#read()));
    while (this.core.more);
  }

  /** Moves the ids that are ready, and their starts and ends. */
  readWithOffsets(ids: NumberChunks, offsets: NumberChunks, unit: EngineUnit): void {
    const { core } = this;
    const capacity = Math.floor(WINDOW / 3);
    const offsetsAt = core.numbers + 4 * capacity;
    do {
      const status = core.engine.crayon_encoder_read_with_offsets(
        this.#encoder,
        core.numbers,
        offsetsAt,
        capacity,
        unitNumber(unit),
        core.result,
      );
      if (status !== 0) throw core.failed('cannot encode');
      const { count } = core;
      ids.append(this.#numbers(count));
      offsets.append(core.words.subarray(offsetsAt >>> 2, (offsetsAt >>> 2) + 2 * count));
    } while (core.more);
  }

  /** Adds the tokens that are ready to `total`; stops at `most`, or when that many are certain. */
  count(total: number, most: number): number {
    const { core } = this;
    let sum = total;
    do {
      if (sum >= most) return sum;
      const status = core.engine.crayon_encoder_count(this.#encoder, Math.min(most - sum, NO_LIMIT), core.result);
      if (status !== 0) throw core.failed('cannot count');
      sum += core.count;
    } while (core.more);
    return sum + (core.engine.crayon_encoder_pending_tokens(this.#encoder) >>> 0) >= most ? most : sum;
  }

  /** The byte of the text up to which the ids have been read. */
  position(): number {
    const { core } = this;
    core.engine.crayon_encoder_position(this.#encoder, core.result);
    return core.position;
  }

  /** The text is to be cut into parts: `readInto` moves their numbers. */
  cut({ limit, overlap, unit, separation: { kind, separators, numbers } }: PartForm): void {
    const { core } = this;
    core.withBytes(separators, (separatorsAt) =>
      core.withBytes(bytesOf(numbers), (numbersAt) => {
        const form = Uint32Array.of(limit, overlap, unitNumber(unit), kind, separatorsAt, numbersAt, separators.length, numbers.length / 2);
        core.withBytes(bytesOf(form), (at) => {
          if (core.engine.crayon_encoder_begin_parts(this.#encoder, at, core.result) !== 0) throw core.failed('cannot cut the text');
        });
      }),
    );
  }

  /** The length of the beginning or end of a text that is within a limit; undefined if more of the text is needed. */
  fit(part: string | Uint8Array, whole: boolean, limit: number, side: Side): number | undefined {
    const { core } = this;
    const { engine, result } = core;
    const isString = typeof part === 'string';
    const fitted = (at: number, length: number) => {
      const [isWhole, isLeft, unit] = [whole ? 1 : 0, side === 'left' ? 1 : 0, unitNumber(isString ? 'utf16' : 'bytes')];
      const status = engine.crayon_encoder_fit(this.#encoder, at, length, isWhole, limit, isLeft, unit, result);
      if (status !== 0) throw core.failed('cannot cut the text');
      return core.more ? undefined : core.count;
    };
    if (isString && part.length <= WINDOW) return fitted(core.text, utf8.encodeInto(part, core.textBytes).written);
    const bytes = isString ? utf8.encode(part) : part;
    return core.withBytes(bytes, (at) => fitted(at, bytes.length));
  }

  /** Reads at most a window of ids. */
  #read(address = this.core.numbers): number {
    const { core } = this;
    const status = core.engine.crayon_encoder_read(this.#encoder, address, WINDOW, core.result);
    if (status !== 0) throw core.failed('cannot encode');
    return core.count;
  }

  #numbers(count: number): Uint32Array {
    const at = this.core.numbers >>> 2;
    return this.core.words.subarray(at, at + count);
  }
}

/** Guesses from a few characters. For other texts, browsers convert units more slowly than they return them. */
function looksLikeAscii(text: string): boolean {
  const step = (text.length >>> 5) + 1;
  for (let i = 0; i < text.length; i += step) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function unitNumber(unit: EngineUnit): number {
  return UNITS.indexOf(unit);
}

function isHighSurrogate(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800;
}

// A session: a text passed to the engine in several parts, or the rows of a batch.

import { TokenizerError } from '../base/errors.js';
import { isHighSurrogate } from '../base/text-encodings.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import { isShared } from '../base/views.js';
import { countIn, type EngineHost, failedIn, LISTED, UNITS } from './binding.js';
import type { EngineUnit, PartForm, TextPolicy, TextSession } from './engine.js';
import type { EncodingFunctions, Handle, LimitFunctions, NativeFunctions } from './functions.js';
import { NumberChunks } from './number-chunks.js';
import { failureInRow, feedRow } from './text-rows.js';

export type EncodingEngine = EngineHost & EncodingFunctions & LimitFunctions & Partial<NativeFunctions>;

/** More tokens than a text can have. */
export const NO_LIMIT = Number.MAX_SAFE_INTEGER;
/** The most tokens that a call counts. */
const MAX_COUNTED = 0xffffffff;
/** The least room for ids worth a call. */
const LEAST_ROOM = 256;
/** Units or bytes of short texts that one call encodes: more is not faster, and from 64 Ki V8 allocates pages for each. */
const TOGETHER = 16 * 1024;

const NONE: Uint32Array = new Uint32Array(0);

/** Begins a text. */
export function beginText(engine: EncodingEngine, encoder: Handle, policy: TextPolicy): void {
  const answer =
    typeof policy === 'number'
      ? engine.encoderBegin(encoder, policy, NONE)
      : 'ranges' in policy
        ? engine.encoderBeginMasked(encoder, policy.control, policy.ranges)
        : engine.encoderBegin(encoder, LISTED, policy);
  if (answer < 0) throw failedIn(engine, 'cannot encode');
}

/** Moves the ids that are ready. `length`: of the text that they may be of. */
export function readInto(engine: EncodingEngine, encoder: Handle, ids: NumberChunks, length: number): void {
  for (;;) {
    const room = ids.room(LEAST_ROOM, Math.min(length, engine.window));
    const answer = engine.encoderRead(encoder, room);
    if (answer === -1) throw failedIn(engine, 'cannot encode');
    ids.add(countIn(answer));
    if (answer >= 0) return;
  }
}

/** Bytes that no other thread changes. */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  return isShared(bytes.buffer) ? bytes.slice() : bytes;
}

/** Lends a session its encoder. It stays reachable as long as the session does. */
export interface EncoderLender {
  /** Takes the encoder back. */
  giveBack(session: EngineSession, encoder: Handle): void;
}

/** What a session collects: ids with offsets in this unit, or only their count; or the numbers of the text's parts. */
export interface Gathering {
  counting: boolean;
  unit?: EngineUnit | undefined;
  form?: PartForm | undefined;
}

export class EngineSession implements TextSession {
  readonly #lender: EncoderLender;
  /** Undefined once the session has ended, or its tokenizer has been closed. */
  #engine: EncodingEngine | undefined;
  readonly #encoder: Handle;
  readonly #policy: TextPolicy;
  readonly #counting: boolean;
  readonly #unit: number | undefined;
  #hasBegun = true; // a text that has not ended
  /** The high surrogate that ended the previous string: the next one may begin with the other half. */
  #half = '';
  #counted = 0;
  #limit = NO_LIMIT;
  readonly #ids = new NumberChunks();
  readonly #offsets = new NumberChunks();

  /** Begins a text: the policy is checked now. */
  constructor(lender: EncoderLender, engine: EncodingEngine, encoder: Handle, policy: TextPolicy, { counting, unit, form }: Gathering) {
    beginText(engine, encoder, policy);
    if (form) beginParts(engine, encoder, form);
    this.#lender = lender;
    this.#engine = engine;
    this.#encoder = encoder;
    this.#policy = copyOf(policy);
    this.#counting = counting;
    this.#unit = unit && UNITS.indexOf(unit);
  }

  get isOpen(): boolean {
    return this.#engine !== undefined;
  }

  /** `limit`: the number of tokens at which counting stops. */
  feed(text: string | Uint8Array, last: boolean, limit = NO_LIMIT): number {
    const engine = this.#live();
    this.#limit = limit;
    if (!this.#hasBegun) beginText(engine, this.#encoder, this.#policy);
    this.#hasBegun = true;
    if (typeof text === 'string') this.#feedString(engine, text, last);
    else this.#feedBytes(engine, text, last);
    this.#hasBegun = !last;
    return this.#total();
  }

  /** Short strings are joined: that costs less than a call for each. */
  feedStrings(texts: readonly string[], totals: Uint32Array, first: number): number {
    const offsets = new Uint32Array(Math.min(texts.length, TOGETHER) + 1);
    for (let from = 0; from < texts.length; ) {
      let size = 0;
      let end = from;
      for (; end < texts.length && end - from < TOGETHER; end++) {
        const { length } = texts[end] as string;
        if (size + length > TOGETHER) break;
        size += length;
        offsets[end - from + 1] = size;
      }
      const rows = offsets.subarray(0, end - from + 1);
      const begin = from;
      from += this.#feedTogether(texts.slice(begin, end).join(''), rows, totals, first + begin);
      if (from === end && begin < end) continue;
      totals[first + from + 1] = feedRow(this, texts[from] as string, first + from);
      from++;
    }
    return this.#total();
  }

  feedRows(bytes: Uint8Array, offsets: Uint32Array, totals: Uint32Array, first: number): number {
    const rows = offsets.length - 1;
    for (let from = 0; from < rows; ) {
      const begin = from;
      let end = begin;
      while (end < rows && (offsets[end + 1] as number) - (offsets[begin] as number) <= TOGETHER) end++;
      from += this.#feedTogether(bytes.subarray(offsets[begin], offsets[end]), offsets.subarray(begin, end + 1), totals, first + begin);
      if (from === end && begin < end) continue;
      const [at, to] = [offsets[from] as number, offsets[from + 1] as number];
      if (to < at || to > bytes.length) {
        // The caller has changed them since they were checked.
        throw failureInRow(new TokenizerError('the offsets have changed', { code: 'INVALID_ARGUMENT' }), first + from);
      }
      totals[first + from + 1] = feedRow(this, bytes.subarray(at, to), first + from);
      from++;
    }
    return this.#total();
  }

  take(): UnsharedUint32Array {
    this.#live();
    return this.#ids.take();
  }

  /** The offsets of the ids that `take` will return, if the session collects them. */
  takeOffsets(): UnsharedUint32Array {
    this.#live();
    return this.#offsets.take();
  }

  position(): number {
    const engine = this.#live();
    if (engine.encoderPosition(this.#encoder) < 0) throw failedIn(engine, 'cannot encode');
    return engine.resultPosition();
  }

  end(): void {
    if (!this.#engine) return;
    this.abandon();
    this.#lender.giveBack(this, this.#encoder);
  }

  /** Ends the session because its tokenizer is closed. */
  abandon(): void {
    this.#engine = undefined;
    this.#ids.end();
    this.#offsets.end();
  }

  #live(): EncodingEngine {
    if (!this.#engine) throw new TokenizerError('cannot encode: the tokenizer has been closed', { code: 'CLOSED' });
    return this.#engine;
  }

  #total(): number {
    return this.#counting ? this.#counted : this.#ids.count;
  }

  // No window ends inside a surrogate pair: a host may pass it on as UTF-8.
  #feedString(engine: EncodingEngine, part: string, last: boolean): void {
    if (this.#half === '' && part.length <= engine.window && (last || !isHighSurrogate(part, part.length - 1))) {
      this.#feedWindow(engine, part, last);
      return;
    }
    let text = this.#half + part;
    this.#half = '';
    if (!last && isHighSurrogate(text, text.length - 1)) {
      this.#half = text.slice(-1);
      text = text.slice(0, -1);
    }
    const { window } = engine;
    let at = 0;
    do {
      let end = Math.min(at + window, text.length);
      if (end < text.length && isHighSurrogate(text, end - 1)) end--;
      const isEnd = end === text.length;
      let units = at === 0 && isEnd ? text : text.slice(at, end);
      // The other half does not follow: another high surrogate does.
      if (!(last && isEnd) && isHighSurrogate(units, units.length - 1)) units = `${units.slice(0, -1)}\ufffd`;
      at = end;
      if (!this.#feedWindow(engine, units, last && isEnd)) return;
    } while (at < text.length);
  }

  /** Feeds a window of a string, and reads what is ready; returns whether to continue. */
  #feedWindow(engine: EncodingEngine, text: string, last: boolean): boolean {
    if (this.#counting || this.#unit !== undefined || !engine.encoderAppendUtf16) {
      if (engine.encoderFeedUtf16(this.#encoder, text, Number(last)) < 0) throw failedIn(engine, 'cannot encode');
      return this.#takeReady(engine, text.length);
    }
    const ids = this.#ids.room(LEAST_ROOM, text.length);
    const answer = engine.encoderAppendUtf16(this.#encoder, text, Number(last), ids);
    if (answer === -1) throw failedIn(engine, 'cannot encode');
    this.#ids.add(countIn(answer));
    if (answer < 0) readInto(engine, this.#encoder, this.#ids, text.length);
    return true;
  }

  #feedBytes(engine: EncodingEngine, bytes: Uint8Array, last: boolean): void {
    if (this.#half !== '') {
      // The other half does not come. The engine would wait for it, past text that arrives as UTF-8.
      this.#half = '';
      this.#feedString(engine, '\ufffd', false);
    }
    const window = 2 * engine.window;
    let at = 0;
    do {
      const part = ownBytes(bytes.length <= window ? bytes : bytes.subarray(at, at + window));
      at += part.length;
      const isEnd = at === bytes.length;
      if (engine.encoderFeedUtf8(this.#encoder, part, Number(last && isEnd)) < 0) throw failedIn(engine, 'cannot encode');
      if (!this.#takeReady(engine, part.length)) return;
    } while (at < bytes.length);
  }

  /** Reads the ids that are ready after a window of `length` units or bytes; returns whether to continue. */
  #takeReady(engine: EncodingEngine, length: number): boolean {
    if (this.#counting) return this.#count(engine);
    if (this.#unit === undefined) readInto(engine, this.#encoder, this.#ids, length);
    else this.#readWithOffsets(engine, this.#unit, length);
    return true;
  }

  #readWithOffsets(engine: EncodingEngine, unit: number, length: number): void {
    for (;;) {
      const offsets = this.#offsets.room(2 * LEAST_ROOM, Math.min(length, engine.window));
      const capacity = offsets.length >>> 1;
      const ids = this.#ids.room(LEAST_ROOM, capacity).subarray(0, capacity);
      const answer = engine.encoderReadWithOffsets(this.#encoder, ids, offsets, unit);
      if (answer === -1) throw failedIn(engine, 'cannot encode');
      this.#ids.add(countIn(answer));
      this.#offsets.add(2 * countIn(answer));
      if (answer >= 0) return;
    }
  }

  /** Adds the tokens that are ready; stops when the limit is reached, or certain to be. */
  #count(engine: EncodingEngine): boolean {
    const limit = this.#limit;
    let answer: number;
    do {
      if (this.#counted >= limit) return false;
      answer = engine.encoderCount(this.#encoder, Math.min(limit - this.#counted, MAX_COUNTED));
      if (answer === -1) throw failedIn(engine, 'cannot count');
      this.#counted += countIn(answer);
    } while (answer < 0);
    if (limit !== NO_LIMIT && this.#counted + engine.encoderPendingTokens(this.#encoder) >= limit) this.#counted = limit;
    return this.#counted < limit;
  }

  /** Feeds texts that lie back to back; returns how many have been encoded. `row`: the first one's in the batch. */
  #feedTogether(texts: string | Uint8Array, offsets: Uint32Array, totals: Uint32Array, row: number): number {
    const rows = offsets.length - 1;
    if (rows < 2) return 0;
    const engine = this.#live();
    const encoder = this.#encoder;
    if (!this.#hasBegun) beginText(engine, encoder, this.#policy);
    this.#hasBegun = false;
    const counting = Number(this.#counting);
    // Few texts have more ids than units or bytes.
    const capacity = texts.length + rows;
    const ids = counting ? NONE : this.#ids.room(capacity, capacity);
    const rowTotals = totals.subarray(row + 1, row + 1 + rows);
    const before = this.#total();
    const answer =
      typeof texts === 'string'
        ? engine.encoderRowsUtf16(encoder, texts, offsets, counting, before, ids, rowTotals)
        : engine.encoderRowsUtf8(encoder, ownBytes(texts), offsets, counting, before, ids, rowTotals);
    if (answer === -1) throw failureInRow(failedIn(engine, 'cannot encode'), row + engine.resultCount());
    if (counting) this.#counted += countIn(answer);
    else this.#ids.add(countIn(answer));
    return answer < 0 ? engine.resultPosition() : rows;
  }
}

function beginParts(engine: EncodingEngine, encoder: Handle, { limit, overlap, unit, separation }: PartForm): void {
  const { kind, separators, numbers } = separation;
  const answer = engine.encoderBeginParts(encoder, limit, overlap, UNITS.indexOf(unit), kind, separators, numbers);
  if (answer < 0) throw failedIn(engine, 'cannot cut the text');
}

/** A copy of a policy: the caller may change the list. */
function copyOf(policy: TextPolicy): TextPolicy {
  if (typeof policy === 'number') return policy;
  return 'ranges' in policy ? { control: policy.control.slice(), ranges: policy.ranges.slice() } : policy.slice();
}

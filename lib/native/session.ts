// A session: a text passed to the addon in several calls, or the rows of a batch.

import type { PartForm, TextSession } from '../engine/engine.js';
import { TokenizerError } from '../base/errors.js';
import { feedRow } from '../engine/text-rows.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import { addon, failed, type Handle, limitsOf, WINDOW } from './addon.js';

/** Units of short strings passed in one call: more is not faster, and from 64 Ki V8 allocates pages for each. */
const JOINED_UNITS = 8 * 1024;

/** An addon session. */
export class NativeSession implements TextSession {
  readonly #tokenizer: { readonly isClosed: boolean }; // kept reachable as long as the session is
  readonly #handle: Handle;
  #gathered = 0;
  #hasEnded = false;

  constructor(tokenizer: { readonly isClosed: boolean }, handle: Handle) {
    this.#tokenizer = tokenizer;
    this.#handle = handle;
  }

  get isOpen(): boolean {
    return !this.#hasEnded && !this.#tokenizer.isClosed;
  }

  /** Collects the numbers of the text's parts instead of ids. */
  cut(form: PartForm): void {
    if (addon.beginParts(this.#handle, limitsOf(form), form.separation.separators, form.separation.numbers) < 0) {
      throw failed('cannot cut the text');
    }
  }

  feed(text: string | Uint8Array, last: boolean): number {
    if (typeof text === 'string') {
      let at = 0;
      for (; text.length - at > WINDOW; at += WINDOW) {
        this.#check(addon.feed(this.#handle, text.slice(at, at + WINDOW), false));
      }
      return this.#check(addon.feed(this.#handle, at === 0 ? text : text.slice(at), last));
    }
    return this.#check(addon.feedBytes(this.#handle, text, last));
  }

  // Short strings are joined: that costs less than a call for each, or than array accesses by the addon.
  feedStrings(texts: readonly string[], totals: Uint32Array, first: number): number {
    for (let from = 0; from < texts.length; ) {
      let units = 0;
      let end = from;
      for (; end < texts.length; end++) {
        const { length } = texts[end] as string;
        if (units + length > JOINED_UNITS) break;
        totals[first + end + 1] = length;
        units += length;
      }
      if (end > from) {
        const joined = texts.slice(from, end).join('');
        this.#checkRow(addon.feedJoined(this.#handle, joined, totals, first + from, first + end), 0);
        from = end;
      } else {
        totals[first + from + 1] = feedRow(this, texts[from] as string, first + from);
        from++;
      }
    }
    return this.#gathered;
  }

  feedRows(bytes: Uint8Array, offsets: Uint32Array, totals: Uint32Array, first: number): number {
    return this.#checkRow(addon.feedRows(this.#handle, bytes, offsets, totals.subarray(first)), first);
  }

  take(): UnsharedUint32Array {
    const ids = new Uint32Array(this.#gathered);
    this.#gathered = 0;
    if (addon.take(this.#handle, ids) < 0) throw failed('cannot encode');
    return ids;
  }

  /** The offsets of the ids that `take` will return, if the session collects them. */
  takeOffsets(): UnsharedUint32Array {
    const offsets = new Uint32Array(2 * this.#gathered);
    if (addon.takeOffsets(this.#handle, offsets) < 0) throw failed('cannot encode');
    return offsets;
  }

  position(): number {
    const position = addon.sessionPosition(this.#handle);
    if (position < 0) throw failed('cannot encode');
    return position;
  }

  end(): void {
    addon.end(this.#handle);
    this.#hasEnded = true;
  }

  /** `first`: the row in the batch that the addon counts as row 0. */
  #checkRow(total: number, first: number): number {
    if (total >= 0) return this.#check(total);
    const failure = addon.failure();
    if (failure.row === undefined) throw failed('cannot encode');
    const row = first + failure.row;
    throw new TokenizerError(`cannot encode texts[${row}]: ${failure.sentence}`, { ...failure, row });
  }

  #check(total: number): number {
    if (total < 0) throw failed('cannot encode');
    this.#gathered = total;
    return total;
  }
}

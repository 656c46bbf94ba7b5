// A text that reaches the addon in several calls, and the rows of a batch.

import type { EngineTokenizer, TextSession } from './backend.js';
import { TokenizerError } from './errors.js';
import { addon, failed, type Handle, WINDOW } from './native-loader.js';

/** Units of short strings that cross as one: more would not be faster, and from 64 Ki on V8 sets up pages for each. */
const JOINED_UNITS = 8 * 1024;

/** One session of the addon. */
export class NativeSession implements TextSession {
  readonly #tokenizer: EngineTokenizer; // kept reachable as long as the session is
  readonly #handle: Handle;
  #gathered = 0;

  constructor(tokenizer: EngineTokenizer, handle: Handle) {
    this.#tokenizer = tokenizer;
    this.#handle = handle;
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

  // Short strings cross together: joining them costs less than a call, or a look into the array by the addon, for each.
  feedStrings(texts: readonly string[], totals: Uint32Array): number {
    for (let first = 0; first < texts.length; ) {
      let units = 0;
      let last = first;
      for (; last < texts.length; last++) {
        const { length } = texts[last] as string;
        if (units + length > JOINED_UNITS) break;
        totals[last + 1] = length;
        units += length;
      }
      if (last > first) {
        const joined = texts.slice(first, last).join('');
        this.#checkRow(addon.feedJoined(this.#handle, joined, totals, first, last));
        first = last;
      } else {
        totals[first + 1] = this.#feedRow(texts[first] as string, first);
        first++;
      }
    }
    return this.#gathered;
  }

  feedRows(bytes: Uint8Array, offsets: Uint32Array, totals: Uint32Array): number {
    return this.#checkRow(addon.feedRows(this.#handle, bytes, offsets, totals));
  }

  take(): Uint32Array {
    const ids = new Uint32Array(this.#gathered);
    this.#gathered = 0;
    if (addon.take(this.#handle, ids) < 0) throw failed('cannot encode');
    return ids;
  }

  /** The offsets of the ids that `take` will give, of a session that gathers them. */
  takeOffsets(): Uint32Array {
    const offsets = new Uint32Array(2 * this.#gathered);
    if (addon.takeOffsets(this.#handle, offsets) < 0) throw failed('cannot encode');
    return offsets;
  }

  end(): void {
    addon.end(this.#handle);
    void this.#tokenizer;
  }

  /** Feeds a row that is too long to be joined with others. */
  #feedRow(text: string, row: number): number {
    try {
      const total = this.feed(text, true);
      if (total <= 0xffffffff) return total;
      throw new TokenizerError('the batch has more than 4294967295 tokens', { code: 'TEXT_TOO_LONG' });
    } catch (error) {
      if (!(error instanceof TokenizerError)) throw error;
      const { code, position } = error;
      throw new TokenizerError(`cannot encode row ${row}: ${error.message}`, { code, position, row });
    }
  }

  #checkRow(total: number): number {
    if (total >= 0) return this.#check(total);
    const failure = addon.failure();
    throw new TokenizerError(`cannot encode row ${failure.row}: ${failure.sentence}`, failure);
  }

  #check(total: number): number {
    if (total < 0) throw failed('cannot encode');
    this.#gathered = total;
    return total;
  }
}

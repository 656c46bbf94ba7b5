// Ids that arrive in chunks, to text. A character may begin in one chunk and end in another.

import { idArray, type TokenIds } from '../arguments.js';
import { pause, SLICE, TURN } from '../pause.js';
import type { Description, EngineTokenizer } from '../engine.js';
import { unexpected } from '../errors.js';
import { failureInIds } from '../failures.js';
import { hold, release } from '../holds.js';
import { typedArrayKind } from '../views.js';
import type { Vocabulary } from '../vocabulary.js';
import { checkWebStreams, type Outlet, type Steps, transformStream } from './transform.js';

export function decodeStream(
  engine: EngineTokenizer,
  skipSpecial: boolean,
  { description }: Vocabulary,
): TransformStream<number | TokenIds, string> {
  checkWebStreams('decodeStream');
  return transformStream(new Decoding(engine, skipSpecial, description));
}

class Decoding implements Steps<number | TokenIds, string> {
  readonly #engine: EngineTokenizer;
  readonly #skipSpecial: boolean;
  readonly #description: Description;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** Ids before the current chunk. */
  #before = 0;
  /** Milliseconds of work since other work of the thread had its turn. */
  #busy = 0;

  constructor(engine: EngineTokenizer, skipSpecial: boolean, description: Description) {
    this.#engine = engine;
    this.#skipSpecial = skipSpecial;
    this.#description = description;
    hold(engine);
  }

  async write(chunk: number | TokenIds, outlet: Outlet<string>): Promise<void> {
    const ids = this.#next(chunk);
    const { length } = ids;
    for (let at = 0; at < length; at += SLICE) {
      if (!outlet.isWanted) await outlet.wanted();
      if (outlet.isOver) return;
      const began = performance.now();
      const text = this.#decoder.decode(this.#bytes(ids.subarray(at, at + SLICE)), { stream: true });
      if (text !== '') outlet.put(text);
      this.#busy += performance.now() - began;
      if (this.#busy < TURN) continue;
      await pause();
      this.#busy = 0;
    }
  }

  close(outlet: Outlet<string>): void {
    const text = this.#decoder.decode();
    if (text !== '') outlet.put(text);
  }

  release(): void {
    release(this.#engine);
  }

  #next(chunk: unknown): Uint32Array {
    if (typeof chunk !== 'number' && typedArrayKind(chunk) === undefined && !Array.isArray(chunk)) {
      throw unexpected('a token id, or an array or typed array of them,', 'chunk', chunk);
    }
    const ids = typeof chunk === 'number' ? [chunk] : (chunk as TokenIds);
    try {
      return idArray(ids, 'chunk');
    } catch (error) {
      throw this.#failure(error, ids);
    }
  }

  #bytes(ids: Uint32Array): Uint8Array {
    try {
      const bytes = this.#engine.decodeBytes(ids, this.#skipSpecial);
      this.#before += ids.length;
      return bytes;
    } catch (error) {
      throw this.#failure(error, ids);
    }
  }

  #failure(error: unknown, ids: TokenIds): unknown {
    return failureInIds(error, ids, { description: this.#description }, undefined, this.#before);
  }
}

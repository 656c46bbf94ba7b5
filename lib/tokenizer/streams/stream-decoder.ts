// Decodes ids that arrive in chunks to text, one call per chunk. A character may begin in one chunk and end in another.

import { idArray, type TokenIds } from '../arguments.js';
import type { Description, EngineTokenizer } from '../../engine/engine.js';
import { unexpected } from '../../base/errors.js';
import { failureInIds } from '../failures.js';
import { retain, release } from '../../engine/references.js';
import { SLICE } from '../../base/pause.js';
import { typedArrayKind } from '../../base/views.js';
import type { DecodingRun } from '../../vocabulary/decoding.js';
import type { Vocabulary } from '../../vocabulary/vocabulary.js';
import { Lifetime } from './lifetime.js';

/**
 * Decodes ids that arrive in chunks, synchronously: the result of {@link Tokenizer.streamDecoder}.
 *
 * The texts of all calls together equal one `decode` of all ids. Only the bytes of an incomplete character are held back, at
 * most three. A model with its own decoder also holds back text that later ids may change: a run of byte tokens, trailing
 * spaces, or, with a pattern replaced in the whole text, all of it.
 *
 * @example
 * ```ts
 * using decoder = tokenizer.streamDecoder();
 * decoder.push(24912); // 'hello'
 * decoder.push([2375]); // ' world'
 * decoder.end(); // ''
 * ```
 */
export class StreamDecoder {
  readonly #description: Description;
  readonly #run: DecodingRun;
  /** For chunks of a single id. */
  readonly #one = new Uint32Array(1);
  /** Ids before the current chunk. */
  #before = 0;
  readonly #lifetime: Lifetime;

  /** @internal */
  constructor(engine: EngineTokenizer, skipSpecial: boolean, { description, decoding }: Vocabulary) {
    this.#description = description;
    this.#run = decoding?.begin(skipSpecial) ?? new BytesRun(engine, skipSpecial);
    retain(engine);
    this.#lifetime = new Lifetime('decoder', () => release(engine));
  }

  /**
   * Takes the next id, or a list of them, and returns the completed text. Throws `INVALID_ID`, with its index among all
   * ids so far, for an id without a token. Any error ends the decoder.
   *
   * @example
   * ```ts
   * const decoder = tokenizer.streamDecoder();
   * const ids = tokenizer.encode('𝔸');
   * Array.from(ids, (id) => decoder.push(id)); // ['', '', '𝔸']
   * decoder.push(300000); // throws TokenizerError (INVALID_ID)
   * ```
   */
  push(chunk: number | TokenIds): string {
    try {
      this.#lifetime.check('push');
      const ids = this.checked(chunk);
      if (ids.length <= SLICE) return this.#decode(ids);
      let text = '';
      for (let at = 0; at < ids.length; at += SLICE) text += this.#decode(ids.subarray(at, at + SLICE));
      return text;
    } catch (error) {
      throw this.#lifetime.failed(error, StreamDecoder.prototype.push);
    }
  }

  /**
   * Ends the text and returns the rest, with U+FFFD for an incomplete character. Later calls of `push` and `end` throw
   * (`CLOSED`).
   *
   * @example
   * ```ts
   * const decoder = tokenizer.streamDecoder();
   * decoder.push(tokenizer.encode(Uint8Array.of(0xe8, 0xaa))); // ''
   * decoder.end(); // '\ufffd'
   * ```
   */
  end(): string {
    try {
      this.#lifetime.check('end');
      const text = this.#run.end();
      this.#lifetime.end('has ended');
      return text;
    } catch (error) {
      throw this.#lifetime.failed(error, StreamDecoder.prototype.end);
    }
  }

  /**
   * Releases the decoder's resources, as `end` and errors do. Calling it again has no effect.
   *
   * @example
   * ```ts
   * const decoder = tokenizer.streamDecoder();
   * decoder.close();
   * decoder.push(24912); // throws TokenizerError (CLOSED)
   * ```
   */
  close(): void {
    this.#lifetime.end('has been closed');
  }

  /**
   * The same as `close`, for `using`.
   *
   * @example
   * ```ts
   * {
   *   using decoder = tokenizer.streamDecoder();
   *   decoder.push(24912); // 'hello'
   * }
   * ```
   */
  [Symbol.dispose](): void {
    this.close();
  }

  /**
   * A chunk in the form `push` uses, without a copy; a single id stays valid until the next call.
   *
   * @internal
   */
  checked(chunk: unknown): Uint32Array {
    if (typeof chunk === 'number' && chunk >>> 0 === chunk) {
      this.#one[0] = chunk;
      return this.#one;
    }
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

  #decode(ids: Uint32Array): string {
    let text: string;
    try {
      text = this.#run.push(ids);
    } catch (error) {
      throw this.#failure(error, ids);
    }
    this.#before += ids.length;
    return text;
  }

  #failure(error: unknown, ids: TokenIds): unknown {
    return failureInIds(error, ids, { description: this.#description }, undefined, this.#before);
  }
}

/** Collects the bytes of tokens and decodes them together as text. */
class BytesRun implements DecodingRun {
  readonly #engine: EngineTokenizer;
  readonly #skipSpecial: boolean;
  readonly #utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

  constructor(engine: EngineTokenizer, skipSpecial: boolean) {
    this.#engine = engine;
    this.#skipSpecial = skipSpecial;
  }

  push(ids: Uint32Array): string {
    return this.#utf8.decode(this.#engine.decodeBytes(ids, this.#skipSpecial), { stream: true });
  }

  end(): string {
    return this.#utf8.decode();
  }
}

// Decodes ids that arrive in chunks to text, one call per chunk. A character may begin in one chunk and end in another.

import { idArray, skipsSpecial, type TokenIds } from '../arguments.js';
import type { Description, EngineTokenizer } from '../../engine/engine.js';
import { unexpected } from '../../base/errors.js';
import { failureInIds } from '../failures.js';
import { retain, release } from '../../engine/references.js';
import { SLICE } from '../../base/time-slices.js';
import { typedArrayKind } from '../../base/views.js';
import type { DecodingRun } from '../../vocabulary/metadata.js';
import type { Vocabulary } from '../../vocabulary/vocabulary.js';
import { BytesRun } from './bytes-run.js';
import { Lifetime } from './lifetime.js';
import {
  DECODE_STREAM_OPTIONS,
  type DecodedToken,
  type DecodeStreamOptions,
  type StopMatch,
  TokenTexts,
  tokenwiseOf,
} from './token-texts.js';

/**
 * Decodes ids that arrive in chunks, synchronously: the result of {@link Tokenizer.streamDecoder}.
 *
 * The texts of all calls together equal one `decode` of all ids. Only the bytes of an incomplete character are held back, at
 * most three. A model with its own decoder also holds back text that later ids may change: a run of byte tokens, trailing
 * spaces, or, with a pattern replaced in the whole text, all of it. With `stop`, text that may begin a stop sequence is held
 * back, too. With `perToken`, results are lists of {@link DecodedToken} instead of strings.
 *
 * A decoder takes a few kilobytes, so that a server can have one for each of its streams.
 *
 * @example
 * ```ts
 * using decoder = tokenizer.streamDecoder();
 * decoder.push(24912); // 'hello'
 * decoder.push([2375]); // ' world'
 * decoder.end(); // ''
 * ```
 */
export class StreamDecoder<Output extends string | DecodedToken[] = string> {
  readonly #engine: EngineTokenizer;
  readonly #description: Description;
  readonly #run: DecodingRun;
  /** Undefined if texts are only joined. */
  readonly #tokens: TokenTexts | undefined;
  /** For chunks of a single id. */
  readonly #one = new Uint32Array(1);
  /** Ids before the current chunk. */
  #before = 0;
  readonly #lifetime: Lifetime;

  /** @internal */
  constructor({ engine, description, decoding }: Vocabulary, options: DecodeStreamOptions | undefined) {
    const skipSpecial = skipsSpecial(options, DECODE_STREAM_OPTIONS);
    const tokenwise = options && tokenwiseOf(options);
    this.#engine = engine;
    this.#description = description;
    this.#run = decoding?.begin(skipSpecial) ?? new BytesRun(engine, skipSpecial);
    this.#tokens = tokenwise && new TokenTexts(this.#run, tokenwise);
    retain(engine);
    this.#lifetime = new Lifetime('decoder', () => release(engine));
  }

  /**
   * The stop sequence that has ended the text, and where it was; undefined if there has been none.
   *
   * @example
   * ```ts
   * const decoder = tokenizer.streamDecoder({ stop: ['wor'] });
   * decoder.push([24912, 2375]); // 'hello '
   * decoder.stopped; // { sequence: 'wor', start: 6, end: 9, ids: 2 }
   * ```
   */
  get stopped(): StopMatch | undefined {
    return this.#tokens?.stopped;
  }

  /**
   * Takes the next id, or a list of them, and returns the completed text. Throws `INVALID_ID`, with its index among all
   * ids so far, for an id without a token. Any error ends the decoder. Ids after a stop sequence are not read.
   *
   * @example
   * ```ts
   * const decoder = tokenizer.streamDecoder();
   * const ids = tokenizer.encode('𝔸');
   * Array.from(ids, (id) => decoder.push(id)); // ['', '', '𝔸']
   * decoder.push(300000); // throws TokenizerError (INVALID_ID)
   * ```
   */
  push(chunk: number | TokenIds): Output {
    try {
      this.#lifetime.check('push');
      const ids = this.checked(chunk);
      if (this.#tokens || ids.length <= SLICE) return this.#decode(ids);
      let text = '';
      for (let at = 0; at < ids.length; at += SLICE) text += this.#decode(ids.subarray(at, at + SLICE)) as string;
      return text as Output;
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
  end(): Output {
    try {
      this.#lifetime.check('end');
      const rest = this.#tokens ? this.#tokens.end() : this.#run.end();
      this.#lifetime.end('has ended');
      return rest as Output;
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

  #decode(ids: Uint32Array): Output {
    let made: string | DecodedToken[];
    try {
      if (this.#engine.isClosed) this.#engine.decodeBytes(ids, false); // says why
      made = this.#tokens ? this.#tokens.push(ids) : this.#run.push(ids);
    } catch (error) {
      throw this.#failure(error, ids);
    }
    this.#before += ids.length;
    return made as Output;
  }

  #failure(error: unknown, ids: TokenIds): unknown {
    return failureInIds(error, ids, { description: this.#description }, undefined, this.#before);
  }
}

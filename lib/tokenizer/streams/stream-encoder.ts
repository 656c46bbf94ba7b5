// Encodes text that arrives in chunks to ids, one call per chunk. The engine's session does the work: it takes parts
// that end anywhere, and returns the ids that no further text can change.

import { type EncodeOptions, policyOf, SPECIAL_FORBID } from '../arguments.js';
import type { TextSession } from '../../engine/engine.js';
import { TokenizerError } from '../../base/errors.js';
import { failureInText } from '../failures.js';
import { SLICE } from '../../base/time-slices.js';
import { Template, templateOf } from '../template.js';
import type { UnsharedUint32Array } from '../../base/typed-arrays.js';
import type { Vocabulary } from '../../vocabulary/vocabulary.js';
import { FedText } from './fed-text.js';
import { endsInHalf, GatheredText } from './gathered-text.js';
import { Lifetime } from './lifetime.js';

/** Releases sessions of encoders that became unreachable before they ended. Some edge workers have no registry. */
const forgotten =
  typeof FinalizationRegistry === 'function' ? new FinalizationRegistry<TextSession>((session) => session.end()) : undefined;

const NONE = new Uint32Array(0);

/**
 * Encodes a text that arrives in chunks, synchronously: the result of {@link Tokenizer.streamEncoder}.
 *
 * The ids of all calls together equal one `encode` of the whole text wherever chunks end, even inside a character, a
 * surrogate pair or a special token. Besides the current chunk, memory is bounded by the longest piece and the longest
 * special token.
 *
 * @example
 * ```ts
 * using encoder = tokenizer.streamEncoder();
 * encoder.push('hello wo'); // Uint32Array []
 * encoder.push('rld'); // Uint32Array []
 * encoder.end(); // Uint32Array [24912, 2375]
 * ```
 */
export class StreamEncoder {
  readonly #session: TextSession;
  readonly #specialIds: ReadonlyMap<string, number>;
  /** Undefined if errors cannot refer to a position in the text. */
  readonly #fed: FedText | undefined;
  readonly #text = new GatheredText();
  /** The ids before the text, until they have been returned. */
  #prefix: UnsharedUint32Array;
  readonly #suffix: UnsharedUint32Array;
  readonly #lifetime: Lifetime;

  /** @internal */
  constructor(vocabulary: Vocabulary, options: EncodeOptions | undefined) {
    const policy = policyOf(options, vocabulary);
    const { prefix, suffix } = templateOf(options, vocabulary);
    // The tokenizer may change its vocabulary before an error names a token of this one.
    this.#specialIds = vocabulary.specialIds;
    this.#fed = policy === SPECIAL_FORBID || hasUnknownCharacters(vocabulary) ? new FedText() : undefined;
    this.#prefix = prefix;
    this.#suffix = suffix;
    const session = vocabulary.engine.begin(policy, false);
    this.#session = session;
    forgotten?.register(this, session, session);
    this.#lifetime = new Lifetime('encoder', () => {
      forgotten?.unregister(session);
      session.end();
    });
  }

  /**
   * Takes the next chunk and returns the ids that are ready, often none. Chunks are strings or bytes, not both; bytes are
   * copied. Up to 255 units (UTF-16 units or bytes) are held back to be encoded with the next chunks; `flush` does not wait for
   * these. Beyond that the engine holds back what further text can change, and at most 72 bytes more.
   *
   * Throws the same errors as `encode`, with positions in the whole text. Any error ends the encoder and loses ids not yet
   * returned.
   *
   * @example
   * ```ts
   * const encoder = tokenizer.streamEncoder();
   * encoder.push('hello world '.repeat(40)).length; // 74
   * encoder.end().length; // 7
   * ```
   */
  push(chunk: string | Uint8Array): UnsharedUint32Array {
    try {
      this.#check('push');
      const text = this.#text.add(chunk);
      return text === undefined ? new Uint32Array(0) : this.#encode(text, false);
    } catch (error) {
      throw this.#lifetime.failed(error, StreamEncoder.prototype.push);
    }
  }

  /**
   * Returns the ids of all text so far that no further text can change, except at most the last 72 bytes' ids. Call it when the
   * next chunk is a while away: calling it after every short chunk takes two to five times as long as `push` alone.
   *
   * @example
   * ```ts
   * const encoder = tokenizer.streamEncoder();
   * encoder.push('hello world, '.repeat(10)); // Uint32Array []
   * encoder.flush().length; // 14
   * encoder.end().length; // 17
   * ```
   */
  flush(): UnsharedUint32Array {
    try {
      this.#check('flush');
      const text = this.#text.take(false);
      return text.length === 0 ? new Uint32Array(0) : this.#encode(text, false);
    } catch (error) {
      throw this.#lifetime.failed(error, StreamEncoder.prototype.flush);
    }
  }

  /**
   * Ends the text and returns the rest of its ids. Later calls of `push`, `flush` and `end` throw (`CLOSED`).
   *
   * @example
   * ```ts
   * const encoder = tokenizer.streamEncoder();
   * encoder.push(new TextEncoder().encode('hello'));
   * encoder.end(); // Uint32Array [24912]
   * encoder.end(); // throws TokenizerError (CLOSED)
   * ```
   */
  end(): UnsharedUint32Array {
    try {
      this.#check('end');
      const ids = this.#encode(this.#text.take(true), true);
      this.#lifetime.end('has ended');
      return ids;
    } catch (error) {
      throw this.#lifetime.failed(error, StreamEncoder.prototype.end);
    }
  }

  /**
   * Releases the encoder's resources without ending the text; `end` and errors release them too. Calling it again has
   * no effect. The garbage collector closes an unreachable encoder.
   *
   * @example
   * ```ts
   * const encoder = tokenizer.streamEncoder();
   * encoder.close();
   * encoder.push('hello'); // throws TokenizerError (CLOSED)
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
   *   using encoder = tokenizer.streamEncoder();
   *   encoder.push('hello'); // Uint32Array []
   * }
   * ```
   */
  [Symbol.dispose](): void {
    this.close();
  }

  #check(call: string): void {
    this.#lifetime.check(call);
    // The engine would notice only when it gets text.
    if (!this.#session.isOpen) throw new TokenizerError('cannot encode: the tokenizer has been closed', { code: 'CLOSED' });
  }

  #encode(text: string | Uint8Array, last: boolean): UnsharedUint32Array {
    const { length } = text;
    let total = 0;
    let at = 0;
    do {
      let end = Math.min(at + SLICE, length);
      if (end < length && typeof text === 'string' && endsInHalf(text, end)) end--;
      const isWhole = at === 0 && end === length;
      const part = isWhole ? text : typeof text === 'string' ? text.slice(at, end) : text.subarray(at, end);
      total = this.#feed(part, last && end === length, total);
      at = end;
    } while (at < length);
    const ids = total > 0 ? this.#session.take() : new Uint32Array(0);
    if (!last && total === 0) return ids;
    const whole = new Template(this.#prefix, last ? this.#suffix : NONE).around(ids);
    this.#prefix = NONE;
    return whole;
  }

  /** Feeds a part and returns how many ids are waiting to be taken; `before`: how many were waiting. */
  #feed(part: string | Uint8Array, last: boolean, before: number): number {
    this.#fed?.append(part);
    try {
      const total = this.#session.feed(part, last);
      if (total > before) this.#fed?.forget();
      return total;
    } catch (error) {
      if (!this.#fed) throw error;
      const { text, start } = this.#fed.kept();
      throw failureInText(error, text, { specialIds: this.#specialIds }, undefined, start);
    }
  }
}

/** Whether a text may contain a character that is an error. */
function hasUnknownCharacters({ description, engine }: Vocabulary): boolean {
  if (description.model === 'bpe' || description.unknownId !== undefined) return false;
  if (description.model !== 'longest-match') return true; // a word of known characters may be unknown
  for (let byte = 0; byte < 256; byte++) if (engine.idOf(Uint8Array.of(byte)) === undefined) return true;
  return false;
}

// Encodes text that arrives in chunks, one call per chunk. The engine's session takes parts that end anywhere, and returns the ids that
// no further text can change.

import { SLICE } from '../../base/time-slices.js';
import { type FromCallSite, TokenizerError } from '../../base/errors.js';
import { isHighSurrogate } from '../../base/text-encodings.js';
import { concatenated, type UnsharedUint32Array } from '../../base/typed-arrays.js';
import type { TextSession } from '../../engine/engine.js';
import { joinedText, partOf } from '../../base/views.js';
import type { Vocabulary } from '../../vocabularies/vocabulary.js';
import { checkedText, type EncodeOptions, policyOf, SPECIAL_FORBID, textBytes } from '../arguments.js';
import { failureInText, type Start } from '../text-failures.js';
import { Template, templateOf } from '../id-template.js';
import { Lifetime, releasedWith } from '../lifetime.js';
import { checkWebStreams, type Outlet, type Steps, transformStream } from './transform.js';

/** Units to remember: more than a special token, or the longest token at a character, may need to be decided. */
const REMEMBERED = 64 * 1024;

const utf8 = new TextEncoder();
/** Receives the bytes of a part: this is the fastest way to count them. */
let scratch: Uint8Array | undefined;

/** The end of the text fed so far: as much as an error may refer to. */
class FedText {
  #parts: (string | Uint8Array)[] = [];
  #length = 0;
  #start: Start = { units: 0, bytes: 0 };

  /** Appends a part, at most a slice; a string must end with a whole character. */
  append(part: string | Uint8Array): void {
    // Bytes are copied: the caller may overwrite or transfer them before an error refers to them.
    this.#parts.push(typeof part === 'string' ? part : part.slice());
    this.#length += part.length;
  }

  /** Drops old text. Call it only when ids have come: without any, one piece may reach far back. */
  forget(): void {
    if (this.#length < 2 * REMEMBERED) return; // several parts at a time, since they may be short
    let { units, bytes } = this.#start;
    let gone = 0;
    for (const part of this.#parts) {
      if (this.#length - part.length < REMEMBERED) break;
      this.#length -= part.length;
      units += part.length;
      bytes += typeof part === 'string' ? utf8Length(part) : part.length;
      gone++;
    }
    this.#parts.splice(0, gone);
    this.#start = { units, bytes };
  }

  /** The remembered text, and where it begins. */
  remembered(): { text: string | Uint8Array; start: Start } {
    return { text: joinedText(this.#parts), start: this.#start };
  }
}

function utf8Length(part: string): number {
  scratch ??= new Uint8Array(3 * SLICE);
  return utf8.encodeInto(part, scratch).written;
}

/** The size, in UTF-16 units or bytes, from which an engine call is worthwhile. */
export const ENOUGH = 256;

/** Gathers short chunks until an engine call is worth its cost, about that of encoding 50 to 200 bytes. */
class GatheredText {
  /** Undefined before the first chunk. */
  #kind: 'string' | 'bytes' | undefined;
  #string = '';
  #bytes: Uint8Array = new Uint8Array(0);
  /** The number of bytes gathered. */
  #filled = 0;

  /** Adds a chunk. Returns all gathered text once there is enough, else undefined. Returned bytes may be the caller's. */
  add(chunk: unknown): string | Uint8Array | undefined {
    if (typeof chunk === 'string') {
      if (this.#kind !== 'string') this.#choose('string', chunk);
      this.#string += chunk;
      return this.#string.length < ENOUGH ? undefined : this.take(false);
    }
    const bytes = textBytes(chunk, 'chunk');
    if (this.#kind !== 'bytes') this.#choose('bytes', chunk);
    const before = this.#filled;
    this.#filled += bytes.length;
    if (this.#filled < ENOUGH) {
      this.#bytes.set(bytes, before);
      return undefined;
    }
    this.#filled = 0;
    return before === 0 ? bytes : concatenated(Uint8Array, [this.#bytes.subarray(0, before), bytes]);
  }

  /** Returns the text gathered so far. Unless it is the `last`, a trailing half of a surrogate pair waits for the other half. */
  take(last: boolean): string | Uint8Array {
    if (this.#kind === 'bytes') {
      const bytes = this.#bytes.subarray(0, this.#filled);
      this.#filled = 0;
      return bytes;
    }
    const text = this.#string;
    const waits = !last && isHighSurrogate(text, text.length - 1);
    this.#string = waits ? text.slice(-1) : '';
    return waits ? text.slice(0, -1) : text;
  }

  #choose(kind: 'string' | 'bytes', chunk: unknown): void {
    if (this.#kind !== undefined) {
      throw new TypeError(
        `\`chunk\` must be ${kind === 'bytes' ? 'a string' : 'a Uint8Array'} like the chunks before it; received ${typeof chunk === 'string' ? 'a string' : 'a Uint8Array'}`,
      );
    }
    this.#kind = kind;
    if (kind === 'bytes') this.#bytes = new Uint8Array(ENOUGH);
  }
}

/** The most ids that a stream emits at once: a long piece may give millions. Copies, because a reader may transfer each. */
const MOST_IDS = 64 * 1024;

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
    this.#lifetime = new Lifetime(
      'encoder',
      releasedWith(this, () => session.end()),
    );
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
      if (end < length && typeof text === 'string' && isHighSurrogate(text, end - 1)) end--;
      const isWhole = at === 0 && end === length;
      const part = isWhole ? text : partOf(text, at, end);
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
      const { text, start } = this.#fed.remembered();
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

export function encodeStream(
  begin: () => StreamEncoder,
  explained: FromCallSite,
): TransformStream<string | Uint8Array, UnsharedUint32Array> {
  checkWebStreams('encodeStream');
  const encoder = begin();
  const put = (ids: UnsharedUint32Array, outlet: Outlet<UnsharedUint32Array>) => {
    if (ids.length > MOST_IDS) for (let at = 0; at < ids.length; at += MOST_IDS) outlet.put(ids.slice(at, at + MOST_IDS));
    else if (ids.length > 0) outlet.put(ids);
  };
  const steps: Steps<string | Uint8Array, UnsharedUint32Array> = {
    write(chunk, outlet) {
      const text = checkedText(chunk, 'chunk');
      if (text.length <= SLICE) return put(encoder.push(text), outlet);
      return outlet.inSlices(text.length, (from, to) => put(encoder.push(partOf(text, from, to)), outlet));
    },
    flush: (outlet) => put(encoder.flush(), outlet),
    close: (outlet) => put(encoder.end(), outlet),
    release: () => encoder.close(),
  };
  return transformStream(steps, explained);
}

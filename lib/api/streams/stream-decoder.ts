// Decodes ids that arrive in chunks, one call per chunk. A character may begin in one chunk and end in another.

import type { DecodingRun } from '../../vocabularies/metadata.js';
import { SLICE } from '../../base/time-slices.js';
import { Utf8Run, textOfWhole } from '../../base/text-encodings.js';
import { type FromCallSite, TokenizerError, unexpected } from '../../base/errors.js';
import { typedArrayKind } from '../../base/views.js';
import type { Description, EngineTokenizer } from '../../engine/engine.js';
import { release, retain } from '../../engine/retiring.js';
import type { Vocabulary } from '../../vocabularies/vocabulary.js';
import { idArray, skipsSpecial, type TokenIds } from '../arguments.js';
import { failureInIds } from '../text-failures.js';
import { Lifetime } from '../lifetime.js';
import { ENOUGH } from './stream-encoder.js';
import {
  DECODE_STREAM_OPTIONS,
  type DecodedToken,
  type DecodeStreamOptions,
  type StopMatch,
  TokenTexts,
  tokenwiseOf,
} from './stream-token-texts.js';
import { checkWebStreams, type Outlet, type Steps, transformStream } from './transform.js';

/** By id: the text of a token, or its bytes if it begins or ends within a character. */
type Known = Map<number, string | Uint8Array>;

/** What all streams of an engine know of its tokens, with special tokens and without. */
const known = new WeakMap<EngineTokenizer, [Known, Known]>();

/** Text of ids whose tokens are bytes: the bytes are joined and decoded together as UTF-8. */
class BytesRun implements DecodingRun {
  readonly #engine: EngineTokenizer;
  readonly #skipSpecial: boolean;
  readonly #known: Known;
  readonly #utf8 = new Utf8Run();

  constructor(engine: EngineTokenizer, skipSpecial: boolean) {
    this.#engine = engine;
    this.#skipSpecial = skipSpecial;
    let both = known.get(engine);
    if (!both) known.set(engine, (both = [new Map(), new Map()]));
    this.#known = both[skipSpecial ? 1 : 0];
  }

  push(ids: Uint32Array): string {
    if (ids.length !== 1) return this.#utf8.push(this.#engine.decodeBytes(ids, this.#skipSpecial));
    const token = this.#known.get(ids[0] as number) ?? this.#learn(ids);
    if (typeof token !== 'string') return this.#utf8.push(token);
    return token === '' || !this.#utf8.isPartial ? token : this.#utf8.end() + token;
  }

  end(): string {
    return this.#utf8.end();
  }

  /** Asks the engine, which takes fifty times as long as to look a token up. */
  #learn(ids: Uint32Array): string | Uint8Array {
    const bytes = this.#engine.decodeBytes(ids, this.#skipSpecial);
    const token = textOfWhole(bytes) ?? bytes.slice();
    this.#known.set(ids[0] as number, token);
    return token;
  }
}

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
      throw unexpected('a token id or a list of them', 'chunk', chunk);
    }
    const ids = typeof chunk === 'number' ? [chunk] : (chunk as TokenIds);
    try {
      return idArray(ids, 'chunk');
    } catch (error) {
      throw this.#failure(error, ids);
    }
  }

  #decode(ids: Uint32Array): Output {
    let output: string | DecodedToken[];
    try {
      if (this.#engine.isClosed) this.#engine.decodeBytes(ids, false); // says why
      output = this.#tokens ? this.#tokens.push(ids) : this.#run.push(ids);
    } catch (error) {
      throw this.#failure(error, ids);
    }
    this.#before += ids.length;
    return output as Output;
  }

  #failure(error: unknown, ids: TokenIds): unknown {
    return failureInIds(error, ids, { description: this.#description }, undefined, this.#before);
  }
}

/**
 * A web stream from ids to text: the result of {@link Tokenizer.decodeStream}.
 *
 * @example
 * ```ts
 * const stream: DecodeStream = tokenizer.decodeStream({ stop: ['wor'] });
 * let text = '';
 * for await (const part of ReadableStream.from([24912, 2375, 0]).pipeThrough(stream)) text += part;
 * text; // 'hello '
 * stream.stopped; // { sequence: 'wor', start: 6, end: 9, ids: 2 }
 * ```
 */
export interface DecodeStream<Chunk extends string | DecodedToken = string> extends TransformStream<number | TokenIds, Chunk> {
  /** The stop sequence that has ended the text, and where it was; undefined if there has been none. */
  readonly stopped: StopMatch | undefined;
}

export function decodeStream(
  begin: () => StreamDecoder<string | DecodedToken[]>,
  explained: FromCallSite,
): DecodeStream<string> | DecodeStream<DecodedToken> {
  checkWebStreams('decodeStream');
  const decoder = begin();
  const stream = transformStream(decodingSteps(decoder), explained);
  Object.defineProperty(stream, 'stopped', { get: () => decoder.stopped, enumerable: true });
  return stream as DecodeStream<string> | DecodeStream<DecodedToken>;
}

type Chunk = string | DecodedToken;

function decodingSteps(decoder: StreamDecoder<string | DecodedToken[]>): Steps<number | TokenIds, Chunk> {
  /** Text waiting for more, or for a pause of the source. */
  let waiting = '';

  function flush(outlet: Outlet<Chunk>): void {
    const text = waiting;
    waiting = '';
    if (text !== '') outlet.put(text);
  }

  function gather(output: string | DecodedToken[], outlet: Outlet<Chunk>): void {
    if (typeof output !== 'string') return output.forEach((token) => outlet.put(token));
    waiting += output;
    if (waiting.length >= ENOUGH) flush(outlet);
  }

  /** Emits the text that preceded an error. */
  function orFlush<Result>(work: () => Result, outlet: Outlet<Chunk>): Result {
    try {
      return work();
    } catch (error) {
      flush(outlet);
      throw error;
    }
  }

  function decode(ids: number | Uint32Array, outlet: Outlet<Chunk>): void {
    const output = orFlush(() => decoder.push(ids), outlet);
    gather(output, outlet);
    const { stopped } = decoder;
    if (!stopped) return;
    flush(outlet);
    const { sequence, start } = stopped;
    const message = `cannot write: the text has ended before ${JSON.stringify(sequence)} at position ${start}`;
    outlet.finish(new TokenizerError(message, { code: 'CLOSED' }));
  }

  return {
    write(chunk, outlet) {
      const ids = typeof chunk === 'number' ? chunk : orFlush(() => decoder.checked(chunk), outlet);
      if (typeof ids === 'number' || ids.length <= SLICE) return decode(ids, outlet);
      return outlet.inSlices(ids.length, (from, to) => decode(ids.subarray(from, to), outlet));
    },
    flush,
    close(outlet) {
      gather(decoder.end(), outlet);
      flush(outlet);
    },
    release: () => decoder.close(),
  };
}

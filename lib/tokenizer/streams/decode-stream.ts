// Decodes ids that arrive in chunks, as a web stream around a StreamDecoder.

import type { TokenIds } from '../arguments.js';
import { type FromCallSite, TokenizerError } from '../../base/errors.js';
import { SLICE } from '../../base/time-slices.js';
import { ENOUGH } from './gathered-text.js';
import type { StreamDecoder } from './stream-decoder.js';
import type { DecodedToken, StopMatch } from './token-texts.js';
import { checkWebStreams, type Outlet, type Steps, transformStream } from './transform.js';

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
  const stream = transformStream(new Decoding(decoder), explained);
  Object.defineProperty(stream, 'stopped', { get: () => decoder.stopped, enumerable: true });
  return stream as DecodeStream<string> | DecodeStream<DecodedToken>;
}

type Chunk = string | DecodedToken;

class Decoding implements Steps<number | TokenIds, Chunk> {
  readonly #decoder: StreamDecoder<string | DecodedToken[]>;
  /** Text waiting for more, or for a pause of the source. */
  #text = '';

  constructor(decoder: StreamDecoder<string | DecodedToken[]>) {
    this.#decoder = decoder;
  }

  write(chunk: number | TokenIds, outlet: Outlet<Chunk>): void | Promise<void> {
    const ids = typeof chunk === 'number' ? chunk : this.#orFlush(() => this.#decoder.checked(chunk), outlet);
    if (typeof ids !== 'number' && ids.length > SLICE) return this.#writeSlices(ids, outlet);
    this.#decode(ids, outlet);
  }

  flush(outlet: Outlet<Chunk>): void {
    const text = this.#text;
    this.#text = '';
    if (text !== '') outlet.put(text);
  }

  close(outlet: Outlet<Chunk>): void {
    this.#gather(this.#decoder.end(), outlet);
    this.flush(outlet);
  }

  release(): void {
    this.#decoder.close();
  }

  async #writeSlices(ids: Uint32Array, outlet: Outlet<Chunk>): Promise<void> {
    for (let at = 0; at < ids.length && !this.#decoder.stopped; at += SLICE) {
      if (!outlet.isReady) await outlet.ready();
      outlet.work(() => this.#decode(ids.subarray(at, at + SLICE), outlet));
    }
  }

  #decode(ids: number | Uint32Array, outlet: Outlet<Chunk>): void {
    this.#gather(
      this.#orFlush(() => this.#decoder.push(ids), outlet),
      outlet,
    );
    const { stopped } = this.#decoder;
    if (stopped) this.flush(outlet);
    if (stopped) outlet.finish(ended(stopped));
  }

  #gather(made: string | DecodedToken[], outlet: Outlet<Chunk>): void {
    if (typeof made !== 'string') return made.forEach((token) => outlet.put(token));
    this.#text += made;
    if (this.#text.length >= ENOUGH) this.flush(outlet);
  }

  /** Emits the text that preceded an error. */
  #orFlush<Result>(work: () => Result, outlet: Outlet<Chunk>): Result {
    try {
      return work();
    } catch (error) {
      this.flush(outlet);
      throw error;
    }
  }
}

/** For those who write more. */
function ended({ sequence, start }: StopMatch): TokenizerError {
  return new TokenizerError(`cannot write: the text has ended before ${JSON.stringify(sequence)} at position ${start}`, { code: 'CLOSED' });
}

// Decodes ids that arrive in chunks, as a web stream around a StreamDecoder.

import type { TokenIds } from '../arguments.js';
import type { FromCallSite } from '../../base/errors.js';
import { SLICE } from '../../base/pause.js';
import { ENOUGH } from './gathered-text.js';
import type { StreamDecoder } from './stream-decoder.js';
import { checkWebStreams, type Outlet, type Steps, transformStream } from './transform.js';

export function decodeStream(begin: () => StreamDecoder, explained: FromCallSite): TransformStream<number | TokenIds, string> {
  checkWebStreams('decodeStream');
  return transformStream(new Decoding(begin()), explained);
}

class Decoding implements Steps<number | TokenIds, string> {
  readonly #decoder: StreamDecoder;
  /** Text waiting for more, or for a pause of the source. */
  #text = '';

  constructor(decoder: StreamDecoder) {
    this.#decoder = decoder;
  }

  write(chunk: number | TokenIds, outlet: Outlet<string>): void | Promise<void> {
    const ids = typeof chunk === 'number' ? chunk : this.#orFlush(() => this.#decoder.checked(chunk), outlet);
    if (typeof ids !== 'number' && ids.length > SLICE) return this.#writeSlices(ids, outlet);
    this.#decode(ids, outlet);
  }

  flush(outlet: Outlet<string>): void {
    const text = this.#text;
    this.#text = '';
    if (text !== '') outlet.put(text);
  }

  close(outlet: Outlet<string>): void {
    this.#text += this.#decoder.end();
    this.flush(outlet);
  }

  release(): void {
    this.#decoder.close();
  }

  async #writeSlices(ids: Uint32Array, outlet: Outlet<string>): Promise<void> {
    for (let at = 0; at < ids.length; at += SLICE) {
      if (!outlet.isReady) await outlet.ready();
      outlet.work(() => this.#decode(ids.subarray(at, at + SLICE), outlet));
    }
  }

  #decode(ids: number | Uint32Array, outlet: Outlet<string>): void {
    this.#text += this.#orFlush(() => this.#decoder.push(ids), outlet);
    if (this.#text.length >= ENOUGH) this.flush(outlet);
  }

  /** Emits the text that preceded an error. */
  #orFlush<Result>(work: () => Result, outlet: Outlet<string>): Result {
    try {
      return work();
    } catch (error) {
      this.flush(outlet);
      throw error;
    }
  }
}

// Encodes text that arrives in chunks, as a web stream around a StreamEncoder.

import { textBytes } from '../arguments.js';
import type { FromCallSite } from '../../base/errors.js';
import { SLICE } from '../../base/time-slices.js';
import type { UnsharedUint32Array } from '../../base/typed-arrays.js';
import type { StreamEncoder } from './stream-encoder.js';
import { checkWebStreams, type Outlet, type Steps, transformStream } from './transform.js';

export function encodeStream(
  begin: () => StreamEncoder,
  explained: FromCallSite,
): TransformStream<string | Uint8Array, UnsharedUint32Array> {
  checkWebStreams('encodeStream');
  return transformStream(new Encoding(begin()), explained);
}

class Encoding implements Steps<string | Uint8Array, UnsharedUint32Array> {
  readonly #encoder: StreamEncoder;

  constructor(encoder: StreamEncoder) {
    this.#encoder = encoder;
  }

  write(chunk: string | Uint8Array, outlet: Outlet<UnsharedUint32Array>): void | Promise<void> {
    const text = typeof chunk === 'string' ? chunk : textBytes(chunk, 'chunk');
    if (text.length > SLICE) return this.#writeSlices(text, outlet);
    this.#put(this.#encoder.push(text), outlet);
  }

  flush(outlet: Outlet<UnsharedUint32Array>): void {
    this.#put(this.#encoder.flush(), outlet);
  }

  close(outlet: Outlet<UnsharedUint32Array>): void {
    this.#put(this.#encoder.end(), outlet);
  }

  release(): void {
    this.#encoder.close();
  }

  async #writeSlices(text: string | Uint8Array, outlet: Outlet<UnsharedUint32Array>): Promise<void> {
    for (let at = 0; at < text.length; at += SLICE) {
      if (!outlet.isReady) await outlet.ready();
      const slice = typeof text === 'string' ? text.slice(at, at + SLICE) : text.subarray(at, at + SLICE);
      outlet.work(() => this.#put(this.#encoder.push(slice), outlet));
    }
  }

  #put(ids: UnsharedUint32Array, outlet: Outlet<UnsharedUint32Array>): void {
    if (ids.length > 0) outlet.put(ids);
  }
}

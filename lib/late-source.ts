// Sources of a cartridge that have to be waited for.

import { TokenizerError } from './errors.js';
import type { Source } from './sources.js';

/**
 * What brings the bytes of a cartridge in time: a `Response` (what `fetch` gives), a promise of one, or a `Blob`.
 *
 * @example
 * ```ts
 * const bytes = tokenizer.encode('no cartridge').buffer as ArrayBuffer;
 * const source: LateSource = new Blob([bytes]);
 * await Tokenizer.load(source); // throws TokenizerError (NOT_A_CARTRIDGE)
 * ```
 */
export type LateSource = Response | Promise<Response> | Blob;

/** Whether a source has to be waited for. */
export function isLate(source: Source | LateSource): source is LateSource {
  return isPromise(source) || bringsBytes(source);
}

/** What a late source brings. */
export async function arrived(source: LateSource): Promise<Source> {
  const brought: unknown = await source;
  if (!bringsBytes(brought)) return brought as Source;
  if (!('ok' in brought) || brought.ok) return brought.arrayBuffer();
  const from = brought.url === '' ? 'a response' : brought.url;
  const message = `cannot load a cartridge from ${from}: ${brought.status} ${brought.statusText}`.trimEnd();
  throw new TokenizerError(message, { code: brought.status === 404 ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE' });
}

export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value;
}

// By its shape: to name the global `Response` would load Node's whole fetch.
function bringsBytes(source: unknown): source is Response | Blob {
  return typeof source === 'object' && source !== null && 'arrayBuffer' in source;
}

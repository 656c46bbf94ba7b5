// The sources of `load`: a name, a path or URL, bytes, or an asynchronous source of bytes.

import { TokenizerError, unexpected } from '../base/errors.js';
import type { BuiltInName } from '../vocabulary/models.js';
import { isPromise } from '../base/promise.js';

/**
 * The source of a tokenizer: the name of a built-in encoding (`'o200k_base'`), profile (`'lite'`) or model
 * (`'gpt-4o'`), the path or `file:` URL of a cartridge (`.cray`) or of a version 2 file (`.dat`, optionally with a
 * `.json` beside it), or the bytes of either, which are copied. `load`, but not `loadSync`, also compiles a Hugging
 * Face `tokenizer.json` or a SentencePiece `.model`, by path or bytes.
 *
 * @example
 * ```ts
 * const file: Source = new URL(import.meta.resolve('crayon-tokenizer/cartridges/o200k_base.cray'));
 * Tokenizer.loadSync(file).name; // 'o200k_base'
 * ```
 */
export type Source = BuiltInName | (string & {}) | URL | ArrayBuffer | SharedArrayBuffer | ArrayBufferView;

/**
 * An asynchronous source of a cartridge's bytes: a `Response` (the result of `fetch`), a promise of one, or a `Blob`.
 *
 * @example
 * ```ts
 * const { buffer } = tokenizer.encode('no cartridge');
 * const source: LateSource = new Blob([buffer]);
 * await Tokenizer.load(source); // throws TokenizerError (NOT_A_CARTRIDGE)
 * ```
 */
export type LateSource = Response | Promise<Response> | Blob;

/** Whether a source must be awaited. */
export function isLate(source: Source | LateSource): source is LateSource {
  return isPromise(source) || hasBytesLater(source);
}

/** The source that a late source resolves to. */
export async function arrived(source: LateSource): Promise<Source> {
  const delivered: unknown = await source;
  if (!hasBytesLater(delivered)) return delivered as Source;
  const isResponse = 'ok' in delivered;
  if (isResponse) checkResponse(delivered);
  try {
    return await delivered.arrayBuffer();
  } catch (cause) {
    const from = isResponse ? nameOf(delivered) : 'a Blob';
    const message = `cannot load a cartridge from ${from}: ${(cause as Error).message}`;
    throw new TokenizerError(message, { code: 'FILE_UNREADABLE' }, { cause });
  }
}

function checkResponse(response: Response): void {
  const { ok, status, statusText, type, bodyUsed } = response;
  if (ok && bodyUsed) throw unexpected('a Response whose body has not been read', 'source', response);
  if (ok) return;
  const hidden = "its content is hidden from scripts (fetched with mode: 'no-cors')";
  const reason = type === 'opaque' ? hidden : `${status} ${statusText}`.trimEnd();
  const message = `cannot load a cartridge from ${nameOf(response)}: ${reason}`;
  throw new TokenizerError(message, { code: status === 404 ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE' });
}

function nameOf({ url }: Response): string {
  return url === '' ? 'a response' : url;
}

// By its shape: naming the global `Response` would load Node's whole fetch.
function hasBytesLater(source: unknown): source is Response | Blob {
  return typeof source === 'object' && source !== null && 'arrayBuffer' in source;
}

/** The error for an invalid source. Parsed JSON must be passed as bytes instead, and a list of tokens must be compiled. */
export function noSource(expected: string, source: unknown): TypeError {
  const error = unexpected(expected, 'source', source);
  if (Array.isArray(source)) error.message += '; compileCartridge() makes the bytes of one of a list of tokens';
  else if (typeof source === 'object' && source !== null && ('model' in source || 'vocab' in source)) {
    error.message += '; pass a tokenizer.json as its bytes, before it is parsed: new TextEncoder().encode(JSON.stringify(it))';
  }
  return error;
}

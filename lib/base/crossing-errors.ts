// Errors between threads, to which only plain objects go: a TokenizerError keeps its code and position.

import { type StatusCode, TokenizerError } from './errors.js';

/** An error as plain data, which crosses threads. */
export interface PlainFailure {
  kind: 'TypeError' | 'RangeError' | 'Error';
  message: string;
  code?: StatusCode;
  position?: number;
}

/** What of an error crosses threads. */
export function failureOf(error: unknown): PlainFailure {
  const { message } = error as Error;
  const kind = error instanceof TypeError ? 'TypeError' : error instanceof RangeError ? 'RangeError' : 'Error';
  const details = error instanceof TokenizerError ? { code: error.code, position: error.position } : {};
  return { kind, message, ...details };
}

/** The error of an answer. */
export function errorOf({ kind, message, code, position }: PlainFailure): Error {
  if (code !== undefined) return new TokenizerError(message, { code, position: position ?? 0 });
  return new { TypeError, RangeError, Error }[kind](message);
}

// How a call of a C function ended (functions.ts), which the engine's classes ask a host.

import { type Failure, TokenizerError } from '../base/errors.js';

/** CRAYON_SPECIAL_LISTED: the policy of a list of tokens. */
export const LISTED = 3;
/** The units of offsets, in the order of the engine's numbers. */
export const UNITS = ['bytes', 'utf16', 'pieces', 'words', 'spaces'] as const;

/** The addon, or an instance of a module. Functions of closed objects fail with `CLOSED`. */
export interface EngineHost {
  /** The most UTF-16 units of a string, or of a returned one, in a call. */
  readonly window: number;
  /** Why the last call failed. */
  failure(): Failure;
  /** What the last call counted, also if it failed. */
  resultCount(): number;
  /** The position that the last call has reported. */
  resultPosition(): number;
  /** Tells the garbage collector about bytes that an object now needs, or no longer. Absent where the collector sees them. */
  weigh?(change: number): void;
}

/** The count in the answer of a call that has not failed. */
export function countIn(answer: number): number {
  return answer < 0 ? -2 - answer : answer;
}

/** The error for the last call. */
export function failedIn(engine: EngineHost, doing: string): TokenizerError {
  const failure = engine.failure();
  return new TokenizerError(`${doing}: ${failure.sentence}`, failure);
}

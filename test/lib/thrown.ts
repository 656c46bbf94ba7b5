// The error of a call, for tests of messages and fields.

import { expect } from 'vitest';
import { TokenizerError } from 'crayon-tokenizer';

/** The error that an action throws, which must be of that class; fails if it throws nothing. */
export function thrown(action: () => unknown): TokenizerError;
export function thrown(action: () => unknown, kind: new (...args: never[]) => Error): Error;
export function thrown(action: () => unknown, kind: new (...args: never[]) => Error = TokenizerError): Error {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(kind);
    return error as Error;
  }
  return expect.fail('nothing was thrown');
}

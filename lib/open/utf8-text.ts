// Text of a file that has to be UTF-8: a list of tokens read with replacement characters would lack tokens silently.

import { TokenizerError } from '../base/errors.js';

/**
 * The text in `bytes`, with its byte order mark if it has one. Throws a `TokenizerError` whose position is that of the
 * first byte that cannot follow those before it, or the end. `file`: where the bytes are from, for the error.
 */
export function utf8Text(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const position = validLength(bytes);
    const message = `cannot read the tokens of ${file}: it is no UTF-8 from byte ${position} on`;
    throw new TokenizerError(message, { code: 'CORRUPT_STRUCTURE', position });
  }
}

/** How many bytes are UTF-8 before the first that are not. */
function validLength(bytes: Uint8Array): number {
  let valid = 0;
  let invalid = bytes.length;
  while (valid < invalid) {
    const middle = (valid + invalid + 1) >>> 1;
    if (isBeginning(bytes.subarray(0, middle))) valid = middle;
    else invalid = middle - 1;
  }
  return valid;
}

/** Whether bytes begin a text, which may end within a character. */
function isBeginning(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Whether a text has a half of a pair without the other one, which no UTF-8 has. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

// Text of a file that must be UTF-8: with replacement characters, a list of tokens would silently lack tokens.

import { TokenizerError } from './errors.js';

/**
 * The text in `bytes`, including any byte order mark. Throws a `TokenizerError` at the first byte that cannot follow
 * the bytes before it, or at the end. `file`: the location of the bytes, for the error.
 */
export function utf8Text(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const position = validLength(bytes);
    const message = `cannot read the tokens of ${file}: it is not UTF-8 from byte ${position} on`;
    throw new TokenizerError(message, { code: 'CORRUPT_STRUCTURE', position });
  }
}

/** The number of bytes before the first invalid UTF-8. */
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

/** Whether bytes are the beginning of a text, which may end inside a character. */
function isBeginning(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Whether a text has an unpaired surrogate, which UTF-8 cannot represent. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

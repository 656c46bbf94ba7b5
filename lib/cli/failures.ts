// Failures of one input: a line on standard error each, and the command goes on.

import { TokenizerError } from '../errors.js';
import { clearProgress } from './progress.js';
import { InputError, nameOf } from './streams.js';

/** Reports why an input failed, and returns the reason; anything but a failure of the input is thrown. */
export function report(file: string, error: unknown): string {
  if (!(error instanceof InputError || error instanceof TokenizerError)) throw error;
  const message = wordsFor(error);
  clearProgress();
  process.stderr.write(`crayon: ${nameOf(file)}: ${message}\n`);
  return message;
}

/** Of a failure within a text, where it is. */
function wordsFor(error: Error): string {
  if (!(error instanceof TokenizerError)) return error.message;
  const { code, position } = error;
  if (code === 'SPECIAL_FORBIDDEN') return `holds a special token at byte ${position}, and --special forbid was given`;
  if (code !== 'UNKNOWN_CHARACTER') return error.message;
  return `holds a character at byte ${position} with which no token begins, and the vocabulary has no unknown id`;
}

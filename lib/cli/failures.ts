// Failures of one input: a line on standard error each, and the command goes on.

import { TokenizerError } from '../errors.js';
import { clearProgress } from './progress.js';
import { InputError, nameOf } from './streams.js';

/** Reports why an input failed, and returns the reason; anything but a failure of the input is thrown. */
export function report(file: string, error: unknown): string {
  if (!(error instanceof InputError || error instanceof TokenizerError)) throw error;
  const forbidden = error instanceof TokenizerError && error.code === 'SPECIAL_FORBIDDEN';
  const message = forbidden
    ? `holds a special token at byte ${error.position}, and --special forbid was given`
    : error.message;
  clearProgress();
  process.stderr.write(`crayon: ${nameOf(file)}: ${message}\n`);
  return message;
}

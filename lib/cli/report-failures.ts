// How failures are reported: each as a line on standard error. A failed input does not stop the command; any other
// failure ends it with an exit code.

import { TokenizerError } from '../base/errors.js';
import { EXIT_BROKEN_PIPE, EXIT_FAILED, EXIT_USAGE, InputError, OutputError, UsageError } from './command-errors.js';
import { tellFailure } from './output/terminal.js';
import { nameOf } from './input/file-arguments.js';

/** Reports why an input failed, and returns the reason; rethrows anything but a failure of the input. */
export function report(file: string, error: unknown): string {
  if (!(error instanceof InputError || error instanceof TokenizerError)) throw error;
  const message = reasonOf(error);
  tellFailure(`${nameOf(file)}: ${message}`);
  return message;
}

/** Why an input failed; for a failure within a text, its position. */
export function reasonOf(error: Error): string {
  if (!(error instanceof TokenizerError)) return error.message;
  const { code, position } = error;
  if (code === 'SPECIAL_FORBIDDEN') return `has a special token at byte ${position}, which --special forbid refuses`;
  if (code !== 'UNKNOWN_CHARACTER') return error.message;
  return `no token begins with the character at byte ${position}, and the vocabulary has no unknown id`;
}

/** Reports the error that ended a command, and returns the exit code. */
export function endWith(error: unknown): number {
  if (error instanceof OutputError && error.code === 'EPIPE') return EXIT_BROKEN_PIPE;
  tellFailure((error as Error).message);
  return error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED;
}

// Standard output, with its back pressure and its errors, and standard error.

import { OutputError, reasonFor } from '../command-errors.js';
import { clearProgress } from './progress.js';

/** Writes to standard output and waits until it has taken the data. Throws an OutputError. */
export function write(data: string | Uint8Array): Promise<void> {
  clearProgress();
  return new Promise((done, fail) => {
    process.stdout.write(data, (error) => {
      if (error) fail(new OutputError(`standard output: ${reasonFor(error)}`, (error as NodeJS.ErrnoException).code));
      else done();
    });
  });
}

/** Reports a failure. Node has U+FFFD for bytes of names that are not UTF-8, and finds no file by a name with U+FFFD. */
export function tellFailure(message: string): void {
  const isName = message.includes('\ufffd') && /no (?:such )?file|no encoding/.test(message);
  const advice = ' (\ufffd stands for bytes that are not UTF-8: Node opens no file with such a name; rename it)';
  tell(`crayon: ${message}${isName ? advice : ''}`);
}

/** Writes a line to standard error. */
export function tell(message: string): void {
  clearProgress();
  process.stderr.write(`${message}\n`);
}

/**
 * Keeps a failing stream from ending the process with a stack trace: `write` reports errors of standard output, and
 * errors of standard error cannot be reported to anybody.
 */
export function handleStreamErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

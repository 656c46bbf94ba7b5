// The command line's inputs and output: files and stdin as chunks of bytes, stdout with its back pressure.

import { createReadStream } from 'node:fs';

/** A failure to report in one line; the command goes on with its next input. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

const CHUNK = 1024 * 1024;

const REASONS: Record<string, string> = {
  ENOENT: 'no such file',
  EISDIR: 'is a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
};

/** The bytes of a file, or of stdin for `-`. */
export async function* chunksOf(file: string): AsyncGenerator<Uint8Array> {
  const stream = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: CHUNK });
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code) throw new InputError(REASONS[code] ?? message);
    throw error;
  }
}

/** Writes to stdout, and waits while it is full. A reader that goes away ends the process, quietly. */
export function write(data: string | Uint8Array): Promise<void> {
  return new Promise((done) => {
    if (process.stdout.write(data)) done();
    else process.stdout.once('drain', done);
  });
}

export function endQuietlyWithoutReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

// The command line's inputs and output: files and stdin as chunks of bytes, stdout with its back pressure.

import { createReadStream } from 'node:fs';

import { clearProgress } from './progress.js';

/** A failure to report in one line; the command goes on with its next input. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** The name of an input for people. */
export function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}

const CHUNK = 1024 * 1024;

const REASONS: Record<string, string> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
};

let stdinIsRead = false;

/** The bytes of a file, or of stdin for `-`. */
export async function* chunksOf(file: string): AsyncGenerator<Uint8Array> {
  if (file === '-' && stdinIsRead) throw new InputError('has been read already, and can be read once');
  if (file === '-') stdinIsRead = true;
  const stream = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: CHUNK });
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'EISDIR') {
      throw new InputError(`is a directory; the pattern "${file.replace(/[/\\]+$/, '')}/**" names the files in it`);
    }
    if (code) throw new InputError(REASONS[code] ?? message);
    throw error;
  }
}

/** Writes to stdout, and waits while it is full. A reader that goes away ends the process, quietly. */
export function write(data: string | Uint8Array): Promise<void> {
  clearProgress();
  return new Promise((done) => {
    if (process.stdout.write(data)) done();
    else process.stdout.once('drain', done);
  });
}

export function endQuietlyWithoutReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0);
      throw error;
    });
  }
}

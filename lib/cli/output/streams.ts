// The command line's inputs: files and standard input as chunks of bytes.

import { createReadStream, fstatSync } from 'node:fs';
import { addAbortSignal } from 'node:stream';

import { inflatedChunks } from '../../gzip/gzip-in-node.js';
import { reasonFor } from '../system-reasons.js';

/** A failure to report in one line; the command continues with its next input. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** The name of an input or output in messages. */
export function nameOf(file: string, stream = 'standard input'): string {
  return file === '-' ? stream : file === '' ? '""' : file;
}

const CHUNK = 1024 * 1024;

/** Standard input, once it has been read. */
let readInput: typeof process.stdin | undefined;

/**
 * The bytes of a file, or of standard input for `-`. `takesPatterns`: whether the argument could be a pattern. `start`: the
 * first byte that is wanted of a file. `signal`: ends the wait for more.
 */
export async function* chunksOf(file: string, takesPatterns = true, start = 0, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  if (file === '-' && readInput === process.stdin) throw new InputError('can be read only once, and has been read already');
  if (file === '-') readInput = process.stdin;
  if (file === '-' && stdinIsDirectory()) throw new InputError('is a directory');
  const range = start > 0 ? { start } : {}; // a pipe has no offsets, not even 0
  const stream = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: CHUNK, ...range });
  if (signal) addAbortSignal(signal, stream);
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (error) {
    signal?.throwIfAborted();
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EISDIR' && file !== '-' && takesPatterns) {
      const pattern = JSON.stringify(`${file.replace(/[/\\]+$/, '')}/**`);
      throw new InputError(`is a directory; the pattern ${pattern} names the files in it`);
    }
    if (code) throw new InputError(reasonFor(error));
    throw error;
  }
}

/** The bytes of a text, which may be compressed with gzip. Of one that is, `start` is 0. `signal`: ends the wait for more. */
export async function* textChunksOf(file: string, start = 0, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const chunks = chunksOf(file, true, start, signal);
  if (start === 0) yield* inflatedChunks(chunks, nameOf(file));
  else yield* chunks;
}

/** Node reads one as if it were empty. */
function stdinIsDirectory(): boolean {
  try {
    return fstatSync(0).isDirectory();
  } catch {
    return false; // not every host can say
  }
}

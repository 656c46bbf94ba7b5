// Checkpoint files: a line that identifies the format, a line that describes the training, and the engine's bytes.

import { closeSync, fstatSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';

import { shownPath, TokenizerError } from '../base/errors.js';
import type { Checkpoints } from './train-session.js';

const MAGIC = 'crayon training, version 1\n';
const LINE_FEED = 10;
/** Bytes to read or write at a time. */
const PART = 2 ** 26;

/** A file is only ever replaced by a complete one, so a valid one exists at any time. */
export const checkpoints: Checkpoints = {
  load(path, about) {
    let file: Buffer;
    try {
      file = wholeFile(path);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw unusable(path, (cause as Error).message, cause);
    }
    const start = Buffer.from(MAGIC);
    const end = file.indexOf(LINE_FEED, start.length);
    if (!file.subarray(0, start.length).equals(start) || end < 0) throw unusable(path, 'it is not a training checkpoint');
    if (file.toString('utf8', start.length, end) !== about) {
      const what = 'it is of a training with other options or other files; delete it, or name another one';
      throw unusable(path, what);
    }
    return file.subarray(end + 1);
  },
  save(path, about, state) {
    const temporary = `${path}.${process.pid}.tmp`;
    try {
      const file = openSync(temporary, 'w');
      try {
        writeWhole(file, Buffer.from(`${MAGIC}${about}\n`));
        writeWhole(file, state);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(temporary, path);
    } catch (cause) {
      rmSync(temporary, { force: true });
      throw new TokenizerError(
        `cannot write the checkpoint ${shownPath(path)}: ${(cause as Error).message}`,
        {
          code: 'FILE_UNREADABLE',
        },
        { cause },
      );
    }
  },
};

/** `readFileSync` rejects files larger than 2 GiB. */
function wholeFile(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.allocUnsafeSlow(fstatSync(file).size);
    let length = 0;
    for (let count = -1; count !== 0 && length < bytes.length; length += count) {
      count = readSync(file, bytes, length, Math.min(bytes.length - length, PART), null);
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

function writeWhole(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    at += writeSync(file, bytes, at, Math.min(bytes.length - at, PART));
  }
}

function unusable(path: string, why: string, cause?: unknown): TokenizerError {
  const options = cause === undefined ? undefined : { cause };
  return new TokenizerError(`cannot go on from the checkpoint ${shownPath(path)}: ${why}`, { code: 'FILE_UNREADABLE' }, options);
}

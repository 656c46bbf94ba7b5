// A cartridge's file read into memory, where the engine cannot open it itself.

import { readFileSync, statSync } from 'node:fs';

import { type StatusCode, TokenizerError } from './errors.js';

const LARGEST = 2 ** 31 - 1;

/** The bytes of a cartridge's file, or the error that the engine has for it when it opens files itself. */
export function readCartridge(path: string): Uint8Array {
  let failure: { code: StatusCode; sentence: string; cause?: unknown };
  try {
    const about = statSync(path);
    if (about.isFile() && about.size <= LARGEST) return readFileSync(path);
    failure = about.isFile()
      ? { code: 'FILE_TOO_LARGE', sentence: 'the file is larger than a cartridge may be (2 GiB)' }
      : { code: 'FILE_UNREADABLE', sentence: 'the path exists but cannot be read as a file' };
  } catch (cause) {
    const isMissing = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes((cause as NodeJS.ErrnoException).code ?? '');
    failure = isMissing
      ? { code: 'FILE_NOT_FOUND', sentence: 'no file exists at the path' }
      : { code: 'FILE_UNREADABLE', sentence: 'the path exists but cannot be read as a file', cause };
  }
  const { code, sentence, cause } = failure;
  throw new TokenizerError(`cannot open the cartridge ${path}: ${sentence}`, { code }, cause ? { cause } : undefined);
}

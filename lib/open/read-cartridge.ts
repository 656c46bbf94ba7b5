// A cartridge's file read into memory, where the engine cannot open it itself.

import { type FileKind, readRegularFile } from './regular-file.js';

const CARTRIDGE: FileKind = {
  failure: 'cannot open the cartridge',
  noun: 'a cartridge',
  most: 2 ** 31 - 1,
  mostInWords: '2 GiB',
};

/** The bytes of a cartridge's file, or the error that the engine has for it when it opens files itself. */
export function readCartridge(path: string): Uint8Array {
  return readRegularFile(path, CARTRIDGE);
}

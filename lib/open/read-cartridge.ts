// Reads a cartridge file into memory, for engines that cannot open files.

import { type FileKind, readRegularFile } from './regular-file.js';

const CARTRIDGE: FileKind = {
  failure: 'cannot open the cartridge',
  noun: 'a cartridge',
  most: 2 ** 31 - 1,
  mostInWords: '2 GiB',
};

/** The bytes of a cartridge file; throws the same error as an engine that opens files itself. */
export function readCartridge(path: string): Uint8Array {
  return readRegularFile(path, CARTRIDGE);
}

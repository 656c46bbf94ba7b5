// Version 2 vocabularies in files.

import { type DatOptions, type DatSource, isDat, listLocation, type ListText, namesDat } from './dat.js';
import { readRegularFile, TOKEN_LIST } from './regular-file.js';
import { utf8Text } from './utf8-text.js';
import { TokenizerError } from '../base/errors.js';

/** The data that accompanies a `.dat`, given by its path or its bytes; undefined for any other source. */
export function datOf(source: string | Uint8Array, { unknownId, unknownUnit }: DatOptions): DatSource | undefined {
  if (typeof source === 'string') return namesDat(source) ? { list: listBeside(source), unknownId, unknownUnit } : undefined;
  return isDat(source) ? { list: undefined, unknownId, unknownUnit } : undefined;
}

/** The `.json` beside a `.dat`; undefined if there is none. */
export function listBeside(dat: string): ListText | undefined {
  const file = listLocation(dat);
  try {
    return { text: utf8Text(readRegularFile(file, TOKEN_LIST), file), file };
  } catch (error) {
    if (error instanceof TokenizerError && error.code === 'FILE_NOT_FOUND') return undefined;
    throw error;
  }
}

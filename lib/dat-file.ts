// A version 2 vocabulary in files.

import { readFileSync } from 'node:fs';

import { type DatSource, isDat, listPlace, type ListText, namesDat } from './dat.js';
import { TokenizerError } from './errors.js';

/** What belongs to a `.dat`, given by its path or its bytes; undefined for any other source. */
export function datOf(source: string | Uint8Array, unknownId: number | undefined): DatSource | undefined {
  if (typeof source === 'string') return namesDat(source) ? { list: listBeside(source), unknownId } : undefined;
  return isDat(source) ? { list: undefined, unknownId } : undefined;
}

/** The `.json` beside a `.dat`; undefined if there is none. */
export function listBeside(dat: string): ListText | undefined {
  const file = listPlace(dat);
  try {
    return { text: readFileSync(file, 'utf8'), file };
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return undefined;
    const message = `cannot read the tokens of ${file}: ${(cause as Error).message}`;
    throw new TokenizerError(message, { code: 'FILE_UNREADABLE' }, { cause });
  }
}

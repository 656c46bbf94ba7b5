// Record errors besides the parser's.

import { TokenizerError } from '../base/errors.js';

/** The sequence of a record is too long. `where`: the source's name; `position`: where the record begins. */
export function tooLong(where: string, index: number, name: string, most: number, position: number): TokenizerError {
  const record = `records[${index}] (${JSON.stringify(name)})`;
  return new TokenizerError(
    `cannot read ${where}: the sequence of ${record}, which begins at byte ${position}, is longer than ${most} (maxRecordLength)`,
    {
      code: 'TEXT_TOO_LONG',
      position,
      row: index,
    },
  );
}

// What is wrong with a record, besides what the parser finds.

import { TokenizerError } from '../base/errors.js';

/** The sequence of a record is longer than it may be. `where`: what is read; `position`: where the record begins. */
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

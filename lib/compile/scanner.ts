// What the engine splits by: the scanner of a family, or tables of patterns.

import { familyOf } from '../import/pretokenizer.js';
import type { Split } from '../patterns/compile-pattern.js';
import type { PatternRefusal } from '../patterns/tables.js';
import { quotedName } from '../tokenizer/errors.js';

/** As the engine takes it. */
export interface Scanner {
  scanner: string;
  /** Of the scanner `pattern`. */
  pattern?: Uint8Array;
}

/** `pretokenizer`: the name of a family, `none`, or patterns. `refuse` throws for patterns that have no tables. */
export async function scannerOf(
  pretokenizer: string | readonly Split[],
  refuse: (why: PatternRefusal) => never,
): Promise<Scanner> {
  if (typeof pretokenizer === 'string') return { scanner: pretokenizer };
  const family = familyOf(pretokenizer);
  if (family !== undefined) return { scanner: family };
  const { patternTables } = await import('../patterns/tables.js');
  const pattern = patternTables(pretokenizer);
  return 'what' in pattern ? refuse(pattern) : { scanner: 'pattern', pattern };
}

/** Throws the error for patterns of the option `pretokenizer`. */
export function refusedPattern(pretokenizer: string | readonly Split[]): (why: PatternRefusal) => never {
  return ({ what, index }) => {
    const name = index === undefined || pretokenizer.length === 1 ? 'pretokenizer' : `pretokenizer[${index}]`;
    const received = typeof pretokenizer === 'string' ? pretokenizer : pretokenizer[index ?? 0]?.pattern;
    throw new RangeError(`expected a pattern that can be compiled for ${name} but received ${quotedName(received ?? '')}: ${what}`);
  };
}

// The scripts of characters, as UnicodeScripts knows them.

import { CLASS_RUNS } from '../patterns/unicode-scripts.js';

/** First and last code point of each range, and a number for its script: what is of any script is in none. */
export function scriptRows(): Uint32Array {
  const rows: number[] = [];
  let begin = 0;
  for (const [, length, letters] of CLASS_RUNS.matchAll(/([0-9a-z]+)([A-Z]+)/g)) {
    const end = begin + Number.parseInt(length as string, 36);
    const script = [...(letters as string)].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0) - 1;
    if (script > 0) rows.push(begin, end - 1, script);
    begin = end;
  }
  return Uint32Array.from(rows);
}

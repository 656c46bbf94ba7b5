// Rank files as tiktoken has them: lines of `base64 rank`, or lines of `! first base64 base64 …`, whose tokens have the
// ranks from `first` on. A byte order mark before them is passed over.

import { base64Bytes } from '../import/base64.js';
import { outOfRange } from '../base/errors.js';

/** More than any vocabulary has: a mistaken rank must not make a table of gigabytes. */
const MOST_RANKS = 1 << 24;

/** Token i has the id and rank i; a rank that no line has is missing. `name`: of the text, for errors. */
export function readRankLines(text: string, name: string): (Uint8Array | undefined)[] {
  const tokens: (Uint8Array | undefined)[] = [];
  // In a file, which is read as latin1, the mark is three characters.
  text
    .replace(/^(?:\ufeff|\xef\xbb\xbf)/, '')
    .split(/\r?\n/)
    .forEach((line, index) => {
      if (line === '') return;
      const words = line.split(' ');
      const compressed = words[0] === '!';
      const first = /^\d+$/.test(words[1] ?? '') ? Number(words[1]) : MOST_RANKS;
      if (first >= MOST_RANKS || (!compressed && words.length !== 2)) {
        throw outOfRange("lines of 'base64 rank' or '! rank base64 …'", `line ${index + 1} of ${name}`, line);
      }
      const encoded = compressed ? words.slice(2) : words.slice(0, 1);
      encoded.forEach((word, at) => {
        const bytes = base64Bytes(word);
        if (bytes === undefined || word === '') throw outOfRange('base64', `a token in line ${index + 1} of ${name}`, word);
        if (tokens[first + at]) throw outOfRange('each rank once', `line ${index + 1} of ${name}`, line);
        tokens[first + at] = bytes;
      });
    });
  return tokens;
}

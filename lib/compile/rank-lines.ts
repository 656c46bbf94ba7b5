// Rank files in tiktoken's formats: lines of `base64 rank`, or lines of `! first base64 base64 …`, whose tokens have
// consecutive ranks from `first`. A leading byte order mark is skipped.

import { base64Bytes } from '../base/base64.js';
import { outOfRange } from '../base/errors.js';

/** More than any vocabulary has: a wrong rank must not create a table of gigabytes. */
const MOST_RANKS = 1 << 24;

/** Token i has the id and rank i; ranks without a line are missing. `name`: the text's, for errors. */
export function readRankLines(text: string, name: string): (Uint8Array | undefined)[] {
  const tokens: (Uint8Array | undefined)[] = [];
  // Files are read as latin1, in which the mark is three characters.
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

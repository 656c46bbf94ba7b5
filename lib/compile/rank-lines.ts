// Rank files as tiktoken has them: lines of `base64 rank`, or lines of `! first base64 base64 …`, whose tokens have the
// ranks from `first` on.

import { outOfRange } from '../tokenizer/errors.js';

/** More than any vocabulary has: a mistaken rank must not make a table of gigabytes. */
const MOST_RANKS = 1 << 24;

/** Token i has the id and rank i; a rank that no line has is missing. `name`: of the text, for errors. */
export function readRankLines(text: string, name: string): (Uint8Array | undefined)[] {
  const tokens: (Uint8Array | undefined)[] = [];
  text.split(/\r?\n/).forEach((line, index) => {
    if (line === '') return;
    const words = line.split(' ');
    const compressed = words[0] === '!';
    const first = /^\d+$/.test(words[1] ?? '') ? Number(words[1]) : MOST_RANKS;
    if (first >= MOST_RANKS || (!compressed && words.length !== 2)) {
      throw outOfRange("lines of 'base64 rank' or '! rank base64 …'", `line ${index + 1} of ${name}`, line);
    }
    const encoded = compressed ? words.slice(2) : words.slice(0, 1);
    encoded.forEach((word, at) => {
      if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(word) || word === '') {
        throw outOfRange('base64', `a token in line ${index + 1} of ${name}`, word);
      }
      if (tokens[first + at]) throw outOfRange('each rank once', `line ${index + 1} of ${name}`, line);
      tokens[first + at] = bytesOfBase64(word);
    });
  });
  return tokens;
}

/** Of base64 that has been checked. `atob` is what every host has. */
function bytesOfBase64(text: string): Uint8Array {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = characters.charCodeAt(index);
  return bytes;
}

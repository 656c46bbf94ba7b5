// Breaks lines at a limited width, like Python's textwrap.

import { reserve, spend } from '../budget.js';
import { raise } from '../errors.js';
import { lines } from '../methods/split.js';
import { isAstral, isSpace, spaceEnd } from '../unicode/characters.js';
import { type Value, typeName } from '../values/object.js';
import { EMPTY, literal, Str, TextBuilder } from '../values/str.js';
import { Undefined } from '../values/undefined.js';

/** Words with their hyphens, dashes between words, and white space: a line may break between these. */
const CHUNKS =
  /([\t\n\v\f\r ]+|(?<=[\p{L}\p{N}_!"'&.,?])-{2,}(?=[\p{L}\p{N}_])|[^\t\n\v\f\r ]+?(?:-(?:(?<=[\p{L}_]{2}-)|(?<=[\p{L}_]-[\p{L}_]-))(?=[\p{L}_]-?[\p{L}_])|(?=[\t\n\v\f\r ]|$)|(?<=[\p{L}\p{N}_!"'&.,?])(?=-{2,}[\p{L}\p{N}_])))/u;

/** Words, each with the white space after it. */
export function wordsAndSpaces(text: string): string[] {
  const words: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = from;
    while (to < text.length && !isSpace(text.charCodeAt(to))) to++;
    to = spaceEnd(text, to);
    words.push(text.slice(from, to));
    from = to;
  }
  return words;
}

function chunksOf(text: string, onHyphens: boolean): string[] {
  const parts = text.split(onHyphens ? CHUNKS : /([\t\n\v\f\r ]+)/);
  return parts.filter((part) => part !== undefined && part !== '');
}

export function wrapped(value: Value, width: number, breakLong: boolean, separator: Value, onHyphens: boolean): Str {
  if (!(value instanceof Str)) {
    if (value instanceof Undefined) return value.fail();
    if (typeName(value) === 'bytes') raise('TypeError', 'cannot use a string pattern on a bytes-like object');
    return raise('AttributeError', `'${typeName(value)}' object has no attribute 'splitlines'`);
  }
  const between = separator instanceof Str ? separator : literal('\n');
  if (width <= 0) raise('ValueError', `invalid width ${width} (must be > 0)`);
  const out = new TextBuilder();
  lines(value, false).forEach((line, index) => {
    if (index > 0) out.add(between);
    let at = 0;
    wrappedLines(line.text, width, breakLong, onHyphens).forEach((part, number) => {
      spend(1);
      reserve(part.length);
      if (number > 0) out.add(between);
      at = line.text.indexOf(part, at);
      out.addPart(line, at, at + part.length);
      at += part.length;
    });
  });
  return out.text === '' ? EMPTY : out.finish(between.markup);
}

/** A part of a text, and its number of characters. */
interface Chunk {
  text: string;
  length: number;
}

function wrappedLines(text: string, width: number, breakLong: boolean, onHyphens: boolean): string[] {
  reserve(2 * text.length);
  const chunks = chunksOf(text, onHyphens)
    .map((each): Chunk => ({ text: each, length: isAstral(each) ? Array.from(each).length : each.length }))
    .reverse();
  const result: string[] = [];
  while (chunks.length > 0) {
    const line: string[] = [];
    let length = 0;
    if (isBlank((chunks.at(-1) as Chunk).text) && result.length > 0) chunks.pop();
    while (chunks.length > 0 && length + (chunks.at(-1) as Chunk).length <= width) {
      const chunk = chunks.pop() as Chunk;
      line.push(chunk.text);
      length += chunk.length;
    }
    if (chunks.length > 0 && (chunks.at(-1) as Chunk).length > width) {
      const chunk = chunks.pop() as Chunk;
      if (breakLong) {
        // A full line gets an empty piece, in whose place the white space stays.
        let head = firstCharacters(chunk.text, width - length);
        if (onHyphens && head.length < chunk.text.length) {
          const hyphen = head.lastIndexOf('-');
          if (hyphen > 0 && /[^-]/.test(head.slice(0, hyphen))) head = head.slice(0, hyphen + 1);
        }
        line.push(head);
        chunks.push({ text: chunk.text.slice(head.length), length: chunk.length - Array.from(head).length });
        spend(1);
      } else if (line.length === 0) {
        line.push(chunk.text);
      } else {
        chunks.push(chunk);
      }
    }
    if (line.length > 0 && isBlank(line.at(-1) as string)) line.pop();
    if (line.length > 0) result.push(line.join(''));
  }
  return result;
}

function firstCharacters(text: string, count: number): string {
  let end = 0;
  for (let i = 0; i < count && end < text.length; i++) end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

function isBlank(text: string): boolean {
  return spaceEnd(text) === text.length;
}

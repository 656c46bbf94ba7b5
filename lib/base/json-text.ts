// Reads JSON in place: a text is checked once, then its values are found by position, so that nothing is allocated for
// values that nobody reads. A parsed file can take thirty times the memory of its text.
//
// All functions except `jsonFault` expect a faultless text, and indices at which values, members or elements begin.

import { TokenizerError } from './errors.js';

/** The nesting limit of Hugging Face's own reader. */
export const MAX_LEVELS = 128;

const [SPACE, TAB, FEED, RETURN] = [0x20, 0x09, 0x0a, 0x0d];
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OBJECT, OBJECT_END, LIST, LIST_END] = [0x7b, 0x7d, 0x5b, 0x5d];
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
/** The beginnings of a scalar and of an escape that the end of the text cuts off. */
const CUT_SCALAR = /(?:-?(?:(?:0|[1-9]\d*)(?:\.\d*|(?:\.\d+)?[eE][+-]?\d*)?)?|t|tr|tru|f|fa|fal|fals|n|nu|nul)$/y;
const CUT_ESCAPE = /\\(?:u[0-9a-fA-F]{0,3})?$/y;

/** The kind of the value that begins at an index. */
export type JsonKind = 'object' | 'list' | 'string' | 'number' | 'boolean' | 'null';

/** Where a text cannot be read. */
export interface JsonFault {
  /** In UTF-16 units; the length of a text that could go on as JSON. */
  at: number;
  /** True: it is nested too deeply there. False: it is not JSON. */
  isDeep: boolean;
}

/** Checks a text from `from` on; undefined for JSON of at most MAX_LEVELS levels. */
export function jsonFault(text: string, from: number): JsonFault | undefined {
  const ends = new Uint8Array(MAX_LEVELS);
  let depth = 0;
  let at = from;
  for (;;) {
    at = passSpace(text, at);
    const code = text.charCodeAt(at);
    if (code === OBJECT || code === LIST) {
      if (depth === MAX_LEVELS) return { at, isDeep: true };
      ends[depth++] = code + 2;
      at = passSpace(text, at + 1);
      if (text.charCodeAt(at) !== code + 2) {
        if (code === LIST) continue;
        at = passKey(text, at);
        if (at < 0) return { at: ~at, isDeep: false };
        continue;
      }
    } else {
      at = code === QUOTE ? passString(text, at) : passScalar(text, at);
      if (at < 0) return { at: ~at, isDeep: false };
      if (depth === 0) break;
      at = passSpace(text, at);
      if (text.charCodeAt(at) !== ends[depth - 1]) {
        at = passComma(text, at, ends[depth - 1] as number);
        if (at < 0) return { at: ~at, isDeep: false };
        continue;
      }
    }
    // Close the list or object, and enclosing ones that end here too.
    for (;;) {
      at++;
      if (--depth === 0) break;
      at = passSpace(text, at);
      if (text.charCodeAt(at) === ends[depth - 1]) continue;
      at = passComma(text, at, ends[depth - 1] as number);
      if (at < 0) return { at: ~at, isDeep: false };
      break;
    }
    if (depth === 0) break;
  }
  at = passSpace(text, at);
  return at < text.length ? { at, isDeep: false } : undefined;
}

/** Past a comma, and in an object past the key after it. If that fails, the bitwise complement of where. */
function passComma(text: string, at: number, end: number): number {
  if (text.charCodeAt(at) !== COMMA) return ~at;
  return end === OBJECT_END ? passKey(text, passSpace(text, at + 1)) : at + 1;
}

function passKey(text: string, at: number): number {
  if (text.charCodeAt(at) !== QUOTE) return ~at;
  const end = passString(text, at);
  if (end < 0) return end;
  const colon = passSpace(text, end);
  return text.charCodeAt(colon) === COLON ? colon + 1 : ~colon;
}

function passString(text: string, begin: number): number {
  for (let at = begin + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) {
      ESCAPE.lastIndex = at;
      if (!ESCAPE.test(text)) return ~(isCut(CUT_ESCAPE, text, at) ? text.length : at);
      at = ESCAPE.lastIndex - 1;
    } else if (!(code >= 0x20)) return ~at; // also the end of the text
  }
}

function passScalar(text: string, at: number): number {
  SCALAR.lastIndex = at;
  const isScalar = SCALAR.test(text);
  const end = isScalar ? SCALAR.lastIndex : at;
  // `12.` begins with a number, too.
  if (isScalar && !'.eE'.includes(text.charAt(end) || ' ')) return end;
  return ~(isCut(CUT_SCALAR, text, at) ? text.length : end);
}

function isCut(beginning: RegExp, text: string, at: number): boolean {
  beginning.lastIndex = at;
  return beginning.test(text);
}

/** Past white space. */
export function passSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

function isSpace(code: number): boolean {
  return code === SPACE || code === FEED || code === RETURN || code === TAB;
}

export function kindAt(text: string, at: number): JsonKind {
  switch (text.charCodeAt(at)) {
    case OBJECT:
      return 'object';
    case LIST:
      return 'list';
    case QUOTE:
      return 'string';
    case 0x74: // true, false
    case 0x66:
      return 'boolean';
    case 0x6e:
      return 'null';
    default:
      return 'number';
  }
}

/** The end of a value. */
export function endOf(text: string, begin: number): number {
  let depth = 0;
  for (let at = begin; ; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at) - 1;
      if (depth === 0) return at + 1;
    } else if (code === OBJECT || code === LIST) depth++;
    else if (code === OBJECT_END || code === LIST_END) {
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (depth === 0 && (code === COMMA || isSpace(code) || at >= text.length)) return at;
  }
}

function endOfString(text: string, begin: number): number {
  for (let at = begin + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at++;
  }
}

/** The string that begins at an index. */
export function stringAt(text: string, at: number): string {
  return stringIn(text, at, endOfString(text, at));
}

function stringIn(text: string, begin: number, end: number): string {
  const written = text.slice(begin + 1, end - 1);
  return written.includes('\\') ? unescaped(written) : written;
}

const ESCAPED: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function unescaped(written: string): string {
  let result = '';
  let from = 0;
  for (let at = written.indexOf('\\'); at >= 0; at = written.indexOf('\\', from)) {
    const letter = written[at + 1] as string;
    const isCode = letter === 'u';
    const character = isCode ? String.fromCharCode(parseInt(written.slice(at + 2, at + 6), 16)) : (ESCAPED[letter] ?? letter);
    result += written.slice(from, at) + character;
    from = at + (isCode ? 6 : 2);
  }
  return result + written.slice(from);
}

/**
 * The integer that begins at an index; −1 for negative integers, numbers with a point or an exponent, and anything but a
 * number.
 */
export function integerAt(text: string, at: number): number {
  let value = 0;
  let end = at;
  for (; ; end++) {
    const digit = text.charCodeAt(end) - 0x30;
    if (!(digit >= 0 && digit <= 9)) break;
    value = 10 * value + digit;
  }
  const next = text[end];
  return end === at || next === '.' || next === 'e' || next === 'E' ? -1 : value;
}

/**
 * Visits the members of the object at an index, in order: `visit` gets the key and the value's index. Keys may repeat. `visit`
 * returns true to stop.
 */
export function eachMember(text: string, object: number, visit: (key: string, value: number) => boolean | void): void {
  for (let at = passSpace(text, object + 1); text.charCodeAt(at) === QUOTE; ) {
    const end = endOfString(text, at);
    const value = passSpace(text, passSpace(text, end) + 1);
    if (visit(stringIn(text, at, end), value)) return;
    at = next(text, endOf(text, value));
  }
}

/** Visits the elements of the list at an index, in order, in the same way. */
export function eachElement(text: string, list: number, visit: (value: number, index: number) => boolean | void): void {
  let index = 0;
  for (let at = firstElement(text, list); at >= 0; at = nextElement(text, at)) if (visit(at, index++)) return;
}

/** The index of a list's first element; −1 if it is empty. */
export function firstElement(text: string, list: number): number {
  return elementAt(text, passSpace(text, list + 1));
}

/** The index of the element after this one; −1 if it is the last. */
export function nextElement(text: string, at: number): number {
  return elementAt(text, next(text, endOf(text, at)));
}

function elementAt(text: string, at: number): number {
  return text.charCodeAt(at) === LIST_END ? -1 : at;
}

/** Past the comma after a value, if any, to the next value or the end of the list or object. */
function next(text: string, end: number): number {
  const at = passSpace(text, end);
  return text.charCodeAt(at) === COMMA ? passSpace(text, at + 1) : at;
}

const TOKEN = /"(?:[^"\\]|\\.)*"?|[[\]{},:]|[^\s"[\]{},:]+/gs;

/** The beginning of a value, as JSON without white space, in about `limit` characters at most. */
export function beginningAt(text: string, begin: number, limit: number): string {
  let shown = '';
  let depth = 0;
  for (const [token] of text.slice(begin, begin + 4 * limit).matchAll(TOKEN)) {
    shown += token;
    if ('[{'.includes(token)) depth++;
    else if (']}'.includes(token)) depth--;
    if (depth === 0 || shown.length > limit) break;
  }
  return shown;
}

/** The byte offset in UTF-8 of a unit of a text. */
export function byteOf(text: string, unit: number): number {
  return new TextEncoder().encode(text.slice(0, unit)).length;
}

/**
 * The start of a JSON file's value in its text, which may have a byte order mark. Throws a TokenizerError with the position, in
 * bytes of UTF-8, where a text stops being JSON or is nested too deeply: `JSON.parse` reports this in words that differ between
 * hosts, and not always. `what`: the file, for the error.
 */
export function beginningOfJson(text: string, what: string): number {
  const begin = text.startsWith('\uFEFF') ? 1 : 0;
  const fault = jsonFault(text, begin);
  if (!fault) return passSpace(text, begin);
  const position = byteOf(text, fault.at);
  throw new TokenizerError(`cannot read ${what}: ${why(text, fault, position)}`, { code: 'CORRUPT_STRUCTURE', position });
}

function why(text: string, { at, isDeep }: JsonFault, position: number): string {
  if (isDeep) return `it has more than ${MAX_LEVELS} levels of lists and objects at byte ${position}`;
  if (at === text.length)
    return `it is not JSON: it ends at byte ${position}, before it is complete; was it downloaded or written to its end?`;
  return `it is not JSON: ${JSON.stringify(String.fromCodePoint(text.codePointAt(at) as number))} is not expected at byte ${position}`;
}

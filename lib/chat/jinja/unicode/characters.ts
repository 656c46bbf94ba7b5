// Python 3.11's character data (Unicode 14.0), the same on every host: JavaScript's own tables depend on the host. Tables
// are unpacked when first needed.

import { CLASS_FLAGS, CLASS_RUNS, LOWER, LOWER_SEVERAL, TITLE, TITLE_SEVERAL, UPPER, UPPER_SEVERAL } from './tables.js';

export const ALPHA = 1 << 0;
export const DECIMAL = 1 << 1;
export const DIGIT = 1 << 2;
export const NUMERIC = 1 << 3;
export const SPACE = 1 << 4;
export const PRINTABLE = 1 << 5;
export const LOWERCASE = 1 << 6;
export const UPPERCASE = 1 << 7;
export const TITLECASE = 1 << 8;
export const CASED = 1 << 9;
export const CASE_IGNORABLE = 1 << 10;
export const ALPHANUMERIC = ALPHA | DECIMAL | DIGIT | NUMERIC;

interface Classes {
  /** The end of each run of code points of one class. */
  ends: Uint32Array;
  flags: Uint16Array;
}
let classes: Classes | undefined;

/** The properties of a code point. */
export function flagsOf(code: number): number {
  const { ends, flags } = (classes ??= unpackClasses());
  return flags[firstIndex(ends.length - 1, (index) => code < (ends[index] as number))] as number;
}

/** The first index, up to `count`, of which something is true that is true of all behind it. */
export function firstIndex(count: number, isTrue: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isTrue(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

const CLASSES = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ!#$%&()*+./:<=>?@';

function unpackClasses(): Classes {
  const flagsOfClass = numbersIn(CLASS_FLAGS);
  const ends: number[] = [];
  const flags: number[] = [];
  let end = 0;
  let at = 0;
  for (let i = 0; i < CLASS_RUNS.length; i++) {
    const index = CLASSES.indexOf(CLASS_RUNS.charAt(i));
    if (index < 0) continue;
    end += i === at ? 1 : Number.parseInt(CLASS_RUNS.slice(at, i), 36);
    ends.push(end);
    flags.push(flagsOfClass[index] as number);
    at = i + 1;
  }
  return { ends: Uint32Array.from(ends), flags: Uint16Array.from(flags) };
}

function numbersIn(text: string): number[] {
  return text.split(' ').map((each) => Number.parseInt(each, 36));
}

type Mapping = Map<number, string>;
/** The characters that become one character, and the characters that become several. */
type Table = readonly [single: string, several: string];
type Change = (character: string) => string;

/** Adds a table's part of a mapping. */
function unpackMapping([single, several]: Table, mapping: Mapping): Mapping {
  let code = 0;
  for (const run of single.split(';')) {
    const [gap, distance, count = 1] = numbersIn(run.replace(/ ,?$/, '')) as [number, number, number?];
    code += gap;
    const stride = run.endsWith(',') ? 2 : 1;
    for (let i = 0; i < count; i++) mapping.set(code + i * stride, String.fromCodePoint(code + i * stride + distance));
  }
  code = 0;
  for (const entry of several.split(';')) {
    const [gap, ...to] = numbersIn(entry) as [number, ...number[]];
    mapping.set((code += gap), String.fromCodePoint(...to));
  }
  return mapping;
}

/** A mapping of characters. A character that is not in its table is derived by `base`. */
function mapper(table: Table, ofAscii: Change, base: Change, known: () => Mapping = () => new Map()): Change {
  let mapping: Mapping | undefined;
  return (character) => {
    const code = character.codePointAt(0) as number;
    if (code < 0x80) return ofAscii(character);
    return (mapping ??= unpackMapping(table, known())).get(code) ?? base(character);
  };
}

const toLower: Change = (character) => character.toLowerCase();
const toUpper: Change = (character) => character.toUpperCase();
const same: Change = (character) => character;

/** Maps each capital to the first character that has it as its capital. */
function lowerOfCapitals(): Mapping {
  const mapping: Mapping = new Map();
  const pairs = [...unpackMapping([UPPER, UPPER_SEVERAL], new Map())].sort(([a], [b]) => a - b);
  for (const [code, upper] of pairs) {
    const capital = upper.codePointAt(0) as number;
    if (upper.length === String.fromCodePoint(capital).length && !mapping.has(capital)) mapping.set(capital, String.fromCodePoint(code));
  }
  return mapping;
}

/** For single characters, ignoring context. */
export const upperOf = mapper([UPPER, UPPER_SEVERAL], toUpper, same);
export const lowerOf = mapper([LOWER, LOWER_SEVERAL], toLower, same, lowerOfCapitals);
export const titleOf = mapper([TITLE, TITLE_SEVERAL], toUpper, (character) =>
  Array.from(upperOf(character), (each, index) => (index ? lowerOf(each) : each)).join(''),
);

/** White space as defined by str.isspace, for classes of regular expressions. */
export const SPACES = '\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const ANY_SPACE = new RegExp(`[${SPACES}]`);
const LEADING = new RegExp(`[${SPACES}]*`, 'y');

export function isSpace(code: number): boolean {
  if (code < 0x80) return code === 32 || (code >= 9 && code <= 13) || (code >= 28 && code <= 31);
  return code < 0x3001 && ANY_SPACE.test(String.fromCharCode(code));
}

/** The end of the leading white space. */
export function spaceEnd(text: string, from = 0): number {
  const code = text.charCodeAt(from);
  if (!(code <= 32 || code >= 0x85)) return from;
  LEADING.lastIndex = from;
  LEADING.test(text);
  return LEADING.lastIndex;
}

/** The start of the trailing white space. */
export function spaceStart(text: string, to = text.length, from = 0): number {
  for (; to > from; to--) {
    const code = text.charCodeAt(to - 1);
    if (code !== 32 && code !== 10 && !isSpace(code)) break;
  }
  return to;
}

/** Whether a text has characters beyond U+FFFF, so that UTF-16 units and characters differ. */
export function isAstral(text: string): boolean {
  return /[\ud800-\udfff]/.test(text);
}

/** The value of a decimal digit in any script: they come in groups of ten, zero first. Undefined for other characters. */
export function decimalValue(code: number): number | undefined {
  if (code < 0x80) return code >= 48 && code <= 57 ? code - 48 : undefined;
  if (!(flagsOf(code) & DECIMAL)) return undefined;
  let start = code;
  while (flagsOf(start - 1) & DECIMAL) start--;
  return (code - start) % 10;
}

// Parses text as numbers, like Python's int() and float().

import { reserve, spend } from '../budget.js';
import { raise } from '../errors.js';
import { DECIMAL, flagsOf, spaceEnd, spaceStart } from '../unicode/characters.js';
import { type Int, intFromDigits, normalized } from './int.js';
import type { Str } from './str.js';
import { quotedText } from './str.js';

const LONGEST_SHOWN = 100;

/** The text with digits of other scripts replaced by ASCII digits, and without surrounding white space. */
function plain(text: string): string {
  const inner = text.slice(spaceEnd(text), spaceStart(text));
  // The expressions that read numbers go over a text several times.
  spend(inner.length >>> 3);
  if (/^[\0-\x7f]*$/.test(inner)) return inner;
  reserve(16 * inner.length);
  return Array.from(inner, (character) => decimalValue(character.codePointAt(0) as number) ?? character).join('');
}

/** A text in an error. */
function shown(text: string): string {
  return quotedText(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
}

/** int(text, base). Throws a ValueError. */
export function parsedInt({ text }: Str, base: number): Int {
  if (base !== 0 && (base < 2 || base > 36)) raise('ValueError', 'int() base must be >= 2 and <= 36, or 0');
  const found = /^([+-]?)(0[xX]|0[oO]|0[bB])?(_?[0-9a-zA-Z]+(?:_[0-9a-zA-Z]+)*)$/.exec(plain(text));
  const fail = () => raise('ValueError', `invalid literal for int() with base ${base}: ${shown(text)}`);
  if (!found) return fail();
  const [, sign, prefix = ''] = found;
  let digits = found[3] as string;
  let radix = base;
  const prefixed = { x: 16, o: 8, b: 2 }[prefix.charAt(1).toLowerCase()];
  if (prefixed !== undefined && (base === 0 || base === prefixed)) radix = prefixed;
  else digits = prefix + digits;
  if (prefix === '' && digits.startsWith('_')) return fail();
  if (radix === 0) {
    // Without a prefix, only zero may begin with a zero.
    if (/^0[0_]*[1-9]/.test(digits)) return fail();
    radix = 10;
  }
  const clean = digits.replaceAll('_', '').toLowerCase();
  const last = '0123456789abcdefghijklmnopqrstuvwxyz'.slice(0, radix);
  for (const digit of clean) if (!last.includes(digit)) return fail();
  const value = intFromDigits(clean, radix);
  return sign === '-' ? normalized(-BigInt(value)) : value;
}

/** float(text). Throws a ValueError. */
export function parsedFloat({ text }: Str): number {
  const inner = plain(text);
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(inner);
  if (special) {
    const value = special[2]?.toLowerCase() === 'nan' ? Number.NaN : Infinity;
    return special[1] === '-' ? -value : value;
  }
  if (!/^[+-]?(\d+(_\d+)*(\.(\d+(_\d+)*)?)?|\.\d+(_\d+)*)(e[+-]?\d+(_\d+)*)?$/i.test(inner)) {
    raise('ValueError', `could not convert string to float: ${shown(text)}`);
  }
  return Number(inner.replaceAll('_', ''));
}

/** The value of a decimal digit in any script: they come in groups of ten, zero first. Undefined for other characters. */
function decimalValue(code: number): number | undefined {
  if (code < 0x80) return code >= 48 && code <= 57 ? code - 48 : undefined;
  if (!(flagsOf(code) & DECIMAL)) return undefined;
  let start = code;
  while (flagsOf(start - 1) & DECIMAL) start--;
  return (code - start) % 10;
}

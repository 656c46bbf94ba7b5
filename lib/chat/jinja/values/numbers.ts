// Numbers. Ints are numbers up to 2^53 - 1 and bigints beyond, so that equal ints are equal values; a bigint can be compared and
// printed, but not calculated with. Floats are objects: 1.0 is not an int, and prints as 1.0.

import { beyond, reserve, spend } from '../budget.js';
import { raise, unsupported } from '../template-errors.js';
import { decimalValue, spaceEnd, spaceStart } from '../unicode/characters.js';
import { type Hash, PyObject, type Value, type Writer } from './object.js';
import { numeral, quotedText, type Str } from './text.js';

export type Int = number | bigint;

/** Python's limit for integers as text. */
const MOST_DIGITS = 4300;
/** JavaScript writes up to 100 digits after the point. */
const MOST_PLACES = 99;

export class Float extends PyObject {
  readonly type = 'float';

  constructor(readonly value: number) {
    super();
  }

  override truthy(): boolean {
    return this.value !== 0;
  }

  override equals(other: Value): boolean {
    if (other instanceof Float) return this.value === other.value;
    const int = intOf(other);
    // Loosely, a bigint equals a number of the same value, and no other.
    // biome-ignore lint: exact by definition
    return int !== undefined && this.value == int;
  }

  override hash(): Hash {
    if (Number.isNaN(this.value)) return this;
    return Number.isInteger(this.value) ? normalized(BigInt(this.value)) : this.value;
  }

  override compare(other: Value): number | undefined {
    const number = other instanceof Float ? other.value : intOf(other);
    if (number === undefined) return undefined;
    if (this.value < number) return -1;
    return this.value > number ? 1 : this.equals(other) ? 0 : Number.NaN;
  }

  override writeRepr(writer: Writer): void {
    writer.writeText(numeral(floatRepr(this.value)));
  }
}

/** An int or bool as an int; undefined for others. */
export function intOf(value: Value): Int | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return typeof value === 'boolean' ? Number(value) : undefined;
}

/** A number as a float; undefined for others. */
export function floatOf(value: Value): number | undefined {
  if (value instanceof Float) return value.value;
  const int = intOf(value);
  if (int === undefined) return undefined;
  const number = Number(int);
  return Number.isFinite(number) ? number : raise('OverflowError', 'int too large to convert to float');
}

/** The integer part of a float. */
export function floatToInt(value: number): Int {
  if (Number.isNaN(value)) raise('ValueError', 'cannot convert float NaN to integer');
  if (!Number.isFinite(value)) raise('OverflowError', 'cannot convert float infinity to integer');
  return normalized(BigInt(Math.trunc(value)));
}

export function normalized(value: bigint): Int {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

/** The result of a calculation with ints. Adding zero makes 0 of -0. */
export function exact(result: number): number {
  return Number.isSafeInteger(result) ? result + 0 : unsupported('calculations with integers beyond 2^53');
}

/** Whether it is written with a minus, as -0.0 is. */
export function isNegative(number: Int): boolean {
  return number < 0 || Object.is(number, -0);
}

/** The shortest text that parses to the same number, with an exponent below 1e-4 and from 1e16 on. */
export function floatRepr(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value < 0 ? '-inf' : 'inf';
  return shortest(value, -4, (sign, digits) => sign + digits.padStart(2, '0'));
}

/** JavaScript finds the same digits as others, but uses an exponent in other cases. `least`: the least power of ten without one. */
export function shortest(value: number, least: number, exponent: (sign: string, digits: string) => string): string {
  const minus = isNegative(value) ? '-' : '';
  const found = /^(\d)(?:\.(\d+))?e([+-])(\d+)$/.exec(Math.abs(value).toExponential()) as RegExpExecArray;
  const [, first = '', rest = '', sign = '', digits = ''] = found;
  const power = Number(sign + digits);
  if (power < least || power >= 16) return `${minus}${first}${rest && `.${rest}`}e${exponent(sign, digits)}`;
  if (power < 0) return `${minus}0.${'0'.repeat(-power - 1)}${first}${rest}`;
  const all = (first + rest).padEnd(power + 1, '0');
  return `${minus}${all.slice(0, power + 1)}.${all.slice(power + 1) || '0'}`;
}

/** The magnitude with `places` digits after the point, rounded to the nearest, ties to even. */
export function fixedText(value: number, places: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : 'inf';
  if (places > MOST_PLACES) unsupported(`a number with ${places} digits after the point`);
  const size = Math.abs(value);
  if (size >= 1e21) return `${BigInt(size)}${places > 0 ? '.'.padEnd(places + 1, '0') : ''}`;
  // JavaScript rounds ties up. They have nothing behind a five.
  const all = size.toFixed(100);
  const end = all.length - 100 + places;
  const down = all.slice(0, places > 0 ? end : end - 1);
  return /^50*$/.test(all.slice(end)) && /[02468]$/.test(down) ? down : size.toFixed(places);
}

/** A number rounded to the given places after the point, ties to even, like round(). */
export function roundFloat(value: number, places: number): number {
  if (!Number.isFinite(value)) return value;
  if (places < 0) unsupported('rounding to tens and more');
  const rounded = Number(fixedText(value, places));
  return isNegative(value) ? -rounded : rounded;
}

/** Parses digits in base 2, 8, 10 or 16. */
export function intFromDigits(digits: string, base: number): Int {
  if (digits.length <= 10) return Number.parseInt(digits, base);
  if (digits.length > MOST_DIGITS && base !== 10) throw beyond(`an integer of ${digits.length} digits`, MOST_DIGITS);
  if (digits.length > MOST_DIGITS) raise('ValueError', `Exceeds the limit (${MOST_DIGITS} digits) for integer string conversion`);
  return normalized(BigInt(({ 2: '0b', 8: '0o', 16: '0x' }[base] ?? '') + digits));
}

const DIGITS: Record<number, RegExp> = {
  2: /^([+-]?)(?:0b_?)?([01]+(?:_[01]+)*)$/i,
  8: /^([+-]?)(?:0o_?)?([0-7]+(?:_[0-7]+)*)$/i,
  10: /^([+-]?)(\d+(?:_\d+)*)$/,
  16: /^([+-]?)(?:0x_?)?([\da-f]+(?:_[\da-f]+)*)$/i,
};

/** int(text, base). Throws a ValueError. */
export function parsedInt({ text }: Str, base: number): Int {
  const found = (DIGITS[base] ?? unsupported(`integers in base ${base}`)).exec(plain(text));
  if (!found) return raise('ValueError', `invalid literal for int() with base ${base}: ${shown(text)}`);
  const value = intFromDigits((found[2] as string).replaceAll('_', ''), base);
  return found[1] === '-' ? normalized(-BigInt(value)) : value;
}

/** float(text). Throws a ValueError. */
export function parsedFloat({ text }: Str): number {
  const inner = plain(text);
  const [, sign, special] = /^([+-]?)(inf|infinity|nan)$/i.exec(inner) ?? [];
  if (special !== undefined) return special.toLowerCase() === 'nan' ? Number.NaN : sign === '-' ? -Infinity : Infinity;
  if (!/^[+-]?(\d+(_\d+)*(\.(\d+(_\d+)*)?)?|\.\d+(_\d+)*)(e[+-]?\d+(_\d+)*)?$/i.test(inner)) {
    raise('ValueError', `could not convert string to float: ${shown(text)}`);
  }
  return Number(inner.replaceAll('_', ''));
}

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
  return quotedText(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

// Numbers. Ints of any size are numbers up to 2^53 - 1 and bigints beyond, so that equal ints are equal values; floats are
// objects: 1.0 is not an int, and prints as 1.0.

import { beyond, reserve, spend } from '../budget.js';
import { raise } from '../errors.js';
import { decimalValue, spaceEnd, spaceStart } from '../unicode/characters.js';
import { type Hash, PyObject, type Value, type Writer } from './object.js';
import { numeral, quotedText, type Str } from './text.js';

export type Int = number | bigint;

/** Python's limit for integers as text. */
const MOST_DIGITS = 4300;
/** The largest integers, in bits: four times what can be written. */
const MOST_BITS = 1 << 16;

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

  override attribute(name: string): Value | undefined {
    return name === 'real' ? this : name === 'imag' ? new Float(0) : undefined;
  }

  override compare(other: Value): number | undefined {
    const number = other instanceof Float ? other.value : intOf(other);
    if (number === undefined) return undefined;
    if (this.value < number) return -1;
    return this.value > number ? 1 : this.equals(other) ? 0 : Number.NaN;
  }

  override writeRepr(writer: Writer): void {
    writer.writeText(numeral(this.repr()));
  }

  repr(): string {
    return floatRepr(this.value);
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
  return int === undefined ? undefined : intToFloat(int);
}

export function intToFloat(value: Int): number {
  const number = Number(value);
  if (!Number.isFinite(number)) raise('OverflowError', 'int too large to convert to float');
  return number;
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

export function addInts(a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a + b)) return a + b;
  return big(BigInt(a) + BigInt(b));
}

export function subtractInts(a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a - b)) return a - b;
  return big(BigInt(a) - BigInt(b));
}

export function multiplyInts(a: Int, b: Int): Int {
  // Adding zero makes 0 of -0.
  if (typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a * b)) return a * b + 0;
  checkBits(bitLength(a) + bitLength(b));
  spendProduct(a, b);
  return big(BigInt(a) * BigInt(b));
}

/** The quotient, rounded down. */
export function floorDivideInts(a: Int, b: Int): Int {
  if (b === 0) raise('ZeroDivisionError', 'integer division or modulo by zero');
  if (typeof a === 'number' && typeof b === 'number') {
    const rest = a % b;
    return (a - rest) / b - (rest !== 0 && rest < 0 !== b < 0 ? 1 : 0) + 0;
  }
  const [x, y] = [BigInt(a), BigInt(b)];
  spendProduct(a, b);
  return normalized(x / y - (x % y !== 0n && x < 0n !== y < 0n ? 1n : 0n));
}

/** The remainder, with the sign of the divisor. */
export function moduloInts(a: Int, b: Int): Int {
  if (b === 0) raise('ZeroDivisionError', 'integer modulo by zero');
  if (typeof a === 'number' && typeof b === 'number') {
    const rest = a % b;
    return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest + 0;
  }
  const [x, y] = [BigInt(a), BigInt(b)];
  spendProduct(a, b);
  const rest = x % y;
  return normalized(rest !== 0n && rest < 0n !== y < 0n ? rest + y : rest);
}

/** The exponent must not be negative. */
export function powerOfInts(base: Int, exponent: Int): Int {
  if (exponent === 0 || base === 1) return 1;
  if (base === 0) return 0;
  if (base === -1) return BigInt(exponent) % 2n === 0n ? 1 : -1;
  checkBits((bitLength(base) - 1) * Number(exponent));
  return big(BigInt(base) ** BigInt(exponent));
}

/** The quotient as the nearest float. */
export function divideInts(a: Int, b: Int): number {
  if (b === 0) raise('ZeroDivisionError', 'division by zero');
  if (typeof a === 'number' && typeof b === 'number') return a / b;
  const [x, y] = [BigInt(a < 0 ? -a : a), BigInt(b < 0 ? -b : b)];
  // 66 bits of the quotient, with the last one standing for all that follow, round like the whole quotient.
  const shift = 66 - (bitLength(a) - bitLength(b));
  const [numerator, denominator] = shift >= 0 ? [x << BigInt(shift), y] : [x, y << BigInt(-shift)];
  const quotient = Number((numerator / denominator) | (numerator % denominator === 0n ? 0n : 1n));
  // In two steps, since 2 ** shift may exceed the range of floats.
  const result = quotient * 2 ** -Math.trunc(shift / 2) * 2 ** -(shift - Math.trunc(shift / 2));
  if (!Number.isFinite(result)) raise('OverflowError', 'integer division result too large for a float');
  return a < 0 !== b < 0 ? -result : result;
}

/** The result of arithmetic; charges its size. */
function big(value: bigint): Int {
  spend(bitLength(value) >>> 6);
  return normalized(value);
}

/** Charges a division, or a product. */
function spendProduct(a: Int, b: Int): void {
  spend(Math.ceil((bitLength(a) * bitLength(b)) / 2 ** 20));
}

function checkBits(bits: number): void {
  if (bits > MOST_BITS) throw beyond(`an integer of ${bits} bits`, MOST_BITS);
}

/** Whether it is written with a minus, as -0.0 is. */
export function isNegative(number: Int): boolean {
  return number < 0 || Object.is(number, -0);
}

/** The number of bits of the magnitude; 0 for 0. */
export function bitLength(value: Int): number {
  if (value === 0) return 0;
  const digits = (value < 0 ? -value : value).toString(16);
  return 4 * digits.length - Math.clz32(Number.parseInt(digits.charAt(0), 16)) + 28;
}

/** Written as in Python, which refuses more than 4,300 digits. */
export function intText(value: Int): string {
  if (typeof value === 'number') return String(value);
  // A decimal digit takes 3.32 bits.
  const text = bitLength(value) > 4 * MOST_DIGITS ? tooManyDigits() : value.toString();
  return text.length - (value < 0n ? 1 : 0) > MOST_DIGITS ? tooManyDigits() : text;
}

function tooManyDigits(): never {
  return raise('ValueError', `Exceeds the limit (${MOST_DIGITS} digits) for integer string conversion`);
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

/** A finite number as an exact fraction: numerator and denominator, a power of two. */
function fractionOf(value: number): [bigint, bigint] {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const high = bits.getUint32(0);
  const exponent = high >>> 20;
  const mantissa = (BigInt(high & 0xfffff) << 32n) | BigInt(bits.getUint32(4)) | (exponent > 0 ? 1n << 52n : 0n);
  const power = BigInt((exponent || 1) - 1075);
  return power >= 0n ? [mantissa << power, 1n] : [mantissa, 1n << -power];
}

/** The magnitude with `places` digits after the point, rounded to the nearest, ties to even: the digits without the point. */
export function fixedDigits(value: number, places: number): string {
  reserve(places + 400);
  const [numerator, denominator] = fractionOf(Math.abs(value));
  const scaled = numerator * (places >= 0 ? 10n ** BigInt(places) : 1n);
  const by = denominator * (places < 0 ? 10n ** BigInt(-places) : 1n);
  const twice = 2n * (scaled % by);
  const quotient = scaled / by;
  const rounded = twice > by || (twice === by && quotient % 2n === 1n) ? quotient + 1n : quotient;
  return rounded.toString().padStart(Math.max(places, 0) + 1, '0');
}

/** A number rounded to the given places after the point, ties to even, like round(). */
export function roundFloat(value: number, places: number): number {
  if (!Number.isFinite(value) || value === 0 || places > 323) return value;
  if (places < -308) return value < 0 ? -0 : 0;
  const rounded = Number(`${fixedDigits(value, places)}e${-places}`);
  if (!Number.isFinite(rounded)) raise('OverflowError', 'rounded value too large to represent');
  return value < 0 ? -rounded : rounded;
}

/** Parses digits in a base, which must be a power of two if there may be more than 4,300. */
export function intFromDigits(digits: string, base: number): Int {
  if (digits.length <= 10) return Number.parseInt(digits, base);
  if ((base & (base - 1)) === 0) checkBits(digits.length * Math.log2(base));
  else if (digits.length > MOST_DIGITS) tooManyDigits();
  const prefix = { 2: '0b', 8: '0o', 10: '', 16: '0x' }[base];
  if (prefix !== undefined) return normalized(BigInt(prefix + digits));
  let value = 0n;
  for (const digit of digits) value = value * BigInt(base) + BigInt(Number.parseInt(digit, base));
  return normalized(value);
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

// Integers of any size: numbers up to 2^53 - 1, bigints beyond, so that equal integers are equal values.

import { spend } from '../budget.js';
import { BudgetError, raise } from '../errors.js';

export type Int = number | bigint;

/** Python's limit for integers as text. */
const MOST_DIGITS = 4300;
/** The largest integers, in bits: four times what can be written. */
const MOST_BITS = 1 << 16;

export function normalized(value: bigint): Int {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

/** The result of number arithmetic, if exact; -0 becomes 0. */
function exact(value: number): number | undefined {
  return Number.isSafeInteger(value) ? value + 0 : undefined;
}

export function addInts(a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = exact(a + b);
    if (sum !== undefined) return sum;
  }
  return big(BigInt(a) + BigInt(b));
}

export function subtractInts(a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = exact(a - b);
    if (difference !== undefined) return difference;
  }
  return big(BigInt(a) - BigInt(b));
}

export function multiplyInts(a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = exact(a * b);
    if (product !== undefined) return product;
  }
  checkBits(bitLength(a) + bitLength(b));
  spendProduct(a, b);
  return big(BigInt(a) * BigInt(b));
}

/** The result of arithmetic; charges its size. */
export function big(value: bigint): Int {
  spend(bitLength(value) >>> 6);
  return normalized(value);
}

/** The remainder, with the sign of the divisor. */
export function moduloInts(a: Int, b: Int): Int {
  if (b === 0) raise('ZeroDivisionError', 'integer modulo by zero');
  if (typeof a === 'number' && typeof b === 'number') return moduloNumbers(a, b);
  const [x, y] = [BigInt(a), BigInt(b)];
  spendProduct(a, b);
  const rest = x % y;
  return normalized(rest !== 0n && rest < 0n !== y < 0n ? rest + y : rest);
}

/** Charges a division, or a product. */
export function spendProduct(a: Int, b: Int): void {
  spend(Math.ceil((bitLength(a) * bitLength(b)) / 2 ** 20));
}

function moduloNumbers(a: number, b: number): number {
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest + 0;
}

export function checkBits(bits: number): void {
  if (bits > MOST_BITS) throw new BudgetError(`the template computes an integer of ${bits} bits, and at most ${MOST_BITS} are allowed`);
}

/** The number of bits of the magnitude; 0 for 0. */
export function bitLength(value: Int): number {
  if (value === 0) return 0;
  const digits = (value < 0 ? -value : value).toString(16);
  return 4 * digits.length - Math.clz32(Number.parseInt(digits.charAt(0), 16)) + 28;
}

export function compareInts(a: Int, b: Int): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Written as in Python, which refuses more than 4,300 digits. */
export function intText(value: Int): string {
  if (typeof value === 'number') return String(value);
  // A decimal digit takes 3.32 bits.
  if (bitLength(value) > 4 * MOST_DIGITS) tooManyDigits();
  const text = value.toString();
  if (text.length - (value < 0n ? 1 : 0) > MOST_DIGITS) tooManyDigits();
  return text;
}

function tooManyDigits(): never {
  return raise(
    'ValueError',
    `Exceeds the limit (${MOST_DIGITS} digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit`,
  );
}

/** Parses digits in a base, which must be a power of two if there may be more than 4,300. */
export function intFromDigits(digits: string, base: number): Int {
  if (digits.length <= 10) return Number.parseInt(digits, base);
  if ((base & (base - 1)) === 0) checkBits(digits.length * Math.log2(base));
  else if (digits.length > MOST_DIGITS) {
    raise(
      'ValueError',
      `Exceeds the limit (${MOST_DIGITS} digits) for integer string conversion: value has ${digits.length} digits; use sys.set_int_max_str_digits() to increase the limit`,
    );
  }
  const prefix = { 2: '0b', 8: '0o', 10: '', 16: '0x' }[base];
  if (prefix !== undefined) return normalized(BigInt(prefix + digits));
  let value = 0n;
  for (const digit of digits) value = value * BigInt(base) + BigInt(Number.parseInt(digit, base));
  return normalized(value);
}

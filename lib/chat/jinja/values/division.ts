// Division and powers: `/ // **`.

import { raise, unsupported as leftOut } from '../errors.js';
import { Float, intToFloat } from './float.js';
import { big, bitLength, checkBits, type Int, normalized, spendProduct } from './int.js';
import type { Value } from './object.js';
import { floatOf, ofNumbers, unsupported } from './operators.js';

export function divide(a: Value, b: Value): Value {
  const quotient = ofNumbers(
    a,
    b,
    (x, y) => new Float(y === 0 ? raise('ZeroDivisionError', 'division by zero') : divideIntsExactly(x, y)),
    (x, y) => (y === 0 ? raise('ZeroDivisionError', 'float division by zero') : x / y),
  );
  return quotient ?? unsupported('/', a, b);
}

export function floorDivide(a: Value, b: Value): Value {
  return ofNumbers(a, b, floorDivideInts, (x, y) => floorDivideFloats(x, y)) ?? unsupported('//', a, b);
}

function floorDivideFloats(a: number, b: number): number {
  if (b === 0) raise('ZeroDivisionError', 'float floor division by zero');
  const rest = a % b;
  let quotient = (a - rest) / b;
  if (rest !== 0 && rest < 0 !== b < 0) quotient -= 1;
  if (quotient === 0) return Object.is(a / b, -0) || a / b < 0 ? -0 : 0;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

export function power(a: Value, b: Value): Value {
  const base = floatOf(a);
  if (
    b instanceof Float &&
    Number.isFinite(b.value) &&
    !Number.isInteger(b.value) &&
    base !== undefined &&
    base < 0 &&
    Number.isFinite(base)
  )
    leftOut('complex numbers, as the power of a negative number to a fraction');
  const result = ofNumbers(
    a,
    b,
    (x, y) => (y < 0 ? new Float(powerOfFloats(intToFloat(x), intToFloat(y))) : powerOfInts(x, y)),
    powerOfFloats,
  );
  return result ?? unsupported('**', a, b);
}

function powerOfFloats(base: number, exponent: number): number {
  if (exponent === 0 || base === 1) return 1;
  if (base === 0 && exponent < 0) raise('ZeroDivisionError', '0.0 cannot be raised to a negative power');
  if (base === -1 && !Number.isFinite(exponent)) return Number.isNaN(exponent) ? exponent : 1;
  const result = base ** exponent;
  if (!Number.isFinite(result) && Number.isFinite(base) && Number.isFinite(exponent))
    raise('OverflowError', "(34, 'Numerical result out of range')");
  return result;
}

/** The quotient, rounded down. */
export function floorDivideInts(a: Int, b: Int): Int {
  if (b === 0) raise('ZeroDivisionError', 'integer division or modulo by zero');
  if (typeof a === 'number' && typeof b === 'number') {
    const rest = a % b;
    const quotient = (a - rest) / b;
    return (rest !== 0 && rest < 0 !== b < 0 ? quotient - 1 : quotient) + 0;
  }
  const [x, y] = [BigInt(a), BigInt(b)];
  spendProduct(a, b);
  const quotient = x / y;
  return normalized(x % y !== 0n && x < 0n !== y < 0n ? quotient - 1n : quotient);
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
export function divideIntsExactly(a: Int, b: Int): number {
  if (typeof a === 'number' && typeof b === 'number') return a / b;
  const negative = a < 0 !== b < 0;
  const [x, y] = [BigInt(a < 0 ? -a : a), BigInt(b < 0 ? -b : b)];
  // 66 bits of the quotient, with the last one standing for all that follow, round like the whole quotient.
  const shift = 66 - (bitLength(a) - bitLength(b));
  const [numerator, denominator] = shift >= 0 ? [x << BigInt(shift), y] : [x, y << BigInt(-shift)];
  const quotient = (numerator / denominator) | (numerator % denominator === 0n ? 0n : 1n);
  let result = Number(quotient);
  // In two steps, since 2 ** shift may exceed the range of floats.
  result = result * 2 ** -Math.trunc(shift / 2) * 2 ** -(shift - Math.trunc(shift / 2));
  if (!Number.isFinite(result)) raise('OverflowError', 'integer division result too large for a float');
  return negative ? -result : result;
}

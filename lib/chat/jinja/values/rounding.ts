// Floats as decimal digits, correctly rounded, and as integers.

import { reserve } from '../budget.js';
import { raise } from '../errors.js';
import { type Int, normalized } from './int.js';

/** A finite number as an exact fraction: numerator and denominator, a power of two. */
export function fractionOf(value: number): [bigint, bigint] {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, Math.abs(value));
  const high = bits.getUint32(0);
  const exponent = high >>> 20;
  let mantissa = (BigInt(high & 0xfffff) << 32n) | BigInt(bits.getUint32(4));
  if (exponent > 0) mantissa |= 1n << 52n;
  const power = (exponent || 1) - 1075;
  const signed = value < 0 ? -mantissa : mantissa;
  return power >= 0 ? [signed << BigInt(power), 1n] : [signed, 1n << BigInt(-power)];
}

/** A quotient of positive integers, rounded to the nearest, ties to even. */
function divideRounded(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = 2n * (numerator % denominator);
  return twice > denominator || (twice === denominator && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

/** The magnitude with `places` digits after the point, correctly rounded: the digits without the point. */
export function fixedDigits(value: number, places: number): string {
  reserve(places + 400);
  const [numerator, denominator] = fractionOf(Math.abs(value));
  const scaled =
    places >= 0
      ? divideRounded(numerator * 10n ** BigInt(places), denominator)
      : divideRounded(numerator, denominator * 10n ** BigInt(-places));
  return scaled.toString().padStart(Math.max(places, 0) + 1, '0');
}

/** The magnitude with `count` significant digits, correctly rounded, and the power of ten of the first. */
export function significantDigits(value: number, count: number): { digits: string; power: number } {
  if (value === 0) return { digits: '0'.repeat(count), power: 0 };
  reserve(count + 400);
  const [numerator, denominator] = fractionOf(Math.abs(value));
  let power = Math.floor(Math.log10(Math.abs(value)));
  for (;;) {
    const places = count - 1 - power;
    const scaled =
      places >= 0
        ? divideRounded(numerator * 10n ** BigInt(places), denominator)
        : divideRounded(numerator, denominator * 10n ** BigInt(-places));
    const digits = scaled.toString();
    if (digits.length === count) return { digits, power };
    // The logarithm was off by one, or rounding has carried over.
    power += digits.length > count ? 1 : -1;
  }
}

/** A number rounded to the given places after the point, ties to even, like round(). */
export function roundFloat(value: number, places: number): number {
  if (!Number.isFinite(value) || value === 0 || places > 323) return value;
  if (places < -308) return value < 0 ? -0 : 0;
  const digits = fixedDigits(value, places);
  const rounded = Number(`${digits}e${-places}`);
  if (!Number.isFinite(rounded)) raise('OverflowError', 'rounded value too large to represent');
  return value < 0 ? -rounded : rounded;
}

/** The integer part of a number. */
export function floatToInt(value: number): Int {
  if (Number.isNaN(value)) raise('ValueError', 'cannot convert float NaN to integer');
  if (!Number.isFinite(value)) raise('OverflowError', 'cannot convert float infinity to integer');
  return normalized(BigInt(Math.trunc(value)));
}

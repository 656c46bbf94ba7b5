// Floating-point numbers, which are a type of their own: 1.0 is no int, and prints as 1.0.

import { reserve } from '../budget.js';
import { raise } from '../errors.js';
import { type Int, normalized } from './int.js';
import { type Hash, PyObject, type Value, type Writer } from './object.js';

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
    if (typeof other === 'boolean') other = Number(other);
    // Loosely, a bigint equals a number of the same value, and no other.
    // biome-ignore lint: exact by definition
    return (typeof other === 'number' || typeof other === 'bigint') && this.value == other;
  }

  override hash(): Hash {
    if (Number.isNaN(this.value)) return this;
    return Number.isInteger(this.value) ? normalized(BigInt(this.value)) : this.value;
  }

  override attribute(name: string): Value | undefined {
    return name === 'real' ? this : name === 'imag' ? new Float(0) : undefined;
  }

  override compare(other: Value): number | undefined {
    if (typeof other === 'boolean') other = Number(other);
    const number = other instanceof Float ? other.value : other;
    if (typeof number !== 'number' && typeof number !== 'bigint') return undefined;
    if (this.value < number) return -1;
    return this.value > number ? 1 : this.equals(other) ? 0 : Number.NaN;
  }

  override writeRepr(writer: Writer): void {
    writer.write(this.repr());
  }

  repr(): string {
    return floatRepr(this.value);
  }
}

/** The shortest text that reads as the same number, with an exponent below 1e-4 and from 1e16 on. */
export function floatRepr(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value < 0 ? '-inf' : 'inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  // JavaScript finds the same digits, and differs in when there is an exponent.
  const [, whole = '', fraction = '', power = '0'] = /^(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(Math.abs(value).toExponential()) as RegExpExecArray;
  return sign + placed(whole + fraction, Number(power), -4, 16, true);
}

/** Digits with a point behind the first, times a power of ten; with an exponent if it is below `least` or not below `most`. */
export function placed(digits: string, power: number, least: number, most: number, isFloat: boolean): string {
  if (power < least || power >= most) {
    const mantissa = digits.length > 1 ? `${digits.charAt(0)}.${digits.slice(1)}` : digits;
    return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
  }
  if (power < 0) return `0.${'0'.repeat(-power - 1)}${digits}`;
  const whole = digits.slice(0, power + 1).padEnd(power + 1, '0');
  const fraction = digits.slice(power + 1);
  if (fraction !== '') return `${whole}.${fraction}`;
  return isFloat ? `${whole}.0` : whole;
}

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
export function divideRounded(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = 2n * (numerator % denominator);
  return twice > denominator || (twice === denominator && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

/** The magnitude with so many digits behind the point, correctly rounded: the digits without the point. */
export function fixedDigits(value: number, places: number): string {
  reserve(places + 400);
  const [numerator, denominator] = fractionOf(Math.abs(value));
  const scaled = places >= 0 ? divideRounded(numerator * 10n ** BigInt(places), denominator) : divideRounded(numerator, denominator * 10n ** BigInt(-places));
  return scaled.toString().padStart(Math.max(places, 0) + 1, '0');
}

/** The magnitude with so many significant digits, correctly rounded, and the power of ten of the first. */
export function significantDigits(value: number, count: number): { digits: string; power: number } {
  if (value === 0) return { digits: '0'.repeat(count), power: 0 };
  reserve(count + 400);
  const [numerator, denominator] = fractionOf(Math.abs(value));
  let power = Math.floor(Math.log10(Math.abs(value)));
  for (;;) {
    const places = count - 1 - power;
    const scaled =
      places >= 0 ? divideRounded(numerator * 10n ** BigInt(places), denominator) : divideRounded(numerator, denominator * 10n ** BigInt(-places));
    const digits = scaled.toString();
    if (digits.length === count) return { digits, power };
    // The logarithm is off by one, or rounding has carried over.
    power += digits.length > count ? 1 : -1;
  }
}

/** A number with so many digits behind the point, ties to even, as round() computes it. */
export function roundFloat(value: number, places: number): number {
  if (!Number.isFinite(value) || value === 0 || places > 323) return value;
  if (places < -308) return value < 0 ? -0 : 0;
  const digits = fixedDigits(value, places);
  const rounded = Number(`${digits}e${-places}`);
  if (!Number.isFinite(rounded)) raise('OverflowError', 'rounded value too large to represent');
  return value < 0 ? -rounded : rounded;
}

/** The whole part of a number. */
export function floatToInt(value: number): Int {
  if (Number.isNaN(value)) raise('ValueError', 'cannot convert float NaN to integer');
  if (!Number.isFinite(value)) raise('OverflowError', 'cannot convert float infinity to integer');
  return normalized(BigInt(Math.trunc(value)));
}

/** An integer as a float. */
export function intToFloat(value: Int): number {
  const number = Number(value);
  if (!Number.isFinite(number)) raise('OverflowError', 'int too large to convert to float');
  return number;
}

// Floating-point numbers as a separate type: 1.0 is not an int, and prints as 1.0.

import { raise } from '../errors.js';
import { type Int, normalized } from './int.js';
import { type Hash, PyObject, type Value, type Writer } from './object.js';
import { numeral } from './str.js';

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
    writer.writeText(numeral(this.repr()));
  }

  repr(): string {
    return floatRepr(this.value);
  }
}

/** The shortest text that parses to the same number, with an exponent below 1e-4 and from 1e16 on. */
export function floatRepr(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value < 0 ? '-inf' : 'inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  // JavaScript finds the same digits, but uses an exponent in other cases.
  const [, whole = '', fraction = '', power = '0'] = /^(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(
    Math.abs(value).toExponential(),
  ) as RegExpExecArray;
  return sign + decimalText(whole + fraction, Number(power), -4, 16, true);
}

/**
 * Digits with a point after the first, times a power of ten; written with an exponent if it is below `least` or at least
 * `most`.
 */
export function decimalText(digits: string, power: number, least: number, most: number, isFloat: boolean): string {
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

/** An integer as a float. */
export function intToFloat(value: Int): number {
  const number = Number(value);
  if (!Number.isFinite(number)) raise('OverflowError', 'int too large to convert to float');
  return number;
}

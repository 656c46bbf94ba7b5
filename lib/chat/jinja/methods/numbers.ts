// Methods of int and float.

import { raise, unsupported } from '../errors.js';
import { asStr } from '../values/arguments.js';
import type { Method } from '../values/callable.js';
import { Tuple } from '../values/containers.js';
import { divideIntsExactly } from '../values/division.js';
import { Float } from '../values/float.js';
import { fractionOf } from '../values/rounding.js';
import { bitLength, type Int, normalized } from '../values/int.js';
import type { Value } from '../values/object.js';
import { intOf } from '../values/operators.js';
import { numeral } from '../values/str.js';

const int = (value: Value): Int => intOf(value) as Int;

export const INT_METHODS = new Map<string, Method<never>>([
  ['bit_length', (self: Value) => bitLength(int(self))],
  [
    'bit_count',
    (self: Value) => {
      const value = int(self);
      return (value < 0 ? -value : value).toString(2).replaceAll('0', '').length;
    },
  ],
  ['conjugate', (self: Value) => int(self)],
  ['as_integer_ratio', (self: Value) => new Tuple([int(self), 1])],
  ...['to_bytes', 'from_bytes'].map((name): [string, Method<never>] => [name, () => unsupported('bytes')]),
]);

function ratio({ value }: Float): Tuple {
  if (!Number.isFinite(value))
    raise(
      Number.isNaN(value) ? 'ValueError' : 'OverflowError',
      `cannot convert ${Number.isNaN(value) ? 'NaN' : 'Infinity'} to integer ratio`,
    );
  let [numerator, denominator] = fractionOf(value);
  while (denominator > 1n && numerator % 2n === 0n) {
    numerator /= 2n;
    denominator /= 2n;
  }
  return new Tuple([normalized(numerator), normalized(denominator)]);
}

/** The exact number in hexadecimal. */
function hex({ value }: Float): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value < 0 ? '-inf' : 'inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  if (value === 0) return `${sign}0x0.0p+0`;
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const exponent = (bits.getUint32(0) >>> 20) & 0x7ff;
  const mantissa = ((BigInt(bits.getUint32(0) & 0xfffff) << 32n) | BigInt(bits.getUint32(4))).toString(16).padStart(13, '0');
  const power = (exponent || 1) - 1023;
  return `${sign}0x${exponent === 0 ? 0 : 1}.${mantissa}p${power < 0 ? '-' : '+'}${Math.abs(power)}`;
}

/** A number in hexadecimal, with a binary exponent, rounded once. */
function parsedHex(text: string): number {
  const found = /^\s*([+-]?)(?:0x)?([\da-f]*)\.?([\da-f]*)(?:p([+-]?\d+))?\s*$/i.exec(text);
  if (!found || (found[2] as string) + (found[3] as string) === '') return raise('ValueError', 'invalid hexadecimal floating-point string');
  const [, sign, whole, fraction, power = '0'] = found as unknown as [string, string, string, string, string?];
  const exponent = Number(power) - 4 * fraction.length;
  if (Math.abs(exponent) > 10_000 || whole.length + fraction.length > 1000)
    raise('OverflowError', 'hexadecimal value too large to represent as a float');
  const mantissa = BigInt(`0x${whole}${fraction}`);
  const value =
    exponent >= 0 ? Number(mantissa << BigInt(exponent)) : divideIntsExactly(normalized(mantissa), normalized(1n << BigInt(-exponent)));
  return sign === '-' ? -value : value;
}

export const FLOAT_METHODS = new Map<string, Method<Float>>([
  ['is_integer', (self) => Number.isInteger(self.value)],
  ['as_integer_ratio', ratio],
  ['hex', (self) => numeral(hex(self))],
  ['conjugate', (self) => self],
  ['fromhex', (_self, args) => new Float(parsedHex(asStr(args[0], 'fromhex() argument').text))],
]);

// Numbers as text, in Python's formats e, f, g and n, d, x, o, b.

import { reserve } from '../budget.js';
import { BudgetError } from '../errors.js';
import { decimalText } from '../values/float.js';
import { fixedDigits, significantDigits } from '../values/rounding.js';
import { type Int, intText } from '../values/int.js';

const MOST_PLACES = 100_000;

/** The magnitude of a float. `alternate`: always writes the point, and keeps trailing zeros in `g`. */
export function floatText(value: number, type: 'e' | 'f' | 'g', precision: number, alternate: boolean): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : 'inf';
  if (precision > MOST_PLACES)
    throw new BudgetError(`the template formats a number with ${precision} places, and at most ${MOST_PLACES} are allowed`);
  if (type === 'f') return fixedText(value, precision, alternate);
  if (type === 'e') {
    const { digits, power } = significantDigits(value, precision + 1);
    return exponentText(digits, power, alternate);
  }
  const count = precision === 0 ? 1 : precision;
  const { digits, power } = significantDigits(value, count);
  const kept = alternate ? digits : digits.replace(/0+$/, '') || '0';
  if (power < -4 || power >= count) return exponentText(kept, power, alternate);
  const text = decimalText(kept, power, -Infinity, Infinity, false);
  return alternate && !text.includes('.') ? `${text}.` : text;
}

function fixedText(value: number, precision: number, alternate: boolean): string {
  const digits = fixedDigits(value, precision);
  const whole = digits.slice(0, digits.length - precision);
  return precision > 0 ? `${whole}.${digits.slice(digits.length - precision)}` : alternate ? `${whole}.` : whole;
}

function exponentText(digits: string, power: number, alternate: boolean): string {
  const fraction = digits.slice(1);
  const point = fraction !== '' || alternate ? '.' : '';
  return `${digits.charAt(0)}${point}${fraction}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** The magnitude of an int in a base; throws for more than 4,300 decimal digits. */
export function intDigits(value: Int, base: 2 | 8 | 10 | 16): string {
  const magnitude = value < 0 ? -value : value;
  if (base === 10) return intText(magnitude);
  const text = magnitude.toString(base);
  reserve(text.length);
  return text;
}

/** Separators between groups of digits, from the right. */
export function grouped(digits: string, separator: string, size: number): string {
  const parts: string[] = [];
  for (let end = digits.length; end > 0; end -= size) parts.push(digits.slice(Math.max(0, end - size), end));
  return parts.reverse().join(separator);
}

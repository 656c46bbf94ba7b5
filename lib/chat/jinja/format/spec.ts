// format(value, spec): the mini-language after the colon of `{:>8.2f}`.

import { checkLength, reserve } from '../budget.js';
import { raise, unsupported } from '../errors.js';
import { Float, floatRepr } from '../values/float.js';
import type { Int } from '../values/int.js';
import { type Value, typeName } from '../values/object.js';
import { floatOf, intOf } from '../values/operators.js';
import { concatenated, derived, literal, repeated, Str } from '../values/str.js';
import { toStr } from '../values/writer.js';
import { floatText, grouped, intDigits } from './numbers.js';

interface Spec {
  fill: Str;
  align: string;
  sign: string;
  /** Whether minus zero becomes zero. */
  coerce: boolean;
  alternate: boolean;
  width: number;
  grouping: string;
  precision: number | undefined;
  type: string;
}

const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?(.)?$/su;

function parseSpec(spec: Str, value: Value): Spec {
  const { text } = spec;
  const found = SPEC.exec(text);
  if (!found)
    return raise(
      'ValueError',
      /\.(?!\d)/.test(text)
        ? 'Format specifier missing precision'
        : `Invalid format specifier '${text}' for object of type '${typeName(value)}'`,
    );
  const [, fill, align, sign, coerce, alternate, zero, width, grouping, precision, type] = found;
  const size = Number(width ?? 0);
  if (size >= 2 ** 63 || Number(precision ?? 0) >= 2 ** 63) raise('ValueError', 'Too many decimal digits in format string');
  checkLength(size);
  reserve(size);
  return {
    fill: fill === undefined ? (zero ? literal('0') : literal(' ')) : spec.part(0, fill.length),
    align: align ?? (zero ? '=' : ''),
    sign: sign ?? '',
    coerce: coerce !== undefined,
    alternate: alternate !== undefined,
    width: size,
    grouping: grouping ?? '',
    precision: precision === undefined ? undefined : Number(precision),
    type: type ?? '',
  };
}

/** Formats a value. */
export function formatValue(value: Value, format: Str): Str {
  if (format.units === 0) return toStr(value);
  if (value instanceof Str) return formatText(value, parseSpec(format, value));
  if (value instanceof Float) return derived(formatFloat(value.value, parseSpec(format, value)), format);
  const int = intOf(value);
  if (int !== undefined) return derived(formatInt(int, parseSpec(format, value)), format);
  return raise('TypeError', `unsupported format string passed to ${typeName(value)}.__format__`);
}

function formatText(str: Str, spec: Spec): Str {
  const { type, sign, alternate, grouping, align, precision, width, fill } = spec;
  if (type !== '' && type !== 's') unknown(type, 'str');
  if (sign !== '')
    raise('ValueError', sign === ' ' ? 'Space not allowed in string format specifier' : 'Sign not allowed in string format specifier');
  if (alternate) raise('ValueError', 'Alternate form (#) not allowed in string format specifier');
  if (spec.coerce) raise('ValueError', 'Negative zero coercion (z) not allowed in string format specifier');
  if (grouping !== '') raise('ValueError', `Cannot specify '${grouping}' with 's'.`);
  // A zero before the width aligns only numbers; since 3.10 it is ignored for text.
  if (align === '=') {
    if (fill.text !== '0') raise('ValueError', "'=' alignment not allowed in string format specifier");
  }
  const kept = precision === undefined || precision >= str.length() ? str : str.part(0, str.unit(precision));
  const missing = Math.max(0, width - kept.length());
  const before = align === '>' ? missing : align === '^' ? missing >> 1 : 0;
  return concatenated(concatenated(repeated(fill, before), kept), repeated(fill, missing - before));
}

function unknown(type: string, of: string): never {
  return raise('ValueError', `Unknown format code '${type}' for object of type '${of}'`);
}

function formatInt(value: Int, spec: Spec): string {
  const { type, precision, grouping, alternate } = spec;
  if ('eEfFgG%'.includes(type) && type !== '') return formatFloat(floatOf(value) as number, spec);
  if (precision !== undefined) raise('ValueError', 'Precision not allowed in integer format specifier');
  if (spec.coerce) raise('ValueError', 'Negative zero coercion (z) not allowed in integer format specifier');
  if (type === 'c') return unsupported("the format type 'c'");
  const base = ({ '': 10, d: 10, n: 10, b: 2, o: 8, x: 16, X: 16 } as const)[type];
  if (base === undefined) unknown(type, 'int');
  if (grouping === ',' && base !== 10) raise('ValueError', `Cannot specify ',' with '${type}'.`);
  if (grouping !== '' && type === 'n') raise('ValueError', `Cannot specify '${grouping}' with 'n'.`);
  const digits = intDigits(value, base);
  const prefix = alternate && base !== 10 ? `0${type}` : '';
  return withSign(value < 0, prefix, type === 'X' ? digits.toUpperCase() : digits, '', spec, base === 10 ? 3 : 4);
}

function formatFloat(value: number, spec: Spec): string {
  const { type, precision, alternate, grouping } = spec;
  if (!'eEfFgGn%'.includes(type)) unknown(type, 'float');
  if (grouping !== '' && type === 'n') raise('ValueError', `Cannot specify '${grouping}' with 'n'.`);
  let text: string;
  if (type === '' && precision === undefined) {
    text = floatRepr(Math.abs(value));
  } else if (type === '') {
    text = generalWithPoint(value, precision as number);
  } else {
    const kind = type === '%' ? 'f' : type === 'n' ? 'g' : (type.toLowerCase() as 'e' | 'f' | 'g');
    text = floatText(type === '%' ? value * 100 : value, kind, precision ?? 6, alternate);
    if (type === '%') text += '%';
    if (type !== type.toLowerCase()) text = text.toUpperCase();
  }
  const isNegative = (value < 0 || Object.is(value, -0)) && !(spec.coerce && !/[1-9a-z]/i.test(text));
  const split = /^(\d*)(.*)$/s.exec(text) as RegExpExecArray;
  return withSign(isNegative, '', split[1] as string, split[2] as string, spec, 3);
}

/** Without a type, the precision works as in `g`, but there is always a digit after the point. */
function generalWithPoint(value: number, precision: number): string {
  const text = floatText(value, 'g', precision, false);
  if (!Number.isFinite(value)) return text;
  const count = Math.max(precision, 1);
  // Like repr, it switches to an exponent one digit earlier.
  if (!text.includes('e') && !text.includes('.')) {
    if (text.length >= count) {
      const shown = floatText(value, 'e', count - 1, false);
      return shown.replace(/(\.\d*?)0+e/, (_, kept: string) => `${kept === '.' ? '' : kept}e`);
    }
    return `${text}.0`;
  }
  return text;
}

function withSign(isNegative: boolean, prefix: string, digits: string, rest: string, spec: Spec, size: number): string {
  const { align, width, grouping } = spec;
  const fill = spec.fill.text;
  const lead = (isNegative ? '-' : spec.sign === '+' || spec.sign === ' ' ? spec.sign : '') + prefix;
  let body = grouping === '' ? digits : grouped(digits, grouping, size);
  // Zeros that fill the width are grouped as well.
  if (grouping !== '' && fill === '0' && align === '=' && digits !== '') {
    const room = width - lead.length - rest.length;
    body = grouped(digits.padStart(Math.ceil((room * size) / (size + 1)), '0'), grouping, size);
    if (body.length < room) body = grouped(`0${body.replaceAll(grouping, '')}`, grouping, size);
  }
  const missing = Math.max(0, width - lead.length - body.length - rest.length);
  if (align === '=') return lead + fill.repeat(missing) + body + rest;
  const before = align === '<' ? 0 : align === '^' ? missing >> 1 : missing;
  return fill.repeat(before) + lead + body + rest + fill.repeat(missing - before);
}

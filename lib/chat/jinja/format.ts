// `text.format(…)`: texts with fields in braces. Supported are `{}`, `{0}` and `{name}`, with a fill, `< > ^`, a sign, a width,
// a comma, a precision, and the types `d f s`: prompts have no other, and the rest of Python's language is refused by name.

import { beyond, checkLength, reserve, spend } from './budget.js';
import { raise, unsupported } from './errors.js';
import { fixedDigits, Float, floatOf, floatRepr, intOf, intText, isNegative } from './values/numbers.js';
import { type Keywords, typeName, type Value, valueOr } from './values/object.js';
import { concatenated, derived, literal, quotedText, repeated, Str, TextBuilder } from './values/text.js';
import { toStr } from './values/writer.js';

const MOST_PLACES = 100_000;

export function formatFields(format: Str, args: readonly Value[], keywords: Keywords): Str {
  const { text } = format;
  const out = new TextBuilder();
  let from = 0;
  let next = 0;
  let isNumbered: boolean | undefined;
  const valueOf = (name: string): Value => {
    if (name !== '' && !/^\d+$/.test(name)) return valueOr(keywords.getText(name), () => raise('KeyError', quotedText(name)));
    const is = name !== '';
    const [one, other] = isNumbered ? ['manual field specification', 'automatic'] : ['automatic field numbering', 'manual'];
    if (isNumbered === !is) raise('ValueError', `cannot switch from ${one} to ${other} field ${is ? 'specification' : 'numbering'}`);
    isNumbered = is;
    const index = is ? Number(name) : next++;
    return valueOr(args[index], () => raise('IndexError', `Replacement index ${index} out of range for positional args tuple`));
  };
  for (const { 0: all, 1: field, index } of text.matchAll(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g)) {
    spend(1);
    out.addPart(format, from, index);
    from = index + all.length;
    if (field !== undefined) {
      const [, name, spec = ''] = /^([^.[!:]*)(?::(.*))?$/s.exec(field) ?? unsupported(`the field ${quotedText(all)} of format`);
      out.add(formatted(valueOf(name as string), format.part(from - 1 - spec.length, from - 1)));
    } else if (all.length === 2) {
      out.addPart(format, index, index + 1);
    } else {
      if (all === '{' && text.includes('{', from)) unsupported('fields inside fields of format');
      raise('ValueError', `Single '${all}' encountered in format string`);
    }
  }
  out.addPart(format, from, text.length);
  return out.finish();
}

const SPEC = /^(?:(.)?([<>^]))?([-+ ])?(0)?(\d{1,9})?(,)?(?:\.(\d{1,9}))?([dfs])?$/su;

/** format(value, spec) */
function formatted(value: Value, spec: Str): Str {
  if (spec.units === 0) return toStr(value);
  const { text } = spec;
  const int = intOf(value);
  if (int === undefined && !(value instanceof Float || value instanceof Str))
    return raise('TypeError', `unsupported format string passed to ${typeName(value)}.__format__`);
  const [, fillText, align, sign = '', zero, size = '0', comma = '', places, type = ''] =
    SPEC.exec(text) ?? unsupported(`the format ${quotedText(text)}`);
  const width = Number(size);
  checkLength(width);
  reserve(width);
  const fill = fillText !== undefined ? spec.part(0, fillText.length) : zero ? literal('0') : literal(' ');
  const precision = places === undefined ? undefined : Number(places);
  if (value instanceof Str) {
    if (type === 'd' || type === 'f') unknown(type, value);
    if (sign !== '') raise('ValueError', `${sign === ' ' ? 'Space' : 'Sign'} not allowed in string format specifier`);
    if (comma !== '') raise('ValueError', "Cannot specify ',' with 's'.");
    return padded(shortened(value, precision), width, fill, align ?? '<');
  }
  if (type === 's' || (type === 'd' && int === undefined)) unknown(type, value);
  const isInt = int !== undefined && type !== 'f';
  if (isInt && precision !== undefined) raise('ValueError', 'Precision not allowed in integer format specifier');
  if (zero && comma) unsupported('zeros and commas in one format');
  if (!isInt && type === '' && precision !== undefined) unsupported(`the format ${quotedText(text)}, which lacks a type`);
  const number = isInt ? int : (floatOf(value) as number);
  const shown = isInt ? intText(int) : type === 'f' ? fixedText(number as number, precision ?? 6) : floatRepr(number as number);
  const digits = shown.replace(/^-/, '');
  const lead = isNegative(number) ? '-' : sign === '-' ? '' : sign;
  const body = comma ? digits.replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ',')) : digits;
  if (zero && align === undefined) return derived(lead + body.padStart(width - lead.length, '0'), spec);
  return padded(derived(lead + body, spec), width, fill, align ?? '>');
}

function unknown(type: string, value: Value): never {
  raise('ValueError', `Unknown format code '${type}' for object of type '${typeName(value)}'`);
}

/** At most as many characters as the precision says. */
export function shortened(str: Str, precision: number | undefined): Str {
  return precision === undefined || precision >= str.length() ? str : str.part(0, str.unit(precision));
}

/** Pads a text to a width in characters. */
export function padded(str: Str, width: number, fill: Str, align: string): Str {
  const missing = Math.max(0, width - str.length());
  const before = align === '>' ? missing : align === '^' ? missing >> 1 : 0;
  return concatenated(concatenated(repeated(fill, before), str), repeated(fill, missing - before));
}

/** The magnitude of a float with `places` digits after the point, as the type `f` writes it. */
export function fixedText(value: number, places: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : 'inf';
  if (places > MOST_PLACES) throw beyond(`a number with ${places} places`, MOST_PLACES);
  const digits = fixedDigits(value, places);
  const point = digits.length - places;
  return places > 0 ? `${digits.slice(0, point)}.${digits.slice(point)}` : digits;
}

// Texts with fields for values.
//
// `text.format(…)` has them in braces: `{}`, `{0}` and `{name}`, with a fill, `< > ^`, a sign, a width, a comma, a precision, and the types
// `d f s`. The rest of Python's language is refused by name.
// `text % values` has the conversions `%s %d %f %x %r` and `%%`.

import { checkLength, reserve, spend } from './budget.js';
import { raise, unsupported } from './template-errors.js';
import { Dict } from './values/dict.js';
import { List, Range, Sequence, Tuple } from './values/list.js';
import { fixedText, Float, floatOf, floatToInt, type Int, intOf, isNegative } from './values/numbers.js';
import { type Keywords, typeName, type Value, valueOr } from './values/object.js';
import { derived, literal, padded, quotedText, Str, TextBuilder } from './values/text.js';
import { Undefined } from './values/undefined.js';
import { repr, toStr } from './values/writer.js';

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
  const int = intOf(value);
  if (int === undefined && !(value instanceof Float || value instanceof Str))
    return raise('TypeError', `unsupported format string passed to ${typeName(value)}.__format__`);
  const refuse = (): never => unsupported(`the format ${quotedText(spec.text)}`);
  const [, fillText, align, sign = '', zero = '', size = '0', comma = '', places, type = ''] = SPEC.exec(spec.text) ?? refuse();
  const fill = fillText !== undefined ? spec.part(0, fillText.length) : zero ? literal('0') : literal(' ');
  const filled = (str: Str, alignment: string) =>
    padded(str, Number(size), (missing) => (alignment === '<' ? 0 : alignment === '^' ? missing >> 1 : missing), fill);
  const precision = places === undefined ? undefined : Number(places);
  const isInt = int !== undefined && type !== 'f';
  if (value instanceof Str ? type === 'd' || type === 'f' : type === 's' || (type === 'd' && !isInt))
    return raise('ValueError', `Unknown format code '${type}' for object of type '${typeName(value)}'`);
  if (value instanceof Str) {
    if (sign !== '') raise('ValueError', `${sign === ' ' ? 'Space' : 'Sign'} not allowed in string format specifier`);
    if (comma !== '') raise('ValueError', "Cannot specify ',' with 's'.");
    return filled(shortened(value, precision), align ?? '<');
  }
  if (isInt && precision !== undefined) raise('ValueError', 'Precision not allowed in integer format specifier');
  if ((zero && comma) || (!isInt && type === '' && precision !== undefined)) refuse();
  const number = isInt ? int : (floatOf(value) as number);
  const text = type === 'f' ? fixedText(number as number, precision ?? 6) : toStr(isInt ? int : value).text;
  const digits = comma ? text.replace(/\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ',')) : text;
  return filled(derived(signed(number, digits, align === undefined ? sign + zero : sign, '', Number(size)), spec), align ?? '>');
}

/** At most as many characters as the precision says. */
function shortened(str: Str, precision: number | undefined): Str {
  return precision === undefined || precision >= str.length() ? str : str.part(0, str.unit(precision));
}

/** A directive: key, flags, width, precision, length. Its conversion follows. */
const DIRECTIVE = /%(?:\(((?:[^()]|\([^()]*\))*)\))?([-+ #0]*)(\*|\d+)?(?:(\.)(\*|\d+)?)?[hlL]?/y;

export function formatPercent(format: Str, values: Value): Str {
  const { text } = format;
  const tuple = values instanceof Tuple ? values.items : [values];
  const out = new TextBuilder();
  let next = 0;
  const argument = () => tuple[next++] ?? raiseMissing(tuple, next);
  const number = (digits = '0') => (digits === '*' ? unsupported("the width '*' of %") : Number(digits));
  let from = 0;
  for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', from)) {
    out.addPart(format, from, at);
    DIRECTIVE.lastIndex = at;
    const [, key, flags, width, point, places] = DIRECTIVE.exec(text) as unknown as [string, string?, string?, string?, string?, string?];
    const end = DIRECTIVE.lastIndex;
    from = end + 1;
    if (key === undefined && text[at + 1] === '(') raise('ValueError', 'incomplete format key');
    const keyed = key === undefined ? undefined : memberOf(values, key);
    const size = number(width);
    const precision = point === undefined ? undefined : number(places);
    const conversion = text.charAt(end);
    if (conversion === '') raise('ValueError', 'incomplete format');
    if (conversion === '%') {
      out.addPart(format, end, from);
      continue;
    }
    const value = valueOr(keyed, argument);
    const isLeft = (flags as string).includes('-');
    const shown =
      conversion === 's' || conversion === 'r'
        ? shortened(conversion === 's' ? toStr(value) : repr(value), precision)
        : derived(numberText(conversion, value, flags as string, isLeft ? 0 : size, precision), format.part(at, from));
    out.add(padded(shown, size, (missing) => (isLeft ? 0 : missing)));
  }
  out.addPart(format, from, text.length);
  // Values with items can be accessed by key, so they need not all be used.
  const isMapping = [Dict, List, Range, Undefined].some((type) => values instanceof type);
  if (next < tuple.length && !isMapping) raise('TypeError', 'more values than the format takes');
  return out.finish();
}

/** None is an argument like any other. */
function raiseMissing(tuple: readonly Value[], next: number): Value {
  return next <= tuple.length ? null : raise('TypeError', 'fewer values than the format takes');
}

function memberOf(values: Value, key: string): Value {
  if (values instanceof Dict) return valueOr(values.getText(key), () => raise('KeyError', quotedText(key)));
  if (values instanceof Undefined) return values.fail();
  if (values instanceof Sequence && !(values instanceof Tuple)) raise('TypeError', 'list indices must be integers or slices, not str');
  return raise('TypeError', 'format requires a mapping');
}

/** `width`: to be filled with zeros, if the flags say so. */
function numberText(conversion: string, value: Value, flags: string, width: number, precision: number | undefined): string {
  if ((conversion === 'd' || conversion === 'f') && value instanceof Undefined) return value.fail();
  switch (conversion) {
    case 'd': {
      const int = value instanceof Float ? floatToInt(value.value) : intOf(value);
      if (int === undefined) return raise('TypeError', `%d format: a real number is required, not ${typeName(value)}`);
      return signed(int, String(int), flags, '', width, precision);
    }
    case 'x': {
      const int = intOf(value);
      if (int === undefined) return raise('TypeError', `%x format: an integer is required, not ${typeName(value)}`);
      const digits = int.toString(16);
      reserve(digits.length);
      return signed(int, digits, flags, flags.includes('#') ? '0x' : '', width, precision);
    }
    case 'f': {
      const float = floatOf(value);
      if (float === undefined) return raise('TypeError', `must be real number, not ${typeName(value)}`);
      const text = fixedText(float, precision ?? 6);
      return signed(float, flags.includes('#') && precision === 0 && Number.isFinite(float) ? `${text}.` : text, flags, '', width, 0);
    }
    default:
      if ('aciuoXeEFgG'.includes(conversion)) return unsupported(`the format %${conversion}`);
      return raise('ValueError', `unsupported format character ${quotedText(conversion)}`);
  }
}

function signed(number: Int, text: string, flags: string, prefix: string, width: number, precision = 0): string {
  const lead = (isNegative(number) ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '') + prefix;
  const least = flags.includes('0') ? Math.max(precision, width - lead.length) : precision;
  checkLength(least);
  return lead + text.replace(/^-/, '').padStart(least, '0');
}

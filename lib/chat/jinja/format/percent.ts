// `text % values`: printf-style formatting.

import { checkLength, reserve } from '../budget.js';
import { raise } from '../errors.js';
import { List, Range, Sequence, Tuple } from '../values/containers.js';
import { Dict } from '../values/dict.js';
import { Float } from '../values/float.js';
import { parsedFloat, parsedInt } from '../values/parse-number.js';
import { floatToInt } from '../values/rounding.js';
import { type Int, normalized } from '../values/int.js';
import { escape } from '../values/markup.js';
import { type Value, valueOr, typeName } from '../values/object.js';
import { floatOf, intOf } from '../values/operators.js';
import { literal, Str, TextBuilder } from '../values/str.js';
import { Undefined } from '../values/undefined.js';
import { repr, toStr } from '../values/writer.js';
import { floatText, intDigits } from './numbers.js';

interface Directive {
  left: boolean;
  sign: '' | '+' | ' ';
  alternate: boolean;
  zero: boolean;
  width: number;
  precision: number | undefined;
}

/** A directive: key, flags, width, precision, length, conversion. */
const DIRECTIVE = /%(?:\(((?:[^()]|\([^()]*\))*)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?([hlL])?/y;

export function formatPercent(format: Str, values: Value): Str {
  return new PercentFormat(format, values).run();
}

class PercentFormat {
  readonly #out = new TextBuilder();
  readonly #tuple: readonly Value[] | undefined;
  #next = 0;

  constructor(
    private readonly format: Str,
    private readonly values: Value,
  ) {
    this.#tuple = values instanceof Tuple ? values.items : undefined;
  }

  run(): Str {
    const { text } = this.format;
    let from = 0;
    for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', from)) {
      this.#out.addPart(this.format, from, at);
      from = this.#directive(at);
    }
    this.#out.addPart(this.format, from, text.length);
    if (this.#hasMore()) raise('TypeError', 'not all arguments converted during string formatting');
    return this.#out.finish(this.format.markup);
  }

  /** Values with items can be accessed by key, so they need not all be used. */
  #hasMore(): boolean {
    if (this.#tuple) return this.#next < this.#tuple.length;
    return this.#next === 0 && !this.#isMapping();
  }

  #isMapping(): boolean {
    const { values } = this;
    return values instanceof Dict || values instanceof List || values instanceof Range || values instanceof Undefined;
  }

  #argument(): Value {
    const value = this.#tuple ? this.#tuple[this.#next] : this.#next === 0 ? this.values : undefined;
    if (value === undefined) return raise('TypeError', 'not enough arguments for format string');
    this.#next++;
    return value;
  }

  #keyed(key: string): Value {
    const { values } = this;
    if (values instanceof Dict) return valueOr(values.getText(key), () => raise('KeyError', toStr(repr(literal(key))).text));
    if (values instanceof Undefined) return values.fail();
    if (values instanceof Sequence && !(values instanceof Tuple)) raise('TypeError', 'list indices must be integers or slices, not str');
    return raise('TypeError', 'format requires a mapping');
  }

  /** Writes the value for a directive, and returns the directive's end. */
  #directive(at: number): number {
    const { text } = this.format;
    DIRECTIVE.lastIndex = at;
    const [all, key, flags, width, precision] = DIRECTIVE.exec(text) as unknown as [string, string | undefined, string, string?, string?];
    let keyed: Value | undefined;
    if (key === undefined && text[at + 1] === '(') raise('ValueError', 'incomplete format key');
    if (key !== undefined) keyed = this.#keyed(key);
    const directive: Directive = {
      left: flags.includes('-'),
      sign: flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '',
      alternate: flags.includes('#'),
      zero: flags.includes('0'),
      width: width === undefined ? 0 : this.#number(width),
      precision:
        precision === undefined ? (all.includes('.', key === undefined ? 0 : key.length + 2) ? 0 : undefined) : this.#number(precision),
    };
    if (directive.width < 0) {
      directive.left = true;
      directive.width = -directive.width;
    }
    const end = at + all.length;
    const conversion = text.charAt(end);
    if (conversion === '') raise('ValueError', 'incomplete format');
    if (conversion === '%') {
      this.#out.addPart(this.format, end, end + 1);
      return end + 1;
    }
    const value = valueOr(keyed, () => this.#argument());
    checkLength(directive.width);
    this.#out.add(this.#converted(conversion, value, directive, end));
    return end + 1;
  }

  #number(text: string): number {
    if (text !== '*') return Number(text);
    const value = intOf(this.#argument());
    if (value === undefined) return raise('TypeError', '* wants int');
    if (typeof value === 'bigint' && BigInt.asIntN(64, value) !== value)
      raise('OverflowError', 'Python int too large to convert to C ssize_t');
    return Number(value);
  }

  #converted(conversion: string, value: Value, directive: Directive, at: number): Str {
    switch (conversion) {
      case 's':
        return padded(truncated(this.format.markup ? escape(value) : toStr(value), directive), directive);
      case 'r':
      case 'a': {
        const shown = conversion === 'r' ? repr(value) : asciiRepr(value);
        return padded(truncated(this.format.markup ? escape(shown) : shown, directive), directive);
      }
      case 'c':
        return padded(characterOf(value), directive);
      case 'd':
      case 'i':
      case 'u': {
        const int = toInt(value, conversion, this.format.markup);
        return number(intDigits(magnitude(int), 10), isNegative(int), '', directive);
      }
      case 'o':
      case 'x':
      case 'X': {
        const int = intOf(value);
        if (int === undefined) return raise('TypeError', `%${conversion} format: an integer is required, not ${typeName(value)}`);
        const digits = intDigits(int, conversion === 'o' ? 8 : 16);
        const prefix = directive.alternate ? `0${conversion}` : '';
        return number(conversion === 'X' ? digits.toUpperCase() : digits, int < 0, prefix, directive);
      }
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G': {
        if (value instanceof Undefined) return value.fail();
        const float = this.format.markup && value instanceof Str ? parsedFloat(value) : floatOf(value);
        if (float === undefined) return raise('TypeError', `must be real number, not ${typeName(value)}`);
        const type = conversion.toLowerCase() as 'e' | 'f' | 'g';
        const text = floatText(float, type, directive.precision ?? 6, directive.alternate);
        const isNegativeFloat = float < 0 || Object.is(float, -0);
        const shown = conversion === type ? text : text.toUpperCase();
        return number(shown, isNegativeFloat, '', { ...directive, precision: undefined });
      }
      default: {
        const code = conversion.charCodeAt(0);
        return raise(
          'ValueError',
          `unsupported format character '${code < 32 || code > 126 ? '?' : conversion}' (0x${code.toString(16)}) at index ${at}`,
        );
      }
    }
  }
}

function magnitude(value: Int): Int {
  return value < 0 ? normalized(-BigInt(value)) : value;
}

function isNegative(value: Int): boolean {
  return value < 0;
}

/** `parses`: Markup wraps its values in an object that int() and float() can read, including texts. */
function toInt(value: Value, conversion: string, parses: boolean): Int {
  if (parses && value instanceof Str) return parsedInt(value, 10);
  if (value instanceof Float) return floatToInt(value.value);
  if (value instanceof Undefined) return value.fail();
  return intOf(value) ?? raise('TypeError', `%${conversion} format: a real number is required, not ${typeName(value)}`);
}

function characterOf(value: Value): Str {
  if (value instanceof Str && value.length() === 1) return value;
  const int = intOf(value);
  if (int === undefined) return raise('TypeError', '%c requires int or char');
  if (int < 0 || int > 0x10ffff) return raise('OverflowError', '%c arg not in range(0x110000)');
  return literal(String.fromCodePoint(Number(int)));
}

/** repr with all non-ASCII characters escaped. */
export function asciiRepr(value: Value): Str {
  const shown = repr(value);
  return shown.derived(
    Array.from(shown.text, (character) => {
      const code = character.codePointAt(0) as number;
      if (code < 0x80) return character;
      return code < 0x100
        ? `\\x${code.toString(16)}`
        : code < 0x10000
          ? `\\u${code.toString(16).padStart(4, '0')}`
          : `\\U${code.toString(16).padStart(8, '0')}`;
    }).join(''),
  );
}

function truncated(str: Str, { precision }: Directive): Str {
  return precision === undefined || precision >= str.length() ? str : str.part(0, str.unit(precision));
}

function padded(str: Str, { width, left }: Directive): Str {
  const missing = width - str.length();
  if (missing <= 0) return str;
  reserve(width);
  const builder = new TextBuilder();
  if (left) builder.add(str);
  builder.add(literal(' '.repeat(missing)));
  if (!left) builder.add(str);
  return builder.finish();
}

function number(digits: string, negative: boolean, prefix: string, directive: Directive): Str {
  const { precision, sign, zero, left, width } = directive;
  const lead = (negative ? '-' : sign) + prefix;
  let body = precision === undefined ? digits : digits.padStart(precision, '0');
  reserve(body.length + width);
  if (zero && !left) body = body.padStart(width - lead.length, '0');
  const text = lead + body;
  return literal(left ? text.padEnd(width) : text.padStart(width));
}

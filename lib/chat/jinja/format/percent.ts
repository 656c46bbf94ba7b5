// `text % values`: printf-style formatting, for the conversions that templates use.

import { checkLength } from '../budget.js';
import { raise, unsupported } from '../errors.js';
import { List, Range, Sequence, Tuple } from '../values/containers.js';
import { Dict } from '../values/dict.js';
import { Float } from '../values/float.js';
import { floatToInt } from '../values/rounding.js';
import { type Value, valueOr, typeName } from '../values/object.js';
import { floatOf, intOf } from '../values/operators.js';
import { concatenated, derived, literal, quotedText, repeated, type Str, TextBuilder } from '../values/str.js';
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
    return this.#out.finish();
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
    if (values instanceof Dict) return valueOr(values.getText(key), () => raise('KeyError', quotedText(key)));
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
    const shown = this.#converted(conversion, value, directive, end);
    this.#out.add(padded(typeof shown === 'string' ? derived(shown, this.format.part(at, end + 1)) : shown, directive));
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

  /** A text, or how the format writes a number. */
  #converted(conversion: string, value: Value, directive: Directive, at: number): Str | string {
    switch (conversion) {
      case 's':
        return truncated(toStr(value), directive);
      case 'r':
        return truncated(repr(value), directive);
      case 'd': {
        if (value instanceof Undefined) return value.fail();
        const int = value instanceof Float ? floatToInt(value.value) : intOf(value);
        if (int === undefined) return raise('TypeError', `%d format: a real number is required, not ${typeName(value)}`);
        return number(intDigits(int, 10), int < 0, '', directive);
      }
      case 'x': {
        const int = intOf(value);
        if (int === undefined) return raise('TypeError', `%x format: an integer is required, not ${typeName(value)}`);
        return number(intDigits(int, 16), int < 0, directive.alternate ? '0x' : '', directive);
      }
      case 'f': {
        if (value instanceof Undefined) return value.fail();
        const float = floatOf(value);
        if (float === undefined) return raise('TypeError', `must be real number, not ${typeName(value)}`);
        const text = floatText(float, 'f', directive.precision ?? 6, directive.alternate);
        return number(text, float < 0 || Object.is(float, -0), '', { ...directive, precision: undefined });
      }
      default: {
        if ('aciuoXeEFgG'.includes(conversion)) return unsupported(`the format %${conversion}`);
        const code = conversion.charCodeAt(0);
        return raise(
          'ValueError',
          `unsupported format character '${code < 32 || code > 126 ? '?' : conversion}' (0x${code.toString(16)}) at index ${at}`,
        );
      }
    }
  }
}

function truncated(str: Str, { precision }: Directive): Str {
  return precision === undefined || precision >= str.length() ? str : str.part(0, str.unit(precision));
}

function padded(str: Str, { width, left }: Directive): Str {
  const padding = repeated(literal(' '), width - str.length());
  return left ? concatenated(str, padding) : concatenated(padding, str);
}

function number(digits: string, negative: boolean, prefix: string, { precision = 0, sign, zero, left, width }: Directive): string {
  const lead = (negative ? '-' : sign) + prefix;
  const least = zero && !left ? Math.max(precision, width - lead.length) : precision;
  checkLength(least);
  return lead + digits.padStart(least, '0');
}

// Splits a template into tokens, one at a time, by the rules of Jinja's lexer with trim_blocks and lstrip_blocks: drops the
// first line break after a tag, and white space between the beginning of a line and a tag.

import { wellFormed } from '../data.js';
import { TemplateError } from './template-errors.js';
import { ALPHANUMERIC, flagsOf, SPACES, spaceEnd, spaceStart } from './unicode/characters.js';
import { Float, intFromDigits } from './values/numbers.js';
import type { Value } from './values/object.js';
import { ofTemplate, quotedText } from './values/text.js';

/** The kind of token: `data`, `name`, `string`, `number`, the ends of tags and of the template by Jinja's names, or the operator itself. */
export type TokenType = string;

export interface Token {
  type: TokenType;
  /** The text of a name, data, or an operator. */
  text: string;
  /** The value of a string or number. */
  value: Value;
  /** The start in the source, in UTF-16 units. */
  at: number;
}

const SPACE = `[${SPACES}]`;
const sticky = (pattern: string) => new RegExp(pattern, 'y');
const RAW = sticky(`\\{%([-+]?)${SPACE}*raw${SPACE}*(?:-%\\}${SPACE}*|%\\})`);
const END_RAW = sticky(`\\{%([-+]?)${SPACE}*endraw${SPACE}*(?:\\+%\\}|-%\\}${SPACE}*|%\\}\\n?)`);
const FLOAT = sticky('(?:\\d+_)*\\d+(?:(?:\\.(?:\\d+_)*\\d+)?[eE][+-]?(?:\\d+_)*\\d+|\\.(?:\\d+_)*\\d+)');
const INTEGER = sticky('0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\\da-fA-F])+|[1-9](?:_?\\d)*|0(?:_?0)*');
const NAME = sticky('[a-zA-Z0-9_]+');
const LONG_OPERATORS = new Set(['//', '**', '==', '!=', '>=', '<=']);
/** The first characters of longer operators. */
const LONG_STARTS = '=/*!><';
const OPERATORS = '-+/*%~[](){}><=.:|,;';

/** The source as the lexer reads it: with only line feeds as line breaks, and without a final one. */
export function normalizedSource(source: string): string {
  const text = source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source;
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** Line and column of a position, both counted from 1. */
export function lineAndColumn(source: string, at: number): { line: number; column: number } {
  const before = source.slice(0, at);
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') };
}

export function syntaxError(source: string, message: string, at: number, pythonType = 'TemplateSyntaxError'): TemplateError {
  const { line, column } = lineAndColumn(source, at);
  return new TemplateError(message, 'syntax', pythonType, line, column);
}

export class Lexer {
  #at = 0;
  #state: 'root' | 'block' | 'variable' = 'root';
  /** Whether the previous tag ended with a line break, or there was none. */
  #startsLine = true;
  /** The closing brackets expected. */
  readonly #open: string[] = [];
  /** A tag that follows the data just returned. */
  #pending: Token | undefined;

  /** `source`: normalized source. */
  constructor(readonly source: string) {}

  /**
   * The next token; undefined at the end. This function and its callees are long on purpose: engines soon compile short,
   * frequently run functions together with all they call, and a template has been read before that pays off.
   */
  next(): Token | undefined {
    const pending = this.#pending;
    if (pending) {
      this.#pending = undefined;
      return pending;
    }
    if (this.#state === 'root') return this.#root();
    const { source } = this;
    let at = this.#at;
    if (source.charCodeAt(at) === 32) at++;
    this.#at = at = spaceEnd(source, at);
    const code = source.charCodeAt(at);
    const letter = code | 32;
    if ((letter >= 97 && letter <= 122) || code === 95 || code >= 0x80 || (code >= 48 && code <= 57)) {
      NAME.lastIndex = at;
      const end = NAME.test(source) ? NAME.lastIndex : at;
      // A token that begins with a digit is usually a number.
      const number = code <= 57 ? this.#number(at) : undefined;
      if (number) return number;
      if (source.charCodeAt(end) >= 0x80 && flagsOf(source.codePointAt(end) as number) & ALPHANUMERIC)
        throw syntaxError(source, 'not supported in chat templates: names beyond ASCII', at, 'NotImplementedError');
      if (code <= 57) this.#fail('Invalid character in identifier', at);
      if (end === at) return this.#operator(at);
      this.#at = end;
      return token('name', source.slice(at, end), at);
    }
    // `-`, `+`, `%` or `}`
    if (this.#open.length === 0 && (code === 45 || code === 43 || code === 37 || code === 125)) {
      const end = this.#tagEnd(at);
      if (end !== undefined) return this.#endTag(at, end);
    }
    if (at >= source.length) return undefined;
    return (code === 39 || code === 34 ? this.#string(at) : undefined) ?? this.#operator(at);
  }

  #fail(message: string, at: number): never {
    throw syntaxError(this.source, message, at);
  }

  /** Matches at the current position and moves past the match. */
  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.source);
    if (!found) return undefined;
    this.#at = pattern.lastIndex;
    this.#startsLine = found[0].endsWith('\n');
    return found;
  }

  #root(): Token | undefined {
    const { source } = this;
    while (this.#at < source.length) {
      const from = this.#at;
      let begin = source.indexOf('{', from);
      while (begin >= 0 && !'{%#'.includes(source.charAt(begin + 1) || '?')) begin = source.indexOf('{', begin + 1);
      if (begin < 0) {
        this.#at = source.length;
        return token('data', source.slice(from), from);
      }
      const text = this.#tag(from, begin);
      if (text !== '') return token('data', text, from);
      if (this.#pending) return this.next();
    }
    return undefined;
  }

  /** Enters the tag that begins at `begin`, and returns the data before it. Skips a comment. */
  #tag(from: number, begin: number): string {
    const { source } = this;
    const startsLine = this.#startsLine;
    this.#at = begin;
    const raw = source[begin + 1] === '%' ? this.#match(RAW) : undefined;
    if (raw) {
      const before = trimmed(source.slice(from, begin), raw[1] as string, startsLine);
      const data = this.#raw();
      if (data.text !== '') this.#pending = data;
      return before;
    }
    const sign = isSign(source[begin + 2]) ? source.charAt(begin + 2) : '';
    this.#at = begin + 2 + sign.length;
    this.#startsLine = false;
    const kind = source[begin + 1];
    const isVariable = kind === '{';
    const text = trimmed(source.slice(from, begin), isVariable && sign === '' ? '+' : sign, startsLine);
    if (kind === '#') {
      this.#comment(begin);
    } else {
      this.#state = isVariable ? 'variable' : 'block';
      const text = source.slice(begin, this.#at);
      this.#pending = { type: isVariable ? 'begin of print statement' : 'begin of statement block', text, value: null, at: begin };
    }
    return text;
  }

  #goTo(at: number): void {
    this.#startsLine = this.source[at - 1] === '\n';
    this.#at = at;
  }

  /** The end of the tag, including the white space it strips, if it ends here. */
  #tagEnd(at: number): number | undefined {
    const { source } = this;
    const isBlock = this.#state === 'block';
    const sign = source[at];
    const close = sign === '-' || (sign === '+' && isBlock) ? at + 1 : at;
    if (!source.startsWith(isBlock ? '%}' : '}}', close)) return undefined;
    if (sign === '-') return spaceEnd(source, close + 2);
    return isBlock && sign !== '+' && source[close + 2] === '\n' ? close + 3 : close + 2;
  }

  #comment(begin: number): void {
    const end = this.source.indexOf('#}', this.#at);
    // Jinja does not notice this at the very end of the source.
    if (end < 0) return this.#at < this.source.length ? this.#fail('Missing end of comment tag', begin) : undefined;
    const sign = end > this.#at ? this.source[end - 1] : '';
    const hasBreak = sign !== '+' && this.source[end + 2] === '\n';
    this.#goTo(sign === '-' ? spaceEnd(this.source, end + 2) : end + (hasBreak ? 3 : 2));
  }

  /** The content between the `raw` tag and its end. */
  #raw(): Token {
    const { source } = this;
    const from = this.#at;
    const startsLine = this.#startsLine;
    for (let at = source.indexOf('{%', from); at >= 0; at = source.indexOf('{%', at + 1)) {
      this.#at = at;
      const end = this.#match(END_RAW);
      if (end) return token('data', trimmed(source.slice(from, at), end[1] as string, startsLine), from);
    }
    this.#at = source.length;
    return from < source.length ? this.#fail('Missing end of raw directive', from) : token('data', '', from);
  }

  #endTag(at: number, end: number): Token {
    const type = this.#state === 'block' ? 'end of statement block' : 'end of print statement';
    this.#state = 'root';
    this.#goTo(end);
    return token(type, this.source.slice(at, end), at);
  }

  #number(at: number): Token | undefined {
    const float = this.source.charAt(at - 1) === '.' ? undefined : this.#match(FLOAT);
    if (float) return token('number', float[0], at, new Float(Number(float[0].replaceAll('_', ''))));
    const integer = this.#match(INTEGER);
    if (!integer) return undefined;
    const digits = integer[0].replaceAll('_', '').toLowerCase();
    const base = { b: 2, o: 8, x: 16 }[digits.charAt(1)] ?? 10;
    try {
      return token('number', integer[0], at, intFromDigits(base === 10 ? digits : digits.slice(2), base));
    } catch (error) {
      throw syntaxError(this.source, (error as Error).message, at, 'ValueError');
    }
  }

  #string(at: number): Token | undefined {
    const { source } = this;
    const end = stringEnd(source, at);
    if (end === undefined) return undefined;
    this.#at = end + 1;
    const text = wellFormed(unescaped(source.slice(at + 1, end), (message) => this.#fail(message, at)));
    return token('string', text, at, ofTemplate(text));
  }

  #operator(at: number): Token {
    const first = this.source.charAt(at);
    const two = LONG_STARTS.includes(first) ? this.source.slice(at, at + 2) : '';
    const operator = LONG_OPERATORS.has(two) ? two : first;
    this.#at = at + operator.length;
    if (operator.length === 1 && !OPERATORS.includes(operator)) {
      const character = String.fromCodePoint(this.source.codePointAt(at) as number);
      return this.#fail(`unexpected char ${quotedText(character)} at ${Array.from(this.source.slice(0, at)).length}`, at);
    }
    if (operator === '(') this.#open.push(')');
    else if (operator === '[') this.#open.push(']');
    else if (operator === '{') this.#open.push('}');
    else if (operator === '}' || operator === ')' || operator === ']') {
      const expected = this.#open.pop();
      if (expected === undefined) this.#fail(`unexpected '${operator}'`, at);
      if (expected !== operator) this.#fail(`unexpected '${operator}', expected '${expected}'`, at);
    }
    return token(operator, operator, at);
  }
}

/** The position of a string literal's closing quote, if it has one. */
function stringEnd(source: string, at: number): number | undefined {
  const quote = source.charAt(at);
  let end = source.indexOf(quote, at + 1);
  const escape = source.slice(at + 1, end).indexOf('\\');
  if (end < 0 || escape < 0) return end < 0 ? undefined : end;
  for (end = at + 1 + escape; end < source.length && source[end] !== quote; ) end += source[end] === '\\' ? 2 : 1;
  return end < source.length ? end : undefined;
}

function isSign(character: string | undefined): boolean {
  return character === '-' || character === '+';
}

function token(type: TokenType, text: string, at: number, value: Value = null): Token {
  return { type, text, value, at };
}

/** Data before a tag: without trailing white space if the tag strips it, or without the tag's indentation. */
function trimmed(text: string, sign: string, startsLine: boolean): string {
  if (sign === '-') return text.slice(0, spaceStart(text));
  if (sign === '+') return text;
  const line = text.lastIndexOf('\n') + 1;
  return (line > 0 || startsLine) && spaceEnd(text, line) === text.length ? text.slice(0, line) : text;
}

/** What an escape of one character stands for. */
const SIMPLE = new Map(
  ['\n', '\\\\', "''", '""', 'a\x07', 'b\b', 'f\f', 'n\n', 'r\r', 't\t', 'v\v'].map((pair) => [pair.charAt(0), pair.slice(1)]),
);

const ESCAPE = /\\(?:([0-7]{1,3})|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([\s\S]))/gu;

/** A string literal without its quotes: a backslash before what is no escape is a text. */
function unescaped(text: string, fail: (message: string) => never): string {
  if (!text.includes('\\')) return text;
  return text.replace(ESCAPE, (_, octal?: string, x?: string, u?: string, long?: string, other = '') => {
    const simple = SIMPLE.get(other);
    if (simple !== undefined) return simple;
    if (other === 'x' || other === 'u' || other === 'U')
      fail(`truncated \\${other}${'X'.repeat(other === 'x' ? 2 : other === 'u' ? 4 : 8)} escape`);
    if (other === 'N') fail('not supported in chat templates: characters by name, as \\N{DASH}');
    if (other === '') {
      const code = octal ? Number.parseInt(octal, 8) : Number.parseInt(x ?? u ?? (long as string), 16);
      return code > 0x10ffff ? fail('illegal Unicode character') : String.fromCodePoint(code);
    }
    return other < '\x80' ? `\\${other}` : fail('not supported in chat templates: a backslash before a character beyond ASCII');
  });
}

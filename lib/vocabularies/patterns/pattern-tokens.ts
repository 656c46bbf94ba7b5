// The tokens of a pattern: Oniguruma's tokenizer with its own syntax.

import { has } from './code-points.js';
import { type AssertionKind, PatternError } from './tree.js';
import { bareWord, POSIX, property } from './properties.js';

/** The highest code whose bytes the reference takes for those of a character. */
export const HIGHEST_CODE = 0x13ffff;
/** In a class. */
export const HIGHEST_IN_CLASS = 0x1fffff;
const MOST_REPETITIONS = 100000;
const MOST_REFERENCES = 1000;
const HIGHEST_INT = 0x7fffffff;

export interface Reference {
  /** A name, or the number of a group. */
  to: string | number;
  level?: number | undefined;
}

export type Token = { at: number } & (
  | { type: 'end' | 'alternative' | 'open' | 'close' | 'class' | 'any' | 'keep' | 'newline' | 'grapheme' }
  | { type: 'character'; code: number }
  | { type: 'code'; code: number; base?: number }
  | { type: 'byte'; code: number; base?: number }
  | { type: 'set'; name: 'word' | 'space' | 'digit' | 'xdigit'; negate: boolean }
  | { type: 'property'; name: string; negate: boolean }
  | { type: 'assertion'; what: AssertionKind }
  | { type: 'repeat'; least: number; most: number; greedy: boolean; possessive: boolean }
  | { type: 'reference'; reference: Reference }
  | { type: 'call'; reference: Reference }
);

/** In a class. */
export type ClassToken = { at: number } & (
  | { type: 'end' | 'close' | 'range' | 'and' | 'open' }
  | { type: 'character'; code: number; isEscaped: boolean }
  | { type: 'code'; code: number; base?: number }
  | { type: 'byte'; code: number; base?: number }
  | { type: 'set'; name: 'word' | 'space' | 'digit' | 'xdigit'; negate: boolean }
  | { type: 'property'; name: string; negate: boolean }
  | { type: 'bracket'; name: string; negate: boolean }
);

const SETS = { w: 'word', s: 'space', d: 'digit', h: 'xdigit' } as const;
const ASSERTIONS: Record<string, AssertionKind> = {
  A: 'text_start',
  z: 'text_end',
  Z: 'text_end_or_newline',
  G: 'search_start',
  b: 'word_boundary',
  B: 'no_word_boundary',
  y: 'grapheme_boundary',
  Y: 'no_grapheme_boundary',
};
const CONTROLS: Record<string, number> = { n: 10, t: 9, r: 13, f: 12, a: 7, b: 8, e: 27, v: 11 };
/** What ends a name, by what stands before it: as regular expressions. */
const NAME_ENDS: Record<string, string> = { '<': '>', "'": "'", '(': '\\)' };
const BRACKETS = [...POSIX, 'ascii'];

const isDigit = (character: string | undefined) => character !== undefined && /^[0-9]$/.test(character);
const isNameCharacter = (character: string) => has(bareWord(), character.codePointAt(0)!);

export class Tokens {
  /** Where reading continues. */
  at = 0;
  /** Whether white space and comments are skipped, (?x). */
  skipsSpace = false;
  /** How many groups have been opened. */
  groupCount = 0;
  /** A sequence of codes, \x{61 62}, is being read: its base. */
  #sequenceBase = 0;

  constructor(readonly pattern: string) {}

  /** The next character, without reading it; undefined at the end. */
  peek(): string | undefined {
    const code = this.pattern.codePointAt(this.at);
    return code === undefined ? undefined : String.fromCodePoint(code);
  }

  /** Reads a character. */
  take(orElse: string): string {
    const character = this.peek();
    if (character === undefined) throw this.error(orElse);
    this.at += character.length;
    return character;
  }

  takeIf(text: string): boolean {
    if (!this.pattern.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  error(what: string, at = this.at): PatternError {
    return new PatternError(what, at);
  }

  next(): Token {
    if (this.#sequenceBase > 0) {
      const at = this.at;
      const code = this.#nextOfSequence(false);
      if (code !== undefined) return { type: 'code', code: code as number, at };
    }
    for (;;) {
      const at = this.at;
      const character = this.peek();
      if (character === undefined) return { type: 'end', at };
      this.at += character.length;
      switch (character) {
        case '\\':
          return this.#escape(at);
        case '.':
          return { type: 'any', at };
        case '*':
          return this.#repeat(at, 0, Infinity);
        case '+':
          return this.#repeat(at, 1, Infinity);
        case '?':
          return this.#repeat(at, 0, 1);
        case '{': {
          const interval = this.#interval(at);
          if (interval) return interval;
          break;
        }
        case '|':
          return { type: 'alternative', at };
        case '(':
          if (this.pattern.startsWith('?#', this.at)) {
            this.#comment(at);
            continue;
          }
          return { type: 'open', at };
        case ')':
          return { type: 'close', at };
        case '^':
          return { type: 'assertion', what: 'line_start', at };
        case '$':
          return { type: 'assertion', what: 'line_end', at };
        case '[':
          return { type: 'class', at };
        case '#':
          if (!this.skipsSpace) break;
          for (let skipped = this.peek(); skipped !== undefined; skipped = this.peek()) {
            this.at += skipped.length;
            if (skipped === '\n') break;
          }
          continue;
        case ' ':
        case '\t':
        case '\n':
        case '\r':
        case '\f':
          if (this.skipsSpace) continue;
          break;
      }
      return { type: 'character', code: character.codePointAt(0)!, at };
    }
  }

  #comment(at: number): void {
    const comment = /\?#(?:\\[\s\S]|[^\\)])*\)/y;
    comment.lastIndex = this.at;
    const found = comment.exec(this.pattern);
    if (!found) throw this.error('a comment without an end', at);
    this.at += found[0].length;
  }

  #escape(at: number): Token {
    const after = this.at;
    const character = this.take('a pattern that ends with a backslash');
    const code = character.codePointAt(0)!;
    const literal = (): Token => {
      this.at = after + character.length;
      return { type: 'character', code, at };
    };
    switch (character) {
      case 'K':
        return { type: 'keep', at };
      case 'R':
        return { type: 'newline', at };
      case 'X':
        return { type: 'grapheme', at };
      case 'p':
      case 'P':
        return this.takeIf('{') ? this.#property(at, character === 'P') : literal();
      case 'x':
      case 'o':
      case 'u':
        return this.#numbered(at, character, false) ?? literal();
      case 'k':
      case 'g': {
        const open = this.peek();
        if (open !== '<' && open !== "'") return literal();
        ++this.at;
        return character === 'k'
          ? { type: 'reference', reference: this.reference(open, true), at }
          : { type: 'call', reference: this.reference(open, false), at };
      }
    }
    const assertion = ASSERTIONS[character];
    if (assertion) return { type: 'assertion', what: assertion, at };
    const set = SETS[character.toLowerCase() as keyof typeof SETS];
    if (set && /[wsdhWSDH]/.test(character)) return { type: 'set', name: set, negate: character !== character.toLowerCase(), at };
    if (isDigit(character)) {
      if (character !== '0') {
        this.at = after;
        const number = this.#number();
        if (number <= MOST_REFERENCES && (number <= this.groupCount || number <= 9))
          return { type: 'reference', reference: { to: number }, at };
        if (character >= '8') return literal();
      }
      this.at = character === '0' ? after + 1 : after;
      return { type: 'byte', code: (this.#digits(8, character === '0' ? 2 : 3) ?? 0) & 0xff, base: 8, at };
    }
    this.at = after;
    const value = this.#escapedValue(at);
    return value === code ? literal() : { type: 'code', code: value, at };
  }

  #repeat(at: number, least: number, most: number): Token {
    const lazy = this.takeIf('?');
    const possessive = !lazy && this.takeIf('+');
    return { type: 'repeat', least, most, greedy: !lazy, possessive, at };
  }

  /** {n,m}; undefined if the brace is a character like others. */
  #interval(at: number): Token | undefined {
    const begin = this.at;
    const literal = () => {
      this.at = begin;
      return undefined;
    };
    const limit = () => {
      const from = this.at;
      const number = this.#number();
      if (number > MOST_REPETITIONS) throw this.error(`a repetition of more than ${MOST_REPETITIONS} times`, from);
      return this.at > from ? number : undefined;
    };
    if (this.peek() === undefined) return literal();
    const first = limit();
    let least = first ?? 0;
    let most = least;
    let isFixed = true;
    if (this.takeIf(',')) {
      isFixed = false;
      const second = limit();
      if (first === undefined && second === undefined) return literal();
      most = second ?? Infinity;
    } else if (first === undefined) {
      return literal();
    }
    if (!this.takeIf('}')) return literal();
    const possessive = least > most;
    if (possessive) [least, most] = [most, least];
    const lazy = !possessive && !isFixed && this.takeIf('?');
    return { type: 'repeat', least, most, greedy: !lazy, possessive, at };
  }

  /** Decimal digits; Infinity if there are too many, 0 if there are none. */
  #number(): number {
    const digits = /[0-9]*/y;
    digits.lastIndex = this.at;
    const text = digits.exec(this.pattern)![0];
    this.at += text.length;
    const number = Number(text);
    return number > HIGHEST_INT ? Infinity : number;
  }

  /** At most `most` digits of a base; undefined if there are none. */
  #digits(base: number, most: number): number | undefined {
    const from = this.at;
    const isOne = base === 16 ? /[0-9a-fA-F]/ : /[0-7]/;
    while (this.at < from + most && isOne.test(this.pattern[this.at] ?? '')) ++this.at;
    if (this.at === from) return undefined;
    const value = parseInt(this.pattern.slice(from, this.at), base);
    if (value > 0xffffffff) throw this.error('a number that is too big', from);
    return value;
  }

  /** After \x, \o or \u; undefined if the letter stands for itself. */
  #numbered(
    at: number,
    letter: string,
    inClass: boolean,
    afterRange = false,
  ): { type: 'code' | 'byte'; code: number; base: number; at: number } | undefined {
    if (this.peek() === undefined) return undefined;
    const base = letter === 'o' ? 8 : 16;
    if (letter === 'u') {
      const code = /^[0-9a-fA-F]{4}/.exec(this.pattern.slice(this.at, this.at + 4));
      if (!code) throw this.error('\\u without four digits', at);
      this.at += 4;
      return { type: 'code', code: parseInt(code[0], 16), base, at };
    }
    if (this.takeIf('{')) {
      const code = this.#digits(base, base === 16 ? 8 : 11);
      const tooLong = base === 16 ? /[0-9a-fA-F]/ : /[0-9]/;
      if (tooLong.test(this.pattern[this.at] ?? '')) throw this.error('a code point that is too long', at);
      if (code === undefined) {
        --this.at;
        return undefined;
      }
      if (!this.takeIf('}')) {
        this.#checkSequence(at, base, inClass, afterRange);
        this.#sequenceBase = base;
      }
      return { type: 'code', code, base, at };
    }
    if (letter === 'o') return undefined;
    return { type: 'byte', code: this.#digits(16, 2) ?? 0, base, at };
  }

  /** Throws unless codes follow to the brace, each after one space or more: pairs of them, with a hyphen between, in a class. */
  #checkSequence(at: number, base: number, inClass: boolean, afterRange: boolean): void {
    const digit = base === 16 ? '[0-9a-fA-F]{1,8}' : '[0-7]{1,11}';
    const space = '[ \\n]+';
    const hyphen = `(?:${space})?-(?:${space})?`;
    const after = inClass ? `(?:${space}${digit}(?:${hyphen}${digit})?)*` : `(?:${space}${digit})*`;
    const first = inClass && !afterRange ? `(?:${hyphen}${digit})?` : '';
    const sequence = new RegExp(`${first}${after}(?:${space})?\\}`, 'y');
    sequence.lastIndex = this.at;
    const rest = sequence.exec(this.pattern);
    if (!rest || !/[0-9a-fA-F]/.test(rest[0])) throw this.error('an invalid sequence of code points', at);
  }

  /** The next code of a sequence; undefined at its end, '-' for a range. */
  #nextOfSequence(inClass: boolean): number | '-' | undefined {
    const base = this.#sequenceBase;
    while (this.pattern[this.at] === ' ' || this.pattern[this.at] === '\n') ++this.at;
    if (this.takeIf('}')) {
      this.#sequenceBase = 0;
      return undefined;
    }
    if (inClass && this.takeIf('-')) return '-';
    const code = this.#digits(base, base === 16 ? 8 : 11);
    if (code === undefined) throw this.error('an invalid sequence of code points');
    return code;
  }

  /** What an escape of one character means: \n, \cA, \C-a, \M-a, or the character itself. */
  #escapedValue(at: number): number {
    const character = this.take('a pattern that ends with a backslash');
    const nested = () => (this.takeIf('\\') ? this.#escapedValue(at) : this.take('a pattern that ends in an escape').codePointAt(0)!);
    if (character === 'M') {
      if (this.take('a pattern that ends in \\M') !== '-') throw this.error('\\M without a hyphen', at);
      return (nested() & 0xff) | 0x80;
    }
    if (character === 'C' || character === 'c') {
      if (character === 'C' && this.take('a pattern that ends in \\C') !== '-') throw this.error('\\C without a hyphen', at);
      return this.takeIf('?') ? 0x7f : nested() & 0x9f;
    }
    return CONTROLS[character] ?? character.codePointAt(0)!;
  }

  /** After \p{. */
  #property(at: number, inverted: boolean): { type: 'property'; name: string; negate: boolean; at: number } {
    const negate = this.takeIf('^') ? !inverted : inverted;
    const name = /[^}(){|]*/y;
    name.lastIndex = this.at;
    const text = name.exec(this.pattern)![0];
    this.at += text.length;
    if (!this.takeIf('}')) throw this.error('\\p{ without an end', at);
    if (!property(text)) throw this.error(`the property ${text} is not known`, at);
    return { type: 'property', name: text, negate, at };
  }

  /** The name of a group, behind `open`. */
  name(open: string): string {
    const at = this.at;
    const close = open === "'" ? "'" : '>';
    const end = this.pattern.indexOf(close, at);
    const text = this.pattern.slice(at, end);
    if (end < 0 || text.includes(')')) throw this.error('a name of a group without an end', at);
    if (text === '') throw this.error('an empty name of a group', at);
    // As in the reference, only the first character has to be one of a word.
    if (/^[-+0-9]/.test(text) || !isNameCharacter(text)) throw this.error(`an invalid name of a group, ${text}`, at);
    this.at += text.length + 1;
    return text;
  }

  /** What a reference refers to, behind `open`: a name, or a number, which may be relative; with a level, if these are allowed. */
  reference(open: string, mayHaveLevel: boolean): Reference {
    const at = this.at;
    const close = NAME_ENDS[open]!;
    const level = mayHaveLevel ? '([-+][0-9]+)?' : '()';
    const inside = mayHaveLevel ? "[^-+)>']" : `[^)${NAME_ENDS[open]}]`;
    const number = new RegExp(`([-+]?)([0-9]+)${level}${close}`, 'y');
    number.lastIndex = at;
    const numbered = number.exec(this.pattern);
    if (numbered) {
      this.at += numbered[0].length;
      const [, sign, digits, levels] = numbered;
      const value = Number(digits);
      if (value > HIGHEST_INT || Math.abs(Number(levels ?? 0)) > HIGHEST_INT) throw this.error('a number that is too big', at);
      if (sign !== '' && value === 0) throw this.error('a relative number of a group that is 0', at);
      const to = sign === '' ? value : sign === '-' ? this.groupCount + 1 - value : this.groupCount + value;
      return { to, level: levels ? Number(levels) : undefined };
    }
    const named = new RegExp(`(${inside}+)${level}${close}`, 'yu');
    named.lastIndex = at;
    const found = named.exec(this.pattern);
    const name = found?.[1] ?? '';
    if (!found || isDigit(name[0]) || !(mayHaveLevel ? Array.from(name) : [name]).every(isNameCharacter))
      throw this.error(this.pattern[at] === close.at(-1) ? 'an empty name of a group' : 'an invalid name of a group', at);
    this.at += found[0].length;
    return { to: name, level: found[2] ? Number(found[2]) : undefined };
  }

  /** The next token in a class. `afterRange`: a hyphen stands before it. */
  nextInClass(afterRange = false): ClassToken {
    const at = this.at;
    if (this.#sequenceBase > 0) {
      const code = this.#nextOfSequence(true);
      if (code === '-') return { type: 'range', at };
      if (code !== undefined) return { type: 'code', code, at };
    }
    const character = this.peek();
    if (character === undefined) return { type: 'end', at };
    this.at += character.length;
    if (character === ']') return { type: 'close', at };
    if (character === '-') return { type: 'range', at };
    if (character === '[') {
      const bracket = /:(\^?)([\p{Alphabetic}]*):\]/uy;
      bracket.lastIndex = this.at;
      const found = bracket.exec(this.pattern);
      if (!found || found[0] === '::]') return { type: 'open', at };
      if (!BRACKETS.includes(found[2]!)) throw this.error(`[:${found[2]}:] is not known`, at);
      this.at += found[0].length;
      return { type: 'bracket', name: found[2]!, negate: found[1] !== '', at };
    }
    if (character === '&' && this.takeIf('&')) return { type: 'and', at };
    if (character !== '\\') return { type: 'character', code: character.codePointAt(0)!, isEscaped: false, at };
    const after = this.at;
    const escaped = this.take('a pattern that ends with a backslash');
    const code = escaped.codePointAt(0)!;
    const literal = (): ClassToken => ({ type: 'character', code, isEscaped: true, at });
    if (/[wsdhWSDH]/.test(escaped)) {
      return { type: 'set', name: SETS[escaped.toLowerCase() as keyof typeof SETS], negate: escaped !== escaped.toLowerCase(), at };
    }
    if (escaped === 'p' || escaped === 'P') return this.takeIf('{') ? this.#property(at, escaped === 'P') : literal();
    if (escaped === 'x' || escaped === 'o' || escaped === 'u') return this.#numbered(at, escaped, true, afterRange) ?? literal();
    this.at = after;
    if (/[0-7]/.test(escaped)) {
      const byte = this.#digits(8, 3)!;
      if (byte > 0xff) throw this.error('a byte above 255', at);
      return { type: 'byte', code: byte, base: 8, at };
    }
    const value = this.#escapedValue(at);
    return value === code ? literal() : { type: 'code', code: value, at };
  }
}

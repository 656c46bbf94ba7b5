// The tokens of a pattern in Oniguruma's own syntax.

import { type CodePoints, complement, LAST_CODE_POINT } from './code-points.js';
import { bareWord, isWord, POSIX, posixBracket, property } from './properties.js';
import { type AssertionKind, PatternError, UnsupportedPattern } from './tree.js';

/** As in Oniguruma. */
const MAX_REPETITIONS = 100000;
const SETS: Readonly<Record<string, string>> = { w: 'word', s: 'space', d: 'digit', h: 'xdigit' };
const ASSERTIONS: Readonly<Record<string, AssertionKind>> = {
  A: 'text_start',
  z: 'text_end',
  Z: 'text_end_or_newline',
  G: 'search_start',
  b: 'word_boundary',
  B: 'no_word_boundary',
};
/** Outside a class, \b is an assertion. */
const CONTROLS: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, f: 12, a: 7, b: 8, e: 27, v: 11 };
/** Octal numbers and controls; outside a class also references by name, calls, \K, \N, \O and grapheme clusters. */
const UNSUPPORTED_IN_CLASS = /[0-7cCMo]/;
const UNSUPPORTED = /[0cCMNOogkKXyY]/;

export type Token = { at: number } & (
  | { type: 'end' | 'alternative' | 'open' | 'close' | 'class' | 'any' | 'newline' }
  | { type: 'character'; code: number }
  | { type: 'set'; set: CodePoints }
  | { type: 'assertion'; what: AssertionKind }
  | { type: 'repeat'; min: number; max: number; greedy: boolean; possessive: boolean }
  | { type: 'reference'; group: number }
);

/** A token inside a class, […]. */
export type ClassToken = { at: number } & (
  | { type: 'end' | 'close' | 'range' | 'and' | 'open' }
  | { type: 'character'; code: number; isEscaped: boolean }
  | { type: 'set'; set: CodePoints }
);

export class Tokens {
  /** Where reading continues. */
  at = 0;
  /** How many groups have been opened. */
  groupCount = 0;

  constructor(readonly pattern: string) {}

  /** The next character, without reading it; undefined at the end. */
  peek(): string | undefined {
    const code = this.pattern.codePointAt(this.at);
    return code === undefined ? undefined : String.fromCodePoint(code);
  }

  takeIf(text: string): boolean {
    if (!this.pattern.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  /** Reads what a sticky regular expression matches here. */
  takeMatch(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.at;
    const found = expression.exec(this.pattern) ?? undefined;
    this.at += found?.[0].length ?? 0;
    return found;
  }

  error(what: string, at: number): PatternError {
    return new PatternError(what, at);
  }

  unsupported(what: string, at: number): UnsupportedPattern {
    return new UnsupportedPattern(`${what}, which is not supported`, at);
  }

  next(): Token {
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
      case '|':
        return { type: 'alternative', at };
      case '(':
        return { type: 'open', at };
      case ')':
        return { type: 'close', at };
      case '[':
        return { type: 'class', at };
      case '^':
        return { type: 'assertion', what: 'line_start', at };
      case '$':
        return { type: 'assertion', what: 'line_end', at };
    }
    const interval = character === '{' ? this.#interval(at) : undefined;
    return interval ?? { type: 'character', code: character.codePointAt(0)!, at };
  }

  nextInClass(): ClassToken {
    const at = this.at;
    const character = this.peek();
    if (character === undefined) return { type: 'end', at };
    this.at += character.length;
    switch (character) {
      case ']':
        return { type: 'close', at };
      case '-':
        return { type: 'range', at };
      case '[': {
        const bracket = this.takeMatch(/:(?!:\])(\^?)(\p{Alphabetic}*):\]/uy);
        if (!bracket) return { type: 'open', at };
        const set = [...POSIX, 'ascii'].includes(bracket[2]!) ? posixBracket(bracket[2]!) : undefined;
        if (!set) throw this.error(`[:${bracket[2]}:] is not known`, at);
        return { type: 'set', set: bracket[1] ? complement(set) : set, at };
      }
      case '&':
        if (this.takeIf('&')) return { type: 'and', at };
        break;
      case '\\': {
        const escaped = this.#escaped(at);
        const set = this.#set(escaped, at, true);
        if (set) return { type: 'set', set, at };
        if (UNSUPPORTED_IN_CLASS.test(escaped)) throw this.unsupported(`\\${escaped} in a class`, at);
        return { type: 'character', code: this.#code(escaped, at), isEscaped: true, at };
      }
    }
    return { type: 'character', code: character.codePointAt(0)!, isEscaped: false, at };
  }

  /** The character behind a backslash. */
  #escaped(at: number): string {
    const character = this.peek();
    if (character === undefined) throw this.error('a pattern that ends with a backslash', at);
    this.at += character.length;
    return character;
  }

  #escape(at: number): Token {
    const escaped = this.#escaped(at);
    const set = this.#set(escaped, at, false);
    if (set) return { type: 'set', set, at };
    if (escaped === 'R') return { type: 'newline', at };
    const what = ASSERTIONS[escaped];
    if (what) return { type: 'assertion', what, at };
    if (/[1-9]/.test(escaped)) {
      const group = Number(escaped + this.takeMatch(/[0-9]*/y)![0]);
      if (group > 9 && group > this.groupCount) throw this.unsupported('an octal number', at);
      return { type: 'reference', group, at };
    }
    if (UNSUPPORTED.test(escaped)) throw this.unsupported(`\\${escaped}`, at);
    return { type: 'character', code: this.#code(escaped, at), at };
  }

  /** The set of \s, \p{…} and similar escapes; undefined for other escapes. */
  #set(escaped: string, at: number, inClass: boolean): CodePoints | undefined {
    const letter = escaped.toLowerCase();
    let name = SETS[letter];
    let negate = escaped !== letter;
    if (letter === 'p' && this.peek() === '{') {
      const found = this.takeMatch(/\{(\^?)([^}(){|]*)\}/y);
      if (!found) throw this.error('\\p{ without an end', at);
      name = found[2]!;
      negate = negate !== (found[1] === '^');
    }
    if (name === undefined) return undefined;
    const set = isWord(name) && !inClass ? bareWord() : property(name);
    if (!set) throw this.unsupported(`the property ${name}`, at);
    return negate ? complement(set) : set;
  }

  /** The code of a character: \n, \x41, \x{1F600}, \u00e9, or the character itself. */
  #code(escaped: string, at: number): number {
    if (escaped !== 'x' && escaped !== 'u') return CONTROLS[escaped] ?? escaped.codePointAt(0)!;
    const digits = this.takeMatch(escaped === 'u' ? /([0-9a-fA-F]{4})/y : /\{([0-9a-fA-F]{1,8})\}|([0-7][0-9a-fA-F]?)/y);
    const code = parseInt(digits?.[1] ?? digits?.[2] ?? '', 16);
    // A byte above \x7f is a part of a character.
    if (!(code <= LAST_CODE_POINT)) throw this.unsupported(`\\${escaped} without the code of a character`, at);
    return code;
  }

  #repeat(at: number, min: number, max: number): Token {
    const lazy = this.takeIf('?');
    const possessive = !lazy && this.takeIf('+');
    return { type: 'repeat', min, max, greedy: !lazy, possessive, at };
  }

  /** {n,m}; undefined if the brace is a character like others. */
  #interval(at: number): Token | undefined {
    const found = this.takeMatch(/(?!,?\})([0-9]*)(,?)([0-9]*)\}/y);
    if (!found) return undefined;
    const [, first, comma, second] = found;
    let min = Number(first);
    let max = comma === '' ? min : second === '' ? Infinity : Number(second);
    if (min > MAX_REPETITIONS || (max < Infinity && max > MAX_REPETITIONS)) {
      throw this.error(`a repetition of more than ${MAX_REPETITIONS} times`, at);
    }
    const possessive = min > max;
    if (possessive) [min, max] = [max, min];
    const lazy = !possessive && comma !== '' && this.takeIf('?');
    return { type: 'repeat', min, max, greedy: !lazy, possessive, at };
  }
}

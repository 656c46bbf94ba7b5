// Classes of characters, […], in Oniguruma's own syntax.

import { codePoints, complement, intersection, LAST_CODE_POINT, NONE, union, type CodePoints } from './code-points.js';
import { HIGHEST_IN_CLASS, type ClassToken, type Tokens } from './pattern-tokens.js';

/** A class that is being read. */
interface Members {
  set: CodePoints;
  /**
   * Bytes from 0x80 on, written as such (\x80). No character of UTF-8 is one, but in a negated class that names only single bytes,
   * Oniguruma compares the first byte of each character with them.
   */
  bytes: CodePoints;
  hasOnlyBytes: boolean;
}

/** A member that may begin a range. */
interface Value {
  code: number;
  isByte: boolean;
}

const members = (): Members => ({ set: NONE, bytes: NONE, hasOnlyBytes: true });

/** The set of a name, or of a POSIX bracket. */
type NamedSet = (name: string, isBracket: boolean) => CodePoints;

/** A class whose bracket has been read: what it names. If it is negated, it matches what is neither in the set nor excluded. */
export function readClass(tokens: Tokens, begin: number, deeper: () => void, named: NamedSet): Class {
  const { set, negated, bytes, hasOnlyBytes } = new ClassReader(tokens, deeper, named).read(begin);
  const hasBytes = hasOnlyBytes && bytes.length > 0;
  return { set, negated, hasBytes, excluded: negated && hasBytes ? union(...bytes.map(charactersOfHeads)) : NONE };
}

export interface Class {
  set: CodePoints;
  negated: boolean;
  excluded: CodePoints;
  /** It names bytes that are no characters, and no character beyond ASCII. */
  hasBytes: boolean;
}

class ClassReader {
  constructor(
    readonly tokens: Tokens,
    readonly deeper: () => void,
    readonly named: NamedSet,
  ) {}

  read(begin: number): Members & { negated: boolean } {
    const { tokens } = this;
    this.deeper();
    let token = tokens.nextInClass();
    const negated = token.type === 'character' && token.code === 0x5e && !token.isEscaped;
    if (negated) token = tokens.nextInClass();
    if (token.type === 'close') {
      if (!tokens.pattern.includes(']', tokens.at)) throw tokens.error('an empty class', begin);
      token = { type: 'character', code: 0x5d, isEscaped: false, at: token.at };
    }
    let conjunction: Members | undefined;
    let own = members();
    /** What stands before the next token: nothing, something that begins no range, a value, or a set such as \s. */
    let before: 'nothing' | 'other' | 'set' | Value = 'nothing';
    const close = () => {
      if (typeof before === 'object') addRange(own, before, before, token.at);
      conjunction = conjunction ? both(conjunction, own) : own;
      own = members();
    };
    const value = (next: Value) => {
      if (typeof before === 'object') addRange(own, before, before, token.at);
      before = next;
    };
    const addRange = (to: Members, first: Value, last: Value, at: number) => {
      if (first.code > last.code) throw tokens.error('a range of a class that ends before it begins', at);
      if (first.isByte && last.isByte) {
        if (last.code >= 0x80) to.bytes = union(to.bytes, [[Math.max(first.code, 0x80), last.code]]);
        if (first.code < 0x80) to.set = union(to.set, [[first.code, Math.min(last.code, 0x7f)]]);
      } else {
        to.hasOnlyBytes = false;
        const end = Math.min(last.code, 0xff);
        if (first.isByte !== last.isByte && end >= 0x80) to.bytes = union(to.bytes, [[Math.max(first.code, 0x80), end]]);
        if (first.code <= LAST_CODE_POINT) to.set = union(to.set, [[first.code, Math.min(last.code, LAST_CODE_POINT)]]);
      }
    };
    while (token.type !== 'close') {
      let following: ClassToken | undefined;
      switch (token.type) {
        case 'character':
          value({ code: token.code, isByte: token.code < 0x80 });
          break;
        case 'byte':
        case 'code':
          value(this.#valueOf(token));
          break;
        case 'bracket':
        case 'set':
        case 'property': {
          if (typeof before === 'object') addRange(own, before, before, token.at);
          const set = this.named(token.name, token.type === 'bracket');
          own.set = union(own.set, token.negate ? complement(set) : set);
          if (token.negate || set.at(-1)![1] >= 0x80) own.hasOnlyBytes = false;
          before = 'set';
          break;
        }
        case 'range': {
          const hyphen: Value = { code: 0x2d, isByte: true };
          if (before === 'nothing') {
            before = hyphen;
            break;
          }
          following = tokens.nextInClass(typeof before === 'object');
          if (following.type === 'close' || following.type === 'and') {
            value(hyphen);
          } else if (following.type === 'open' && typeof before === 'object') {
            // Neither what stands before the hyphen nor the hyphen is a member.
            before = 'other';
          } else if (before === 'set') {
            throw tokens.error('a range that begins with a set of characters', token.at);
          } else if (before === 'other') {
            value(hyphen);
          } else {
            const first: Value = before;
            const last = this.#endOfRange(following);
            addRange(own, first, last, token.at);
            before = 'other';
            following = undefined;
          }
          break;
        }
        case 'open': {
          if (typeof before === 'object') addRange(own, before, before, token.at);
          before = 'other';
          const inner = this.read(token.at);
          own = either(own, inner.negated ? inverted(inner) : inner);
          break;
        }
        case 'and':
          close();
          before = 'nothing';
          break;
        case 'end':
          throw tokens.error('a class without an end', begin);
      }
      token = following ?? tokens.nextInClass();
    }
    close();
    return { ...conjunction!, negated };
  }

  #endOfRange(token: ClassToken): Value {
    if (token.type === 'character') return { code: token.code, isByte: token.code < 0x80 };
    if (token.type === 'byte' || token.type === 'code') return this.#valueOf(token);
    if (token.type === 'range') return { code: 0x2d, isByte: true };
    if (token.type === 'end') throw this.tokens.error('a class without an end', token.at);
    throw this.tokens.error('a range that ends with a set of characters', token.at);
  }

  /** The value of a code, or of the bytes of a character. */
  #valueOf(token: ClassToken & { type: 'byte' | 'code' }): Value {
    const { tokens } = this;
    if (token.type === 'code') {
      if (token.code > HIGHEST_IN_CLASS) throw tokens.error('a code point that is too high', token.at);
      return { code: token.code, isByte: token.code < 0x80 };
    }
    const bytes = [token.code];
    const length = lengthOf(token.code);
    while (bytes.length < length) {
      const next = tokens.nextInClass();
      if (next.type !== 'byte' || next.base !== token.base) throw tokens.error('bytes that are no character', token.at);
      bytes.push(next.code);
    }
    if (length === 1) return { code: token.code, isByte: true };
    const code = codeOf(bytes);
    if (code === undefined) throw tokens.error('bytes that are no character', token.at);
    return { code, isByte: false };
  }
}

/** How many bytes a character has that begins with this one. */
export function lengthOf(byte: number): number {
  return byte < 0xc0 || byte >= 0xf5 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/** The code of bytes with a head and tails; undefined if they are others. */
export function codeOf([head, ...tails]: readonly number[]): number | undefined {
  if (!tails.every((byte) => byte >= 0x80 && byte < 0xc0)) return undefined;
  return tails.reduce((code, byte) => code * 64 + (byte & 0x3f), head! & (0x7f >> (tails.length + 1)));
}

function charactersOfHeads([first, last]: readonly [number, number]): CodePoints {
  const ranges: [number, number][] = [];
  for (let head = Math.max(first, 0xc2); head <= Math.min(last, 0xf4); ++head) {
    const tails = lengthOf(head) - 1;
    const begin = (head & (0x7f >> (tails + 1))) * 64 ** tails;
    const least = [0x80, 0x800, 0x10000][tails - 1]!;
    ranges.push([Math.max(begin, least), Math.min(begin + 64 ** tails - 1, LAST_CODE_POINT)]);
  }
  return codePoints(...ranges);
}

function either(a: Members, b: Members): Members {
  return { set: union(a.set, b.set), bytes: union(a.bytes, b.bytes), hasOnlyBytes: a.hasOnlyBytes && b.hasOnlyBytes };
}

/** Where no character beyond ASCII is left, Oniguruma compares bytes again. */
function both(a: Members, b: Members): Members {
  const set = intersection(a.set, b.set);
  return { set, bytes: intersection(a.bytes, b.bytes), hasOnlyBytes: (set.at(-1)?.[1] ?? 0) < 0x80 };
}

function inverted({ set, bytes }: Members): Members {
  return { set: complement(set), bytes: intersection(complement(bytes), [[0x80, 0xff]]), hasOnlyBytes: false };
}

// Classes of characters, […], in Oniguruma's own syntax.

import { type CodePoints, complement, intersection, NONE, union } from './code-points.js';
import type { ClassToken, Tokens } from './pattern-tokens.js';

/** What a class names, and whether it matches everything else instead. */
export interface CharacterClass {
  set: CodePoints;
  negated: boolean;
}

/** Reads a class whose bracket, at `begin`, has been read. */
export function readClass(tokens: Tokens, begin: number): CharacterClass {
  let token = tokens.nextInClass();
  const negated = token.type === 'character' && token.code === 0x5e && !token.isEscaped;
  if (negated) token = tokens.nextInClass();
  if (token.type === 'close') {
    if (!tokens.pattern.includes(']', tokens.at)) throw tokens.error('an empty class', begin);
    token = { type: 'character', code: 0x5d, isEscaped: false, at: token.at };
  }
  let conjunction: CodePoints | undefined;
  let set = NONE;
  /** What stands before the next token: nothing, a character, a set such as \s, or something else that begins no range. */
  let before = 'nothing' as 'nothing' | 'set' | 'other' | number;
  const add = (first: number, last = first) => (set = union(set, [[first, last]]));
  const putCharacter = (code: number | undefined, next: typeof before = 'other') => {
    if (typeof before === 'number') add(before);
    before = code ?? next;
  };
  const close = () => {
    putCharacter(undefined, 'nothing');
    conjunction = conjunction ? intersection(conjunction, set) : set;
    set = NONE;
  };
  while (token.type !== 'close') {
    let following: ClassToken | undefined;
    switch (token.type) {
      case 'character':
        putCharacter(token.code);
        break;
      case 'set':
        putCharacter(undefined, 'set');
        set = union(set, token.set);
        break;
      case 'range':
        if (before === 'nothing') {
          before = HYPHEN;
          break;
        }
        following = tokens.nextInClass();
        if (following.type === 'close' || following.type === 'and') putCharacter(HYPHEN);
        else if (following.type === 'open' && typeof before === 'number') {
          // Neither what stands before the hyphen nor the hyphen is a member.
          before = 'other';
        } else if (before === 'set') throw tokens.error('a range that begins with a set of characters', token.at);
        else if (before === 'other') putCharacter(HYPHEN);
        else {
          const last = endOfRange(tokens, following);
          if (before > last) throw tokens.error('a range of a class that ends before it begins', token.at);
          add(before, last);
          before = 'other';
          following = undefined;
        }
        break;
      case 'open': {
        putCharacter(undefined);
        const inner = readClass(tokens, token.at);
        set = union(set, inner.negated ? complement(inner.set) : inner.set);
        break;
      }
      case 'and':
        close();
        break;
      case 'end':
        throw tokens.error('a class without an end', begin);
    }
    token = following ?? tokens.nextInClass();
  }
  close();
  return { set: conjunction!, negated };
}

const HYPHEN = 0x2d;

function endOfRange(tokens: Tokens, token: ClassToken): number {
  if (token.type === 'character') return token.code;
  if (token.type === 'range') return HYPHEN;
  throw tokens.error(token.type === 'end' ? 'a class without an end' : 'a range that ends with a set of characters', token.at);
}

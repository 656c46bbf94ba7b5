// Which word each token is of: the piece of the pretokenizer, or the added token, counted from the beginning of the text.
//
// The engine says which part of the text the piece of a token is. Two pieces may be of the same part where a normalizer makes several
// characters of one, so where the model marks its words, the tokens themselves decide. What neither decides is an error, not a guess.

import type { ModelClass } from '../import/model-class.js';
import type { Range } from './lengths.js';

/** What is known of a token. */
export interface WordToken {
  name: string;
  isAdded: boolean;
  isUnknown: boolean;
}

export interface WordsOf {
  tokens: readonly WordToken[];
  /** The part of the text that each token's piece is. */
  pieces(): readonly Range[];
  /** The characters that a token decodes to; the bytes of a part of one. */
  bytesOf(index: number): Uint8Array;
}

export interface WordRule {
  model: ModelClass;
  /** The name of the pretokenizer in the engine. */
  scanner: string;
  isNormalized: boolean;
  /** Of WordPiece. */
  prefix: string;
  /** Whether text that is no token becomes one, so that no piece is without. */
  hasUnknown: boolean;
  hasMark: boolean;
}

const MARK = '\u2581';

/** The word of each token. Throws an Error where the file and the text do not decide it. */
export function wordsOf(rule: WordRule, text: WordsOf): number[] {
  if (!rule.hasUnknown) throw undecided('the vocabulary leaves out characters that are no token, and with them words');
  const { tokens } = text;
  if (rule.model === 'wordlevel') return tokens.map((_, index) => index);
  if (rule.model === 'wordpiece') return counted(tokens, ({ name, isUnknown }) => isUnknown || !name.startsWith(rule.prefix));
  if (rule.scanner === 'none') return counted(tokens, () => false);
  if (rule.scanner === 'metaspace') {
    if (!rule.hasMark) throw undecided(`${MARK} alone is no token`);
    return counted(tokens, ({ name }) => name.startsWith(MARK));
  }
  return ofPieces(rule, text);
}

/** A word begins at an added token, behind one, and where `begins` says so. */
function counted(tokens: readonly WordToken[], begins: (token: WordToken) => boolean): number[] {
  let word = -1;
  return tokens.map((token, index) => {
    const before = tokens[index - 1];
    return before === undefined || token.isAdded || before.isAdded || begins(token) ? ++word : word;
  });
}

function ofPieces(rule: WordRule, { tokens, pieces, bytesOf }: WordsOf): number[] {
  const parts = pieces();
  let word = -1;
  let begin = 0;
  return tokens.map((token, index) => {
    const [start, end] = parts[index]!;
    const before = parts[index - 1];
    if (before?.[0] !== start || before[1] !== end || token.isAdded || tokens[index - 1]!.isAdded) {
      begin = index;
      return ++word;
    }
    if (rule.isNormalized && !isOneCharacter(tokens, begin, index, bytesOf) && end - start <= LONGEST_CHARACTER) {
      throw undecided('a normalizer makes several characters of one, which may be of several words');
    }
    return word;
  });
}

/** Of UTF-8. A longer part of a text is of several characters, and no two pieces are of the same ones. */
const LONGEST_CHARACTER = 4;

/** Whether all tokens from `begin` to `index` are within one character. */
function isOneCharacter(tokens: readonly WordToken[], begin: number, index: number, bytesOf: (index: number) => Uint8Array): boolean {
  let beginnings = 0;
  for (let at = begin; at <= index; at++) {
    if (tokens[at]!.isUnknown) return false;
    for (const byte of bytesOf(at)) if ((byte & 0xc0) !== 0x80) beginnings++;
  }
  return beginnings <= 1;
}

function undecided(why: string): Error {
  return new Error(`cannot tell the words of the tokens: ${why}`);
}

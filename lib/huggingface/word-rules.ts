// Which word each token is of: the piece of the pretokenizer, or the added token, counted from the beginning of the text.
//
// Where the model marks its words, the tokens decide. Otherwise the engine says which part of the text the piece of a token is, unless
// a normalizer comes before: then parts of the text may be of several pieces. What neither decides is an error, not a guess.

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
  if (rule.isNormalized) throw undecided('a normalizer changes texts before they are split into words that no token marks');
  return ofPieces(text);
}

/** A word begins at an added token, behind one, and where `begins` says so. */
function counted(tokens: readonly WordToken[], begins: (token: WordToken) => boolean): number[] {
  let word = -1;
  return tokens.map((token, index) => {
    const before = tokens[index - 1];
    return before === undefined || token.isAdded || before.isAdded || begins(token) ? ++word : word;
  });
}

function ofPieces({ tokens, pieces }: WordsOf): number[] {
  const parts = pieces();
  let word = -1;
  return tokens.map((token, index) => {
    const [start, end] = parts[index]!;
    const before = parts[index - 1];
    const isSame = before?.[0] === start && before[1] === end && !token.isAdded && !tokens[index - 1]!.isAdded;
    return isSame ? word : ++word;
  });
}

/** Why there are no words. */
export function undecided(why: string): Error {
  return new Error(`cannot tell the words of the tokens: ${why}`);
}

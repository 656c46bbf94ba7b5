// Patterns instead of the name of a pretokenizer.

import type { Split } from '../patterns/compile-pattern.js';
import { outOfRange, unexpected } from '../base/errors.js';
import { checkOptionNames, optionNames } from '../base/options.js';

/**
 * A pattern that text is split by, as `Split` in a `tokenizer.json`: a regular expression of Oniguruma, as Hugging Face
 * tokenizers read it.
 *
 * @example
 * ```ts
 * const digits: SplitPattern = { pattern: String.raw`\p{N}` };
 * const words: SplitPattern = { pattern: String.raw`\s+`, behavior: 'MergedWithNext' };
 * const trained = await trainBpe('in 2026, in 1999', { vocabularySize: 260, pretokenizer: [digits, words] });
 * using tokenizer = await Tokenizer.load(await trained.toCartridge());
 * tokenizer.encode('in 2026').length; // 6
 * ```
 */
export interface SplitPattern {
  /**
   * The regular expression. Not supported are lookbehind, lookahead of more than one character, backreferences, subroutines,
   * anchors but `$` and `\\z`, `\\K`, `\\R`, `\\X`, and what has no small automaton that reads a text once.
   */
  pattern: string;
  /**
   * What becomes of matches: `'Isolated'` (default): each is a piece, and so is what lies between two of them;
   * `'MergedWithPrevious'` and `'MergedWithNext'`: each is one piece with what lies before or after it; `'Contiguous'`:
   * those next to each other are one piece; `'Removed'`: as isolated, if no text is dropped.
   */
  behavior?: 'Isolated' | 'Removed' | 'MergedWithPrevious' | 'MergedWithNext' | 'Contiguous' | undefined;
  /** Treat what lies between matches as matches, and matches as what lies between. Default false. */
  invert?: boolean | undefined;
}

const NAMES = optionNames<SplitPattern>({ pattern: true, behavior: true, invert: true });
const BEHAVIORS: readonly unknown[] = ['Isolated', 'Removed', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'];
const MOST_PATTERNS = 4;

/**
 * Whether a text is a pattern, and no name: it has a character that means something in one. A pattern without such is a
 * {@link SplitPattern}.
 */
export function isPattern(text: string): boolean {
  return /[\\^$.|?*+()[\]{}]/.test(text);
}

/** Patterns as plain data, copied. Throws a TypeError or RangeError for what is wrong. `name`: of the option. */
export function splitsOf(given: object, name: string): Split[] {
  if (!Array.isArray(given)) return [splitOf(given, name)];
  const list = [...(given as unknown[])];
  if (list.length === 0 || list.length > MOST_PATTERNS) throw outOfRange(`1 to ${MOST_PATTERNS} patterns`, name, given);
  return list.map((each, index) => splitOf(each, `${name}[${index}]`));
}

function splitOf(given: unknown, name: string): Split {
  checkOptionNames(given, NAMES, name);
  const { pattern, behavior = 'Isolated', invert = false } = given as SplitPattern;
  if (typeof pattern !== 'string') throw unexpected('a string', `${name}.pattern`, pattern);
  if (!BEHAVIORS.includes(behavior)) throw unexpected(`one of ${BEHAVIORS.join(', ')}`, `${name}.behavior`, behavior);
  if (typeof invert !== 'boolean') throw unexpected('a boolean', `${name}.invert`, invert);
  return { pattern, behavior, invert };
}

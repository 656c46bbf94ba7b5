// Patterns, as an alternative to a pretokenizer's name.

import type { Split } from '../patterns/compile-pattern.js';
import { outOfRange, unexpected } from '../../base/errors.js';
import { checkOptionNames, optionNames } from '../../base/option-objects.js';

/**
 * A pattern to split text by, like `Split` in a `tokenizer.json`: an Oniguruma regular expression, as Hugging Face
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
   * The regular expression. Unsupported: lookbehind, lookahead of more than one character, backreferences, anchors except `$` and
   * `\\z`, and anything without a small automaton that reads a text once.
   */
  pattern: string;
  /**
   * How matches become pieces: `'Isolated'` (default): each match is a piece, and so is the text between two;
   * `'MergedWithPrevious'` and `'MergedWithNext'`: each match joins the text before or after it; `'Contiguous'`:
   * adjacent matches form one piece; `'Removed'`: like isolated, provided no text is dropped.
   */
  behavior?: 'Isolated' | 'Removed' | 'MergedWithPrevious' | 'MergedWithNext' | 'Contiguous' | undefined;
  /** Swap matches and the text between them. Default false. */
  invert?: boolean | undefined;
}

const NAMES = optionNames<SplitPattern>({ pattern: true, behavior: true, invert: true });
const BEHAVIORS: readonly unknown[] = ['Isolated', 'Removed', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'];
const MOST_PATTERNS = 4;

/**
 * Whether a text is a pattern rather than a name: it contains a character with a special meaning in patterns. A pattern
 * without one must be a {@link SplitPattern}.
 */
export function isPattern(text: string): boolean {
  return /[\\^$.|?*+()[\]{}]/.test(text);
}

/** Patterns copied to plain data. Throws a TypeError or RangeError for invalid ones. `name`: the option's. */
export function splitsOf(patterns: object, name: string): Split[] {
  if (!Array.isArray(patterns)) return [splitOf(patterns, name)];
  const list = [...(patterns as unknown[])];
  if (list.length === 0 || list.length > MOST_PATTERNS) throw outOfRange(`1 to ${MOST_PATTERNS} patterns`, name, patterns);
  return list.map((each, index) => splitOf(each, `${name}[${index}]`));
}

function splitOf(split: unknown, name: string): Split {
  checkOptionNames(split, NAMES, name);
  const { pattern, behavior = 'Isolated', invert = false } = split as SplitPattern;
  if (typeof pattern !== 'string') throw unexpected('a string', `${name}.pattern`, pattern);
  if (!BEHAVIORS.includes(behavior)) throw unexpected(`one of ${BEHAVIORS.join(', ')}`, `${name}.behavior`, behavior);
  if (typeof invert !== 'boolean') throw unexpected('a boolean', `${name}.invert`, invert);
  return { pattern, behavior, invert };
}

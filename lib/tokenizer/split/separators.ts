// The option `separators`: which cuts a text has.

import { outOfRange, unexpected } from '../../base/errors.js';
import { type Boundary, line, paragraph, sentence, separator, word, wordEdge } from './boundaries.js';
import { CodeCuts } from './code.js';
import { type Cuts, LeveledCuts } from './cuts.js';
import { MarkdownCuts } from './markdown.js';
import type { Units } from './units.js';

/**
 * Where parts of a text are cut: see `separators` of {@link SplitOptions}.
 *
 * @example
 * ```ts
 * const separators: Separators = ['\n\n', '\n', ' '];
 * tokenizer.split('one two\n\nthree four', { maxTokens: 4, separators }); // ['one two\n\n', 'three four']
 * ```
 */
export type Separators = 'text' | 'markdown' | 'code' | readonly string[];

/** Makes the cuts of a text. */
export type CutsOf = (text: Units, isBytes: boolean) => Cuts;

const TEXT = [paragraph, sentence, line, word, wordEdge];

/** Undefined if a text may be cut at any token boundary. */
export function checkedSeparators(separators: unknown): CutsOf | undefined {
  switch (separators) {
    case undefined:
      return undefined;
    case 'text':
      return (text) => new LeveledCuts(text, TEXT);
    case 'markdown':
      return (text) => new MarkdownCuts(text);
    case 'code':
      return (text) => new CodeCuts(text);
  }
  if (!Array.isArray(separators)) throw unexpected("'text', 'markdown', 'code' or a list of strings", 'separators', separators);
  const list = listed(separators);
  return (text, isBytes) => new LeveledCuts(text, [...list.map((each) => separator(each, isBytes)), word, wordEdge] satisfies Boundary[]);
}

/** An empty string may come last, as in LangChain, where it means a cut anywhere: the last resort here too. */
function listed(separators: readonly unknown[]): string[] {
  const list: string[] = [];
  const { length } = separators;
  for (let index = 0; index < length; index++) {
    const each = separators[index];
    if (typeof each !== 'string') throw unexpected('a string', `separators[${index}]`, each);
    if (each !== '') list.push(each);
    else if (index < length - 1) throw outOfRange('a string that is not empty', `separators[${index}]`, each);
  }
  return list;
}

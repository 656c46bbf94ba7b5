// Where programs are cut: between the blocks shown by indentation and blank lines, in any language.
//
//   1  a blank line, then a line that is not indented        4  a blank line, then one that is indented further
//   2  not indented, behind a line that is, or that closes   5  less indented than the line before, or behind a line
//   3  a blank line, then a line of the first indentation       that closes a block
//                                                            6  any line
//
// A line that closes a block, or continues one (`else`), belongs to the part before: it is rank 6.

import { followsBlankLine, pastBlanks, wordEdge, word } from './boundaries.js';
import { isLineBreak, isLineStart } from './characters.js';
import { atLevels, type Cuts, inOrder, type Ranked } from './cuts.js';
import { holdsAt, type Units, unitsOf } from './units.js';

const INSIDE_LINES = [word, wordEdge];
const TAB = 4;
const FIRST_INDENTATION = 4;
/** Keywords that continue the block above them. */
const CONTINUING = ['end', 'else', 'elif', 'except', 'finally', 'catch', 'rescue', 'ensure'].map((word) => unitsOf(word, true));

/** Where a program is cut. */
export class CodeCuts implements Cuts {
  readonly #text: Units;

  constructor(text: Units) {
    this.#text = text;
  }

  *between(from: number, to: number): Generator<number> {
    const text = this.#text;
    const cuts: Ranked[] = [];
    for (let at = Math.min(from, to); at <= Math.max(from, to); at++) {
      if (!isLineStart(text.unit(at - 1), text.unit(at))) continue;
      const rank = rankOfLine(text, at);
      if (rank > 0) cuts.push({ at, rank });
    }
    yield* inOrder(cuts, from <= to);
    yield* atLevels(text, INSIDE_LINES, from, to);
  }
}

/** The strength of the boundary before a line; 0 (no boundary) before an empty line. */
function rankOfLine(text: Units, lineStart: number): number {
  const content = pastBlanks(text, lineStart);
  if (content >= text.length || isLineBreak(text.unit(content))) return 0;
  if (closes(text, content)) return 6;
  const indentation = indentationOf(text, lineStart, content);
  if (followsBlankLine(text, lineStart)) return indentation === 0 ? 1 : indentation <= FIRST_INDENTATION ? 3 : 4;
  const before = startOfLineBefore(text, lineStart);
  const contentBefore = pastBlanks(text, before);
  const indentationBefore = indentationOf(text, before, contentBefore);
  const isBehindBlock = indentationBefore > indentation || (closes(text, contentBefore) && indentationBefore === indentation);
  if (!isBehindBlock) return 6;
  return indentation === 0 ? 2 : 5;
}

function indentationOf(text: Units, lineStart: number, content: number): number {
  let columns = 0;
  for (let at = lineStart; at < content; at++) columns += text.unit(at) === 0x09 ? TAB : 1;
  return columns;
}

/** Whether a line begins with a closing bracket, or with a word that continues a block. */
function closes(text: Units, content: number): boolean {
  const unit = text.unit(content);
  if (unit === 0x29 || unit === 0x5d || unit === 0x7d) return true;
  return CONTINUING.some((word) => holdsAt(text, word, content) && !isLetterOrDigit(text.unit(content + word.length)));
}

function isLetterOrDigit(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a) || unit === 0x5f || unit >= 0x80;
}

function startOfLineBefore(text: Units, lineStart: number): number {
  let at = lineStart - 1;
  if (text.unit(at) === 0x0a && text.unit(at - 1) === 0x0d) at--;
  while (at > 0 && !isLineBreak(text.unit(at - 1))) at--;
  return at;
}

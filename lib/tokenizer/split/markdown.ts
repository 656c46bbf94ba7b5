// Where Markdown is cut: before headings, between blocks, before list items and table rows; paragraphs are cut like
// other text. Fenced code and tables stay whole if they fit.
//
// Lines are read once, front to back, as far as cuts are asked for. Of CommonMark, only the start of blocks matters. A
// heading is never separated from the text it heads.

import { line, paragraph, pastBlanks, sentence, word, wordEdge } from './boundaries.js';
import { isAsciiBlank, isDigit, isLineBreak } from './characters.js';
import { atLevels, type Block, type Cuts, inOrder, type LedBlock, type Ranked } from './cuts.js';
import type { Units } from './units.js';

/** Ranks 1 to 6 belong to headings. */
const BLOCK = 7;
const ITEM = 8;
const NESTED = 9;
const ROW = 10;

const IN_PARAGRAPHS = [sentence, line, word, wordEdge];
const IN_FENCES = [paragraph, line, word, wordEdge];
const TAB = 4;
/** How many cuts that will not be asked for again are kept before all of them are dropped. */
const MOST_OLD = 4096;

const BACKTICK = 0x60;
const TILDE = 0x7e;
const HASH = 0x23;
const PIPE = 0x7c;
const DASH = 0x2d;
const EQUALS = 0x3d;

type Kind = 'none' | 'heading' | 'table' | 'text';

interface Fence {
  start: number;
  mark: number;
  /** How many marks open it; at least as many close it. */
  count: number;
}

/** A line; its end is after its line break. */
interface Line {
  start: number;
  /** Its first non-blank unit; the line break's if the line is empty. */
  content: number;
  end: number;
  indentation: number;
}

/** Where Markdown is cut. */
export class MarkdownCuts implements Cuts {
  readonly #text: Units;
  /** Everything before this position has been read. */
  #read = 0;
  #cuts: Ranked[] = [];
  /** Fences and tables that have ended. */
  #blocks: (LedBlock & { isFence: boolean })[] = [];
  /** Headings, up to the text below them; never cut inside. The end of the last one may not be known yet. */
  #headings: Block[] = [];
  #fence: Fence | undefined;
  #tableStart = 0;
  /** The kind of the previous non-empty line. */
  #kind: Kind = 'none';
  #lineBefore = 0;
  /** Whether a block has ended before the next line. */
  #isApart = false;
  #isInList = false;

  constructor(text: Units) {
    this.#text = text;
  }

  *between(from: number, to: number): Generator<number> {
    const low = Math.min(from, to);
    const high = Math.max(from, to);
    this.#readTo(high);
    this.#readLine(); // an underline makes the line before it a heading
    const first = firstWith(this.#cuts, ({ at }) => at >= low);
    const end = firstWith(this.#cuts, ({ at }) => at > high);
    yield* inOrder(this.#cuts.slice(first, end), from <= to);
    // Between these cuts, the text is a single paragraph or fence.
    const levels = this.#isInFence(from) ? IN_FENCES : IN_PARAGRAPHS;
    for (const at of atLevels(this.#text, levels, from, to)) if (!this.#isBelowHeading(at)) yield at;
  }

  blockAround(at: number): LedBlock | undefined {
    this.#readTo(at);
    while ((this.#fence || this.#kind === 'table') && this.#read < this.#text.length) this.#readLine();
    const block = this.#blocks[firstWith(this.#blocks, ({ end }) => end > at)];
    return block && block.start < at ? block : undefined;
  }

  forget(before: number): void {
    const old = firstWith(this.#cuts, ({ at }) => at >= before);
    if (old <= MOST_OLD) return;
    this.#cuts = this.#cuts.slice(old);
    this.#blocks = this.#blocks.slice(firstWith(this.#blocks, ({ end }) => end >= before));
    this.#headings = this.#headings.slice(firstWith(this.#headings, ({ end }) => end >= before));
  }

  #isBelowHeading(at: number): boolean {
    const heading = this.#headings[firstWith(this.#headings, ({ end }) => end >= at)];
    return heading !== undefined && heading.start < at;
  }

  #isInFence(at: number): boolean {
    if (this.#fence) return at > this.#fence.start;
    const block = this.#blocks[firstWith(this.#blocks, ({ end }) => end > at)];
    return block?.isFence === true && at > block.start;
  }

  #readTo(at: number): void {
    while (this.#read <= at && this.#read < this.#text.length) this.#readLine();
  }

  #readLine(): void {
    const text = this.#text;
    if (this.#read >= text.length) return;
    const line = lineAt(text, this.#read);
    this.#read = line.end;
    this.#addLine(line);
    if (line.end < text.length) return;
    // The end of the text closes anything open.
    if (this.#fence) this.#endBlock(this.#fence.start, line.end, true);
    else if (this.#kind === 'table') this.#endBlock(this.#tableStart, line.end, false);
    this.#fence = undefined;
  }

  #addLine(line: Line): void {
    const text = this.#text;
    const { start, content } = line;
    if (this.#fence) {
      if (!closesFence(text, line, this.#fence)) return;
      this.#endBlock(this.#fence.start, line.end, true);
      this.#fence = undefined;
      this.#kind = 'text';
      this.#isApart = true;
      return;
    }
    if (this.#kind === 'table' && text.unit(content) !== PIPE) {
      this.#endBlock(this.#tableStart, start, false);
      this.#kind = 'text';
      this.#isApart = true;
    }
    if (content === line.end || isLineBreak(text.unit(content))) {
      this.#isApart = true;
      return;
    }
    const isApart = this.#isApart;
    const kind = this.#kind;
    this.#isApart = false;
    this.#kind = 'text';
    if (kind === 'heading') (this.#headings.at(-1) as Block).end = start;
    this.#fence = opensFence(text, line);
    if (this.#fence) this.#add(start, BLOCK, kind);
    else if (text.unit(content) === PIPE) {
      if (kind !== 'table') this.#tableStart = start;
      this.#add(start, kind === 'table' ? ROW : BLOCK, kind);
      this.#kind = 'table';
    } else this.#addTextLine(line, kind, isApart);
    this.#lineBefore = start;
  }

  #addTextLine(line: Line, kind: Kind, isApart: boolean): void {
    const text = this.#text;
    const { start, indentation } = line;
    const level = headingLevel(text, line);
    const mark = ruleMark(text, line);
    if (level > 0) {
      // Titles without text are separated only if nothing stronger is.
      this.#add(start, kind === 'heading' ? ROW : level, 'none');
      this.#headings.push({ start, end: Infinity });
      this.#kind = 'heading';
      this.#isInList = false;
    } else if ((mark === EQUALS || mark === DASH) && kind === 'text' && !isApart) {
      if (this.#cuts.at(-1)?.at === this.#lineBefore) this.#cuts.pop();
      this.#add(this.#lineBefore, mark === EQUALS ? 1 : 2, 'none');
      this.#headings.push({ start: this.#lineBefore, end: Infinity });
      this.#kind = 'heading';
    } else if (mark >= 0 && mark !== EQUALS) {
      this.#add(start, BLOCK, kind);
      this.#isApart = true;
    } else if (isItem(text, line)) {
      this.#add(start, indentation <= 1 ? ITEM : NESTED, kind);
      this.#isInList = true;
    } else if (isApart) {
      const isContinued = this.#isInList && indentation >= 2;
      this.#add(start, isContinued ? NESTED : BLOCK, kind);
      this.#isInList = isContinued;
    }
  }

  /** Adds a cut, unless it follows a heading. */
  #add(at: number, rank: number, before: Kind): void {
    if (at > 0 && before !== 'heading') this.#cuts.push({ at, rank });
  }

  #endBlock(start: number, end: number, isFence: boolean): void {
    const heading = this.#headings.at(-1);
    this.#blocks.push({ start, end, isFence, lead: heading?.end === start ? heading.start : start });
  }
}

function lineAt(text: Units, start: number): Line {
  const content = pastBlanks(text, start);
  let indentation = 0;
  for (let at = start; at < content; at++) indentation += text.unit(at) === 0x09 ? TAB : 1;
  let end = content;
  while (end < text.length && !isLineBreak(text.unit(end))) end++;
  if (text.unit(end) === 0x0d && text.unit(end + 1) === 0x0a) end++;
  return { start, content, end: Math.min(end + 1, text.length), indentation };
}

/** The number of `mark` units in a row from `at` on. */
function runOf(text: Units, mark: number, at: number): number {
  let end = at;
  while (text.unit(end) === mark) end++;
  return end - at;
}

function opensFence(text: Units, { start, content, end }: Line): Fence | undefined {
  const mark = text.unit(content);
  if (mark !== BACKTICK && mark !== TILDE) return undefined;
  const count = runOf(text, mark, content);
  if (count < 3) return undefined;
  // ```code``` is a span.
  for (let at = content + count; mark === BACKTICK && at < end; at++) if (text.unit(at) === BACKTICK) return undefined;
  return { start, mark, count };
}

function closesFence(text: Units, { content }: Line, { mark, count }: Fence): boolean {
  const marks = runOf(text, mark, content);
  if (marks < count) return false;
  const after = text.unit(pastBlanks(text, content + marks));
  return after < 0 || isLineBreak(after);
}

/** 1 to 6; 0 if it is not a heading. */
function headingLevel(text: Units, { content, indentation }: Line): number {
  if (indentation >= 4) return 0;
  const level = runOf(text, HASH, content);
  const after = text.unit(content + level);
  return level <= 6 && (after < 0 || isAsciiBlank(after) || isLineBreak(after)) ? level : 0;
}

/** The mark of a line that consists only of it, a thematic break or a heading's underline; -1 for other lines. */
function ruleMark(text: Units, { content, end }: Line): number {
  const mark = text.unit(content);
  if (mark !== DASH && mark !== EQUALS && mark !== 0x2a && mark !== 0x5f) return -1;
  let marks = 0;
  for (let at = content; at < end; at++) {
    const unit = text.unit(at);
    if (unit === mark) marks++;
    else if (!isAsciiBlank(unit) && !isLineBreak(unit)) return -1;
  }
  return marks >= 3 ? mark : -1;
}

/** Whether a line begins with a list marker: `-`, `*`, `+`, `1.` or `1)`. */
function isItem(text: Units, { content }: Line): boolean {
  let at = content;
  const mark = text.unit(at);
  if (mark === DASH || mark === 0x2a || mark === 0x2b) at++;
  else {
    while (isDigit(text.unit(at)) && at < content + 9) at++;
    if (at === content || (text.unit(at) !== 0x2e && text.unit(at) !== 0x29)) return false;
    at++;
  }
  const after = text.unit(at);
  return after < 0 || isAsciiBlank(after) || isLineBreak(after);
}

/** The index of the first element of a sorted list for which `holds` is true; the length if there is none. */
function firstWith<T>(list: readonly T[], holds: (element: T) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(list[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}

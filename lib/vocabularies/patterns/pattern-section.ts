// Compiled pretokenizers, each splitting the previous one's pieces, as a cartridge section (cartridges/FORMAT.md §11).

import { ACCEPT, START, STOP } from './automaton.js';
import { LAST_CODE_POINT } from './code-points.js';
import { type CompiledSplit, compileSplit, type Cuts, type Split } from './compile-pattern.js';
import { NESTED, PatternError } from './tree.js';
import { mayRestart } from './restarts.js';

export const MOST_PATTERNS = 4;
const HEAD = 64;
const DROPPED = 24;
const BLOCK = 128;

/**
 * The bytes of the section; throws PatternError for pretokenizers that the engine cannot follow. `mayBeInner`: patterns that
 * split earlier ones' matches split pieces during encoding.
 */
export function patternSection(splits: readonly CompiledSplit[], mayBeInner = false): Uint8Array {
  if (splits.length === 0 || splits.length > MOST_PATTERNS) throw new PatternError(`${splits.length} patterns, one after the other`);
  let outer = splits.length;
  while (!mayRestart(splits.slice(0, outer))) outer--;
  if (outer < splits.length && !mayBeInner) throw new PatternError('a pattern whose matches are split by a later one');
  const isLast = (index: number) => index === outer - 1 || index === splits.length - 1;
  const each = splits.map((split, index) => patternBytes(split, isLast(index), index >= outer));
  const section = new Uint8Array(each.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const bytes of each) {
    section.set(bytes, at);
    at += bytes.length;
  }
  return section;
}

function patternBytes(split: CompiledSplit, isLast: boolean, isInner: boolean): Uint8Array {
  const { runs, classCount, stateCount, table } = split.automaton;
  const dropped = droppedClasses(split);
  const cuts = isLast ? cutsOfLast(split) : split.cuts;

  const classes = new Uint8Array(LAST_CODE_POINT + 1);
  for (const [index, [first, number]] of runs.entries()) classes.fill(number, first, runs[index + 1]?.[0]);
  const blocks: Uint8Array[] = [];
  const numbers = new Map<string, number>();
  let run = 0;
  const blockOf = Uint16Array.from({ length: classes.length / BLOCK }, (_, index) => {
    const block = classes.subarray(index * BLOCK, (index + 1) * BLOCK);
    while (runs[run + 1] !== undefined && runs[run + 1]![0] <= index * BLOCK) run++;
    // Almost all blocks have a single class.
    const isOfOne = (runs[run + 1]?.[0] ?? Infinity) >= (index + 1) * BLOCK;
    const key = isOfOne ? String.fromCharCode(block[0]!).repeat(BLOCK) : String.fromCharCode.apply(null, block as unknown as number[]);
    if (!numbers.has(key)) numbers.set(key, blocks.push(block) - 1);
    return numbers.get(key)!;
  });

  const rowLength = 2 ** Math.ceil(Math.log2(classCount + 1));
  const align = (at: number) => Math.ceil(at / 64) * 64;
  const blocksAt = HEAD + 2 * blockOf.length;
  const tableAt = blocksAt + BLOCK * blocks.length;
  const section = new DataView(new ArrayBuffer(align(tableAt + 2 * stateCount * rowLength)));
  const flags = [cuts.betweenMatches, cuts.beforeGaps, cuts.afterGaps, isInner];
  const cutBits = flags.reduce((bits, flag, bit) => bits | (flag ? 1 << bit : 0), 0);
  for (const [index, field] of [stateCount, classCount, rowLength, blocks.length, cutBits, section.byteLength].entries())
    section.setUint32(4 * index, field, true);
  for (const number of dropped) {
    const word = DROPPED + 4 * Math.floor(number / 32);
    section.setUint32(word, section.getUint32(word, true) | (2 ** (number % 32)), true);
  }
  for (const [index, block] of blockOf.entries()) section.setUint16(HEAD + 2 * index, block, true);
  for (const [index, block] of blocks.entries()) new Uint8Array(section.buffer).set(block, blocksAt + BLOCK * index);
  for (const [index, entry] of table.entries()) {
    const [state, input] = [Math.floor(index / (classCount + 1)), index % (classCount + 1)];
    section.setUint16(tableAt + 2 * (state * rowLength + input), ((entry & ~ACCEPT) * rowLength) | (entry & ACCEPT), true);
  }
  return new Uint8Array(section.buffer);
}

/** Dropped text begins the piece after it, which means fewer pieces. */
function cutsOfLast({ cuts, removed }: CompiledSplit): Cuts {
  if (removed === 'nothing') return cuts;
  return { betweenMatches: removed === 'gaps', beforeGaps: removed === 'gaps', afterGaps: removed === 'matches' };
}

// Which characters a pretokenizer drops if it removes matches, or the gaps between them.
//
// The engine recognizes dropped text by its characters alone, and does not match again where an id begins. So a character must be
// dropped everywhere or nowhere: every character that begins a match must be a match by itself, and matches must contain no
// others; or the same for gaps.

/** The classes of dropped characters; throws PatternError for a pretokenizer that drops some of them only next to others. */
function droppedClasses({ automaton, removed }: CompiledSplit): number[] {
  if (removed === 'nothing') return [];
  const { classCount, stateCount, table } = automaton;
  const rowOf = (state: number) => table.subarray(state * (classCount + 1), (state + 1) * (classCount + 1));
  const classes = Array.from({ length: classCount }, (_, input) => input);
  const begins = (input: number) => (rowOf(START)[input]! & ~ACCEPT) !== STOP;
  const dropped = classes.filter((input) => begins(input) === (removed === 'matches'));
  const areAlone = classes.filter(begins).every((input) => rowOf(rowOf(START)[input]!).every((entry) => entry & ACCEPT));
  // A character that continues a match is dropped or kept with it.
  const others = removed === 'matches' ? classes.filter((input) => !dropped.includes(input)) : dropped;
  const states = Array.from({ length: stateCount - 1 }, (_, index) => index + START);
  const areApart = states.every((state) => others.every((input) => (rowOf(state)[input]! & ~ACCEPT) === STOP));
  if (!areAlone || !areApart) throw new PatternError(`${removed} are removed from the text that other characters say the ends of`);
  return dropped;
}

// Split pretokenizers, applied in sequence, as tables for the engine's scanner: the entry of this folder. It is loaded only
// for compiling, since it brings a parser and Unicode tables.

/** Why there are no tables. */
export interface PatternRefusal {
  what: string;
  /** The index of the pretokenizer at fault; undefined: all of them together. */
  index: number | undefined;
}

/** What a vocabulary's model can do with pieces. */
export interface PatternAllowance {
  drop?: boolean;
  beInner?: boolean;
}

/**
 * The cartridge section (cartridges/FORMAT.md §11), or why there is none. `may`: whether text may be removed, and
 * whether patterns may be inner ones.
 */
export function patternTables(splits: readonly Split[], may: PatternAllowance = {}): Uint8Array | PatternRefusal {
  if (splits.length > MOST_PATTERNS) return { what: `${splits.length} patterns, one after the other`, index: undefined };
  let index: number | undefined;
  try {
    const compiled = splits.map((split, at) => {
      index = at;
      const each = compileSplit(split);
      if (each.removed !== 'nothing' && !may.drop)
        throw new PatternError(`${each.removed} are removed from the text, which no id would have`);
      droppedClasses(each);
      return each;
    });
    index = undefined;
    return patternSection(compiled, may.beInner);
  } catch (error) {
    if (error instanceof PatternError) return { what: error.message, index };
    // Stack overflow.
    if (error instanceof RangeError) return { what: NESTED, index };
    throw error;
  }
}

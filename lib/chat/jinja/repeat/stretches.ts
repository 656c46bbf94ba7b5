// Consecutive iterations of a loop that a render takes over at once, so that it costs as much as what changes.
//
// The iterations of a render are a list of stretches. A stretch is an iteration, or two stretches joined, with what both
// need (needs.ts) and what both do. It never changes, so that renders share stretches:
//
//   messages   a b c d e f g h      stretches   8 = (4 = (2 2), 4 = (2 2))
//   e edited   a b c d E f g h                  4, E, f, 2              joined again: 4, 4
//
// Along the list sizes rise to the largest stretch and fall again, each at least twice the one beyond: for n iterations
// there are at most about 2 log n stretches.

import { spendAgain } from '../budget.js';
import { BREAK, NEXT } from '../compile/signals.js';
import type { Namespace } from '../globals.js';
import type { Value } from '../values/object.js';
import { ofTemplate } from '../values/str.js';
import type { Cost, Entry, Write } from './entry.js';
import { joinedNeeds, type Needs, needsOf } from './needs.js';

export interface Stretch {
  /** The number of iterations. */
  readonly size: number;
  /** What it depends on; undefined where it cannot be taken over without looking at each iteration. */
  readonly needs: Needs | undefined;
  /** The last assignment to each attribute, in the order of the first ones. */
  readonly writes: readonly Write[];
  readonly cost: Cost;
  /** Whether any iteration ran to its end. */
  readonly completes: boolean;
  /** How many pieces it writes: none for an iteration that writes nothing. */
  readonly pieces: number;
  /** The length of their texts. */
  readonly length: number;
  readonly parts: readonly [Stretch, Stretch] | undefined;
}

/** The stretch of one iteration, `at` its place among all items. */
export function stretchOf(entry: Entry, at: number, items: readonly Value[]): Stretch {
  const { reads, writes, cost, signal, piece } = entry;
  return {
    size: 1,
    needs: signal === BREAK ? undefined : needsOf(reads, at, items),
    writes: writes.length > 1 ? joinedWrites([], writes) : writes,
    cost,
    completes: signal === NEXT,
    pieces: piece.text === '' ? 0 : 1,
    length: piece.text.length,
    parts: undefined,
  };
}

/** An iteration of which there is no record, only the text that it has written. */
export function lostStretch(text: string): Stretch {
  const cost = { steps: 0, units: 0 };
  const pieces = text === '' ? 0 : 1;
  return { size: 1, needs: undefined, writes: [], cost, completes: false, pieces, length: text.length, parts: undefined };
}

/** Puts a stretch at the end of a list, and joins stretches where the sizes ask for it. */
export function append(list: Stretch[], stretch: Stretch): void {
  list.push(stretch);
  for (;;) {
    const [third, second, first] = [list.at(-3), list.at(-2), list.at(-1)];
    if (!first || !second) return;
    const isValley = third && second.size <= third.size && second.size <= first.size;
    if (isValley && third.size < first.size) {
      const joined = join(third, second);
      if (!joined) return;
      list.splice(-3, 2, joined);
    } else if (isValley || (second.size < 2 * first.size && first.size < 2 * second.size)) {
      const joined = join(second, first);
      if (!joined) return;
      list.splice(-2, 2, joined);
    } else return;
  }
}

/** Both have just been taken over or run, one after the other. */
function join(first: Stretch, second: Stretch): Stretch | undefined {
  if (!first.needs || !second.needs) return undefined;
  return {
    size: first.size + second.size,
    needs: joinedNeeds(first.needs, second.needs, first.size, first.writes),
    writes: joinedWrites(first.writes, second.writes),
    cost: { steps: first.cost.steps + second.cost.steps, units: first.cost.units + second.cost.units },
    completes: first.completes || second.completes,
    pieces: first.pieces + second.pieces,
    length: first.length + second.length,
    parts: [first, second],
  };
}

function joinedWrites(first: readonly Write[], second: readonly Write[]): readonly Write[] {
  if (second.length === 0) return first;
  const writes = [...first];
  for (const write of second) {
    const at = writes.findIndex(({ namespace, name }) => namespace === write.namespace && name === write.name);
    if (at < 0) writes.push(write);
    else writes[at] = write;
  }
  return writes;
}

/** Does again what a stretch does, except for its output. */
export function repeat({ cost, writes }: Stretch, namespaces: readonly Namespace[]): void {
  spendAgain(cost.steps, cost.units);
  for (let i = 0; i < writes.length; i++) {
    const { namespace, name, value } = writes[i] as Write;
    namespaces[namespace]?.attributes.set(ofTemplate(name), value);
  }
}

/** A stretch at the place of its first element, and that of its first piece among all pieces of the loop. */
interface Placed {
  readonly stretch: Stretch;
  readonly at: number;
  readonly pieceAt: number;
}

/** A part of a list of stretches, for elements that are the same and follow each other as they did. */
export class StretchesAgain {
  /** The next one last. */
  readonly #ahead: Placed[] = [];

  /** `shift`: how much further on the elements are than they were. */
  constructor(
    list: readonly Stretch[],
    shift: number,
    /** The elements from one place to another (not included). */
    private readonly from: number,
    private readonly to: number,
  ) {
    let [at, pieceAt] = [shift, 0];
    for (const stretch of list) {
      this.#ahead.push({ stretch, at, pieceAt });
      at += stretch.size;
      pieceAt += stretch.pieces;
    }
    this.#ahead.reverse();
  }

  /** The longest stretch from a place on that can be taken over. Places only grow from call to call. */
  take(at: number, canTake: (stretch: Stretch) => boolean): Placed | undefined {
    const ahead = this.#ahead;
    for (let next = ahead.at(-1); next && next.at <= at; next = ahead.at(-1)) {
      ahead.pop();
      const { stretch } = next;
      const end = next.at + stretch.size;
      if (end <= at || end <= this.from || next.at >= this.to) continue;
      if (next.at === at && end <= this.to && canTake(stretch)) return next;
      if (!stretch.parts) continue;
      const [first, second] = stretch.parts;
      ahead.push({ stretch: second, at: next.at + first.size, pieceAt: next.pieceAt + first.pieces }, { ...next, stretch: first });
    }
    return undefined;
  }
}

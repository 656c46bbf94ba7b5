// The positions at which a text may be cut, in the order in which they are tried.

import type { Boundary } from './boundaries.js';
import type { Units } from './units.js';

/** The cuts of one text. */
export interface Cuts {
  /**
   * Cuts from `from` to `to`, both included, in either direction: those of the strongest separator first, and of one
   * separator those near `from` first. Cost: linear in the distance.
   */
  between(from: number, to: number): Iterable<number>;
  /** The block around a position, which is inside it, that is not to be cut if it fits as a whole. */
  blockAround?(at: number): LedBlock | undefined;
  /** Nothing in front of this position is asked for again. */
  forget?(before: number): void;
}

export interface Block {
  start: number;
  end: number;
}

/** A block, and where the heading above it begins that it should stay with; `start` if there is none. */
export interface LedBlock extends Block {
  lead: number;
}

/** A cut with the strength of its separator: 1 is the strongest. */
export interface Ranked {
  at: number;
  rank: number;
}

/** One kind of separator after the other, the strongest first. */
export class LeveledCuts implements Cuts {
  readonly #text: Units;
  readonly #levels: readonly Boundary[];

  constructor(text: Units, levels: readonly Boundary[]) {
    this.#text = text;
    this.#levels = levels;
  }

  between(from: number, to: number): Iterable<number> {
    return atLevels(this.#text, this.#levels, from, to);
  }
}

export function* atLevels(text: Units, levels: readonly Boundary[], from: number, to: number): Generator<number> {
  const step = from <= to ? 1 : -1;
  for (const isBoundary of levels) {
    for (let at = from; at !== to + step; at += step) if (isBoundary(text, at)) yield at;
  }
}

/** The positions of the cuts, the strongest first; equally strong ones in the direction asked for. */
export function inOrder(cuts: readonly Ranked[], isForward: boolean): number[] {
  const sign = isForward ? 1 : -1;
  return [...cuts].sort((a, b) => a.rank - b.rank || sign * (a.at - b.at)).map(({ at }) => at);
}

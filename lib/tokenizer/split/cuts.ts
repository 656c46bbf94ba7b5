// The positions at which a text may be cut, in the order to try them.

import type { Boundary } from './boundaries.js';
import type { Units } from './units.js';

/** The cuts of one text. */
export interface Cuts {
  /**
   * Cuts from `from` to `to`, both included, in either direction: the strongest separator first, and for one separator,
   * those near `from` first. Cost: linear in the distance.
   */
  between(from: number, to: number): Iterable<number>;
  /** The block around a position inside it, which should not be cut if it fits as a whole. */
  blockAround?(at: number): LedBlock | undefined;
  /** Promises that nothing before this position will be asked for again. */
  forget?(before: number): void;
}

export interface Block {
  start: number;
  end: number;
}

/** A block, and where the heading above it begins, which should stay with it; `start` if it has no heading. */
export interface LedBlock extends Block {
  lead: number;
}

/** A cut with the strength of its separator: 1 is the strongest. */
export interface Ranked {
  at: number;
  rank: number;
}

/** One kind of separator after another, the strongest first. */
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

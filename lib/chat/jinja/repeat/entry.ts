// What one iteration of a loop has done, and what that depended on.

import type { Signal } from '../compile/signals.js';
import type { Value } from '../values/object.js';
import type { Piece } from './pieces.js';
import type { Read } from './reads.js';

/** The variables around a loop in one render. The same object, if they are the same as in the render before. */
export type Around = readonly (Value | undefined | Mark)[];

/** Stands for the namespace of a number. */
export class Mark {
  constructor(readonly number: number) {}
}

/** An assignment to an attribute of a namespace. */
export interface Write {
  readonly namespace: number;
  readonly name: string;
  readonly value: Value;
}

/** What limits are charged for. */
export interface Cost {
  readonly steps: number;
  readonly units: number;
}

export interface Entry {
  readonly around: Around;
  readonly reads: readonly Read[];
  readonly writes: readonly Write[];
  readonly piece: Piece;
  readonly signal: Signal;
  readonly cost: Cost;
}

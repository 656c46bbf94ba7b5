// Who wrote a text: the template, or the caller, who provides messages, tools, documents and variables.
//
// An origin is a number for a text by one author, and a Mix for a text by several. A Mix of two texts refers to their
// origins, and becomes a list of runs only when examined, which is charged: templates concatenate far more than they cut.

import { reserve, spend } from '../budget.js';
import { firstIndex } from '../unicode/characters.js';

/** What a run takes of memory, in UTF-16 units. */
const RUN = 8;
/** What a Mix takes. */
const MIX = 32;

/** The template itself: its literals, roles, the vocabulary's own special tokens. */
export const TEMPLATE = -1;
/** The caller, outside of messages: tools, documents, variables, and text computed from several messages. */
export const CALLER = -2;

/** The index of a message, TEMPLATE or CALLER; or several of them. */
export type Origin = number | Mix;

/** Concatenated texts of different origins. */
export class Mix {
  #left: Origin | undefined;
  #right: Origin | undefined;
  readonly #leftLength: number;
  #runs: number[] | undefined;

  private constructor(
    readonly length: number,
    left: Origin | undefined,
    leftLength: number,
    right: Origin | undefined,
    runs?: number[],
  ) {
    this.#left = left;
    this.#leftLength = leftLength;
    this.#right = right;
    this.#runs = runs;
  }

  static of(left: Origin, leftLength: number, right: Origin, rightLength: number): Mix {
    reserve(MIX);
    return new Mix(leftLength + rightLength, left, leftLength, right);
  }

  static ofRuns(runs: number[]): Origin {
    if (runs.length === 0) return TEMPLATE;
    return runs.length === 2 ? (runs[1] as number) : new Mix(runs.at(-2) as number, undefined, 0, undefined, runs);
  }

  /** The end of each run and its origin, alternating. */
  get runs(): readonly number[] {
    if (this.#runs) return this.#runs;
    const runs: number[] = [];
    // Long chains of concatenations lean to the left: uses an explicit stack instead of recursion.
    const stack: [Origin, number][] = [[this, this.length]];
    let end = 0;
    for (let top = stack.pop(); top; top = stack.pop()) {
      const [origin, length] = top;
      reserve(RUN);
      if (typeof origin === 'number') {
        end += length;
        pushRun(runs, end, origin);
      } else if (origin.#runs) {
        pushRuns(runs, end, origin);
        end += length;
      } else {
        stack.push([origin.#right as Origin, origin.length - origin.#leftLength], [origin.#left as Origin, origin.#leftLength]);
      }
    }
    this.#left = this.#right = undefined;
    return (this.#runs = runs);
  }
}

/** Appends a run, or extends the last one. Empty runs are dropped. */
export function pushRun(runs: number[], end: number, origin: number): void {
  const last = runs.length - 2;
  if (last >= 0 && runs[last + 1] === origin) runs[last] = end;
  else if (end > (last >= 0 ? (runs[last] as number) : 0)) runs.push(end, origin);
}

/** Appends the runs of a text that begins at `start`. */
export function pushRuns(all: number[], start: number, { runs }: Mix): void {
  reserve((runs.length / 2) * RUN);
  for (let i = 0; i < runs.length; i += 2) pushRun(all, start + (runs[i] as number), runs[i + 1] as number);
}

/** The origin of a part of a text, in UTF-16 units. */
export function sliceOrigin(origin: Origin, from: number, to: number): Origin {
  if (typeof origin === 'number') return origin;
  const { runs } = origin;
  const part: number[] = [];
  const first = firstIndex(runs.length / 2 - 1, (run) => (runs[2 * run] as number) > from);
  for (let i = 2 * first; i < runs.length; i += 2) {
    const end = runs[i] as number;
    reserve(RUN);
    pushRun(part, Math.min(end, to) - from, runs[i + 1] as number);
    if (end >= to) break;
  }
  return Mix.ofRuns(part);
}

/** The origin of a value computed from both: the caller's if any of it is. */
export function blend(a: Origin, b: Origin): number {
  const [x, y] = [single(a), single(b)];
  if (x === y || y === TEMPLATE) return x;
  return x === TEMPLATE ? y : CALLER;
}

/** A single origin for a whole text. */
export function single(origin: Origin): number {
  if (typeof origin === 'number') return origin;
  let whole = TEMPLATE;
  const { runs } = origin;
  spend(runs.length >>> 2);
  for (let i = 1; i < runs.length; i += 2) whole = blend(whole, runs[i] as number);
  return whole;
}

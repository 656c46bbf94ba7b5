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

const NONE = new Int32Array(0);

/** Runs of one origin each, none of them empty, no two neighbours of the same one. In a list they would take five times as long. */
export class Runs {
  /** The end of each run, and its origin. */
  #values = NONE;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  end(run: number): number {
    return this.#values[2 * run] as number;
  }

  origin(run: number): number {
    return this.#values[2 * run + 1] as number;
  }

  /** Appends a run, or extends the last one. Empty runs are dropped. */
  push(end: number, origin: number): void {
    const last = this.#count - 1;
    if (last >= 0 && this.origin(last) === origin) {
      this.#values[2 * last] = end;
      return;
    }
    if (end <= (last >= 0 ? this.end(last) : 0)) return;
    if (2 * this.#count === this.#values.length) {
      const longer = new Int32Array(Math.max(8, 2 * this.#values.length));
      longer.set(this.#values);
      this.#values = longer;
    }
    this.#values[2 * this.#count] = end;
    this.#values[2 * this.#count + 1] = origin;
    this.#count++;
  }

  /** Appends what an origin says of the units from one to another, of a text that is from `start` on here. */
  pushPart(start: number, origin: Origin, from: number, to: number): void {
    if (typeof origin === 'number') return this.push(start + to - from, origin);
    const { runs } = origin;
    for (let run = runs.at(from); from < to; run++) {
      reserve(RUN);
      const end = Math.min(runs.end(run), to);
      this.push(start + end - from, runs.origin(run));
      start += end - from;
      from = end;
    }
  }

  /** The run of a unit. */
  at(unit: number): number {
    return firstIndex(this.#count - 1, (run) => this.end(run) > unit);
  }

  /** A single origin if there is one run at most. */
  get whole(): Origin {
    return this.#count === 0 ? TEMPLATE : this.#count === 1 ? this.origin(0) : Mix.ofRuns(this);
  }
}

/** Concatenated texts of different origins. */
export class Mix {
  #left: Origin | undefined;
  #right: Origin | undefined;
  readonly #leftLength: number;
  #runs: Runs | undefined;

  private constructor(
    readonly length: number,
    left: Origin | undefined,
    leftLength: number,
    right: Origin | undefined,
    runs?: Runs,
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

  static ofRuns(runs: Runs): Mix {
    return new Mix(runs.end(runs.count - 1), undefined, 0, undefined, runs);
  }

  get runs(): Runs {
    if (this.#runs) return this.#runs;
    const runs = new Runs();
    // Long chains of concatenations lean to the left: uses an explicit stack instead of recursion.
    const stack: [Origin, number][] = [[this, this.length]];
    let end = 0;
    for (let top = stack.pop(); top; top = stack.pop()) {
      const [origin, length] = top;
      reserve(RUN);
      if (typeof origin === 'number' || origin.#runs) {
        runs.pushPart(end, origin, 0, length);
        end += length;
      } else {
        stack.push([origin.#right as Origin, origin.length - origin.#leftLength], [origin.#left as Origin, origin.#leftLength]);
      }
    }
    this.#left = this.#right = undefined;
    return (this.#runs = runs);
  }
}

/** The origin of a part of a text, in UTF-16 units. */
export function sliceOrigin(origin: Origin, from: number, to: number): Origin {
  if (typeof origin === 'number') return origin;
  const part = new Runs();
  part.pushPart(0, origin, from, to);
  return part.whole;
}

/** The origin of a value computed from both: the caller's if one of them is. */
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
  spend(runs.count >>> 1);
  for (let run = 0; run < runs.count; run++) whole = blend(whole, runs.origin(run));
  return whole;
}

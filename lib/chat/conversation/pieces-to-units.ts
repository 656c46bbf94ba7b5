// From a template's output in pieces to units: parts between tokens that the template writes (cuts.ts).
//
//   pieces   │<|im_start|>user⏎hello<|im_end|>⏎│<|im_start|>assistant⏎Hi!<|im_end|>⏎│
//   units    │<|im_start|>user⏎hello│<|im_end|>⏎│<|im_start|>assistant⏎Hi!│<|im_end|>⏎│
//
// A piece is cut once. Its first and last parts join those of its neighbours, and what they join to is kept with the piece.

import type { Piece } from '../jinja/repeat/pieces.js';
import { isSameRuns } from '../jinja/repeat/same.js';
import { sharedEnds } from '../jinja/repeat/shared-ends.js';
import { pushRun, TEMPLATE } from '../jinja/values/origin.js';
import type { Unit, Units } from './unit-list.js';

/** Encodes a part of the text. */
export type EncodePiece = (piece: Piece) => Uint32Array;

/** A piece, cut. */
interface Cut {
  /** Up to the first cut: all of it, if there is none. */
  readonly head: Piece;
  readonly inner: readonly Unit[];
  /** From the last cut on. */
  readonly tail: Piece | undefined;
  /** What the tail has been joined to, with the pieces up to the next cut. */
  readonly joints: Joint[];
}

/** A text as units. */
export interface CutText extends Units {
  readonly pieces: readonly Piece[];
  /** For each piece the number of units up to its last cut, or UNCUT. */
  readonly counts: readonly number[];
}

const UNCUT = -1;
const NO_TEXT: CutText = { pieces: [], units: [], counts: [] };

interface Joint {
  readonly pieces: readonly Piece[];
  readonly unit: Unit;
}

/** A piece may be the last one, and then be followed by others. */
const MOST_JOINTS = 3;
const NOTHING: Piece = { text: '', runs: [] };

export class PieceCutter {
  readonly #cuts = new WeakMap<Piece, Cut>();
  /** Of the text before the first cut. */
  readonly #first: Joint[] = [];
  readonly #tokens: RegExp | undefined;

  constructor(
    tokens: readonly string[],
    private readonly encode: EncodePiece,
  ) {
    this.#tokens =
      tokens.length > 0 ? new RegExp(tokens.map((each) => each.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g') : undefined;
  }

  /** The units of a whole text. `earlier`: the result for another, with which it may share much. */
  units(pieces: readonly Piece[], earlier: CutText = NO_TEXT): CutText {
    const [shared, sharedAfter] = sharedEnds(pieces, earlier.pieces);
    let from = shared;
    while (from > 0 && earlier.counts[from - 1] === UNCUT) from--;
    const counts = earlier.counts.slice(0, from);
    const units = from > 0 ? earlier.units.slice(0, counts[from - 1]) : [];
    const like = { units: earlier.units, count: units.length };
    const start = from > 0 ? this.#cuts.get(pieces[from - 1] as Piece) : undefined;
    let joints = start ? start.joints : this.#first;
    let open: Piece[] = [];
    let parts: Piece[] = start?.tail ? [start.tail] : [];
    const moved = earlier.pieces.length - pieces.length;
    const close = (end: Piece | undefined, head: Piece) => {
      // Only the head of a piece is joined here, so that a piece without one is like any other.
      open.push(end && head.text !== '' ? end : NOTHING);
      if (head.text !== '') parts.push(head);
      const unit = this.#joint(joints, open, parts);
      if (unit) units.push(unit);
    };
    for (let index = from; index < pieces.length; index++) {
      const piece = pieces[index] as Piece;
      const cut = this.#cutOf(piece, () => earlier.pieces[index] ?? earlier.pieces[index + moved]);
      if (!cut.tail) {
        open.push(piece);
        parts.push(piece);
        counts.push(UNCUT);
        continue;
      }
      close(piece, cut.head);
      for (let i = 0; i < cut.inner.length; i++) units.push(cut.inner[i] as Unit);
      ({ joints } = cut);
      open = [];
      parts = [cut.tail];
      counts.push(units.length);
      // What follows a cut depends on the piece before it and on what follows.
      if (index >= pieces.length - sharedAfter) {
        takeRest(earlier, index + moved, units, counts);
        return { pieces, units, counts, like };
      }
    }
    close(undefined, NOTHING);
    return { pieces, units, counts, like };
  }

  /** The unit of parts, of which the pieces in `open` are known by identity. */
  #joint(joints: Joint[], open: readonly Piece[], parts: readonly Piece[]): Unit | undefined {
    if (parts.length === 0) return undefined;
    let joint = joints.find(({ pieces }) => pieces.length === open.length && pieces.every((each, index) => each === open[index]));
    if (!joint) {
      joint = { pieces: open, unit: this.#unit(parts) };
      joints.unshift(joint);
      joints.length = Math.min(joints.length, MOST_JOINTS);
    }
    return joint.unit;
  }

  #unit(parts: readonly Piece[]): Unit {
    const piece = parts.length === 1 ? (parts[0] as Piece) : joined(parts);
    return { ...piece, ids: this.encode(piece) };
  }

  #cutOf(piece: Piece, before: () => Piece | undefined): Cut {
    let cut = this.#cuts.get(piece);
    if (!cut) {
      const earlier = before();
      this.#cuts.set(piece, (cut = this.#cut(piece, earlier && this.#cuts.get(earlier))));
    }
    return cut;
  }

  /** `earlier`: of a piece with which this one may share units. */
  #cut(piece: Piece, earlier: Cut | undefined): Cut {
    const at = this.#positions(piece);
    if (at.length === 0) return { head: piece, inner: [], tail: undefined, joints: [] };
    const parts = at.map((from, index) => part(piece, from, at[index + 1] ?? piece.text.length));
    const tail = parts.pop() as Piece;
    const inner = earlier && parts.length > 1 ? this.#inner(parts, earlier.inner) : parts.map((each) => this.#unit([each]));
    return { head: part(piece, 0, at[0] as number), inner, tail, joints: [] };
  }

  #inner(parts: readonly Piece[], earlier: readonly Unit[]): Unit[] {
    const known = new Map<string, Unit>(earlier.map((unit) => [unit.text, unit]));
    return parts.map((each) => {
      const unit = known.get(each.text);
      return unit && isSameRuns(unit.runs ?? [], each.runs) ? unit : this.#unit([each]);
    });
  }

  #positions({ text, runs }: Piece): number[] {
    const positions: number[] = [];
    if (!this.#tokens) return positions;
    let from = 0;
    for (let i = 0; i < runs.length; i += 2) {
      const to = runs[i] as number;
      if (runs[i + 1] === TEMPLATE) for (const { index } of text.slice(from, to).matchAll(this.#tokens)) positions.push(from + index);
      from = to;
    }
    return positions;
  }
}

/** Adds the units and counts after a piece of another text. */
function takeRest(other: CutText, piece: number, units: Unit[], counts: number[]): void {
  const known = other.counts[piece] as number;
  const shift = units.length - known;
  for (let i = known; i < other.units.length; i++) units.push(other.units[i] as Unit);
  for (let i = piece + 1; i < other.counts.length; i++) {
    const count = other.counts[i] as number;
    counts.push(count === UNCUT ? UNCUT : count + shift);
  }
}

/** A part of a piece. */
function part({ text, runs }: Piece, from: number, to: number): Piece {
  const own: number[] = [];
  for (let i = 0; i < runs.length && to > from; i += 2) {
    const end = runs[i] as number;
    if (end > from) pushRun(own, Math.min(end, to) - from, runs[i + 1] as number);
    if (end >= to) break;
  }
  return { text: text.slice(from, to), runs: own };
}

function joined(parts: readonly Piece[]): Piece {
  const runs: number[] = [];
  let length = 0;
  for (const each of parts) {
    for (let i = 0; i < each.runs.length; i += 2) pushRun(runs, length + (each.runs[i] as number), each.runs[i + 1] as number);
    length += each.text.length;
  }
  return { text: parts.map(({ text }) => text).join(''), runs };
}

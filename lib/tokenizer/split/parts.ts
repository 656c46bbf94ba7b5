// Cuts a text into parts at separators.
//
// Each part begins where the previous one ends. The engine says how much of the text fits (`most`); the part ends at
// the strongest separator in the last half of that, at the last one of equal strength:
//
//   start ─────────── half ──── a ───── b ── most        b, unless a is stronger
//
// So every part but the last has at least half of what fits, and finding all parts encodes at most twice the text. Cutting
// can change tokens, so a part is counted alone, as it will be encoded. If it is too long, the next best cut is tried, and
// finally `most`, which the engine has counted.

import type { AddedToken, EngineTokenizer, Policy } from '../../engine/engine.js';
import { outOfRange } from '../../base/errors.js';
import {
  countWithin,
  cut,
  failureBehind,
  keepEnd,
  keepStart,
  type Limits,
  type Part,
  type Text,
  tokenCount,
  unshared,
} from '../fitting.js';
import { cluster } from './boundaries.js';
import { atLevels, type Cuts, type LedBlock } from './cuts.js';
import type { CutsOf } from './separators.js';
import { ByteUnits, StringUnits, type Units } from './units.js';
import { WholeTokens } from './whole-tokens.js';

/** Cuts to try for a part before cutting it at `most`. */
const MOST_TRIES = 16;

/** The parts of a text, in UTF-16 units or bytes. `added`: the tokens that match before others. */
export function partsAt(
  cutsOf: CutsOf,
  engine: EngineTokenizer,
  text: Text,
  limits: Limits,
  policy: Policy,
  added: readonly AddedToken[],
): Part[] {
  return [...new Splitter(cutsOf, engine, text, limits, policy, added).parts()];
}

class Splitter {
  readonly #engine: EngineTokenizer;
  readonly #text: Text;
  readonly #limits: Limits;
  readonly #policy: Policy;
  readonly #units: Units;
  readonly #cuts: Cuts;
  readonly #tokens: WholeTokens;

  constructor(cutsOf: CutsOf, engine: EngineTokenizer, text: Text, limits: Limits, policy: Policy, added: readonly AddedToken[]) {
    const own = typeof text === 'string' ? text : unshared(text);
    const isBytes = typeof own !== 'string';
    this.#engine = engine;
    this.#text = own;
    this.#limits = limits;
    this.#policy = policy;
    this.#units = isBytes ? new ByteUnits(own) : new StringUnits(own);
    this.#cuts = cutsOf(this.#units, isBytes);
    this.#tokens = new WholeTokens(added, policy, isBytes);
  }

  *parts(): Generator<Part> {
    const { length } = this.#text;
    let start = 0;
    let end = 0;
    while (end < length) {
      this.#cuts.forget?.(start);
      const most = this.#reach(start);
      const part = most > end ? this.#choose(start, end, most) : undefined;
      if (part) {
        yield part;
        end = part.end;
        start = end < length ? this.#nextStart(part) : end;
      } else if (start < end) {
        start = end; // the overlap leaves no room for more
      } else {
        this.#refuse(start);
      }
    }
  }

  /** Where the longest part from `start` ends. */
  #reach(start: number): number {
    const { maxTokens } = this.#limits;
    return start + this.#ask(start, this.#text.length, (rest) => keepStart(this.#engine, rest, maxTokens, this.#policy)).length;
  }

  /** The part from `start` that ends after `end`; undefined if the overlap prevents it. */
  #choose(start: number, end: number, most: number): Part | undefined {
    if (most === this.#text.length) return this.#measured(start, most, true);
    const block = this.#cuts.blockAround?.(most);
    for (const at of block ? new Set([block.lead, block.start]) : []) {
      if (at < end || at === start || this.#count(at, (block as LedBlock).end) === false) continue;
      const part = at > end ? this.#measured(start, at) : undefined;
      if (part || at === end) return part;
    }
    const least = Math.max(this.#units.middle(start, most), this.#units.middle(end, most));
    return (
      this.#first(start, this.#cuts.between(most, least)) ??
      this.#first(start, atLevels(this.#units, [cluster], most, least)) ??
      this.#measured(start, most, true)
    );
  }

  /** The part that ends at the first cut where it fits. */
  #first(start: number, cuts: Iterable<number>): Part | undefined {
    let tries = 0;
    for (const at of cuts) {
      if (this.#tokens.lieAcross(this.#units, at)) continue;
      const part = this.#measured(start, at);
      if (part || ++tries === MOST_TRIES) return part;
    }
    return undefined;
  }

  /** A part with its token count; undefined if it has too many. `isSure`: the engine already knows that it fits. */
  #measured(start: number, end: number, isSure = false): Part | undefined {
    const tokens = isSure ? this.#ask(start, end, (part) => tokenCount(this.#engine, part, this.#policy)) : this.#count(start, end);
    return tokens === false ? undefined : { start, end, tokens };
  }

  /** The token count of this range encoded alone; false if it is too high. */
  #count(start: number, end: number): number | false {
    return this.#ask(start, end, (part) => countWithin(this.#engine, part, this.#limits.maxTokens, this.#policy));
  }

  /**
   * Where the next part begins: at most `overlap` tokens before the end, at the strongest separator in the first half of
   * them. Short parts repeat less, so that every part makes progress.
   */
  #nextStart({ start, end, tokens }: Part): number {
    const { maxTokens, overlap } = this.#limits;
    const most = Math.min(overlap, Math.max(tokens >> 1, tokens - (maxTokens - overlap)));
    if (most === 0) return end;
    const first = end - this.#ask(start, end, (part) => keepEnd(this.#engine, part, most, this.#policy)).length;
    for (const at of this.#cuts.between(first, this.#units.middle(first, end))) {
      if (!this.#tokens.lieAcross(this.#units, at)) return at;
    }
    return first;
  }

  #refuse(start: number): never {
    const { maxTokens, around } = this.#limits;
    let end = start + 1;
    while (end < this.#text.length && !this.#units.isCharacterBoundary(end)) end++;
    const tokens = around + this.#ask(start, end, (character) => tokenCount(this.#engine, character, this.#policy));
    throw outOfRange(`at least ${tokens}, which the character at position ${start} of the text needs,`, 'maxTokens', maxTokens + around);
  }

  /** Asks about a part of the text. Error positions are in the whole text. */
  #ask<T>(start: number, end: number, question: (part: Text) => T): T {
    try {
      return question(this.#slice(start, end));
    } catch (error) {
      throw failureBehind(error, this.#slice(0, start));
    }
  }

  #slice(start: number, end: number): Text {
    return cut(this.#text, start, end);
  }
}

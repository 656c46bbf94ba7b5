// A text that its owner writes anew again and again, such as a chat with one message more, and its ids. Only what differs from the
// text before is encoded: the middle of a document is replaced (text-document.ts says what that costs).
//
// A copy of the text lies beside the document, in blocks: two strings are compared at the speed of memory, and a document is not. The
// copy keeps no string of the caller's alive, and texts that begin alike share blocks.

import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import type { EditedText, TextChange } from '../engine/edited-text.js';
import type { EngineTokenizer, Policy } from '../engine/engine.js';
import { detachedText, isHighSurrogate, isLowSurrogate } from '../base/text-encodings.js';
import { release, retain } from '../engine/retiring.js';
import { releasedWith } from './lifetime.js';

/** A text, and the ranges that a template wrote: start and end of each, in UTF-16 units, ascending and not adjacent. */
export interface WrittenText {
  readonly text: string;
  /** Undefined if that does not matter. */
  readonly ranges?: Uint32Array | undefined;
}

/** Keeps the engine of a document open. Returns what closes both, which happens by itself when `owner` has become unreachable. */
export function closing(owner: object, document: EditedText, engine: EngineTokenizer): () => void {
  retain(engine);
  return releasedWith(owner, () => {
    document.close();
    release(engine);
  });
}

const NOWHERE = new Uint32Array(0);
/** Units of a block: few comparisons for a long text, and little to copy where it grows. */
const BLOCK = 16 * 1024;

export class KnownText {
  readonly #engine: EngineTokenizer;
  readonly #document: EditedText;
  /** All but the last have BLOCK units. */
  #blocks: readonly string[] = [];
  #ranges: Uint32Array | undefined;
  #length = 0;
  /** Whether an engine needs two bytes for a unit of the text, and UTF-8 three. */
  #isWide = false;
  readonly close: () => void;

  private constructor(engine: EngineTokenizer, document: EditedText, like?: KnownText) {
    this.#engine = engine;
    this.#document = document;
    if (like) {
      this.#blocks = like.#blocks;
      this.#ranges = like.#ranges;
      this.#length = like.#length;
      this.#isWide = like.#isWide;
    }
    this.close = closing(this, document, engine);
  }

  /** An empty text. `policy`: of `encode`; of texts with ranges, the tokens besides the special ones that a template may write. */
  static open(engine: EngineTokenizer, policy: Policy): KnownText {
    return new KnownText(engine, engine.edit(policy, 'utf16'));
  }

  get text(): string {
    return this.#blocks.join('');
  }

  get length(): number {
    return this.#length;
  }

  get count(): number {
    return this.#document.count;
  }

  /** About what it takes, in bytes: the string, and the document's text, ids and nodes. */
  get bytes(): number {
    return (this.#isWide ? 5.2 : 2.2) * this.#length + 4 * this.count;
  }

  /** The ids from one to another (not included). */
  ids(from = 0, to: number = this.count): UnsharedUint32Array {
    return this.#document.ids(from, to);
  }

  /**
   * Becomes another text. What `encode` would throw for it leaves everything as it was. `common`: how many units both have in common, from
   * the start on, at least.
   */
  become({ text, ranges }: WrittenText, common = 0): TextChange {
    const [before, after] = [this.#ranges ?? NOWHERE, ranges ?? NOWHERE];
    const { length } = text;
    // No edit splits a surrogate pair.
    let start = Math.min(this.commonStart(text, common), firstDifference(before, after));
    if (start > 0 && isHighSurrogate(text, start - 1)) start--;
    const overlap = Math.min(this.#length, length) - start;
    let end = this.#commonEnd(text, Math.min(overlap, firstDifference(fromEnd(before, this.#length), fromEnd(after, length))));
    if (end > 0 && isLowSurrogate(text, length - end)) end--;
    const middle = text.slice(start, length - end);
    const change = this.#document.replace(start, this.#length - end, middle, ranges && within(ranges, start, length - end));
    this.#isWide ||= /[^\0-\xff]/.test(middle);
    this.#keep(text, start);
    this.#ranges = ranges;
    return change;
  }

  /** How many units the text has in common with another one, from the start on; at least `known`. */
  commonStart(text: string, known = 0): number {
    const shorter = Math.min(this.#length, text.length);
    for (let index = Math.floor(known / BLOCK), from = index * BLOCK; from < shorter; index++, from += BLOCK) {
      const block = this.#blocks[index] as string;
      const others = text.slice(from, from + block.length);
      if (block !== others) return from + sharedStart(block, others);
    }
    return shorter;
  }

  /** Which of two texts comes first, where they differ: less than 0 if it is this one. One that ends there comes before. */
  order(text: string, common: number): number {
    if (common === this.#length) return common === text.length ? 0 : -1;
    const unit = (this.#blocks[Math.floor(common / BLOCK)] as string).charCodeAt(common % BLOCK);
    return common === text.length ? 1 : unit - text.charCodeAt(common);
  }

  /** Another one with this text, in no time; they share what neither changes. */
  fork(): KnownText {
    return new KnownText(this.#engine, this.#document.fork(), this);
  }

  /** How many units the text has in common with another one, from the end on; at most `limit`. */
  #commonEnd(text: string, limit: number): number {
    const moved = text.length - this.#length;
    for (let index = this.#blocks.length - 1, end = 0; end < limit; index--) {
      const block = this.#blocks[index] as string;
      const from = index * BLOCK + moved;
      const others = text.slice(Math.max(0, from), from + block.length);
      if (block !== others) return Math.min(limit, end + sharedEnd(block, others));
      end += block.length;
    }
    return limit;
  }

  /** Takes over a text that is the same up to `start`. */
  #keep(text: string, start: number): void {
    const blocks = this.#blocks.slice(0, Math.floor(start / BLOCK));
    for (let from = blocks.length * BLOCK; from < text.length; from += BLOCK) blocks.push(detachedText(text.slice(from, from + BLOCK)));
    this.#blocks = blocks;
    this.#length = text.length;
  }
}

/** How many units two strings have in common, from the start on. */
function sharedStart(a: string, b: string): number {
  return shared(Math.min(a.length, b.length), (at, end) => a.slice(at, end) === b.slice(at, end));
}

/** The same from the end on. */
function sharedEnd(a: string, b: string): number {
  const last = (text: string, at: number, end: number) => text.slice(text.length - end, text.length - at);
  return shared(Math.min(a.length, b.length), (at, end) => last(a, at, end) === last(b, at, end));
}

/** How many of `length` units are equal before the first that is not. `equal`: whether the units from one to another are. */
function shared(length: number, equal: (at: number, end: number) => boolean): number {
  let at = 0;
  for (let step = BLOCK; step > 0 && at < length; ) {
    const end = Math.min(at + step, length);
    if (equal(at, end)) at = end;
    else step >>>= 2;
  }
  return at;
}

/** Up to where two ascending lists of starts and ends say the same. */
function firstDifference(a: Uint32Array, b: Uint32Array): number {
  const longer = Math.max(a.length, b.length);
  for (let index = 0; index < longer; index++) if (a[index] !== b[index]) return Math.min(a[index] ?? Infinity, b[index] ?? Infinity);
  return Infinity;
}

function fromEnd(ranges: Uint32Array, length: number): Uint32Array {
  return ranges.map((_, index) => length - (ranges[ranges.length - 1 - index] as number));
}

/** Ranges within a part of the text, from its start on. */
function within(ranges: Uint32Array, from: number, to: number): Uint32Array {
  const parts: number[] = [];
  for (let i = 0; i < ranges.length && (ranges[i] as number) < to; i += 2) {
    const end = Math.min(ranges[i + 1] as number, to);
    if (end > from) parts.push(Math.max(ranges[i] as number, from) - from, end - from);
  }
  return Uint32Array.from(parts);
}

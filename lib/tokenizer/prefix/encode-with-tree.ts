// Encodes a text from the end of its known beginning on, and adds what it learns to the tree.

import type { EngineTokenizer, Policy, TextSession } from '../../engine/engine.js';
import type { UnsharedUint32Array } from '../../base/typed-arrays.js';
import { type Block, blockEnd, type Known, type Learned, type PrefixTree, type Settled } from './prefix-tree.js';

/** If so many bytes are not settled, it is not worth a search for the place where they begin. */
const MOST_BEYOND = 16 * 1024;

const NONE = new Uint32Array(0);

/** For the ids of a few blocks. */
const scratch = new Uint32Array(16 * 1024);

/** What a call has done: the ids, unless it only counted them, and how many came from the tree. */
export interface Encoded {
  ids: UnsharedUint32Array;
  count: number;
  reused: number;
}

export function encodeWithTree(engine: EngineTokenizer, tree: PrefixTree, text: string, policy: Policy, counting: boolean): Encoded {
  const known = tree.find(keyOf(policy), text);
  const reused = known.end.settled.ids;
  const session = engine.begin(policy, false);
  try {
    const learning = new Learning(session, text, known);
    const isWhole = learning.learn(tree.roomAfter(known));
    let ids = NONE;
    let count: number;
    if (!counting) {
      ids = learning.allIds();
      count = ids.length;
    } else if (isWhole) {
      count = learning.countAll();
    } else {
      // Most of the text is left, and nothing would keep its ids.
      count = learning.settled.ids + countFrom(engine, text, policy, learning.settled);
    }
    tree.grow(known, text, learning);
    return { ids, count, reused };
  } finally {
    session.end();
  }
}

function countFrom(engine: EngineTokenizer, text: string, policy: Policy, { units, bytes }: Settled): number {
  const session = engine.begin(policy, true);
  try {
    session.resume(bytes);
    return session.feed(text.slice(units), true);
  } finally {
    session.end();
  }
}

/** Texts under different policies have nothing in common. The order of a list does not matter. */
function keyOf(policy: Policy): string {
  return typeof policy === 'number' ? `${policy}` : `only ${[...new Set(policy)].sort((a, b) => a - b).join()}`;
}

/** Encodes block after block. Only one at a time is in use. */
class Learning implements Learned {
  readonly blocks: Block[] = [];
  /** The settled position. */
  settled: Settled;
  readonly #session: TextSession;
  readonly #text: string;
  readonly #known: Known;
  /** How many ids the tree had. */
  readonly #reused: number;
  /** The ids after them that have been read; `#count` says how many. New arrays cost more than the ids of a block. */
  #ids = scratch;
  #count = 0;
  /** How far the text has been fed, in units. */
  #fed: number;

  constructor(session: TextSession, text: string, known: Known) {
    this.#session = session;
    this.#text = text;
    this.#known = known;
    this.settled = known.end.settled;
    this.#reused = this.settled.ids;
    this.#fed = this.settled.units;
    session.resume(this.settled.bytes);
  }

  idsBetween(from: Settled, to: Settled): Uint32Array {
    return this.#ids.subarray(from.ids - this.#reused, to.ids - this.#reused);
  }

  /** Goes on until `room` bytes are used up; true if there are no more blocks. */
  learn(room: number): boolean {
    let at = this.#known.end.end;
    for (let left = room; left > 0; ) {
      const end = blockEnd(this.#text, at);
      if (end === undefined) return true;
      const { ids } = this.settled;
      this.#read(end);
      left -= 2 * (end - at) + 4 * (this.settled.ids - ids);
      at = end;
    }
    return blockEnd(this.#text, at) === undefined;
  }

  #read(end: number): void {
    this.#take(this.#session.feed(this.#text.slice(this.#fed, end), false));
    this.#fed = end;
    const { position, idsBeyond, bytesBeyond } = this.#session.mark();
    const units = unitsBefore(this.#text, end, bytesBeyond);
    if (units !== undefined) this.settled = { units, bytes: position, ids: this.#reused + this.#count - idsBeyond };
    this.blocks.push({ end, settled: this.settled });
  }

  #take(count: number): void {
    const size = this.#count + count;
    if (size > this.#ids.length) {
      const larger = new Uint32Array(2 * size);
      larger.set(this.#ids.subarray(0, this.#count));
      this.#ids = larger;
    }
    this.#session.takeInto(this.#ids.subarray(this.#count, size));
    this.#count = size;
  }

  #readRest(): number {
    return this.#session.feed(this.#text.slice(this.#fed), true);
  }

  countAll(): number {
    return this.#reused + this.#count + this.#readRest();
  }

  allIds(): UnsharedUint32Array {
    const before = this.#reused + this.#count;
    const all = new Uint32Array(before + this.#readRest());
    this.#known.write(all);
    all.set(this.#ids.subarray(0, this.#count), this.#reused);
    this.#session.takeInto(all.subarray(before));
    return all;
  }
}

/**
 * The position in a text that is `bytes` of UTF-8 before `end`; undefined if that is far away, or inside a character: no text
 * can begin there.
 */
function unitsBefore(text: string, end: number, bytes: number): number | undefined {
  if (bytes > MOST_BEYOND) return undefined;
  let at = end;
  let left = bytes;
  while (left > 0) {
    const unit = text.charCodeAt(--at);
    if (unit < 0x80) left--;
    else if (unit < 0x800) left -= 2;
    else if ((unit & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800) {
      at--;
      left -= 4;
    } else left -= 3;
  }
  return left === 0 ? at : undefined;
}

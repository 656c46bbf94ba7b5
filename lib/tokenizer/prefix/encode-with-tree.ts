// Encodes a text from the end of its known beginning on, and adds what it learns to the tree.

import type { EngineTokenizer, Policy, TextSession } from '../../engine/engine.js';
import type { UnsharedUint32Array } from '../../base/typed-arrays.js';
import { type Block, blockEnd, type Known, type Learned, type PrefixTree, type Settled } from './prefix-tree.js';

/** If so many bytes are not settled, it is not worth a search for the place where they begin. */
const MOST_BEYOND = 16 * 1024;

const NONE = new Uint32Array(0);

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

/** Encodes block after block. */
class Learning implements Learned {
  readonly blocks: Block[] = [];
  readonly ids: Uint32Array[] = [];
  /** The settled position. */
  settled: Settled;
  readonly #session: TextSession;
  readonly #text: string;
  readonly #known: Known;
  /** Ids after the settled position that have been read. */
  #beyond: Uint32Array = NONE;
  /** How far the text has been fed, in units. */
  #fed: number;

  constructor(session: TextSession, text: string, known: Known) {
    this.#session = session;
    this.#text = text;
    this.#known = known;
    this.settled = known.end.settled;
    this.#fed = this.settled.units;
    session.resume(this.settled.bytes);
  }

  /** Goes on until `room` bytes are used up; true if there are no more blocks. */
  learn(room: number): boolean {
    let at = this.#known.end.end;
    for (let left = room; left > 0; ) {
      const end = blockEnd(this.#text, at);
      if (end === undefined) return true;
      const ids = this.#read(end);
      left -= 2 * (end - at) + ids.byteLength;
      at = end;
    }
    return blockEnd(this.#text, at) === undefined;
  }

  #read(end: number): Uint32Array {
    this.#session.feed(this.#text.slice(this.#fed, end), false);
    this.#fed = end;
    const ids = this.#settle(joined(this.#beyond, this.#session.take()));
    this.blocks.push({ end, settled: this.settled });
    this.ids.push(ids);
    return ids;
  }

  /** Moves on to the position of the session's mark. Returns the ids up to there, and keeps those beyond. */
  #settle(ids: Uint32Array): Uint32Array {
    const { position, idsBeyond, bytesBeyond } = this.#session.mark();
    const units = unitsBefore(this.#text, this.#fed, bytesBeyond);
    if (units === undefined) {
      this.#beyond = ids;
      return NONE;
    }
    const count = ids.length - idsBeyond;
    this.settled = { units, bytes: position, ids: this.settled.ids + count };
    if (idsBeyond === 0) {
      this.#beyond = NONE;
      return ids;
    }
    this.#beyond = ids.slice(count);
    return ids.slice(0, count);
  }

  /** Reads the rest of the text. */
  countAll(): number {
    return this.settled.ids + this.#beyond.length + this.#session.feed(this.#text.slice(this.#fed), true);
  }

  allIds(): UnsharedUint32Array {
    const all = new Uint32Array(this.countAll());
    this.#known.write(all);
    let at = this.#known.end.settled.ids;
    for (const list of [...this.ids, this.#beyond, this.#session.take()]) {
      all.set(list, at);
      at += list.length;
    }
    return all;
  }
}

function joined(first: Uint32Array, second: Uint32Array): Uint32Array {
  if (first.length === 0) return second;
  const all = new Uint32Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
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

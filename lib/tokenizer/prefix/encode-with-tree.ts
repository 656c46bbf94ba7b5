// Encodes a text from the end of its longest known beginning on, and adds what it learns to the tree.

import type { EngineTokenizer, Policy, TextSession } from '../../engine/engine.js';
import type { UnsharedUint32Array } from '../../base/typed-arrays.js';
import { blockAt, type Node, type PrefixTree, type Settled } from './prefix-tree.js';

/** A block whose last ids are further from its end is not worth a search for the place where they end. */
const MOST_BEYOND = 16 * 1024;

const NONE = new Uint32Array(0);

/** What a call has done: the ids, unless it only counted them, and how many came from the tree. */
export interface Encoded {
  ids: UnsharedUint32Array;
  count: number;
  reused: number;
}

export function encodeWithTree(engine: EngineTokenizer, tree: PrefixTree, text: string, policy: Policy, counting: boolean): Encoded {
  const path = tree.find(keyOf(policy), text);
  const known = path.at(-1);
  const reused = known?.settled.ids ?? 0;
  const session = engine.begin(policy, false);
  try {
    const learning = new Learning(session, tree, text, path);
    learning.learn();
    if (!counting) return { ids: learning.finish(), count: 0, reused };
    const { settled } = learning;
    // Ids that nothing will keep are not produced.
    if (learning.isComplete) return { ids: NONE, count: settled.ids + learning.countRest(), reused };
    return { ids: NONE, count: settled.ids + countFrom(engine, text, policy, settled), reused };
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

/** Encodes the blocks after a known beginning, as long as the tree takes them. */
class Learning {
  readonly #session: TextSession;
  readonly #tree: PrefixTree;
  readonly #text: string;
  readonly #path: Node[];
  /** The settled position. */
  settled: Settled;
  /** Whether the tree has taken every whole block. */
  isComplete = true;
  /** Ids before `settled` that no node has. */
  #unkept: Uint32Array = NONE;
  /** Ids after it that have been read. */
  #beyond: Uint32Array = NONE;
  /** How far the text has been fed, in units. */
  #fed: number;

  constructor(session: TextSession, tree: PrefixTree, text: string, path: Node[]) {
    this.#session = session;
    this.#tree = tree;
    this.#text = text;
    this.#path = path;
    this.settled = path.at(-1)?.settled ?? { units: 0, bytes: 0, ids: 0 };
    this.#fed = this.settled.units;
    session.resume(this.settled.bytes);
  }

  learn(): void {
    for (;;) {
      const parent = this.#path.at(-1);
      const block = blockAt(this.#text, parent?.end ?? 0);
      if (block === undefined) return;
      this.isComplete = parent !== undefined && this.#learn(parent, block);
      if (!this.isComplete) return;
    }
  }

  /** False if the tree has no room. */
  #learn(parent: Node, block: string): boolean {
    const end = parent.end + block.length;
    this.#session.feed(this.#text.slice(this.#fed, end), false);
    this.#fed = end;
    const ids = this.#settle(joined(this.#beyond, this.#session.take()));
    const node = this.#tree.add(parent, block, this.settled, ids);
    if (!node) {
      this.#unkept = ids;
      return false;
    }
    this.#path.push(node);
    return true;
  }

  /** Moves on to the position of the session's mark. Returns the ids up to there, and keeps those beyond. */
  #settle(ids: Uint32Array): Uint32Array {
    const { position, idsBeyond, bytesBeyond } = this.#session.mark();
    const units = unitsBefore(this.#text, this.#fed, bytesBeyond);
    // Inside a character, no text can begin.
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

  /** The number of ids from the settled position to the end of the text. */
  countRest(): number {
    return this.#beyond.length + this.#session.feed(this.#text.slice(this.#fed), true);
  }

  /** The ids of the whole text. */
  finish(): UnsharedUint32Array {
    const known = this.settled.ids + this.#beyond.length;
    const count = known + this.#session.feed(this.#text.slice(this.#fed), true);
    const ids = new Uint32Array(count);
    let at = 0;
    for (const node of this.#path) {
      ids.set(node.ids, at);
      at += node.ids.length;
    }
    ids.set(this.#unkept, at);
    ids.set(this.#beyond, at + this.#unkept.length);
    ids.set(this.#session.take(), known);
    return ids;
  }
}

function joined(first: Uint32Array, second: Uint32Array): Uint32Array {
  if (first.length === 0) return second;
  const all = new Uint32Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/** The position in a text that is `bytes` of UTF-8 before `end`; undefined if that is inside a character, or far away. */
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

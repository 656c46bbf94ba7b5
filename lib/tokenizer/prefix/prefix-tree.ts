// Texts that have been encoded, as a tree: texts that begin alike share the nodes of their beginning.
//
// A node is a run of text, in blocks. For the end of each block it knows what the engine said when exactly the text up to there
// had been fed: up to which position no further text can change the ids. These ids, and that position, are the same for every
// text that begins with the same blocks. Invariant: a block is found only by comparing all of the text up to its end, which is
// all that the engine had looked at. Nothing else about a text is trusted: a hash only finds candidates.
//
// The nodes are in a list from the newest to the oldest use. A node is always newer than its children, so the oldest one has
// no children and can be removed.

import { ownText } from '../../base/own-text.js';

/** Units of a block. Encoding as much again takes a few microseconds. */
const BLOCK = 4096;
/** The most units of a node: comparing a few long strings is twice as fast as comparing many short ones. */
const RUN = 16 * BLOCK;
/** The most units of a node that has grown: its text is copied each time. */
const GROWN = 4 * BLOCK;
/** What a node and a block take besides text and ids, in bytes: objects of V8, rounded up. */
const NODE_BYTES = 640;
const BLOCK_BYTES = 384;

/** A position in a text: in units, in bytes of UTF-8, and how many ids come before it. */
export interface Settled {
  readonly units: number;
  readonly bytes: number;
  readonly ids: number;
}

/** The end of a block, in units from the beginning of the text, and the settled position when the text has been fed up to there. */
export interface Block {
  readonly end: number;
  readonly settled: Settled;
}

export const BEGINNING: Block = { end: 0, settled: { units: 0, bytes: 0, ids: 0 } };

/** The blocks of a text after those that the tree knows. */
export interface Learned {
  readonly blocks: readonly Block[];
  /** The ids between two settled positions of them, until the next text is encoded. */
  idsBetween(from: Settled, to: Settled): Uint32Array;
}

class Node {
  parent: Node | undefined;
  /** Its text; of a root, what tells it from others. */
  text: string;
  /** Where the node begins. */
  readonly start: Block;
  readonly blocks: Block[];
  /** From the settled position of the beginning to that of the end, in pieces of at least a block: to join them takes time. */
  readonly ids: Uint32Array[];
  /** Of its first block. */
  hash: number;
  /** The child that was found last; the others are looked up in the map, once there are two. */
  last: Node | undefined;
  children: Map<number, Node> | undefined;
  newer: Node | undefined;
  older: Node | undefined;
  /** The last text that it was part of. */
  usedBy = 0;

  constructor(parent: Node | undefined, text: string, start: Block, blocks: Block[], ids: Uint32Array[]) {
    this.parent = parent;
    this.text = text;
    this.start = start;
    this.blocks = blocks;
    this.ids = ids;
    this.hash = blocks.length > 0 ? hashOf(text, 0, (blocks[0] as Block).end - start.end) : 0;
  }

  get size(): number {
    return NODE_BYTES + BLOCK_BYTES * this.blocks.length + 2 * this.text.length + 4 * (this.end().settled.ids - this.start.settled.ids);
  }

  /** The end of its first `count` blocks. */
  end(count = this.blocks.length): Block {
    return count === 0 ? this.start : (this.blocks[count - 1] as Block);
  }
}

/** The known beginning of a text. It is good until the tree is asked for another text. */
export class Known {
  /** `count`: how many blocks of the last node. */
  constructor(
    readonly nodes: readonly Node[],
    readonly count: number,
  ) {}

  get end(): Block {
    return this.nodes.at(-1)?.end(this.count) ?? BEGINNING;
  }

  /** Writes the ids before the settled position. */
  write(ids: Uint32Array): void {
    const end = this.end.settled.ids;
    let at = 0;
    for (const node of this.nodes) {
      for (const piece of node.ids) {
        if (at === end) return;
        ids.set(at + piece.length > end ? piece.subarray(0, end - at) : piece, at);
        at = Math.min(at + piece.length, end);
      }
    }
  }
}

export class PrefixTree {
  /** Shorter texts have no block. */
  static readonly LEAST = BLOCK;

  readonly #maxBytes: number;
  readonly #roots = new Map<string, Node>();
  #newest: Node | undefined;
  #oldest: Node | undefined;
  #bytes = 0;
  #texts = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** What all nodes take: two bytes for each unit of text, although most engines need one for ASCII. */
  get bytes(): number {
    return this.#bytes;
  }

  clear(): void {
    this.#roots.clear();
    this.#newest = this.#oldest = undefined;
    this.#bytes = 0;
  }

  /** The known beginning of a text. Texts with different keys share nothing. */
  find(key: string, text: string): Known {
    this.#texts++;
    const root = this.#roots.get(key) ?? this.#addRoot(key);
    if (root === undefined) return new Known([], 0);
    const nodes = [root];
    let count = 0;
    for (let node = root; count === node.blocks.length; ) {
      const at = node.end().end;
      // Nearly always all of the last child's text is there: one comparison of a long string.
      const { last } = node;
      const isAllThere = last !== undefined && hasBlocks(last, last.blocks.length, text, at);
      const child = isAllThere ? last : childAt(node, text, at);
      if (child === undefined) break;
      node.last = child;
      count = isAllThere ? child.blocks.length : commonBlocks(child, text, at);
      nodes.push(child);
      node = child;
    }
    for (let i = nodes.length - 1; i >= 0; i--) this.#use(nodes[i] as Node);
    return new Known(nodes, count);
  }

  /** How many bytes it could take for more blocks of the text that was found last. */
  roomAfter(known: Known): number {
    return known.nodes.length === 0 ? 0 : this.#maxBytes - known.nodes.reduce((sum, node) => sum + node.size, NODE_BYTES);
  }

  /** Adds blocks to the beginning that was found last, as many as there is room for. */
  grow(known: Known, text: string, learned: Learned): void {
    let node = known.nodes.at(-1);
    if (node === undefined || learned.blocks.length === 0) return;
    if (known.count < node.blocks.length && !this.#divide(node, known.count)) return;
    let added = node.parent && !node.last ? this.#extend(node, text, learned) : 0;
    if (added < learned.blocks.length) node = this.#mergedWithParent(node);
    while (added < learned.blocks.length) {
      const child = this.#addChild(node, text, learned, added);
      if (child === undefined) return;
      added += child.blocks.length;
      node = child;
    }
  }

  /** Adds blocks to a node without children. Returns how many. */
  #extend(node: Node, text: string, learned: Learned): number {
    const start = node.end();
    const count = this.#fitting(learned, 0, start, GROWN - node.text.length, 0);
    if (count === 0) return 0;
    const before = node.size;
    const last = learned.blocks[count - 1] as Block;
    node.text = ownText(node.text + text.slice(start.end, last.end));
    for (let i = 0; i < count; i++) node.blocks.push(learned.blocks[i] as Block);
    node.ids.push(learned.idsBetween(start.settled, last.settled).slice());
    this.#bytes += node.size - before;
    return count;
  }

  /** Moves a leaf that has grown to its end into its parent, if that has no other child: few long nodes are found faster. */
  #mergedWithParent(leaf: Node): Node {
    const { parent } = leaf;
    if (!parent?.parent || parent.children || leaf.last || parent.text.length + leaf.text.length > RUN) return leaf;
    const before = parent.size + leaf.size;
    parent.text = ownText(parent.text + leaf.text);
    parent.blocks.push(...leaf.blocks);
    parent.ids.push(...leaf.ids);
    parent.last = undefined;
    this.#unlink(leaf);
    this.#bytes += parent.size - before;
    return parent;
  }

  #addChild(parent: Node, text: string, learned: Learned, from: number): Node | undefined {
    const start = parent.end();
    const count = this.#fitting(learned, from, start, RUN, NODE_BYTES);
    if (count === 0) return undefined;
    const blocks = learned.blocks.slice(from, from + count);
    const last = blocks[count - 1] as Block;
    const ids = learned.idsBetween(start.settled, last.settled).slice();
    const node = new Node(parent, ownText(text.slice(start.end, last.end)), start, blocks, [ids]);
    if (parent.last && !parent.children) parent.children = new Map([[parent.last.hash, parent.last]]);
    parent.children?.set(node.hash, node);
    parent.last = node;
    this.#insert(node, parent);
    return node;
  }

  /** How many blocks from `from` on have at most `units`, and fit besides `size` bytes. */
  #fitting({ blocks }: Learned, from: number, start: Block, units: number, size: number): number {
    const sizes: number[] = [];
    for (let i = from; i < blocks.length; i++) {
      const { end, settled } = blocks[i] as Block;
      if (end - start.end > units) break;
      sizes.push(size + BLOCK_BYTES * (i + 1 - from) + 2 * (end - start.end) + 4 * (settled.ids - start.settled.ids));
    }
    let count = sizes.length;
    while (count > 0 && !this.#makeRoom(sizes[count - 1] as number)) count--;
    return count;
  }

  /** Makes a node end after `count` blocks; the rest of it becomes its only child. False if there is no room for that. */
  #divide(node: Node, count: number): boolean {
    if (!this.#makeRoom(NODE_BYTES)) return false;
    const before = node.size;
    const middle = node.end(count);
    const units = middle.end - node.start.end;
    const [ids, idsOfRest] = divided(node.ids, middle.settled.ids - node.start.settled.ids);
    const rest = new Node(node, ownText(node.text.slice(units)), middle, node.blocks.splice(count), [idsOfRest]);
    rest.last = node.last;
    rest.children = node.children;
    rest.last && (rest.last.parent = rest);
    rest.children?.forEach((child) => (child.parent = rest));
    node.text = ownText(node.text.slice(0, units));
    node.ids.splice(0, node.ids.length, ids);
    node.last = rest;
    node.children = undefined;
    this.#bytes += node.size - before;
    this.#insert(rest, node);
    return true;
  }

  #addRoot(key: string): Node | undefined {
    const root = new Node(undefined, key, BEGINNING, [], []);
    if (!this.#makeRoom(root.size)) return undefined;
    this.#roots.set(key, root);
    this.#insert(root, undefined);
    return root;
  }

  /** Removes the oldest nodes until there is room. False if nodes of the current text would have to go. */
  #makeRoom(size: number): boolean {
    while (this.#bytes + size > this.#maxBytes) {
      const oldest = this.#oldest;
      if (oldest === undefined || oldest.usedBy === this.#texts) return false;
      this.#remove(oldest);
    }
    return true;
  }

  #remove(node: Node): void {
    const { parent } = node;
    if (!parent) this.#roots.delete(node.text);
    else {
      // Another child with the same hash may have taken its place.
      if (parent.children?.get(node.hash) === node) parent.children.delete(node.hash);
      if (parent.last === node) parent.last = parent.children?.values().next().value;
    }
    this.#unlink(node);
    this.#bytes -= node.size;
  }

  #use(node: Node): void {
    node.usedBy = this.#texts;
    if (this.#newest === node) return;
    this.#unlink(node);
    this.#link(node, undefined);
  }

  #insert(node: Node, newer: Node | undefined): void {
    node.usedBy = this.#texts;
    this.#link(node, newer);
    this.#bytes += node.size;
  }

  /** Puts a node behind `newer`; first if undefined. */
  #link(node: Node, newer: Node | undefined): void {
    const older = newer ? newer.older : this.#newest;
    node.newer = newer;
    node.older = older;
    if (newer) newer.older = node;
    else this.#newest = node;
    if (older) older.newer = node;
    else this.#oldest = node;
  }

  #unlink(node: Node): void {
    const { newer, older } = node;
    if (newer) newer.older = older;
    else this.#newest = older;
    if (older) older.newer = newer;
    else this.#oldest = newer;
  }
}

/** The child whose first block the text has at a position. */
function childAt({ last, children }: Node, text: string, at: number): Node | undefined {
  if (last !== undefined && hasBlocks(last, 1, text, at)) return last;
  if (children === undefined) return undefined;
  const end = blockEnd(text, at);
  const child = end === undefined ? undefined : children.get(hashOf(text, at, end));
  return child !== undefined && hasBlocks(child, 1, text, at) ? child : undefined;
}

/** How many blocks of a node the text has at a position, at least one. */
function commonBlocks(node: Node, text: string, at: number): number {
  let least = 1;
  let most = node.blocks.length;
  if (hasBlocks(node, most, text, at)) return most;
  while (most - least > 1) {
    const middle = (least + most) >>> 1;
    if (hasBlocks(node, middle, text, at)) least = middle;
    else most = middle;
  }
  return least;
}

function hasBlocks(node: Node, count: number, text: string, at: number): boolean {
  const { length } = node.blocks;
  const own = count === length ? node.text : node.text.slice(0, (node.blocks[count - 1] as Block).end - node.start.end);
  return text.slice(at, at + own.length) === own;
}

/** Where a block of the text from a position on ends, not inside a character; undefined if there is no such place. */
export function blockEnd(text: string, at: number): number | undefined {
  let end = at + BLOCK;
  if (end > text.length) return undefined;
  while (isHighSurrogate(text, end - 1)) if (--end === at) return undefined;
  return end;
}

function isHighSurrogate(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800;
}

function hashOf(text: string, from: number, to: number): number {
  let hash = to - from;
  for (let i = from; i < to; i++) hash = (Math.imul(hash, 0x01000193) ^ text.charCodeAt(i)) | 0;
  return hash;
}

/** Copies: a view would keep all of an array alive. */
function divided(pieces: readonly Uint32Array[], at: number): [Uint32Array, Uint32Array] {
  const all = new Uint32Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let written = 0;
  for (const piece of pieces) {
    all.set(piece, written);
    written += piece.length;
  }
  return [all.slice(0, at), all.slice(at)];
}

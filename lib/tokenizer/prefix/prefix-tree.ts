// Texts that have been encoded, as a tree of blocks: texts that begin alike share the blocks of their beginning.
//
// A node stands for the text from the beginning to the end of its block. When exactly that text has been fed, the engine says
// up to which position its ids can no longer change (a `TextMark`): these ids, and that position, are the same for every text
// that begins with the node's. Invariant: a node is found only by comparing all of that text, which reaches beyond its
// position by everything the engine looked at. Nothing else about a text is trusted, such as a hash.
//
// The nodes are in a list from the newest to the oldest use. A node is always newer than its children, so the oldest one has
// no children and can be removed.

/** Units of a block. Encoding as much again takes a few microseconds. */
const BLOCK = 4096;
/** What a node takes besides its text and ids, in bytes: objects of V8, rounded up. */
const NODE_BYTES = 640;

const NONE = new Uint32Array(0);

/** A position in a text: in units, in bytes of UTF-8, and how many ids come before it. */
export interface Settled {
  readonly units: number;
  readonly bytes: number;
  readonly ids: number;
}

const BEGINNING: Settled = { units: 0, bytes: 0, ids: 0 };

export class Node {
  readonly parent: Node | undefined;
  /** Its block; of a root, what tells it from others. */
  readonly text: string;
  /** Where the block ends in the text, in units. */
  readonly end: number;
  readonly settled: Settled;
  /** The ids between the settled positions of its parent and its own. */
  readonly ids: Uint32Array;
  readonly size: number;
  /** The child that was found last; the others are looked up in the map, once there are two. */
  last: Node | undefined;
  children: Map<string, Node> | undefined;
  newer: Node | undefined;
  older: Node | undefined;
  /** The last text that it was part of. */
  usedBy = 0;

  constructor(parent: Node | undefined, text: string, end: number, settled: Settled, ids: Uint32Array) {
    this.parent = parent;
    this.text = text;
    this.end = end;
    this.settled = settled;
    this.ids = ids;
    this.size = sizeOf(text, ids);
  }
}

function sizeOf(text: string, ids: Uint32Array): number {
  return NODE_BYTES + 2 * text.length + ids.byteLength;
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

  /** What all nodes take: two bytes for each unit of text, although some engines need one for ASCII. */
  get bytes(): number {
    return this.#bytes;
  }

  clear(): void {
    this.#roots.clear();
    this.#newest = this.#oldest = undefined;
    this.#bytes = 0;
  }

  /**
   * The node of the longest known beginning of a text, and the nodes before it, root first; empty if there is no room for even
   * the root. Texts with different keys share nothing. These nodes stay until the next call.
   */
  find(key: string, text: string): Node[] {
    this.#texts++;
    let node: Node | undefined = this.#roots.get(key) ?? this.#addRoot(key);
    const path: Node[] = [];
    for (let at = 0; node !== undefined; at = node.end, node = childAt(node, text, at)) path.push(node);
    for (let i = path.length - 1; i >= 0; i--) this.#use(path[i] as Node);
    return path;
  }

  /** Adds the child of a node for the next block of the text found last; undefined if there is no room for it. */
  add(parent: Node, block: string, settled: Settled, ids: Uint32Array): Node | undefined {
    // A copy: a slice of the caller's string would keep all of it alive.
    const node = new Node(parent, ` ${block}`.slice(1), parent.end + block.length, settled, ids);
    if (!this.#makeRoom(node.size)) return undefined;
    if (parent.children) parent.children.set(node.text, node);
    else if (parent.last) {
      parent.children = new Map([
        [parent.last.text, parent.last],
        [node.text, node],
      ]);
    }
    parent.last = node;
    this.#insert(node, parent);
    return node;
  }

  #addRoot(key: string): Node | undefined {
    const root = new Node(undefined, key, 0, BEGINNING, NONE);
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
      parent.children?.delete(node.text);
      // The map may keep a single child, which is then not the last one.
      if (parent.last === node) parent.last = undefined;
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

function childAt(node: Node, text: string, at: number): Node | undefined {
  const { last, children } = node;
  // Comparing with one known text is about ten times as fast as hashing the block for the map.
  if (last !== undefined && text.slice(at, at + last.text.length) === last.text) return last;
  if (children === undefined) return undefined;
  const block = blockAt(text, at);
  const child = block === undefined ? undefined : children.get(block);
  if (child !== undefined) node.last = child;
  return child;
}

/** The block of a text at a position; undefined if too little text is left. It does not end inside a character. */
export function blockAt(text: string, at: number): string | undefined {
  let end = at + BLOCK;
  if (end > text.length) return undefined;
  if (isHighSurrogate(text, end - 1) && isHighSurrogate(text, --end - 1)) return undefined;
  return text.slice(at, end);
}

function isHighSurrogate(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800;
}

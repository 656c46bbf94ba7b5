// Finds the first of several sequences in a text that arrives in parts: the automaton of Aho and Corasick over UTF-16 units.
//
// A node stands for the beginning of a sequence, and after each unit the automaton is in the node of the longest beginning
// that the text ends with. So its depth says how much of the text's end may still become a sequence.

/** Small, since a server may have an automaton for each of many streams: the children of a node are a list. */
interface Node {
  /** The last unit of the beginning. */
  readonly unit: number;
  readonly depth: number;
  /** The parent's next child. */
  readonly sibling: Node | undefined;
  child: Node | undefined;
  /** The node of the longest proper end of this beginning that is itself a beginning. */
  fallback: Node | undefined;
  /** The longest sequence that ends here. */
  found: string | undefined;
}

function nodeOf(unit: number, depth: number, sibling: Node | undefined): Node {
  return { unit, depth, sibling, child: undefined, fallback: undefined, found: undefined };
}

function childOf(node: Node, unit: number): Node | undefined {
  let child = node.child;
  while (child && child.unit !== unit) child = child.sibling;
  return child;
}

export class StopFinder {
  readonly #root = nodeOf(0, 0, undefined);
  #node = this.#root;
  /** By the low byte of a unit: whether a sequence may begin with it. Most units are dismissed by this. */
  readonly #begins = new Uint8Array(256);

  /** None of the sequences is empty. */
  constructor(sequences: readonly string[]) {
    for (const sequence of sequences) this.#add(sequence);
    this.#link();
  }

  /** How many units at the end of the text may begin a sequence. */
  get pending(): number {
    return this.#node.depth;
  }

  /**
   * Reads the next part of the text, up to the first unit that completes a sequence. Of several that end there the longest is
   * found. Undefined if there is none.
   */
  read(part: string): { sequence: string; end: number } | undefined {
    let node = this.#node;
    for (let at = 0; at < part.length; at++) {
      const unit = part.charCodeAt(at);
      if (node === this.#root && this.#begins[unit & 0xff] === 0) continue;
      node = this.#after(node, unit);
      if (node.found !== undefined) return { sequence: node.found, end: at + 1 };
    }
    this.#node = node;
    return undefined;
  }

  #after(from: Node, unit: number): Node {
    for (let node: Node | undefined = from; node; node = node.fallback) {
      const next = childOf(node, unit);
      if (next) return next;
    }
    return this.#root;
  }

  #add(sequence: string): void {
    let node = this.#root;
    this.#begins[sequence.charCodeAt(0) & 0xff] = 1;
    for (let at = 0; at < sequence.length; at++) {
      const unit = sequence.charCodeAt(at);
      node = childOf(node, unit) ?? (node.child = nodeOf(unit, node.depth + 1, node.child));
    }
    node.found = sequence;
  }

  /** Breadth first: a node's fallback is not as deep as the node. */
  #link(): void {
    const nodes = [this.#root];
    for (const node of nodes) {
      for (let child = node.child; child; child = child.sibling) {
        child.fallback = node.fallback ? this.#after(node.fallback, child.unit) : this.#root;
        child.found ??= child.fallback.found;
        nodes.push(child);
      }
    }
  }
}

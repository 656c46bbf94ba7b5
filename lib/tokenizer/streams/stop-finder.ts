// Finds the first of several sequences in a text that arrives in parts: the automaton of Aho and Corasick over UTF-16 units.
//
// A node stands for the beginning of a sequence, and after each unit the automaton is in the node of the longest beginning
// that the text ends with. So its depth says how much of the text's end may still become a sequence.

interface Node {
  readonly next: Map<number, Node>;
  readonly depth: number;
  /** The node of the longest proper end of this beginning that is itself a beginning. */
  fallback: Node | undefined;
  /** The longest sequence that ends here. */
  found: string | undefined;
}

function nodeAt(depth: number): Node {
  return { next: new Map(), depth, fallback: undefined, found: undefined };
}

export class StopFinder {
  readonly #root = nodeAt(0);
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
      const next = node.next.get(unit);
      if (next) return next;
    }
    return this.#root;
  }

  #add(sequence: string): void {
    let node = this.#root;
    this.#begins[sequence.charCodeAt(0) & 0xff] = 1;
    for (let at = 0; at < sequence.length; at++) {
      const unit = sequence.charCodeAt(at);
      let next = node.next.get(unit);
      if (!next) node.next.set(unit, (next = nodeAt(node.depth + 1)));
      node = next;
    }
    node.found = sequence;
  }

  /** Breadth first: a node's fallback is not as deep as the node. */
  #link(): void {
    const nodes = [this.#root];
    for (const node of nodes) {
      for (const [unit, next] of node.next) {
        next.fallback = node.fallback ? this.#after(node.fallback, unit) : this.#root;
        next.found ??= next.fallback.found;
        nodes.push(next);
      }
    }
  }
}

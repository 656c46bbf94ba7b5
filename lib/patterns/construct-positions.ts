// The positions of constructs in a pattern, for errors, since the parser does not keep them.

const TOKEN =
  /\\(?:[pPx]\{[^}]*\}|[kg]<[^>]*>|[\s\S])|\(\?(?:<?[=!]|[>~|]|<[^>]*>|[a-zA-Z-]*[:)])|\(|\[\^?|\{\d*,?\d*\}\??|[?*+][?+]?|[\s\S]/gu;

const QUANTIFIER = /^(?:\{\d*,?\d*\}\??|[?*+][?+]?)$/;

/** The kinds of constructs with positions, each found in the order of the pattern. */
const KINDS = {
  lookaround: /^\(\?<?[=!]$/,
  group: /^\((?:\?.*)?$/,
  directive: /^(?:\(\?[a-zA-Z-]*\)|\\K)$/,
  anchor: /^(?:[$^]|\\[bBAzZGyY])$/,
  reference: /^\\(?:[1-9]|[kg]<.*>)$/,
  class: /^\[\^?$/,
  set: /^\\[a-zA-Z].*$/,
  quantifier: QUANTIFIER,
};

/** Walks the tokens of a pattern. */
export class ConstructPositions {
  readonly #tokens: { text: string; position: number }[] = [];
  #next = 0;
  #last = 0;

  constructor(pattern: string) {
    let depth = 0;
    for (const { 0: text, index: position } of pattern.matchAll(TOKEN)) {
      // Inside a class, only classes and escapes are more than characters.
      if (depth === 0 || text.startsWith('[') || text.startsWith('\\')) this.#tokens.push({ text, position });
      if (text.startsWith('[')) ++depth;
      else if (text === ']' && depth > 0) --depth;
    }
  }

  /** Where the alternatives of the whole pattern begin. */
  alternatives(): number[] {
    const starts = [0];
    let depth = 0;
    for (const { text, position } of this.#tokens) {
      if (text.startsWith('(') && !/^\(\?[a-zA-Z-]*\)$/.test(text)) ++depth;
      else if (text === ')') --depth;
      else if (text === '|' && depth === 0) starts.push(position + 1);
    }
    return starts;
  }

  /** The position of the next construct of a kind. */
  next(kind: keyof typeof KINDS): number {
    for (let i = this.#next; i < this.#tokens.length; ++i) {
      const { text, position } = this.#tokens[i]!;
      if (!KINDS[kind].test(text)) continue;
      this.#next = i + 1;
      return (this.#last = position);
    }
    return this.#last;
  }
}

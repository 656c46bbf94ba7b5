// Parses patterns as Oniguruma 6.9.10 does with its own syntax, whose quirks are kept: a pattern means what it means there. Constructs
// that no published tokenizer uses are refused: names, calls, conditions, absent groups, callouts, \K, \X and the options x, W, D, S and P.

import { closedUnderFolding, expansions } from './case-folding.js';
import { readClass } from './character-class.js';
import { ALL, characters, codePoints, complement, type CodePoints } from './code-points.js';
import { type Token, Tokens } from './pattern-tokens.js';
import { empty, type Group, type Node, type OneOf, PatternError, type Repeat, type Text } from './tree.js';

interface Flags {
  ignoreCase: boolean;
  dotAll: boolean;
}

/** Parses a pattern; throws PatternError where Oniguruma refuses it for its syntax, and UnsupportedPattern for what is refused here. */
export function parse(pattern: string): Node {
  const alone = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.exec(pattern);
  if (alone) throw new PatternError('half of a surrogate pair', alone.index);
  return new Parser(pattern).parse();
}

class Parser {
  readonly #tokens: Tokens;
  /** By number; undefined while the group is open. */
  readonly #groups: (Group | undefined)[] = [];
  #flags: Flags = { ignoreCase: false, dotAll: false };
  #token!: Token;

  constructor(pattern: string) {
    this.#tokens = new Tokens(pattern);
  }

  parse(): Node {
    this.#next();
    return this.#alternatives('end', 0);
  }

  #next(): void {
    this.#token = this.#tokens.next();
  }

  /** Up to the end, or to the parenthesis that closes the group which `open` began. */
  #alternatives(end: 'end' | 'close', open: number): Node {
    const flags = this.#flags;
    const first = this.#branch(end);
    const items = [first];
    while (this.#token.type === 'alternative') {
      this.#next();
      items.push(this.#branch(end));
    }
    if (this.#token.type !== end) throw this.#tokens.error('a group without an end', open);
    this.#flags = flags;
    return items.length > 1 ? { kind: 'choice', items } : first;
  }

  #branch(end: 'end' | 'close'): Node {
    const first = this.#expression(end);
    const items = [first];
    while (this.#token.type !== 'end' && this.#token.type !== end && this.#token.type !== 'alternative') {
      const item = this.#expression(end);
      if (item.kind === 'list') items.push(...item.items);
      else items.push(item);
    }
    return items.length > 1 ? { kind: 'list', items } : first;
  }

  /** An item with its quantifiers. */
  #expression(end: 'end' | 'close'): Node {
    const { type } = this.#token;
    if (type === 'end' || type === 'alternative' || (type === 'close' && end === 'close')) return empty();
    let item = this.#item(end);
    // The text of a group without a capture is repeated as a whole.
    let isWhole = type === 'open';
    let text: Text | undefined;
    for (let token = this.#token; token.type === 'repeat'; token = this.#token) {
      if (!isRepeatable(item)) throw this.#tokens.error('a quantifier of what is not repeated', token.at);
      const { min, max, greedy, possessive, at } = token;
      if (min !== 1 || max !== 1) {
        if (item.kind === 'text' && item.characters.length > 1 && !isWhole) {
          text = { ...item, characters: item.characters.slice(0, -1) };
          item = { ...item, characters: item.characters.slice(-1) };
        }
        const repeat: Repeat = { kind: 'repeat', item, min, max, greedy, at };
        item = possessive ? { kind: 'atomic', item: repeat, at } : repeat;
      }
      isWhole = false;
      this.#next();
    }
    return text ? { kind: 'list', items: [text, item] } : item;
  }

  /** Reads an item: the token behind it is the current one then. */
  #item(end: 'end' | 'close'): Node {
    const token = this.#token;
    const { at } = token;
    const { ignoreCase, dotAll } = this.#flags;
    switch (token.type) {
      case 'open':
        return this.#group(at, end);
      case 'character': {
        const text: Text = { kind: 'text', characters: [], ignoreCase };
        for (let next: Token = token; next.type === 'character'; next = this.#token) {
          text.characters.push(next.code);
          this.#next();
        }
        return text;
      }
      case 'close':
        throw this.#tokens.error('a parenthesis that closes no group', at);
      case 'repeat':
        throw this.#tokens.error('a quantifier without anything to repeat', at);
    }
    const item = ((): Node => {
      switch (token.type) {
        case 'any':
          return { kind: 'set', set: dotAll ? ALL : complement(characters('\n')), isDot: true };
        case 'set':
          return oneOf(token.set);
        case 'class':
          return this.#class(at);
        case 'assertion':
          return { kind: 'assertion', what: token.what, at };
        case 'newline': {
          const lineFeed: Node = { kind: 'text', characters: [13, 10], ignoreCase: false };
          const one = oneOf(codePoints([10, 13], [0x85, 0x85], [0x2028, 0x2029]));
          return { kind: 'atomic', item: { kind: 'choice', items: [lineFeed, one] }, at };
        }
        case 'reference': {
          const group = this.#groups[token.group];
          if (!group) throw this.#tokens.unsupported('a reference to a group that does not end before it', at);
          if (ignoreCase) throw this.#tokens.unsupported('a reference without regard to case', at);
          group.isReferenced = true;
          return { kind: 'reference', group, at };
        }
        default:
          throw new Error(token.type);
      }
    })();
    this.#next();
    return item;
  }

  #class(at: number): Node {
    const { set, negated } = readClass(this.#tokens, at);
    if (!this.#flags.ignoreCase) return oneOf(negated ? complement(set) : set);
    const closed = closedUnderFolding(set);
    if (negated) return oneOf(complement(closed));
    const texts = expansions(closed).map((sets): Node => ({ kind: 'list', items: sets.map(oneOf) }));
    return texts.length === 0 ? oneOf(closed) : { kind: 'choice', items: [oneOf(closed), ...texts] };
  }

  /** After an open parenthesis. */
  #group(at: number, end: 'end' | 'close'): Node {
    const tokens = this.#tokens;
    if (tokens.peek() === undefined) throw tokens.error('a group without an end', at);
    if (tokens.peek() === '*') throw tokens.unsupported('a callout', at);
    if (!tokens.takeIf('?')) return this.#capture(at);
    if (tokens.takeIf(':')) return this.#body(at);
    if (tokens.takeIf('>')) return { kind: 'atomic', item: this.#body(at), at };
    const look = tokens.takeMatch(/(<?)([=!])/y);
    if (look) return { kind: 'look', behind: look[1] === '<', negate: look[2] === '!', item: this.#body(at), length: 0, at };
    const options = tokens.takeMatch(/(?=[-im])([im]*)(?:-([im]*))?([:)])/y);
    if (!options) throw tokens.unsupported(`a group that begins with (?${tokens.peek() ?? ''}`, at);
    const [, enabled = '', disabled = '', kind] = options;
    const flags = this.#flags;
    const isOn = (flag: string, before: boolean) => (before || enabled.includes(flag)) && !disabled.includes(flag);
    this.#flags = { ignoreCase: isOn('i', flags.ignoreCase), dotAll: isOn('m', flags.dotAll) };
    let item: Node;
    if (kind === ':') item = this.#body(at);
    else {
      // These options hold to the end of the group around them, its other alternatives included.
      this.#next();
      item = this.#alternatives(end, at);
    }
    this.#flags = flags;
    return { kind: 'options', item };
  }

  /** What a group contains, up to its parenthesis. */
  #body(at: number): Node {
    this.#next();
    const item = this.#alternatives('close', at);
    this.#next();
    return item;
  }

  #capture(at: number): Group {
    const number = ++this.#tokens.groupCount;
    const group: Group = { kind: 'group', item: this.#body(at), isReferenced: false };
    this.#groups[number] = group;
    return group;
  }
}

const oneOf = (set: CodePoints): OneOf => ({ kind: 'set', set });

function isRepeatable(node: Node): boolean {
  if (node.kind === 'choice') return node.items.every(isRepeatable);
  return node.kind !== 'assertion' && node.kind !== 'look';
}

// Parses the syntax of Oniguruma, which Hugging Face tokenizers match patterns with, to expressions. Constructs that a
// forward-reading automaton with one character of lookahead cannot handle are rejected.

import { toOnigurumaAst } from 'oniguruma-parser';
import type {
  AlternativeElementNode,
  AlternativeNode,
  CharacterClassElementNode,
  CharacterClassNode,
  CharacterSetNode,
  LookaroundAssertionNode,
  OnigurumaAst,
  QuantifierNode,
} from 'oniguruma-parser/parser';

import { closedUnderFolding, foldedLiteral, foldsToSeveral } from './case-folding.js';
import { ALL, characters, complement, intersection, NONE, union, type CodePoints } from './code-points.js';
import { choice, matchesNothing, possessive, sequence, type Expression } from './expression.js';
import { NESTED, PatternError } from './pattern-error.js';
import { ConstructPositions } from './construct-positions.js';
import { bareWord, posixBracket, property } from './properties.js';

/** In UTF-16 units; published ones have up to a few thousand. Each takes time and memory to parse. */
const LONGEST_PATTERN = 1 << 14;

const KEEP = '\\K, which excludes the text before it from the match';

/** The settings for a part of a pattern. */
interface Scope {
  ignoreCase: boolean;
  dotAll: boolean;
  /** Whether nothing of the pattern follows, so that a match of the part completes the pattern. */
  last: boolean;
}

/** Parses a pattern; throws PatternError for unsupported constructs. */
export function parsePattern(pattern: string): Expression {
  const { length } = pattern;
  if (length > LONGEST_PATTERN) throw new PatternError(`a pattern of ${length} characters, more than ${LONGEST_PATTERN}`);
  const byte = /(?<=(?<!\\)(?:\\\\)*)\\x[89a-fA-F][0-9a-fA-F]/.exec(pattern);
  if (byte) throw new PatternError('a byte that is not ASCII', byte.index);
  let ast: OnigurumaAst;
  try {
    ast = toOnigurumaAst(pattern);
  } catch (error) {
    if (error instanceof RangeError) throw new PatternError(NESTED);
    throw new PatternError(`not a valid pattern (${(error as Error).message})`);
  }
  return new Parser(pattern).alternatives(ast.body, { ignoreCase: false, dotAll: false, last: true });
}

class Parser {
  readonly #positions: ConstructPositions;

  constructor(pattern: string) {
    this.#positions = new ConstructPositions(pattern);
  }

  alternatives(bodies: AlternativeNode[], scope: Scope): Expression {
    let inner = scope;
    return choice(
      bodies.map(({ body }, index) => {
        let items = body;
        // Options outside a group apply to the rest of the enclosing group, including its alternatives.
        while (items[0]?.type === 'Directive') {
          const position = this.#positions.next('directive');
          if (items[0].kind !== 'flags') throw new PatternError(KEEP, position);
          if (index > 0) throw new PatternError('options inside an alternative', position);
          inner = withFlags(inner, items[0].flags);
          items = items.slice(1);
        }
        return this.#sequence(items, inner);
      }),
    );
  }

  #sequence(items: AlternativeElementNode[], scope: Scope): Expression {
    const result: Expression[] = [];
    for (let i = 0; i < items.length; ) {
      const literal = scope.ignoreCase ? literalFrom(items, i) : undefined;
      if (literal) {
        result.push(...this.#literal(literal.text));
        for (let groups = literal.groups; groups > 0; --groups) this.#positions.next('group');
        i = literal.end;
      } else {
        result.push(this.#element(items[i]!, { ...scope, last: scope.last && i === items.length - 1 }));
        ++i;
      }
    }
    return sequence(result);
  }

  #element(node: AlternativeElementNode, scope: Scope): Expression {
    switch (node.type) {
      case 'Character':
        return { kind: 'set', set: [[node.value, node.value]] };
      case 'CharacterSet':
      case 'CharacterClass':
        return { kind: 'set', set: this.#characters(node, scope) };
      case 'Group': {
        const position = this.#positions.next('group');
        const inner = withFlags(scope, node.flags);
        if (!node.atomic || scope.last) return this.alternatives(node.body, inner);
        const only = node.body.length === 1 && node.body[0]!.body.length === 1 ? node.body[0]!.body[0]! : undefined;
        if (only?.type === 'Quantifier' && isSet(only.body) && only.kind === 'greedy') {
          return this.#quantifier({ ...only, kind: 'possessive' }, inner);
        }
        if (only && isSet(only)) return this.#element(only, inner);
        throw new PatternError('an atomic group of more than one repeated character', position);
      }
      case 'CapturingGroup':
        this.#positions.next('group');
        return this.alternatives(node.body, scope);
      case 'Quantifier':
        return this.#quantifier(node, scope);
      case 'LookaroundAssertion':
        return this.#lookaround(node, scope);
      case 'Assertion': {
        const position = this.#positions.next('anchor');
        if (node.kind === 'line_end') return { kind: 'ahead', set: characters('\n'), end: true };
        if (node.kind === 'string_end') return { kind: 'ahead', set: NONE, end: true };
        throw new PatternError(`an anchor (${node.kind.replaceAll('_', ' ')})`, position);
      }
      case 'Backreference':
        throw new PatternError('a backreference', this.#positions.next('reference'));
      case 'Subroutine':
        throw new PatternError('a subroutine', this.#positions.next('reference'));
      case 'Directive':
        throw new PatternError(node.kind === 'flags' ? 'options inside an alternative' : KEEP, this.#positions.next('directive'));
      default:
        throw new PatternError(`${node.type} is not supported`, this.#positions.next('group'));
    }
  }

  #quantifier(node: QuantifierNode, scope: Scope): Expression {
    const { min: least, kind } = node;
    const most = node.max ?? Infinity;
    const inner = { ...scope, last: false };
    if (kind === 'possessive' && !scope.last) {
      if (!isSet(node.body))
        throw new PatternError('a possessive repetition of more than one character', this.#afterBody(node, inner).position);
      const { item } = this.#afterBody(node, inner);
      if (item.kind !== 'set')
        throw new PatternError('a possessive repetition of what folds to several characters', this.#positions.next('quantifier'));
      return possessive(item.set, least, most);
    }
    const { item, position } = this.#afterBody(node, inner);
    // Matchers differ in what they try first if one of several repetitions is empty.
    if (most > 1 && matchesNothing(item)) throw new PatternError('a repetition of what may be empty', position);
    return { kind: 'repeat', item, least, most, lazy: kind === 'lazy' };
  }

  #afterBody(node: QuantifierNode, scope: Scope): { item: Expression; position: number } {
    const item =
      node.body.type === 'Character'
        ? sequence(scope.ignoreCase ? this.#literal([node.body.value]) : [this.#element(node.body, scope)])
        : this.#element(node.body, scope);
    return { item, position: this.#positions.next('quantifier') };
  }

  /** Lookahead of one character, and at the end of the text. */
  #lookaround(node: LookaroundAssertionNode, scope: Scope): Expression {
    const position = this.#positions.next('lookaround');
    if (node.kind === 'lookbehind') throw new PatternError('a lookbehind', position);
    const inner = this.alternatives(node.body, { ...scope, last: false });
    const one = oneCharacter(inner);
    if (!one) throw new PatternError('a lookahead of more than one character', position);
    return node.negate ? { kind: 'ahead', set: complement(one.set), end: !one.end } : { kind: 'ahead', ...one };
  }

  #characters(node: CharacterSetNode | CharacterClassNode, scope: Scope): CodePoints {
    const position = this.#positions.next(node.type === 'CharacterClass' ? 'class' : isDot(node) ? 'anchor' : 'set');
    const named = node.type === 'CharacterSet' && (node.kind === 'property' || node.kind === 'posix') ? property(node.value) : undefined;
    const bare = (node.type === 'CharacterSet' && node.kind === 'word') || (named !== undefined && named === property('word'));
    const set = !bare ? this.#unfolded(node, scope) : node.negate ? complement(bareWord()) : bareWord();
    // Case does not affect escapes such as \s and \w.
    if (!scope.ignoreCase || (node.type === 'CharacterSet' && node.kind !== 'property')) return set;
    // As in Oniguruma: first folds, then negates the whole class.
    const negate = node.type === 'CharacterClass' && node.negate;
    const positive = negate ? complement(set) : set;
    if (!negate && foldsToSeveral(positive)) {
      throw new PatternError('a class without regard to case that has characters which fold to several', position);
    }
    const closed = closedUnderFolding(positive);
    return negate ? complement(closed) : closed;
  }

  #unfolded(node: CharacterClassElementNode, scope: Scope): CodePoints {
    switch (node.type) {
      case 'Character':
        return [[node.value, node.value]];
      case 'CharacterClassRange':
        return [[node.min.value, node.max.value]];
      case 'CharacterClass': {
        const parts = node.body.map((each) => {
          if (each.type === 'CharacterClass') this.#positions.next('class');
          else if (each.type === 'CharacterSet') this.#positions.next('set');
          return this.#unfolded(each, scope);
        });
        const set = node.kind === 'intersection' ? intersection(...parts) : union(...parts);
        return node.negate ? complement(set) : set;
      }
      case 'CharacterSet': {
        const set = this.#named(node, scope);
        return node.negate ? complement(set) : set;
      }
    }
  }

  #named(node: CharacterSetNode, scope: Scope): CodePoints {
    switch (node.kind) {
      case 'any':
        return ALL;
      case 'dot':
        return scope.dotAll ? ALL : complement(characters('\n'));
      case 'digit':
        return property('digit')!;
      case 'space':
        return property('space')!;
      case 'word':
        return property('word')!;
      case 'hex':
        return property('xdigit')!;
      case 'property':
      case 'posix': {
        const set = node.kind === 'posix' ? posixBracket(node.value) : property(node.value);
        if (set) return set;
        throw new PatternError(`the property ${node.value} is not known`, this.#positions.next('set'));
      }
      case 'newline':
        if (!node.variableLength) return characters('\n');
        throw new PatternError('\\R', this.#positions.next('set'));
      default:
        throw new PatternError('\\X', this.#positions.next('set'));
    }
  }

  #literal(text: readonly number[]): Expression[] {
    const parts = foldedLiteral(text);
    if (!parts)
      throw new PatternError('a text without regard to case in which foldings to several characters overlap', this.#positions.next('set'));
    return parts.map(({ sequence: sets, whole }) => {
      const one = sequence(sets.map((set): Expression => ({ kind: 'set', set })));
      return whole.length > 0 ? choice([one, { kind: 'set', set: whole }]) : one;
    });
  }
}

function withFlags(
  scope: Scope,
  flags: { enable?: { ignoreCase?: true; dotAll?: true }; disable?: { ignoreCase?: true; dotAll?: true } } | undefined,
): Scope {
  const { enable = {}, disable = {} } = flags ?? {};
  return {
    ...scope,
    ignoreCase: (scope.ignoreCase || enable.ignoreCase === true) && disable.ignoreCase !== true,
    dotAll: (scope.dotAll || enable.dotAll === true) && disable.dotAll !== true,
  };
}

function isSet(node: { type: string }): boolean {
  return node.type === 'Character' || node.type === 'CharacterSet' || node.type === 'CharacterClass';
}

function isDot(node: CharacterSetNode): boolean {
  return node.kind === 'dot';
}

/** The characters from an item on that Oniguruma folds as one text, including characters in plain groups. */
function literalFrom(items: AlternativeElementNode[], begin: number): { text: number[]; groups: number; end: number } | undefined {
  const text: number[] = [];
  let groups = 0;
  let end = begin;
  for (; end < items.length; ++end) {
    const node = items[end]!;
    if (node.type === 'Character') {
      text.push(node.value);
    } else if (node.type === 'Group' && !node.atomic && !node.flags && node.body.length === 1) {
      const inner = node.body[0]!.body;
      const literal = literalFrom(inner, 0);
      if (!literal || literal.end !== inner.length) break;
      text.push(...literal.text);
      groups += literal.groups + 1;
    } else {
      break;
    }
  }
  return text.length > 0 ? { text, groups, end } : undefined;
}

/** The set of an expression that matches one character, or the end of the text. */
function oneCharacter(expression: Expression): { set: CodePoints; end: boolean } | undefined {
  switch (expression.kind) {
    case 'set':
      return { set: expression.set, end: false };
    case 'ahead':
      return { set: expression.set, end: expression.end };
    case 'choice': {
      const each = expression.items.map(oneCharacter);
      if (!each.every((one) => one !== undefined)) return undefined;
      return { set: union(...each.map(({ set }) => set)), end: each.some(({ end }) => end) };
    }
    case 'repeat': {
      // The first repetition decides.
      const one = expression.least === 1 ? oneCharacter(expression.item) : undefined;
      return one && expression.item.kind === 'set' ? one : undefined;
    }
    case 'sequence':
      return expression.items.length === 1 ? oneCharacter(expression.items[0]!) : undefined;
  }
}

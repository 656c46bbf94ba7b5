// Parses tokens to a tree: expressions, by Jinja's grammar.

import { type Lexer, syntaxError, type Token, type TokenType } from './lexer.js';
import type { CallArguments, Expression, FilterNode, SliceNode, Target, TupleNode } from './nodes.js';
import type { Value } from './values/object.js';
import type { BinaryOperator, Comparison } from './values/operators.js';
import { ofTemplate, quotedText, type Str } from './values/text.js';

/** Deeper nesting of brackets and signs than Python can compile. */
const DEEPEST = 200;
/** The precedence of operators between expressions; `not` is a prefix, and signs bind tightest. */
const [OR, AND, NOT, COMPARISON, SUM, CONCAT, PRODUCT, POWER] = [1, 2, 3, 4, 5, 6, 7, 8];
const RANKS = new Map<string, number>(
  [
    [OR, 'or'],
    [AND, 'and'],
    [COMPARISON, 'in == != < <= > >='],
    [SUM, '+ -'],
    [CONCAT, '~'],
    [PRODUCT, '* / // %'],
    [POWER, '**'],
  ].flatMap(([rank, operators]) =>
    String(operators)
      .split(' ')
      .map((each): [string, number] => [each, Number(rank)]),
  ),
);
const CONSTANTS = new Map<string, Value>(Object.entries({ true: true, True: true, false: false, False: false, none: null, None: null }));
/** Tokens that can begin a test's argument without brackets. */
const ARGUMENT_STARTS = new Set<TokenType>(['name', 'string', 'number', '[', '{']);

export interface TupleOptions {
  /** Only names and literals, as in targets of assignments. */
  isTarget?: boolean;
  withCondition?: boolean;
  withNamespace?: boolean;
  inBrackets?: boolean;
}

export class ExpressionParser {
  current: Token = { type: 'start', text: '', value: null, at: 0 };
  #looked: Token | undefined;
  #depth = 0;

  constructor(private readonly lexer: Lexer) {
    this.advance();
  }

  fail(message: string, at = this.current.at, pythonType?: string): never {
    throw syntaxError(this.lexer.source, message, at, pythonType);
  }

  /** Moves to the next token, and returns the previous one. */
  advance(): Token {
    const before = this.current;
    const looked = this.#looked;
    if (looked) {
      this.current = looked;
      this.#looked = undefined;
    } else if (before.type !== 'end of template') {
      this.current = this.lexer.next() ?? { type: 'end of template', text: '', value: null, at: before.at };
    }
    return before;
  }

  /** The token after the current one. */
  look(): Token {
    return (this.#looked ??= this.lexer.next() ?? { type: 'end of template', text: '', value: null, at: this.current.at });
  }

  isName(name: string): boolean {
    return this.current.type === 'name' && this.current.text === name;
  }

  skipIf(type: TokenType): boolean {
    const isThere = this.current.type === type;
    if (isThere) this.advance();
    return isThere;
  }

  skipIfName(name: string): boolean {
    const isThere = this.isName(name);
    if (isThere) this.advance();
    return isThere;
  }

  expect(type: TokenType): Token {
    if (this.current.type !== type) this.fail(unexpectedToken(type, this.current));
    return this.advance();
  }

  expectName(name: string): void {
    if (!this.skipIfName(name)) this.fail(unexpectedToken(name, this.current));
  }

  /** A target of an assignment. */
  target(options: Pick<TupleOptions, 'withNamespace'> = {}): Target {
    const found = this.tuple({ ...options, isTarget: true });
    if (!canAssign(found)) return this.fail(`can't assign to ${quotedText(found.kind === 'constant' ? 'const' : found.kind)}`, found.at);
    return found;
  }

  nameTarget(): string {
    const { text, at } = this.expect('name');
    if (CONSTANTS.has(text)) this.fail("can't assign to 'name'", at);
    return text;
  }

  expression(withCondition = true): Expression {
    return withCondition ? this.#condition() : this.#operation(OR);
  }

  #condition(): Expression {
    let { at } = this.current;
    let expression = this.#operation(OR);
    while (this.skipIfName('if')) {
      const test = this.#operation(OR);
      const otherwise = this.skipIfName('else') ? this.#deeper(() => this.#condition()) : undefined;
      // biome-ignore lint/suspicious/noThenProperty: nobody awaits a node
      expression = { kind: 'condition', test, then: expression, otherwise, at };
      ({ at } = this.current);
    }
    return expression;
  }

  /** Operators of at least this precedence, with their operands. */
  #operation(lowest: number): Expression {
    const { at: start } = this.current;
    let left = lowest <= NOT && this.isName('not') ? this.#not() : this.#unary();
    let last = 0;
    for (;;) {
      const rank = this.#rank();
      if (rank < lowest) return left;
      // Of two operators with equal precedence, Jinja gives the second its own line, and the first the line where its
      // operand begins.
      const at = rank === last ? this.current.at : start;
      last = rank;
      if (rank === COMPARISON) left = this.#comparison(left);
      else if (rank === CONCAT) left = this.#concat(left, at);
      else {
        const { type } = this.advance();
        const right = rank === POWER ? this.#unary() : this.#operation(rank + 1);
        if (rank > AND) left = { kind: 'binary', operator: type as BinaryOperator, left, right, at };
        else left = { kind: rank === OR ? 'or' : 'and', left, right, at };
      }
    }
  }

  /** The precedence of the current token as an operator, or 0. */
  #rank(): number {
    const { type, text } = this.current;
    if (type !== 'name' || text !== 'not') return RANKS.get(type === 'name' ? text : type) ?? 0;
    const next = this.look();
    return next.type === 'name' && next.text === 'in' ? COMPARISON : 0;
  }

  #not(): Expression {
    const { at } = this.advance();
    return { kind: 'not', value: this.#deeper(() => this.#operation(NOT)), at };
  }

  /** Successive comparisons form one expression. */
  #comparison(first: Expression): Expression {
    const rest: { operator: Comparison; value: Expression }[] = [];
    do {
      let operator = this.advance();
      const isNegated = operator.text === 'not';
      if (isNegated) operator = this.advance();
      rest.push({ operator: (isNegated ? 'not in' : operator.text) as Comparison, value: this.#operation(SUM) });
    } while (this.#rank() === COMPARISON);
    return { kind: 'compare', first, rest, at: this.current.at };
  }

  #concat(first: Expression, at: number): Expression {
    const items = [first];
    while (this.skipIf('~')) items.push(this.#operation(PRODUCT));
    return { kind: 'concat', items, at };
  }

  /** Parses what is inside of something else: guards recursion. */
  #deeper<Parsed>(parse: () => Parsed): Parsed {
    if (++this.#depth > DEEPEST) this.fail(`more than ${DEEPEST} expressions are inside each other`, undefined, 'RecursionError');
    const parsed = parse();
    this.#depth--;
    return parsed;
  }

  #unary(withFilters = true): Expression {
    const { type, at } = this.current;
    const isSigned = this.skipIf('-') || this.skipIf('+');
    let node: Expression = isSigned
      ? { kind: type === '-' ? 'negative' : 'positive', value: this.#deeper(() => this.#unary(false)), at }
      : this.#primary();
    node = this.#postfix(node);
    return withFilters ? this.#filtersAndTests(node) : node;
  }

  #primary(withNamespace = false): Expression {
    const { type, text, value, at } = this.current;
    switch (type) {
      case 'name': {
        this.advance();
        const constant = CONSTANTS.get(text);
        if (constant !== undefined) return { kind: 'constant', value: constant, at };
        if (withNamespace && this.skipIf('.')) return { kind: 'namespace target', name: text, attribute: this.expect('name').text, at };
        return { kind: 'name', name: text, at };
      }
      case 'string': {
        let whole = text;
        this.advance();
        while (this.current.type === 'string') whole += this.advance().text;
        return { kind: 'constant', value: whole === text ? (value as Str) : ofTemplate(whole), at };
      }
      case 'number':
        this.advance();
        return { kind: 'constant', value, at };
      case '(': {
        this.advance();
        const inner = this.#deeper(() => this.tuple({ inBrackets: true }));
        this.expect(')');
        return inner;
      }
      case '[':
        return this.#list();
      case '{':
        return this.#dict();
      default:
        return this.fail(`unexpected ${tokenName(this.current)}`, at);
    }
  }

  tuple({ isTarget = false, withCondition = true, withNamespace = false, inBrackets = false }: TupleOptions = {}): Expression {
    let { at } = this.current;
    const items: Expression[] = [];
    let isTuple = false;
    for (;;) {
      if (items.length > 0) this.expect(',');
      if (TUPLE_ENDS.has(this.current.type)) break;
      items.push(isTarget ? this.#primary(withNamespace) : this.expression(withCondition));
      if (this.current.type !== ',') break;
      isTuple = true;
      ({ at } = this.current);
    }
    if (!isTuple) {
      if (items[0]) return items[0];
      if (!inBrackets) this.fail(`Expected an expression, got ${tokenName(this.current)}`);
    }
    return { kind: 'tuple', items, at } satisfies TupleNode;
  }

  #list(): Expression {
    const { at } = this.expect('[');
    const items: Expression[] = [];
    this.#series(']', () => items.push(this.expression()));
    return { kind: 'list', items, at };
  }

  #dict(): Expression {
    const { at } = this.expect('{');
    const entries: { key: Expression; value: Expression }[] = [];
    this.#series('}', () => {
      const key = this.expression();
      this.expect(':');
      entries.push({ key, value: this.expression() });
    });
    return { kind: 'dict', entries, at };
  }

  /** Elements with commas between them, and perhaps one at the end, up to a closing bracket. */
  #series(closing: TokenType, element: () => void): void {
    for (let isFirst = true; this.current.type !== closing; isFirst = false) {
      if (!isFirst) this.expect(',');
      if (this.current.type === closing) break;
      this.#deeper(element);
    }
    this.expect(closing);
  }

  #postfix(node: Expression): Expression {
    for (;;) {
      if (this.current.type === '.') node = this.#dotted(node);
      else if (this.current.type === '[') node = this.#subscript(node);
      else if (this.current.type === '(') node = this.#call(node);
      else return node;
    }
  }

  #filtersAndTests(node: Expression): Expression {
    for (;;) {
      if (this.current.type === '|') node = this.filters(node) as Expression;
      else if (this.isName('is')) node = this.#test(node);
      else if (this.current.type === '(') node = this.#call(node);
      else return node;
    }
  }

  #dotted(value: Expression): Expression {
    const { at } = this.advance();
    const token = this.advance();
    if (token.type === 'name') return { kind: 'attribute', value, name: token.text, at };
    if (token.type !== 'number' || typeof token.value === 'object') this.fail('expected name or number', token.at);
    return { kind: 'item', value, key: { kind: 'constant', value: token.value, at: token.at }, at };
  }

  #subscript(value: Expression): Expression {
    const { at } = this.advance();
    const keys: (Expression | SliceNode)[] = [];
    while (this.current.type !== ']') {
      if (keys.length > 0) this.expect(',');
      keys.push(this.#deeper(() => this.#key()));
    }
    this.expect(']');
    return { kind: 'item', value, key: keys.length === 1 ? (keys[0] as Expression) : { kind: 'tuple', items: keys, at }, at };
  }

  #key(): Expression {
    const { at } = this.current;
    let start: Expression | undefined;
    if (this.current.type !== ':') {
      start = this.expression();
      if ((this.current.type as string) !== ':') return start;
    }
    this.advance();
    const part = () => (SLICE_PART_ENDS.has(this.current.type) ? undefined : this.expression());
    const stop = part();
    const step = this.skipIf(':') ? ([']', ','].includes(this.current.type) ? undefined : this.expression()) : undefined;
    return { kind: 'slice', start, stop, step, at };
  }

  #call(callee: Expression): Expression {
    const { at } = this.current;
    return { kind: 'call', callee, ...this.#arguments(), at };
  }

  #arguments(): CallArguments {
    const { at } = this.expect('(');
    const found: CallArguments = { args: [], keywords: [], moreArgs: undefined, moreKeywords: undefined };
    const ensure = (isValid: boolean) => {
      if (!isValid) this.fail('invalid syntax for function call expression', at);
    };
    this.#series(')', () => this.#argument(found, ensure));
    return found;
  }

  #argument(found: CallArguments, ensure: (isValid: boolean) => void): void {
    if (this.current.type === '*') {
      ensure(!found.moreArgs && !found.moreKeywords);
      this.advance();
      found.moreArgs = this.expression();
    } else if (this.current.type === '**') {
      ensure(!found.moreKeywords);
      this.advance();
      found.moreKeywords = this.expression();
    } else if (this.current.type === 'name' && this.look().type === '=') {
      ensure(!found.moreKeywords);
      const { text: name } = this.advance();
      this.advance();
      found.keywords.push({ name, value: this.expression() });
    } else {
      ensure(!found.moreArgs && !found.moreKeywords && found.keywords.length === 0);
      found.args.push(this.expression());
    }
  }

  /** A chain of filters; `isInline`: the first has no bar. */
  filters(value: Expression | undefined, isInline = false): Expression | undefined {
    let node = value;
    while (this.current.type === '|' || isInline) {
      if (!isInline) this.advance();
      const { text, at } = this.expect('name');
      const name = text + this.#dottedRest();
      const args = this.current.type === '(' ? this.#arguments() : NO_ARGUMENTS;
      node = { kind: 'filter', value: node, name, ...args, at } satisfies FilterNode;
      isInline = false;
    }
    return node;
  }

  #dottedRest(): string {
    let rest = '';
    while (this.skipIf('.')) rest += `.${this.expect('name').text}`;
    return rest;
  }

  #test(value: Expression): Expression {
    const { at } = this.advance();
    const isNegated = this.skipIfName('not');
    const name = this.expect('name').text + this.#dottedRest();
    let args = NO_ARGUMENTS;
    if (this.current.type === '(') {
      args = this.#arguments();
    } else if (ARGUMENT_STARTS.has(this.current.type) && !['else', 'or', 'and'].some((each) => this.isName(each))) {
      if (this.isName('is')) this.fail('You cannot chain multiple tests with is');
      args = { ...NO_ARGUMENTS, args: [this.#postfix(this.#primary())] };
    }
    const node: Expression = { kind: 'test', value, name, ...args, at };
    return isNegated ? { kind: 'not', value: node, at } : node;
  }
}

const TUPLE_ENDS = new Set<TokenType>(['end of print statement', 'end of statement block', ')']);
const SLICE_PART_ENDS = new Set<TokenType>([':', ']', ',']);
const NO_ARGUMENTS: CallArguments = { args: [], keywords: [], moreArgs: undefined, moreKeywords: undefined };

function canAssign(node: Expression): node is Target {
  if (node.kind === 'tuple') return node.items.every(canAssign);
  return node.kind === 'name' || node.kind === 'namespace target';
}

/** A token in messages. */
function tokenName({ type, text }: Token): string {
  return quotedText(type === 'name' ? text : type);
}

/** `expected`: a token type, or a name. */
function unexpectedToken(expected: string, found: Token): string {
  const wanted = quotedText(expected);
  return found.type === 'end of template'
    ? `unexpected end of template, expected ${wanted}.`
    : `expected token ${wanted}, got ${tokenName(found)}`;
}

// Tokens to a tree: the expressions, by Jinja's grammar.

import { describe, describeType, type Lexer, syntaxError, type Token, type TokenType } from './lexer.js';
import type { CallArguments, Comparison, Expression, FilterNode, SliceNode, Target, TupleNode } from './nodes.js';
import type { BinaryOperator } from './values/operators.js';
import { literal, quotedText, type Str } from './values/str.js';
import type { Value } from './values/object.js';

/** More levels of brackets and signs than Python can compile. */
const DEEPEST = 200;
const COMPARISONS = new Set<string>(['==', '!=', '<', '<=', '>', '>=']);
const CONSTANTS = new Map<string, Value>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);
/** What a test takes as its argument without brackets. */
const ARGUMENT_STARTS = new Set<TokenType>(['name', 'string', 'number', '[', '{']);

export interface TupleOptions {
  /** Names and literals alone: what is assigned to. */
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

  #read(): Token {
    const { at } = this.current;
    return this.lexer.next() ?? { type: 'end', text: '', value: null, at };
  }

  /** Goes so many tokens ahead, and returns the one that was current. */
  advance(count = 1): Token {
    const before = this.current;
    for (let i = 0; i < count; i++) {
      this.current = this.#looked ?? (this.current.type === 'end' ? this.current : this.#read());
      this.#looked = undefined;
    }
    return before;
  }

  /** The token behind the current one. */
  look(): Token {
    return (this.#looked ??= this.#read());
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
    if (this.current.type !== type) this.#failExpecting(describeType(type));
    return this.advance();
  }

  expectName(name: string): void {
    if (!this.isName(name)) this.#failExpecting(name);
    this.advance();
  }

  #failExpecting(expected: string): never {
    if (this.current.type === 'end') this.fail(`unexpected end of template, expected ${quotedText(expected)}.`);
    this.fail(`expected token ${quotedText(expected)}, got ${quotedText(describe(this.current))}`);
  }

  /** Something to assign to. */
  target(options: Pick<TupleOptions, 'withNamespace'> = {}): Target {
    const found = this.tuple({ ...options, isTarget: true });
    if (!canAssign(found)) return this.fail(`can't assign to ${quotedText(nodeName(found))}`, found.at);
    return found;
  }

  nameTarget(): string {
    const { text, at } = this.expect('name');
    if (CONSTANTS.has(text)) this.fail("can't assign to 'name'", at);
    return text;
  }

  expression(withCondition = true): Expression {
    return withCondition ? this.#condition() : this.#or();
  }

  #condition(): Expression {
    let { at } = this.current;
    let expression = this.#or();
    while (this.skipIfName('if')) {
      const test = this.#or();
      const otherwise = this.skipIfName('else') ? this.#nested(() => this.#condition()) : undefined;
      // biome-ignore lint/suspicious/noThenProperty: nobody awaits a node
      expression = { kind: 'condition', test, then: expression, otherwise, at };
      ({ at } = this.current);
    }
    return expression;
  }

  #or(): Expression {
    let { at } = this.current;
    let left = this.#and();
    while (this.skipIfName('or')) {
      left = { kind: 'or', left, right: this.#and(), at };
      ({ at } = this.current);
    }
    return left;
  }

  #and(): Expression {
    let { at } = this.current;
    let left = this.#not();
    while (this.skipIfName('and')) {
      left = { kind: 'and', left, right: this.#not(), at };
      ({ at } = this.current);
    }
    return left;
  }

  #not(): Expression {
    if (!this.isName('not')) return this.#comparison();
    const { at } = this.advance();
    return { kind: 'not', value: this.#nested(() => this.#not()), at };
  }

  #comparison(): Expression {
    let { at } = this.current;
    const first = this.#sum();
    const rest: { operator: Comparison; value: Expression }[] = [];
    for (;;) {
      if (COMPARISONS.has(this.current.type)) rest.push({ operator: this.advance().type as Comparison, value: this.#sum() });
      else if (this.skipIfName('in')) rest.push({ operator: 'in', value: this.#sum() });
      else if (this.isName('not') && this.look().type === 'name' && this.look().text === 'in') {
        this.advance(2);
        rest.push({ operator: 'not in', value: this.#sum() });
      } else break;
      ({ at } = this.current);
    }
    return rest.length === 0 ? first : { kind: 'compare', first, rest, at };
  }

  /** Operators of one rank, from the left. */
  #binary(operators: readonly string[], operand: () => Expression): Expression {
    let { at } = this.current;
    let left = operand();
    while (operators.includes(this.current.type)) {
      const operator = this.advance().type as BinaryOperator;
      left = { kind: 'binary', operator, left, right: operand(), at };
      ({ at } = this.current);
    }
    return left;
  }

  #sum(): Expression {
    return this.#binary(SUM, () => this.#concat());
  }

  #concat(): Expression {
    const { at } = this.current;
    const items = [this.#product()];
    while (this.skipIf('~')) items.push(this.#product());
    return items.length === 1 ? (items[0] as Expression) : { kind: 'concat', items, at };
  }

  #product(): Expression {
    return this.#binary(PRODUCT, () => this.#power());
  }

  /** From the left, too, unlike Python's. */
  #power(): Expression {
    return this.#binary(POWER, () => this.unary());
  }

  /** Guards recursion. */
  #nested<Result>(body: () => Result): Result {
    if (++this.#depth > DEEPEST) this.fail(`more than ${DEEPEST} expressions are inside each other`, undefined, 'RecursionError');
    const result = body();
    this.#depth--;
    return result;
  }

  unary(withFilters = true): Expression {
    const { type, at } = this.current;
    let node: Expression;
    if (type === '-' || type === '+') {
      this.advance();
      node = { kind: type === '-' ? 'negative' : 'positive', value: this.#nested(() => this.unary(false)), at };
    } else {
      node = this.#primary();
    }
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
        return { kind: 'constant', value: whole === text ? (value as Str) : literal(whole), at };
      }
      case 'number':
        this.advance();
        return { kind: 'constant', value, at };
      case '(': {
        this.advance();
        const inner = this.#nested(() => this.tuple({ inBrackets: true }));
        this.expect(')');
        return inner;
      }
      case '[':
        return this.#nested(() => this.#list());
      case '{':
        return this.#nested(() => this.#dict());
      default:
        return this.fail(`unexpected ${quotedText(describe(this.current))}`, at);
    }
  }

  tuple({ isTarget = false, withCondition = true, withNamespace = false, inBrackets = false }: TupleOptions = {}): Expression {
    let { at } = this.current;
    const items: Expression[] = [];
    let isTuple = false;
    for (;;) {
      if (items.length > 0) this.expect(',');
      if (['variable end', 'block end', ')'].includes(this.current.type)) break;
      items.push(isTarget ? this.#primary(withNamespace) : this.expression(withCondition));
      if (this.current.type !== ',') break;
      isTuple = true;
      ({ at } = this.current);
    }
    if (!isTuple) {
      if (items[0]) return items[0];
      if (!inBrackets) this.fail(`Expected an expression, got ${quotedText(describe(this.current))}`);
    }
    return { kind: 'tuple', items, at } satisfies TupleNode;
  }

  #list(): Expression {
    const { at } = this.expect('[');
    const items: Expression[] = [];
    while (this.current.type !== ']') {
      if (items.length > 0) this.expect(',');
      if ((this.current.type as string) === ']') break;
      items.push(this.expression());
    }
    this.expect(']');
    return { kind: 'list', items, at };
  }

  #dict(): Expression {
    const { at } = this.expect('{');
    const entries: { key: Expression; value: Expression }[] = [];
    while (this.current.type !== '}') {
      if (entries.length > 0) this.expect(',');
      if ((this.current.type as string) === '}') break;
      const key = this.expression();
      this.expect(':');
      entries.push({ key, value: this.expression() });
    }
    this.expect('}');
    return { kind: 'dict', entries, at };
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
      keys.push(this.#nested(() => this.#key()));
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
    const part = () => ([':', ']', ','].includes(this.current.type) ? undefined : this.expression());
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
    let needsComma = false;
    while (this.current.type !== ')') {
      if (needsComma) {
        this.expect(',');
        if ((this.current.type as string) === ')') break;
      }
      this.#nested(() => this.#argument(found, ensure));
      needsComma = true;
    }
    this.expect(')');
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
      const { text: name } = this.current;
      this.advance(2);
      found.keywords.push({ name, value: this.expression() });
    } else {
      ensure(!found.moreArgs && !found.moreKeywords && found.keywords.length === 0);
      found.args.push(this.expression());
    }
  }

  /** Filters, one behind the other; `isInline`: the first has no bar. */
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

const SUM = ['+', '-'];
const PRODUCT = ['*', '/', '//', '%'];
const POWER = ['**'];
const NO_ARGUMENTS: CallArguments = { args: [], keywords: [], moreArgs: undefined, moreKeywords: undefined };

function canAssign(node: Expression): node is Target {
  if (node.kind === 'tuple') return node.items.every(canAssign);
  return node.kind === 'name' || node.kind === 'namespace target';
}

/** Jinja's name of a node in messages. */
function nodeName({ kind }: Expression): string {
  return kind === 'constant' ? 'const' : kind;
}

// Parses tokens to a tree: statements.

import { Lexer } from './lexer.js';
import { ExpressionParser } from './parse-expressions.js';
import type { Expression, FilterNode, For, If, Macro, Output, Parameters, Statement } from './nodes.js';
import { rarely } from './rarely.js';
import { rareTags, type TagParser, type TagReader } from './tags.js';

const RARE = 'autoescape block call extends filter from import include print with'.split(' ');
/** Deeper nesting of tags than Python can compile. */
const DEEPEST = 150;

/** A template as a tree. */
export interface Parsed {
  statements: Statement[];
  /** Whether nothing in it could be rejected at compile time, so that a branch can be compiled when it is taken. */
  isSound: boolean;
}

/** `source`: normalized source. Throws a TemplateError. */
export function parseTemplate(source: string): Parsed {
  const lexer = new Lexer(source);
  const parser = new Parser(lexer);
  const statements = parser.parse();
  return { statements, isSound: parser.isSound && !lexer.hasLongTag };
}

export class Parser extends ExpressionParser implements TagParser {
  /** The open tags, innermost last. */
  readonly #tags: string[] = [];
  /** The tags that would close them. */
  readonly #ends: (readonly string[])[] = [];

  parse(): Statement[] {
    return this.#body(undefined);
  }

  /** Statements up to one of the given tags, which stays the current token. */
  #body(ends: readonly string[] | undefined): Statement[] {
    const body: Statement[] = [];
    let items: Output['items'] = [];
    const flush = () => {
      if (items.length > 0) body.push({ kind: 'output', items, at: (items[0] as Output['items'][0]).at });
      items = [];
    };
    if (ends) this.#ends.push(ends);
    while (this.current.type !== 'end') {
      const { type, text, at } = this.current;
      this.advance();
      if (type === 'data') {
        items.push({ kind: 'data', text, at });
      } else if (type === 'variable begin') {
        items.push(this.tuple());
        this.expect('variable end');
      } else {
        flush();
        if (ends?.some((end) => this.isName(end))) {
          this.#ends.pop();
          return body;
        }
        body.push(this.#statement());
        this.expect('block end');
      }
    }
    flush();
    if (ends) {
      this.#failAtEnd();
    }
    return body;
  }

  /** The end of the tag, and the statements up to one of the given tags. */
  #block(...ends: readonly string[]): Statement[] {
    this.skipIf(':');
    this.expect('block end');
    return this.#body(ends);
  }

  /** The same, plus the name of the closing tag. */
  blockTo(end: string): Statement[] {
    const body = this.#block(end);
    this.advance();
    return body;
  }

  #statement(): Statement {
    const { type, text, at } = this.current;
    if (type !== 'name') this.fail('tag name expected', at);
    const parse = STATEMENTS.get(text);
    if (!parse) return this.#failUnknown(text, at);
    if (this.#tags.length >= DEEPEST) this.fail(`more than ${DEEPEST} tags are inside each other`, at, 'RecursionError');
    this.#tags.push(text);
    const statement = parse(this, at);
    this.#tags.pop();
    return statement;
  }

  #failAtEnd(): never {
    return this.fail(rarely().unendedTag(this.#ends, this.#tags));
  }

  #failUnknown(name: string, at: number): never {
    return this.fail(rarely().unknownTag(name, this.#ends, this.#tags), at);
  }

  if(at: number): If {
    this.advance();
    const branches: If['branches'] = [];
    for (let branchAt = at; ; ) {
      const test = this.tuple({ withCondition: false });
      const body = this.#block('elif', 'else', 'endif');
      branches.push({ at: branchAt, test, body });
      const { text } = this.advance();
      if (text === 'elif') {
        branchAt = this.current.at;
        continue;
      }
      return { kind: 'if', branches, otherwise: text === 'else' ? this.blockTo('endif') : [], at };
    }
  }

  for(at: number): For {
    this.advance();
    const target = this.target();
    this.expectName('in');
    const over = this.tuple({ withCondition: false });
    const test = this.skipIfName('if') ? this.expression() : undefined;
    const isRecursive = this.skipIfName('recursive');
    const body = this.#block('endfor', 'else');
    const otherwise = this.advance().text === 'else' ? this.blockTo('endfor') : [];
    return { kind: 'for', target, over, test, isRecursive, body, otherwise, at };
  }

  set(at: number): Statement {
    this.advance();
    const target = this.target({ withNamespace: true });
    if (this.skipIf('=')) return { kind: 'set', target, value: this.tuple(), at };
    const filter = this.filters(undefined) as FilterNode | undefined;
    if (filter) this.isSound = false;
    return { kind: 'set block', target, filter, body: this.blockTo('endset'), at };
  }

  macro(at: number): Macro {
    this.advance();
    const name = this.nameTarget();
    const parameters = this.parameters();
    return { kind: 'macro', name, ...parameters, body: this.blockTo('endmacro'), at };
  }

  parameters(): Parameters {
    const names: string[] = [];
    const defaults: Expression[] = [];
    this.expect('(');
    while (this.current.type !== ')') {
      if (names.length > 0) this.expect(',');
      const name = this.nameTarget();
      if (name === 'caller' || names.includes(name)) this.isSound = false;
      if (this.skipIf('=')) defaults.push(this.expression());
      else if (defaults.length > 0) this.fail('non-default argument follows default argument');
      names.push(name);
    }
    this.expect(')');
    return { names, defaults };
  }

  generation(at: number): Statement {
    this.advance();
    return { kind: 'generation', body: this.blockTo('endgeneration'), at };
  }

  rare(name: string, at: number): Statement {
    this.isSound = false;
    return (rareTags.contents.get(name) as TagReader)(this, at);
  }

  loopControl(kind: 'break' | 'continue', at: number): Statement {
    this.advance();
    const around = this.#ends.findLast((ends) => !ends.includes('endif'));
    // After `else`, it belongs to an enclosing loop.
    if (!around?.includes('endfor') || !around.includes('else')) this.isSound = false;
    return { kind, at };
  }
}

type Tag = (parser: Parser, at: number) => Statement;

/** Tags, by name. */
export const STATEMENTS: ReadonlyMap<string, Tag> = new Map<string, Tag>([
  ['if', (parser, at) => parser.if(at)],
  ['for', (parser, at) => parser.for(at)],
  ['set', (parser, at) => parser.set(at)],
  ['macro', (parser, at) => parser.macro(at)],
  ['generation', (parser, at) => parser.generation(at)],
  ['break', (parser, at) => parser.loopControl('break', at)],
  ['continue', (parser, at) => parser.loopControl('continue', at)],
  // The tags of rare.ts.
  ...RARE.map((name): [string, Tag] => [name, (parser, at) => parser.rare(name, at)]),
]);

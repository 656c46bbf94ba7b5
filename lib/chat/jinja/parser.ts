// Parses tokens to a tree: statements.

import { Lexer } from './lexer.js';
import type * as Nodes from './nodes.js';
import { walk } from './nodes.js';
import { ExpressionParser } from './parse-expressions.js';
import { quotedText } from './values/text.js';

/** Deeper nesting of tags than Python can compile. */
const DEEPEST = 150;

/** `source`: normalized source. Throws a TemplateError. */
export function parseTemplate(source: string): Nodes.Statement[] {
  return new Parser(new Lexer(source)).parse();
}

class Parser extends ExpressionParser {
  /** The open tags, innermost last. */
  readonly #tags: string[] = [];
  /** The tags that would close them. */
  readonly #ends: (readonly string[])[] = [];
  /** The number of loops around. */
  #loops = 0;

  parse(): Nodes.Statement[] {
    return this.#body(undefined);
  }

  /** Statements up to one of the given tags, which stays the current token. */
  #body(ends: readonly string[] | undefined): Nodes.Statement[] {
    const body: Nodes.Statement[] = [];
    let items: Nodes.Output['items'] = [];
    const flush = () => {
      if (items.length > 0) body.push({ kind: 'output', items, at: (items[0] as Nodes.Output['items'][0]).at });
      items = [];
    };
    if (ends) this.#ends.push(ends);
    while (this.current.type !== 'end of template') {
      const { type, text, at } = this.current;
      this.advance();
      if (type === 'data') {
        items.push({ kind: 'data', text, at });
      } else if (type === 'begin of print statement') {
        items.push(this.tuple());
        this.expect('end of print statement');
      } else {
        flush();
        if (ends?.some((end) => this.isName(end))) {
          this.#ends.pop();
          return body;
        }
        body.push(this.#statement());
        this.expect('end of statement block');
      }
    }
    flush();
    if (ends) this.fail(`Unexpected end of template.${wanted(this.#ends, this.#tags)}`);
    return body;
  }

  /** The end of the tag, and the statements up to one of the given tags. */
  #block(...ends: readonly string[]): Nodes.Statement[] {
    this.skipIf(':');
    this.expect('end of statement block');
    return this.#body(ends);
  }

  /** The same, plus the name of the closing tag. */
  #blockTo(end: string): Nodes.Statement[] {
    const body = this.#block(end);
    this.advance();
    return body;
  }

  #statement(): Nodes.Statement {
    const { type, text, at } = this.current;
    if (type !== 'name') this.fail('tag name expected', at);
    const parse = TAGS.get(text);
    if (!parse) return this.fail(`Encountered unknown tag ${quotedText(text)}.${wanted(this.#ends, this.#tags)}`, at);
    if (this.#tags.length >= DEEPEST) this.fail(`more than ${DEEPEST} tags are inside each other`, at, 'RecursionError');
    this.#tags.push(text);
    this.advance();
    const statement = parse(this, at);
    this.#tags.pop();
    return statement;
  }

  if(at: number): Nodes.If {
    const branches: Nodes.If['branches'] = [];
    for (let branchAt = at; ; ) {
      const test = this.tuple({ withCondition: false });
      const body = this.#block('elif', 'else', 'endif');
      branches.push({ at: branchAt, test, body });
      const { text } = this.advance();
      if (text === 'elif') {
        branchAt = this.current.at;
        continue;
      }
      return { kind: 'if', branches, otherwise: text === 'else' ? this.#blockTo('endif') : [], at };
    }
  }

  for(at: number): Nodes.For {
    this.#loops++;
    const target = this.#assigned();
    this.expectName('in');
    const over = this.tuple({ withCondition: false });
    const test = this.skipIfName('if') ? this.expression() : undefined;
    const isRecursive = this.skipIfName('recursive');
    const body = this.#block('endfor', 'else');
    const otherwise = this.advance().text === 'else' ? this.#blockTo('endfor') : [];
    this.#loops--;
    return { kind: 'for', target, over, body, otherwise, test, isRecursive, at };
  }

  /** A target, which is not `loop` inside of loops. */
  #assigned(options?: { withNamespace: boolean }): Nodes.Target {
    const target = this.target(options);
    if (this.#loops === 0 || target.kind === 'namespace target') return target;
    walk(target, (name, _use, at) => {
      if (name === 'loop') this.fail("Can't assign to special loop variable in for-loop target", at, 'TemplateAssertionError');
    });
    return target;
  }

  set(at: number): Nodes.Statement {
    const target = this.#assigned({ withNamespace: true });
    if (this.skipIf('=')) return { kind: 'set', target, value: this.tuple(), at };
    return {
      kind: 'set block',
      target,
      filter: this.filters(undefined) as Nodes.FilterNode | undefined,
      body: this.#blockTo('endset'),
      at,
    };
  }

  macro(at: number): Nodes.Macro {
    const name = this.nameTarget();
    const parameters = this.#parameters();
    return { kind: 'macro', name, ...parameters, body: this.#blockTo('endmacro'), at };
  }

  #parameters(): Nodes.Parameters {
    const names: string[] = [];
    const defaults: Nodes.Expression[] = [];
    this.expect('(');
    while (this.current.type !== ')') {
      if (names.length > 0) this.expect(',');
      const name = this.nameTarget();
      if (this.skipIf('=')) defaults.push(this.expression());
      else if (defaults.length > 0) this.fail('non-default argument follows default argument');
      names.push(name);
    }
    this.expect(')');
    return { names, defaults };
  }

  call(at: number): Nodes.CallBlock {
    const parameters = this.current.type === '(' ? this.#parameters() : { names: [], defaults: [] };
    const call = this.expression();
    if (call.kind !== 'call') return this.fail('expected call', at);
    return { kind: 'call block', call, ...parameters, body: this.#blockTo('endcall'), at };
  }

  filter(at: number): Nodes.Statement {
    const filter = this.filters(undefined, true) as Nodes.FilterNode;
    return { kind: 'filter block', body: this.#blockTo('endfilter'), filter, at };
  }

  with(at: number): Nodes.With {
    const targets: Nodes.Target[] = [];
    const values: Nodes.Expression[] = [];
    while (this.current.type !== 'end of statement block') {
      if (targets.length > 0) this.expect(',');
      targets.push(this.target());
      this.expect('=');
      values.push(this.expression());
    }
    return { kind: 'with', targets, values, body: this.#blockTo('endwith'), at };
  }

  generation(at: number): Nodes.Statement {
    return { kind: 'generation', body: this.#blockTo('endgeneration'), at };
  }
}

type Tag = (parser: Parser, at: number) => Nodes.Statement;

const NO_OTHERS = 'there are no other templates';

const refused =
  (name: string, why: string): Tag =>
  (parser, at) =>
    parser.fail(`not supported in chat templates: {% ${name} %}, since ${why}`, at, 'NotImplementedError');

/** Tags, by name. */
export const TAGS: ReadonlyMap<string, Tag> = new Map<string, Tag>([
  ['if', (parser, at) => parser.if(at)],
  ['for', (parser, at) => parser.for(at)],
  ['set', (parser, at) => parser.set(at)],
  ['macro', (parser, at) => parser.macro(at)],
  ['call', (parser, at) => parser.call(at)],
  ['filter', (parser, at) => parser.filter(at)],
  ['with', (parser, at) => parser.with(at)],
  ['generation', (parser, at) => parser.generation(at)],
  ['break', (_parser, at) => ({ kind: 'break', at })],
  ['continue', (_parser, at) => ({ kind: 'continue', at })],
  ...['block', 'extends', 'from', 'import', 'include'].map((name): [string, Tag] => [name, refused(name, NO_OTHERS)]),
  ['print', refused('print', '{{ … }} does the same')],
  ['autoescape', refused('autoescape', 'escapes are for pages of HTML')],
]);

/** Says which tags are expected. `ends`: for each open tag, outermost first, the tags that could close it. */
function wanted(ends: readonly (readonly string[])[], open: readonly string[]): string {
  const tags = ends.at(-1)?.map(quotedText).join(' or ');
  const tag = open.at(-1);
  const looking = tags === undefined ? '' : ` Jinja was looking for the following tags: ${tags}.`;
  return tag === undefined ? looking : `${looking} The innermost block that needs to be closed is ${quotedText(tag)}.`;
}

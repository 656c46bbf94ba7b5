// Parses tokens to a tree: rare statements.

import type { Block, CallBlock, Expression, FilterNode, Output, Statement, Target, With } from './nodes.js';
import type { TagParser, TagReader } from './tags.js';
import { isSpace } from './unicode/characters.js';

function withTag(parser: TagParser, at: number): With {
  parser.advance();
  const targets: Target[] = [];
  const values: Expression[] = [];
  while (parser.current.type !== 'block end') {
    if (targets.length > 0) parser.expect(',');
    targets.push(parser.target());
    parser.expect('=');
    values.push(parser.expression());
  }
  return { kind: 'with', targets, values, body: parser.blockTo('endwith'), at };
}

function autoescape(parser: TagParser, at: number): Statement {
  parser.advance();
  const value = parser.expression();
  return { kind: 'autoescape', value, body: parser.blockTo('endautoescape'), at };
}

function blockTag(parser: TagParser, at: number): Block {
  parser.advance();
  const name = parser.expect('name').text;
  const isScoped = parser.skipIfName('scoped');
  const isRequired = parser.skipIfName('required');
  if (parser.current.type === '-') {
    parser.fail('Block names in Jinja have to be valid Python identifiers and may not contain hyphens, use an underscore instead.');
  }
  const body = parser.blockTo('endblock');
  if (isRequired && !body.every(isBlank)) parser.fail('Required blocks can only contain comments or whitespace');
  parser.skipIfName(name);
  return { kind: 'block', name, isScoped, isRequired, body, at };
}

/** `extends`, `include`, `import` and `from`, parsed as in Jinja. */
function otherTemplate(parser: TagParser, at: number): Statement {
  const keyword = parser.advance().text;
  const template = parser.expression();
  const names: string[] = [];
  if (keyword === 'include') skipPair(parser, ['ignore'], 'missing');
  if (keyword === 'import') {
    parser.expectName('as');
    names.push(parser.nameTarget());
  }
  if (keyword === 'from') {
    parser.expectName('import');
    do {
      if (importContext(parser)) break;
      const name = parser.nameTarget();
      if (name.startsWith('_')) parser.fail('names starting with an underline can not be imported', undefined, 'TemplateAssertionError');
      names.push(parser.skipIfName('as') ? parser.nameTarget() : name);
    } while (parser.skipIf(','));
  }
  if (keyword !== 'extends') importContext(parser);
  return { kind: 'other template', template, names, at };
}

function importContext(parser: TagParser): boolean {
  return skipPair(parser, ['with', 'without'], 'context');
}

/** Skips two names, if present. */
function skipPair(parser: TagParser, first: readonly string[], second: string): boolean {
  const isThere = first.some((name) => parser.isName(name)) && parser.look().text === second;
  if (isThere) parser.advance();
  if (isThere) parser.advance();
  return isThere;
}

function callBlock(parser: TagParser, at: number): CallBlock {
  parser.advance();
  const parameters = parser.current.type === '(' ? parser.parameters() : { names: [], defaults: [] };
  const call = parser.expression();
  if (call.kind !== 'call') return parser.fail('expected call', at);
  return { kind: 'call block', ...parameters, call, body: parser.blockTo('endcall'), at };
}

function filterBlock(parser: TagParser, at: number): Statement {
  parser.advance();
  const filter = parser.filters(undefined, true) as FilterNode;
  return { kind: 'filter block', filter, body: parser.blockTo('endfilter'), at };
}

function print(parser: TagParser, at: number): Output {
  parser.advance();
  const items: Expression[] = [];
  while (parser.current.type !== 'block end') {
    if (items.length > 0) parser.expect(',');
    items.push(parser.expression());
  }
  return { kind: 'output', items, at };
}

function isBlank(statement: Statement): boolean {
  return (
    statement.kind === 'output' &&
    statement.items.every((item) => item.kind === 'data' && Array.from(item.text).every((each) => isSpace(each.charCodeAt(0))))
  );
}

export const TAGS = new Map<string, TagReader>([
  ['autoescape', autoescape],
  ['block', blockTag],
  ['call', callBlock],
  ['extends', otherTemplate],
  ['filter', filterBlock],
  ['from', otherTemplate],
  ['import', otherTemplate],
  ['include', otherTemplate],
  ['print', print],
  ['with', withTag],
]);

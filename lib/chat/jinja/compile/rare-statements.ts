// Compiles rare statements to closures.

import { spend } from '../budget.js';
import { raise, unsupported } from '../errors.js';
import { syntaxError } from '../lexer.js';
import type { Block, CallBlock, Expression, Parameters, Statement, With } from '../nodes.js';
import { type Activation, type Context, setPosition } from '../runtime/activation.js';
import { TemplateReference } from '../runtime/blocks.js';
import { truthy } from '../values/compare.js';
import type { Value } from '../values/object.js';
import { type Str, TextBuilder } from '../values/str.js';
import { ExpressionCompiler } from './expressions.js';
import type { Frame } from './frame.js';
import { compileMacro } from './macros.js';
import type { RareStatement } from './rarely.js';
import { type Body, type Execute, NEXT, type StatementCompiler } from './signals.js';
import { positionOf, printRaw } from './statements.js';
import { compileTarget } from './targets.js';

export function compileRare(node: RareStatement, frame: Frame, compiler: StatementCompiler): Execute {
  switch (node.kind) {
    case 'filter block':
      return filterBlock(node, frame, compiler);
    case 'call block':
      return callBlock(node, frame, compiler);
    case 'with':
      return withBlock(node, frame, compiler);
    case 'block':
      return blockCall(node, frame, compiler);
    case 'autoescape':
      return autoescape(node, frame, compiler);
    default: {
      const at = compiler.mark(node.at);
      const template = compiler.expression(node.template, frame);
      return (activation) => {
        setPosition(at);
        template(activation);
        return raise('TypeError', 'no loader for this environment specified: a chat template has no other templates');
      };
    }
  }
}

function filterBlock(
  { at, filter, body }: Extract<Statement, { kind: 'filter block' }>,
  frame: Frame,
  compiler: StatementCompiler,
): Execute {
  const scope = frame.scope.inner();
  scope.statements(body);
  scope.expression(filter);
  return compiler.captured(scope, body, frame, (inner) => {
    const position = compiler.mark(at);
    const evaluate = compiler.expression(filter, inner);
    return (activation, text) => {
      setPosition(position);
      spend(1);
      activation.content = text;
      // The filter's text is output as it is, whatever it contains.
      const value = evaluate(activation);
      printRaw(value, activation.out);
    };
  });
}

function callBlock(node: CallBlock, frame: Frame, compiler: StatementCompiler): Execute {
  const make = compileMacro({ name: undefined, params: node, body: node.body, at: node.at }, frame, compiler);
  const position = compiler.mark(node.at);
  let caller: Value = null;
  const evaluate = new ExpressionCompiler(frame).call(node.call, () => caller);
  return (activation) => {
    setPosition(position);
    spend(1);
    caller = make(activation);
    printRaw(evaluate(activation), activation.out);
    return NEXT;
  };
}

function withBlock({ targets, values, body }: With, frame: Frame, compiler: StatementCompiler): Execute {
  const scope = frame.scope.inner();
  for (const target of targets) scope.expression(target, 'param');
  scope.statements(body);
  const inner = frame.inner(scope);
  const [enter, leave] = [inner.entering(), inner.leaving()];
  // Jinja's generator records no line for them.
  const position = compiler.marked;
  const steps = targets.map((target, index) => {
    return { assign: compileTarget(target, inner), value: compiler.expression(values[index] as Expression, frame) };
  });
  const run = compiler.statements(body, inner);
  return (activation) => {
    setPosition(positionOf(position));
    spend(1);
    enter(activation);
    for (const { assign, value } of steps) assign(activation, value(activation));
    const signal = run(activation);
    leave(activation);
    return signal;
  };
}

function blockCall({ at, name, isScoped, isRequired }: Block, frame: Frame, compiler: StatementCompiler): Execute {
  const position = compiler.mark(at);
  const locals = isScoped
    ? [...frame.scope.visibleStores()].map(([local, variable]): [string, (activation: Activation) => Value | undefined] => [
        local,
        frame.reader(variable),
      ])
    : [];
  return (activation) => {
    setPosition(position);
    spend(1);
    if (isRequired) raise('TemplateRuntimeError', `Required block '${name}' not found`);
    let { context } = activation;
    if (isScoped) {
      const values = new Map<string, Value>();
      for (const [local, read] of locals) {
        const value = read(activation);
        if (value !== undefined) values.set(local, value);
      }
      context = context.derived(values);
    }
    (compiler.blocks.get(name) as Body)(context, activation.out);
    return NEXT;
  };
}

function autoescape({ at, value, body }: Extract<Statement, { kind: 'autoescape' }>, frame: Frame, compiler: StatementCompiler): Execute {
  const scope = frame.scope.inner();
  scope.expression(value);
  scope.statements(body);
  const inner = frame.inner(scope);
  const [enter, leave] = [inner.entering(), inner.leaving()];
  const isOn = compiler.expression(value, inner);
  const run = compiler.statements(body, inner);
  return (activation) => {
    setPosition(at);
    enter(activation);
    if (truthy(isOn(activation))) unsupported('{% autoescape true %}: escapes are for pages of HTML');
    const signal = run(activation);
    leave(activation);
    return signal;
  };
}

/** Throws for parameters of a macro or call block that Jinja or Python rejects. */
export function checkParameters(
  { names, defaults }: Parameters,
  usesCaller: boolean,
  fail: (message: string, kind: string) => never,
): void {
  const repeated = names.find((each, index) => names.indexOf(each) !== index);
  if (repeated !== undefined) fail(`duplicate argument '${repeated}' in function definition`, 'SyntaxError');
  const callerAt = names.indexOf('caller');
  if (usesCaller && callerAt >= 0 && callerAt < names.length - defaults.length) {
    fail(
      'When defining macros or call blocks the special "caller" argument must be omitted or be given a default.',
      'TemplateAssertionError',
    );
  }
}

/** The blocks of a template, at any depth. */
export function checkedBlocks(statements: readonly Statement[], source: string): Block[] {
  const all = blocksIn(statements);
  const names = new Set<string>();
  for (const { name, at } of all) {
    if (names.has(name)) throw syntaxError(source, `block '${name}' defined twice`, at, 'TemplateAssertionError');
    names.add(name);
  }
  return all;
}

/** `self`: the blocks as functions. */
export function selfReference(context: Context, blocks: ReadonlyMap<string, Body>): TemplateReference {
  const bodies = [...blocks].map(([name, body]): [string, () => Str] => [
    name,
    () => {
      const out = new TextBuilder();
      body(context, out);
      return out.finish();
    },
  ]);
  return new TemplateReference(new Map(bodies));
}

function blocksIn(statements: readonly Statement[]): Block[] {
  return statements.flatMap((each): Block[] => {
    switch (each.kind) {
      case 'block':
        return [each, ...blocksIn(each.body)];
      case 'if':
        return [...each.branches.flatMap(({ body }) => blocksIn(body)), ...blocksIn(each.otherwise)];
      case 'for':
        return [...blocksIn(each.body), ...blocksIn(each.otherwise)];
      default:
        return 'body' in each ? blocksIn(each.body) : [];
    }
  });
}

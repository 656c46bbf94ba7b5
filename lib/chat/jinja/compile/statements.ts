// Compiles statements to closures.

import { drained } from '../../../base/time-slices.js';
import { Activation, type Context, setPosition } from '../activation.js';
import { spend } from '../budget.js';
import { raise } from '../template-errors.js';
import { syntaxError } from '../lexer.js';
import type * as Nodes from '../nodes.js';
import { undeclared } from '../nodes.js';
import { FunctionScope, Scope, type Variable } from '../scopes.js';
import { NO_KEYWORDS } from '../values/callable.js';
import { truthy } from '../values/compare.js';
import { Macro, type MacroShape } from '../values/macro.js';
import type { Value } from '../values/object.js';
import { Safe } from '../values/safe.js';
import { ofTemplate, Str, TextBuilder } from '../values/text.js';
import { Undefined } from '../values/undefined.js';
import { toStr } from '../values/writer.js';
import { ExpressionCompiler } from './expressions.js';
import { BREAK, CONTINUE, type Evaluate, type Execute, Frame, hasLoop, NEXT, scoped, type Statements, type Stepwise } from './frame.js';
import { compileLoop, compileRecursiveLoop } from './loops.js';

/** A template, in steps. */
export type SteppedBody = (context: Context, out: TextBuilder) => ReturnType<Stepwise>;

/** `name`: undefined for the body of a call block. */
type Definition = Pick<Nodes.Macro, 'names' | 'defaults' | 'body' | 'at'> & { name: string | undefined };

const NOTHING: Execute = () => NEXT;

export class Compiler implements Statements {
  constructor(private readonly source: string) {}

  template(statements: readonly Nodes.Statement[]): SteppedBody {
    const at = undeclared(statements, ['self']).get('self');
    const message = "not supported in chat templates: 'self', since there are no blocks";
    if (at !== undefined) throw syntaxError(this.source, message, at, 'NotImplementedError');
    const owner = new FunctionScope(undefined);
    const scope = new Scope(owner, undefined);
    scope.statements(statements);
    const frame = new Frame(scope, this.source);
    const enter = frame.entering();
    const run = this.stepwise(statements, frame);
    return (context, out) => {
      const activation = new Activation(owner.size, undefined, context, out);
      enter(activation);
      return run(activation);
    };
  }

  expression(node: Nodes.Expression, frame: Frame): Evaluate {
    return new ExpressionCompiler(frame).compile(node);
  }

  statements(list: readonly Nodes.Statement[], frame: Frame): Execute {
    const all = list.map((each) => this.#statement(each, frame));
    if (all.length === 0) return NOTHING;
    if (all.length === 1) return all[0] as Execute;
    return (activation) => {
      for (let i = 0; i < all.length; i++) {
        const signal = (all[i] as Execute)(activation);
        if (signal !== NEXT) return signal;
      }
      return NEXT;
    };
  }

  stepwise(list: readonly Nodes.Statement[], frame: Frame): Stepwise {
    const all = list.map((each) => {
      if (!hasLoop([each])) return { run: this.#statement(each, frame) };
      if (each.kind !== 'if') return { steps: compileLoop(each as Nodes.For, frame, this, true) };
      return { steps: this.#if(each, frame, (body, inner) => this.stepwise(body, inner)) };
    });
    return function* (activation) {
      for (const { run, steps } of all) {
        const signal = run ? run(activation) : yield* steps(activation);
        if (signal !== NEXT) return signal;
      }
      return NEXT;
    };
  }

  #statement(node: Nodes.Statement, frame: Frame): Execute {
    switch (node.kind) {
      case 'output':
        return this.#output(node, frame);
      case 'if':
        return this.#if(node, frame, (body, inner) => this.statements(body, inner));
      case 'for':
        return this.#for(node, frame);
      case 'set':
        return this.#set(node, frame);
      case 'set block':
        return this.#captured(node, frame, frame.assigner(node.target));
      case 'macro': {
        const make = this.#macro(node, frame);
        const assign = frame.assigner({ kind: 'name', name: node.name, at: node.at });
        return (activation) => {
          spend(1);
          assign(activation, make(activation));
          return NEXT;
        };
      }
      case 'call block':
        return this.#callBlock(node, frame);
      case 'filter block':
        return this.#captured(node, frame, ({ out }, text) => printRaw(text, out));
      case 'with':
        return this.#with(node, frame);
      case 'generation':
        return this.#generation(node, frame);
      default: {
        if (!frame.kind.isInLoop) {
          frame.fail(node.kind === 'break' ? "'break' outside loop" : "'continue' not properly in loop", node.at, 'SyntaxError');
        }
        const signal = node.kind === 'break' ? BREAK : CONTINUE;
        return () => signal;
      }
    }
  }

  #output({ items }: Nodes.Output, frame: Frame): Execute {
    const writes: ((activation: Activation) => void)[] = [];
    // Data and constants, whose output is always the same.
    let text = '';
    const flush = () => {
      if (text === '') return;
      const data = ofTemplate(text);
      writes.push(({ out }) => out.add(data));
      text = '';
    };
    for (const item of items) {
      if (item.kind === 'data') {
        text += item.text;
        continue;
      }
      const evaluate = this.expression(item, frame);
      if (evaluate.constant?.value instanceof Str) {
        text += evaluate.constant.value.text;
        continue;
      }
      flush();
      const { at } = item;
      writes.push((activation) => {
        setPosition(at);
        spend(1);
        activation.out.add(toStr(evaluate(activation)));
      });
    }
    flush();
    return (activation) => {
      for (let i = 0; i < writes.length; i++) (writes[i] as (activation: Activation) => void)(activation);
      return NEXT;
    };
  }

  #for(node: Nodes.For, frame: Frame): Execute {
    if (node.isRecursive) return compileRecursiveLoop(node, frame, this);
    const run = compileLoop(node, frame, this, false);
    return (activation) => drained(run(activation));
  }

  /** Runs the first branch whose test holds. `compile`: of a body, to be run at once or in steps. */
  #if<Result>(
    { branches, otherwise }: Nodes.If,
    frame: Frame,
    compile: (body: readonly Nodes.Statement[], frame: Frame) => (activation: Activation) => Result,
  ): (activation: Activation) => Result {
    const soft = frame.soft();
    const all = branches.map(({ at, test, body }) => ({ at, test: this.expression(test, soft), run: compile(body, soft) }));
    const last = compile(otherwise, soft);
    return (activation) => {
      for (let i = 0; i < all.length; i++) {
        const { at, test, run } = all[i] as (typeof all)[0];
        setPosition(at);
        spend(1);
        if (truthy(test(activation))) return run(activation);
      }
      return last(activation);
    };
  }

  #set({ at, target, value }: Nodes.Assignment, frame: Frame): Execute {
    const evaluate = this.expression(value, frame);
    const namespace = target.kind === 'namespace target' ? frame.namespace(target) : undefined;
    const assign = frame.assigner(target);
    return (activation) => {
      setPosition(at);
      spend(1);
      // Jinja looks for the namespace before it computes the value.
      namespace?.(activation);
      assign(activation, evaluate(activation));
      return NEXT;
    };
  }

  /** Runs statements in a separate scope, and passes on their output, perhaps through a filter. */
  #captured(node: Nodes.SetBlock | Nodes.FilterBlock, frame: Frame, use: (activation: Activation, text: Value) => void): Execute {
    const scope = frame.scope.inner();
    scope.statements(node.body);
    if (node.kind === 'filter block') scope.expression(node.filter);
    const inner = frame.inner(scope);
    const run = this.statements(node.body, inner);
    const filter = node.filter && this.expression(node.filter, inner);
    return scoped(inner, (activation) => {
      const { out } = activation;
      activation.out = new TextBuilder();
      const signal = run(activation);
      activation.content = activation.out.finish();
      activation.out = out;
      if (signal !== NEXT) return signal;
      setPosition(node.at);
      spend(1);
      use(activation, filter ? filter(activation) : activation.content);
      return NEXT;
    });
  }

  /** Returns a function that creates a macro, or the body of a call block, when its definition runs. */
  #macro(definition: Definition, outer: Frame): (activation: Activation) => Macro {
    const { name, names, defaults, body } = definition;
    const owner = new FunctionScope(outer.scope.owner);
    const scope = outer.scope.inner(owner);
    const special = undeclared(body, ['caller', 'kwargs', 'varargs']);
    for (const each of names) scope.declare(each);
    for (const each of defaults) scope.expression(each);
    scope.statements(body);
    checkParameters(definition, special.has('caller'), outer);
    const shape: MacroShape = {
      name,
      parameters: names,
      usesCaller: special.has('caller'),
      usesKeywords: special.has('kwargs') && !names.includes('kwargs'),
      usesVarargs: special.has('varargs') && !names.includes('varargs'),
    };
    const isGiven = names.includes('caller');
    const extra = [shape.usesCaller && !isGiven && 'caller', shape.usesKeywords && 'kwargs', shape.usesVarargs && 'varargs'];
    const variables: Variable[] = [...names, ...extra.filter((each) => each !== false)].map((each) => scope.declare(each));

    const frame = outer.inner(scope, {});
    const enter = frame.entering();
    const fills = names.map((each, index): Evaluate => {
      const value = defaults[index - (names.length - defaults.length)];
      return value ? this.expression(value, frame) : () => new Undefined(`parameter '${each}' was not provided`);
    });
    const run = this.statements(body, frame);
    return (activation) =>
      new Macro(shape, (args) => {
        const inner = new Activation(owner.size, activation, activation.context, new TextBuilder());
        const { slots } = inner;
        for (let i = 0; i < variables.length; i++) slots[(variables[i] as Variable).slot] = args[i];
        enter(inner);
        for (let i = 0; i < fills.length; i++) {
          const { slot } = variables[i] as Variable;
          if (slots[slot] === undefined) slots[slot] = (fills[i] as Evaluate)(inner);
        }
        run(inner);
        return inner.out.finish();
      });
  }

  #callBlock(node: Nodes.CallBlock, frame: Frame): Execute {
    const make = this.#macro({ ...node, name: undefined }, frame);
    let caller: Value = null;
    const evaluate = new ExpressionCompiler(frame).call(node.call, () => caller);
    return (activation) => {
      setPosition(node.at);
      spend(1);
      caller = make(activation);
      printRaw(evaluate(activation), activation.out);
      return NEXT;
    };
  }

  #with({ at, targets, values, body }: Nodes.With, frame: Frame): Execute {
    const scope = frame.scope.inner();
    for (const target of targets) scope.expression(target, 'param');
    scope.statements(body);
    const inner = frame.inner(scope);
    const steps = targets.map((target, index) => {
      return { assign: inner.assigner(target), value: this.expression(values[index] as Nodes.Expression, frame) };
    });
    const run = this.statements(body, inner);
    const execute = scoped(inner, (activation) => {
      for (const { assign, value } of steps) assign(activation, value(activation));
      return run(activation);
    });
    return (activation) => {
      setPosition(at);
      spend(1);
      return execute(activation);
    };
  }

  /** As in transformers: the span begins where the output at the template's top level ends, wherever the tag is. */
  #generation({ at, body }: Nodes.Generation, frame: Frame): Execute {
    const make = this.#macro({ name: undefined, names: [], defaults: [], body, at }, frame);
    return (activation) => {
      const text = make(activation).call([], NO_KEYWORDS);
      const { root, generation } = activation.context;
      generation.push(root.text.length, root.text.length + text.units);
      printRaw(text, activation.out);
      return NEXT;
    };
  }
}

/** What macros and filters return must be texts. */
function printRaw(value: Value, out: TextBuilder): void {
  if (value instanceof Safe) return out.add(value.str);
  out.add(value instanceof Str ? value : raise('TypeError', 'expected a text'));
}

/** Throws for parameters that Jinja or Python rejects. */
function checkParameters({ names, defaults, at }: Definition, usesCaller: boolean, frame: Frame): void {
  const repeated = names.find((each, index) => names.indexOf(each) !== index);
  if (repeated !== undefined) frame.fail(`duplicate argument '${repeated}' in function definition`, at, 'SyntaxError');
  const callerAt = names.indexOf('caller');
  if (usesCaller && callerAt >= 0 && callerAt < names.length - defaults.length) {
    frame.fail('a parameter "caller" needs a default', at, 'TemplateAssertionError');
  }
}

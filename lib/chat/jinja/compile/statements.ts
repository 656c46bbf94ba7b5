// Compiles statements to closures.

import { type Account, compiling, spend } from '../budget.js';
import { raise } from '../errors.js';
import type { Expression, For, If, Output as OutputNode, Statement } from '../nodes.js';
import { Activation, setPosition } from '../runtime/activation.js';
import { currentRendering } from '../runtime/rendering.js';
import { tracer } from '../runtime/tracer.js';
import { FunctionScope, Scope } from '../scopes.js';
import { NO_KEYWORDS } from '../values/callable.js';
import { truthy } from '../values/compare.js';
import type { Value } from '../values/object.js';
import { Safe } from '../values/safe.js';
import { ofTemplate, Str, TextBuilder } from '../values/str.js';
import { toStr } from '../values/writer.js';
import { undeclared } from '../walk.js';
import { constantText, ExpressionCompiler } from './expressions.js';
import { type Evaluate, Frame } from './frame.js';
import { compileLoop } from './loops.js';
import { compileMacro } from './macros.js';
import { rareStatements } from './rarely.js';
import { type Body, BREAK, CONTINUE, type Execute, type Mark, NEXT, type Oddities, type StatementCompiler } from './signals.js';
import { compileNamespaceCheck, compileTarget } from './targets.js';

export class Compiler implements StatementCompiler {
  /** The line that Jinja would report for an error in the code being compiled. */
  marked: Mark = 0;
  /** Facts about the whole template, so that loops need not search for them. */
  oddities: Oddities = { assigns: false, hasBlock: false, hasScopedBlock: false };
  readonly blocks = new Map<string, Body>();

  /** `account`: for a template in which nothing can be rejected, pays for code compiled while it runs. */
  constructor(
    readonly source: string,
    private readonly account?: Account,
  ) {}

  template(statements: readonly Statement[]): Body {
    if (!this.account) this.oddities = rareStatements.contents.oddities(statements, 'loop');
    const blocks = this.oddities.hasBlock ? rareStatements.contents.checkedBlocks(statements, this.source) : [];
    const body = this.body(statements, { isTop: true });
    for (const block of blocks) {
      this.mark(block.at);
      this.blocks.set(block.name, this.body(block.body, {}));
    }
    return body;
  }

  body(statements: readonly Statement[], kind: { isTop?: boolean }): Body {
    const owner = new FunctionScope(undefined);
    const scope = new Scope(owner, undefined);
    const special = undeclared(statements, kind.isTop ? ['self'] : ['self', 'super']);
    const self = special.has('self') ? scope.declare('self') : undefined;
    const parent = special.has('super') ? scope.declare('super') : undefined;
    scope.statements(statements);
    const frame = new Frame(scope, this.source, kind);
    const enter = frame.entering();
    const run = this.statements(statements, frame);
    return (context, out) => {
      const activation = new Activation(owner.size, undefined, context, out);
      if (self) activation.slots[self.slot] = rareStatements.contents.selfReference(context, this.blocks);
      if (parent) activation.slots[parent.slot] = undefined;
      enter(activation);
      run(activation);
    };
  }

  /** Records a line as Jinja's code generator does. */
  mark(at: number): number {
    return (this.marked = at);
  }

  later<Compiled>(compile: () => Compiled): () => Compiled {
    const { account, marked: before } = this;
    let compiled: { result: Compiled; marked: Mark } | undefined;
    const run = () => {
      const outer = this.marked;
      this.marked = before;
      compiled = { result: compile(), marked: this.marked };
      this.marked = outer;
      return compiled;
    };
    if (!account) {
      const { result, marked } = run();
      this.marked = marked;
      return () => result;
    }
    const get = () => compiled ?? compiling(account, run);
    this.marked = () => positionOf(get().marked);
    return () => get().result;
  }

  expression(node: Expression, frame: Frame): Evaluate {
    return new ExpressionCompiler(frame).compile(node);
  }

  statements(list: readonly Statement[], frame: Frame): Execute {
    const all = list.map((each) => this.#statement(each, frame));
    if (all.length === 0) return () => NEXT;
    if (all.length === 1) return all[0] as Execute;
    return (activation) => {
      for (let i = 0; i < all.length; i++) {
        const signal = (all[i] as Execute)(activation);
        if (signal !== NEXT) return signal;
      }
      return NEXT;
    };
  }

  #statement(node: Statement, frame: Frame): Execute {
    switch (node.kind) {
      case 'output':
        return this.#output(node, frame);
      case 'if':
        return this.#if(node, frame);
      case 'for':
        return compileLoop(node satisfies For, frame, this);
      case 'set':
        return this.#set(node, frame);
      case 'set block':
        return this.#setBlock(node, frame);
      case 'macro': {
        const make = compileMacro({ ...node, params: node }, frame, this);
        const assign = compileTarget({ kind: 'name', name: node.name, at: node.at }, frame, frame.kind.isTop);
        return (activation) => {
          spend(1);
          assign(activation, make(activation));
          return NEXT;
        };
      }
      case 'generation':
        return this.#generation(node, frame);
      case 'break':
      case 'continue': {
        if (!frame.kind.isInLoop) {
          frame.fail(node.kind === 'break' ? "'break' outside loop" : "'continue' not properly in loop", node.at, 'SyntaxError');
        }
        const signal = node.kind === 'break' ? BREAK : CONTINUE;
        return () => signal;
      }
      default:
        return rareStatements.contents.compileRare(node, frame, this);
    }
  }

  #output({ items }: OutputNode, frame: Frame): Execute {
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
      const constant = constantText(item, frame);
      if (constant !== undefined) {
        text += constant;
        continue;
      }
      const evaluate = this.expression(item, frame);
      flush();
      const at = this.mark(item.at);
      writes.push((activation) => {
        setPosition(at);
        spend(1);
        activation.out.add(toStr(evaluate(activation)));
      });
    }
    flush();
    if (writes.length === 1) {
      const [write] = writes as [(activation: Activation) => void];
      return (activation) => {
        write(activation);
        return NEXT;
      };
    }
    return (activation) => {
      for (let i = 0; i < writes.length; i++) (writes[i] as (activation: Activation) => void)(activation);
      return NEXT;
    };
  }

  #if({ branches, otherwise }: If, frame: Frame): Execute {
    const soft = frame.soft();
    const all = branches.map(({ at, test, body }) => {
      const position = this.mark(at);
      return { position, test: this.expression(test, soft), run: this.#branch(body, soft) };
    });
    const last = this.#branch(otherwise, soft);
    return (activation) => {
      for (let i = 0; i < all.length; i++) {
        const { position, test, run } = all[i] as (typeof all)[0];
        setPosition(position);
        spend(1);
        if (truthy(test(activation))) return run(activation);
      }
      return last(activation);
    };
  }

  #branch(body: readonly Statement[], frame: Frame): Execute {
    if (body.length === 0) return this.statements(body, frame);
    const compiled = this.later(() => this.statements(body, frame));
    if (!this.account) return compiled();
    let run: Execute | undefined;
    return (activation) => (run ??= compiled())(activation);
  }

  #set(node: Extract<Statement, { kind: 'set' }>, frame: Frame): Execute {
    const { at, target, value } = node;
    const isAssignable = compileNamespaceCheck(target, frame);
    // In Jinja's code the check precedes the line of the statement.
    const before = this.marked;
    const position = this.mark(at);
    const evaluate = this.expression(value, frame);
    const assign = compileTarget(target, frame, frame.kind.isTop);
    return (activation) => {
      setPosition(position);
      spend(1);
      if (isAssignable && !isAssignable(activation)) {
        setPosition(positionOf(before));
        raise('TemplateRuntimeError', 'cannot assign attribute on non-namespace object');
      }
      assign(activation, tracer ? tracer.assigned(node, activation, evaluate) : evaluate(activation));
      return NEXT;
    };
  }

  /** Runs statements in a separate scope, and passes on their output. */
  captured(
    scope: Scope,
    body: readonly Statement[],
    frame: Frame,
    use: (frame: Frame) => (activation: Activation, text: Str) => void,
  ): Execute {
    const inner = frame.inner(scope);
    const [enter, leave] = [inner.entering(), inner.leaving()];
    const run = this.statements(body, inner);
    const finish = use(inner);
    return (activation) => {
      const { out } = activation;
      activation.out = new TextBuilder();
      enter(activation);
      const signal = run(activation);
      const text = activation.out.finish();
      activation.out = out;
      if (signal === NEXT) finish(activation, text);
      leave(activation);
      return signal;
    };
  }

  #setBlock({ at, target, filter, body }: Extract<Statement, { kind: 'set block' }>, frame: Frame): Execute {
    const scope = frame.scope.inner();
    scope.statements(body);
    return this.captured(scope, body, frame, (inner) => {
      const position = this.mark(at);
      const assign = compileTarget(target, frame, frame.kind.isTop);
      const evaluate = filter && this.expression(filter, inner);
      return (activation, text) => {
        setPosition(position);
        spend(1);
        activation.content = text;
        assign(activation, evaluate ? evaluate(activation) : text);
      };
    });
  }

  /** As in transformers: the span begins where the output at the template's top level ends, wherever the tag is. */
  #generation({ at, body }: Extract<Statement, { kind: 'generation' }>, frame: Frame): Execute {
    const make = compileMacro({ name: undefined, params: { names: [], defaults: [] }, body, at }, frame, this);
    this.mark(at);
    return (activation) => {
      const text = make(activation).call([], NO_KEYWORDS) as Str;
      const { root, generation } = currentRendering();
      generation.push(root.text.length, root.text.length + text.units);
      printRaw(text, activation.out);
      return NEXT;
    };
  }
}

/** The position of a mark. */
export function positionOf(mark: Mark): number {
  return typeof mark === 'number' ? mark : mark();
}

/** What macros, filters and blocks return must be texts. */
export function printRaw(value: Value, out: TextBuilder): void {
  if (value instanceof Safe) return out.add(value.str);
  out.add(value instanceof Str ? value : raise('TypeError', 'sequence item 0: expected str instance, object found'));
}

// Compiles loops to closures.

import { drained } from '../../../base/time-slices.js';
import { Activation, currentPosition, setPosition } from '../activation.js';
import { enter as enterCall, isPauseDue, leave as leaveCall, spend } from '../budget.js';
import { raise } from '../template-errors.js';
import { type For, undeclared } from '../nodes.js';
import { FunctionScope } from '../scopes.js';
import { PyFunction } from '../values/callable.js';
import { equal, truthy } from '../values/compare.js';
import { cursorOf, generator, iterate, List, Sequence, Tuple, valuesIn } from '../values/list.js';
import { type Cursor, has, PyObject, type Value, valueOr } from '../values/object.js';
import { type Str, TextBuilder } from '../values/text.js';
import { Undefined } from '../values/undefined.js';
import { BREAK, type Execute, type Frame, hasLoop, NEXT, scoped, type Signal, type Statements, type Stepwise } from './frame.js';

/** Renders a recursive loop over other values, at the given depth. */
export type Recurse = (over: Value, depth: number) => Value;

export class LoopContext extends PyObject {
  readonly type = 'LoopContext';
  #at = -1;
  #cursor: Cursor;
  #length: number | undefined;
  #after: Value | undefined;
  #current: Value | undefined;
  #before: Value | undefined;
  #changed: Tuple | undefined;

  constructor(
    private readonly over: Value,
    cursor: Cursor,
    private readonly recurse: Recurse | undefined,
    private readonly depth0: number,
  ) {
    super();
    this.#cursor = cursor;
  }

  next(): Value | undefined {
    const item = this.#peek();
    if (item === undefined) return undefined;
    this.#after = undefined;
    this.#at++;
    this.#before = this.#current;
    return (this.#current = item);
  }

  #peek(): Value | undefined {
    if (this.#after === undefined) this.#after = this.#cursor.next();
    return this.#after;
  }

  override length(): number {
    if (this.#length !== undefined) return this.#length;
    if (has(this.over, 'length')) return (this.#length = this.over.length());
    const rest: Value[] = [];
    for (let item = this.#cursor.next(); item !== undefined; item = this.#cursor.next()) {
      spend(1);
      rest.push(item);
    }
    this.#cursor = cursorOf(rest);
    return (this.#length = rest.length + this.#at + 1 + (this.#after === undefined ? 0 : 1));
  }

  override iterate(): Cursor {
    return {
      next: () => {
        const item = this.next();
        return item === undefined ? undefined : new Tuple([item, this]);
      },
    };
  }

  override call([over]: readonly Value[]): Value {
    if (!this.recurse || over === undefined) return raise('TypeError', 'a loop that is called has to be recursive, and takes a value');
    return this.recurse(over, this.depth0 + 1);
  }

  static readonly #attributes = new Map<string, (loop: LoopContext) => Value>([
    ['index', (loop) => loop.#at + 1],
    ['index0', (loop) => loop.#at],
    ['first', (loop) => loop.#at === 0],
    ['last', (loop) => loop.#peek() === undefined],
    ['length', (loop) => loop.length()],
    ['revindex', (loop) => loop.length() - loop.#at],
    ['revindex0', (loop) => loop.length() - loop.#at - 1],
    ['depth', (loop) => loop.depth0 + 1],
    ['depth0', (loop) => loop.depth0],
    ['previtem', (loop) => valueOr(loop.#before, () => new Undefined('there is no previous item'))],
    ['nextitem', (loop) => valueOr(loop.#peek(), () => new Undefined('there is no next item'))],
    ['cycle', (loop) => new PyFunction((args) => loop.#cycled(args))],
    ['changed', (loop) => new PyFunction((args) => loop.#hasChanged(new Tuple(args)))],
  ]);

  override attribute(name: string): Value | undefined {
    return LoopContext.#attributes.get(name)?.(this);
  }

  #cycled(items: readonly Value[]): Value {
    return valueOr(items[this.#at % items.length], () => raise('TypeError', 'no items for cycling given'));
  }

  #hasChanged(values: Tuple): boolean {
    if (this.#changed && equal(this.#changed, values)) return false;
    this.#changed = values;
    return true;
  }
}

/** Runs the loop over a value, at the given depth. */
type Run = (activation: Activation, over: Value, recurse: Recurse | undefined, depth: number) => Generator<undefined, Signal, undefined>;

/** Limits a loop to the elements that pass its test. */
type Filtered = (activation: Activation, over: Value) => Value;

/** `isStepwise`: the loops in it pause as well. */
export function compileLoop(node: For, frame: Frame, compiler: Statements, isStepwise: boolean): Stepwise {
  const filtered = node.test ? compileTest(node, frame, compiler) : undefined;
  const run = compileRun(node, frame, compiler, filtered, frame.scope.owner, isStepwise);
  const over = compiler.expression(node.over, frame);
  return (activation) => {
    setPosition(node.at);
    return run(activation, over(activation), undefined, 0);
  };
}

/** The test runs in a separate function, when the loop requests the next element. */
function compileTest({ target, test, at }: For, frame: Frame, compiler: Statements): Filtered {
  const owner = new FunctionScope(frame.scope.owner);
  const scope = frame.scope.inner(owner);
  scope.expression(target, 'param');
  scope.expression(test);
  const inner = frame.inner(scope, {});
  const position = test?.at ?? at;
  const enter = inner.entering();
  const assign = inner.assigner(target);
  const passes = compiler.expression(test as NonNullable<typeof test>, inner);
  return (activation, over) => {
    const inside = new Activation(owner.size, activation, activation.context, activation.out);
    return generator(function* () {
      setPosition(position);
      enter(inside);
      for (const item of valuesIn(over)) {
        assign(inside, item);
        if (!truthy(passes(inside))) continue;
        yield item;
        setPosition(position);
      }
    });
  };
}

/** A recursive loop is a function that the body calls as `loop(…)`, and that returns its output. */
export function compileRecursiveLoop(node: For, frame: Frame, compiler: Statements): Execute {
  const filtered = node.test ? compileTest(node, frame, compiler) : undefined;
  const owner = new FunctionScope(frame.scope.owner);
  // The filter is called from inside, but is a function of the outer scope.
  const fromInside: Filtered | undefined = filtered && ((activation, over) => filtered(activation.outer as Activation, over));
  const run = compileRun(node, frame, compiler, fromInside, owner, false);
  const over = compiler.expression(node.over, frame);
  return (activation) => {
    const render: Recurse = (values, depth) => {
      enterCall();
      const before = currentPosition();
      const inner = new Activation(owner.size, activation, activation.context, new TextBuilder());
      drained(run(inner, values, render, depth));
      leaveCall();
      setPosition(before);
      return inner.out.finish();
    };
    setPosition(node.at);
    activation.out.add(render(over(activation), 0) as Str);
    return NEXT;
  };
}

function compileRun(
  node: For,
  frame: Frame,
  compiler: Statements,
  filtered: Filtered | undefined,
  owner: FunctionScope,
  isStepwise: boolean,
): Run {
  const scope = frame.scope.inner(owner);
  const usesLoop = node.isRecursive || undeclared(node.body, ['loop']).has('loop');
  const loop = usesLoop ? scope.declare('loop') : undefined;
  scope.expression(node.target, 'param');
  scope.statements(node.body);
  const inner = frame.inner(scope, { isInLoop: true });
  const position = node.at;
  const assign = inner.assigner(node.target);
  const unpacks = node.target.kind !== 'name';
  const [enter, leave] = [inner.entering(), inner.leaving()];
  const steps = isStepwise && hasLoop(node.body) ? compiler.stepwise(node.body, inner) : undefined;
  const run = steps ? undefined : compiler.statements(node.body, inner);
  const otherwise = node.otherwise.length > 0 ? compileElse(node, frame, compiler, owner) : undefined;

  return function* (activation, all, recurse, depth) {
    setPosition(position);
    const over = filtered ? filtered(activation, all) : all;
    // Iteration starts before anything else: a value that cannot be iterated is an error of the loop.
    const cursor = over instanceof List ? cursorOf(over.items) : iterate(over);
    const context = loop ? new LoopContext(over, cursor, recurse, depth) : undefined;
    const isLazy = !(over instanceof Sequence);
    let isEmpty = true;
    for (let item = (context ?? cursor).next(); item !== undefined; item = (context ?? cursor).next()) {
      spend(1);
      // Unpacking may fail, after the statements of the iteration before.
      if (unpacks) setPosition(position);
      assign(activation, item);
      if (loop) activation.slots[loop.slot] = context;
      enter(activation);
      const signal = run ? run(activation) : yield* (steps as Stepwise)(activation);
      if (signal === BREAK) break;
      if (signal === NEXT) isEmpty = false;
      if (isLazy) setPosition(position);
      if (isPauseDue()) yield;
    }
    leave(activation);
    return isEmpty && otherwise ? otherwise(activation) : NEXT;
  };
}

/** The branch to run if no iteration completed. */
function compileElse(node: For, frame: Frame, compiler: Statements, owner: FunctionScope): Execute {
  const scope = frame.scope.inner(owner);
  scope.statements(node.otherwise);
  const isInLoop = owner === frame.scope.owner && frame.kind.isInLoop === true;
  const inner = frame.inner(scope, { isInLoop });
  return scoped(inner, compiler.statements(node.otherwise, inner));
}

// Compiles loops to closures.

import { spend } from '../budget.js';
import type { For } from '../nodes.js';
import { Activation, setPosition } from '../runtime/activation.js';
import { LoopContext, type Recurse } from '../runtime/loop.js';
import { currentRendering } from '../runtime/rendering.js';
import { FunctionScope } from '../scopes.js';
import { truthy } from '../values/compare.js';
import { cursorOf, iterate, Iteration, List, Sequence } from '../values/containers.js';
import type { Cursor, PyObject, Value } from '../values/object.js';
import { undeclared } from '../walk.js';
import type { Frame } from './frame.js';
import { rareStatements } from './rarely.js';
import { BREAK, type Execute, type Filtered, NEXT, type Signal, type Statements } from './signals.js';
import { type Assign, compileTarget } from './targets.js';

/** Runs the loop over a value, at the given depth. */
type Run = (activation: Activation, over: Value, recurse: Recurse | undefined, depth: number) => Signal;

export function compileLoop(node: For, frame: Frame, compiler: Statements): Execute {
  if (compiler.oddities.assigns) rareStatements.contents.refuseLoopTarget(node, frame);
  const filtered = node.test ? compileTest(node, frame, compiler) : undefined;
  if (node.isRecursive) return rareStatements.contents.compileRecursive(node, frame, compiler, filtered);
  const run = compileRun(node, frame, compiler, filtered, frame.scope.owner);
  const position = node.at;
  const over = compiler.expression(node.over, frame);
  return (activation) => {
    setPosition(position);
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
  const position = compiler.mark(test?.at ?? at);
  const enter = inner.entering();
  const assign = compileTarget(target, inner);
  const passes = compiler.expression(test as NonNullable<typeof test>, inner);
  return (activation, over) => {
    let cursor: Cursor | undefined;
    const own = new Activation(owner.size, activation, activation.context, activation.out);
    const next = () => {
      setPosition(position);
      if (!cursor) {
        enter(own);
        cursor = iterate(over);
      }
      for (let item = cursor.next(); item !== undefined; item = cursor.next()) {
        spend(1);
        assign(own, item);
        if (truthy(passes(own))) return item;
      }
      return undefined;
    };
    return new Iteration('generator', { next });
  };
}

/** Whether the body uses `loop`. */
function usesLoop(node: For, compiler: Statements): boolean {
  if (node.isRecursive || undeclared(node.body, ['loop']).has('loop')) return true;
  return compiler.oddities.hasScopedBlock && rareStatements.contents.oddities([node], 'loop').hasScopedBlock;
}

export function compileRun(node: For, frame: Frame, compiler: Statements, filtered: Filtered | undefined, owner: FunctionScope): Run {
  const scope = frame.scope.inner(owner);
  const loop = usesLoop(node, compiler) ? scope.declare('loop') : undefined;
  scope.expression(node.target, 'param');
  scope.statements(node.body);
  const inner = frame.inner(scope, { isInLoop: true });
  const position = compiler.mark(node.at);
  const target = compileTarget(node.target, inner);
  // Unpacking may fail, after the statements of the iteration before.
  const assign: Assign =
    node.target.kind === 'name'
      ? target
      : (activation, value) => {
          setPosition(position);
          target(activation, value);
        };
  const [enter, leave] = [inner.entering(), inner.leaving()];
  const run = compiler.statements(node.body, inner);
  const otherwise = node.otherwise.length > 0 ? compileElse(node, frame, compiler, owner) : undefined;
  const isRepeatable = frame.kind.isTop === true && !node.isRecursive && !filtered;
  const code = isRepeatable ? { node, frame, slot: loop?.slot, assign, enter, run } : undefined;

  return (activation, all, recurse, depth) => {
    setPosition(position);
    const { memory, root } = code ? currentRendering() : NO_MEMORY;
    if (memory && code && activation.out === root) {
      const isEmpty = memory.loop(code, activation, all);
      if (isEmpty !== undefined) {
        leave(activation);
        return isEmpty && otherwise ? otherwise(activation) : NEXT;
      }
    }
    const over = filtered ? filtered(activation, all) : all;
    // Iteration starts before anything else: a value that cannot be iterated is an error of the loop.
    const cursor = over instanceof List ? cursorOf(over.items) : iterate(over);
    const context = loop ? new LoopContext(over as PyObject, cursor, recurse, depth) : undefined;
    const isLazy = !(over instanceof Sequence);
    let isEmpty = true;
    for (let item = (context ?? cursor).next(); item !== undefined; item = (context ?? cursor).next()) {
      spend(1);
      assign(activation, item);
      if (loop) activation.slots[loop.slot] = context;
      enter(activation);
      const signal = run(activation);
      if (signal === BREAK) break;
      if (signal === NEXT) isEmpty = false;
      if (isLazy) setPosition(position);
    }
    leave(activation);
    return isEmpty && otherwise ? otherwise(activation) : NEXT;
  };
}

const NO_MEMORY = { memory: undefined, root: undefined };

/** The branch to run if no iteration completed. */
function compileElse(node: For, frame: Frame, compiler: Statements, owner: FunctionScope): Execute {
  const scope = frame.scope.inner(owner);
  scope.statements(node.otherwise);
  const isInLoop = owner === frame.scope.owner && frame.kind.isInLoop === true;
  const inner = frame.inner(scope, { isInLoop });
  const [enter, leave] = [inner.entering(), inner.leaving()];
  const run = compiler.statements(node.otherwise, inner);
  return (activation) => {
    enter(activation);
    const signal = run(activation);
    leave(activation);
    return signal;
  };
}

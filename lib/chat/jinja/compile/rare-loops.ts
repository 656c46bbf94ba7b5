// Compiles rare features of loops to closures.

import { enter as enterCall, leave as leaveCall } from '../budget.js';
import type { For, Statement } from '../nodes.js';
import { Activation, currentPosition, setPosition } from '../runtime/activation.js';
import type { Recurse } from '../runtime/loop.js';
import { FunctionScope } from '../scopes.js';
import { type Str, TextBuilder } from '../values/str.js';
import { walkAll } from '../walk.js';
import type { Frame } from './frame.js';
import { compileRun } from './loops.js';
import { type Execute, type Filtered, NEXT, type Oddities, type Statements } from './signals.js';

/** A recursive loop is a function that the body calls as `loop(…)`, and that returns its output. */
export function compileRecursive(node: For, frame: Frame, compiler: Statements, filtered: Filtered | undefined): Execute {
  const owner = new FunctionScope(frame.scope.owner);
  // The filter is called from inside, but is a function of the outer scope.
  const fromInside: Filtered | undefined = filtered && ((activation, over) => filtered(activation.outer as Activation, over));
  const run = compileRun(node, frame, compiler, fromInside, owner);
  const position = compiler.mark(node.at);
  const over = compiler.expression(node.over, frame);
  return (activation) => {
    const render: Recurse = (values, depth) => {
      enterCall();
      const before = currentPosition();
      const inner = new Activation(owner.size, activation, activation.context, new TextBuilder());
      run(inner, values, render, depth);
      leaveCall();
      setPosition(before);
      return inner.out.finish();
    };
    setPosition(position);
    activation.out.add(render(over(activation), 0) as Str);
    return NEXT;
  };
}

/** An error for a loop that assigns to `loop`. */
export function refuseLoopTarget(node: For, frame: Frame): void {
  walkAll([node], {
    name(name, use, at) {
      if (use === 'store' && name === 'loop')
        frame.fail("Can't assign to special loop variable in for-loop target", at, 'TemplateAssertionError');
    },
    block: () => true,
  });
}

/** Whether anything assigns to a name, and whether a block sees the variables around it. */
export function oddities(statements: readonly Statement[], name: string): Oddities {
  const found = { assigns: false, hasBlock: false, hasScopedBlock: false };
  walkAll(statements, {
    name(each, use) {
      if (use === 'store' && each === name) found.assigns = true;
    },
    block(isScoped) {
      found.hasBlock = true;
      if (isScoped) found.hasScopedBlock = true;
      return true;
    },
  });
  return found;
}

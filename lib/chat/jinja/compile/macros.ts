// Compiles macros and the bodies of call blocks to closures.

import { Activation } from '../activation.js';
import type { Parameters, Statement } from '../nodes.js';
import { FunctionScope, type Variable } from '../scopes.js';
import { Macro, type MacroShape } from '../values/macro.js';
import { TextBuilder } from '../values/text.js';
import { Undefined } from '../values/undefined.js';
import { undeclared } from '../walk.js';
import type { Evaluate, Frame, Statements } from './frame.js';

interface Definition extends Parameters {
  /** Undefined for the body of a call block. */
  name: string | undefined;
  body: readonly Statement[];
  at: number;
}

/** Returns a function that creates the macro when its definition runs. */
export function compileMacro(definition: Definition, outer: Frame, compiler: Statements): (activation: Activation) => Macro {
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
    return value ? compiler.expression(value, frame) : () => new Undefined(`parameter '${each}' was not provided`);
  });
  const run = compiler.statements(body, frame);
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

/** Throws for parameters that Jinja or Python rejects. */
function checkParameters({ names, defaults, at }: Definition, usesCaller: boolean, frame: Frame): void {
  const repeated = names.find((each, index) => names.indexOf(each) !== index);
  if (repeated !== undefined) frame.fail(`duplicate argument '${repeated}' in function definition`, at, 'SyntaxError');
  const callerAt = names.indexOf('caller');
  if (usesCaller && callerAt >= 0 && callerAt < names.length - defaults.length) {
    frame.fail('a parameter "caller" needs a default', at, 'TemplateAssertionError');
  }
}

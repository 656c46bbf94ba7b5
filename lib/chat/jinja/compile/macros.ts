// Compiles macros and the bodies of call blocks to closures.

import type { Parameters, Statement } from '../nodes.js';
import { Activation } from '../runtime/activation.js';
import { Macro } from '../runtime/macro.js';
import type { MacroShape } from '../runtime/macro-shape.js';
import { FunctionScope, type Variable } from '../scopes.js';
import type { Value } from '../values/object.js';
import { type Str, TextBuilder } from '../values/str.js';
import { Undefined } from '../values/undefined.js';
import { undeclared } from '../walk.js';
import type { Evaluate, Frame } from './frame.js';
import { rareStatements } from './rarely.js';
import type { Statements } from './signals.js';

interface Definition {
  /** Undefined for the body of a call block. */
  name: string | undefined;
  params: Parameters;
  body: readonly Statement[];
  at: number;
}

/** A compiled macro, before its definition runs. */
interface Compiled {
  shape: MacroShape;
  /** `outer`: the call that defines it. */
  run: (outer: Activation, args: readonly (Value | undefined)[]) => Str;
}

/** Returns a function that creates the macro when its definition runs. */
export function compileMacro(definition: Definition, outer: Frame, compiler: Statements): (activation: Activation) => Macro {
  const compiled = compiler.later(() => compileDefinition(definition, outer, compiler));
  return (activation) =>
    new Macro(
      () => compiled().shape,
      (args) => compiled().run(activation, args),
      compiled,
      activation,
    );
}

function compileDefinition({ name, params, body, at }: Definition, outer: Frame, compiler: Statements): Compiled {
  const { names, defaults } = params;
  const owner = new FunctionScope(outer.scope.owner);
  const scope = outer.scope.inner(owner);
  const special = undeclared(body, ['caller', 'kwargs', 'varargs']);
  for (const each of names) scope.declare(each);
  for (const each of defaults) scope.expression(each);
  scope.statements(body);
  const callerAt = names.indexOf('caller');
  const firstDefault = names.length - defaults.length;
  if (callerAt >= 0 || new Set(names).size < names.length) {
    rareStatements.contents.checkParameters(params, special.has('caller'), (message, kind) => outer.fail(message, at, kind));
  }
  const shape: MacroShape = {
    name,
    parameters: names,
    usesCaller: special.has('caller'),
    usesKeywords: special.has('kwargs') && !names.includes('kwargs'),
    usesVarargs: special.has('varargs') && !names.includes('varargs'),
  };
  const extra = [shape.usesCaller && callerAt < 0 && 'caller', shape.usesKeywords && 'kwargs', shape.usesVarargs && 'varargs'];
  const variables: Variable[] = [...names, ...extra.filter((each) => each !== false)].map((each) => scope.declare(each));

  const frame = outer.inner(scope, {});
  compiler.mark(at);
  const enter = frame.entering();
  const fills = names.map((each, index): Evaluate => {
    const value = defaults[index - firstDefault];
    if (value) return compiler.expression(value, frame);
    return () => new Undefined(`parameter '${each}' was not provided`);
  });
  const run = compiler.statements(body, frame);
  return {
    shape,
    run(activation, args) {
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
    },
  };
}

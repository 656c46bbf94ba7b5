// What a template defines and calls: macros, and the bodies of call blocks.

import { enter, leave } from '../budget.js';
import { raise } from '../template-errors.js';
import { currentPosition, setPosition } from '../activation.js';
import { Dict } from './dict.js';
import { Tuple } from './list.js';
import { type Keywords, PyObject, type Value } from './object.js';
import { ofTemplate, quotedText, type Str } from './text.js';
import { Undefined } from './undefined.js';

/** The parameters of a macro. */
export interface MacroShape {
  /** Undefined for the body of a call block. */
  name: string | undefined;
  parameters: readonly string[];
  usesCaller: boolean;
  usesKeywords: boolean;
  usesVarargs: boolean;
}

export class Macro extends PyObject {
  readonly type = 'Macro';

  constructor(
    private readonly shape: MacroShape,
    /** Gets the parameters in order, undefined for an absent one, followed by caller, kwargs and varargs if they are used. */
    private readonly body: (args: readonly (Value | undefined)[]) => Str,
  ) {
    super();
  }

  override call(args: readonly Value[], keywords: Keywords): Str {
    const before = currentPosition();
    enter();
    const text = this.body(this.#arguments(args, keywords));
    leave();
    setPosition(before);
    return text;
  }

  #arguments(args: readonly Value[], keywords: Keywords): (Value | undefined)[] {
    const { name, parameters, usesCaller, usesKeywords, usesVarargs } = this.shape;
    const shown = name === undefined ? 'None' : quotedText(name);
    const all: (Value | undefined)[] = args.slice(0, parameters.length);
    const rest = new Dict();
    for (const { key, value } of keywords.entries()) rest.set(key, value);
    let hasCaller = all.length === parameters.length && parameters.includes('caller');
    for (const parameter of parameters.slice(all.length)) {
      all.push(rest.getText(parameter));
      rest.delete(parameter);
      if (parameter === 'caller') hasCaller = true;
    }
    if (usesCaller && !hasCaller) {
      const caller = rest.getText('caller') ?? null;
      rest.delete('caller');
      all.push(caller === null ? new Undefined('No caller defined') : caller);
    }
    if (usesKeywords) all.push(rest);
    else if (rest.length() > 0) {
      if (rest.getText('caller') !== undefined) raise('TypeError', `macro ${shown} was invoked with two values for caller`);
      for (const { key } of rest.entries()) raise('TypeError', `macro ${shown} takes no keyword argument ${quotedText((key as Str).text)}`);
    }
    if (usesVarargs) all.push(new Tuple(args.slice(parameters.length)));
    else if (args.length > parameters.length) raise('TypeError', `macro ${shown} takes not more than ${parameters.length} argument(s)`);
    return all;
  }

  override attribute(name: string): Value | undefined {
    const { parameters, usesCaller, usesKeywords, usesVarargs } = this.shape;
    if (name === 'name') return this.shape.name === undefined ? null : ofTemplate(this.shape.name);
    if (name === 'arguments') return new Tuple(parameters.map(ofTemplate));
    return new Map(Object.entries({ catch_kwargs: usesKeywords, catch_varargs: usesVarargs, caller: usesCaller })).get(name);
  }
}

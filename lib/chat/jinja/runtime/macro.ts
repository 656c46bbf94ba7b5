// Macros: functions that a template defines.

import { enter, leave } from '../budget.js';
import { raise } from '../errors.js';
import { Tuple } from '../values/containers.js';
import { Dict } from '../values/dict.js';
import { type Keywords, PyObject, type Value, type Writer } from '../values/object.js';
import { ofTemplate, quotedText, type Str } from '../values/str.js';
import { Undefined } from '../values/undefined.js';
import { rarely } from '../rarely.js';
import { type Activation, currentPosition, setPosition } from './activation.js';
import type { MacroShape } from './macro-shape.js';

/**
 * Runs the body: the parameters in order, undefined for those not given, followed by caller, kwargs and varargs if they are
 * used.
 */
export type MacroBody = (args: readonly (Value | undefined)[]) => Str;

export class Macro extends PyObject {
  readonly type = 'Macro';

  constructor(
    private readonly shape: () => MacroShape,
    private readonly body: MacroBody,
    /** The same for each macro of one definition. */
    readonly definition: unknown,
    /** The call that has defined it. */
    readonly definedIn: Activation,
  ) {
    super();
  }

  override get module(): string {
    return 'jinja2.runtime';
  }

  override isCallable(): boolean {
    return true;
  }

  override call(args: readonly Value[], keywords: Keywords): Value {
    const before = currentPosition();
    enter();
    const text = this.body(this.#arguments(args, keywords));
    leave();
    setPosition(before);
    return text;
  }

  #arguments(args: readonly Value[], keywords: Keywords): (Value | undefined)[] {
    const { name, parameters, usesCaller, usesKeywords, usesVarargs } = this.shape();
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
      if (rest.getText('caller') !== undefined) {
        raise('TypeError', `macro ${shown} was invoked with two values for the special caller argument. This is most likely a bug.`);
      }
      const [first] = rest.children();
      raise('TypeError', `macro ${shown} takes no keyword argument ${quotedText((first as Str).text)}`);
    }
    if (usesVarargs) all.push(new Tuple(args.slice(parameters.length)));
    else if (args.length > parameters.length) raise('TypeError', `macro ${shown} takes not more than ${parameters.length} argument(s)`);
    return all;
  }

  override attribute(name: string): Value | undefined {
    return rarely().macroAttribute(this.shape(), name);
  }

  override writeRepr(writer: Writer): void {
    const { name } = this.shape();
    writer.write('<Macro ');
    if (name === undefined) writer.write('anonymous');
    else writer.writeRepr(ofTemplate(name));
    writer.write('>');
  }
}

// What templates call: functions, methods and classes, with Python's rules for arguments.

import { raise } from '../errors.js';
import { type Keywords, PyObject, type Value, type Writer } from './object.js';

export const NO_KEYWORDS: Keywords = new Map();

/** A method: `self` and its arguments. Arguments that are not given are undefined. */
export type Method<Self> = (self: Self, args: readonly Value[], keywords: Keywords) => Value;

export class PyFunction extends PyObject {
  constructor(
    readonly name: string,
    private readonly body: (args: readonly Value[], keywords: Keywords) => Value,
    readonly type = 'function',
  ) {
    super();
  }

  override isCallable(): boolean {
    return true;
  }

  override call(args: readonly Value[], keywords: Keywords): Value {
    return this.body(args, keywords);
  }

  override writeRepr(writer: Writer): void {
    writer.write(this.type === 'type' ? `<class '${this.name}'>` : `<${this.type} ${this.name} at 0x7f0000000000>`);
  }
}

/** The parameters of a function. */
export interface Signature {
  name: string;
  parameters: readonly string[];
  /** How many must be given. */
  required: number;
  /** How many can be given by position alone. */
  positionOnly: number;
}

/**
 * Written as `name(a, b, c=, /)`: `=` says that a parameter can be left out, and what is before `/` takes no name. A method's
 * `self` is not among them.
 */
export function signature(text: string): Signature {
  const [, name, list] = /^(\w+)\((.*)\)$/.exec(text) as unknown as [string, string, string];
  const all = list === '' ? [] : list.split(', ');
  const slash = all.indexOf('/');
  const parameters = all.filter((each) => each !== '/');
  return {
    name,
    parameters: parameters.map((each) => each.replace('=', '')),
    required: parameters.filter((each) => !each.endsWith('=')).length,
    positionOnly: Math.max(slash, 0),
  };
}

/** Arguments in the order of the parameters; undefined where none is given. */
export function bind(to: Signature, args: readonly Value[], keywords: Keywords): readonly (Value | undefined)[] {
  const { name, parameters, required, positionOnly } = to;
  if (args.length > parameters.length) {
    raise('TypeError', `${name}() takes at most ${parameters.length} argument${parameters.length === 1 ? '' : 's'} (${args.length} given)`);
  }
  let bound: readonly (Value | undefined)[] = args;
  if (keywords.size > 0) {
    const all: (Value | undefined)[] = [...args];
    for (const [keyword, value] of keywords) {
      const index = parameters.indexOf(keyword);
      if (index < 0 || index < positionOnly) raise('TypeError', `${name}() got an unexpected keyword argument '${keyword}'`);
      if (all[index] !== undefined) raise('TypeError', `${name}() got multiple values for argument '${keyword}'`);
      all[index] = value;
    }
    bound = all;
  }
  for (let i = 0; i < required; i++) {
    if (bound[i] === undefined) raise('TypeError', `${name}() missing required argument: '${parameters[i]}'`);
  }
  return bound;
}

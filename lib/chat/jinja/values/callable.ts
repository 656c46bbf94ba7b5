// Callables: functions, methods and classes, with Python's rules for arguments.

import { raise } from '../errors.js';
import { Dict } from './dict.js';
import { type Keywords, PyObject, type Value, type Writer } from './object.js';
import type { Str } from './str.js';

export const NO_KEYWORDS: Keywords = new Dict();

/** A method: `self` and its arguments. Missing arguments are undefined. */
export type Method<Self> = (self: Self, args: readonly Value[], keywords: Keywords) => Value;

export class PyFunction extends PyObject {
  readonly type = 'function';

  constructor(private readonly body: (args: readonly Value[], keywords: Keywords) => Value) {
    super();
  }

  override isCallable(): boolean {
    return true;
  }

  override call(args: readonly Value[], keywords: Keywords): Value {
    return this.body(args, keywords);
  }

  override writeRepr(writer: Writer): void {
    writer.write('<function at 0x7f0000000000>');
  }
}

/** The parameters of a function, parsed on the first call. */
export class Signature {
  readonly name: string;
  #parameters: readonly string[] | undefined;
  /** The number of required parameters. */
  required = 0;
  /** The number of positional-only parameters. */
  positionOnly = 0;

  constructor(private readonly text: string) {
    this.name = text.slice(0, text.indexOf('('));
  }

  get parameters(): readonly string[] {
    return (this.#parameters ??= this.#read());
  }

  #read(): readonly string[] {
    const list = this.text.slice(this.name.length + 1, -1);
    const all = list === '' ? [] : list.split(', ');
    this.positionOnly = Math.max(all.indexOf('/'), 0);
    const parameters = all.filter((each) => each !== '/');
    this.required = parameters.filter((each) => !each.endsWith('=')).length;
    return parameters.map((each) => each.replace('=', ''));
  }
}

/**
 * Written as `name(a, b, c=, /)`: `=` marks an optional parameter, and parameters before `/` are positional-only. Excludes a
 * method's `self`.
 */
export function signature(text: string): Signature {
  return new Signature(text);
}

/** Arguments in the order of the parameters; undefined for missing ones. */
export function bind(to: Signature, args: readonly Value[], keywords: Keywords): readonly (Value | undefined)[] {
  // Reading `parameters` parses them, which sets the other two.
  const { name, parameters } = to;
  const { required, positionOnly } = to;
  if (args.length > parameters.length) {
    raise('TypeError', `${name}() takes at most ${parameters.length} argument${parameters.length === 1 ? '' : 's'} (${args.length} given)`);
  }
  let bound: readonly (Value | undefined)[] = args;
  if (keywords.length() > 0) {
    const all: (Value | undefined)[] = [...args];
    for (const { key, value } of keywords.entries()) {
      const keyword = (key as Str).text;
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

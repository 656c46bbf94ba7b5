// Functions, methods and filters, with Python's rules for arguments.

import { raise, unsupported } from '../template-errors.js';
import { Dict } from './dict.js';
import { intOf } from './numbers.js';
import { type Keywords, PyObject, typeName, type Value } from './object.js';
import { Str } from './text.js';

export const NO_KEYWORDS: Keywords = new Dict();

/** A function of Python. */
export type Callable = (args: readonly Value[], keywords: Keywords) => Value;

/** A method: `self` and its arguments. */
export type Method<Self> = (self: Self, args: readonly Value[], keywords: Keywords) => Value;

/** A filter or test: the value left of it, and the arguments. */
export type Filter = Method<Value>;

export class PyFunction extends PyObject {
  readonly type = 'function';

  /** `leftOut`: its attributes in Python, which are refused by name. */
  constructor(
    private readonly body: Callable,
    private readonly leftOut: readonly string[] = [],
  ) {
    super();
  }

  override attribute(name: string): undefined {
    return this.leftOut.includes(name) ? unsupported(`the attribute '${name}' of a function`) : undefined;
  }

  override call(args: readonly Value[], keywords: Keywords): Value {
    return this.body(args, keywords);
  }
}

/** The parameters of a function, and how many of them are required and positional-only. */
function parsed(text: string) {
  const [name = '', list = ''] = text.split(/[()]/);
  const all = list === '' ? [] : list.split(', ');
  const parameters = all.filter((each) => each !== '/');
  return {
    name,
    parameters: parameters.map((each) => each.replace('=', '')),
    required: parameters.filter((each) => !each.endsWith('=')).length,
    positionOnly: Math.max(all.indexOf('/'), 0),
  };
}

/**
 * Methods, filters or tests by their names and parameters, as in `name(a, b, c=, /)`: `=` marks an optional parameter, and those
 * before `/` are positional-only. The body gets undefined for what is missing. Parsed on the first call.
 */
export function taking<Self>(bodies: Record<string, (self: Self, ...args: never[]) => Value>): [string, Method<Self>][] {
  return Object.entries(bodies).map(([parameters, body]) => {
    let signature: ReturnType<typeof parsed> | undefined;
    const method: Method<Self> = (self, args, keywords) =>
      body(self, ...(bound((signature ??= parsed(parameters)), args, keywords) as never[]));
    return [parameters.replace(/\(.*/, ''), method];
  });
}

/** Arguments in the order of the parameters. */
function bound(to: ReturnType<typeof parsed>, args: readonly Value[], keywords: Keywords): readonly (Value | undefined)[] {
  const { name, parameters, required, positionOnly } = to;
  if (args.length > parameters.length) {
    raise('TypeError', `${name}() takes at most ${parameters.length} argument${parameters.length === 1 ? '' : 's'} (${args.length} given)`);
  }
  let all: readonly (Value | undefined)[] = args;
  if (keywords.length() > 0) {
    const named: (Value | undefined)[] = [...args];
    for (const { key, value } of keywords.entries()) {
      const keyword = (key as Str).text;
      const index = parameters.indexOf(keyword);
      if (index < 0 || index < positionOnly) raise('TypeError', `${name}() got an unexpected keyword argument '${keyword}'`);
      if (named[index] !== undefined) raise('TypeError', `${name}() got multiple values for argument '${keyword}'`);
      named[index] = value;
    }
    all = named;
  }
  for (let i = 0; i < required; i++) {
    if (all[i] === undefined) raise('TypeError', `${name}() missing required argument: '${parameters[i]}'`);
  }
  return all;
}

/** An integer. Integers beyond all lengths count as the largest. */
export function asIndex(value: Value | undefined, absent: number): number {
  if (value === undefined) return absent;
  return Number(intOf(value) ?? raise('TypeError', `'${typeName(value)}' object cannot be interpreted as an integer`));
}

/** An index in a sequence, or None for its beginning or end. */
export function asBound(value: Value | undefined, absent: number): number {
  if (value === undefined || value === null) return absent;
  return Number(intOf(value) ?? raise('TypeError', 'slice indices must be integers or None or have an __index__ method'));
}

export function asStr(value: Value | undefined, what: string): Str {
  if (value instanceof Str) return value;
  return raise('TypeError', `${what} must be str, not ${typeName(value ?? null)}`);
}

/** Start and end of a slice with step 1, clamped to the length. */
export function within(start: number, stop: number, length: number): [number, number] {
  const from = start < 0 ? Math.max(0, start + length) : start;
  const to = stop < 0 ? Math.max(0, stop + length) : Math.min(stop, length);
  return [from, to];
}

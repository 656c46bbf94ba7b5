// Helpers to define filters.

import { bind, signature } from '../values/callable.js';
import type { Keywords, Value } from '../values/object.js';

/** A filter: the value left of the bar, and the arguments. */
export type Filter = (value: Value, args: readonly Value[], keywords: Keywords) => Value;

/** A filter with named parameters, undefined if not given; `parameters` in the form of signature(). */
export function filter(parameters: string, body: (value: Value, ...args: (Value | undefined)[]) => Value): Filter {
  const to = signature(parameters);
  return (value, args, keywords) => body(value, ...bind(to, args, keywords));
}

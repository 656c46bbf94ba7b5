// Arguments that become part of a text: Markup escapes any value, str accepts only texts.

import { asStr } from '../values/arguments.js';
import { escape } from '../values/markup.js';
import type { Value } from '../values/object.js';
import type { Str } from '../values/str.js';

/** `what`: the argument's name, for errors. */
export function asArgument(self: Str, argument: Value | undefined, what: string): Str {
  return self.markup && argument !== undefined ? escape(argument) : asStr(argument, what);
}

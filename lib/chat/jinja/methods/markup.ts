// Arguments that become part of a text: those of Markup are escaped.

import { escape } from '../values/markup.js';
import type { Str } from '../values/str.js';

export function asArgument(self: Str, argument: Str): Str {
  return self.markup ? escape(argument) : argument;
}

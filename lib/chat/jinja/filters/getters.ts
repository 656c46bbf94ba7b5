// Reads an attribute of each element for filters, by a path such as `function.name`.

import { foresee } from '../budget.js';
import { getItem } from '../values/attributes.js';
import { intFromDigits } from '../values/int.js';
import type { Value } from '../values/object.js';
import { derived, Str } from '../values/str.js';
import { Undefined } from '../values/undefined.js';

/** The parts of a text. */
export function split(str: Str, separator: string): Str[] {
  foresee(str.units);
  return str.text.split(separator).map((part) => derived(part, str));
}

/** The steps of a path: names, and indices for numeric names. */
function stepsOf(attribute: Value): Value[] {
  if (attribute === null) return [];
  if (!(attribute instanceof Str)) return [attribute];
  return split(attribute, '.').map((step) => (/^\d+$/.test(step.text) ? intFromDigits(step.text, 10) : step));
}

/** `absent` replaces undefined values, at every step. */
export function attributeGetter(attribute: Value, absent: Value = null): (item: Value) => Value {
  const steps = stepsOf(attribute);
  return (item) => {
    for (const step of steps) {
      item = getItem(item, step);
      if (absent !== null && item instanceof Undefined) item = absent;
    }
    return item;
  };
}

// Compiles assignments to closures.

import { raise } from '../errors.js';
import { Namespace } from '../globals.js';
import type { Target } from '../nodes.js';
import type { Activation } from '../runtime/activation.js';
import { itemsOf, isIterable } from '../values/containers.js';
import { type Value, typeName } from '../values/object.js';
import { ofTemplate } from '../values/str.js';
import type { Frame } from './frame.js';

export type Assign = (activation: Activation, value: Value) => void;

/** `frame`: the variables' frame. `isExported`: blocks see them too. */
export function compileTarget(target: Target, frame: Frame, isExported = false): Assign {
  switch (target.kind) {
    case 'name': {
      const { slot } = frame.variable(target.name, target.at);
      const { name } = target;
      if (isExported) {
        return (activation, value) => {
          activation.slots[slot] = value;
          activation.context.assigned.set(name, value);
        };
      }
      return (activation, value) => {
        activation.slots[slot] = value;
      };
    }
    case 'namespace target': {
      const read = frame.reader(frame.variable(target.name, target.at));
      const attribute = ofTemplate(target.attribute);
      return (activation, value) => {
        const object = read(activation);
        // Jinja checks only when there is a value to assign.
        if (object instanceof Namespace) object.set(attribute, value);
        else raise('TypeError', `'${typeName(object ?? null)}' object does not support item assignment`);
      };
    }
    default: {
      const assigns = target.items.map((item) => compileTarget(item as Target, frame, isExported));
      return (activation, value) => {
        const values = unpacked(value, assigns.length);
        for (let i = 0; i < assigns.length; i++) (assigns[i] as Assign)(activation, values[i] as Value);
      };
    }
  }
}

/** As many values as there are targets. */
function unpacked(value: Value, count: number): readonly Value[] {
  if (!isIterable(value)) return raise('TypeError', `cannot unpack non-iterable ${typeName(value)} object`);
  const values = itemsOf(value);
  if (values.length > count) return raise('ValueError', `too many values to unpack (expected ${count})`);
  if (values.length < count) return raise('ValueError', `not enough values to unpack (expected ${count}, got ${values.length})`);
  return values;
}

/** Checks, before anything is computed, that attributes are assigned only to namespaces. */
export function compileNamespaceCheck(target: Target, frame: Frame): ((activation: Activation) => boolean) | undefined {
  const names = namespacesIn(target);
  if (names.length === 0) return undefined;
  const reads = names.map((each) => frame.reader(frame.variable(each.name, each.at)));
  return (activation) => reads.every((read) => read(activation) instanceof Namespace);
}

function namespacesIn(target: Target): { name: string; at: number }[] {
  if (target.kind === 'tuple') return target.items.flatMap((item) => namespacesIn(item as Target));
  return target.kind === 'namespace target' ? [target] : [];
}

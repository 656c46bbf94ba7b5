// Compiles assignments to closures.

import type { Activation } from '../activation.js';
import { raise } from '../errors.js';
import type { NamespaceTarget, Target } from '../nodes.js';
import { itemsOf, unpacked } from '../values/list.js';
import { Namespace } from '../values/namespace.js';
import { has, typeName, type Value } from '../values/object.js';
import { ofTemplate } from '../values/text.js';
import type { Frame } from './frame.js';

export type Assign = (activation: Activation, value: Value) => void;

/** `frame`: the variables' frame. `isExported`: blocks see them too. */
export function compileTarget(target: Target, frame: Frame, isExported = false): Assign {
  switch (target.kind) {
    case 'name': {
      const { slot } = frame.variable(target.name, target.at);
      const { name } = target;
      return (activation, value) => {
        activation.slots[slot] = value;
        if (isExported) activation.context.assigned.set(name, value);
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
        if (!has(value, 'iterate')) return raise('TypeError', `cannot unpack non-iterable ${typeName(value)} object`);
        const values = unpacked(itemsOf(value), assigns.length);
        for (let i = 0; i < assigns.length; i++) (assigns[i] as Assign)(activation, values[i] as Value);
      };
    }
  }
}

/** Checks, before anything is computed, that attributes are assigned only to namespaces. */
export function compileNamespaceCheck(target: Target, frame: Frame): ((activation: Activation) => boolean) | undefined {
  const names = namespacesIn(target);
  if (names.length === 0) return undefined;
  const reads = names.map((each) => frame.reader(frame.variable(each.name, each.at)));
  return (activation) => reads.every((read) => read(activation) instanceof Namespace);
}

function namespacesIn(target: Target): NamespaceTarget[] {
  if (target.kind === 'tuple') return target.items.flatMap((item) => namespacesIn(item as Target));
  return target.kind === 'namespace target' ? [target] : [];
}

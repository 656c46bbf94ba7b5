// Compiles assignments to closures.

import type { Activation } from '../activation.js';
import { raise } from '../errors.js';
import type { Target } from '../nodes.js';
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
        if (object instanceof Namespace) object.set(attribute, value);
        else raise('TemplateRuntimeError', 'cannot assign attribute on non-namespace object');
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

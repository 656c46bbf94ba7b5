// `loop` in a loop over known elements, of which any can be the current one.

import { raise } from '../errors.js';
import { PyFunction } from '../values/callable.js';
import { equal } from '../values/compare.js';
import { Tuple } from '../values/containers.js';
import { PyObject, type Value, valueOr } from '../values/object.js';
import { Undefined } from '../values/undefined.js';
import { tracer, untraceable } from '../runtime/tracer.js';

/** Its attributes are those of LoopContext (runtime/loop.ts); templates that use anything else have no use for it. */
export class PlacedLoop extends PyObject {
  readonly type = 'LoopContext';
  index = 0;
  #changed: Tuple | undefined;

  constructor(readonly items: readonly Value[]) {
    super();
  }

  override get module(): string {
    return 'jinja2.runtime';
  }

  override attribute(name: string): Value | undefined {
    if (name === 'cycle') {
      const index = this.#read('index0', this.index) as number;
      return new PyFunction(
        name,
        (args) => valueOr(args[index % args.length], () => raise('TypeError', 'no items for cycling given')),
        'method',
      );
    }
    if (name === 'changed') {
      untraceable();
      return new PyFunction(name, (args) => this.#hasChanged(new Tuple(args)), 'method');
    }
    return this.#read(name, this.current(name));
  }

  #read(name: string, value: Value | undefined): Value | undefined {
    tracer?.loop(name, value);
    return value;
  }

  /** An attribute, without telling anybody. */
  current(name: string): Value | undefined {
    const { index, items } = this;
    switch (name) {
      case 'index':
        return index + 1;
      case 'index0':
        return index;
      case 'first':
        return index === 0;
      case 'last':
        return index === items.length - 1;
      case 'length':
        return items.length;
      case 'revindex':
        return items.length - index;
      case 'revindex0':
        return items.length - index - 1;
      case 'depth':
        return 1;
      case 'depth0':
        return 0;
      case 'previtem':
        return index === 0 ? new Undefined('there is no previous item') : items[index - 1];
      case 'nextitem':
        return valueOr(items[index + 1], () => new Undefined('there is no next item'));
      default:
        return undefined;
    }
  }

  #hasChanged(values: Tuple): boolean {
    if (this.#changed && equal(this.#changed, values)) return false;
    this.#changed = values;
    return true;
  }
}

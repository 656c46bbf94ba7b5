// `cycler` and `joiner`: values that change with every call.

import { raise } from '../errors.js';
import { bind, PyFunction, signature } from '../values/callable.js';
import { type Keywords, PyObject, type Value, valueOr } from '../values/object.js';
import { EMPTY, literal } from '../values/str.js';

class Cycler extends PyObject {
  readonly type = 'Cycler';
  #at = 0;

  constructor(private readonly items: readonly Value[]) {
    super();
  }

  override get module(): string {
    return 'jinja2.utils';
  }

  override attribute(name: string): Value | undefined {
    if (name === 'current') return this.items[this.#at];
    if (name === 'pos') return this.#at;
    if (name === 'reset') {
      return new PyFunction(() => {
        this.#at = 0;
        return null;
      });
    }
    if (name !== 'next') return undefined;
    return new PyFunction(() => {
      const item = this.items[this.#at] as Value;
      this.#at = (this.#at + 1) % this.items.length;
      return item;
    });
  }
}

/** Empty at the first call, and the separator at all others. */
class Joiner extends PyObject {
  readonly type = 'Joiner';
  #isUsed = false;

  constructor(private readonly separator: Value) {
    super();
  }

  override get module(): string {
    return 'jinja2.utils';
  }

  override isCallable(): boolean {
    return true;
  }

  override call(): Value {
    if (this.#isUsed) return this.separator;
    this.#isUsed = true;
    return EMPTY;
  }

  override attribute(name: string): Value | undefined {
    return name === 'sep' ? this.separator : name === 'used' ? this.#isUsed : undefined;
  }
}

const JOINER = signature('joiner(sep=)');

export function cycler(args: readonly Value[]): Value {
  return args.length > 0 ? new Cycler(args) : raise('RuntimeError', 'at least one item has to be provided');
}

export function joiner(args: readonly Value[], keywords: Keywords): Value {
  return new Joiner(valueOr(bind(JOINER, args, keywords)[0], () => literal(', ')));
}

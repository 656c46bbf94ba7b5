// `loop`: the state of a loop, for templates.

import { spend } from '../budget.js';
import { raise } from '../errors.js';
import { PyFunction } from '../values/callable.js';
import { equal } from '../values/compare.js';
import { cursorOf, Tuple } from '../values/containers.js';
import { type Cursor, PyObject, type Value, valueOr, type Writer } from '../values/object.js';
import { Undefined } from '../values/undefined.js';

/** Renders a recursive loop over other values, at the given depth. */
export type Recurse = (over: Value, depth: number) => Value;

export class LoopContext extends PyObject {
  readonly type = 'LoopContext';
  #index = -1;
  #cursor: Cursor;
  #length: number | undefined;
  #after: Value | undefined;
  #current: Value | undefined;
  #before: Value | undefined;
  #changed: Tuple | undefined;

  constructor(
    private readonly over: PyObject,
    cursor: Cursor,
    private readonly recurse: Recurse | undefined,
    private readonly depth0: number,
  ) {
    super();
    this.#cursor = cursor;
  }

  override get module(): string {
    return 'jinja2.runtime';
  }

  next(): Value | undefined {
    const item = this.#peek();
    if (item === undefined) return undefined;
    this.#after = undefined;
    this.#index++;
    this.#before = this.#current;
    return (this.#current = item);
  }

  #peek(): Value | undefined {
    if (this.#after === undefined) this.#after = this.#cursor.next();
    return this.#after;
  }

  override length(): number {
    if (this.#length !== undefined) return this.#length;
    if (this.over.hasLength()) return (this.#length = this.over.length());
    const rest: Value[] = [];
    for (let item = this.#cursor.next(); item !== undefined; item = this.#cursor.next()) {
      spend(1);
      rest.push(item);
    }
    this.#cursor = cursorOf(rest);
    return (this.#length = rest.length + this.#index + 1 + (this.#after === undefined ? 0 : 1));
  }

  override hasLength(): boolean {
    return true;
  }

  override isIterable(): boolean {
    return true;
  }

  override iterate(): Cursor {
    return {
      next: () => {
        const item = this.next();
        return item === undefined ? undefined : new Tuple([item, this]);
      },
    };
  }

  override isCallable(): boolean {
    return true;
  }

  override call([over]: readonly Value[]): Value {
    if (!this.recurse) return raise('TypeError', "The loop must have the 'recursive' marker to be called recursively.");
    if (over === undefined) return raise('TypeError', "LoopContext.__call__() missing 1 required positional argument: 'iterable'");
    return this.recurse(over, this.depth0 + 1);
  }

  override attribute(name: string): Value | undefined {
    switch (name) {
      case 'index':
        return this.#index + 1;
      case 'index0':
        return this.#index;
      case 'first':
        return this.#index === 0;
      case 'last':
        return this.#peek() === undefined;
      case 'length':
        return this.length();
      case 'revindex':
        return this.length() - this.#index;
      case 'revindex0':
        return this.length() - this.#index - 1;
      case 'depth':
        return this.depth0 + 1;
      case 'depth0':
        return this.depth0;
      case 'previtem':
        return this.#index === 0 ? new Undefined('there is no previous item') : this.#before;
      case 'nextitem':
        return valueOr(this.#peek(), () => new Undefined('there is no next item'));
      case 'cycle':
        return new PyFunction(
          name,
          (args) => valueOr(args[this.#index % args.length], () => raise('TypeError', 'no items for cycling given')),
          'method',
        );
      case 'changed':
        return new PyFunction(name, (args) => this.#hasChanged(new Tuple(args)), 'method');
      default:
        return undefined;
    }
  }

  #hasChanged(values: Tuple): boolean {
    if (this.#changed && equal(this.#changed, values)) return false;
    this.#changed = values;
    return true;
  }

  override writeRepr(writer: Writer): void {
    writer.write(`<LoopContext ${this.#index + 1}/${this.length()}>`);
  }
}

// `loop`: the state of a loop, for templates.

import { spend } from '../budget.js';
import { raise } from '../errors.js';
import { PyFunction } from './callable.js';
import { equal } from './compare.js';
import { cursorOf, Tuple } from './list.js';
import { type Cursor, has, PyObject, type Value, valueOr } from './object.js';
import { Undefined } from './undefined.js';

/** Renders a recursive loop over other values, at the given depth. */
export type Recurse = (over: Value, depth: number) => Value;

export class LoopContext extends PyObject {
  readonly type = 'LoopContext';
  #at = -1;
  #cursor: Cursor;
  #length: number | undefined;
  #after: Value | undefined;
  #current: Value | undefined;
  #before: Value | undefined;
  #changed: Tuple | undefined;

  constructor(
    private readonly over: Value,
    cursor: Cursor,
    private readonly recurse: Recurse | undefined,
    private readonly depth0: number,
  ) {
    super();
    this.#cursor = cursor;
  }

  next(): Value | undefined {
    const item = this.#peek();
    if (item === undefined) return undefined;
    this.#after = undefined;
    this.#at++;
    this.#before = this.#current;
    return (this.#current = item);
  }

  #peek(): Value | undefined {
    if (this.#after === undefined) this.#after = this.#cursor.next();
    return this.#after;
  }

  override length(): number {
    if (this.#length !== undefined) return this.#length;
    if (has(this.over, 'length')) return (this.#length = this.over.length());
    const rest: Value[] = [];
    for (let item = this.#cursor.next(); item !== undefined; item = this.#cursor.next()) {
      spend(1);
      rest.push(item);
    }
    this.#cursor = cursorOf(rest);
    return (this.#length = rest.length + this.#at + 1 + (this.#after === undefined ? 0 : 1));
  }

  override iterate(): Cursor {
    return {
      next: () => {
        const item = this.next();
        return item === undefined ? undefined : new Tuple([item, this]);
      },
    };
  }

  override call([over]: readonly Value[]): Value {
    if (!this.recurse || over === undefined) return raise('TypeError', 'a loop that is called has to be recursive, and takes a value');
    return this.recurse(over, this.depth0 + 1);
  }

  static readonly #attributes = new Map<string, (loop: LoopContext) => Value>([
    ['index', (loop) => loop.#at + 1],
    ['index0', (loop) => loop.#at],
    ['first', (loop) => loop.#at === 0],
    ['last', (loop) => loop.#peek() === undefined],
    ['length', (loop) => loop.length()],
    ['revindex', (loop) => loop.length() - loop.#at],
    ['revindex0', (loop) => loop.length() - loop.#at - 1],
    ['depth', (loop) => loop.depth0 + 1],
    ['depth0', (loop) => loop.depth0],
    ['previtem', (loop) => valueOr(loop.#before, () => new Undefined('there is no previous item'))],
    ['nextitem', (loop) => valueOr(loop.#peek(), () => new Undefined('there is no next item'))],
    ['cycle', (loop) => new PyFunction((args) => loop.#cycled(args))],
    ['changed', (loop) => new PyFunction((args) => loop.#hasChanged(new Tuple(args)))],
  ]);

  override attribute(name: string): Value | undefined {
    return LoopContext.#attributes.get(name)?.(this);
  }

  #cycled(items: readonly Value[]): Value {
    return valueOr(items[this.#at % items.length], () => raise('TypeError', 'no items for cycling given'));
  }

  #hasChanged(values: Tuple): boolean {
    if (this.#changed && equal(this.#changed, values)) return false;
    this.#changed = values;
    return true;
  }
}

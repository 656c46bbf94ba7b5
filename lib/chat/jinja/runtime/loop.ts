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

/** What templates see of a loop, wherever its elements come from. */
export abstract class LoopObject extends PyObject {
  readonly type = 'LoopContext';
  #changed: Tuple | undefined;

  /** The place of the current element. */
  protected abstract readonly place: number;
  protected abstract readonly depth0: number;
  /** The elements around it; undefined if there is none. */
  protected abstract before(): Value | undefined;
  protected abstract after(): Value | undefined;

  override get module(): string {
    return 'jinja2.runtime';
  }

  override attribute(name: string): Value | undefined {
    switch (name) {
      case 'index':
        return this.place + 1;
      case 'index0':
        return this.place;
      case 'first':
        return this.place === 0;
      case 'last':
        return this.after() === undefined;
      case 'length':
        return this.length();
      case 'revindex':
        return this.length() - this.place;
      case 'revindex0':
        return this.length() - this.place - 1;
      case 'depth':
        return this.depth0 + 1;
      case 'depth0':
        return this.depth0;
      case 'previtem':
        return this.place === 0 ? new Undefined('there is no previous item') : this.before();
      case 'nextitem':
        return valueOr(this.after(), () => new Undefined('there is no next item'));
      case 'cycle':
        return new PyFunction((args) => valueOr(args[this.place % args.length], () => raise('TypeError', 'no items for cycling given')));
      case 'changed':
        return new PyFunction((args) => this.#hasChanged(new Tuple(args)));
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

/** `loop` over elements that are requested one after the other. */
export class LoopContext extends LoopObject {
  protected place = -1;
  #cursor: Cursor;
  #length: number | undefined;
  #after: Value | undefined;
  #current: Value | undefined;
  #before: Value | undefined;

  constructor(
    private readonly over: PyObject,
    cursor: Cursor,
    private readonly recurse: Recurse | undefined,
    protected readonly depth0: number,
  ) {
    super();
    this.#cursor = cursor;
  }

  next(): Value | undefined {
    const item = this.after();
    if (item === undefined) return undefined;
    this.#after = undefined;
    this.place++;
    this.#before = this.#current;
    return (this.#current = item);
  }

  protected before(): Value | undefined {
    return this.#before;
  }

  protected after(): Value | undefined {
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
    return (this.#length = rest.length + this.place + 1 + (this.#after === undefined ? 0 : 1));
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

  override writeRepr(writer: Writer): void {
    writer.write('<LoopContext ');
    writer.writeRepr(this.place + 1);
    writer.write('/');
    writer.writeRepr(this.length());
    writer.write('>');
  }
}

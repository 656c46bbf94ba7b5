// Lists, tuples, ranges and iterators. The sandbox makes them immutable, so their elements can be shared.

import { foresee, reserve, reserveItems, spend } from '../budget.js';
import { raise, unsupported } from '../template-errors.js';
import { compareValues, equal, isEqualOrSame } from './compare.js';
import { Float, intOf } from './numbers.js';
import { Collection, type Cursor, type Hash, indexIn, PyObject, typeName, type Value, type Writer } from './object.js';

/** What an element of a list takes, in UTF-16 units: its place, and a number if that is new. */
const ELEMENT = 8;
/** What an entry of a dict or a tree takes, in UTF-16 units. */
export const ENTRY = 48;

/** The common base of lists and tuples. */
export abstract class Sequence extends Collection {
  /** Lists equal only lists, and tuples only tuples. */
  abstract readonly kind: 'list' | 'tuple';

  constructor(readonly items: readonly Value[]) {
    super();
    reserve(ELEMENT * items.length);
  }

  /** One of the same kind. */
  with(items: readonly Value[]): Sequence {
    return this.kind === 'list' ? new List(items) : new Tuple(items);
  }

  override length(): number {
    return this.items.length;
  }

  override iterate(): Cursor {
    return cursorOf(this.items);
  }

  override contains(value: Value): boolean {
    spend(this.items.length);
    return this.items.some((each) => isEqualOrSame(each, value));
  }

  override item(key: Value): Value | undefined {
    const index = indexIn(key, this.items.length);
    return index === undefined ? undefined : this.items[index];
  }

  override equals(other: Value): boolean {
    if (!(other instanceof Sequence) || other.kind !== this.kind || other.items.length !== this.items.length) return false;
    spend(this.items.length);
    return this.items.every((each, index) => isEqualOrSame(each, other.items[index] as Value));
  }

  override compare(other: Value): number | undefined {
    if (!(other instanceof Sequence) || other.kind !== this.kind) return undefined;
    const length = Math.min(this.items.length, other.items.length);
    for (let i = 0; i < length; i++) {
      spend(1);
      const [a, b] = [this.items[i] as Value, other.items[i] as Value];
      if (!isEqualOrSame(a, b)) return compareValues(a, b);
    }
    return this.items.length - other.items.length;
  }

  override hash(): Hash {
    if (this.kind === 'list') raise('TypeError', "unhashable type: 'list'");
    return unsupported('a tuple as the key of a dict, or as an element of a set');
  }

  override writeRepr(writer: Writer): void {
    const isList = this.kind === 'list';
    if (!writer.open(this)) return writer.write(isList ? '[...]' : '(...)');
    writer.write(isList ? '[' : '(');
    writeItems(this.items, writer);
    writer.write(isList ? ']' : this.items.length === 1 ? ',)' : ')');
    writer.close();
  }
}

export class List extends Sequence {
  readonly type = 'list';
  readonly kind = 'list';
}

export class Tuple extends Sequence {
  readonly type: string = 'tuple';
  readonly kind = 'tuple';
}

/** Writes elements, with commas between them. */
function writeItems(items: readonly Value[], writer: Writer): void {
  for (let i = 0; i < items.length; i++) {
    if (i > 0) writer.write(', ');
    writer.writeRepr(items[i] as Value);
  }
}

export class Range extends Collection {
  readonly type = 'range';
  readonly #length: number;

  constructor(
    readonly start: number,
    readonly stop: number,
    readonly step: number,
  ) {
    super();
    this.#length = Math.max(0, Math.ceil((stop - start) / step));
  }

  override length(): number {
    return this.#length;
  }

  override iterate(): Cursor {
    let at = 0;
    return { next: () => (at < this.#length ? this.start + this.step * at++ : undefined) };
  }

  override contains(value: Value): boolean {
    const number = value instanceof Float ? value.value : Number(intOf(value) ?? Number.NaN);
    const index = (number - this.start) / this.step;
    return Number.isInteger(index) && index >= 0 && index < this.#length;
  }

  override item(key: Value): Value | undefined {
    const index = indexIn(key, this.#length);
    return index === undefined ? undefined : this.start + this.step * index;
  }

  override equals(other: Value): boolean {
    if (!(other instanceof Range) || other.#length !== this.#length) return false;
    return this.#length === 0 || (this.start === other.start && (this.#length === 1 || this.step === other.step));
  }

  override hash(): Hash {
    return unsupported('a range as the key of a dict, or as an element of a set');
  }
}

/** An iterator: a generator, or the result of iter or reversed. Iterating consumes it. */
export class Iteration extends PyObject {
  readonly type = 'generator';

  constructor(readonly cursor: Cursor) {
    super();
  }

  override iterate(): Cursor {
    return this.cursor;
  }

  override contains(value: Value): boolean {
    for (const each of valuesIn(this)) if (equal(each, value)) return true;
    return false;
  }
}

/** A generator: nothing runs before its first element is requested. `atLeast`: its least number of elements, if known. */
export function generator(body: () => Generator<Value, void>, atLeast = () => 0): Iteration {
  let running: Generator<Value, void> | undefined;
  return new Iteration({
    next: () => {
      const { done, value } = (running ??= body()).next();
      return done ? undefined : (value as Value);
    },
    atLeast,
  });
}

export function cursorOf(items: readonly Value[]): Cursor {
  let at = 0;
  return { next: () => (at < items.length ? items[at++] : undefined) };
}

/** The same from the end. */
export function backwards(items: readonly Value[]): Cursor {
  let at = items.length;
  return { next: () => items[--at] };
}

export function iterate(value: Value): Cursor {
  return value instanceof PyObject ? value.iterate() : raise('TypeError', `'${typeName(value)}' object is not iterable`);
}

/** The values of an iterable, one by one, each charged. */
export function* valuesIn(value: Value): Generator<Value, void> {
  const cursor = iterate(value);
  for (let each = cursor.next(); each !== undefined; each = cursor.next()) {
    spend(1);
    yield each;
  }
}

/** All values of an iterable: its own array if it has one. */
export function itemsOf(value: Value): readonly Value[] {
  if (value instanceof Sequence) {
    spend(value.items.length);
    return value.items;
  }
  const cursor = iterate(value);
  if (cursor.atLeast) foresee(cursor.atLeast());
  const items: Value[] = [];
  for (let each = cursor.next(); each !== undefined; each = cursor.next()) {
    reserveItems(1);
    items.push(each);
  }
  return items;
}

/** As many values as `count`. Throws as Python does where it unpacks others. */
export function unpacked(values: readonly Value[], count: number): readonly Value[] {
  if (values.length > count) return raise('ValueError', `too many values to unpack (expected ${count})`);
  if (values.length < count) return raise('ValueError', `not enough values to unpack (expected ${count}, got ${values.length})`);
  return values;
}

/** Whether a container has a value: `value in container`. */
export function contains(container: Value, value: Value): boolean {
  if (container instanceof PyObject) return container.contains(value);
  return raise('TypeError', `argument of type '${typeName(container)}' is not iterable`);
}

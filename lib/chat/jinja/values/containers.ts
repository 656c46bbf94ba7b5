// Lists, tuples, ranges and sets. The sandbox makes them immutable, so their elements can be shared.

import { foresee, reserve, reserveItems, spend } from '../budget.js';
import { raise } from '../errors.js';
import { tracer } from '../runtime/tracer.js';
import { Collection } from './collection.js';
import { compareValues, equal, hashOf, isEqualOrSame } from './compare.js';
import { type Cursor, type Hash, PyObject, type Value, type Writer, typeName } from './object.js';

/** What an element of a list takes, in UTF-16 units: its place, and a number if that is new. */
const ELEMENT = 8;
/** What an entry of a dict, a set or a tree takes, in UTF-16 units. */
export const ENTRY = 48;

export function cursorOf(items: readonly Value[]): Cursor {
  let at = 0;
  return { next: () => (at < items.length ? items[at++] : undefined) };
}

/** The same from the end. */
export function backwards(items: readonly Value[]): Cursor {
  let at = items.length;
  return { next: () => items[--at] };
}

/** What is picked of each of many. */
export function over<Each>(all: Iterator<Each>, pick: (each: Each) => Value): Cursor {
  return {
    next: () => {
      const { done, value } = all.next();
      return done ? undefined : pick(value as Each);
    },
  };
}

/** The common base of lists and tuples. */
export abstract class Sequence extends Collection {
  /** For a list that can change between renders: what a record of reads calls it. */
  source: string | undefined = undefined;

  constructor(
    /** The elements, for whom reads are not recorded. */
    readonly elements: readonly Value[],
  ) {
    super();
    reserve(ELEMENT * elements.length);
  }

  get items(): readonly Value[] {
    if (this.source !== undefined) tracer?.all(this);
    return this.elements;
  }

  override length(): number {
    if (this.source !== undefined) tracer?.length(this, this.elements.length);
    return this.elements.length;
  }

  override iterate(): Cursor {
    return cursorOf(this.items);
  }

  override contains(value: Value): boolean {
    spend(this.items.length);
    return this.items.some((each) => isEqualOrSame(each, value));
  }

  override item(key: Value): Value | undefined {
    if (typeof key === 'boolean') key = Number(key);
    if (typeof key !== 'number') return undefined;
    const found = this.elements[key < 0 ? key + this.elements.length : key];
    if (this.source !== undefined) tracer?.element(this, key, found);
    return found;
  }

  abstract with(items: readonly Value[]): Sequence;

  override equals(other: Value): boolean {
    if (!(other instanceof Sequence) || other.kind !== this.kind || other.items.length !== this.items.length) return false;
    spend(this.items.length);
    return this.items.every((each, index) => isEqualOrSame(each, other.items[index] as Value));
  }

  override compare(other: Value): number | undefined {
    if (!(other instanceof Sequence) || other.kind !== this.kind) return undefined;
    const most = Math.min(this.items.length, other.items.length);
    for (let i = 0; i < most; i++) {
      spend(1);
      const [a, b] = [this.items[i] as Value, other.items[i] as Value];
      if (!isEqualOrSame(a, b)) return compareValues(a, b);
    }
    return this.items.length - other.items.length;
  }

  /** Lists equal only lists, and tuples only tuples. */
  abstract readonly kind: 'list' | 'tuple';

  children(): Iterable<Value> {
    return this.items;
  }
}

export class List extends Sequence {
  readonly type = 'list';
  readonly kind = 'list';

  override with(items: readonly Value[]): List {
    return new List(items);
  }

  override hash(): Hash {
    return raise('TypeError', "unhashable type: 'list'");
  }

  override writeRepr(writer: Writer): void {
    if (!writer.open(this, this.items.length)) return writer.write('[...]');
    writer.write('[');
    writeItems(this.items, writer);
    writer.write(']');
    writer.close();
  }
}

export class Tuple extends Sequence {
  readonly type: string = 'tuple';
  readonly kind = 'tuple';
  /** Cached, so that shared parts of a structure are hashed only once. */
  #hash: { of: HashNode; hash: Hash } | undefined;

  override with(items: readonly Value[]): Tuple {
    return new Tuple(items);
  }

  override hash(): Hash {
    if (this.#hash?.of !== tuples) this.#hash = { of: tuples, hash: hashOfAll(this.items.map(hashOf)) };
    return this.#hash.hash;
  }

  override writeRepr(writer: Writer): void {
    if (!writer.open(this, this.items.length)) return writer.write('(...)');
    writer.write('(');
    writeItems(this.items, writer);
    writer.write(this.items.length === 1 ? ',)' : ')');
    writer.close();
  }
}

function writeItems(items: readonly Value[], writer: Writer): void {
  for (let i = 0; i < items.length; i++) {
    if (i > 0) writer.write(', ');
    writer.writeRepr(items[i] as Value);
  }
}

/** A node for each prefix of a tuple used as a key: equal tuples lead to the same node. */
type HashNode = Map<Hash, HashNode>;
let tuples: HashNode = new Map();
const ends = new WeakMap<HashNode, object>();

/** The combined hash of parts with these hashes. */
export function hashOfAll(hashes: readonly Hash[]): Hash {
  spend(hashes.length + 1);
  let node = tuples;
  for (const hash of hashes) {
    let next = node.get(hash);
    if (!next) {
      reserve(2 * ENTRY);
      node.set(hash, (next = new Map()));
    }
    node = next;
  }
  let end = ends.get(node);
  if (!end) ends.set(node, (end = {}));
  return end;
}

/** Discards the tuples of a render. */
export function forgetHashes(): void {
  tuples = new Map();
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
    return this.indexOf(value) >= 0;
  }

  indexOf(value: Value): number {
    const number = hashIfNumber(value);
    if (typeof number !== 'number') return -1;
    const index = (number - this.start) / this.step;
    return Number.isInteger(index) && index >= 0 && index < this.#length ? index : -1;
  }

  override item(key: Value): Value | undefined {
    if (typeof key === 'boolean') key = Number(key);
    if (typeof key !== 'number') return undefined;
    const index = key < 0 ? key + this.#length : key;
    return index >= 0 && index < this.#length ? this.start + this.step * index : undefined;
  }

  override equals(other: Value): boolean {
    if (!(other instanceof Range) || other.#length !== this.#length) return false;
    return this.#length === 0 || (this.start === other.start && (this.#length === 1 || this.step === other.step));
  }

  override hash(): Hash {
    return hashOfAll([Range, this.#length, ...(this.#length === 0 ? [] : this.#length === 1 ? [this.start] : [this.start, this.step])]);
  }

  override attribute(name: string): Value | undefined {
    return name === 'start' || name === 'stop' || name === 'step' ? this[name] : undefined;
  }

  override writeRepr(writer: Writer): void {
    const bounds = this.step === 1 ? [this.start, this.stop] : [this.start, this.stop, this.step];
    writer.write('range(');
    writeItems(bounds, writer);
    writer.write(')');
  }
}

function hashIfNumber(value: Value): Hash | undefined {
  if (value instanceof PyObject && value.type !== 'float') return undefined;
  return value === null ? undefined : hashOf(value);
}

/** A set, in insertion order: Python's order depends on addresses and on randomized hashes of text. */
export class PySet extends Collection {
  readonly type = 'set';
  readonly #values = new Map<Hash, Value>();

  constructor(values: Iterable<Value>) {
    super();
    for (const value of values) {
      const hash = hashOf(value);
      if (this.#values.has(hash)) continue;
      reserve(ENTRY);
      spend(1);
      this.#values.set(hash, value);
    }
  }

  children(): Iterable<Value> {
    return this.#values.values();
  }

  override length(): number {
    return this.#values.size;
  }

  override hasItems(): boolean {
    return false;
  }

  override iterate(): Cursor {
    return over(this.#values.values(), (value) => value);
  }

  override contains(value: Value): boolean {
    return this.#values.has(hashOf(value));
  }

  override equals(other: Value): boolean {
    if (!(other instanceof PySet) || other.length() !== this.length()) return false;
    for (const hash of this.#values.keys()) if (!other.#values.has(hash)) return false;
    return true;
  }

  override hash(): Hash {
    return raise('TypeError', "unhashable type: 'set'");
  }

  override writeRepr(writer: Writer): void {
    if (this.#values.size === 0) return writer.write('set()');
    if (!writer.open(this, this.#values.size)) return writer.write('set(...)');
    writer.write('{');
    writeItems([...this.#values.values()], writer);
    writer.write('}');
    writer.close();
  }
}

/** All values of an iterable: its own array if it has one. */
export function itemsOf(value: Value): readonly Value[] {
  if (value instanceof Sequence) {
    spend(value.elements.length);
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

export function iterate(value: Value): Cursor {
  if (value instanceof PyObject) return value.iterate();
  return raise('TypeError', `'${typeName(value)}' object is not iterable`);
}

export function isIterable(value: Value): boolean {
  return value instanceof PyObject && value.isIterable();
}

/** An iterator: a generator, or the result of iter or reversed. Iterating consumes it. */
export class Iteration extends PyObject {
  constructor(
    readonly type: string,
    readonly cursor: Cursor,
  ) {
    super();
  }

  override isIterable(): boolean {
    return true;
  }

  override iterate(): Cursor {
    return this.cursor;
  }

  override contains(value: Value): boolean {
    for (let each = this.cursor.next(); each !== undefined; each = this.cursor.next()) {
      spend(1);
      if (equal(each, value)) return true;
    }
    return false;
  }
}

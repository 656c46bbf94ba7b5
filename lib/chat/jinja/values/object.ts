// The values of templates, with Python's types. None is null, a bool a boolean, an int a number or, beyond 2^53, a
// bigint; all others are objects of the classes here.
//
// PyObject is Python's object protocol, as far as templates can use it. Operations that a type lacks raise the same error
// as in Python. Each object charges the memory that it takes: what has many parts adds them.

import { reserve } from '../budget.js';
import { raise, unsupported } from '../template-errors.js';

export type Value = null | boolean | number | bigint | PyObject;

/** Arguments by name: a dict whose keys are texts, since a name may be the caller's. */
export interface Keywords {
  entries(): Iterable<{ readonly key: Value; readonly value: Value }>;
  getText(name: string): Value | undefined;
  length(): number;
}

/** A text that the type checker knows: no `string`, and no pattern such as `${string}a`. */
export type Known<T extends string> = Record<never, never> extends Record<T, 1> ? never : T;

/** A value, or a substitute if it is missing. None is a value. */
export function valueOr(value: Value | undefined, otherwise: () => Value): Value {
  return value === undefined ? otherwise() : value;
}

/** An iteration: the next value, or undefined at the end. */
export interface Cursor {
  next(): Value | undefined;
  /** The least number of values, if known in advance. */
  atLeast?(): number;
}

/** Identifies a dict key: equal for equal keys. */
export type Hash = string | number | bigint | boolean | null | object;

/** Receives the text of values. */
export interface Writer {
  /** Our own text: brackets, commas, names. */
  write<T extends string>(text: Known<T>): void;
  /** Writes a text (text.ts). */
  writeText(str: PyObject): void;
  writeRepr(value: Value): void;
  /** Enters a container. False if it is already being written. */
  open(container: PyObject): boolean;
  close(): void;
}

/** What an object takes of memory, in UTF-16 units, besides what it holds. */
const OBJECT = 48;

export abstract class PyObject {
  constructor() {
    reserve(OBJECT);
  }

  /** The type's name in Python. */
  abstract readonly type: string;

  truthy(): boolean {
    return true;
  }

  /** The number of characters, elements or entries. */
  length(): number {
    return raise('TypeError', `object of type '${this.type}' has no len()`);
  }

  iterate(): Cursor {
    return raise('TypeError', `'${this.type}' object is not iterable`);
  }

  contains(_value: Value): boolean {
    return raise('TypeError', `argument of type '${this.type}' is not iterable`);
  }

  /** `self[key]`; undefined if Python would raise a TypeError or LookupError. */
  item(_key: Value): Value | undefined {
    return undefined;
  }

  /** The attribute as found by getattr; undefined if there is none. */
  attribute(_name: string): Value | undefined {
    return undefined;
  }

  call(_args: readonly Value[], _keywords: Keywords): Value {
    return raise('TypeError', `'${this.type}' object is not callable`);
  }

  /** For values that are not the same object. */
  equals(_other: Value): boolean {
    return false;
  }

  hash(): Hash {
    return this;
  }

  /** The sign tells less, equal or greater; undefined if the types have no order. */
  compare(_other: Value): number | undefined {
    return undefined;
  }

  /** A type without an order may throw its own error. */
  refuseOrder(): void {}

  writeRepr(_writer: Writer): void {
    unsupported(`the text of a ${this.type}`);
  }

  writeStr(writer: Writer): void {
    this.writeRepr(writer);
  }
}

/** What has elements, from texts to dicts: empty ones are false. */
export abstract class Collection extends PyObject {
  abstract override length(): number;

  override truthy(): boolean {
    return this.length() > 0;
  }
}

/** Whether a value's type has an operation of its own: `__len__`, `__iter__`, `__getitem__` or `__call__` in Python. */
export function has(value: Value, operation: 'length' | 'iterate' | 'item' | 'call'): value is PyObject {
  return value instanceof PyObject && value[operation] !== PyObject.prototype[operation];
}

/** An index, counted from the end if it is negative; undefined if nothing is there, or for what is no int. */
export function indexIn(key: Value, length: number): number | undefined {
  if (typeof key === 'boolean') key = Number(key);
  if (typeof key !== 'number') return undefined;
  const index = key < 0 ? key + length : key;
  return index >= 0 && index < length ? index : undefined;
}

/** The name of the value's type in Python. */
export function typeName(value: Value): string {
  if (value instanceof PyObject) return value.type;
  if (value === null) return 'NoneType';
  return typeof value === 'boolean' ? 'bool' : 'int';
}

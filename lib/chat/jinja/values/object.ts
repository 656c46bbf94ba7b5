// The values of templates: Python's types. None is null, a bool a boolean, an int a number or, beyond 2^53, a bigint; all
// others are objects of the classes here.
//
// The class below is Python's protocol of objects, as far as templates can use it. What a type does not have raises the
// error that Python raises.

import { raise } from '../errors.js';
import type { Origin } from './origin.js';

export type Value = null | boolean | number | bigint | PyObject;

/** Arguments by name. */
export type Keywords = ReadonlyMap<string, Value>;

/** A value, or what stands for it where there is none. None is a value. */
export function valueOr(value: Value | undefined, otherwise: () => Value): Value {
  return value === undefined ? otherwise() : value;
}

/** An iteration: the next value, or undefined at the end. */
export interface Cursor {
  next(): Value | undefined;
  /** How many there are at least, where that is known before it begins. */
  atLeast?(): number;
}

/** What a dict finds a key by: equal for keys that are equal. */
export type Hash = string | number | bigint | boolean | null | object;

/** What text of values is written to. */
export interface Writer {
  write(text: string): void;
  writeText(str: { readonly text: string; readonly origin: Origin }): void;
  writeStr(value: Value): void;
  writeRepr(value: Value): void;
  /** Says that the text depends on another. */
  touch(origin: Origin): void;
  /** Enters a container with so many values. False if it is being written already. */
  open(container: PyObject, size: number): boolean;
  close(): void;
}

export abstract class PyObject {
  /** The type's name in Python. */
  abstract readonly type: string;

  /** The module of the type; empty for those that are built in. */
  get module(): string {
    return '';
  }

  truthy(): boolean {
    return true;
  }

  /** Characters, elements or entries. */
  length(): number {
    return raise('TypeError', `object of type '${this.type}' has no len()`);
  }

  hasLength(): boolean {
    return false;
  }

  iterate(): Cursor {
    return raise('TypeError', `'${this.type}' object is not iterable`);
  }

  isIterable(): boolean {
    return false;
  }

  contains(_value: Value): boolean {
    return raise('TypeError', `argument of type '${this.type}' is not iterable`);
  }

  /** `self[key]`; undefined where Python raises a TypeError or LookupError. */
  item(_key: Value): Value | undefined {
    return undefined;
  }

  hasItems(): boolean {
    return false;
  }

  /** The attribute, as getattr finds it; undefined if there is none. */
  attribute(_name: string): Value | undefined {
    return undefined;
  }

  call(_args: readonly Value[], _keywords: Keywords): Value {
    return raise('TypeError', `'${this.type}' object is not callable`);
  }

  isCallable(): boolean {
    return false;
  }

  /** Of values that are not the same object. */
  equals(_other: Value): boolean {
    return false;
  }

  hash(): Hash {
    return this;
  }

  /** Less, equal or greater by its sign; undefined if the types have no order. */
  compare(_other: Value): number | undefined {
    return undefined;
  }

  /** Of a type whose methods come with it. */
  get methods(): ReadonlyMap<string, (self: never, args: readonly Value[], keywords: Keywords) => Value> | undefined {
    return undefined;
  }

  /** What has no order with others may say so in its own words. */
  refuseOrder(): void {}

  writeRepr(writer: Writer): void {
    writer.write(`<${this.type} object at 0x7f0000000000>`);
  }

  writeStr(writer: Writer): void {
    this.writeRepr(writer);
  }
}

/** The name of the value's type in Python. */
export function typeName(value: Value): string {
  if (value instanceof PyObject) return value.type;
  if (value === null) return 'NoneType';
  return typeof value === 'boolean' ? 'bool' : 'int';
}

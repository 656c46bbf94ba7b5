// Writes values as text: str, repr and JSON.
//
// Structures may share their parts, and a template can double one with every step, so its text could exceed any memory.
// Writing counts the values it visits. Once they are many, the whole is measured once, each shared part only once.

import { reserve } from '../budget.js';
import { BudgetError } from '../errors.js';
import { Float } from './float.js';
import { intText } from './int.js';
import { PyObject, type Value, type Writer } from './object.js';
import { blend, type Origin, TEMPLATE } from './origin.js';
import { literal, Str } from './str.js';

const VALUES_BEFORE_MEASURING = 1 << 14;
const MOST_VALUES = 10_000_000;

export class TextWriter implements Writer {
  #text = '';
  #origin: number = TEMPLATE;
  #visited = 0;
  /** The containers being written, so that writing a recursive one terminates. */
  readonly #open: PyObject[] = [];

  constructor(private readonly root: Value) {}

  write(text: string): void {
    reserve(text.length);
    this.#text += text;
  }

  writeText(str: { readonly text: string; readonly origin: Origin }): void {
    this.touch(str.origin);
    this.write(str.text);
  }

  /** Records that the text depends on another. */
  touch(origin: Origin): void {
    if (origin !== this.#origin) this.#origin = blend(this.#origin, origin);
  }

  writeStr(value: Value): void {
    if (value instanceof PyObject) value.writeStr(this);
    else this.write(textOfPrimitive(value));
  }

  writeRepr(value: Value): void {
    if (value instanceof PyObject) value.writeRepr(this);
    else this.write(textOfPrimitive(value));
  }

  /** Enters a container. False if it is already being written. */
  open(container: PyObject, size: number): boolean {
    this.#visited += size;
    if (this.#visited > VALUES_BEFORE_MEASURING) {
      checkSize(this.root);
      this.#visited = -Infinity;
    }
    if (this.#open.includes(container)) return false;
    if (this.#open.length >= 900)
      throw new BudgetError('maximum recursion depth exceeded while getting the repr of an object', 'RecursionError');
    this.#open.push(container);
    return true;
  }

  close(): void {
    this.#open.pop();
  }

  finish(markup = false): Str {
    return new Str(this.#text, this.#origin, markup);
  }
}

/** The contents of a container: only values that contain others. */
export interface Container {
  children(): Iterable<Value>;
}

function checkSize(root: Value): void {
  const sizes = new Map<PyObject, number>();
  const sizeOf = (value: Value): number => {
    if (!(value instanceof PyObject) || !('children' in value)) return 1;
    const known = sizes.get(value);
    if (known !== undefined) return known;
    // A recursive one ends there.
    sizes.set(value, 1);
    let size = 1;
    for (const child of (value as PyObject & Container).children()) size += sizeOf(child);
    sizes.set(value, size);
    return size;
  };
  const size = sizeOf(root);
  if (size > MOST_VALUES)
    throw new BudgetError(`the template writes a structure of ${size} values, and at most ${MOST_VALUES} are allowed`);
}

function textOfPrimitive(value: null | boolean | number | bigint): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return intText(value);
}

const NONE = literal('None');
const TRUE = literal('True');
const FALSE = literal('False');

/** `str(value)`, which keeps Markup only on request. */
export function toStr(value: Value): Str {
  if (value instanceof Str) return value.as(false);
  if (value === null) return NONE;
  if (typeof value === 'boolean') return value ? TRUE : FALSE;
  if (typeof value === 'number') return literal(String(value));
  if (value instanceof Float) return literal(value.repr());
  const writer = new TextWriter(value);
  writer.writeStr(value);
  return writer.finish();
}

/** A str stays as it is, even as Markup; others become their text. */
export function softStr(value: Value): Str {
  return value instanceof Str ? value : toStr(value);
}

export function repr(value: Value): Str {
  const writer = new TextWriter(value);
  writer.writeRepr(value);
  return writer.finish();
}

// Writes values as text: str, repr and JSON.
//
// Structures may share their parts, and a template can double one with every step, so its text could exceed any memory: each
// visit to a container is charged like a new one.

import { reserve } from '../budget.js';
import { BudgetError } from '../template-errors.js';
import { Float, floatRepr } from './numbers.js';
import { type Known, PyObject, type Value, type Writer } from './object.js';
import { Safe } from './safe.js';
import { Blend, literal, numeral, Str } from './text.js';

/** What a visit to a container is charged, in UTF-16 units. */
const VISIT = 256;

export class TextWriter implements Writer {
  readonly #text = new Blend();
  /** The containers being written, so that writing a recursive one terminates. */
  readonly #open: PyObject[] = [];

  write<T extends string>(text: Known<T>): void {
    this.#text.addLiteral<T>(text);
  }

  writeText(str: Str): void {
    this.#text.add(str);
  }

  writeRepr(value: Value): void {
    if (value instanceof PyObject) value.writeRepr(this);
    else this.writeText(textOfPrimitive(value));
  }

  /** Enters a container. False if it is already being written. */
  open(container: PyObject): boolean {
    reserve(VISIT);
    if (this.#open.includes(container)) return false;
    if (this.#open.length >= 900) throw new BudgetError('maximum recursion depth exceeded', 'RecursionError');
    this.#open.push(container);
    return true;
  }

  close(): void {
    this.#open.pop();
  }

  finish(): Str {
    return this.#text.finish();
  }
}

const NONE = literal('None');
const TRUE = literal('True');
const FALSE = literal('False');

function textOfPrimitive(value: null | boolean | number | bigint): Str {
  if (value === null) return NONE;
  if (typeof value === 'boolean') return value ? TRUE : FALSE;
  return numeral(String(value));
}

/** `str(value)` */
export function toStr(value: Value): Str {
  if (value instanceof Str) return value;
  if (value instanceof Safe) return value.str;
  if (value instanceof Float) return numeral(floatRepr(value.value));
  if (!(value instanceof PyObject)) return textOfPrimitive(value);
  const writer = new TextWriter();
  value.writeStr(writer);
  return writer.finish();
}

/** The same for filters that in Python keep Markup. */
export function softStr(value: Value): Str {
  return value instanceof Safe ? value.refuse() : toStr(value);
}

export function repr(value: Value): Str {
  const writer = new TextWriter();
  writer.writeRepr(value);
  return writer.finish();
}

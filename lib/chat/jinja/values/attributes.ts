// `object.name` and `object[key]` in the sandbox: attributes and items stand in for each other, and any that could change a
// value, or escape the sandbox, are withheld.

import { reserveItems, spend } from '../budget.js';
import { raise, unsupported } from '../template-errors.js';
import { methodsOf, WITHHELD } from '../methods/index.js';
import { asBound, NO_KEYWORDS, PyFunction } from './callable.js';
import { Dict, DictView } from './dict.js';
import { Range, Sequence } from './list.js';
import { Float, intOf } from './numbers.js';
import { type Keywords, PyObject, typeName, type Value, valueOr } from './object.js';
import { quotedText, Str, TextBuilder } from './text.js';
import { Undefined, undefinedOf } from './undefined.js';

/** Attributes of numbers, ranges and views, which only programs ask for. */
const LEFT_OUT = new Set(['real', 'imag', 'numerator', 'denominator', 'start', 'stop', 'step', 'mapping']);

/** The result of getattr; undefined if there is no such attribute. */
export function findAttribute(object: Value, name: string): Value | undefined {
  const method = methodsOf(object)?.get(name);
  const isPythons = name.startsWith('_') && /^__\w+__$/.test(name) && !(object instanceof Undefined);
  if (isPythons || method === WITHHELD) {
    const message = () => `access to attribute ${quotedText(name)} of ${quotedText(typeName(object))} object is unsafe.`;
    return new Undefined(message, 'SecurityError');
  }
  if (method) return new PyFunction((args, keywords) => method(object as never, args, keywords));
  if (
    LEFT_OUT.has(name) &&
    (object instanceof Range || object instanceof DictView || object instanceof Float || intOf(object) !== undefined)
  )
    return unsupported(`the attribute '${name}' of a ${typeName(object)}`);
  return object instanceof PyObject ? object.attribute(name) : undefined;
}

/** `object.name` */
export function getAttribute(object: Value, key: Str): Value {
  const found = findAttribute(object, key.text);
  if (found !== undefined) return found;
  return valueOr(object instanceof PyObject ? object.item(key) : undefined, () => undefinedOf(object, key));
}

/** `object[key]` */
export function getItem(object: Value, key: Value): Value {
  const found = object instanceof PyObject ? object.item(key) : undefined;
  if (found !== undefined) return found;
  return valueOr(key instanceof Str ? findAttribute(object, key.text) : undefined, () => undefinedOf(object, key));
}

export function call(callee: Value, args: readonly Value[], keywords: Keywords = NO_KEYWORDS): Value {
  if (callee instanceof PyObject) return callee.call(args, keywords);
  return raise('TypeError', `'${typeName(callee)}' object is not callable`);
}

/** `object[start:stop:step]`; None for a missing bound. */
export function getSlice(object: Value, start: Value, stop: Value, step: Value): Value {
  const stride = asBound(step, 1);
  if (!(object instanceof Str || object instanceof Sequence || object instanceof Range)) {
    if (object instanceof Undefined) return object.fail();
    if (object instanceof Dict) return raise('TypeError', "unhashable type: 'slice'");
    return raise('TypeError', `'${typeName(object)}' object is not subscriptable`);
  }
  const first = asBound(start, stride < 0 ? Infinity : 0);
  const last = asBound(stop, stride < 0 ? -Infinity : Infinity);
  if (stride === 0) return raise('ValueError', 'slice step cannot be zero');
  const [from, to, count] = indices(first, last, stride, object.length());
  if (object instanceof Str) return sliceOfText(object, from, stride, count);
  if (object instanceof Range) return new Range(object.start + from * object.step, object.start + to * object.step, object.step * stride);
  reserveItems(count);
  const { items } = object;
  if (stride === 1) return object.with(items.slice(from, from + count));
  const chosen: Value[] = [];
  for (let i = 0; i < count; i++) chosen.push(items[from + i * stride] as Value);
  return object.with(chosen);
}

/** The start and the end of a slice, and its number of elements. */
function indices(start: number, stop: number, step: number, length: number): [number, number, number] {
  const [first, last] = step < 0 ? [-1, length - 1] : [0, length];
  const clamp = (index: number) => Math.min(Math.max(index < 0 && index !== -Infinity ? index + length : index, first), last);
  const [from, to] = [clamp(start), clamp(stop)];
  return [from, to, Math.max(0, Math.ceil((to - from) / step))];
}

function sliceOfText(str: Str, from: number, step: number, count: number): Str {
  if (count === 0) return str.part(0, 0);
  if (step === 1) return str.part(str.unit(from), str.unit(from + count));
  const builder = new TextBuilder();
  spend(count);
  for (let i = 0; i < count; i++) {
    const index = from + i * step;
    builder.addPart(str, str.unit(index), str.unit(index + 1));
  }
  return builder.finish();
}

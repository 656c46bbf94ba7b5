// Python's json.dumps, as transformers provides it to chat templates: without HTML escaping.

import { raise } from '../errors.js';
import { asIndex } from '../values/callable.js';
import { sortedBy, truthy } from '../values/compare.js';
import { Dict, DictView } from '../values/dict.js';
import { itemsOf, Sequence, type Tuple, unpacked } from '../values/list.js';
import { Float } from '../values/numbers.js';
import { PyObject, typeName, type Value } from '../values/object.js';
import { concatenated, derived, EMPTY, literal, numeral, repeated, Str } from '../values/text.js';
import { TextWriter } from '../values/writer.js';

export function toJson(value: Value, ascii: Value = false, indent: Value = null, separators: Value = null, sortKeys: Value = false): Str {
  // Python uses the indentation only if there is something to indent.
  const json = new JsonText(truthy(ascii), value instanceof Str ? null : indent, separators, truthy(sortKeys));
  json.write(value, literal('\n'));
  return json.writer.finish();
}

class JsonText {
  readonly writer = new TextWriter();
  /** Undefined for everything on one line. */
  readonly #indent: Str | undefined;
  readonly #comma: Str;
  readonly #colon: Str;

  constructor(
    private readonly ascii: boolean,
    indent: Value,
    separators: Value,
    private readonly sortKeys: boolean,
  ) {
    if (indent instanceof Str) this.#indent = indent;
    else if (indent !== null) this.#indent = repeated(literal(' '), asIndex(indent, 0));
    [this.#comma, this.#colon] =
      separators === null ? [this.#indent === undefined ? literal(', ') : literal(','), literal(': ')] : separatorsOf(separators);
  }

  /** `newline`: the line break and indentation at the value's position. */
  write(value: Value, newline: Str): void {
    const { writer } = this;
    if (value instanceof Str) {
      writer.writeText(this.#quoted(value));
    } else if (value instanceof Dict) {
      this.#object(value, newline);
    } else if (value instanceof Sequence) {
      this.#array(value, newline);
    } else {
      writer.writeText(scalarText(value) ?? raise('TypeError', `Object of type ${typeName(value)} is not JSON serializable`));
    }
  }

  #array(list: Sequence, newline: Str): void {
    const { writer } = this;
    const { items } = list;
    if (items.length === 0) return writer.write('[]');
    this.#open(list);
    const inner = this.#indent === undefined ? EMPTY : concatenated(newline, this.#indent);
    const comma = concatenated(this.#comma, inner);
    writer.write('[');
    writer.writeText(inner);
    for (let i = 0; i < items.length; i++) {
      if (i > 0) writer.writeText(comma);
      this.write(items[i] as Value, inner);
    }
    if (this.#indent !== undefined) writer.writeText(newline);
    writer.write(']');
    writer.close();
  }

  #object(dict: Dict, newline: Str): void {
    const { writer } = this;
    if (dict.length() === 0) return writer.write('{}');
    this.#open(dict);
    const inner = this.#indent === undefined ? EMPTY : concatenated(newline, this.#indent);
    const comma = concatenated(this.#comma, inner);
    writer.write('{');
    let before = inner;
    const put = (key: Value, value: Value) => {
      writer.writeText(before);
      writer.writeText(this.#quoted(keyText(key)));
      writer.writeText(this.#colon);
      this.write(value, inner);
      before = comma;
    };
    if (this.sortKeys)
      for (const item of sortedBy(itemsOf(new DictView(dict, 'items')), (each) => each)) put(...((item as Tuple).items as [Value, Value]));
    else for (const { key, value } of dict.entries()) put(key, value);
    if (this.#indent !== undefined) writer.writeText(newline);
    writer.write('}');
    writer.close();
  }

  #open(container: PyObject): void {
    if (!this.writer.open(container)) raise('ValueError', 'Circular reference detected');
  }

  #quoted(str: Str): Str {
    // JavaScript escapes the same characters in the same way, except for non-ASCII ones.
    const quoted = JSON.stringify(str.text);
    const shown = this.ascii
      ? quoted.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      : quoted;
    return derived(shown, str);
  }
}

function separatorsOf(value: Value): [Str, Str] {
  return unpacked(itemsOf(value), 2).map((each) =>
    each instanceof Str ? each : raise('TypeError', `separators must be str, not ${typeName(each)}`),
  ) as [Str, Str];
}

/** Undefined for values that JSON does not have. */
function scalarText(value: Value): Str | undefined {
  if (value === null) return literal('null');
  if (typeof value === 'boolean') return value ? literal('true') : literal('false');
  if (value instanceof Float) {
    if (Number.isNaN(value.value)) return literal('NaN');
    if (Number.isFinite(value.value)) return numeral(value.repr());
    return value.value < 0 ? literal('-Infinity') : literal('Infinity');
  }
  return value instanceof PyObject ? undefined : numeral(String(value));
}

function keyText(key: Value): Str {
  if (key instanceof Str) return key;
  return scalarText(key) ?? raise('TypeError', `keys must be str, int, float, bool or None, not ${typeName(key)}`);
}

// Python's json.dumps, as transformers provides it to chat templates: without HTML escaping.

import { checkLength } from '../budget.js';
import { raise } from '../errors.js';
import { asIndex } from '../values/arguments.js';
import { truthy } from '../values/compare.js';
import { itemsOf, Sequence, type Tuple } from '../values/containers.js';
import { Dict, DictView } from '../values/dict.js';
import { Float } from '../values/float.js';
import { intText } from '../values/int.js';
import { PyObject, type Value, typeName } from '../values/object.js';
import { Str } from '../values/str.js';
import { TextWriter } from '../values/writer.js';
import { sortedBy } from '../values/sort.js';

export interface JsonOptions {
  ascii: Value;
  indent: Value;
  separators: Value;
  sortKeys: Value;
}

export function toJson(value: Value, options: JsonOptions): Str {
  // Python uses the indentation only if there is something to indent.
  const json = new JsonText(value, value instanceof Str ? { ...options, indent: null } : options);
  json.write(value, '\n');
  return json.writer.finish();
}

class JsonText {
  readonly writer: TextWriter;
  readonly #ascii: boolean;
  readonly #sortKeys: boolean;
  /** Undefined for everything on one line. */
  readonly #indent: string | undefined;
  readonly #comma: string;
  readonly #colon: string;

  constructor(root: Value, { ascii, indent, separators, sortKeys }: JsonOptions) {
    this.writer = new TextWriter(root);
    this.#ascii = truthy(ascii);
    this.#sortKeys = truthy(sortKeys);
    if (indent instanceof Str) this.#indent = indent.text;
    else if (indent !== null) {
      const width = Math.max(0, asIndex(indent, 0));
      checkLength(width);
      this.#indent = ' '.repeat(width);
    }
    [this.#comma, this.#colon] = separators === null ? [this.#indent === undefined ? ', ' : ',', ': '] : separatorsOf(separators);
  }

  /** `newline`: the line break and indentation at the value's position. */
  write(value: Value, newline: string): void {
    const { writer } = this;
    if (value instanceof Str) {
      writer.touch(value.origin);
      writer.write(this.#quoted(value.text));
    } else if (value instanceof Dict) {
      this.#object(value, newline);
    } else if (value instanceof Sequence) {
      this.#array(value, newline);
    } else {
      writer.write(scalarText(value) ?? raise('TypeError', `Object of type ${typeName(value)} is not JSON serializable`));
    }
  }

  #array(list: Sequence, newline: string): void {
    const { writer } = this;
    const { items } = list;
    if (items.length === 0) return writer.write('[]');
    this.#open(list, items.length);
    const inner = this.#indent === undefined ? '' : newline + this.#indent;
    writer.write(`[${inner}`);
    for (let i = 0; i < items.length; i++) {
      if (i > 0) writer.write(this.#comma + inner);
      this.write(items[i] as Value, inner);
    }
    writer.write(this.#indent === undefined ? ']' : `${newline}]`);
    writer.close();
  }

  #object(dict: Dict, newline: string): void {
    const { writer } = this;
    if (dict.length() === 0) return writer.write('{}');
    this.#open(dict, 2 * dict.length());
    const inner = this.#indent === undefined ? '' : newline + this.#indent;
    let before = `{${inner}`;
    const put = (key: Value, value: Value) => {
      writer.write(before);
      if (key instanceof Str) writer.touch(key.origin);
      writer.write(this.#quoted(keyText(key)) + this.#colon);
      this.write(value, inner);
      before = this.#comma + inner;
    };
    if (this.#sortKeys)
      for (const item of sortedBy(itemsOf(new DictView(dict, 'items')), (each) => each)) put(...((item as Tuple).items as [Value, Value]));
    else for (const { key, value } of dict.entries()) put(key, value);
    writer.write(this.#indent === undefined ? '}' : `${newline}}`);
    writer.close();
  }

  #open(container: PyObject, size: number): void {
    if (!this.writer.open(container, size)) raise('ValueError', 'Circular reference detected');
  }

  #quoted(text: string): string {
    // JavaScript escapes the same characters in the same way, except for non-ASCII ones.
    const quoted = JSON.stringify(text);
    return this.#ascii ? quoted.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`) : quoted;
  }
}

function separatorsOf(value: Value): [string, string] {
  const items = itemsOf(value);
  if (items.length !== 2)
    raise(
      'ValueError',
      items.length < 2 ? `not enough values to unpack (expected 2, got ${items.length})` : 'too many values to unpack (expected 2)',
    );
  return items.map((each) => (each instanceof Str ? each.text : raise('TypeError', `separators must be str, not ${typeName(each)}`))) as [
    string,
    string,
  ];
}

/** Undefined for values that JSON does not have. */
function scalarText(value: Value): string | undefined {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (value instanceof Float) {
    if (Number.isNaN(value.value)) return 'NaN';
    return Number.isFinite(value.value) ? value.repr() : value.value < 0 ? '-Infinity' : 'Infinity';
  }
  return value instanceof PyObject ? undefined : intText(value);
}

function keyText(key: Value): string {
  if (key instanceof Str) return key.text;
  return scalarText(key) ?? raise('TypeError', `keys must be str, int, float, bool or None, not ${typeName(key)}`);
}

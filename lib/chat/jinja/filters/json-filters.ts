// Python's json.dumps, as transformers provides it to chat templates: without HTML escaping.

import { raise } from '../template-errors.js';
import { asIndex } from '../values/callable.js';
import { sortedBy, truthy } from '../values/compare.js';
import { Dict, DictView } from '../values/dict.js';
import { itemsOf, Sequence, type Tuple, unpacked } from '../values/list.js';
import { Float, floatRepr } from '../values/numbers.js';
import { PyObject, typeName, type Value } from '../values/object.js';
import { concatenated, derived, EMPTY, literal, numeral, repeated, Str } from '../values/text.js';
import { TextWriter } from '../values/writer.js';

const ARRAY = [literal('['), literal(']')] as const;
const OBJECT = [literal('{'), literal('}')] as const;

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
      this.#members(value, OBJECT, this.sortKeys ? sortedEntries(value) : [...value.entries()], newline, ({ key, value: each }, inner) => {
        writer.writeText(this.#quoted(keyText(key)));
        writer.writeText(this.#colon);
        this.write(each, inner);
      });
    } else if (value instanceof Sequence) {
      this.#members(value, ARRAY, value.items, newline, (each, inner) => this.write(each, inner));
    } else {
      writer.writeText(scalarText(value) ?? raise('TypeError', `Object of type ${typeName(value)} is not JSON serializable`));
    }
  }

  /** Elements, or keys with their values, between brackets. */
  #members<Member>(
    container: Dict | Sequence,
    [open, close]: readonly [Str, Str],
    members: readonly Member[],
    newline: Str,
    put: (member: Member, newline: Str) => void,
  ): void {
    const { writer } = this;
    if (!writer.open(container)) raise('ValueError', 'Circular reference detected');
    writer.writeText(open);
    const inner = this.#indent === undefined || members.length === 0 ? EMPTY : concatenated(newline, this.#indent);
    const comma = concatenated(this.#comma, inner);
    for (let i = 0; i < members.length; i++) {
      writer.writeText(i > 0 ? comma : inner);
      put(members[i] as Member, inner);
    }
    if (this.#indent !== undefined && members.length > 0) writer.writeText(newline);
    writer.writeText(close);
    writer.close();
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

function sortedEntries(dict: Dict): { key: Value; value: Value }[] {
  const pairs = sortedBy(itemsOf(new DictView(dict, 'items')), (pair) => pair) as Tuple[];
  return pairs.map(({ items: [key, value] }) => ({ key: key as Value, value: value as Value }));
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
    if (Number.isFinite(value.value)) return numeral(floatRepr(value.value));
    return value.value < 0 ? literal('-Infinity') : literal('Infinity');
  }
  return value instanceof PyObject ? undefined : numeral(String(value));
}

function keyText(key: Value): Str {
  if (key instanceof Str) return key;
  return scalarText(key) ?? raise('TypeError', `keys must be str, int, float, bool or None, not ${typeName(key)}`);
}

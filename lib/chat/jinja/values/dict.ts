// Dicts, in insertion order, their views, and namespaces.

import { reserve, spend } from '../budget.js';
import { isUncatchable, raise, unsupported } from '../template-errors.js';
import { equal, hashOf } from './compare.js';
import { ENTRY, itemsOf, Tuple } from './list.js';
import { Collection, type Cursor, has, type Hash, type Keywords, PyObject, type Value, type Writer } from './object.js';
import { quotedText, Str } from './text.js';
import { Undefined } from './undefined.js';

interface Entry {
  readonly key: Value;
  value: Value;
}

export class Dict extends Collection {
  readonly type = 'dict';
  readonly #entries = new Map<Hash, Entry>();

  /** Only for construction: the sandbox makes dicts immutable. */
  set(key: Value, value: Value): void {
    const hash = hashOf(key);
    const entry = this.#entries.get(hash);
    if (entry) entry.value = value;
    else {
      reserve(ENTRY);
      spend(1);
      this.#entries.set(hash, { key, value });
    }
  }

  get(key: Value): Value | undefined {
    return this.#entries.get(hashOf(key))?.value;
  }

  /** The value for a str key. */
  getText(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  entries(): IterableIterator<Readonly<Entry>> {
    return this.#entries.values();
  }

  copy(): Dict {
    const copy = new Dict();
    reserve(ENTRY * this.#entries.size);
    for (const [hash, { key, value }] of this.#entries) copy.#entries.set(hash, { key, value });
    return copy;
  }

  override length(): number {
    return this.#entries.size;
  }

  override iterate(): Cursor {
    return new DictView(this, 'keys').iterate();
  }

  override contains(value: Value): boolean {
    return this.get(value) !== undefined;
  }

  override item(key: Value): Value | undefined {
    try {
      return this.get(key);
    } catch (error) {
      if (isUncatchable(error)) throw error;
      return undefined;
    }
  }

  override equals(other: Value): boolean {
    if (!(other instanceof Dict) || other.#entries.size !== this.#entries.size) return false;
    for (const [hash, { value }] of this.#entries) {
      spend(1);
      const their = other.#entries.get(hash)?.value;
      if (their === undefined || (their !== value && !equal(value, their))) return false;
    }
    return true;
  }

  override hash(): Hash {
    return raise('TypeError', "unhashable type: 'dict'");
  }

  override writeRepr(writer: Writer): void {
    if (!writer.open(this)) return writer.write('{...}');
    let count = 0;
    writer.write('{');
    for (const { key, value } of this.#entries.values()) {
      if (count++ > 0) writer.write(', ');
      writer.writeRepr(key);
      writer.write(': ');
      writer.writeRepr(value);
    }
    writer.write('}');
    writer.close();
  }
}

type ViewKind = 'keys' | 'values' | 'items';
const PICKS: Record<ViewKind, (entry: Entry) => Value> = {
  keys: ({ key }) => key,
  values: ({ value }) => value,
  items: ({ key, value }) => new Tuple([key, value]),
};

/** `dict.keys()`, `dict.values()` or `dict.items()`. */
export class DictView extends Collection {
  readonly type: string;

  constructor(
    readonly dict: Dict,
    readonly kind: ViewKind,
  ) {
    super();
    this.type = `dict_${kind}`;
  }

  override length(): number {
    return this.dict.length();
  }

  override iterate(): Cursor {
    const entries = this.dict.entries();
    const pick = PICKS[this.kind];
    return {
      next: () => {
        const { done, value } = entries.next();
        return done ? undefined : pick(value);
      },
    };
  }

  override contains(value: Value): boolean {
    if (this.kind === 'keys') return this.dict.contains(value);
    return itemsOf(this).some((each) => each === value || equal(each, value));
  }

  override equals(other: Value): boolean {
    return other instanceof DictView && unsupported('sets, as in the comparison of two keys() or items()');
  }

  override hash(): Hash {
    return raise('TypeError', `unhashable type: '${this.type}'`);
  }
}

/** `namespace(…)`: the object whose attributes a template can assign. */
export class Namespace extends PyObject {
  readonly type = 'TemplateNamespace';
  readonly #attributes: Dict;

  constructor(args: readonly Value[], keywords: Keywords) {
    super();
    this.#attributes = dictOf(args, keywords);
    for (const { key } of this.#attributes.entries()) if (key instanceof Str) checkAttributeName(key.text);
  }

  override attribute(name: string): Value | undefined {
    return this.#attributes.getText(name);
  }

  set(name: Str, value: Value): void {
    checkAttributeName(name.text);
    this.#attributes.set(name, value);
  }

  override writeRepr(writer: Writer): void {
    writer.write('<Namespace ');
    this.#attributes.writeRepr(writer);
    writer.write('>');
  }
}

function checkAttributeName(name: string): void {
  if (!name.startsWith('_')) return;
  raise('SecurityError', `a namespace cannot have attributes that begin with an underscore, as ${quotedText(name)} does`);
}

/** dict(mapping or pairs, name=value, …) */
export function dictOf(args: readonly Value[], keywords: Keywords): Dict {
  if (args.length > 1) raise('TypeError', `dict expected at most 1 argument, got ${args.length}`);
  const [from] = args;
  if (from instanceof Undefined) from.fail();
  const dict = from instanceof Dict ? from.copy() : new Dict();
  if (from !== undefined && !(from instanceof Dict)) {
    itemsOf(from).forEach((pair, index) => {
      if (!has(pair, 'iterate')) raise('TypeError', `element #${index} of what dict() takes is no pair`);
      const items = itemsOf(pair);
      if (items.length !== 2) raise('ValueError', `element #${index} of what dict() takes is no pair`);
      dict.set(items[0] as Value, items[1] as Value);
    });
  }
  for (const { key, value } of keywords.entries()) dict.set(key, value);
  return dict;
}

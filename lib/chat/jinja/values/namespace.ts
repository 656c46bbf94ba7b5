// `namespace(…)`: the object whose attributes a template can assign. And `dict(…)`, which it is filled like.

import { raise } from '../errors.js';
import { Dict } from './dict.js';
import { itemsOf } from './list.js';
import { has, type Keywords, PyObject, type Value, type Writer } from './object.js';
import { quotedText, Str } from './text.js';
import { Undefined } from './undefined.js';

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

// What the filter `safe` makes: in Python a Markup, which escapes as HTML whatever is joined to it.
//
// Templates write `value|tojson|safe` to print it as it is; one published template adds texts to it, which Python escapes.
// Nobody does anything else with it: that is refused, rather than done without the escapes that Python would write.

import { unsupported } from '../template-errors.js';
import { Collection, type Writer } from './object.js';
import { concatenated, mapped, type Str } from './text.js';

const ENTITIES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ["'", '&#39;'],
  ['"', '&#34;'],
]);

/** The text in HTML. */
function escaped(value: Str | Safe): Str {
  if (value instanceof Safe) return value.str;
  return /[&<>'"]/.test(value.text) ? mapped(value, (character) => ENTITIES.get(character) ?? character) : value;
}

export class Safe extends Collection {
  constructor(readonly str: Str) {
    super();
  }

  /** Only complaints about a value of the wrong type ask for it. */
  get type(): string {
    return this.refuse();
  }

  static sum(a: Str | Safe, b: Str | Safe): Safe {
    return new Safe(concatenated(escaped(a), escaped(b)));
  }

  refuse(): never {
    return unsupported("a use of what 'safe' returns, other than to print it or to add to it");
  }

  override length(): number {
    return this.str.length();
  }

  override writeStr(writer: Writer): void {
    writer.writeText(this.str);
  }
}

for (const name of ['item', 'attribute', 'equals', 'hash', 'compare', 'refuseOrder', 'iterate', 'writeRepr'] as const)
  Safe.prototype[name] = function (this: Safe): never {
    return this.refuse();
  };

// What the filters `safe` and `escape` make: in Python a Markup, which escapes as HTML whatever is joined to it.
//
// Templates write `value|tojson|safe` to print it as it is; one published template adds texts to it, which Python escapes.
// Nobody does anything else with it: that is refused, rather than done without the escapes that Python would write.

import { unsupported } from '../errors.js';
import { Collection } from './collection.js';
import type { Cursor, Hash, Value, Writer } from './object.js';
import { concatenated, mapped, type Str } from './str.js';

const ENTITIES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ["'", '&#39;'],
  ['"', '&#34;'],
]);

/** The text in HTML. */
export function escaped(value: Str | Safe): Safe {
  if (value instanceof Safe) return value;
  return new Safe(/[&<>'"]/.test(value.text) ? mapped(value, (character) => ENTITIES.get(character) ?? character) : value);
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
    return new Safe(concatenated(escaped(a).str, escaped(b).str));
  }

  refuse(): never {
    return unsupported("a use of what the filters 'safe' and 'escape' return, other than to print it or to add to it");
  }

  override length(): number {
    return this.str.length();
  }

  override iterate(): Cursor {
    return this.refuse();
  }

  override contains(): boolean {
    return this.refuse();
  }

  override item(): Value | undefined {
    return this.refuse();
  }

  override attribute(): Value | undefined {
    return this.refuse();
  }

  override equals(): boolean {
    return this.refuse();
  }

  override hash(): Hash {
    return this.refuse();
  }

  override compare(): number | undefined {
    return this.refuse();
  }

  override refuseOrder(): void {
    this.refuse();
  }

  override writeRepr(): void {
    this.refuse();
  }

  override writeStr(writer: Writer): void {
    writer.writeText(this.str);
  }
}

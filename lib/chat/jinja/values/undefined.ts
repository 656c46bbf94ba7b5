// Undefined values: print as nothing, iterate as empty, are false, and raise an error in any other use.

import { raise } from '../template-errors.js';
import { Collection, type Cursor, type Hash, typeName, type Value, type Writer } from './object.js';
import { quotedText, Str } from './text.js';
import { repr } from './writer.js';

export class Undefined extends Collection {
  readonly type = 'Undefined';

  /** `message`: the error message for a use; a function if it is costly to build. */
  constructor(
    private readonly message: string | (() => string),
    private readonly exception = 'UndefinedError',
  ) {
    super();
  }

  fail(): never {
    return raise(this.exception, typeof this.message === 'string' ? this.message : this.message());
  }

  override length(): number {
    return 0;
  }

  override iterate(): Cursor {
    return { next: () => undefined };
  }

  override contains(): boolean {
    return false;
  }

  override equals(other: Value): boolean {
    return other instanceof Undefined;
  }

  override hash(): Hash {
    return Undefined;
  }

  override writeRepr(writer: Writer): void {
    writer.write('Undefined');
  }

  override writeStr(_writer: Writer): void {}
}

for (const name of ['item', 'attribute', 'call', 'compare', 'refuseOrder'] as const)
  Undefined.prototype[name] = function (this: Undefined): never {
    return this.fail();
  };

/** The result for a missing attribute or element. */
export function undefinedOf(object: Value, key: Value): Undefined {
  const what = object === null ? 'None' : `${typeName(object)} object`;
  return new Undefined(() =>
    key instanceof Str ? `${quotedText(what)} has no attribute ${quotedText(key.text)}` : `${what} has no element ${repr(key).text}`,
  );
}

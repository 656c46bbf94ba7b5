// Undefined values: print as nothing, iterate as empty, are false, and raise an error in any other use.

import { raise } from '../errors.js';
import { Collection } from './collection.js';
import { type Cursor, type Hash, type Keywords, PyObject, type Value, type Writer, typeName } from './object.js';
import { quotedText, Str } from './str.js';
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

  override item(): Value | undefined {
    return this.fail();
  }

  override attribute(): Value | undefined {
    return this.fail();
  }

  override call(_args: readonly Value[], _keywords: Keywords): Value {
    return this.fail();
  }

  override isCallable(): boolean {
    return true;
  }

  override equals(other: Value): boolean {
    return other instanceof Undefined;
  }

  override hash(): Hash {
    return Undefined;
  }

  override compare(): number | undefined {
    return this.fail();
  }

  override refuseOrder(): void {
    this.fail();
  }

  override writeRepr(writer: Writer): void {
    writer.write('Undefined');
  }

  override writeStr(_writer: Writer): void {}
}

export function undefinedName(name: string): Undefined {
  return new Undefined(() => `${quotedText(name)} is undefined`);
}

/** The result for a missing attribute or element. */
export function undefinedOf(object: Value, key: Value): Undefined {
  return new Undefined(() =>
    key instanceof Str
      ? `${quotedText(describe(object))} has no attribute ${quotedText(key.text)}`
      : `${describe(object)} has no element ${repr(key).text}`,
  );
}

/** The type of an object in messages. */
function describe(object: Value): string {
  if (object === null) return 'None';
  const name = typeName(object);
  return object instanceof PyObject && object.module !== '' ? `${object.module}.${name} object` : `${name} object`;
}

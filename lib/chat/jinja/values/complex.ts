// Complex numbers, the result of a negative number to a fractional power. They can only be printed and compared.

import { floatRepr } from './float.js';
import { PyObject, type Value, type Writer } from './object.js';

export class Complex extends PyObject {
  readonly type = 'complex';

  constructor(
    readonly real: number,
    readonly imaginary: number,
  ) {
    super();
  }

  /** A real base to a real power, in polar coordinates as CPython computes it. */
  static power(base: number, exponent: number): Complex {
    const length = Math.abs(base) ** exponent;
    const angle = Math.atan2(0, base) * exponent;
    return new Complex(length * Math.cos(angle), length * Math.sin(angle));
  }

  override truthy(): boolean {
    return this.real !== 0 || this.imaginary !== 0;
  }

  override equals(other: Value): boolean {
    return other instanceof Complex && other.real === this.real && other.imaginary === this.imaginary;
  }

  override writeRepr(writer: Writer): void {
    const part = (value: number) => floatRepr(value).replace(/\.0$/, '');
    const imaginary = part(this.imaginary);
    if (Object.is(this.real, 0)) return writer.write(`${imaginary}j`);
    writer.write(`(${part(this.real)}${imaginary.startsWith('-') ? '' : '+'}${imaginary}j)`);
  }
}

// bytes: the result of `encode` on a text.

import { reserve, spend } from '../budget.js';
import { raise } from '../errors.js';
import { asStr } from './arguments.js';
import { bind, type Method, signature } from './callable.js';
import { Collection } from './collection.js';
import { cursorOf, hashOfAll } from './containers.js';
import { type Int, normalized } from './int.js';
import type { Cursor, Hash, Value, Writer } from './object.js';
import { CALLER, type Origin, single } from './origin.js';
import { literal, Str } from './str.js';

export class Bytes extends Collection {
  readonly type = 'bytes';

  constructor(
    readonly values: Uint8Array,
    readonly origin: Origin = CALLER,
  ) {
    super();
    spend(values.length >>> 6);
  }

  override get methods(): typeof BYTES_METHODS {
    return BYTES_METHODS;
  }

  override length(): number {
    return this.values.length;
  }

  override iterate(): Cursor {
    return cursorOf([...this.values]);
  }

  override item(key: Value): Value | undefined {
    if (typeof key === 'boolean') key = Number(key);
    return typeof key === 'number' ? this.values.at(key) : undefined;
  }

  override equals(other: Value): boolean {
    return (
      other instanceof Bytes &&
      other.values.length === this.values.length &&
      this.values.every((each, index) => each === other.values[index])
    );
  }

  override hash(): Hash {
    return hashOfAll([Bytes, Array.from(this.values, (byte) => String.fromCharCode(byte)).join('')]);
  }

  override writeRepr(writer: Writer): void {
    writer.touch(this.origin);
    const characters = Array.from(this.values, (byte) => String.fromCharCode(byte));
    const quote = characters.includes("'") && !characters.includes('"') ? '"' : "'";
    const escaped = characters.map((character) => {
      const code = character.charCodeAt(0);
      if (character === quote || character === '\\') return `\\${character}`;
      if (code >= 32 && code < 127) return character;
      return { 9: '\\t', 10: '\\n', 13: '\\r' }[code] ?? `\\x${code.toString(16).padStart(2, '0')}`;
    });
    writer.write(`b${quote}${escaped.join('')}${quote}`);
  }
}

/** The highest code of a single-byte encoding; undefined for UTF-8. */
function highestOf(encoding: string): number | undefined {
  const name = encoding.toLowerCase().replaceAll('_', '-');
  if (['utf-8', 'utf8', 'u8'].includes(name)) return undefined;
  if (['ascii', 'us-ascii', '646'].includes(name)) return 0x7f;
  if (['latin-1', 'latin1', 'iso-8859-1', 'iso8859-1', 'l1'].includes(name)) return 0xff;
  return raise('LookupError', `unknown encoding: ${encoding}`);
}

/** text.encode(encoding, errors) */
export function encoded(str: Str, encoding: string, errors: string): Bytes {
  const highest = highestOf(encoding);
  reserve(3 * str.text.length);
  if (highest === undefined) return new Bytes(new TextEncoder().encode(str.text), single(str.origin));
  const bytes: number[] = [];
  for (const character of str.text) {
    const code = character.codePointAt(0) as number;
    if (code <= highest) bytes.push(code);
    else if (errors === 'replace') bytes.push(63);
    else if (errors !== 'ignore')
      raise('UnicodeEncodeError', `'${encoding}' codec can't encode character: ordinal not in range(${highest + 1})`);
  }
  return new Bytes(Uint8Array.from(bytes), single(str.origin));
}

function decoded({ values, origin }: Bytes, encoding: string, errors: string): Str {
  const highest = highestOf(encoding);
  reserve(values.length);
  if (highest === undefined) {
    try {
      const text = new TextDecoder('utf-8', { fatal: errors === 'strict', ignoreBOM: true }).decode(values);
      return new Str(errors === 'ignore' ? text.replaceAll('\ufffd', '') : text, origin);
    } catch {
      return raise('UnicodeDecodeError', "'utf-8' codec can't decode bytes: invalid start or continuation byte");
    }
  }
  if (errors === 'strict' && values.some((byte) => byte > highest))
    raise('UnicodeDecodeError', "'ascii' codec can't decode byte: ordinal not in range(128)");
  return new Str(
    Array.from(values, (byte) => (byte > highest ? (errors === 'ignore' ? '' : '\ufffd') : String.fromCharCode(byte))).join(''),
    origin,
  );
}

export function bytesOfInt(value: Int, length: number, order: string, isSigned: boolean): Bytes {
  if (order !== 'big' && order !== 'little') raise('ValueError', "byteorder must be either 'little' or 'big'");
  if (length < 0) raise('ValueError', 'length argument must be non-negative');
  if (value < 0 && !isSigned) raise('OverflowError', "can't convert negative int to unsigned");
  reserve(length);
  const size = BigInt(8 * length);
  const limit = isSigned ? (size === 0n ? 0n : 1n << (size - 1n)) : 1n << size;
  if (BigInt(value) >= limit || BigInt(value) < -limit) raise('OverflowError', 'int too big to convert');
  let rest = BigInt.asUintN(8 * length, BigInt(value));
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++, rest >>= 8n) bytes[order === 'little' ? i : length - 1 - i] = Number(rest & 255n);
  return new Bytes(bytes);
}

export function intOfBytes({ values }: Bytes, order: string, isSigned: boolean): Int {
  if (order !== 'big' && order !== 'little') raise('ValueError', "byteorder must be either 'little' or 'big'");
  let value = 0n;
  for (const byte of order === 'big' ? values : [...values].reverse()) value = (value << 8n) | BigInt(byte);
  return normalized(isSigned ? BigInt.asIntN(8 * values.length, value) : value);
}

const DECODE = signature('decode(encoding=, errors=)');

export const BYTES_METHODS = new Map<string, Method<Bytes>>([
  [
    'decode',
    (self, args, keywords) => {
      const [encoding, errors] = bind(DECODE, args, keywords);
      const text = (value: Value | undefined, absent: string) => (value === undefined ? absent : asStr(value, 'decode() argument').text);
      return decoded(self, text(encoding, 'utf-8'), text(errors, 'strict'));
    },
  ],
  ['hex', (self) => literal(Array.from(self.values, (byte) => byte.toString(16).padStart(2, '0')).join(''))],
]);

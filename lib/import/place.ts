// Reads values out of a parsed file, and says where in it something is wrong: `model.merges[12]: expected …`.

import { type StatusCode, TokenizerError } from '../tokenizer/errors.js';

/** A place in a file: its value, and the path to it, of which the first part is empty for the whole. */
export class Place {
  constructor(
    readonly value: unknown,
    readonly path: string,
    readonly file: string,
  ) {}

  /** The value of a key; undefined if there is none. */
  at(key: string): Place {
    const value = isObject(this.value) && Object.hasOwn(this.value, key) ? this.value[key] : undefined;
    return new Place(value, this.path === '' ? key : `${this.path}.${key}`, this.file);
  }

  /** The elements of a list. */
  elements(): Place[] {
    return this.list().map((value, index) => this.element(index, value));
  }

  element(index: number, value: unknown): Place {
    return new Place(value, `${this.path}[${index}]`, this.file);
  }

  /** An entry of a map whose keys are texts. */
  entry(key: string, value: unknown): Place {
    return new Place(value, `${this.path}[${shown(key)}]`, this.file);
  }

  get isNone(): boolean {
    return this.value === undefined || this.value === null;
  }

  object(): Record<string, unknown> {
    return isObject(this.value) ? this.value : this.malformed('an object');
  }

  list(): unknown[] {
    return Array.isArray(this.value) ? this.value : this.malformed('a list');
  }

  text(): string {
    return typeof this.value === 'string' ? this.value : this.malformed('a string');
  }

  /** An id below `limit`. */
  id(limit: number): number {
    const { value } = this;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < limit) return value;
    return this.malformed(`an id (an integer of 0 or more, below ${limit})`);
  }

  /** A boolean, or what it is if there is none. */
  truth(otherwise: boolean): boolean {
    if (this.isNone) return otherwise;
    return typeof this.value === 'boolean' ? this.value : this.malformed('a boolean');
  }

  /** For values that the file may not have. */
  malformed(expected: string): never {
    throw this.error(`expected ${expected} but found ${shown(this.value)}`, 'CORRUPT_STRUCTURE');
  }

  /** For what no cartridge can do. */
  unsupported(why: string): never {
    throw this.error(why, 'BUILD_FAILED');
  }

  error(what: string, code: StatusCode): TokenizerError {
    const place = this.path === '' ? '' : `${this.path}: `;
    return new TokenizerError(`cannot import ${this.file}: ${place}${what}`, { code });
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as JSON, the beginning of a long one. */
export function shown(value: unknown): string {
  const text = beginning(value, 0);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** As JSON, without what is deep or far behind: a hostile file has millions of levels and elements. */
function beginning(value: unknown, depth: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 100));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'nothing';
  if (depth > 4) return '…';
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const each of value.slice(0, 32)) parts.push(beginning(each, depth + 1));
    return `[${parts.join(',')}${value.length > 32 ? ',…' : ''}]`;
  }
  for (const key in value) {
    if (parts.push(`${JSON.stringify(key.slice(0, 100))}:${beginning((value as Record<string, unknown>)[key], depth + 1)}`) > 32) break;
  }
  return `{${parts.join(',')}}`;
}

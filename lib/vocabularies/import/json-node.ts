// Reads values from a JSON file. Errors name the JSON path and the byte: `model.merges[12]: expected …, at byte 4711`.

import {
  beginningAt,
  beginningOfJson,
  byteOf,
  eachElement,
  eachMember,
  endOf,
  firstElement,
  integerAt,
  type JsonKind,
  kindAt,
  nextElement,
  stringAt,
} from '../../base/json-text.js';
import { type StatusCode, TokenizerError } from '../../base/errors.js';

/** Far more than a file has pretokenizers, templates or ids around a text. */
const MOST_OF_FEW = 1 << 10;
/** Of a value in a message. */
const LONGEST_SHOWN = 60;

/** A file: its text, and its name for errors. */
interface JsonFile {
  text: string;
  name: string;
  /** Whether the bytes come from a file, so that errors give positions. */
  hasBytes: boolean;
}

/**
 * A value in a JSON file and the path to it. The value is parsed only on request, so values that nobody reads cost no memory.
 */
export class JsonNode {
  readonly #file: JsonFile;
  /** Where the value begins; −1 if there is none. */
  readonly #at: number;
  readonly #parent: JsonNode | undefined;
  readonly #key: string | number;
  readonly #isEntry: boolean;
  #members: Map<string, number> | undefined;

  private constructor(file: JsonFile, at: number, parent: JsonNode | undefined, key: string | number, isEntry = false) {
    this.#file = file;
    this.#at = at;
    this.#parent = parent;
    this.#key = key;
    this.#isEntry = isEntry;
  }

  /** The root value of a file; `text` may begin with a byte order mark. Throws a TokenizerError for invalid JSON. */
  static ofFile(text: string, name: string): JsonNode {
    return new JsonNode({ text, name, hasBytes: true }, beginningOfJson(text, name), undefined, '');
  }

  /** The same for plain data from a caller. Throws a TypeError for data that JSON cannot hold. */
  static ofValue(value: object, name: string): JsonNode {
    const node = JsonNode.ofFile(JSON.stringify(value), name);
    node.#file.hasBytes = false;
    return node;
  }

  get root(): JsonNode {
    return this.#parent ? this.#parent.root : this;
  }

  /** The name of the file, for errors. */
  get file(): string {
    return this.#file.name;
  }

  get path(): string {
    const { path = '' } = this.#parent ?? {};
    if (this.#isEntry) return `${path}[${shown(this.#key as string)}]`;
    if (typeof this.#key === 'number') return `${path}[${this.#key}]`;
    return path === '' ? this.#key : `${path}.${this.#key}`;
  }

  /** The value of a key; a missing one if the object lacks it. */
  at(key: string): JsonNode {
    return new JsonNode(this.#file, this.#indexed().get(key) ?? -1, this, key);
  }

  /** The same where keys are texts: an entry of a map. */
  entry(key: string): JsonNode {
    return new JsonNode(this.#file, this.#indexed().get(key) ?? -1, this, key, true);
  }

  /** Visits the members of an object. A repeated key replaces the previous one. */
  eachMember(visit: (key: string, text: string, at: number) => void): void {
    const { text } = this.#file;
    eachMember(text, this.#of('object', 'an object'), (key, at) => visit(key, text, at));
  }

  /** Visits the elements of a list, until `visit` returns true. */
  eachElement(visit: (text: string, at: number, index: number) => boolean | void): void {
    const { text } = this.#file;
    eachElement(text, this.#of('list', 'a list'), (at, index) => visit(text, at, index));
  }

  /** The elements of a list, one after the other. */
  *elements(): Generator<JsonNode> {
    const { text } = this.#file;
    let index = 0;
    for (let at = firstElement(text, this.#of('list', 'a list')); at >= 0; at = nextElement(text, at)) yield this.element(index++, at);
  }

  /** The elements of a list that has only a few. */
  few(): JsonNode[] {
    const nodes: JsonNode[] = [];
    for (const each of this.elements()) {
      if (nodes.push(each) > MOST_OF_FEW) this.unsupported(`more than ${MOST_OF_FEW} elements are not supported`);
    }
    return nodes;
  }

  /** The element that begins at an index of the text. */
  element(index: number, at: number): JsonNode {
    return new JsonNode(this.#file, at, this, index);
  }

  /** The keys of an object, each once. */
  keys(): string[] {
    this.object();
    return [...this.#indexed().keys()];
  }

  get isNone(): boolean {
    return this.#at < 0 || this.kind === 'null';
  }

  /** Undefined if there is no value. */
  get kind(): JsonKind | undefined {
    return this.#at < 0 ? undefined : kindAt(this.#file.text, this.#at);
  }

  object(): void {
    this.#of('object', 'an object');
  }

  text(): string {
    return stringAt(this.#file.text, this.#of('string', 'a string'));
  }

  /** An id below `limit`. */
  id(limit: number): number {
    const id = this.kind === 'number' ? integerAt(this.#file.text, this.#at) : -1;
    return id >= 0 && id < limit ? id : this.malformed(`an id (an integer of 0 or more, below ${limit})`);
  }

  /** Whether it is the number 0. */
  get isZero(): boolean {
    return this.kind === 'number' && /^-?0(?:\.0+)?(?:[eE][+-]?\d+)?$/.test(beginningAt(this.#file.text, this.#at, LONGEST_SHOWN));
  }

  boolean(): boolean {
    return this.#file.text[this.#of('boolean', 'a boolean')] === 't';
  }

  /** A boolean, or the given default if the value is missing. */
  truth(otherwise: boolean): boolean {
    return this.isNone ? otherwise : this.boolean();
  }

  /** The whole value, parsed. */
  json(): unknown {
    return JSON.parse(this.#file.text.slice(this.#at, endOf(this.#file.text, this.#at)));
  }

  /** The value for a message: its beginning, as JSON. */
  get shown(): string {
    if (this.#at < 0) return 'nothing';
    if (this.kind === 'string') return shown(this.text());
    return cut(beginningAt(this.#file.text, this.#at, LONGEST_SHOWN));
  }

  /** For values that are not allowed. */
  malformed(expected: string): never {
    throw this.error(`expected ${expected} but found ${this.shown}`, 'CORRUPT_STRUCTURE');
  }

  /** For features that cartridges lack. */
  unsupported(why: string): never {
    throw this.error(why, 'BUILD_FAILED');
  }

  error(what: string, code: StatusCode): TokenizerError {
    const { text, name, hasBytes } = this.#file;
    const prefix = this.path === '' ? '' : `${this.path}: `;
    // For a missing value, the beginning of the object that lacks it.
    let holder: JsonNode = this;
    while (holder.#at < 0 && holder.#parent) holder = holder.#parent;
    if (!hasBytes) return new TokenizerError(`cannot import ${name}: ${prefix}${what}`, { code });
    const position = byteOf(text, holder.#at);
    return new TokenizerError(`cannot import ${name}: ${prefix}${what}, at byte ${position}`, { code, position });
  }

  #of(kind: JsonKind, expected: string): number {
    return this.kind === kind ? this.#at : this.malformed(expected);
  }

  /** Where the values of an object begin; none for another value. Throws a TokenizerError for a key that comes twice. */
  #indexed(): Map<string, number> {
    if (this.#members) return this.#members;
    const members = new Map<string, number>();
    this.#members = members;
    if (this.kind !== 'object') return members;
    eachMember(this.#file.text, this.#at, (key, at) => {
      if (members.has(key)) new JsonNode(this.#file, at, this, key).#twice();
      members.set(key, at);
    });
    return members;
  }

  #twice(): never {
    throw this.error('the object has this key twice', 'CORRUPT_STRUCTURE');
  }
}

/** A text as JSON, the beginning of a long one. */
export function shown(text: string): string {
  return cut(JSON.stringify(text.slice(0, 100)));
}

function cut(json: string): string {
  return json.length > LONGEST_SHOWN ? `${json.slice(0, LONGEST_SHOWN)}…` : json;
}

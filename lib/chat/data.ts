// Converts the caller's data to template values.
//
// Integral numbers become ints, and -0 becomes -0.0. Undefined values are dropped. A lone surrogate becomes U+FFFD, as
// everywhere in this library. Keys come in JavaScript's order: integer-like ones first.

import type { Work } from '../base/time-slices.js';
import { Dict } from './jinja/values/dict.js';
import { List } from './jinja/values/list.js';
import { Float, normalized } from './jinja/values/numbers.js';
import { PyObject, type Value } from './jinja/values/object.js';
import { CALLER } from './jinja/values/origin.js';
import { ofAuthor, type Str } from './jinja/values/text.js';

/** Levels of lists and objects, in data and in JSON text. */
export const DEEPEST = 200;

/** `origin`: the origin of all text in it. `name`: the caller's name for it, for errors. Throws a TypeError or RangeError. */
export function toValue(data: unknown, origin: number, name: string, depth = 0): Value {
  switch (typeof data) {
    case 'string':
      return ofAuthor(wellFormed(data), origin);
    case 'boolean':
      return data;
    case 'number':
      if (Number.isSafeInteger(data)) return Object.is(data, -0) ? new Float(data) : data;
      return Number.isInteger(data) ? normalized(BigInt(data)) : new Float(data);
    case 'bigint':
      return normalized(data);
    case 'object':
      if (data === null || data instanceof PyObject) return data;
      if (depth > DEEPEST) throw new RangeError(`\`${name.slice(0, 60)}\` must have at most ${DEEPEST} levels of lists and objects`);
      return Array.isArray(data) ? listOf(data, origin, name, depth) : dictOf(data, origin, name, depth);
    default:
      throw new TypeError(`\`${name}\` must be plain data, as in JSON; received a ${typeof data}`);
  }
}

function listOf(data: readonly unknown[], origin: number, name: string, depth: number): List {
  const items = new Array<Value>(data.length);
  for (let i = 0; i < data.length; i++) items[i] = toValue(data[i] ?? null, origin, name, depth + 1);
  return new List(items);
}

function dictOf(data: object, origin: number, name: string, depth: number): Dict {
  const dict = new Dict();
  for (const [key, value] of Object.entries(data)) {
    if (value !== undefined) dict.set(ofAuthor(wellFormed(key), origin), toValue(value, origin, name, depth + 1));
  }
  return dict;
}

/** Replaces lone surrogates with U+FFFD. */
export function wellFormed(text: string): string {
  // Where an engine has this method, it reads no text whose characters are bytes. It came to browsers in 2023.
  if ((text as string & { isWellFormed?(): boolean }).isWellFormed?.()) return text;
  return /[\ud800-\udfff]/.test(text)
    ? text.replace(/[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g, (found) => (found.length === 2 ? found : '\ufffd'))
    : text;
}

/** The limit of Python's int(). */
const MAX_DIGITS = 4300;
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;
/** Up to a quote, a backslash, or a control character, which JSON does not allow. */
const PLAIN = /[^"\\\0-\x1f]*/y;
const WORDS: [string, Value][] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', new Float(Number.NaN)],
  ['Infinity', new Float(Infinity)],
  ['-Infinity', new Float(-Infinity)],
];
const ESCAPES: Record<string, string> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** All text is the caller's. Throws a SyntaxError or RangeError with the position; `name` is the text's name in it. */
export function parseJson(text: string, name = 'the JSON text'): Value {
  return new JsonReader(text, CALLER, name).whole();
}

/** The same for a list of messages, each with its index as the origin of its text, with pauses between messages. */
export function parseMessages(text: string): Work<Value> {
  return new JsonReader(text, CALLER, 'messages').messages();
}

/** Messages that are read between two pauses. */
const MESSAGES_AT_ONCE = 64;

class JsonReader {
  #at = 0;

  constructor(
    private readonly text: string,
    private origin: number,
    private readonly name: string,
  ) {}

  whole(): Value {
    this.#space();
    return this.#last(this.#value(0));
  }

  *messages(): Work<Value> {
    this.#space();
    if (this.text[this.#at] !== '[') return this.whole();
    const items: Value[] = [];
    this.origin = 0;
    for (const item of this.#items(0)) {
      items.push(item);
      this.origin = items.length;
      if (items.length % MESSAGES_AT_ONCE === 0) yield;
    }
    this.#space();
    return this.#last(new List(items));
  }

  #last(value: Value): Value {
    if (this.#at < this.text.length) this.#fail('nothing more');
    return value;
  }

  #fail(expected: string, at = this.#at): never {
    const before = this.text.slice(0, at).split('\n');
    const location = `line ${before.length}, column ${(before.at(-1) as string).length + 1}`;
    const found = at < this.text.length ? JSON.stringify(this.text.charAt(at)) : 'the end';
    throw new SyntaxError(`expected ${expected} but found ${found} at ${location} of ${this.name}, which is read as JSON`);
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text) ?? undefined;
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  #space(): void {
    if (this.text.charCodeAt(this.#at) <= 32) this.#match(SPACE);
  }

  /** A value and the white space after it. */
  #value(depth: number): Value {
    const value = this.#bare(depth);
    this.#space();
    return value;
  }

  #bare(depth: number): Value {
    const first = this.text.charAt(this.#at);
    if (first === '"') return this.#string();
    if (first === '{') return this.#object(depth);
    if (first === '[') return new List([...this.#items(depth)]);
    const word = WORDS.find(([name]) => this.text.startsWith(name, this.#at));
    if (word) {
      this.#at += word[0].length;
      return word[1];
    }
    const number = this.#match(NUMBER);
    return number ? this.#number(number) : this.#fail('a value');
  }

  #number([all, fraction, exponent]: RegExpExecArray): Value {
    if (fraction !== undefined || exponent !== undefined) return new Float(Number(all));
    if (all.length < 16) return Number(all) + 0;
    if (all.length > MAX_DIGITS + 1)
      throw new RangeError(`cannot read ${this.name}: an integer must have at most ${MAX_DIGITS} digits; this one has ${all.length}`);
    return normalized(BigInt(all));
  }

  /** Enters a list or object; parsing continues after its opening bracket. */
  #enter(depth: number): void {
    if (depth > DEEPEST) throw new RangeError(`cannot read ${this.name}: lists and objects must have at most ${DEEPEST} levels`);
    this.#at++;
    this.#space();
  }

  /** Whether another element follows; if not, the closing bracket has been consumed. */
  #goesOn(closing: string): boolean {
    const next = this.text.charAt(this.#at);
    if (next !== ',' && next !== closing) this.#fail(`a comma or ${closing}`);
    this.#at++;
    if (next === ',') this.#space();
    return next === ',';
  }

  *#items(depth: number): Generator<Value, void, undefined> {
    this.#enter(depth);
    if (this.text[this.#at] === ']') this.#at++;
    else {
      do yield this.#value(depth + 1);
      while (this.#goesOn(']'));
    }
  }

  #object(depth: number): Dict {
    this.#enter(depth);
    const dict = new Dict();
    if (this.text[this.#at] === '}') this.#at++;
    else {
      do {
        if (this.text[this.#at] !== '"') this.#fail('a key in double quotes');
        const key = this.#string();
        this.#space();
        if (this.text[this.#at] !== ':') this.#fail('a colon');
        this.#at++;
        this.#space();
        dict.set(key, this.#value(depth + 1));
      } while (this.#goesOn('}'));
    }
    return dict;
  }

  #string(): Str {
    const begin = this.#at++;
    let text = '';
    for (;;) {
      text += (this.#match(PLAIN) as RegExpExecArray)[0];
      const next = this.text[this.#at];
      if (next === '"') break;
      if (next !== '\\')
        this.#fail(next === undefined ? 'the end of a string' : 'no control character in a string', next === undefined ? begin : this.#at);
      text += this.#escape();
    }
    this.#at++;
    return ofAuthor(wellFormed(text), this.origin);
  }

  #escape(): string {
    const letter = this.text.charAt(this.#at + 1);
    const simple = ESCAPES[letter];
    if (simple !== undefined) {
      this.#at += 2;
      return simple;
    }
    const digits = letter === 'u' ? this.text.slice(this.#at + 2, this.#at + 6) : '';
    if (!/^[\da-fA-F]{4}$/.test(digits)) this.#fail('an escape');
    this.#at += 6;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }
}

// Text, and where its characters come from.
//
// The invariant: no character that the caller handed over ever counts as the template's. What the template wrote may become
// control tokens (special: 'template'), so a text says of each character whose it is, and this file is the only place that
// makes one: `make` is private, and each function below that calls it takes origins, or the texts whose origins it keeps.
//
// * `literal` takes only texts that the type checker knows, so nothing that was computed passes for our own.
// * `ofTemplate` takes what stands in the template's source, and roles; `ofAuthor` takes an origin. Only what reads templates
//   calls the one, and what reads data the other: test/architecture has the list.
// * `numeral` takes what int and float look like, and throws for anything else: numbers have no origin, and `{{ 5 }}` writes
//   the template's digit, wherever the 5 is from.
// * `derived`, `Blend`: whoever cannot say which character comes from where gives all texts that took part, and the result is
//   the caller's if any character of them is.
// * `part`, `concatenated`, `repeated`, `mapped`, `TextBuilder` keep the origin of each character.
//
// Whose a character is follows from where it was copied from, not from what made the template choose it: a template that
// writes its own '<' where it finds one in a message has written it.
//
// A concatenation is a rope until someone looks at its characters. `flat` alone flattens it, and charges that as new text;
// `text`, for all others, charges in addition that the characters are read.

import { checkLength, reserve, seek, spend } from '../budget.js';
import { raise } from '../template-errors.js';
import { firstIndex, flagsOf, isAstral, PRINTABLE } from '../unicode/characters.js';
import { Collection, type Cursor, type Hash, indexIn, type Known, typeName, type Value, type Writer } from './object.js';
import { blend, Mix, type Origin, Runs, single, sliceOrigin, TEMPLATE } from './origin.js';

/** What a node of a rope takes of memory, in UTF-16 units. */
const NODE = 16;

let make: (text: string, origin: Origin, isFlat: boolean) => Str;
/** The characters of a text, to be joined to others. */
let rope: (str: Str) => string;
/** The same, to be looked at. */
let flat: (str: Str) => string;

export class Str extends Collection {
  readonly type = 'str';
  /** The start of each character, in UTF-16 units: computed on first use if there are characters beyond U+FFFF; else null. */
  #starts: Uint32Array | null | undefined;
  /** The number of UTF-16 units, without flattening. */
  readonly units: number;
  readonly #rope: string;
  #isFlat: boolean;

  private constructor(
    text: string,
    readonly origin: Origin,
    isFlat: boolean,
  ) {
    super();
    this.#rope = text;
    this.units = text.length;
    this.#isFlat = isFlat;
  }

  static {
    make = (text, origin, isFlat) => new Str(text, origin, isFlat);
    rope = (str) => str.#rope;
    flat = (str) => {
      if (!str.#isFlat) {
        reserve(str.units);
        str.#isFlat = true;
      }
      return str.#rope;
    };
  }

  /** The characters, each of which the reader may look at: charges them. */
  get text(): string {
    spend(this.units >>> 6);
    return flat(this);
  }

  /** Null if characters and units coincide. */
  get starts(): Uint32Array | null {
    if (this.#starts === undefined) this.#starts = isAstral(this.text) ? startsOf(this.text) : null;
    return this.#starts;
  }

  /** The UTF-16 unit at which a character begins. */
  unit(index: number): number {
    const { starts } = this;
    if (!starts) return index;
    return index < starts.length ? (starts[index] as number) : this.units;
  }

  /** The index of the character that begins at a UTF-16 unit. */
  indexOfUnit(unit: number): number {
    const { starts } = this;
    return starts ? firstIndex(starts.length, (index) => (starts[index] as number) >= unit) : unit;
  }

  override truthy(): boolean {
    return this.units > 0;
  }

  override length(): number {
    return this.starts ? this.starts.length : this.units;
  }

  /** The part between two UTF-16 units. */
  part(from: number, to: number): Str {
    if (from === 0 && to === this.units) return this;
    return make(flat(this).slice(from, to), sliceOrigin(this.origin, from, to), true);
  }

  /** The character at an index within the text. */
  character(index: number): Str {
    return this.part(this.unit(index), this.unit(index + 1));
  }

  override item(key: Value): Value | undefined {
    const index = indexIn(key, this.length());
    return index === undefined ? undefined : this.character(index);
  }

  override iterate(): Cursor {
    const { text } = this;
    let at = 0;
    return {
      next: () => {
        if (at >= text.length) return undefined;
        spend(1);
        const from = at;
        at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
        return this.part(from, at);
      },
      atLeast: () => this.length(),
    };
  }

  override contains(value: Value): boolean {
    if (!(value instanceof Str)) return raise('TypeError', `'in <string>' requires string as left operand, not ${typeName(value)}`);
    seek(this.units, value.units);
    return this.text.includes(value.text);
  }

  override equals(other: Value): boolean {
    return other instanceof Str && other.units === this.units && other.text === this.text;
  }

  override hash(): Hash {
    return this.text;
  }

  override compare(other: Value): number | undefined {
    return other instanceof Str ? compareText(this.text, other.text) : undefined;
  }

  override writeStr(writer: Writer): void {
    writer.writeText(this);
  }

  override writeRepr(writer: Writer): void {
    writer.writeText(derived(quotedText(this.text), this));
  }
}

/** Our own text. */
export function literal<T extends string>(text: Known<T>): Str {
  return make(text, TEMPLATE, true);
}

export const EMPTY = literal('');

/** Text of the template's source. */
export function ofTemplate(text: string): Str {
  return make(text, TEMPLATE, true);
}

/** Text of data, with its author: the index of a message, CALLER, or TEMPLATE for the vocabulary's own variables. */
export function ofAuthor(text: string, origin: number): Str {
  return make(text, origin, true);
}

/** An int or a float as text. No control token is spelt with these characters alone. */
export function numeral(text: string): Str {
  if (!/^[-+.0-9a-finpx]*$/.test(text)) throw new Error('expected a number as text');
  return make(text, TEMPLATE, true);
}

/** A text computed from others, of which there is at least one. */
export function derived(text: string, from: Str, ...more: readonly Str[]): Str {
  reserve(text.length);
  return make(
    text,
    more.reduce((origin, str) => blend(origin, str.origin), single(from.origin)),
    true,
  );
}

/** A text computed from others, as it grows. */
export class Blend {
  #text = '';
  #origin: number = TEMPLATE;

  add(str: Str): void {
    if (str.origin !== this.#origin) this.#origin = blend(this.#origin, str.origin);
    this.#add(rope(str));
  }

  addLiteral<T extends string>(text: Known<T>): void {
    this.#add(text);
  }

  #add(text: string): void {
    reserve(NODE);
    this.#text += text;
    checkLength(this.#text.length);
  }

  finish(): Str {
    return make(this.#text, this.#origin, false);
  }
}

/** Compares by code points: UTF-16 orders characters beyond U+FFFF before those from U+E000 on. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === length) return a.length - b.length;
  const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
  const rank = (unit: number) => (unit >= 0xe000 ? unit - 0x2000 : unit >= 0xd800 ? unit + 0x2000 : unit);
  return rank(x) - rank(y);
}

/** Quoted like repr: in double quotes if the text has single quotes only, else in single ones, with unprintable characters escaped. */
export function quotedText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  reserve(text.length + 2);
  if (/^[ !#-&(-[\]-~]*$/.test(text)) return quote + text + quote;
  return quote + escapedText(text, quote) + quote;
}

function escapedText(text: string, quote: string): string {
  return chunked(text, (character) => {
    const code = character.codePointAt(0) as number;
    if (character === quote || character === '\\') return `\\${character}`;
    if (code >= 32 && code < 127) return character;
    if (code === 10) return '\\n';
    if (code === 13) return '\\r';
    if (code === 9) return '\\t';
    if (code > 127 && flagsOf(code) & PRINTABLE) return character;
    if (code < 0x100) return `\\x${hex(code, 2)}`;
    return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
  });
}

/** Maps each character. Joins whole runs of unchanged characters: each part of a rope takes 32 bytes. */
function chunked(text: string, map: (character: string, at: number) => string): string {
  reserve(text.length);
  const chunks: string[] = [];
  let chunk = '';
  let from = 0;
  let at = 0;
  for (const character of text) {
    const to = map(character, at);
    if (to !== character) {
      chunk += text.slice(from, at) + to;
      from = at + character.length;
      if (chunk.length > 4096) {
        chunks.push(chunk);
        chunk = '';
      }
    }
    at += character.length;
  }
  return chunks.join('') + chunk + text.slice(from);
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** Appends texts and keeps the origin of each character. */
export class TextBuilder {
  #text = '';
  readonly runs = new Runs();

  get text(): string {
    return this.#text;
  }

  add(str: Str): void {
    this.#add(rope(str), str.origin, 0);
  }

  /** Appends part of a text, in UTF-16 units. */
  addPart(str: Str, from: number, to: number): void {
    if (from < to) this.#add(flat(str).slice(from, to), str.origin, from);
  }

  /** `from`: where the text begins in the one that the origin is of. */
  #add(text: string, origin: Origin, from: number): void {
    if (text === '') return;
    const before = this.#text.length;
    checkLength(before + text.length);
    reserve(NODE);
    this.#text += text;
    this.runs.pushPart(before, origin, from, from + text.length);
  }

  finish(): Str {
    return make(this.#text, this.runs.whole, false);
  }
}

/** The concatenation of two texts. */
export function concatenated(a: Str, b: Str): Str {
  if (b.units === 0) return a;
  if (a.units === 0) return b;
  checkLength(a.units + b.units);
  return make(rope(a) + rope(b), a.origin === b.origin ? a.origin : Mix.of(a.origin, a.units, b.origin, b.units), false);
}

/** A text again and again. */
export function repeated(str: Str, times: number): Str {
  if (times <= 0 || str.units === 0) return EMPTY;
  const length = str.units * times;
  checkLength(length);
  reserve(length);
  const { origin, text } = str;
  if (typeof origin === 'number') return make(text.repeat(times), origin, true);
  const all = new Runs();
  for (let time = 0; time < times; time++) all.pushPart(time * text.length, origin, 0, text.length);
  return make(text.repeat(times), all.whole, true);
}

/** A text at least `width` characters wide. `share`: how many of the missing ones go before it. */
export function padded(str: Str, width: number, share: (missing: number, width: number) => number, fill: Str = literal(' ')): Str {
  const missing = Math.max(0, width - str.length());
  const before = share(missing, width);
  return concatenated(concatenated(repeated(fill, before), str), repeated(fill, missing - before));
}

/** Maps a text character by character; what a character becomes has its origin. */
export function mapped(str: Str, map: (character: string, at: number) => string): Str {
  const { text, origin } = str;
  if (typeof origin === 'number') return make(chunked(text, map), origin, false);
  const { runs } = origin;
  const all = new Runs();
  reserve(8 * runs.count);
  let run = 0;
  let length = 0;
  const whole = chunked(text, (character, at) => {
    const to = map(character, at);
    all.push((length += to.length), runs.origin(run));
    if (at + character.length >= runs.end(run)) run++;
    return to;
  });
  return make(whole, all.whole, false);
}

/** The same characters in another case: as many units, each with its origin. */
export function recased(str: Str, text: string): Str {
  if (text === str.text) return str;
  reserve(text.length);
  return make(text, text.length === str.units ? str.origin : single(str.origin), true);
}

function startsOf(text: string): Uint32Array {
  reserve(2 * text.length);
  const starts = new Uint32Array(text.length);
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    starts[count++] = at;
    if ((text.codePointAt(at) as number) > 0xffff) at++;
  }
  return starts.slice(0, count);
}

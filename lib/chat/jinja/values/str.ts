// Text, by characters as Python counts them: code points, not UTF-16 units.

import { checkLength, reserve, scan, spend } from '../budget.js';
import { flagsOf, isAstral, PRINTABLE } from '../unicode/characters.js';
import { Collection } from './collection.js';
import type { Cursor, Hash, Value, Writer } from './object.js';
import { Mix, type Origin, single, sliceOrigin, TEMPLATE } from './origin.js';

/** A str, or Markup, which is a str that needs no escaping. */
export class Str extends Collection {
  /** The start of each character, in UTF-16 units: computed on first use if there are characters beyond U+FFFF; else null. */
  #starts: Uint32Array | null | undefined;

  constructor(
    readonly text: string,
    readonly origin: Origin,
    readonly markup = false,
  ) {
    super();
  }

  override get type(): string {
    return this.markup ? 'Markup' : 'str';
  }

  /** Null if characters and units coincide. */
  get starts(): Uint32Array | null {
    if (this.#starts === undefined) {
      scan(this.text.length);
      this.#starts = isAstral(this.text) ? startsOf(this.text) : null;
    }
    return this.#starts;
  }

  /** The UTF-16 unit at which a character begins. */
  unit(index: number): number {
    const { starts } = this;
    if (!starts) return index;
    return index < starts.length ? (starts[index] as number) : this.text.length;
  }

  /** The index of the character that begins at a UTF-16 unit. */
  indexOfUnit(unit: number): number {
    const { starts } = this;
    if (!starts) return unit;
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] as number) < unit) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  override truthy(): boolean {
    return this.text !== '';
  }

  override length(): number {
    return this.starts ? this.starts.length : this.text.length;
  }

  /** The part between two UTF-16 units. */
  part(from: number, to: number): Str {
    if (from === 0 && to === this.text.length) return this;
    return new Str(this.text.slice(from, to), sliceOrigin(this.origin, from, to), this.markup);
  }

  /** The character at an index within the text. */
  character(index: number): Str {
    return this.part(this.unit(index), this.unit(index + 1));
  }

  override item(key: Value): Value | undefined {
    if (typeof key === 'boolean') key = Number(key);
    if (typeof key !== 'number') return undefined;
    const length = this.length();
    const index = key < 0 ? key + length : key;
    return index >= 0 && index < length ? this.character(index) : undefined;
  }

  override iterate(): Cursor {
    // Markup yields plain characters: its iteration is str's.
    const { text, origin } = this;
    let at = 0;
    return {
      next: () => {
        if (at >= text.length) return undefined;
        spend(1);
        const from = at;
        at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
        return new Str(text.slice(from, at), typeof origin === 'number' ? origin : sliceOrigin(origin, from, at));
      },
      atLeast: () => this.length(),
    };
  }

  override equals(other: Value): boolean {
    return other instanceof Str && other.text === this.text;
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
    writer.touch(this.origin);
    const quoted = quotedText(this.text);
    writer.write(this.markup ? `Markup(${quoted})` : quoted);
  }

  /** The same text, as str or as Markup. */
  as(markup: boolean): Str {
    return markup === this.markup ? this : new Str(this.text, this.origin, markup);
  }

  /** Another text computed from this one. */
  derived(text: string): Str {
    return new Str(text, single(this.origin), this.markup);
  }
}

export function literal(text: string): Str {
  return new Str(text, TEMPLATE);
}

export const EMPTY = literal('');

/** Compares by code points: UTF-16 orders characters beyond U+FFFF before those from U+E000 on. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const most = Math.min(a.length, b.length);
  scan(most);
  let at = 0;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === most) return a.length - b.length;
  const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
  const rank = (unit: number) => (unit >= 0xe000 ? unit - 0x2000 : unit >= 0xd800 ? unit + 0x2000 : unit);
  return rank(x) - rank(y);
}

/** Quoted like repr: in single quotes, unless the text contains only those, and with unprintable characters escaped. */
export function quotedText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  reserve(text.length + 2);
  if (/^[ !#-&(-[\]-~]*$/.test(text)) return quote + text + quote;
  return quote + escapedText(text, quote) + quote;
}

function escapedText(text: string, quote: string): string {
  let out = '';
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    if (character === quote || character === '\\') out += `\\${character}`;
    else if (code >= 32 && code < 127) out += character;
    else if (code === 10) out += '\\n';
    else if (code === 13) out += '\\r';
    else if (code === 9) out += '\\t';
    else if (code > 127 && isPrintable(code)) out += character;
    else if (code < 0x100) out += `\\x${hex(code, 2)}`;
    else out += code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
  }
  return out;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** Appends texts and keeps their origins. */
export class TextBuilder {
  text = '';
  #origin: Origin | undefined;

  add(str: Str): void {
    this.addText(str.text, str.origin);
  }

  addText(text: string, origin: Origin): void {
    if (text === '') return;
    const before = this.text.length;
    checkLength(before + text.length);
    this.text += text;
    if (before === 0) this.#origin = origin;
    else if (this.#origin !== origin) this.#origin = Mix.of(this.#origin as Origin, before, origin, text.length);
  }

  /** Appends part of a text, in UTF-16 units. */
  addPart(str: Str, from: number, to: number): void {
    if (from < to) this.addText(str.text.slice(from, to), sliceOrigin(str.origin, from, to));
  }

  finish(markup = false): Str {
    return new Str(this.text, this.#origin ?? TEMPLATE, markup);
  }
}

/** The concatenation of two texts. */
export function concatenated(a: Str, b: Str, markup = false): Str {
  if (b.text === '') return a.as(markup);
  if (a.text === '') return b.as(markup);
  const length = a.text.length + b.text.length;
  checkLength(length);
  return new Str(a.text + b.text, a.origin === b.origin ? a.origin : Mix.of(a.origin, a.text.length, b.origin, b.text.length), markup);
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

function isPrintable(code: number): boolean {
  return (flagsOf(code) & PRINTABLE) !== 0;
}

// Python's sanitize_control_tokens: control tokens in what the caller passes to a template are encoded as text.
//
// As in transformers 5.24 (utils/chat_template_utils.py): marks go around the control tokens in the caller's strings, the template is
// rendered with these, and the text is encoded in pieces, those between marks without added tokens. So only whole control tokens are
// text, and keys of objects are not looked at. Where the template must write every control token itself, `encodeChat` with
// `special: 'template'` follows each character instead.

import type { AddedToken } from '../encodings/token-names.js';
import { encode } from '../../api/encode-texts.js';
import type { Vocabulary } from '../../vocabularies/vocabulary.js';

/** Characters for private use, which no text of the caller keeps. */
const START = '\u{f0000}';
const END = '\u{f0001}';
const MARKS = /[\u{f0000}\u{f0001}]/gu;

/** Any of the tokens. The longest is matched first: it has priority over those that it contains. */
function anyOf(tokens: readonly string[]): string {
  const longestFirst = [...tokens].sort((a, b) => b.length - a.length);
  return longestFirst.map((token) => token.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|') || '(?!)';
}

/**
 * The control tokens of a template: the special ones, and those that the configuration lists; without a list, the added tokens in the
 * template's own texts, except white space, which templates contain as text.
 */
export function controlTokensOf(added: readonly AddedToken[], listed: unknown, literals: () => string[]): string[] {
  const inTemplate = Array.isArray(listed) ? undefined : literals().join('\0');
  const isControl = ({ content, special }: AddedToken) =>
    special || (inTemplate === undefined ? (listed as unknown[]).includes(content) : content.trim() !== '' && inTemplate.includes(content));
  return added.filter(isControl).map(({ content }) => content);
}

/** Plain data whose strings have marks around control tokens. */
export function markerOf(controls: readonly string[]): (value: unknown) => unknown {
  const control = new RegExp(anyOf(controls), 'gu');
  const marked = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(MARKS, '').replace(control, `${START}$&${END}`);
    if (Array.isArray(value)) return value.map(marked);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, marked(each)]));
  };
  return marked;
}

/** Encodes texts with marks. `added`: all added tokens. */
export class MarkedTexts {
  readonly #marked: RegExp;
  readonly #plain: (text: string) => Uint32Array;
  readonly #whole: (text: string) => Uint32Array;
  readonly #line: Uint32Array;
  readonly #idOf: ReadonlyMap<string, number>;

  constructor(vocabulary: Vocabulary, added: readonly AddedToken[], special: 'allow' | 'text') {
    this.#marked = new RegExp(`${START}(${anyOf(added.map(({ content }) => content))})${END}|[${START}${END}]`, 'u');
    const { engine } = vocabulary;
    // Tokens count as control tokens in no part of the text.
    const none = { control: Uint32Array.from(added, ({ id }) => id), ranges: new Uint32Array(0) };
    const utf8 = new TextEncoder();
    this.#plain = (text) => engine.encode(utf8.encode(text), none);
    this.#whole = (text) => encode(vocabulary, text, { special });
    this.#line = this.#whole('\n');
    this.#idOf = new Map(added.map(({ content, id }) => [content, id]));
  }

  encode(text: string): Uint32Array {
    // A text, a token, a text, …, a text; undefined in place of the token for a mark alone, which still separates.
    const pieces = text.split(this.#marked) as (string | undefined)[];
    const ids = [...this.#whole(pieces[0] ?? '')];
    for (let at = 1; at < pieces.length; at++) {
      const piece = pieces[at];
      if (!piece) continue;
      const isToken = at % 2 === 1;
      const made = this.#behindLine(piece, isToken ? this.#plain : this.#whole);
      if (isToken && made.includes(this.#idOf.get(piece) as number)) {
        throw new TypeError(
          `sanitize_control_tokens cannot make text of ${JSON.stringify(piece)}: the vocabulary makes the token of plain text`,
        );
      }
      for (const id of made) ids.push(id);
    }
    return Uint32Array.from(ids);
  }

  /** The ids of a text in the middle of another: SentencePiece adds a space where one begins. */
  #behindLine(text: string, encode: (text: string) => Uint32Array): Uint32Array {
    const ids = encode(`\n${text}`);
    return this.#line.every((id, at) => ids[at] === id) ? ids.subarray(this.#line.length) : encode(text);
  }
}

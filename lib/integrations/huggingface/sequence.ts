// Texts as rows, with their tokens as npm `tokenizers` spells, counts and places them.

import { unexpected } from '../../base/errors.js';
import type { EngineTokenizer } from '../../engine/engine.js';
import { EncodedText, merged, type Range, type Rows, rowsOf, type Side } from '../encodings/encoding-rows.js';
import type { ChangedTokens, TokenNames } from '../encodings/token-names.js';

/** What encodes texts. */
export interface Model {
  engine: EngineTokenizer;
  names: TokenNames;
  /** The id of unknown text; undefined if the file names none. */
  unknownId: number | undefined;
  /** Whether the file takes the general path. */
  isGeneral: boolean;
  /** Whether an unknown token is spelled as in the text, as Unigram does. */
  showsUnknown: boolean;
  changed: ChangedTokens;
}

/** How much of a text is read that truncation cuts afterwards: up to the end of the word with the token at `maxLength`, from one side. */
export interface Reading {
  maxLength: number;
  side: Side;
}

/** The policy of a text: special tokens in it are tokens. */
const ALLOW = 1;

/** The rows of an input, by its name for errors: a string, or a list of words if it `isSplit`. */
export function rowsOfInput(model: Model, sequence: unknown, name: string, isSplit: boolean, typeId: number, reading?: Reading): Rows {
  if (typeof sequence === 'string') return rowsOfText(model, sequence, typeId, reading);
  if (!isSplit) throw unexpected('a string', name, sequence);
  if (!Array.isArray(sequence)) throw unexpected('a string or an array of words', name, sequence);
  const other = sequence.findIndex((word) => typeof word !== 'string');
  if (other >= 0) throw unexpected('a string', `${name}[${other}]`, sequence[other]);
  return rowsOfWords(model, sequence, typeId);
}

/** The rows of a text of one string. */
function rowsOfText(model: Model, text: string, typeId: number, reading?: Reading): Rows {
  const source = new Sequence(model, text);
  return rowsOf(source, { typeId }, reading ? source.read(reading) : [0, source.ids.length]);
}

/** The rows of a text that is split into words. */
function rowsOfWords(model: Model, words: readonly string[], typeId: number): Rows {
  const all = words.map((text, word) => {
    const source = new Sequence(model, text, word);
    return rowsOf(source, { typeId }, [0, source.ids.length]);
  });
  return merged(all);
}

class Sequence extends EncodedText {
  readonly #model: Model;
  /** The only word, if the text is one. */
  readonly #word: number | undefined;
  /** The first word that is read: words are counted from there. */
  #firstWord = 0;
  /** For each UTF-16 unit the number of second halves of characters before it; undefined if the text has none. */
  #halves: Uint32Array | null | undefined = null;

  constructor(model: Model, text: string, word?: number) {
    super(model.engine, text, ALLOW);
    this.#model = model;
    this.#word = word;
  }

  /** The tokens that are read: whole words, up to the first one behind `maxLength` tokens that is no added token. */
  read({ maxLength, side }: Reading): Range {
    const { length } = this.ids;
    const isRight = side === 'right';
    if (length === 0 || length < maxLength || (isRight && length === maxLength)) return [0, length];
    const words = this.located('words');
    /** Of the token at a place, counted from the side where reading begins. */
    const tellAt = (place: number) => {
      const at = 2 * (isRight ? place : length - 1 - place);
      return { word: words[at]!, isAdded: words[at + 1] === 1 };
    };
    let end = 0;
    while (end < length) {
      const { word, isAdded } = tellAt(end);
      do end++;
      while (end < length && tellAt(end).word === word);
      if (end < maxLength) continue;
      // Words without tokens, which numbers tell, are no added tokens.
      const next = end < length ? tellAt(end).word : isRight ? word : -1;
      const endsBehind = isAdded && Math.abs(next - word) > 1;
      if (isAdded && !endsBehind && end < length) continue;
      if (!isRight) this.#firstWord = endsBehind ? word - 1 : word;
      break;
    }
    return isRight ? [0, end] : [length - end, length];
  }

  tokenAt(index: number): string {
    const id = this.ids[index]!;
    const { names, unknownId, showsUnknown, changed } = this.#model;
    const added = names.addedOf(id);
    // A token of the model may have the id of an added token.
    if (added && this.located('words')[2 * index + 1] === 1) {
      // Tokens that strip include the white space that they strip.
      return added.normalized && !added.lstrip && !added.rstrip ? (changed.names.get(id) ?? added.content) : this.textAt(index);
    }
    return showsUnknown && id === unknownId ? this.textAt(index) : (names.ofModel(id) ?? names.nameOf(id) ?? '');
  }

  spacesAt(index: number): Range | undefined {
    if (!this.#model.isGeneral) return undefined;
    const [before, after] = this.located('spaces').subarray(2 * index);
    return before === 0xffffffff ? undefined : [before!, after!];
  }

  override wordAt(index: number): number {
    return this.#word ?? super.wordAt(index) - this.#firstWord;
  }

  offsetsAt(index: number): Range {
    if (this.#halves === null) this.#halves = halvesIn(this.text);
    const [halves, offsets] = [this.#halves, this.located('utf16')];
    const [start, end] = [offsets[2 * index]!, offsets[2 * index + 1]!];
    // What the reference cannot place in the text stays in bytes.
    if (!halves || start > this.text.length) return [start, end];
    return [start - halves[start]!, end - halves[Math.min(end, this.text.length)]!];
  }
}

function halvesIn(text: string): Uint32Array | undefined {
  if (!/[\ud800-\udbff]/.test(text)) return undefined;
  const halves = new Uint32Array(text.length + 1);
  for (let at = 0; at < text.length; at++) {
    const isFirstHalf = (text.codePointAt(at) as number) > 0xffff;
    halves[at + 1] = halves[at]!;
    if (isFirstHalf) halves[++at + 1] = halves[at]! + 1;
  }
  return halves;
}

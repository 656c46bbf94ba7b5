// A strict JSON parser for input in parts, whose memory does not grow with the input. It calls a handler for each
// element; string values are checked but not kept.

import { foundByte, type InputPosition, type Word } from './id-text.js';

/** Receives the elements in order. Offsets are in the input. */
export interface JsonHandler {
  /** The expected next value, for messages. */
  wanted(): string;
  open(bracket: '{' | '[', offset: number): void;
  /** Closes the innermost array or object. */
  close(offset: number): void;
  /** The name of the next member of the innermost object; undefined for a long name. */
  key(name: string | undefined, offset: number): void;
  string(offset: number): void;
  /** A number, true, false or null. `id`: undefined if it is not an id. */
  word(word: Word, id: number | undefined): void;
}

type State = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'end of input';

const DEEPEST = 64;
const LONGEST_KEY = 64;

const WORD = 0;
const SPACE = 1;
const STRUCTURAL = 2;
const CLASSES = new Uint8Array(256).fill(WORD);
for (const byte of Buffer.from(' \t\r\n')) CLASSES[byte] = SPACE;
for (const byte of Buffer.from('{}[],:"')) CLASSES[byte] = STRUCTURAL;

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const ESCAPED = new Set(Buffer.from('"\\/bfnrtu'));
const HEX = new Set(Buffer.from('0123456789abcdefABCDEF'));
const LITERAL = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;

export class JsonReader {
  readonly #position: InputPosition;
  readonly #handler: JsonHandler;
  readonly #word: Word;
  readonly #open: ('{' | '[')[] = [];
  #state: State = 'value';
  /** The current string: its offset, and its bytes if it is a name. */
  #string: number | undefined;
  #key: number[] | undefined;
  /** What the current escape sequence still needs: a letter, or this many hexadecimal digits. */
  #escape: 'letter' | 0 | 1 | 2 | 3 | 4 = 0;

  constructor(position: InputPosition, word: Word, handler: JsonHandler) {
    this.#position = position;
    this.#word = word;
    this.#handler = handler;
  }

  /** Reads a part. Throws an InputError for anything but JSON. */
  feed(bytes: Uint8Array): void {
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index] as number;
      if (this.#string !== undefined) {
        this.#feedString(byte, index);
        continue;
      }
      const kind = CLASSES[byte];
      if (kind === WORD) {
        this.#feedWord(byte, index);
        continue;
      }
      if (!this.#word.isEmpty) this.#endWord();
      if (kind === STRUCTURAL) this.#feedStructural(byte, this.#position.offset(index));
      else if (byte === LINE_FEED) this.#position.endLine(index);
    }
    this.#position.advance(bytes.length);
  }

  /** Ends the input. Throws an InputError if the JSON is incomplete. */
  end(): void {
    if (!this.#word.isEmpty) this.#endWord();
    if (this.#state === 'end of input') return;
    const expected = this.#string === undefined ? this.#expected() : 'the rest of a string';
    throw this.#position.mistake(expected, this.#position.offset(0), 'the input ends there: it is incomplete');
  }

  #feedWord(byte: number, index: number): void {
    const word = this.#word;
    if (word.isEmpty) {
      const offset = this.#position.offset(index);
      if (!this.#takesValue()) this.#refuse(byte, offset);
      word.start = offset;
    }
    if (!word.push(byte)) this.#refuseWord();
  }

  #endWord(): void {
    const word = this.#word;
    const id = word.hasLeadingZero ? undefined : word.id();
    if (id === undefined && !LITERAL.test(word.toString())) this.#refuseWord();
    this.#handler.word(word, id);
    word.clear();
    this.#endValue();
  }

  #feedStructural(byte: number, offset: number): void {
    const state = this.#state;
    const character = String.fromCharCode(byte);
    switch (character) {
      case '{':
      case '[':
        if (!this.#takesValue()) break;
        if (this.#open.length === DEEPEST) {
          throw this.#position.mistake(`at most ${DEEPEST} brackets around a value`, offset, 'found another');
        }
        this.#handler.open(character, offset);
        this.#open.push(character);
        this.#state = character === '{' ? 'key or end' : 'value or end';
        return;
      case '}':
      case ']':
        if (character !== this.#closing() || !state.endsWith(' or end')) break;
        this.#handler.close(offset);
        this.#open.pop();
        this.#endValue();
        return;
      case ',':
        if (state !== 'comma or end') break;
        this.#state = this.#open.at(-1) === '{' ? 'key' : 'value';
        return;
      case ':':
        if (state !== 'colon') break;
        this.#state = 'value';
        return;
      default:
        if (state === 'key' || state === 'key or end') this.#key = [];
        else if (!this.#takesValue()) break;
        this.#string = offset;
        return;
    }
    this.#refuse(byte, offset);
  }

  #feedString(byte: number, index: number): void {
    const offset = this.#position.offset(index);
    if (this.#escape === 'letter') {
      if (!ESCAPED.has(byte)) this.#refuse(byte, offset, 'one of "\\/bfnrtu after the backslash');
      this.#escape = byte === LETTER_U ? 4 : 0;
    } else if (this.#escape > 0) {
      if (!HEX.has(byte)) this.#refuse(byte, offset, 'four hexadecimal digits after \\u');
      this.#escape = (this.#escape - 1) as 0 | 1 | 2 | 3;
    } else if (byte === QUOTE) {
      this.#endString();
      return;
    } else if (byte === BACKSLASH) {
      this.#escape = 'letter';
    } else if (byte < 0x20) {
      this.#refuse(byte, offset, 'the rest of a string (control characters must be escaped)');
    } else if ((byte & 0xc0) === 0x80) {
      this.#position.skipColumns(1);
    }
    if (this.#key && this.#key.length <= LONGEST_KEY) this.#key.push(byte);
  }

  #endString(): void {
    const offset = this.#string as number;
    this.#string = undefined;
    if (this.#key) {
      const isShort = this.#key.length <= LONGEST_KEY;
      const name = isShort ? (JSON.parse(`"${Buffer.from(this.#key).toString()}"`) as string) : undefined;
      this.#key = undefined;
      this.#handler.key(name, offset);
      this.#state = 'colon';
    } else {
      this.#handler.string(offset);
      this.#endValue();
    }
  }

  #endValue(): void {
    this.#state = this.#open.length > 0 ? 'comma or end' : 'end of input';
  }

  #takesValue(): boolean {
    return this.#state === 'value' || this.#state === 'value or end';
  }

  #closing(): '}' | ']' {
    return this.#open.at(-1) === '{' ? '}' : ']';
  }

  #expected(): string {
    switch (this.#state) {
      case 'value':
        return this.#handler.wanted();
      case 'value or end':
        return `${this.#handler.wanted()} or "]"`;
      case 'key':
        return 'a name in quotes';
      case 'key or end':
        return 'a name in quotes or "}"';
      case 'colon':
        return '":"';
      case 'comma or end':
        return `"," or "${this.#closing()}"`;
      case 'end of input':
        return 'the end of the input';
    }
  }

  #refuse(byte: number, offset: number, expected = this.#expected()): never {
    throw this.#position.mistake(expected, offset, foundByte(byte));
  }

  #refuseWord(): never {
    throw this.#position.mistake(this.#expected(), this.#word.start, this.#word.found());
  }
}

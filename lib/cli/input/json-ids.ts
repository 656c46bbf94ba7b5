// The token ids of JSON: the numbers of an array, or of an object in the format of `crayon encode --json`, whose other members are
// skipped. A strict parser for input in parts, whose memory does not grow with the input: strings are checked but not kept.

import { AN_ID, DIGIT_0, foundByte, IdText } from './id-text.js';

/** The expected kind of value, by position. */
type Want = 'input' | 'ids' | 'id' | 'texts' | 'text' | 'tokens' | 'token' | 'anything';

const WANTED: Record<Want, string> = {
  input: 'an array or object',
  ids: 'an array of token ids',
  id: AN_ID,
  texts: 'an array of objects',
  text: 'an object with "ids"',
  tokens: 'an array of objects',
  token: 'an object with "id"',
  anything: 'a value',
};

const BRACKETS: Partial<Record<Want, '{' | '['>> = { ids: '[', texts: '[', text: '{', tokens: '[', token: '{' };

/** The expected elements of an array. */
const ELEMENTS: Partial<Record<Want, Want>> = { ids: 'id', texts: 'text', tokens: 'token' };

/** The members of an object that can hold ids, of which it must have exactly one, and their expected values. */
const MEMBERS: Partial<Record<Want, Record<string, Want>>> = {
  input: { ids: 'ids', tokens: 'tokens', files: 'texts' },
  text: { ids: 'ids', tokens: 'tokens' },
  token: { id: 'id' },
};

/** An open array or object: what was expected of it, what is expected of its next value, and whether it has had ids. */
interface Level {
  bracket: '{' | '[';
  what: Want;
  next: Want;
  hasIds: boolean;
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

export class JsonIds extends IdText {
  readonly #levels: Level[] = [];
  #state: State = 'value';
  /** The current string: its offset, and its bytes if it is a name. */
  #string: number | undefined;
  #key: number[] | undefined;
  /** What the current escape sequence still needs: a letter, or this many hexadecimal digits. */
  #escape: 'letter' | 0 | 1 | 2 | 3 | 4 = 0;

  protected feed(byte: number, offset: number): void {
    if (this.#string !== undefined) {
      this.#feedString(byte, offset);
      return;
    }
    const kind = CLASSES[byte];
    if (kind === WORD) {
      if (!this.isInWord && !this.#takesValue()) this.refuse(offset, foundByte(byte));
      this.addToWord(byte, offset);
      return;
    }
    if (this.isInWord) this.#endWord();
    if (kind === STRUCTURAL) this.#feedStructural(byte, offset);
    else if (byte === LINE_FEED) this.position.endLine(offset);
  }

  protected end(offset: number): void {
    if (this.isInWord) this.#endWord();
    if (this.#state === 'end of input') return;
    const expected = this.#string === undefined ? this.expected() : 'the rest of a string';
    this.refuse(offset, 'the input ends there: it is incomplete', expected);
  }

  #endWord(): void {
    const { word, start, id } = this.takeWord();
    const want = this.#want();
    // JSON forbids zeros in front.
    if (want === 'id' && id !== undefined && (word.length === 1 || word[0] !== DIGIT_0)) {
      this.add(id);
    } else {
      const text = Buffer.from(word).toString();
      if (!LITERAL.test(text)) this.refuseWord(word);
      if (want !== 'anything') this.#refuseValue(start, text);
    }
    this.#endValue();
  }

  #feedStructural(byte: number, offset: number): void {
    const state = this.#state;
    const character = String.fromCharCode(byte);
    switch (character) {
      case '{':
      case '[':
        if (!this.#takesValue()) break;
        this.#open(character, offset);
        return;
      case '}':
      case ']':
        if (character !== this.#closing() || !state.endsWith(' or end')) break;
        this.#close(offset);
        return;
      case ',':
        if (state !== 'comma or end') break;
        this.#state = this.#closing() === '}' ? 'key' : 'value';
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
    this.refuse(offset, foundByte(byte));
  }

  #open(bracket: '{' | '[', offset: number): void {
    if (this.#levels.length === DEEPEST) this.refuse(offset, 'found another', `at most ${DEEPEST} brackets around a value`);
    const want = this.#want();
    const what = want === 'input' && bracket === '[' ? 'ids' : want;
    if (what === 'id' || (BRACKETS[what] ?? bracket) !== bracket) this.#refuseValue(offset, JSON.stringify(bracket));
    this.#levels.push({ bracket, what, next: ELEMENTS[what] ?? 'anything', hasIds: false });
    this.#state = bracket === '{' ? 'key or end' : 'value or end';
  }

  #close(offset: number): void {
    const { what, hasIds } = this.#levels.pop() as Level;
    const names = Object.keys(MEMBERS[what] ?? {}).map((name) => JSON.stringify(name));
    if (names.length > 0 && !hasIds) this.refuse(offset, 'the object ends without it', names.join(' or '));
    this.#endValue();
  }

  #feedString(byte: number, offset: number): void {
    if (this.#escape === 'letter') {
      if (!ESCAPED.has(byte)) this.refuse(offset, foundByte(byte), 'one of "\\/bfnrtu after the backslash');
      this.#escape = byte === LETTER_U ? 4 : 0;
    } else if (this.#escape > 0) {
      if (!HEX.has(byte)) this.refuse(offset, foundByte(byte), 'four hexadecimal digits after \\u');
      this.#escape = (this.#escape - 1) as 0 | 1 | 2 | 3;
    } else if (byte === QUOTE) {
      this.#endString();
      return;
    } else if (byte === BACKSLASH) {
      this.#escape = 'letter';
    } else if (byte < 0x20) {
      this.refuse(offset, foundByte(byte), 'the rest of a string (control characters must be escaped)');
    } else if ((byte & 0xc0) === 0x80) {
      this.position.skipColumns(1);
    }
    if (this.#key && this.#key.length <= LONGEST_KEY) this.#key.push(byte);
  }

  #endString(): void {
    const offset = this.#string as number;
    this.#string = undefined;
    if (this.#key) {
      const isShort = this.#key.length <= LONGEST_KEY;
      this.#endKey(isShort ? (JSON.parse(`"${Buffer.from(this.#key).toString()}"`) as string) : '', offset);
      this.#key = undefined;
      this.#state = 'colon';
    } else {
      if (this.#want() !== 'anything') this.#refuseValue(offset, 'a string');
      this.#endValue();
    }
  }

  /** Decides what the member with a name is. */
  #endKey(name: string, offset: number): void {
    const level = this.#levels.at(-1) as Level;
    const members = MEMBERS[level.what] ?? {};
    level.next = Object.hasOwn(members, name) ? (members[name] as Want) : 'anything';
    if (level.next === 'anything') return;
    if (level.hasIds) this.refuse(offset, `found another, ${JSON.stringify(name)}`, 'one list of ids in an object');
    level.hasIds = true;
  }

  #endValue(): void {
    this.#state = this.#levels.length > 0 ? 'comma or end' : 'end of input';
  }

  #takesValue(): boolean {
    return this.#state === 'value' || this.#state === 'value or end';
  }

  #closing(): '}' | ']' {
    return this.#levels.at(-1)?.bracket === '{' ? '}' : ']';
  }

  #want(): Want {
    return this.#levels.at(-1)?.next ?? 'input';
  }

  protected expected(): string {
    switch (this.#state) {
      case 'value':
        return WANTED[this.#want()];
      case 'value or end':
        return `${WANTED[this.#want()]} or "]"`;
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

  #refuseValue(offset: number, found: string): never {
    this.refuse(offset, `found ${found}`, WANTED[this.#want()]);
  }
}

// Which numbers of a JSON text are token ids: the numbers of an array, or of an object in the format of `crayon encode
// --json`. Other members are skipped.

import { AN_ID, type FoundIds, type InputPosition, type Word } from './id-text.js';
import type { JsonHandler } from './json-reader.js';

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
  what: Want;
  next: Want;
  hasIds: boolean;
}

export class JsonIds implements JsonHandler {
  readonly #position: InputPosition;
  readonly #found: FoundIds;
  readonly #levels: Level[] = [];

  constructor(position: InputPosition, found: FoundIds) {
    this.#position = position;
    this.#found = found;
  }

  wanted(): string {
    return WANTED[this.#want()];
  }

  open(bracket: '{' | '[', offset: number): void {
    const want = this.#want();
    const what = want === 'input' && bracket === '[' ? 'ids' : want;
    if (what === 'id' || (BRACKETS[what] ?? bracket) !== bracket) this.#refuse(offset, JSON.stringify(bracket));
    this.#levels.push({ what, next: ELEMENTS[what] ?? 'anything', hasIds: false });
  }

  close(offset: number): void {
    const { what, hasIds } = this.#levels.pop() as Level;
    const members = MEMBERS[what];
    if (!members || hasIds) return;
    const names = Object.keys(members).map((name) => JSON.stringify(name));
    throw this.#position.mistake(names.join(' or '), offset, 'the object ends without it');
  }

  key(name: string | undefined, offset: number): void {
    const level = this.#levels.at(-1) as Level;
    const members = MEMBERS[level.what] ?? {};
    level.next = name !== undefined && Object.hasOwn(members, name) ? (members[name] as Want) : 'anything';
    if (level.next === 'anything') return;
    if (level.hasIds) {
      throw this.#position.mistake('one list of ids in an object', offset, `found another, ${JSON.stringify(name)}`);
    }
    level.hasIds = true;
  }

  string(offset: number): void {
    if (this.#want() !== 'anything') this.#refuse(offset, 'a string');
  }

  word(word: Word, id: number | undefined): void {
    const want = this.#want();
    if (want === 'id' && id !== undefined) this.#found.push(id);
    else if (want !== 'anything') this.#refuse(word.start, word.toString());
  }

  #want(): Want {
    const level = this.#levels.at(-1);
    return level === undefined ? 'input' : level.next;
  }

  #refuse(offset: number, found: string): never {
    throw this.#position.mistake(this.wanted(), offset, `found ${found}`);
  }
}

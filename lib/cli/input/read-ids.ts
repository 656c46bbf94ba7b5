// Token ids from text in one of these forms: numbers between white space or commas, a JSON array of them, or the output of
// `crayon encode --json`. Numbers are returned as they arrive; JSON is read whole.

import { byteOf, jsonFault, MAX_LEVELS } from '../../base/json-text.js';
import { InputError } from '../command-errors.js';

const LARGEST_ID = 0xffffffff;
const ZERO = 0x30;
const AN_ID = `a token id, an integer from 0 to ${LARGEST_ID}`;
/** A longer word cannot be an id: it is refused before it ends. */
const LONGEST_WORD = 64;
const LONGEST_SHOWN = 40;

/** The ids of an input, in parts. Throws an InputError with the position of anything unexpected. */
export async function* readIds(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint32Array> {
  const decoder = new TextDecoder();
  /** The text until its form is known; all of JSON. */
  const texts: string[] = [];
  let form: Numbers | 'json' | undefined;
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    if (form instanceof Numbers) {
      yield form.read(text);
      continue;
    }
    texts.push(text);
    const first = form ?? text.trimStart()[0];
    if (first === undefined) continue;
    if (first === '\ufffd') throw new InputError('is not UTF-8, as ids are (UTF-16 text begins like this)');
    form = first === '[' || first === '{' || first === 'json' ? 'json' : new Numbers();
    if (form !== 'json') yield form.read(texts.join(''));
  }
  if (form === 'json') yield idsOfJson(whole(texts));
  else if (form) yield form.end();
}

function whole(texts: readonly string[]): string {
  try {
    return texts.join('');
  } catch (error) {
    throw new InputError(`is JSON that is too long to be read whole (${(error as Error).message}); numbers may be of any length`);
  }
}

/** Numbers between white space, with or without a comma. */
class Numbers {
  /** A word at the end of the text, which may go on, and where it begins in the input. */
  #rest = '';
  #offset = 0;
  #line = 1;
  #lineStart = 0;
  #last: 'id' | 'comma' | undefined;

  /** The ids that whole words of the next text are. */
  read(text: string): Uint32Array {
    const all = this.#rest + text;
    const ids: number[] = [];
    this.#rest = '';
    const items = /[^\t-\r ,]+|[,\n]/g;
    while (items.lastIndex < all.length) {
      // Digits before a space, as nearly all of the input, are read three times as fast without the regular expression.
      let id = 0;
      let end = items.lastIndex;
      for (let digit = all.charCodeAt(end) - ZERO; digit >= 0 && digit <= 9; digit = all.charCodeAt(++end) - ZERO) id = id * 10 + digit;
      if (end > items.lastIndex && id <= LARGEST_ID && all[end] === ' ') {
        ids.push(id);
        this.#last = 'id';
        items.lastIndex = end + 1;
        continue;
      }
      const match = items.exec(all);
      if (!match) break;
      const { 0: item, index } = match;
      const at = this.#offset + index;
      if (item === '\n') {
        this.#line++;
        this.#lineStart = at + 1;
      } else if (item === ',') {
        if (this.#last !== 'id') throw this.#mistake(at, `"," is not ${AN_ID}`);
        this.#last = 'comma';
      } else if (index + item.length === all.length && item.length < LONGEST_WORD) {
        this.#rest = item;
      } else {
        if (!/^\d+$/.test(item) || Number(item) > LARGEST_ID) throw this.#mistake(at, `${shown(item)} is not ${AN_ID}`);
        ids.push(Number(item));
        this.#last = 'id';
      }
    }
    this.#offset += all.length - this.#rest.length;
    return Uint32Array.from(ids);
  }

  /** The id that the end of the input completes. */
  end(): Uint32Array {
    const ids = this.read(' ');
    if (this.#last === 'comma') throw this.#mistake(this.#offset - 1, 'the input ends behind a comma');
    return ids;
  }

  #mistake(offset: number, what: string): InputError {
    return mistake(`byte ${offset} (line ${this.#line}, column ${offset - this.#lineStart + 1})`, what);
  }
}

function idsOfJson(text: string): Uint32Array {
  const fault = jsonFault(text, 0);
  if (!fault) return Uint32Array.from(idsIn(JSON.parse(text), '', ['ids', 'tokens', 'files']));
  const { at, isDeep } = fault;
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  const where = `byte ${byteOf(text, at)} (line ${text.slice(0, at).split('\n').length}, column ${at - lineStart + 1})`;
  if (isDeep) throw mistake(where, `there are more than ${MAX_LEVELS} brackets around a value`);
  const found = at === text.length ? 'the input ends' : `${shown(String.fromCodePoint(text.codePointAt(at) as number))} is not expected`;
  throw mistake(where, `it is not JSON: ${found}`);
}

/** The ids of a value at a path: a list of them, or an object in which one of these members has them. */
function idsIn(value: unknown, path: string, names: readonly string[]): number[] {
  if (path === '' && Array.isArray(value)) return value.map((id, index) => checkedId(id, `[${index}]`));
  const [name, other] = names.filter((each) => isObject(value) && Object.hasOwn(value, each));
  if (name === undefined || other !== undefined) {
    throw mistake(
      path || 'the top',
      `${shownValue(value)} is not an object with one of ${names.map((each) => JSON.stringify(each)).join(', ')}`,
    );
  }
  const list = (value as Record<string, unknown>)[name];
  if (!Array.isArray(list)) throw mistake(`${path}.${name}`, `${shownValue(list)} is not an array`);
  return list.flatMap((element: unknown, index) => {
    const at = `${path}.${name}[${index}]`;
    if (name === 'ids') return checkedId(element, at);
    if (name === 'tokens') return checkedId(isObject(element) ? (element as { id?: unknown }).id : undefined, `${at}.id`);
    return idsIn(element, at, ['ids', 'tokens']);
  });
}

function checkedId(id: unknown, path: string): number {
  if (Number.isInteger(id) && (id as number) >= 0 && (id as number) <= LARGEST_ID) return id as number;
  throw mistake(path, `${shownValue(id)} is not ${AN_ID}`);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shownValue(value: unknown): string {
  return value === undefined ? 'nothing' : shown(JSON.stringify(value), '');
}

function shown(text: string, quote = '"'): string {
  return `${quote}${text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text}${quote}`;
}

function mistake(where: string, what: string): InputError {
  return new InputError(`${what}, at ${where}; "crayon decode --help" describes the input`);
}

// A text that grows and is edited, with its ids after every edit: checks the arguments for the engine's document, and explains failures.

import { beginAtCallers, TokenizerError, unexpected } from '../base/errors.js';
import { checkedChoice, checkedInteger, checkOptionNames, optionNames } from '../base/option-objects.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import type { EditedText, TextChange } from '../engine/edited-text.js';
import type { EngineTokenizer, OffsetUnit, Policy } from '../engine/engine.js';
import { joinedText } from '../base/views.js';
import { Vocabulary } from '../vocabularies/vocabulary.js';
import { checkedPlace, checkedSpecial, policyFor, type SpecialPolicy, textBytes } from './arguments.js';
import { failureInText } from './text-failures.js';
import { closing } from './known-text.js';
import { Lifetime } from './lifetime.js';

/**
 * Options of `tokenizer.document`.
 *
 * @example
 * ```ts
 * const options: DocumentOptions = { special: 'allow' };
 * using text = tokenizer.document('hello', options);
 * text.append('<|endoftext|>');
 * text.ids; // Uint32Array [24912, 199999]
 * ```
 */
export interface DocumentOptions {
  /** How special tokens in the text are treated, as in `encode`. Default `'text'`. */
  special?: SpecialPolicy | undefined;
  /**
   * The unit of positions. Default `'utf16'`: the text is a string. With `'bytes'` it is bytes, given as `Uint8Array` or as strings,
   * which become UTF-8; edits may then cut a character anywhere.
   */
  unit?: OffsetUnit | undefined;
}

const DOCUMENT_OPTIONS = optionNames<DocumentOptions>({ special: true, unit: true });

/** How much text around a failure is read for its message. */
const SHOWN = 256;

/**
 * A text that is edited, with its ids: the result of `tokenizer.document`.
 *
 * After every edit the ids equal one `encode` of the whole text. An edit costs as much as encoding what changes, up to where the
 * ids are those of before: some hundred characters in ordinary text, all of it if the text is a single piece.
 *
 * Positions and lengths are UTF-16 units, as in strings, or bytes with `unit: 'bytes'`. An edit may split a surrogate pair, and
 * another one join it; a half alone is encoded as U+FFFD.
 *
 * @example
 * ```ts
 * using text = tokenizer.document('hello');
 * text.append(' world'); // { from: 1, removed: 0, inserted: 1 }
 * text.replace(0, 5, 'goodbye'); // { from: 0, removed: 1, inserted: 2 }
 * text.ids; // Uint32Array [30744, 43571, 2375]
 * text.count; // 3
 * ```
 */
export class TextDocument {
  readonly #text: EditedText;
  readonly #engine: EngineTokenizer;
  readonly #vocabulary: Vocabulary;
  readonly #policy: Policy;
  readonly #unit: OffsetUnit;
  readonly #lifetime: Lifetime;
  /** Until the next edit. */
  #ids: UnsharedUint32Array | undefined;
  #offsets: UnsharedUint32Array | undefined;

  /** @internal */
  constructor(text: EditedText, engine: EngineTokenizer, vocabulary: Vocabulary, policy: Policy, unit: OffsetUnit) {
    this.#text = text;
    this.#engine = engine;
    this.#vocabulary = vocabulary;
    this.#policy = policy;
    this.#unit = unit;
    beginAtCallers(TextDocument);
    this.#lifetime = new Lifetime('document', closing(this, text, engine));
  }

  #check(doing: string): void {
    this.#lifetime.check(doing);
    if (this.#engine.isClosed) throw new TokenizerError(`cannot ${doing}: the document's tokenizer has been closed`, { code: 'CLOSED' });
  }

  /**
   * Adds text at the end. Returns which ids changed: mostly the last one, and those that are new. Throws what `encode` would throw
   * for the whole text, and leaves the document as it was.
   *
   * @example
   * ```ts
   * using text = tokenizer.document('hello wor');
   * text.append('ld'); // { from: 1, removed: 1, inserted: 1 }
   * ```
   */
  append(text: string | Uint8Array): TextChange {
    this.#check('append');
    const { length } = this.#text;
    return this.#replace(length, length, text);
  }

  /**
   * Replaces the text from `start` to `end` (not included) by another one, which may be empty; inserts where both are equal. Returns
   * which ids changed. Throws what `encode` would throw for the whole text, and leaves the document as it was.
   *
   * @example
   * ```ts
   * using text = tokenizer.document('hello world');
   * text.replace(5, 11, ''); // { from: 1, removed: 1, inserted: 0 }
   * text.text; // 'hello'
   * ```
   */
  replace(start: number, end: number, text: string | Uint8Array): TextChange {
    this.#check('replace');
    const { length } = this.#text;
    checkedInteger(start, 'start', 0, length);
    checkedInteger(end, 'end', start, length);
    return this.#replace(start, end, text);
  }

  /**
   * All ids, in one array that is made when it is first read after an edit; do not change it. `slice` returns some of them without
   * that.
   *
   * @example
   * ```ts
   * using text = tokenizer.document('hello world');
   * text.ids; // Uint32Array [24912, 2375]
   * ```
   */
  get ids(): UnsharedUint32Array {
    this.#check('read the ids');
    return (this.#ids ??= this.#text.ids(0, this.#text.count));
  }

  /**
   * The number of ids, known at any time.
   *
   * @example
   * ```ts
   * using text = tokenizer.document('hello world');
   * text.count; // 2
   * ```
   */
  get count(): number {
    this.#check('count');
    return this.#text.count;
  }

  /**
   * The start and end of each id in the text, like those of `encodeWithOffsets`. Encodes the whole text when it is first read after
   * an edit.
   *
   * @example
   * ```ts
   * using text = tokenizer.document('hello world');
   * text.offsets; // Uint32Array [0, 5, 5, 11]
   * ```
   */
  get offsets(): UnsharedUint32Array {
    this.#check('read the offsets');
    return (this.#offsets ??= this.#locate());
  }

  /**
   * The length of the text.
   *
   * @example
   * ```ts
   * using text = tokenizer.document('né', { unit: 'bytes' });
   * text.length; // 3
   * ```
   */
  get length(): number {
    this.#check('read the length');
    return this.#text.length;
  }

  /**
   * The text, put together when it is read. Text of bytes is decoded, with U+FFFD for what is not UTF-8.
   *
   * @example
   * ```ts
   * using text = tokenizer.document('hello');
   * text.append('!');
   * text.text; // 'hello!'
   * ```
   */
  get text(): string {
    this.#check('read the text');
    const text = this.#text.text(0, this.#text.length);
    return typeof text === 'string' ? text : new TextDecoder('utf-8', { ignoreBOM: true }).decode(text);
  }

  /**
   * The ids from one token to another (not included), as a copy. Negative numbers count from the end, as in `Array.slice`.
   *
   * @example
   * ```ts
   * using text = tokenizer.document('hello world');
   * text.slice(1); // Uint32Array [2375]
   * text.slice(0, -1); // Uint32Array [24912]
   * ```
   */
  slice(tokenFrom = 0, tokenTo: number = this.count): UnsharedUint32Array {
    this.#check('slice');
    const { count } = this.#text;
    const from = checkedPlace(tokenFrom, 'tokenFrom', count);
    return this.#text.ids(from, Math.max(from, checkedPlace(tokenTo, 'tokenTo', count)));
  }

  /**
   * The number of the token that a position in the text belongs to: the first one that ends after it. `count` at the end of the
   * text.
   *
   * @example
   * ```ts
   * using text = tokenizer.document('hello world');
   * text.tokenAt(4); // 0
   * text.tokenAt(5); // 1
   * text.tokenAt(11); // 2
   * ```
   */
  tokenAt(position: number): number {
    this.#check('find the token');
    checkedInteger(position, 'position', 0, this.#text.length);
    return this.#text.tokenAt(position);
  }

  /**
   * Another document with this text. It takes no time and no memory: the two share what neither has changed since. Both can be
   * edited and closed on their own.
   *
   * @example
   * ```ts
   * using text = tokenizer.document('hello');
   * using other = text.fork();
   * other.append(' world');
   * text.count; // 1
   * other.count; // 2
   * ```
   */
  fork(): TextDocument {
    this.#check('fork');
    const fork = new TextDocument(this.#text.fork(), this.#engine, this.#vocabulary, this.#policy, this.#unit);
    fork.#ids = this.#ids;
    fork.#offsets = this.#offsets;
    return fork;
  }

  /**
   * Releases the document's memory; later calls throw (`CLOSED`). Calling it again has no effect. The garbage collector closes an
   * unreachable document.
   *
   * @example
   * ```ts
   * const text = tokenizer.document('hello');
   * text.close();
   * text.append('!'); // throws TokenizerError (CLOSED)
   * ```
   */
  close(): void {
    this.#lifetime.end('has been closed');
  }

  /**
   * The same as `close`, for `using`.
   *
   * @example
   * ```ts
   * {
   *   using text = tokenizer.document('hello');
   *   text.count; // 1
   * }
   * ```
   */
  [Symbol.dispose](): void {
    this.close();
  }

  #replace(start: number, end: number, insertion: string | Uint8Array): TextChange {
    const text = this.#unit === 'bytes' ? bytesOf(insertion) : checkedString(insertion);
    try {
      const change = this.#text.replace(start, end, text);
      if (change.removed > 0 || change.inserted > 0) this.#ids = undefined;
      this.#offsets = undefined;
      return change;
    } catch (error) {
      throw this.#explained(error, start, end, text);
    }
  }

  /** A failure in the text that would have been, at a position in it. */
  #explained(error: unknown, start: number, end: number, text: string | Uint8Array): unknown {
    if (!(error instanceof TokenizerError) || error.code === 'CLOSED') return error;
    const { position } = error;
    const inserted = start + text.length;
    const before = position < start ? this.#text.text(position, Math.min(start, position + SHOWN)) : text.slice(0, 0);
    const within = text.slice(Math.max(0, position - start), Math.max(0, position - start) + SHOWN);
    const from = Math.min(this.#text.length, end + Math.max(0, position - inserted));
    const after = this.#text.text(from, Math.min(this.#text.length, from + SHOWN));
    return failureInText(error, joinedText([before, within, after]), this.#vocabulary, undefined, { units: position, bytes: position });
  }

  #locate(): UnsharedUint32Array {
    const text = this.#text.text(0, this.#text.length);
    const tokens = this.#engine.encodeWithOffsets(text, this.#unit, this.#policy);
    return (this.#vocabulary.trimmer?.trim(tokens, text, this.#unit, this.#policy) ?? tokens).offsets;
  }
}

/** Checks the arguments of `tokenizer.document`, and makes it. */
export function openDocument(engine: EngineTokenizer, text: unknown, options: DocumentOptions = {}): TextDocument {
  checkOptionNames(options, DOCUMENT_OPTIONS);
  const special = checkedSpecial(options.special);
  const unit = options.unit ?? 'utf16';
  checkedChoice(unit, 'unit', ['utf16', 'bytes']);
  const vocabulary = new Vocabulary(engine);
  const policy = policyFor(special, vocabulary);
  const document = new TextDocument(engine.edit(policy, unit), engine, vocabulary, policy, unit);
  try {
    if (text !== undefined) document.append(text as string);
    return document;
  } catch (error) {
    document.close();
    throw error;
  }
}

function checkedString(text: unknown): string {
  if (typeof text !== 'string') throw unexpected("a string (or bytes in a document with unit: 'bytes')", 'text', text);
  return text;
}

function bytesOf(text: unknown): Uint8Array {
  return typeof text === 'string' ? new TextEncoder().encode(text) : textBytes(text, 'text');
}

// A text that an engine keeps with its ids, to be edited: crayon_document.

import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import { partOf } from '../base/views.js';
import { type EngineHost, failedIn, LISTED, UNITS } from './binding.js';
import type { DocumentFunctions, Handle } from './functions.js';

/**
 * The range of ids that an edit changed: ids [from, from + removed) became `inserted` others, which begin at `from`.
 *
 * @example
 * ```ts
 * using text = tokenizer.document('hello world');
 * const change: TextChange = text.append('s');
 * change; // { from: 1, removed: 1, inserted: 1 }
 * ```
 */
export interface TextChange {
  /** The number of the first changed id. */
  from: number;
  /** How many ids are gone. */
  removed: number;
  /** How many ids are there instead. */
  inserted: number;
}

/** The tokenizer of a text, whose encoder an edit borrows. Both throw once it is closed. */
export interface TextOwner {
  readonly engine: EngineHost & DocumentFunctions;
  readonly encoder: Handle;
  /** The open texts, which close with the tokenizer. */
  readonly documents: Set<Handle>;
}

/** The memory of a unit of text, and the change that is worth telling the garbage collector, in bytes. */
const WEIGHT = 3;
const WEIGHT_STEP = 256 * 1024;
const NONE = new Uint32Array();

/** What a text has of its engine. */
interface Held {
  readonly engine: EngineHost & DocumentFunctions;
  readonly documents: Set<Handle>;
  readonly document: Handle;
  /** What the garbage collector has been told, in bytes. */
  weight: number;
}

const forgotten = new FinalizationRegistry<Held>(release);

/** Gives it back; its tokenizer may have done so already. */
function release(held: Held): void {
  const { engine, documents, document, weight } = held;
  held.weight = 0;
  if (weight > 0) engine.weigh?.(-weight);
  if (documents.delete(document)) engine.documentRelease(document);
}

/** Positions are in the text's unit: UTF-16 units of a text of strings, or bytes of a text of bytes. */
export class EditedText {
  readonly #owner: TextOwner;
  readonly #document: Handle;
  readonly #held: Held;
  readonly #isOfBytes: boolean;
  /** Of the last edit: from, removed, inserted, length, ids. */
  readonly #change = new Uint32Array(5);
  /** The length and the number of ids. */
  length = 0;
  count = 0;

  /** An empty text. */
  static open(owner: TextOwner, tokenizer: Handle, policy: number | Uint32Array, unit: 'utf16' | 'bytes'): EditedText {
    const isList = typeof policy !== 'number';
    const isOfBytes = unit === 'bytes';
    const { engine } = owner;
    const document = engine.documentCreate(tokenizer, isList ? LISTED : policy, isList ? policy : NONE, UNITS.indexOf(unit));
    if (document < 0) throw failedIn(engine, 'cannot open a document');
    return new EditedText(owner, document, isOfBytes);
  }

  private constructor(owner: TextOwner, document: Handle, isOfBytes: boolean) {
    this.#owner = owner;
    this.#document = document;
    this.#isOfBytes = isOfBytes;
    const { engine, documents } = owner;
    documents.add(document);
    this.#held = { engine, documents, document, weight: 0 };
    forgotten.register(this, this.#held, this);
  }

  /**
   * Replaces [start, end) by a string, or by bytes if they are the unit. A failure has its position in the new text. `ranges`: the text
   * has a mask as in `Mask`, whose `control` is the document's list of tokens; starts and ends of what a template wrote of the new part.
   */
  replace(start: number, end: number, text: string | Uint8Array, ranges?: Uint32Array): TextChange {
    const { engine, encoder } = this.#owner;
    const document = this.#document;
    if (ranges) this.#check(engine.documentKeepRanges(document, ranges), 'cannot edit the text');
    const { window } = engine;
    let at = 0;
    for (; text.length - at > window; at += window) {
      const part = partOf(text, at, at + window);
      const answer = typeof part === 'string' ? engine.documentKeepUtf16(document, part) : engine.documentKeepUtf8(document, part);
      this.#check(answer, 'cannot edit the text');
    }
    const part = at === 0 ? text : partOf(text, at, text.length);
    const change = this.#change;
    const done =
      typeof part === 'string'
        ? engine.documentReplaceUtf16(document, encoder, start, end, part, change)
        : engine.documentReplaceUtf8(document, encoder, start, end, part, change);
    this.#check(done, 'cannot edit the text');
    this.length = change[3] as number;
    this.count = change[4] as number;
    this.#weigh(engine);
    return { from: change[0] as number, removed: change[1] as number, inserted: change[2] as number };
  }

  /** Ids [from, to). */
  ids(from: number, to: number): UnsharedUint32Array {
    const ids = new Uint32Array(to - from);
    this.#check(this.#owner.engine.documentIds(this.#document, from, to, ids), 'cannot read the ids');
    return ids;
  }

  /** The number of the first token that ends after a position. */
  tokenAt(position: number): number {
    const { engine, encoder } = this.#owner;
    return this.#check(engine.documentTokenAt(this.#document, encoder, position), 'cannot find the token');
  }

  /** Text [from, to): a string, or bytes if they are the unit. */
  text(from: number, to: number): string | Uint8Array {
    const { engine } = this.#owner;
    if (this.#isOfBytes) {
      const bytes = new Uint8Array(to - from);
      this.#check(engine.documentTextUtf8(this.#document, from, to, bytes), 'cannot read the text');
      return bytes;
    }
    let text = '';
    for (let at = from; at < to; at += engine.window) {
      const part = engine.documentTextUtf16(this.#document, at, Math.min(at + engine.window, to));
      if (part === undefined) throw failedIn(engine, 'cannot read the text');
      text += part;
    }
    return text;
  }

  fork(): EditedText {
    const document = this.#check(this.#owner.engine.documentFork(this.#document), 'cannot copy the text');
    const text = new EditedText(this.#owner, document, this.#isOfBytes);
    text.length = this.length;
    text.count = this.count;
    return text;
  }

  /** Closed with its tokenizer, too; may be called again. */
  close(): void {
    forgotten.unregister(this);
    release(this.#held);
  }

  /** Tells the garbage collector of a text that has grown or shrunk much; a fork counts as if it shared nothing. */
  #weigh(engine: EngineHost): void {
    const weight = WEIGHT_STEP * Math.floor((WEIGHT * this.length) / WEIGHT_STEP);
    const held = this.#held;
    if (weight === held.weight) return;
    engine.weigh?.(weight - held.weight);
    held.weight = weight;
  }

  #check(answer: number, doing: string): number {
    if (answer < 0) throw failedIn(this.#owner.engine, doing);
    return answer;
  }
}

// A document of the addon.

import type { EditedText, TextChange } from '../engine/edited-text.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import { addon, failed, type Handle, WINDOW } from './addon.js';

/** The answer to an edit: from, removed, inserted, length, count. */
const answer = new Uint32Array(5);

export class NativeText implements EditedText {
  readonly #tokenizer: object; // kept reachable as long as the text is
  readonly #handle: Handle;
  readonly #isOfBytes: boolean;
  length = 0;
  count = 0;

  constructor(tokenizer: object, handle: Handle, isOfBytes: boolean) {
    this.#tokenizer = tokenizer;
    this.#handle = handle;
    this.#isOfBytes = isOfBytes;
  }

  replace(start: number, end: number, text: string | Uint8Array, ranges?: Uint32Array): TextChange {
    const part = typeof text === 'string' && text.length > WINDOW ? this.#keepFirst(text) : text;
    if (addon.documentReplace(this.#handle, start, end, part, answer, ranges) < 0) throw failed('cannot edit the text');
    this.length = answer[3] as number;
    this.count = answer[4] as number;
    return { from: answer[0] as number, removed: answer[1] as number, inserted: answer[2] as number };
  }

  /** Hands over all windows but the last, and returns that. */
  #keepFirst(text: string): string {
    let at = 0;
    for (; text.length - at > WINDOW; at += WINDOW) {
      if (addon.documentKeep(this.#handle, text.slice(at, at + WINDOW)) < 0) throw failed('cannot edit the text');
    }
    return text.slice(at);
  }

  ids(from: number, to: number): UnsharedUint32Array {
    const ids = new Uint32Array(to - from);
    if (addon.documentIds(this.#handle, from, ids) < 0) throw failed('cannot read the ids');
    return ids;
  }

  tokenAt(position: number): number {
    const token = addon.documentTokenAt(this.#handle, position);
    if (token < 0) throw failed('cannot find the token');
    return token;
  }

  text(from: number, to: number): string | Uint8Array {
    if (this.#isOfBytes) return this.#part(from, to, new Uint8Array(to - from));
    let text = '';
    for (let at = from; at < to; at += WINDOW) text += this.#part(at, Math.min(at + WINDOW, to)) as string;
    return text;
  }

  #part(from: number, to: number, target?: Uint8Array): string | Uint8Array {
    const part = addon.documentText(this.#handle, from, to, target);
    if (part === undefined) throw failed('cannot read the text');
    return part;
  }

  fork(): EditedText {
    const handle = addon.documentFork(this.#handle);
    if (handle < 0) throw failed('cannot copy the text');
    const text = new NativeText(this.#tokenizer, handle, this.#isOfBytes);
    text.length = this.length;
    text.count = this.count;
    return text;
  }

  close(): void {
    addon.documentClose(this.#handle);
  }
}

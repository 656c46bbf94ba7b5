// A long text that is edited, in the worker: its ids come from a document, and the offsets of what has changed from encoding the text
// around it.

import type { TextDocument, Tokenizer } from 'crayon-tokenizer';
import { type Edit, editedTokens, type TokensEdited } from './edits.js';

/** Tokens on either side of a change that are encoded with it, at first and at most. */
const AROUND = 16;
const MOST_AROUND = 4096;

export class EditedText {
  readonly #tokenizer: Tokenizer;
  readonly #document: TextDocument;
  readonly #special: 'allow' | 'text';
  #tokens: { ids: Uint32Array; offsets: Uint32Array };

  constructor(tokenizer: Tokenizer, text: string, special: 'allow' | 'text') {
    this.#tokenizer = tokenizer;
    this.#special = special;
    this.#document = tokenizer.document(text, { special });
    this.#tokens = tokenizer.encodeWithOffsets(text, { special });
  }

  get tokens(): { ids: Uint32Array; offsets: Uint32Array } {
    return this.#tokens;
  }

  /** `text`: the one after the edit. */
  edit({ start, end, inserted }: Edit, text: string): TokensEdited {
    const change = this.#document.replace(start, end, inserted);
    const shift = inserted.length - (end - start);
    const edited = this.#around(change, { start, end, inserted }, text, shift) ?? this.#whole(text);
    this.#tokens = editedTokens(this.#tokens, edited) as { ids: Uint32Array; offsets: Uint32Array };
    return edited;
  }

  /** Encodes the text of the changed tokens and some around them alone. Good only if that has the document's ids. */
  #around(change: { from: number; removed: number; inserted: number }, edit: Edit, text: string, shift: number): TokensEdited | undefined {
    const { ids, offsets } = this.#tokens;
    // Tokens of the edited text, too, which may have changed without another id.
    const first = Math.min(change.from, firstEndingBehind(offsets, edit.start - 1));
    const last = Math.max(change.from + change.removed, firstEndingBehind(offsets, edit.end) + 1);
    for (let around = AROUND; around <= MOST_AROUND; around *= 4) {
      const from = Math.max(0, first - around);
      const to = Math.min(ids.length, last + around);
      const begin = from === 0 ? 0 : (offsets[2 * from] as number);
      const behind = to === ids.length ? text.length : (offsets[2 * to - 1] as number) + shift;
      const count = to - from - change.removed + change.inserted;
      const found = this.#tokenizer.encodeWithOffsets(text.slice(begin, behind), { special: this.#special });
      const own = this.#document.slice(from, from + count);
      if (found.ids.length !== count || !own.every((id, index) => id === found.ids[index])) continue;
      return { from, removed: to - from, ids: own, offsets: found.offsets.map((offset) => offset + begin), shift };
    }
    return undefined;
  }

  #whole(text: string): TokensEdited {
    const { ids, offsets } = this.#tokenizer.encodeWithOffsets(text, { special: this.#special });
    return { from: 0, removed: this.#tokens.ids.length, ids, offsets, shift: 0 };
  }

  close(): void {
    this.#document.close();
  }
}

function firstEndingBehind(offsets: Uint32Array, position: number): number {
  let [low, high] = [0, offsets.length / 2];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((offsets[2 * middle + 1] as number) <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}

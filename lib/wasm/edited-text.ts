// A document of an instance.

import type { EditedText, TextChange } from '../engine/edited-text.js';
import type { OffsetUnit, Policy } from '../engine/engine.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import { WINDOW, WINDOW_BYTES, type WasmCore } from './core.js';
import type { WasmEncoder } from './encoder.js';

const SPECIAL_LISTED = 3;
const UNIT_BYTES = 0;
const UNIT_UTF16 = 1;
/** Units made into a string at once: more arguments may not fit on the stack. */
const MOST_UNITS = 8192;

/** What a document needs of its tokenizer; calls throw once that is closed. */
export interface TextLender {
  /** Runs work with the instance's idle encoder, and explains a trap. */
  edit<T>(work: (encoder: WasmEncoder) => T): T;
}

export class WasmText implements EditedText {
  readonly #lender: TextLender;
  readonly #isOfBytes: boolean;
  /** 0: closed. */
  #document: number;
  length = 0;
  count = 0;

  constructor(lender: TextLender, document: number, isOfBytes: boolean) {
    this.#lender = lender;
    this.#document = document;
    this.#isOfBytes = isOfBytes;
  }

  static open(lender: TextLender, core: WasmCore, tokenizer: number, policy: Policy, unit: OffsetUnit): WasmText {
    const isOfBytes = unit === 'bytes';
    const allowed = typeof policy === 'number' ? new Uint32Array(0) : policy;
    const bytes = new Uint8Array(allowed.buffer, allowed.byteOffset, allowed.byteLength);
    const status = core.withBytes(bytes, (at) =>
      core.engine.crayon_document_create(
        tokenizer,
        typeof policy === 'number' ? policy : SPECIAL_LISTED,
        at,
        allowed.length,
        isOfBytes ? UNIT_BYTES : UNIT_UTF16,
        core.out,
        core.result,
      ),
    );
    if (status !== 0) throw core.failed('cannot open a document');
    return new WasmText(lender, core.outWord(0), isOfBytes);
  }

  replace(start: number, end: number, text: string | Uint8Array, ranges?: Uint32Array): TextChange {
    return this.#lender.edit((encoder) => {
      const { core } = encoder;
      const { engine, out, result } = core;
      if (ranges) {
        const bytes = new Uint8Array(ranges.buffer, ranges.byteOffset, ranges.byteLength);
        const keep = (at: number) => engine.crayon_document_keep_ranges(this.#document, at, ranges.length / 2, result);
        if (core.withBytes(bytes, keep) !== 0) throw core.failed('cannot edit the text');
      }
      const most = this.#isOfBytes ? WINDOW_BYTES : WINDOW;
      let at = 0;
      for (; text.length - at > most; at += most) {
        const length = this.#write(core, text, at, at + most);
        const keep = this.#isOfBytes ? engine.crayon_document_keep_utf8 : engine.crayon_document_keep_utf16;
        if (keep(this.#document, core.text, length, result) !== 0) throw core.failed('cannot edit the text');
      }
      const length = this.#write(core, text, at, text.length);
      const replace = this.#isOfBytes ? engine.crayon_document_replace_utf8 : engine.crayon_document_replace_utf16;
      const status = replace(this.#document, encoder.address, start, end, core.text, length, out, result);
      if (status !== 0) throw core.failed('cannot edit the text');
      const change = { from: core.outWord(0), removed: core.outWord(1), inserted: core.outWord(2) };
      this.length = engine.crayon_document_length(this.#document) >>> 0;
      this.count = engine.crayon_document_count(this.#document) >>> 0;
      return change;
    });
  }

  /** Writes a part of a text, in its own unit, to the buffer for text. */
  #write(core: WasmCore, text: string | Uint8Array, from: number, to: number): number {
    if (typeof text !== 'string') {
      core.textBytes.set(text.subarray(from, to));
      return to - from;
    }
    const part = from === 0 && to === text.length ? text : text.slice(from, to);
    const { writeUnits } = core;
    if (writeUnits && part.length > 16) {
      writeUnits(part, core.text);
    } else {
      const { units } = core;
      const at = core.text >>> 1;
      for (let i = 0; i < part.length; i++) units[at + i] = part.charCodeAt(i);
    }
    return part.length;
  }

  ids(from: number, to: number): UnsharedUint32Array {
    return this.#lender.edit(({ core }) => {
      const ids = new Uint32Array(to - from);
      for (let at = from; at < to; at += WINDOW) {
        const end = Math.min(at + WINDOW, to);
        if (core.engine.crayon_document_ids(this.#document, at, end, core.numbers, core.result) !== 0)
          throw core.failed('cannot read the ids');
        const first = core.numbers >>> 2;
        ids.set(core.words.subarray(first, first + end - at), at - from);
      }
      return ids;
    });
  }

  tokenAt(position: number): number {
    return this.#lender.edit((encoder) => {
      const { core } = encoder;
      const status = core.engine.crayon_document_token_at(this.#document, encoder.address, position, core.result);
      if (status !== 0) throw core.failed('cannot find the token');
      return core.count;
    });
  }

  text(from: number, to: number): string | Uint8Array {
    return this.#lender.edit(({ core }) => (this.#isOfBytes ? this.#bytes(core, from, to) : this.#string(core, from, to)));
  }

  #string(core: WasmCore, from: number, to: number): string {
    let text = '';
    for (let at = from; at < to; at += MOST_UNITS) {
      const end = Math.min(at + MOST_UNITS, to);
      const status = core.engine.crayon_document_text_utf16(this.#document, at, end, core.text, core.result);
      if (status !== 0) throw core.failed('cannot read the text');
      const first = core.text >>> 1;
      text += String.fromCharCode(...core.units.subarray(first, first + end - at));
    }
    return text;
  }

  #bytes(core: WasmCore, from: number, to: number): Uint8Array {
    const bytes = new Uint8Array(to - from);
    for (let at = from; at < to; at += WINDOW_BYTES) {
      const end = Math.min(at + WINDOW_BYTES, to);
      const status = core.engine.crayon_document_text_utf8(this.#document, at, end, core.text, core.result);
      if (status !== 0) throw core.failed('cannot read the text');
      bytes.set(core.textBytes.subarray(0, end - at), at - from);
    }
    return bytes;
  }

  fork(): EditedText {
    return this.#lender.edit(({ core }) => {
      if (core.engine.crayon_document_fork(this.#document, core.out, core.result) !== 0) throw core.failed('cannot copy the text');
      const text = new WasmText(this.#lender, core.outWord(0), this.#isOfBytes);
      text.length = this.length;
      text.count = this.count;
      return text;
    });
  }

  close(): void {
    const document = this.#document;
    this.#document = 0;
    if (document === 0) return;
    try {
      this.#lender.edit(({ core }) => core.engine.crayon_document_release(document));
    } catch {
      // Its instance is gone, or can do nothing more.
    }
  }
}

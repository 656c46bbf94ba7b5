// The end of the text fed so far: as much as an error may refer to.

import { concatenated } from '../../base/typed-arrays.js';
import { SLICE } from '../../base/time-slices.js';
import type { Start } from '../failures.js';

/** Units to keep: more than a special token, or the longest token at a character, may need to be decided. */
const KEPT = 64 * 1024;

const utf8 = new TextEncoder();
/** Receives the bytes of a part: this is the fastest way to count them. */
let scratch: Uint8Array | undefined;

export class FedText {
  #parts: { text: string | Uint8Array; bytes: number }[] = [];
  #length = 0;
  #start: Start = { units: 0, bytes: 0 };

  /** Appends a part, at most a slice; a string must end with a whole character. */
  append(part: string | Uint8Array): void {
    // Bytes are copied: the caller may overwrite or transfer them before an error refers to them.
    if (typeof part === 'string') this.#parts.push({ text: part, bytes: utf8Length(part) });
    else this.#parts.push({ text: part.slice(), bytes: part.length });
    this.#length += part.length;
  }

  /** Drops old text. Call it only when ids have come: without any, one piece may reach far back. */
  forget(): void {
    if (this.#length < 2 * KEPT) return; // several parts at a time, since they may be short
    let { units, bytes } = this.#start;
    let gone = 0;
    for (const part of this.#parts) {
      if (this.#length - part.text.length < KEPT) break;
      this.#length -= part.text.length;
      units += part.text.length;
      bytes += part.bytes;
      gone++;
    }
    this.#parts.splice(0, gone);
    this.#start = { units, bytes };
  }

  /** The kept text, and where it begins. */
  kept(): { text: string | Uint8Array; start: Start } {
    return { text: joined(this.#parts.map(({ text }) => text)), start: this.#start };
  }
}

function joined(parts: (string | Uint8Array)[]): string | Uint8Array {
  return typeof parts[0] === 'object' ? concatenated(Uint8Array, parts as Uint8Array[]) : parts.join('');
}

function utf8Length(part: string): number {
  scratch ??= new Uint8Array(3 * SLICE);
  return utf8.encodeInto(part, scratch).written;
}

// The rules of a SentencePiece charsmap for decoded text: the longest text that it knows, and what replaces that.

import { base64Bytes } from '../base/base64.js';

const HEAD = 4;
const LEAF = 0x80000000;
const HAS_LEAF = 0x100;
/** Of texts that begin each other, sentencepiece looks at the shortest ones. */
const MOST_FOUND = 32;
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** What replaces a text, and where that text ends. */
export interface Replaced {
  by: string;
  end: number;
}

/** A place in the tree: where the children of a node are, by label, and the value if a text ends there. */
interface Place {
  base: number;
  value: number | undefined;
}

/** A double array over UTF-8, and texts, each of which ends with a zero; a value is where one begins. */
export class CharsmapRules {
  readonly #units: DataView;
  readonly #texts: Uint8Array;
  readonly #root: number;

  /** `charsmap`: in base64. Whatever it holds, no search leaves it. */
  constructor(charsmap: string) {
    const bytes = base64Bytes(charsmap) ?? new Uint8Array();
    const view = new DataView(bytes.buffer);
    const end = bytes.length < HEAD ? bytes.length : Math.min(bytes.length, HEAD + view.getUint32(0, true));
    this.#units = new DataView(bytes.buffer, Math.min(HEAD, end), Math.max(0, end - HEAD));
    this.#texts = bytes.subarray(end);
    this.#root = offsetOf(this.#unit(0) ?? 0);
  }

  /**
   * What the longest known text at a position becomes; one that is not known is a character, and stays. Undefined if what follows
   * the text may make it longer; nothing does if the text `isWhole`.
   */
  at(text: string, begin: number, isWhole: boolean): Replaced | undefined {
    let [end, value] = [begin, -1];
    let base = this.#root;
    for (let at = begin, found = 0; found < MOST_FOUND; ) {
      if (at === text.length) {
        if (!isWhole && this.#hasChildren(base)) return undefined;
        break;
      }
      const code = text.codePointAt(at) as number;
      const place = this.#after(base, code);
      if (!place) break;
      at += lengthOf(code);
      base = place.base;
      if (place.value === undefined) continue;
      [end, value] = [at, place.value];
      found++;
    }
    if (value >= 0) return { by: this.#text(value), end };
    end += lengthOf(text.codePointAt(begin) as number);
    return { by: text.slice(begin, end), end };
  }

  #after(from: number, code: number): Place | undefined {
    let place: Place | undefined = { base: from, value: undefined };
    for (const byte of bytesOf(code)) {
      place = this.#child(place.base, byte);
      if (!place) return undefined;
    }
    return place;
  }

  #child(base: number, label: number): Place | undefined {
    const index = (base ^ label) >>> 0;
    const unit = this.#unit(index);
    if (unit === undefined || (unit & (LEAF | 0xff)) >>> 0 !== label) return undefined;
    const next = (index ^ offsetOf(unit)) >>> 0;
    const leaf = (unit & HAS_LEAF) === 0 ? undefined : this.#unit(next);
    return { base: next, value: leaf === undefined ? undefined : (leaf & ~LEAF) >>> 0 };
  }

  #hasChildren(base: number): boolean {
    for (let label = 0; label < 0x100; label++) if (this.#child(base, label)) return true;
    return false;
  }

  #unit(index: number): number | undefined {
    return 4 * index < this.#units.byteLength - 3 ? this.#units.getUint32(4 * index, true) : undefined;
  }

  #text(begin: number): string {
    const end = this.#texts.indexOf(0, begin);
    return utf8.decode(this.#texts.subarray(begin, end < 0 ? undefined : end));
  }
}

function offsetOf(unit: number): number {
  return (unit >>> 10) << ((unit & 0x200) >>> 6);
}

/** In UTF-16 units. */
function lengthOf(code: number): number {
  return code > 0xffff ? 2 : 1;
}

/** Its UTF-8; of half a character, which stands for a raw byte, what no charsmap knows. */
function bytesOf(code: number): readonly number[] {
  if (code < 0x80) return [code];
  if (code < 0x800) return [0xc0 | (code >> 6), 0x80 | (code & 0x3f)];
  if (code >= 0xd800 && code < 0xe000) return [0xff];
  const rest = [0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
  return code < 0x10000 ? [0xe0 | (code >> 12), ...rest] : [0xf0 | (code >> 18), 0x80 | ((code >> 12) & 0x3f), ...rest];
}

// The denormalizer of a SentencePiece model, which changes decoded text as a normalizer changes text. The text arrives in parts: held
// back are the beginning of what the charsmap may know and, where spaces at the end are removed, those.

import type { Step } from './decoder-spec.js';
import { base64Bytes } from '../../base/text-encodings.js';

type Denormalize = Step & { type: 'Denormalize' };

const MARK = '\u2581';

const known = new WeakMap<Denormalize, CharsmapRules>();

function rulesOf(step: Denormalize): CharsmapRules {
  let rules = known.get(step);
  if (!rules) known.set(step, (rules = new CharsmapRules(step.charsmap)));
  return rules;
}

export function denormalized(step: Denormalize, text: string): string {
  const run = new DenormalizeStage(step);
  return run.push(text) + run.end();
}

export class DenormalizeStage {
  readonly #step: Denormalize;
  readonly #rules: CharsmapRules;
  readonly #space: string;
  /** Text whose replacement depends on what follows. */
  #held = '';
  /** Spaces that are removed if nothing follows. */
  #spaces = '';
  #hasBegun = false;
  #followsSpace: boolean;

  constructor(step: Denormalize) {
    this.#step = step;
    this.#rules = rulesOf(step);
    this.#space = step.marksSpaces ? MARK : ' ';
    this.#followsSpace = step.collapsesSpaces;
  }

  push(part: string): string {
    return this.#take(this.#held + part, false);
  }

  end(): string {
    return this.#take(this.#held, true);
  }

  #take(text: string, isWhole: boolean): string {
    let made = '';
    let at = 0;
    while (at < text.length) {
      const replaced = this.#rules.at(text, at, isWhole);
      if (!replaced) break;
      at = replaced.end;
      made += this.#put(replaced.by);
    }
    this.#held = text.slice(at);
    return made;
  }

  #put(by: string): string {
    const { collapsesSpaces, putsSpace } = this.#step;
    if (collapsesSpaces && !this.#hasBegun && by === ' ') return '';
    const first = !this.#hasBegun && putsSpace ? this.#space : '';
    this.#hasBegun = true;
    const own = this.#followsSpace ? by.replace(/^ +/, '') : by;
    if (own !== '') this.#followsSpace = collapsesSpaces && own.endsWith(' ');
    const made = first + (this.#space === ' ' ? own : own.replaceAll(' ', this.#space));
    return collapsesSpaces ? this.#withoutLast(made) : made;
  }

  #withoutLast(made: string): string {
    const text = this.#spaces + made;
    let end = text.length;
    while (end > 0 && text[end - 1] === this.#space) end--;
    this.#spaces = text.slice(end);
    return text.slice(0, end);
  }
}

// The rules of a SentencePiece charsmap for decoded text: the longest text that it knows, and what replaces that.

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
class CharsmapRules {
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

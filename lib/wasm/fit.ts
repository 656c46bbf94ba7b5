// Cuts a text into parts within a token limit. The engine reads such a text several times, so a section of it is kept
// in the instance's memory; the section moves forward, and grows if a part needs more.

import type { OffsetUnit, Policy } from '../engine/engine.js';
import { TokenizerError } from '../base/errors.js';
import { NumberChunks } from './number-chunks.js';
import type { WasmEncoder } from './encoder.js';

/** The minimum size of the section in bytes, and its bytes per token of the limit. */
const STRETCH = 64 * 1024;
const TOKEN_LENGTH = 16;
/** The largest limit that the engine accepts. */
const MOST = 0xffffffff;

/** A text with a section of it in memory. `close` releases it. */
class Stretch {
  readonly #encoder: WasmEncoder;
  readonly #policy: Policy;
  readonly #text: Uint8Array;
  /** Whether the text ends where the bytes end. */
  readonly #last: boolean;
  #from = 0;
  #length = 0;
  #address = 0;
  #capacity = 0;

  constructor(encoder: WasmEncoder, policy: Policy, text: Uint8Array, last: boolean, limit: number) {
    this.#encoder = encoder;
    this.#policy = policy;
    this.#text = text;
    this.#last = last;
    this.#lay(0, Math.max(STRETCH, TOKEN_LENGTH * limit));
  }

  /** The part from `start`; undefined if it depends on later text. Positions count from the text's first byte. */
  fit(start: number, limit: number, overlap: number): { end: number; tokens: number; next: number } | undefined {
    const { core } = this.#encoder;
    for (;;) {
      const reached = this.#from + this.#length;
      const isEnd = reached === this.#text.length;
      if (this.#ask(start, isEnd && this.#last, limit, overlap)) {
        const from = this.#from;
        return { end: from + core.outWord(0), tokens: core.outWord(1), next: from + core.outWord(2) };
      }
      if (isEnd) return undefined;
      // The part began late in the section, or is longer than the section.
      this.#lay(start, start - this.#from > this.#capacity / 2 ? this.#capacity : 4 * this.#capacity);
    }
  }

  close(): void {
    this.#encoder.core.engine.free(this.#address);
  }

  #ask(start: number, last: boolean, limit: number, overlap: number): boolean {
    try {
      return this.#encoder.fit(this.#address, this.#length, start - this.#from, last, limit, overlap);
    } catch (error) {
      if (!(error instanceof TokenizerError && error.code === 'SPECIAL_FORBIDDEN')) throw error;
      throw new TokenizerError(error.message, { code: error.code, position: this.#from + error.position });
    }
  }

  #lay(from: number, capacity: number): void {
    const { core } = this.#encoder;
    this.#encoder.begin(this.#policy); // the memory of the text may change only here
    const room = Math.min(capacity, this.#text.length);
    if (room > this.#capacity || this.#address === 0) {
      if (this.#address !== 0) core.engine.free(this.#address);
      this.#address = 0;
      this.#address = core.allocate(room);
      this.#capacity = room;
    }
    const part = this.#text.subarray(from, from + this.#capacity);
    core.bytes.set(part, this.#address);
    this.#from = from;
    this.#length = part.length;
  }
}

/** See `fit` of EngineTokenizer. */
export function fitStart(
  encoder: WasmEncoder,
  policy: Policy,
  text: Uint8Array,
  last: boolean,
  limit: number,
  unit: OffsetUnit,
): number | undefined {
  const most = Math.min(limit, MOST);
  const stretch = new Stretch(encoder, policy, text, last, most);
  try {
    const part = stretch.fit(0, most, 0);
    return part && offsetIn(text, unit)(part.end);
  } finally {
    stretch.close();
  }
}

/** See `split` of EngineTokenizer. */
export function splitParts(
  encoder: WasmEncoder,
  policy: Policy,
  text: Uint8Array,
  last: boolean,
  limit: number,
  overlap: number,
  unit: OffsetUnit,
): Uint32Array {
  const most = Math.min(limit, MOST);
  const stretch = new Stretch(encoder, policy, text, last, most);
  const parts = new NumberChunks();
  const startOffset = offsetIn(text, unit); // parts overlap, but neither their starts nor their ends go back
  const endOffset = offsetIn(text, unit);
  try {
    let start = 0;
    let end = 0;
    while (end < text.length) {
      const part = stretch.fit(start, most, Math.min(overlap, MOST));
      if (!part) break;
      if (part.end <= end && start < end) {
        start = end; // the overlap leaves no room for more
        continue;
      }
      if (part.end <= end) {
        parts.append(Uint32Array.of(part.tokens)); // the number the character here needs
        break;
      }
      end = part.end;
      parts.append(Uint32Array.of(startOffset(start), endOffset(end)));
      start = part.next;
    }
    return parts.take();
  } finally {
    stretch.close();
  }
}

/** Converts ascending byte offsets to offsets in the unit. */
function offsetIn(text: Uint8Array, unit: OffsetUnit): (byte: number) => number {
  if (unit === 'bytes') return (byte) => byte;
  let at = 0;
  let units = 0;
  return (byte) => {
    units += unitsIn(text, at, byte);
    at = byte;
    return units;
  };
}

/** The UTF-16 length of well-formed UTF-8: one per character, two for characters of four bytes. */
function unitsIn(text: Uint8Array, from: number, to: number): number {
  let units = 0;
  for (let at = from; at < to; at++) {
    const byte = text[at] as number;
    if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
  }
  return units;
}

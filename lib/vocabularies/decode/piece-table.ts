// The bytes that each id adds to a text anywhere after the first token, for chains in which these depend only on the id:
// one table of bytes, filled as ids occur.

import { concatenated } from '../../base/typed-arrays.js';
import { textOfWhole } from '../../base/text-encodings.js';
import { byteLevelBytes, byteOf, bytesOfText, tokensOfBrokenRun, tokensOfRun } from './bytes.js';
import type { Chain } from './chain.js';
import { sentencePieceMap, type TokenMap, tokenMap } from './token-maps.js';
import type { TokenTexts } from './token-texts.js';

/** The token steps of a chain that a table can do: maps, and at most one step for bytes. */
interface Maps {
  before: TokenMap[];
  hasBytes: boolean;
  after: TokenMap[];
  ofRun: typeof tokensOfRun;
  /** Whether an empty token, and one that adds nothing, leave the next token first. */
  passesEmpty: boolean;
  keepsFirst: boolean;
}

function mapsOf({ onTokens }: Chain): Maps | undefined {
  const [only] = onTokens;
  if (only?.type === 'SentencePiece' && onTokens.length === 1) {
    const keepsFirst = only.strips === 'all';
    return { before: [sentencePieceMap(only)], hasBytes: only.bytes, after: [], ofRun: tokensOfBrokenRun, passesEmpty: true, keepsFirst };
  }
  const at = onTokens.findIndex(({ type }) => type === 'ByteFallback');
  const before = onTokens.slice(0, at < 0 ? onTokens.length : at).map(tokenMap);
  const after = at < 0 ? [] : onTokens.slice(at + 1).map(tokenMap);
  if (![...before, ...after].every((map) => map !== undefined)) return undefined;
  const maps = { before: before as TokenMap[], hasBytes: at >= 0, after: after as TokenMap[] };
  return { ...maps, ofRun: tokensOfRun, passesEmpty: false, keepsFirst: false };
}

/** Lengths below 0 have special meanings. */
export const UNKNOWN = -1;
/** A byte token: what it adds depends on its neighbours. */
export const BYTE = -2;
/** The token is skipped, and does not count. */
export const SKIPPED = -3;

const LEAST = 1 << 12;
/** For runs of bytes: characters, and line ends. */
const LONGEST_KEPT = 4;
const MOST_KEPT = 1 << 12;

export class PieceTable {
  readonly texts: TokenTexts;
  readonly skipSpecial: boolean;
  readonly #maps: Maps;
  readonly #isByteLevel: boolean;
  readonly #firsts = new Map<number, Uint8Array | null>();
  /** Texts of ids for `wholeText`; null for those that begin or end within a character. */
  readonly #texts = new Map<number, string | null>();
  /** Results of runs that are not first, keyed by their bytes. */
  readonly #runs = new Map<string, Uint8Array>();
  /**
   * By id: where its bytes begin, and their number. Instead of a number: UNKNOWN, SKIPPED, or BYTE, in which case the start
   * holds the byte.
   */
  readonly starts: Uint32Array;
  readonly lengths: Int32Array;
  /** All bytes, back to back, followed by some padding. */
  #bytes = new Uint8Array(LEAST);
  view = new DataView(this.#bytes.buffer);
  #used = 0;
  /** The length of the longest entry. */
  longest = 0;

  /** Undefined if a table cannot do the chain. */
  static of(chain: Chain, texts: TokenTexts, skipSpecial: boolean): PieceTable | undefined {
    const maps = mapsOf(chain);
    return maps && new PieceTable(maps, chain.merge === 'ByteLevel', texts, skipSpecial);
  }

  private constructor(maps: Maps, isByteLevel: boolean, texts: TokenTexts, skipSpecial: boolean) {
    this.#maps = maps;
    this.#isByteLevel = isByteLevel;
    this.texts = texts;
    this.skipSpecial = skipSpecial;
    this.starts = new Uint32Array(texts.limit);
    this.lengths = new Int32Array(texts.limit).fill(UNKNOWN);
  }

  /** Handles the first occurrence of an id; returns its length. */
  learn(id: number, index: number): number {
    const text = this.texts.of(id, index);
    const length = this.skipSpecial && this.texts.isSpecial(text) ? SKIPPED : this.#add(id, text);
    this.lengths[id] = length;
    return length;
  }

  /** What an id adds, if it adds whole characters, and the same after any token but the first. `index`: as for `learn`. */
  wholeText(id: number, index: number): string | undefined {
    let text = this.#texts.get(id);
    if (text === undefined) this.#texts.set(id, (text = this.#wholeText(id, index)));
    return text ?? undefined;
  }

  #wholeText(id: number, index: number): string | null {
    let length = id < this.lengths.length ? (this.lengths[id] as number) : UNKNOWN;
    if (length === UNKNOWN) length = this.learn(id, index);
    if (length < 0) return length === SKIPPED ? '' : null;
    const start = this.starts[id] as number;
    return textOfWhole(this.#bytes.subarray(start, start + length)) ?? null;
  }

  /** Whether the next token still counts as first, after a first token that has added these bytes. */
  keepsFirst(id: number, index: number, added: Uint8Array): boolean {
    if (added.length > 0) return false;
    return this.#maps.keepsFirst || (this.#maps.passesEmpty && this.texts.of(id, index) === '');
  }

  /** The byte of a byte token in first position. */
  firstByte(id: number, index: number): number {
    return byteOf(applied(this.#maps.before, this.texts.of(id, index), true));
  }

  /** The bytes of a token in first position; null for a byte token. */
  first(id: number, index: number): Uint8Array | null {
    let first = this.#firsts.get(id);
    if (first === undefined) this.#firsts.set(id, (first = this.#asFirst(id, index)));
    return first;
  }

  #asFirst(id: number, index: number): Uint8Array | null {
    const text = applied(this.#maps.before, this.texts.of(id, index), true);
    return this.#maps.hasBytes && byteOf(text) >= 0 ? null : this.#out(applied(this.#maps.after, text, true));
  }

  /** The bytes that a run of byte tokens adds. `raw`: as in tokensOfRun. */
  ofRun(run: readonly number[], raw: boolean, first: boolean): Uint8Array {
    const isShort = !first && run.length <= LONGEST_KEPT;
    const key = isShort ? `${raw}${String.fromCharCode(...run)}` : '';
    const known = isShort ? this.#runs.get(key) : undefined;
    if (known) return known;
    // Many are the same, since each byte of no character becomes one.
    const outs = new Map<string, Uint8Array>();
    const all = this.#maps.ofRun(run, raw).map((token, index) => {
      const isFirst = first && index === 0;
      const out = (isFirst ? undefined : outs.get(token)) ?? this.#out(applied(this.#maps.after, token, isFirst));
      if (!isFirst) outs.set(token, out);
      return out;
    });
    const bytes = concatenated(Uint8Array, all);
    if (isShort && this.#runs.size < MOST_KEPT) this.#runs.set(key, bytes);
    return bytes;
  }

  #add(id: number, text: string): number {
    const mapped = applied(this.#maps.before, text, false);
    const byte = this.#maps.hasBytes ? byteOf(mapped) : -1;
    if (byte >= 0) {
      this.starts[id] = byte;
      return BYTE;
    }
    const bytes = this.#out(applied(this.#maps.after, mapped, false));
    const end = this.#used + bytes.length;
    if (end + COPIED > this.#bytes.length) {
      const larger = new Uint8Array(2 * end + LEAST);
      larger.set(this.#bytes.subarray(0, this.#used));
      this.#bytes = larger;
      this.view = new DataView(larger.buffer);
    }
    this.#bytes.set(bytes, this.#used);
    this.starts[id] = this.#used;
    this.#used = end;
    this.longest = Math.max(this.longest, bytes.length);
    return bytes.length;
  }

  #out(text: string): Uint8Array {
    return this.#isByteLevel ? byteLevelBytes(text) : bytesOfText(text);
  }
}

/** How many bytes past the last one may be read. */
export const COPIED = 8;

function applied(maps: readonly TokenMap[], text: string, first: boolean): string {
  return maps.reduce((mapped, map) => map(mapped, first), text);
}

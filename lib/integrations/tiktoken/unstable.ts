// How the end of a text may change as more is typed: the tokens before its last piece are stable, and the last piece
// may become other tokens, the "completions". Defined as in tiktoken: see `completionsOf`.

import { TokenizerError } from '../../base/errors.js';
import { encode, encodeBatch } from '../../api/encode-texts.js';
import { tokenBytes } from '../../api/decode-ids.js';
import type { Vocabulary } from '../../vocabularies/vocabulary.js';
import { compileTokens } from '../open-ranks.js';
import { compiling } from '#host';
import type { EngineTokenizer } from '../../engine/engine.js';

/** The longest end of a text, in bytes, to complete. */
const LONGEST = 1024;

/** Unicode's White_Space property, which is stable: JavaScript's \s differs. */
const WHITE_SPACE = /^[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/;

/**
 * The stable ids of a text, and the completions of the rest, in no particular order.
 *
 * @param ids of the whole text
 * @param end the text after its last special token; not empty
 */
export function splitUnstable(
  ids: Uint32Array,
  end: string,
  vocabulary: Vocabulary,
  tokens: TokenBytes,
): [stable: number[], completions: number[][]] {
  const { scanner } = vocabulary.description;
  let first = ids.length;
  for (let rest = lastPieceLength(new TextEncoder().encode(end), scanner); rest > 0; ) {
    rest -= (tokens.bytes(ids[--first] as number) as string).length;
  }
  // White space before white space: the next character may move the boundary between the two.
  const isSpace = (id: number) => /^[ \n\t]+$/.test(tokens.bytes(id) ?? '');
  if (isSpace(ids[first] as number)) while (first > 0 && isSpace(ids[first - 1] as number)) first--;

  const unstable = Array.from(ids.subarray(first), (id) => tokens.bytes(id)).join('');
  if (unstable.length > LONGEST) throw tooLong();
  return [[...ids.subarray(0, first)], completionsOf(unstable, vocabulary, tokens)];
}

/**
 * The length in bytes of a text's last piece. The engine does not expose pieces, but no token extends past the end of a
 * piece: in a vocabulary of all single bytes and all ends of the text, the last piece is one token. (By induction from
 * the right: any token before an end of the text forms a longer end with it.)
 */
function lastPieceLength(text: Uint8Array, scanner: string): number {
  const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
  for (let longest = 64; longest <= LONGEST; longest *= 4) {
    const ends = Array.from({ length: Math.min(longest, text.length) - 1 }, (_, index) => text.subarray(-2 - index));
    const ofEnds = compileTokens([...bytes, ...ends], scanner, compiling);
    const [before = 0, last] = Array.from(encode(ofEnds, text).subarray(-2), (id) => tokenBytes(ofEnds, id).length);
    ofEnds.close();
    // Two tokens that together are no longer than the longest end stay separate only at a piece boundary.
    if (last === undefined) return before;
    if (before + last <= longest) return last;
  }
  throw tooLong();
}

function tooLong(): TokenizerError {
  const message = `the end of the text may be completed in ways that begin more than ${LONGEST} bytes before it`;
  return new TokenizerError(message, { code: 'TEXT_TOO_LONG' });
}

function completionsOf(unstable: string, vocabulary: Vocabulary, tokens: TokenBytes): number[][] {
  const found = new Map<string, number[]>();
  const add = (ids: number[]) => found.set(ids.join(), ids);

  // A single token that begins with the whole end.
  for (const token of tokens.beginningWith(unstable)) add([tokens.id(token)]);

  // Its beginning, and a token that begins with the rest: as many of their tokens as it takes to cover it.
  for (let cut = 1; cut < unstable.length; cut++) {
    const possibilities = [...tokens.beginningWith(unstable.slice(cut))].map((token) => unstable.slice(0, cut) + token);
    for (const ids of encodeAll(possibilities, vocabulary, tokens)) add(covering(ids, unstable.length, tokens));
  }

  // Trailing white space, which a following letter would separate from the white space before it.
  const character = lastCharacter(unstable);
  if (character.length < unstable.length && WHITE_SPACE.test(textOf(character) ?? '')) {
    const before = unstable.slice(0, unstable.length - character.length);
    add([...tokens.merged(before), ...tokens.merged(character)]);
  }
  return [...found.values()];
}

/** Ids of texts; invalid UTF-8 is encoded as one piece each. */
function encodeAll(possibilities: string[], vocabulary: Vocabulary, tokens: TokenBytes): Iterable<number[]> {
  const texts: string[] = [];
  const all: number[][] = [];
  for (const bytes of possibilities) {
    const text = textOf(bytes);
    if (text === undefined) all.push(tokens.merged(bytes));
    else texts.push(text);
  }
  for (const row of encodeBatch(vocabulary, texts)) all.push([...row]);
  return all;
}

/** The fewest leading ids with at least `length` bytes in total. */
function covering(ids: number[], length: number, tokens: TokenBytes): number[] {
  let count = 0;
  for (let covered = 0; covered < length; count++) covered += (tokens.bytes(ids[count] as number) as string).length;
  return ids.slice(0, count);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of UTF-8 bytes; undefined if they are invalid. */
function textOf(bytes: string): string | undefined {
  try {
    return decoder.decode(bytesOfString(bytes));
  } catch {
    return undefined;
  }
}

/** The bytes of the last character, or the last byte if no character ends there. */
function lastCharacter(bytes: string): string {
  for (let length = Math.min(4, bytes.length); length > 1; length--) {
    const end = bytes.slice(-length);
    const text = textOf(end);
    if (text !== undefined && [...text].length === 1) return end;
  }
  return bytes.slice(-1);
}

/**
 * The ordinary tokens of a vocabulary as byte strings (one unit per byte, so that they sort like bytes), for two queries that the engine
 * lacks: which tokens begin with given bytes, and what bytes merge to that are no UTF-8. Building it takes a fraction of a second.
 */
export class TokenBytes {
  /** In ascending order. */
  readonly sorted: readonly string[];
  readonly #ids = new Map<string, number>();
  readonly #bytes: string[] = [];

  constructor(engine: EngineTokenizer) {
    const { vocabularySize, addedTokens } = engine.describe();
    const added = new Set(addedTokens.map(({ id }) => id));
    for (let id = 0; id < vocabularySize; id++) {
      const bytes = added.has(id) ? undefined : engine.tokenBytes(id);
      if (bytes) this.#ids.set((this.#bytes[id] = byteString(bytes)), id);
    }
    this.sorted = [...this.#ids.keys()].sort();
  }

  /** The tokens that begin with some bytes, in ascending order. */
  *beginningWith(bytes: string): Generator<string, void> {
    let low = 0;
    for (let high = this.sorted.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((this.sorted[middle] as string) < bytes) low = middle + 1;
      else high = middle;
    }
    for (; this.sorted[low]?.startsWith(bytes); low++) yield this.sorted[low] as string;
  }

  /** The bytes of an id; undefined if no ordinary token has it. */
  bytes(id: number): string | undefined {
    return this.#bytes[id];
  }

  /** The id of a token. */
  id(bytes: string): number {
    return this.#ids.get(bytes) as number;
  }

  /**
   * Encodes any bytes as one piece: repeatedly merges the adjacent pair whose token has the lowest id. Quadratic, so
   * only for inputs of the size of a piece.
   */
  merged(bytes: string): number[] {
    const parts = [...bytes];
    const joined = (at: number) => this.#ids.get(`${parts[at]}${parts[at + 1]}`) ?? Number.POSITIVE_INFINITY;
    const pairs = Array.from({ length: parts.length - 1 }, (_, at) => joined(at));
    for (;;) {
      let lowest = 0;
      for (let at = 1; at < pairs.length; at++) if ((pairs[at] as number) < (pairs[lowest] as number)) lowest = at;
      if (pairs.length === 0 || pairs[lowest] === Number.POSITIVE_INFINITY) return parts.map((part) => this.id(part));
      parts.splice(lowest, 2, `${parts[lowest]}${parts[lowest + 1]}`);
      pairs.splice(lowest, 1);
      if (lowest > 0) pairs[lowest - 1] = joined(lowest - 1);
      if (lowest < pairs.length) pairs[lowest] = joined(lowest);
    }
  }
}

/** A number of arguments that every JavaScript engine accepts. */
const MOST_AT_ONCE = 8192;

/** Bytes as a string with one unit per byte. */
function byteString(bytes: Uint8Array): string {
  // Without spreading, which takes three times as long.
  if (bytes.length <= MOST_AT_ONCE) return String.fromCharCode.apply(null, bytes as unknown as number[]);
  let text = '';
  for (let at = 0; at < bytes.length; at += MOST_AT_ONCE) text += byteString(bytes.subarray(at, at + MOST_AT_ONCE));
  return text;
}

/** The bytes of a string with one unit per byte. */
function bytesOfString(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

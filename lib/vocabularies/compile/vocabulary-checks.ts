// The requirements for a vocabulary to become a cartridge. The engine checks them all; these checks run before it, or
// explain its refusal, to name the token or argument at fault.

import type { TokenTable } from '../../base/token-table.js';
import { type Failure, outOfRange, quotedName } from '../../base/errors.js';

/** In bytes. */
const LONGEST_TOKEN = 0xffff;
/** In bytes. Searching a text for longer ones could take too long. */
const LONGEST_SPECIAL_TOKEN = 1024;
/** Ids from here on are reserved in the longest-match tables. */
const FIRST_RESERVED_ID = 0xfffffff0;

/** A vocabulary, and the arguments that refer to its ids. */
export interface CheckedVocabulary {
  tokens: TokenTable;
  model: 'bpe' | 'longest-match';
  unknownId: number | undefined;
  specialTokens: readonly (readonly [text: string, id: number])[];
}

/**
 * Throws a RangeError that names the token or argument. `location`: the path or URL of the tokens' file; undefined for a
 * list.
 */
export function checkVocabulary(vocabulary: CheckedVocabulary, location: string | undefined): void {
  const { tokens, unknownId } = vocabulary;
  const count = tokens.offsets.length - 1;
  if (tokens.bytes.length === 0) {
    const received = count === 0 ? 'none' : `${count} that are empty`;
    throw new RangeError(`expected at least one token that is not empty for ${location ?? 'source'} but received ${received}`);
  }
  for (let id = 0; id < count; id++) {
    const length = lengthOf(tokens, id);
    if (length <= LONGEST_TOKEN) continue;
    const name = location === undefined ? `source[${id}]` : `token ${id} of ${location}`;
    throw new RangeError(`expected at most ${LONGEST_TOKEN} bytes for ${name} but received ${length}`);
  }
  if (unknownId !== undefined && (unknownId >= count || lengthOf(tokens, unknownId) === 0)) {
    throw outOfRange(`the id of a token (they have 0 to ${count - 1})`, 'unknownId', unknownId);
  }
  checkSpecialTokens(vocabulary);
}

function checkSpecialTokens({ tokens, model, specialTokens }: CheckedVocabulary): void {
  const encoder = new TextEncoder();
  const byId = new Map<number, string>();
  const count = tokens.offsets.length - 1;
  for (const [text, id] of specialTokens) {
    const name = `specialTokens[${quotedName(text)}]`;
    if (model === 'longest-match' && id >= FIRST_RESERVED_ID) throw outOfRange(`an id below ${FIRST_RESERVED_ID}`, name, id);
    const other = byId.get(id);
    if (other !== undefined) throw outOfRange(`an id other than that of ${quotedName(other)}`, name, id);
    byId.set(id, text);
    const bytes = encoder.encode(text);
    if (bytes.length > LONGEST_SPECIAL_TOKEN) {
      throw new RangeError(`expected at most ${LONGEST_SPECIAL_TOKEN} bytes for ${name} but received ${bytes.length}`);
    }
    if (id >= count || lengthOf(tokens, id) === 0) continue;
    const token = tokenAt(tokens, id);
    if (!areEqual(token, bytes)) {
      throw outOfRange(`an id without a token (${id} is the id of ${shown(token)})`, name, id);
    }
  }
}

/** Why a compiler rejected a vocabulary. */
export function whyRefused({ code, sentence, position }: Failure, { tokens, specialTokens }: CheckedVocabulary): string {
  if (code === 'MISSING_BYTE_TOKEN') {
    return `no token is the byte ${hexOf(position)} alone, and BPE needs one for each of the 256 bytes`;
  }
  if (code === 'DUPLICATE_TOKEN') {
    const first = firstLike(tokens, position);
    if (first !== undefined) return `the ids ${first} and ${position} have the same token, ${shown(tokenAt(tokens, first))}`;
    const name = specialTokens.find(([, id]) => id === position)?.[0];
    return `another special token has the same bytes as ${quotedName(name as string)} (id ${position})`;
  }
  if (code === 'BUILD_FAILED') return whyUnbuilt(sentence, position);
  return position === 0 ? sentence : `${sentence} (position ${position})`;
}

/** Why ranks have no tables. Position 0 is the sentence's own: tokens chosen so that their hashes collide. */
export function whyUnbuilt(sentence: string, id: number): string {
  if (id === 0) return sentence;
  return `${sentence}: merging makes token ${id} of a token with a higher rank, which training never does; a tokenizer.json can list such merges`;
}

/** The first id with the same token as `id`, if that is a different id. */
function firstLike(tokens: TokenTable, id: number): number | undefined {
  if (id >= tokens.offsets.length - 1) return undefined;
  const token = tokenAt(tokens, id);
  for (let other = 0; other < id; other++) {
    if (lengthOf(tokens, other) === token.length && areEqual(tokenAt(tokens, other), token)) return other;
  }
  return undefined;
}

function lengthOf({ offsets }: TokenTable, id: number): number {
  return (offsets[id + 1] as number) - (offsets[id] as number);
}

function tokenAt({ bytes, offsets }: TokenTable, id: number): Uint8Array {
  return bytes.subarray(offsets[id], offsets[id + 1]);
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

/** A token as a string, or its bytes if it is not UTF-8. */
function shown(token: Uint8Array): string {
  const part = token.length > 40 ? token.subarray(0, 40) : token;
  const end = part === token ? '' : '…';
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(part, { stream: part !== token });
  if (!text.includes('\ufffd')) return JSON.stringify(text + end);
  return `the bytes ${Array.from(part, hexOf).join(' ')}${end}`;
}

function hexOf(byte: number): string {
  return `0x${byte.toString(16).padStart(2, '0')}`;
}

// The encodings as gpt-tokenizer has them: those of tiktoken, and the ids that it gives to special tokens of chats and
// of filling in the middle, which tiktoken does not publish. A cartridge is opened once, when it is first needed, and
// stays open.

import { TokenizerError, unexpected } from '../errors.js';
import { Tokenizer } from '../index.js';
import type { EncodingName } from '../models.js';
import { FimMiddle, FimPrefix, FimSuffix, ImEnd, ImSep, ImStart } from './constants.js';

/** The text of a token, or its bytes where they are no UTF-8 by themselves. */
export type TokenText = string | Uint8Array;

/** One encoding, open. */
export interface Vocabulary {
  readonly tokenizer: Tokenizer;
  /** Every special token and its id. */
  readonly specialIds: ReadonlyMap<string, number>;
  /** The special tokens that the tokenizer lacks, by their ids. */
  readonly added: ReadonlyMap<number, string>;
  /** The smallest id of those. */
  readonly firstAdded: number;
  /** Of tokens that were asked for lately. */
  readonly texts: Map<number, TokenText>;
}

/** How many tokens each has, special ones included, and not counting ids between them that no token has. */
const SIZES: Record<EncodingName, number> = {
  gpt2: 50_257,
  r50k_base: 50_257,
  p50k_base: 50_281,
  p50k_edit: 50_284,
  cl100k_base: 100_264,
  o200k_base: 200_006,
  o200k_harmony: 201_089,
};

const ADDED: Partial<Record<EncodingName, [number, string][]>> = {
  cl100k_base: [
    [100_264, ImStart],
    [100_265, ImEnd],
    [100_266, ImSep],
  ],
  o200k_base: [
    [200_000, FimPrefix],
    [200_001, FimMiddle],
    [200_002, FimSuffix],
    [200_003, ImStart],
    [200_004, ImEnd],
    [200_005, ImSep],
  ],
};

const open = new Map<EncodingName, Vocabulary>();

/** Opens an encoding, or finds it open. */
export function vocabularyOf(encoding: EncodingName): Vocabulary {
  const found = open.get(encoding);
  if (found) return found;
  const tokenizer = Tokenizer.loadSync(encoding);
  const added = new Map(ADDED[encoding]);
  const specialIds = new Map(tokenizer.specialTokens);
  for (const [id, name] of added) specialIds.set(name, id);
  const vocabulary = { tokenizer, specialIds, added, firstAdded: Math.min(...added.keys()), texts: new Map() };
  open.set(encoding, vocabulary);
  return vocabulary;
}

/** How many tokens an encoding has. */
export function sizeOf(encoding: EncodingName): number {
  return SIZES[encoding];
}

/** The encoding of a name in any case; throws if there is none. */
export function encodingNamed(name: string): EncodingName {
  const lower = String(name).toLowerCase();
  if (Object.hasOwn(SIZES, lower)) return lower as EncodingName;
  throw new Error(`Unknown encoding name: ${name}`);
}

/** Ids from whatever holds them. */
export function idsOf(tokens: Iterable<number>): Uint32Array {
  if (tokens instanceof Uint32Array) return tokens;
  if (typeof tokens !== 'object' || tokens === null || !(Symbol.iterator in tokens)) {
    throw unexpected('an iterable of token ids', 'tokens', tokens);
  }
  const list = Array.isArray(tokens) ? (tokens as unknown[]) : Array.from<unknown>(tokens);
  const { length } = list;
  const ids = new Uint32Array(length);
  for (let index = 0; index < length; index++) {
    const value = list[index];
    const id = typeof value === 'bigint' ? Number(value) : value;
    ids[index] = id as number;
    if (ids[index] !== id) throw unknownToken(value, index);
  }
  return ids;
}

/** The error for a token that an encoding does not have. */
export function unknownToken(token: unknown, position: number): TokenizerError {
  const message = `Token ${String(token)} is not in the byte pair encoder.`;
  return new TokenizerError(message, { code: 'INVALID_ID', position });
}

/** The bytes of a token; undefined if there is no such token. */
export function bytesOfToken({ tokenizer, added }: Vocabulary, token: unknown): Uint8Array | undefined {
  const name = added.get(token as number);
  if (name !== undefined) return new TextEncoder().encode(name);
  const id = typeof token === 'bigint' ? Number(token) : token;
  if (typeof id !== 'number' || id >>> 0 !== id) return undefined;
  try {
    return tokenizer.tokenBytes(id);
  } catch (error) {
    if (error instanceof TokenizerError && error.code === 'INVALID_ID') return undefined;
    throw error;
  }
}

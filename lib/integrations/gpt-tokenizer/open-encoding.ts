// gpt-tokenizer's encodings: tiktoken's, plus the ids that it assigns to special tokens for chats and
// fill-in-the-middle, which tiktoken does not publish. A cartridge is opened on first use and stays open.

import { open } from '#host';

import { TokenizerError, unexpected } from '../../base/errors.js';
import type { EncodingName } from '../../vocabularies/models.js';
import type { Vocabulary } from '../../vocabularies/vocabulary.js';
import { FimMiddle, FimPrefix, FimSuffix, ImEnd, ImSep, ImStart } from './constants.js';

/** The text of a token, or its bytes if they are not valid UTF-8 by themselves. */
export type TokenText = string | Uint8Array;

/** An open encoding. */
export interface OpenEncoding {
  readonly vocabulary: Vocabulary;
  /** Every special token and its id. */
  readonly specialIds: ReadonlyMap<string, number>;
  /** The special tokens that the vocabulary lacks, by id. */
  readonly added: ReadonlyMap<number, string>;
  /** The smallest of these ids. */
  readonly firstAdded: number;
  /** A cache of recently requested tokens. */
  readonly texts: Map<number, TokenText>;
}

/** The number of tokens in each, including special ones, excluding ids without a token. */
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

const known = new Map<EncodingName, OpenEncoding>();

/** Opens an encoding, or returns the open one. */
export function openEncoding(encoding: EncodingName): OpenEncoding {
  const found = known.get(encoding);
  if (found) return found;
  const vocabulary = open(encoding);
  const added = new Map(ADDED[encoding]);
  const specialIds = new Map(vocabulary.specialIds);
  for (const [id, name] of added) specialIds.set(name, id);
  const opened = { vocabulary, specialIds, added, firstAdded: Math.min(...added.keys()), texts: new Map() };
  known.set(encoding, opened);
  return opened;
}

/** The number of tokens of an encoding. */
export function sizeOf(encoding: EncodingName): number {
  return SIZES[encoding];
}

/** The encoding with a name, case-insensitively; throws if there is none. */
export function encodingNamed(name: string): EncodingName {
  const lower = String(name).toLowerCase();
  if (Object.hasOwn(SIZES, lower)) return lower as EncodingName;
  throw new Error(`Unknown encoding name: ${name}`);
}

/** Ids from any iterable. */
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

/** The error for a token that an encoding lacks. */
export function unknownToken(token: unknown, position: number): TokenizerError {
  const message = `Token ${String(token)} is not in the byte pair encoder.`;
  return new TokenizerError(message, { code: 'INVALID_ID', position });
}

/** The bytes of a token; undefined if there is no such token. */
export function bytesOfToken({ vocabulary, added }: OpenEncoding, token: unknown): Uint8Array | undefined {
  const name = added.get(token as number);
  if (name !== undefined) return new TextEncoder().encode(name);
  const id = typeof token === 'bigint' ? Number(token) : token;
  return typeof id === 'number' && id >>> 0 === id ? vocabulary.engine.tokenBytes(id) : undefined;
}

/** How many texts a vocabulary caches; when full, the cache is cleared. */
const REMEMBERED = 16 * 1024;

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text or bytes of a token; undefined if there is no such token. */
export function textOfToken(encoding: OpenEncoding, token: number): TokenText | undefined {
  const { texts } = encoding;
  const found = texts.get(token);
  if (found !== undefined) return found;
  const bytes = bytesOfToken(encoding, token);
  if (bytes === undefined) return undefined;
  const text = textOrBytes(bytes);
  if (texts.size >= REMEMBERED) texts.clear();
  texts.set(token, text);
  return text;
}

/** The text of the bytes if they are valid UTF-8, otherwise the bytes. */
export function textOrBytes(bytes: Uint8Array): TokenText {
  try {
    return strict.decode(bytes);
  } catch {
    return bytes;
  }
}

/** Joins texts. Bytes are held until their character is complete, or cannot be completed: then it is U+FFFD. */
export class TextAssembler {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #waiting = false;

  /** The text that is complete so far. Nothing is added for a token that does not exist. */
  add(next: TokenText | undefined): string {
    if (next === undefined) return '';
    if (typeof next === 'string') return this.#waiting ? this.end() + next : next;
    this.#waiting = true;
    return this.#decoder.decode(next, { stream: true });
  }

  /** The text of the bytes still held. */
  end(): string {
    this.#waiting = false;
    return this.#decoder.decode();
  }
}

/** The concatenated text of the tokens; throws for an unknown id. */
export function textOfTokens(encoding: OpenEncoding, ids: Uint32Array): string {
  const assembler = new TextAssembler();
  let text = '';
  for (const [index, id] of ids.entries()) {
    const next = textOfToken(encoding, id);
    if (next === undefined) throw unknownToken(id, index);
    text += assembler.add(next);
  }
  return text + assembler.end();
}

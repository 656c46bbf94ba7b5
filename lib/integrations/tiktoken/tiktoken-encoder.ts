// An encoder with tiktoken's behaviour. The engine encodes the text between special tokens as ordinary text, and a
// special token ends it as the end of a text does, so the user's own special tokens need not be in the vocabulary.

import { idArray, textBytes } from '../../api/arguments.js';
import { concatenated } from '../../base/typed-arrays.js';
import { TokenizerError, unexpected } from '../../base/errors.js';
import { decodeBytes, idOf } from '../../api/decode-ids.js';
import { encode } from '../../api/encode-texts.js';
import type { Vocabulary } from '../../vocabularies/vocabulary.js';
import { NamesInText, readChoice } from './special-tokens.js';
import { TokenBytes } from './token-bytes.js';
import { splitUnstable } from './unstable.js';

const NONE = new NamesInText([]);

export class Encoder {
  readonly #vocabulary: Vocabulary;
  readonly #special: ReadonlyMap<string, number>;
  readonly #names: NamesInText;
  /**
   * Bytes of special tokens by id, and undefined for the tokenizer's own that are not special here. Not set if both
   * have the same special tokens.
   */
  readonly #specialBytes: ReadonlyMap<number, Uint8Array | undefined> | undefined;
  #tokenBytes: TokenBytes | undefined;

  /**
   * @param tokenizer is closed by `free`
   * @param special all special tokens, whichever the tokenizer has
   */
  constructor(vocabulary: Vocabulary, special: ReadonlyMap<string, number>) {
    this.#vocabulary = vocabulary;
    this.#special = special;
    this.#names = new NamesInText(special.keys());
    const own = vocabulary.specialIds;
    const isSame = special.size === own.size && [...own].every(([name, id]) => special.get(name) === id);
    if (!isSame) this.#specialBytes = bytesById(special, vocabulary);
  }

  encode(text: unknown, allowed: unknown, disallowed: unknown): Uint32Array {
    return this.#encode(text as string, this.#allowedIn(text, allowed, disallowed)).ids;
  }

  encodeOrdinary(text: unknown): Uint32Array {
    if (typeof text !== 'string') throw unexpected('a string', 'text', text);
    return ownMemory(encode(this.#vocabulary, text));
  }

  encodeWithUnstable(text: unknown, allowed: unknown, disallowed: unknown): [number[], number[][]] {
    const { ids, end } = this.#encode(text as string, this.#allowedIn(text, allowed, disallowed));
    if (end === '') return [[...ids], []];
    return splitUnstable(ids, end, this.#vocabulary, this.#ordinary());
  }

  idOf(bytes: unknown): number {
    const given = textBytes(bytes, 'bytes');
    const name = new TextDecoder('utf-8', { ignoreBOM: true }).decode(given);
    const ordinary = this.#vocabulary.specialIds.has(name) ? undefined : idOf(this.#vocabulary, given);
    const id = ordinary ?? this.#special.get(name);
    if (id !== undefined) return id;
    throw new TokenizerError(`no token is ${JSON.stringify(name)}`, { code: 'INVALID_ID' });
  }

  decode(tokens: unknown): Uint8Array {
    const ids = idArray(tokens);
    const special = this.#specialBytes;
    if (!special) return decodeBytes(this.#vocabulary, ids);
    const parts: Uint8Array[] = [];
    let from = 0;
    ids.forEach((id, at) => {
      if (!special.has(id)) return;
      parts.push(this.#decodePart(ids, from, at));
      const bytes = special.get(id);
      if (!bytes) throw noToken(id, at);
      parts.push(bytes);
      from = at + 1;
    });
    parts.push(this.#decodePart(ids, from, ids.length));
    return concatenated(Uint8Array, parts);
  }

  tokenByteValues(): number[][] {
    return this.#ordinary().sorted.map((bytes) => Array.from(bytes, (unit) => unit.charCodeAt(0)));
  }

  /** Throws if the encoder has been freed. */
  checkOpen(): void {
    void this.#vocabulary.description;
  }

  free(): void {
    this.checkOpen();
    this.#vocabulary.close();
  }

  /** The special tokens to look for in a text. Throws if it contains a disallowed one. */
  #allowedIn(text: unknown, allowedGiven: unknown, disallowedGiven: unknown): NamesInText {
    this.checkOpen();
    if (typeof text !== 'string') throw unexpected('a string', 'text', text);
    const allowed = readChoice(allowedGiven, 'allowed_special') ?? [];
    const disallowed = readChoice(disallowedGiven, 'disallowed_special') ?? 'all';
    const refused = disallowed === 'all' ? this.#allBut(allowed) : new NamesInText(disallowed);
    const found = refused.first(text);
    if (found !== undefined) throw new Error(`The text contains a special token that is not allowed: ${found}`);
    if (allowed === 'all') return this.#names;
    return allowed.length === 0 ? NONE : new NamesInText(allowed.filter((name) => this.#special.has(name)));
  }

  #allBut(allowed: 'all' | readonly string[]): NamesInText {
    if (allowed === 'all') return NONE;
    if (allowed.length === 0) return this.#names;
    return new NamesInText([...this.#special.keys()].filter((name) => !allowed.includes(name)));
  }

  /** The ids, and the text after the last special token. */
  #encode(text: string, names: NamesInText): { ids: Uint32Array; end: string } {
    const parts: Uint32Array[] = [];
    let from = 0;
    for (const { name, at } of names.all(text)) {
      parts.push(encode(this.#vocabulary, text.slice(from, at)), Uint32Array.of(this.#special.get(name) as number));
      from = at + name.length;
    }
    const end = text.slice(from);
    const last = encode(this.#vocabulary, end);
    if (parts.length === 0) return { ids: ownMemory(last), end };
    return { ids: concatenated(Uint32Array, [...parts, last]), end };
  }

  /** The bytes of ids[from, to), none of them a user's special token. */
  #decodePart(ids: Uint32Array, from: number, to: number): Uint8Array {
    try {
      return decodeBytes(this.#vocabulary, ids.subarray(from, to));
    } catch (error) {
      if (!(error instanceof TokenizerError) || error.code !== 'INVALID_ID') throw error;
      const position = from + error.position;
      throw noToken(ids[position] as number, position);
    }
  }

  #ordinary(): TokenBytes {
    this.#tokenBytes ??= new TokenBytes(this.#vocabulary.engine);
    return this.#tokenBytes;
  }
}

/** Ids with their own buffer, like tiktoken's, since users may transfer it. */
function ownMemory(ids: Uint32Array): Uint32Array {
  return ids.byteLength === ids.buffer.byteLength ? ids : ids.slice();
}

function noToken(id: number, position: number): TokenizerError {
  const message = `the id ${id} at index ${position} is not in the vocabulary`;
  return new TokenizerError(message, { code: 'INVALID_ID', position });
}

/** The bytes of special tokens by id. If an ordinary token has the same id, the id means the ordinary one. */
function bytesById(special: ReadonlyMap<string, number>, { engine, specialIds }: Vocabulary): Map<number, Uint8Array | undefined> {
  const builtIn = new Set(specialIds.values());
  const bytes = new Map<number, Uint8Array | undefined>(Array.from(builtIn, (id) => [id, undefined]));
  for (const [name, id] of special) {
    const isOrdinary = !builtIn.has(id) && engine.tokenBytes(id) !== undefined;
    if (!isOrdinary) bytes.set(id, new TextEncoder().encode(name));
  }
  return bytes;
}

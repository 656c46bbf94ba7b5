// The class Tiktoken. The engine encodes the text between special tokens as ordinary text, and a special token ends it as the end of a
// text does, so the caller's special tokens need not be in the vocabulary.

import { idArray, textBytes } from '../../api/arguments.js';
import { decodeBytes, idOf } from '../../api/decode-ids.js';
import { encode } from '../../api/encode-texts.js';
import { beginAtCallers, fromCaller, outOfRange, TokenizerError, unexpected } from '../../base/errors.js';
import { concatenated } from '../../base/typed-arrays.js';
import { Vocabulary } from '../../vocabularies/vocabulary.js';
import { compiling } from '#host';
import { openRanks } from '../open-ranks.js';
import { checkedIds, longestFirst, NamesInText } from '../special-names.js';
import { splitUnstable, TokenBytes } from './unstable.js';

const NO_NAMES = new NamesInText([]);

/** Names of special tokens and their ids. Null and undefined mean none. */
export function readSpecialTokens(ids: unknown, name: string): Map<string, number> {
  const checked = checkedIds(ids, name);
  for (const [token, id] of checked) {
    const path = `${name}[${JSON.stringify(token)}]`;
    if (!Number.isInteger(id)) throw unexpected('an id', path, id);
    if (id < 0 || id > 0xffffffff) throw outOfRange('an id of 32 bits', path, id);
  }
  return new Map(checked);
}

/**
 * Text to token ids and back, with an encoding's special tokens. Examples without imports continue this one.
 *
 * @example
 * ```ts
 * import { get_encoding } from 'crayon-tokenizer/tiktoken';
 *
 * const encoding = get_encoding('gpt2', { '<|im_start|>': 100264, '<|im_end|>': 100265 });
 * encoding.encode('<|im_start|>test<|im_end|>', 'all'); // Uint32Array [100264, 9288, 100265]
 * encoding.name; // 'gpt2'
 * encoding.free();
 * ```
 */
export class Tiktoken {
  readonly #vocabulary: Vocabulary;
  readonly #name: string | undefined;
  /** All special tokens, whichever the vocabulary has. */
  readonly #special: ReadonlyMap<string, number>;
  readonly #specialNames: NamesInText;
  /**
   * Bytes of special tokens by id, and undefined for the vocabulary's own that are not special here. Not set if both have the
   * same special tokens.
   */
  readonly #specialBytes: ReadonlyMap<number, Uint8Array | undefined> | undefined;
  #tokenBytes: TokenBytes | undefined;

  /** @internal `vocabulary` is closed by `free`. */
  constructor(vocabulary: Vocabulary, special: ReadonlyMap<string, number>, name: string);
  /**
   * An encoder for custom ranks.
   *
   * @param tiktoken_bfe the ranks: lines of `base64 rank`, or `bpe_ranks` of `tiktoken/encoders/*.json`
   * @param special_tokens names of special tokens and their ids
   * @param pat_str the pattern that splits text, which must be an encoding's; throws a `RangeError` for any other
   *
   * @example
   * ```ts
   * import { readFileSync } from 'node:fs';
   * import { createRequire } from 'node:module';
   * import { Tiktoken } from 'crayon-tokenizer/tiktoken';
   *
   * const file = createRequire(import.meta.url).resolve('tiktoken/encoders/gpt2.json');
   * const { bpe_ranks, special_tokens, pat_str } = JSON.parse(readFileSync(file, 'utf8'));
   * const encoding = new Tiktoken(bpe_ranks, special_tokens, pat_str);
   * encoding.encode('hello world'); // Uint32Array [31373, 995]
   * encoding.free();
   * ```
   */
  constructor(tiktoken_bfe: string, special_tokens: Record<string, number>, pat_str: string);
  constructor(source: Vocabulary | string, special: ReadonlyMap<string, number> | Record<string, number>, nameOrPattern: string) {
    beginAtCallers(Tiktoken);
    try {
      if (source instanceof Vocabulary) {
        this.#vocabulary = source;
        this.#special = special as ReadonlyMap<string, number>;
        this.#name = nameOrPattern;
      } else {
        this.#special = readSpecialTokens(special, 'special_tokens');
        this.#vocabulary = openRanks(source, nameOrPattern, ['tiktoken_bfe', 'pat_str'], compiling);
      }
      this.#specialNames = namesOf(this.#special.keys());
      const { specialIds } = this.#vocabulary;
      const isSame = this.#special.size === specialIds.size && [...specialIds].every(([token, id]) => this.#special.get(token) === id);
      if (!isSame) this.#specialBytes = bytesById(this.#special, this.#vocabulary);
    } catch (error) {
      throw fromCaller(error, Tiktoken);
    }
  }

  /**
   * The name of the encoding; undefined for one made by `new`.
   *
   * @example
   * ```ts
   * get_encoding('gpt2').name; // 'gpt2'
   * ```
   */
  get name(): string | undefined {
    this.#checkOpen();
    return this.#name;
  }

  /**
   * The ids of a text. Special tokens in it become their ids if `allowed_special` lists them or is `'all'`. Those
   * listed in `disallowed_special`, by default all that are not allowed, are an error; others are ordinary text.
   *
   * @example
   * ```ts
   * const encoding = get_encoding('cl100k_base');
   * encoding.encode('hello <|endoftext|>', 'all'); // Uint32Array [15339, 220, 100257]
   * encoding.encode('<|endoftext|>', [], []).length; // 7
   * encoding.free();
   * ```
   */
  encode(text: string, allowed_special?: 'all' | string[], disallowed_special?: 'all' | string[]): Uint32Array {
    return this.#encode(text, this.#allowedIn(text, allowed_special, disallowed_special)).ids;
  }

  /**
   * The ids of a text in which special tokens are ordinary text.
   *
   * @example
   * ```ts
   * get_encoding('cl100k_base').encode_ordinary('<|endoftext|>'); // Uint32Array [27, 91, 8862, 728, 428, 91, 29]
   * ```
   */
  encode_ordinary(text: string): Uint32Array {
    if (typeof text !== 'string') throw unexpected('a string', 'text', text);
    return withOwnMemory(encode(this.#vocabulary, text));
  }

  /**
   * For a text whose end is still being typed: `[ids, completions]`, the ids that no continuation changes, and every
   * list of ids that the rest may become. Takes the arguments of `encode`. The cost is quadratic in the length of the
   * last word, and linear in the number of tokens that begin with it.
   *
   * @example
   * ```ts
   * const [ids, completions] = get_encoding('cl100k_base').encode_with_unstable('hello fanta');
   * ids; // [15339]
   * completions.some((each: number[]) => each[0] === 14964); // true
   * get_encoding('cl100k_base').encode(' fantastic'); // Uint32Array [14964]
   * ```
   */
  // tiktoken declares `any`.
  // biome-ignore lint/suspicious/noExplicitAny: as tiktoken declares it
  encode_with_unstable(text: string, allowed_special?: 'all' | string[], disallowed_special?: 'all' | string[]): any {
    const { ids, end } = this.#encode(text, this.#allowedIn(text, allowed_special, disallowed_special));
    return end === '' ? [[...ids], []] : splitUnstable(ids, end, this.#vocabulary, this.#ordinary());
  }

  /**
   * The id of the token with exactly these bytes. A string is its UTF-8, as in Python's tiktoken.
   *
   * @example
   * ```ts
   * get_encoding('cl100k_base').encode_single_token(new TextEncoder().encode('hello')); // 15339
   * ```
   */
  encode_single_token(bytes: Uint8Array | string): number {
    const content = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : Array.isArray(bytes) ? Uint8Array.from(bytes) : bytes;
    const sought = textBytes(content, 'bytes');
    const name = new TextDecoder('utf-8', { ignoreBOM: true }).decode(sought);
    const ordinary = this.#vocabulary.specialIds.has(name) ? undefined : idOf(this.#vocabulary, sought);
    const id = ordinary ?? this.#special.get(name);
    if (id === undefined) throw new TokenizerError(`no token is ${JSON.stringify(name)}`, { code: 'INVALID_ID' });
    return id;
  }

  /**
   * The bytes of ids: valid UTF-8 if the ids encode a whole text.
   *
   * @example
   * ```ts
   * const bytes = get_encoding('cl100k_base').decode(Uint32Array.of(15339, 1917));
   * new TextDecoder().decode(bytes); // 'hello world'
   * ```
   */
  decode(tokens: Uint32Array): Uint8Array {
    return this.#decode(tokens);
  }

  /**
   * The bytes of one token.
   *
   * @example
   * ```ts
   * get_encoding('cl100k_base').decode_single_token_bytes(15339); // Uint8Array [104, 101, 108, 108, 111]
   * ```
   */
  decode_single_token_bytes(token: number): Uint8Array {
    return this.#decode([token]);
  }

  /**
   * The bytes of all ordinary tokens, in ascending byte order.
   *
   * @example
   * ```ts
   * get_encoding('cl100k_base').token_byte_values().length; // 100256
   * ```
   */
  token_byte_values(): number[][] {
    return this.#ordinary().sorted.map((bytes) => Array.from(bytes, (unit) => unit.charCodeAt(0)));
  }

  /**
   * Closes the encoder: afterwards every member throws, including this one.
   *
   * @example
   * ```ts
   * const encoding = get_encoding('gpt2');
   * encoding.free();
   * encoding.encode('hello'); // throws TokenizerError (CLOSED)
   * ```
   */
  free(): void {
    this.#checkOpen();
    this.#vocabulary.close();
  }

  /** Throws if the encoder has been freed. */
  #checkOpen(): void {
    void this.#vocabulary.description;
  }

  /** The special tokens to look for in a text. Throws if it contains a disallowed one. */
  #allowedIn(text: unknown, allowedSpecial: unknown, disallowedSpecial: unknown): NamesInText {
    this.#checkOpen();
    if (typeof text !== 'string') throw unexpected('a string', 'text', text);
    const allowed = readChoice(allowedSpecial, 'allowed_special') ?? [];
    const disallowed = readChoice(disallowedSpecial, 'disallowed_special') ?? 'all';
    const refused = disallowed === 'all' ? this.#allBut(allowed) : namesOf(disallowed);
    const found = refused.first(text);
    if (found !== undefined) throw new Error(`The text contains a special token that is not allowed: ${found}`);
    if (allowed === 'all') return this.#specialNames;
    return allowed.length === 0 ? NO_NAMES : namesOf(allowed.filter((name) => this.#special.has(name)));
  }

  #allBut(allowed: 'all' | readonly string[]): NamesInText {
    if (allowed === 'all') return NO_NAMES;
    if (allowed.length === 0) return this.#specialNames;
    return namesOf([...this.#special.keys()].filter((name) => !allowed.includes(name)));
  }

  /** The ids, and the text after the last special token. */
  #encode(text: string, names: NamesInText): { ids: Uint32Array; end: string } {
    const parts: Uint32Array[] = [];
    let from = 0;
    for (const { 0: name, index } of names.all(text)) {
      parts.push(encode(this.#vocabulary, text.slice(from, index)), Uint32Array.of(this.#special.get(name) as number));
      from = index + name.length;
    }
    const end = text.slice(from);
    const last = encode(this.#vocabulary, end);
    if (parts.length === 0) return { ids: withOwnMemory(last), end };
    return { ids: concatenated(Uint32Array, [...parts, last]), end };
  }

  #decode(tokens: unknown): Uint8Array {
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

  /** The bytes of ids[from, to), none of them a caller's special token. */
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

/** Of several names that begin at one position, the longest is found. */
function namesOf(names: Iterable<string>): NamesInText {
  return new NamesInText(longestFirst(names));
}

/**
 * A selection of special tokens: `'all'`, or a list of names. Undefined means no selection, and so does anything that
 * is not a list of strings, such as a Set: tiktoken then uses its default, which is to reject them.
 */
function readChoice(choice: unknown, name: string): 'all' | readonly string[] | undefined {
  switch (typeof choice) {
    case 'string':
      if (choice === 'all') return choice;
      throw new Error(`Invalid value for ${name}`);
    case 'function':
    case 'symbol':
    case 'bigint':
      throw unexpected("'all' or a list of special tokens", name, choice);
  }
  return Array.isArray(choice) && Array.from(choice).every((token) => typeof token === 'string') ? choice : undefined;
}

/** Ids with their own buffer, like tiktoken's, since callers may transfer it. */
function withOwnMemory(ids: Uint32Array): Uint32Array {
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

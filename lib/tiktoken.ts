/**
 * The names of npm `tiktoken`, over the engine of this package: change the import, and nothing else.
 *
 * Arguments, results and the failures that have a message worth matching are as in tiktoken 1.0.22. On purpose, this
 * differs:
 *
 * - Nothing has to be freed: an encoder that is forgotten gives its memory back. `free()` works as it does there.
 * - Where tiktoken stops inside of WebAssembly ("unreachable", "unwrap_throw", "memory access out of bounds"), or reads
 *   something else as text, ids or special tokens, there is an error that names the argument: a `TypeError` or
 *   `RangeError`, or a `TokenizerError` for an id or token that does not exist and for an encoder that has been freed.
 * - Model names that are newer than tiktoken's are known. Encodings are the six of tiktoken.
 * - Of special tokens that begin with each other the longest is found; which one tiktoken finds is not defined.
 * - `new Tiktoken` takes the patterns of tiktoken's encodings alone. Its ranks have all 256 single bytes and merge
 *   upwards, as trained ones do.
 * - `encode_with_unstable` refuses a text whose last piece may be longer than 1024 bytes, and gives the completions in
 *   another order (theirs is that of a hash table).
 *
 * `crayon-tokenizer/tiktoken/lite` is this module too, and so is `crayon-tokenizer/tiktoken/init`, with an `init` that
 * has nothing to do.
 *
 * @example
 * ```ts
 * import { encoding_for_model, get_encoding } from 'crayon-tokenizer/tiktoken';
 *
 * const encoding = get_encoding('cl100k_base');
 * const tokens = encoding.encode('hello world');
 * tokens; // Uint32Array [15339, 1917]
 * new TextDecoder().decode(encoding.decode(tokens)); // 'hello world'
 * encoding.free();
 *
 * encoding_for_model('gpt-4o').encode('<|endoftext|>', 'all'); // Uint32Array [199999]
 * ```
 *
 * @module crayon-tokenizer/tiktoken
 */

import { fromCaller, unexpected } from './errors.js';
import { Tokenizer } from './index.js';
import { encodingForModel } from './models.js';
import { Encoder } from './tiktoken/encoder.js';
import type { TiktokenEncoding, TiktokenModel } from './tiktoken/encoding-names.js';
import { openRanks } from './tiktoken/ranks.js';
import { readSpecialTokens } from './tiktoken/special-tokens.js';

export type { TiktokenEncoding, TiktokenModel };

const ENCODINGS: readonly string[] = [
  'gpt2',
  'r50k_base',
  'p50k_base',
  'p50k_edit',
  'cl100k_base',
  'o200k_base',
] satisfies TiktokenEncoding[];

/**
 * Text to token ids and back, with the special tokens of an encoding.
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
  readonly #encoder: Encoder;
  readonly #name: string | undefined;

  /** @internal */
  constructor(encoder: Encoder, name: string);
  /**
   * An encoder of other ranks.
   *
   * @param tiktoken_bfe the ranks: lines of `base64 rank`, or what `bpe_ranks` of `tiktoken/encoders/*.json` holds
   * @param special_tokens names of special tokens and their ids
   * @param pat_str how text is split: the pattern of one of the encodings. Throws a `RangeError` for any other
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
  constructor(source: Encoder | string, special: Record<string, number> | string, pat_str?: string) {
    try {
      if (source instanceof Encoder) {
        this.#encoder = source;
        this.#name = special as string;
      } else {
        const names = readSpecialTokens(special, 'special_tokens');
        this.#encoder = new Encoder(openRanks(source, pat_str as string), names);
      }
    } catch (error) {
      throw fromCaller(error, Tiktoken);
    }
  }

  /**
   * The name of the encoding; undefined for one made by `new`.
   *
   * @example
   * ```ts
   * import { get_encoding } from 'crayon-tokenizer/tiktoken';
   *
   * get_encoding('gpt2').name; // 'gpt2'
   * ```
   */
  get name(): string | undefined {
    const { get } = Object.getOwnPropertyDescriptor(Tiktoken.prototype, 'name') as { get: () => unknown };
    this.#call(() => this.#encoder.checkOpen(), get);
    return this.#name;
  }

  /**
   * The ids of a text. Special tokens in it become their ids if `allowed_special` lists them or is `'all'`. Those that
   * `disallowed_special` lists, by default all that are not allowed, are an error; others are ordinary text.
   *
   * @example
   * ```ts
   * import { get_encoding } from 'crayon-tokenizer/tiktoken';
   *
   * const encoding = get_encoding('cl100k_base');
   * encoding.encode('hello <|endoftext|>', 'all'); // Uint32Array [15339, 220, 100257]
   * encoding.encode('<|endoftext|>', [], []).length; // 7
   * encoding.free();
   * ```
   */
  encode(text: string, allowed_special?: 'all' | string[], disallowed_special?: 'all' | string[]): Uint32Array {
    return this.#call(() => this.#encoder.encode(text, allowed_special, disallowed_special), Tiktoken.prototype.encode);
  }

  /**
   * The ids of a text in which special tokens are ordinary text.
   *
   * @example
   * ```ts
   * import { get_encoding } from 'crayon-tokenizer/tiktoken';
   *
   * get_encoding('cl100k_base').encode_ordinary('<|endoftext|>'); // Uint32Array [27, 91, 8862, 728, 428, 91, 29]
   * ```
   */
  encode_ordinary(text: string): Uint32Array {
    return this.#call(() => this.#encoder.encodeOrdinary(text), Tiktoken.prototype.encode_ordinary);
  }

  /**
   * For a text whose end is still being typed: `[ids, completions]`, the ids that stand whatever follows, and every list
   * of ids that what is left may become. The arguments are those of `encode`. The cost grows with the square of the
   * length of the last word, and with the number of tokens that begin like it.
   *
   * @example
   * ```ts
   * import { get_encoding } from 'crayon-tokenizer/tiktoken';
   *
   * const [ids, completions] = get_encoding('cl100k_base').encode_with_unstable('hello fanta');
   * ids; // [15339]
   * completions.some((each: number[]) => each[0] === 14964); // true
   * get_encoding('cl100k_base').encode(' fantastic'); // Uint32Array [14964]
   * ```
   */
  // `any` is what tiktoken says.
  encode_with_unstable(text: string, allowed_special?: 'all' | string[], disallowed_special?: 'all' | string[]): any {
    return this.#call(
      () => this.#encoder.encodeWithUnstable(text, allowed_special, disallowed_special),
      Tiktoken.prototype.encode_with_unstable,
    );
  }

  /**
   * The id of the token that is these bytes.
   *
   * @example
   * ```ts
   * import { get_encoding } from 'crayon-tokenizer/tiktoken';
   *
   * get_encoding('cl100k_base').encode_single_token(new TextEncoder().encode('hello')); // 15339
   * ```
   */
  encode_single_token(bytes: Uint8Array): number {
    return this.#call(() => this.#encoder.idOf(bytes), Tiktoken.prototype.encode_single_token);
  }

  /**
   * The bytes of ids: UTF-8, if the ids are those of a whole text.
   *
   * @example
   * ```ts
   * import { get_encoding } from 'crayon-tokenizer/tiktoken';
   *
   * const bytes = get_encoding('cl100k_base').decode(Uint32Array.of(15339, 1917));
   * new TextDecoder().decode(bytes); // 'hello world'
   * ```
   */
  decode(tokens: Uint32Array): Uint8Array {
    return this.#call(() => this.#encoder.decode(tokens), Tiktoken.prototype.decode);
  }

  /**
   * The bytes of one token.
   *
   * @example
   * ```ts
   * import { get_encoding } from 'crayon-tokenizer/tiktoken';
   *
   * get_encoding('cl100k_base').decode_single_token_bytes(15339); // Uint8Array [104, 101, 108, 108, 111]
   * ```
   */
  decode_single_token_bytes(token: number): Uint8Array {
    return this.#call(() => this.#encoder.decode([token]), Tiktoken.prototype.decode_single_token_bytes);
  }

  /**
   * The bytes of all tokens that are not special, in ascending order of the bytes.
   *
   * @example
   * ```ts
   * import { get_encoding } from 'crayon-tokenizer/tiktoken';
   *
   * get_encoding('cl100k_base').token_byte_values().length; // 100256
   * ```
   */
  token_byte_values(): number[][] {
    return this.#call(() => this.#encoder.tokenByteValues(), Tiktoken.prototype.token_byte_values);
  }

  /**
   * Ends the encoder: every member throws from then on, this one too.
   *
   * @example
   * ```ts
   * import { get_encoding } from 'crayon-tokenizer/tiktoken';
   *
   * const encoding = get_encoding('gpt2');
   * encoding.free();
   * encoding.encode('hello'); // throws TokenizerError (CLOSED)
   * ```
   */
  free(): void {
    this.#call(() => this.#encoder.free(), Tiktoken.prototype.free);
  }

  /** Lets what goes wrong begin on the user's line. */
  #call<T>(work: () => T, entry: (...args: never[]) => unknown): T {
    try {
      return work();
    } catch (error) {
      throw fromCaller(error, entry);
    }
  }
}

/**
 * Opens an encoding by its name. `extend_special_tokens`: names and ids of special tokens to know beside its own.
 *
 * @example
 * ```ts
 * import { get_encoding } from 'crayon-tokenizer/tiktoken';
 *
 * get_encoding('gpt2').encode('hello world'); // Uint32Array [31373, 995]
 * ```
 */
export function get_encoding(encoding: TiktokenEncoding, extend_special_tokens?: Record<string, number>): Tiktoken {
  try {
    if (typeof encoding !== 'string') throw unexpected('the name of an encoding', 'encoding', encoding);
    if (!ENCODINGS.includes(encoding)) throw new Error('Invalid encoding');
    return open(encoding, extend_special_tokens);
  } catch (error) {
    throw fromCaller(error, get_encoding);
  }
}

/**
 * Opens the encoding of a model.
 *
 * @example
 * ```ts
 * import { encoding_for_model } from 'crayon-tokenizer/tiktoken';
 *
 * encoding_for_model('text-davinci-003').name; // 'p50k_base'
 * ```
 */
export function encoding_for_model(model: TiktokenModel, extend_special_tokens?: Record<string, number>): Tiktoken {
  try {
    return open(encodingOf(model), extend_special_tokens);
  } catch (error) {
    throw fromCaller(error, encoding_for_model);
  }
}

/**
 * The name of a model's encoding.
 *
 * @example
 * ```ts
 * import { get_encoding_name_for_model } from 'crayon-tokenizer/tiktoken';
 *
 * get_encoding_name_for_model('gpt-4'); // 'cl100k_base'
 * ```
 */
export function get_encoding_name_for_model(model: TiktokenModel): TiktokenEncoding {
  try {
    return encodingOf(model);
  } catch (error) {
    throw fromCaller(error, get_encoding_name_for_model);
  }
}

function encodingOf(model: unknown): TiktokenEncoding {
  if (typeof model !== 'string') throw unexpected('the name of a model', 'model', model);
  const encoding = encodingForModel(model);
  if (encoding === undefined || !ENCODINGS.includes(encoding)) throw new Error(`Invalid model: ${model}`);
  return encoding as TiktokenEncoding;
}

function open(encoding: string, extend_special_tokens: unknown): Tiktoken {
  const added = readSpecialTokens(extend_special_tokens, 'extend_special_tokens');
  return new Tiktoken(new Encoder(Tokenizer.loadSync(encoding), added), encoding);
}

/** All names as one object: tiktoken is a CommonJS module in Node, whose exports are importable so too. @hidden */
export default { get_encoding, encoding_for_model, get_encoding_name_for_model, Tiktoken };

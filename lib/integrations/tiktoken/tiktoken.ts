// The class Tiktoken. Encoders are opened elsewhere, or created from ranks here. Includes no vocabulary.

import { beginAtCallers, fromCaller } from '../../base/errors.js';
import { openRanks } from '../open-ranks.js';
import { compiling } from '#host';
import { Encoder } from './tiktoken-encoder.js';
import { readSpecialTokens } from './special-tokens.js';

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
  readonly #encoder: Encoder;
  readonly #name: string | undefined;

  /** @internal */
  constructor(encoder: Encoder, name: string);
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
  constructor(source: Encoder | string, special: Record<string, number> | string, pat_str?: string) {
    beginAtCallers(Tiktoken);
    try {
      if (source instanceof Encoder) {
        this.#encoder = source;
        this.#name = special as string;
      } else {
        const names = readSpecialTokens(special, 'special_tokens');
        this.#encoder = new Encoder(openRanks(source, pat_str as string, ['tiktoken_bfe', 'pat_str'], compiling), names);
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
   * get_encoding('gpt2').name; // 'gpt2'
   * ```
   */
  get name(): string | undefined {
    this.#encoder.checkOpen();
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
    return this.#encoder.encode(text, allowed_special, disallowed_special);
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
    return this.#encoder.encodeOrdinary(text);
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
    return this.#encoder.encodeWithUnstable(text, allowed_special, disallowed_special);
  }

  /**
   * The id of the token with exactly these bytes.
   *
   * @example
   * ```ts
   * get_encoding('cl100k_base').encode_single_token(new TextEncoder().encode('hello')); // 15339
   * ```
   */
  encode_single_token(bytes: Uint8Array): number {
    return this.#encoder.idOf(bytes);
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
    return this.#encoder.decode(tokens);
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
    return this.#encoder.decode([token]);
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
    return this.#encoder.tokenByteValues();
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
    this.#encoder.free();
  }
}

// The types of the other calls, and of what calls return.

import { optionNames } from '../base/options.js';
import type { CallOptions } from './call-options.js';
import type { BatchEncoding } from './encoded.js';

/**
 * Options of `decode` and `batch_decode`.
 *
 * @example
 * ```ts
 * import type { DecodeOptions } from 'crayon-tokenizer/transformers';
 *
 * const options: DecodeOptions = { skip_special_tokens: true };
 * ```
 */
export interface DecodeOptions {
  /** Leave special tokens out. Default false. */
  skip_special_tokens?: boolean | null | undefined;
  /**
   * Remove spaces before punctuation and abbreviated forms. Default: as the model's configuration says, else false. Ignored for
   * BPE, whose spaces are text.
   */
  clean_up_tokenization_spaces?: boolean | null | undefined;
}

export const DECODE_OPTIONS = optionNames<DecodeOptions>({ skip_special_tokens: true, clean_up_tokenization_spaces: true });

/**
 * Options of `tokenize`.
 *
 * @example
 * ```ts
 * import type { TokenizeOptions } from 'crayon-tokenizer/transformers';
 *
 * const options: TokenizeOptions = { add_special_tokens: true };
 * ```
 */
export interface TokenizeOptions {
  /** A second text. */
  pair?: string | null | undefined;
  /** Default false. */
  add_special_tokens?: boolean | undefined;
}

export const TOKENIZE_OPTIONS = optionNames<TokenizeOptions>({ pair: true, add_special_tokens: true });

/**
 * Options of `apply_chat_template`. Others are variables that the template reads, such as `enable_thinking`; one that resembles an
 * option, or is one of calls, is an error unless the template mentions it.
 *
 * @example
 * ```ts
 * import type { ApplyChatTemplateOptions } from 'crayon-tokenizer/transformers';
 *
 * const options: ApplyChatTemplateOptions = { add_generation_prompt: true, tokenize: false, enable_thinking: false };
 * ```
 */
export interface ApplyChatTemplateOptions {
  /** Tools that the model may call. */
  tools?: readonly Readonly<Record<string, unknown>>[] | null | undefined;
  /** Texts to answer from. */
  documents?: readonly Readonly<Record<string, unknown>>[] | null | undefined;
  /** A template, or the name of one of the model's. */
  chat_template?: string | null | undefined;
  /** End with the beginning of the model's answer. Default false. */
  add_generation_prompt?: boolean | undefined;
  /** End with the text of the last message, or with its field of this name, so that the model continues it. Default false. */
  continue_final_message?: boolean | string | undefined;
  /** False: the text. Default true. */
  tokenize?: boolean | undefined;
  /** False: only `input_ids`. Default true. */
  return_dict?: boolean | undefined;
  /**
   * Control tokens in messages, tools, documents and variables are ordinary text, as in Python: whole ones, and not those in keys.
   * Control tokens are the special ones and `chat_control_tokens` of tokenizer_config.json; without that list, the added tokens that the
   * template contains. Default false.
   */
  sanitize_control_tokens?: boolean | undefined;
  /** Also return `assistant_masks`: 1 for the tokens of `{% generation %}` in the template. Default false. */
  return_assistant_tokens_mask?: boolean | undefined;
  /** As in a call. */
  padding?: CallOptions['padding'];
  truncation?: CallOptions['truncation'];
  max_length?: CallOptions['max_length'];
  return_tensor?: CallOptions['return_tensor'];
  /** More options of the call that encodes the text. */
  tokenizer_kwargs?: CallOptions | undefined;
  [variable: string]: unknown;
}

/** The names of the options, without those of variables. */
type Named<Options> = { [Name in keyof Options as string extends Name ? never : Name]: Options[Name] };

export const CHAT_OPTIONS = optionNames<Named<ApplyChatTemplateOptions>>({
  tools: true,
  documents: true,
  chat_template: true,
  add_generation_prompt: true,
  continue_final_message: true,
  tokenize: true,
  return_dict: true,
  sanitize_control_tokens: true,
  return_assistant_tokens_mask: true,
  padding: true,
  truncation: true,
  max_length: true,
  return_tensor: true,
  tokenizer_kwargs: true,
});

/** Whether a call returns lists. */
type IsList<Options, Tensor> = Options extends { return_tensor: false } ? true : [Tensor] extends [never] ? true : false;

/** Whether lists have an element for each row. */
type HasRows<Text, Options> = Text extends string ? (Options extends { return_overflowing_tokens: true } ? true : false) : true;

/** A column of what a call returns. */
export type Item<Text, Options, Tensor, Value = number> =
  IsList<Options, Tensor> extends false ? Tensor : HasRows<Text, Options> extends true ? Value[][] : Value[];

/** What a call returns. */
export type Encoded<Text, Options, Tensor> = BatchEncoding<
  Item<Text, Options, Tensor>,
  Item<Text, Options, Tensor, [number, number]>,
  IsList<Options, Tensor> extends false ? Tensor : number[]
>;

// The options of calls, and what Python makes of them; the types of the other calls, and of what calls return.

import { unexpected } from '../../base/errors.js';
import { checkOptionNames, optionNames } from '../../base/option-objects.js';
import type { Side, Padding, Strategy, Truncation } from '../encodings/encoding-rows.js';
import type { BatchEncoding } from './encoded.js';

/** How rows are padded and cut. */
export interface FitOptions {
  /** True or `'longest'`: to the longest row. `'max_length'`: to `max_length`. Default false. */
  padding?: boolean | 'longest' | 'max_length' | 'do_not_pad' | null | undefined;
  /** The side of the padding. Default: the tokenizer's `padding_side`. */
  padding_side?: 'left' | 'right' | null | undefined;
  /** Make the length a multiple of this number. */
  pad_to_multiple_of?: number | null | undefined;
  /**
   * Cut rows to `max_length`, keeping the ids around texts. True is `'longest_first'`: of two texts, the longer is cut
   * first; the others cut one text only. Default false, or true where `max_length` is given without `padding`.
   */
  truncation?: boolean | 'longest_first' | 'only_first' | 'only_second' | 'do_not_truncate' | null | undefined;
  /** Default: `model_max_length`. */
  max_length?: number | null | undefined;
  /** How many tokens each part repeats of the one before, with `return_overflowing_tokens`. Default 0. */
  stride?: number | null | undefined;
}

/**
 * Options of a call.
 *
 * @example
 * ```ts
 * import type { ApplyChatTemplateOptions, CallOptions, DecodeOptions, FitOptions } from 'crayon-tokenizer/transformers';
 * import type { TokenIds, TokenizeOptions } from 'crayon-tokenizer/transformers';
 *
 * const fit: FitOptions = { padding: 'max_length', truncation: true, max_length: 512 };
 * const call: CallOptions = { ...fit, text_pair: 'a passage', return_offsets_mapping: true };
 * const tokenize: TokenizeOptions = { add_special_tokens: true };
 * const ids: TokenIds = BigInt64Array.of(101n, 102n);
 * const decode: DecodeOptions = { skip_special_tokens: true };
 * const chat: ApplyChatTemplateOptions = { add_generation_prompt: true, tokenize: false, enable_thinking: false };
 * ```
 */
export interface CallOptions extends FitOptions {
  /** A second text for each text. */
  text_pair?: string | readonly string[] | null | undefined;
  /** Add the vocabulary's ids around the texts. Default true. */
  add_special_tokens?: boolean | null | undefined;
  /** Special tokens in texts are ordinary text, as for texts of users. Default: as the model's configuration says, else false. */
  split_special_tokens?: boolean | null | undefined;
  /** Whether to return tensors, of the class passed to `from_pretrained`, or lists. Default true if a class was passed. */
  return_tensor?: boolean | null | undefined;
  /** Default: if the model takes them. */
  return_token_type_ids?: boolean | null | undefined;
  /** Default true. */
  return_attention_mask?: boolean | null | undefined;
  /** Also return `special_tokens_mask`: 1 for ids around texts and for padding. */
  return_special_tokens_mask?: boolean | null | undefined;
  /** Also return `offset_mapping`: where each token starts and ends in its text, in UTF-16 units. */
  return_offsets_mapping?: boolean | null | undefined;
  /** Also return what truncation cut off, as further rows, with `overflow_to_sample_mapping`. */
  return_overflowing_tokens?: boolean | null | undefined;
}

const CALL_OPTIONS = optionNames<CallOptions>({
  text_pair: true,
  padding: true,
  padding_side: true,
  pad_to_multiple_of: true,
  truncation: true,
  max_length: true,
  stride: true,
  add_special_tokens: true,
  split_special_tokens: true,
  return_tensor: true,
  return_token_type_ids: true,
  return_attention_mask: true,
  return_special_tokens_mask: true,
  return_offsets_mapping: true,
  return_overflowing_tokens: true,
});

/** Options of Python's that calls here lack, and what to do instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  is_split_into_words: 'pass each text as one string, not as a list of words',
  return_tensors: 'pass your class of tensors to from_pretrained(source, { Tensor })',
  return_length: 'read the length of input_ids',
  text_target: 'encode the target with a call of its own',
  text_pair_target: 'encode the target with a call of its own',
};

/** Throws a TypeError for anything but an object of options, and for an option that does not exist. */
export function checkCallOptions(options: unknown): CallOptions {
  for (const name in INSTEAD) {
    if (Object(options)[name]) throw new TypeError(`unknown option '${name}': ${INSTEAD[name]}`);
  }
  checkOptionNames(options, CALL_OPTIONS);
  return options;
}

/** What to do instead of passing an option of calls, of which some are Python's, to `apply_chat_template`; undefined for other names. */
export function adviceFor(option: string): string | undefined {
  return Object.hasOwn(INSTEAD, option) ? INSTEAD[option] : CALL_OPTIONS.includes(option) ? 'pass it in tokenizer_kwargs' : undefined;
}

/** What users may change between calls. */
export interface Defaults {
  readonly padding_side: Side;
  readonly truncation_side: Side;
  readonly model_max_length: number;
  readonly return_token_type_ids: boolean;
  readonly pad_token_id: number | undefined;
}

/** Nothing is padded or cut. */
export const WHOLE: Defaults = {
  padding_side: 'right',
  truncation_side: 'right',
  model_max_length: Infinity,
  return_token_type_ids: false,
  pad_token_id: undefined,
};

const STRATEGIES: readonly unknown[] = ['longest_first', 'only_first', 'only_second'] satisfies Strategy[];

/** How rows are padded and cut. */
interface Fit {
  padding: Padding | undefined;
  truncation: Truncation | undefined;
}

/** As Python decides them. Throws a TypeError or RangeError that names an option. */
export function fitOf(options: FitOptions, defaults: Defaults, padTypeId: number): Fit {
  const { padding = null, truncation = null } = options;
  const requested = numberOf(options.max_length, 'max_length', 0);
  const stride = numberOf(options.stride, 'stride', 0) ?? 0;
  const multiple = numberOf(options.pad_to_multiple_of, 'pad_to_multiple_of', 1);
  const side = options.padding_side ?? defaults.padding_side;
  if (side !== 'left' && side !== 'right') throw unexpected("'left' or 'right'", 'padding_side', side);
  if (padding !== null && typeof padding !== 'boolean' && padding !== 'longest' && padding !== 'max_length' && padding !== 'do_not_pad') {
    throw unexpected("a boolean, 'longest' or 'max_length'", 'padding', padding);
  }
  if (truncation !== null && typeof truncation !== 'boolean' && truncation !== 'do_not_truncate' && !STRATEGIES.includes(truncation)) {
    throw unexpected("a boolean, 'longest_first', 'only_first' or 'only_second'", 'truncation', truncation);
  }
  let pads: 'longest' | 'max_length' | false =
    padding === true ? 'longest' : padding === null || padding === 'do_not_pad' ? false : padding;
  let strategy: Strategy | false =
    truncation === true ? 'longest_first' : truncation === null || truncation === 'do_not_truncate' ? false : truncation;
  if (requested !== undefined && (padding === null || padding === false) && truncation === null) strategy = 'longest_first';
  const maxLength = requested ?? defaults.model_max_length;
  if (maxLength === Infinity) {
    if (pads === 'max_length') pads = false;
    strategy = false;
  }
  if (pads && strategy && multiple !== undefined && maxLength % multiple !== 0) {
    throw new RangeError(`\`max_length\` must be a multiple of \`pad_to_multiple_of\`, ${multiple}; received ${maxLength}`);
  }
  const { pad_token_id: id, truncation_side } = defaults;
  if (pads && id === undefined) throw new TypeError('`pad_token_id` must be set for padding: the model names no pad token');
  const length = pads === 'max_length' ? maxLength : undefined;
  return {
    padding: pads ? { length, multiple, side, id: id as number, typeId: padTypeId, token: '' } : undefined,
    truncation: strategy ? { strategy, maxLength, stride, side: truncation_side } : undefined,
  };
}

function numberOf(value: unknown, name: string, least: number): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !(value >= least) || !(Number.isInteger(value) || value === Infinity)) {
    throw unexpected(`an integer of at least ${least}`, name, value);
  }
  return value;
}

/** Options of `decode` and `batch_decode`. */
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

/** Options of `tokenize`. */
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
   * Whole control tokens in messages, tools, documents and variables are ordinary text, as in Python, but not in keys.
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

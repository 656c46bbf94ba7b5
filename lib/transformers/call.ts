// Encodes the texts of a call: their tokens, cut and padded, in the columns that a model takes.

import { TokenizerError } from '../base/errors.js';
import { SPECIAL_ALLOW, SPECIAL_AS_TEXT } from '../tokenizer/arguments.js';
import type { AddedToken, ChangedTokens } from '../tokenizer/changed-tokens.js';
import { engineOf, type Tokenizer } from '../tokenizer/tokenizer.js';
import { paddedLength, type Side } from '../vocabulary/lengths.js';
import { hasBoth, type Piece, type Templates } from '../vocabulary/pieces.js';
import { BatchEncodingOf } from './batch-encoding.js';
import { checkCallOptions, type Fit, fitOf } from './call-options.js';
import type { Settings } from './config.js';
import { listsOf, type TensorClass, tensorsOf } from './encoded.js';
import { type Column, lengthOf, type Padded, type Row, rowsOf, type Tokens } from './rows.js';
import { checkedTexts } from './texts.js';
import { truncated, whole } from './truncation.js';

/** What calls need of a model. */
export interface Model {
  tokenizer: Tokenizer;
  templates: Templates;
  settings: Settings;
  added: readonly AddedToken[];
  changed: ChangedTokens;
  Tensor: TensorClass | undefined;
}

/** What users may change between calls. */
export interface Defaults {
  readonly padding_side: Side;
  readonly truncation_side: Side;
  readonly model_max_length: number;
  readonly return_token_type_ids: boolean;
  readonly pad_token_id: number | undefined;
}

/** Encodes a text of a call, which has the number `index`. */
export type EncodesText = (text: string, index: number, special: 'text' | 'allow') => Tokens;

/** The columns of a call. `own` encodes its texts in its own way. Throws a TypeError or RangeError for what it cannot encode so. */
export function called(model: Model, defaults: Defaults, text: unknown, options: unknown, own?: EncodesText): Record<string, unknown> {
  const given = checkCallOptions(options ?? {});
  const { settings, Tensor } = model;
  const { texts, pairs } = checkedTexts(text, given.text_pair ?? undefined);
  const returnTensor = given.return_tensor ?? Tensor !== undefined;
  if (returnTensor && !Tensor) {
    throw new TypeError('return_tensor is true but no class of tensors is known; pass yours to from_pretrained(source, { Tensor })');
  }
  const overflows = given.return_overflowing_tokens === true;
  const withOffsets = given.return_offsets_mapping === true;
  const fit = fitOf(given, { ...settings, maxLength: defaults.model_max_length }, defaults.padding_side);
  const special = (given.split_special_tokens ?? settings.splitsSpecialTokens) ? 'text' : 'allow';
  const firsts = own ? texts.map((each, index) => own(each, index, special)) : tokensOf(model, texts, special, withOffsets);
  const seconds = pairs && tokensOf(model, pairs, special, withOffsets);
  const pieces = piecesOf(model, pairs !== undefined, given.add_special_tokens !== false);
  const rows: Row[] = [];
  const samples: number[] = [];
  firsts.forEach((first, index) => {
    const second = seconds?.[index];
    const made = fitted(second ? [first, second] : [first], pieces, fit, defaults.truncation_side, overflows);
    rows.push(...made);
    for (const _ of made) samples.push(index);
  });
  const padded = padding(rows, fit, defaults.pad_token_id, settings.padTypeId);
  const columns: Column[] = ['input_ids'];
  if (given.return_attention_mask !== false) columns.push('attention_mask');
  if (given.return_token_type_ids ?? defaults.return_token_type_ids) columns.push('token_type_ids');
  if (given.return_special_tokens_mask) columns.push('special_tokens_mask');
  if (withOffsets) columns.push('offset_mapping');
  if (firsts[0]?.assistant) columns.push('assistant_masks');
  const result: Record<string, unknown> = returnTensor
    ? tensorsOf(Tensor as TensorClass, rows, columns, padded)
    : listsOf(rows, columns, padded);
  if (overflows) {
    const Made = Tensor as TensorClass;
    result.overflow_to_sample_mapping = returnTensor ? new Made('int64', BigInt64Array.from(samples, BigInt), [samples.length]) : samples;
  } else if (!returnTensor && typeof text === 'string') for (const column of columns) result[column] = (result[column] as unknown[])[0];
  const read = wordReader(model, special);
  const numbersOf = (row: number, sequence: 0 | 1) => {
    if (own && !firsts[0]?.offsets) throw new TypeError('sanitize_control_tokens encodes a text in pieces, which have no word_ids');
    return read((sequence === 0 ? texts : (pairs ?? []))[samples[row] as number] as string);
  };
  return new BatchEncodingOf(result, { rows, padded, numbersOf }) as unknown as Record<string, unknown>;
}

/** Reads the number of each token's word in a text. The text of the last call is remembered: its rows are asked for in turn. */
function wordReader({ tokenizer }: Model, special: 'text' | 'allow'): (text: string) => ArrayLike<number> {
  let last: { text: string; numbers: Uint32Array } | undefined;
  return (text) => {
    if (last?.text !== text) {
      const { offsets } = engineOf(tokenizer).encodeWithOffsets(text, 'words', special === 'allow' ? SPECIAL_ALLOW : SPECIAL_AS_TEXT);
      last = { text, numbers: offsets.filter((_, index) => index % 2 === 0) };
    }
    return last.numbers;
  };
}

/** The number of ids around one text, or around two. */
export function addedTo(model: Model, isPair: boolean): number {
  return addedBy(piecesOf(model, isPair, true));
}

function tokensOf({ tokenizer }: Model, all: readonly string[], special: 'text' | 'allow', withOffsets: boolean): Tokens[] {
  if (withOffsets) return all.map((each) => tokenizer.encodeWithOffsets(each, { special }));
  if (all.length === 1) return [{ ids: tokenizer.encode(all[0] as string, { special }) }];
  return [...tokenizer.encodeBatch(all, { special })].map((ids) => ({ ids }));
}

function piecesOf({ templates }: Model, isPair: boolean, adds: boolean): readonly Piece[] {
  const pieces = isPair ? templates.pair : templates.single;
  if (isPair && !hasBoth(pieces)) throw new TokenizerError('the model has no template for two texts', { code: 'INVALID_TEMPLATE' });
  return adds ? pieces : pieces.filter((piece) => 'seq' in piece);
}

function addedBy(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + ('ids' in piece ? piece.ids.length : 0), 0);
}

/** The rows of one text or two, within the limit if there is one. */
function fitted(
  texts: readonly [Tokens, ...Tokens[]],
  pieces: readonly Piece[],
  { truncation }: Fit,
  side: Side,
  overflows: boolean,
): Row[] {
  const [first, second] = texts;
  const lengths: [number, ...number[]] = second ? [first.ids.length, second.ids.length] : [first.ids.length];
  if (!truncation) return rowsOf(pieces, texts, lengths.map(whole), false);
  const { strategy, most, stride } = truncation;
  const added = addedBy(pieces);
  if (most < added) throw new RangeError(`expected a max_length of at least ${added}, the ids around texts, but received ${most}`);
  return rowsOf(pieces, texts, truncated(lengths, { most: most - added, strategy, stride, side }), overflows);
}

function padding(rows: readonly Row[], { padding }: Fit, id: number | undefined, type: number): Padded | undefined {
  if (!padding) return undefined;
  if (id === undefined) throw new TypeError('expected a pad token for padding: the model names none; set tokenizer.pad_token_id');
  const { multiple, side } = padding;
  const longest = padding.length ?? rows.reduce((most, row) => Math.max(most, lengthOf(row)), 0);
  return { length: paddedLength(longest, multiple), side, id, type };
}

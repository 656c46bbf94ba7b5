// Encodes the texts of a call: their tokens, cut and padded, in the columns that a model takes.

import { addedBy, hasBoth, type Templates } from '../../vocabularies/metadata.js';
import { TokenizerError, unexpected } from '../../base/errors.js';
import {
  columnOf,
  EncodedText,
  merged,
  type Range,
  type Rows,
  rowsOf,
  type Source,
  paddedBy,
  truncatedTo,
  type Truncation,
} from '../encodings/encoding-rows.js';
import { processorOfTemplates } from '../encodings/processors.js';
import type { AddedToken, ChangedTokens, TokenNames } from '../encodings/token-names.js';
import { SPECIAL_ALLOW, SPECIAL_AS_TEXT } from '../../api/arguments.js';
import { encode, encodeBatch, encodeWithOffsets } from '../../api/encode-texts.js';
import type { Vocabulary } from '../../vocabularies/vocabulary.js';
import { type CallOptions, checkCallOptions, type Defaults, fitOf } from './call-options.js';
import type { Settings } from './config.js';
import { BatchEncodingOf, type Column, listsOf, type TensorClass, tensorsOf } from './encoded.js';

/** A text or a list of texts, and as many in `pair`, if there are any. As in Python, an empty second text of a single text is none. */
export function checkedTexts(text: unknown, pair: unknown): { texts: readonly string[]; pairs: readonly string[] | undefined } {
  if (typeof text === 'string') {
    if (pair !== undefined && typeof pair !== 'string') throw unexpected('a string like text', 'text_pair', pair);
    return { texts: [text], pairs: pair ? [pair] : undefined };
  }
  if (!Array.isArray(text)) throw unexpected('a string or an array of strings', 'text', text);
  if (text.length === 0) throw new RangeError('`text` must have at least one text');
  checkStrings(text, 'text');
  if (pair === undefined) return { texts: text, pairs: undefined };
  if (!Array.isArray(pair)) throw unexpected('an array like text', 'text_pair', pair);
  if (pair.length !== text.length)
    throw new RangeError(`\`text_pair\` must have ${text.length} texts, as \`text\` has; received ${pair.length}`);
  checkStrings(pair, 'text_pair');
  return { texts: text, pairs: pair };
}

function checkStrings(list: readonly unknown[], name: string): void {
  const index = list.findIndex((each) => typeof each !== 'string');
  if (index >= 0) throw unexpected('a string', `${name}[${index}]`, list[index]);
}

/** What calls need of a model. */
export interface Model {
  vocabulary: Vocabulary;
  templates: Templates;
  settings: Settings;
  added: readonly AddedToken[];
  changed: ChangedTokens;
  /** Reads the names of the tokens, which takes as long as parsing the file. */
  names: () => TokenNames;
  Tensor: TensorClass | undefined;
}

/** Encodes a text of a call, which has the number `index`. */
export type EncodesText = (text: string, index: number, special: Special) => Source;

type Special = 'text' | 'allow';

/** The columns of a call. `encodes`: how its texts are encoded, if not as usual. Throws a TypeError or RangeError for what it cannot encode so. */
export function encodeCall(
  model: Model,
  defaults: Defaults,
  text: unknown,
  callOptions: unknown,
  encodes?: EncodesText,
): Record<string, unknown> {
  const options = checkCallOptions(callOptions ?? {});
  const { settings, Tensor } = model;
  const { texts, pairs } = checkedTexts(text, options.text_pair ?? undefined);
  const returnTensor = options.return_tensor ?? Tensor !== undefined;
  if (returnTensor && !Tensor) {
    throw new TypeError('return_tensor is true but no class of tensors is known; pass yours to from_pretrained(source, { Tensor })');
  }
  const { padding, truncation } = fitOf(options, defaults, settings.padTypeId);
  const padded = paddedBy(padding, rowsOfTexts(model, texts, pairs, options, truncation, encodes));
  const overflows = options.return_overflowing_tokens === true;
  const rows = overflows ? padded.flatMap((row) => [row, ...row.overflowing]) : padded;
  const columns: Column[] = ['input_ids'];
  if (options.return_attention_mask !== false) columns.push('attention_mask');
  if (options.return_token_type_ids ?? defaults.return_token_type_ids) columns.push('token_type_ids');
  if (options.return_special_tokens_mask) columns.push('special_tokens_mask');
  if (options.return_offsets_mapping) columns.push('offset_mapping');
  if (rows.some(({ parts }) => parts.some(({ source }) => source.assistant))) columns.push('assistant_masks');
  const result = returnTensor ? tensorsOf(Tensor as TensorClass, rows, columns) : listsOf(rows, columns);
  if (overflows) {
    const samples = padded.flatMap((row, index) => [index, ...row.overflowing.map(() => index)]);
    result.overflow_to_sample_mapping = returnTensor
      ? new (Tensor as TensorClass)('int64', BigInt64Array.from(samples, BigInt), [samples.length])
      : samples;
  } else if (!returnTensor && typeof text === 'string') for (const column of columns) result[column] = (result[column] as unknown[])[0];
  return new BatchEncodingOf(result, rows) as unknown as Record<string, unknown>;
}

/** The tokens of a text, or of two, as the vocabulary spells them. `adds`: with the ids around texts. */
export function spellTokens(model: Model, text: string, pair: string | null | undefined, adds: boolean): string[] {
  const { texts, pairs } = checkedTexts(text, pair ?? undefined);
  const [row] = rowsOfTexts(model, texts, pairs, { add_special_tokens: adds }, undefined);
  return columnOf(row as Rows, ({ source }, index) => source.tokenAt(index));
}

/** The number of ids around one text, or around two. */
export function countAdded({ templates }: Model, isPair: boolean): number {
  return addedBy(isPair ? checkedPair(templates) : templates.single);
}

function checkedPair({ pair }: Templates): Templates['pair'] {
  if (!hasBoth(pair)) throw new TokenizerError('the model has no template for two texts', { code: 'INVALID_TEMPLATE' });
  return pair;
}

/** The texts, or pairs of them, with the ids around them. */
function rowsOfTexts(
  model: Model,
  texts: readonly string[],
  pairs: readonly string[] | undefined,
  { add_special_tokens, split_special_tokens, return_offsets_mapping }: CallOptions,
  truncation: Truncation | undefined,
  encodes?: EncodesText,
): Rows[] {
  const special = (split_special_tokens ?? model.settings.splitsSpecialTokens) ? 'text' : 'allow';
  const sourcesOf = (all: readonly string[]) => encodedTexts(model, all, special, return_offsets_mapping === true);
  const firsts = encodes ? texts.map((each, index) => encodes(each, index, special)) : sourcesOf(texts);
  const seconds = pairs && sourcesOf(pairs);
  if (pairs) checkedPair(model.templates);
  const { process, added } = processorOfTemplates(model.templates, (ids, at) => model.names().nameOf(ids[at] as number) ?? '');
  const adds = add_special_tokens !== false;
  const around = adds ? added(pairs !== undefined) : 0;
  return firsts.map((first, index) => {
    const sources = seconds ? [first, seconds[index] as Source] : [first];
    const sequences = sources.map((source, typeId) => rowsOf(source, { typeId }, [0, source.ids.length]));
    return merged(process(truncatedTo(truncation, sequences, around), adds));
  });
}

function encodedTexts(model: Model, texts: readonly string[], special: Special, withOffsets: boolean): Source[] {
  const { vocabulary } = model;
  if (withOffsets) return texts.map((text) => new Text(model, text, special, encodeWithOffsets(vocabulary, text, { special })));
  const [first = ''] = texts;
  const ids = texts.length === 1 ? [encode(vocabulary, first, { special })] : [...encodeBatch(vocabulary, texts, { special })];
  return texts.map((text, index) => new Text(model, text, special, { ids: ids[index] as Uint32Array }));
}

/** A text with its tokens. `assistant` marks the tokens that the assistant of a chat wrote. */
export class Text extends EncodedText {
  readonly assistant: Uint8Array | undefined;
  readonly #model: Model;
  #offsets: Uint32Array | undefined;

  constructor(model: Model, text: string, special: Special, { ids, offsets }: Encoded, assistant?: Uint8Array) {
    super(model.vocabulary.engine, text, special === 'allow' ? SPECIAL_ALLOW : SPECIAL_AS_TEXT, ids);
    this.#model = model;
    this.#offsets = offsets;
    this.assistant = assistant;
  }

  tokenAt(index: number): string {
    const { names, vocabulary } = this.#model;
    const id = this.ids[index] as number;
    // Unigram spells an unknown token as the text has it.
    const shown = vocabulary.description.model === 'unigram' && id === vocabulary.roles.unk ? this.textAt(index) : '';
    return shown || (names().nameOf(id) ?? '');
  }

  offsetsAt(index: number): Range {
    const [start = 0, end = 0] = this.#offsets?.subarray(2 * index) ?? [];
    return [start, end];
  }
}

/** `offsets`: where they are asked for. */
interface Encoded {
  ids: Uint32Array;
  offsets?: Uint32Array | undefined;
}

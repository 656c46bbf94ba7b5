// Two texts as one list of ids, such as a question and a passage, combined by the vocabulary's template, with the type of each id.

import { checkedText, type EncodeOptions, policyOf, specialOf } from './arguments.js';
import { type BatchOptions, PAD_BATCH_OPTIONS, paddingOf } from './async-options.js';
import { TokenizerError, unexpected } from '../base/errors.js';
import { type PaddedBatch, type Padding, type PadOptions, padRows } from '../engine/padding.js';
import {
  concatenated,
  offsetsOf,
  type UnsharedBigInt64Array,
  type UnsharedInt32Array,
  type UnsharedUint32Array,
} from '../base/typed-arrays.js';
import { addedBy, hasBoth, type Piece } from '../vocabularies/metadata.js';
import type { Vocabulary } from '../vocabularies/vocabulary.js';
import { encodeBatch } from './encode-texts.js';
import { failureInText } from './text-failures.js';

/**
 * Two texts encoded together, or one: the model inputs `input_ids`, `token_type_ids` and `attention_mask`.
 *
 * @example
 * ```ts
 * const { ids, typeIds, mask }: EncodedPair = tokenizer.encodePair('hello world', 'hello');
 * ids; // Uint32Array [24912, 2375, 24912]
 * typeIds; // Uint32Array [0, 0, 1]
 * mask; // Uint32Array [1, 1, 1]
 * ```
 */
export interface EncodedPair {
  /** The tokens of both texts, and the ids around them. */
  ids: UnsharedUint32Array;
  /** The type of each id in the template: in most models 0 for the first text, 1 for the second. */
  typeIds: UnsharedUint32Array;
  /** 1 for each id: all are tokens, none is padding. */
  mask: UnsharedUint32Array;
}

/**
 * Options of `encodePair`: the options of `encode`, with one different default.
 *
 * @example
 * ```ts
 * const options: PairOptions = { addSpecialTokens: false };
 * tokenizer.encodePair('hello', ' world', options).ids; // Uint32Array [24912, 2375]
 * ```
 */
export interface PairOptions extends EncodeOptions {
  /** Add the vocabulary's ids around the texts. Default true, since models expect pairs with them. */
  addSpecialTokens?: boolean | undefined;
}

/**
 * Options of `encodePairBatch`.
 *
 * @example
 * ```ts
 * const options: PairBatchOptions = { pad: { length: 4 } };
 * tokenizer.encodePairBatch([['hello world', 'hello']], options).ids; // Int32Array [24912, 2375, 24912, 0]
 * ```
 */
export interface PairBatchOptions<Pad extends PadOptions = PadOptions> extends PairOptions, Pick<BatchOptions, 'threads' | 'device'> {
  /**
   * How the rows are padded, as in {@link TokenBatch.pad}; `truncate` cuts off the end of the second text. Padding has type
   * 0.
   */
  pad?: Pad | undefined;
}

/**
 * The rows of a batch of pairs, padded to the same length.
 *
 * @example
 * ```ts
 * const padded: PaddedPairs = tokenizer.encodePairBatch([['hello world', 'hello'], ['hello', 'hello']]);
 * padded.typeIds; // Int32Array [0, 0, 1, 0, 1, 0]
 * padded.mask; // Int32Array [1, 1, 1, 1, 1, 0]
 * ```
 */
export interface PaddedPairs<Elements extends Int32Array | BigInt64Array = UnsharedInt32Array> extends PaddedBatch<Elements> {
  /** The type of each id, and 0 where `ids` has padding. */
  typeIds: Elements;
}

type AnyPaddedPairs = PaddedPairs | PaddedPairs<UnsharedBigInt64Array>;

export function encodePair(
  vocabulary: Vocabulary,
  text: string | Uint8Array,
  textPair: string | Uint8Array | undefined,
  options: PairOptions | undefined,
): EncodedPair {
  let current = { text, name: 'the text' };
  try {
    const policy = policyOf(options, vocabulary);
    const pieces = piecesFor(vocabulary, textPair !== undefined, options?.addSpecialTokens ?? true);
    const { engine } = vocabulary;
    const first = engine.encode(checkedText(text), policy);
    if (textPair === undefined) return putTogether(pieces, first, undefined);
    current = { text: textPair, name: 'the second text' };
    return putTogether(pieces, first, engine.encode(checkedText(textPair, 'textPair'), policy));
  } catch (error) {
    throw failureInText(error, current.text, vocabulary, current.name);
  }
}

export function encodePairBatch(
  vocabulary: Vocabulary,
  pairs: readonly (readonly [string | Uint8Array, string | Uint8Array])[],
  options: PairBatchOptions | undefined,
): AnyPaddedPairs {
  specialOf(options, PAD_BATCH_OPTIONS);
  const padding = paddingOf({ pad: options?.pad ?? {} }) as Padding;
  const pieces = piecesFor(vocabulary, true, options?.addSpecialTokens ?? true);
  const texts = textsOfPairs(pairs);
  try {
    const batch = encodeBatch(vocabulary, texts, { ...options, addSpecialTokens: false, pad: undefined });
    return padPairs(pieces, [...batch], padding);
  } catch (error) {
    throw failureInPair(error);
  }
}

/**
 * The template pieces for one text or two; throws a TokenizerError if the template lacks a slot. `adds`: with the ids
 * around them.
 */
function piecesFor({ description, templates }: Vocabulary, isPair: boolean, adds: boolean): readonly Piece[] {
  const pieces = isPair ? templates.pair : templates.single;
  if (isPair && !hasBoth(pieces)) {
    const message = `${description.name} has no template for two texts: the pair of its post-processor must have both`;
    throw new TokenizerError(message, { code: 'INVALID_TEMPLATE' });
  }
  return adds ? pieces : pieces.filter((piece) => 'seq' in piece);
}

/** The combined ids of the texts. */
function putTogether(pieces: readonly Piece[], first: Uint32Array, second: Uint32Array | undefined): EncodedPair {
  const parts = pieces.map((piece) => ('ids' in piece ? piece.ids : piece.seq === 'A' ? first : (second as Uint32Array)));
  const ids = concatenated(Uint32Array, parts);
  const typeIds = new Uint32Array(ids.length);
  const offsets = offsetsOf(parts);
  pieces.forEach(({ type_id }, index) => typeIds.fill(type_id, offsets[index], offsets[index + 1]));
  return { ids, typeIds, mask: new Uint32Array(ids.length).fill(1) };
}

/** Pads the pairs of a batch, in which a pair is two adjacent rows. */
function padPairs(pieces: readonly Piece[], rows: Uint32Array[], padding: Padding): AnyPaddedPairs {
  const pairs = Array.from({ length: rows.length / 2 }, (_, index) =>
    putTogether(pieces, rows[2 * index] as Uint32Array, rows[2 * index + 1]),
  );
  const offsets = offsetsOf(pairs.map(({ ids }) => ids));
  const behind = pieces.slice(pieces.findLastIndex((piece) => 'seq' in piece) + 1);
  const template = { suffix: new Uint32Array(addedBy(behind)), size: addedBy(pieces) };
  const padded = (part: 'ids' | 'typeIds', padId: number) => {
    const values = pairs.map((pair) => pair[part]);
    return padRows({ ids: concatenated(Uint32Array, values), offsets, template }, { ...padding, padId });
  };
  return { ...padded('ids', padding.padId), typeIds: padded('typeIds', 0).ids } as AnyPaddedPairs;
}

/** Pairs as the texts of a batch, in their order. */
function textsOfPairs(pairs: unknown): (string | Uint8Array)[] {
  if (!Array.isArray(pairs)) throw unexpected('an array of pairs of texts', 'pairs', pairs);
  return pairs.flatMap((pair, index) => {
    if (!Array.isArray(pair) || pair.length !== 2) throw unexpected('an array of two texts', `pairs[${index}]`, pair);
    return pair.map((text, side) => {
      if (typeof text === 'string' || ArrayBuffer.isView(text)) return text as string | Uint8Array;
      throw unexpected('a string or a Uint8Array', `pairs[${index}][${side}]`, text);
    });
  });
}

/** Converts an error about a text of the batch to one about its pair. */
function failureInPair(error: unknown): unknown {
  if (!(error instanceof TokenizerError) || error.row === undefined) return error;
  const [row, side] = [Math.floor(error.row / 2), error.row % 2];
  const message = error.message.replace(`texts[${error.row}]`, `pairs[${row}][${side}]`);
  return new TokenizerError(message, { code: error.code, position: error.position, row });
}

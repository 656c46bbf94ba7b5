// Texts to ids: one text, or a batch of them.

import { TokenizerError } from '../base/errors.js';
import { checkedBoolean } from '../base/option-objects.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import type { DeviceBatch } from '../engine/device-batch.js';
import { checkHasDevices } from '../engine/devices.js';
import type { BatchIds, BatchJob, EngineTokenizer, Policy, TokensWithOffsets } from '../engine/engine.js';
import { type AnyPaddedBatch, type Padding, type PadOptions, padRows } from '../engine/padding.js';
import { checkedTexts, feedTexts, textAt, textCount, type Texts } from '../engine/text-rows.js';
import type { Vocabulary } from '../vocabularies/vocabulary.js';
import {
  checkedText,
  type EncodeOptions,
  OFFSET_OPTIONS,
  type OffsetOptions,
  policyFor,
  policyOf,
  SPECIAL_AS_TEXT,
  specialOf,
  unitOf,
} from './arguments.js';
import { BATCH_OPTIONS, type BatchOptions, COUNT_OPTIONS, jobOf, paddingOf } from './async-options.js';
import { failureInText } from './text-failures.js';
import { type Template, templateOf } from './id-template.js';
import { TokenBatch } from './token-batch.js';

/** A checked batch call. */
interface BatchCall {
  texts: Texts;
  policy: Policy;
  template: Template;
  job: BatchJob;
}

/** See `Tokenizer.encode` for the contract, and so on for the functions of this folder that have the name of a method. */
export function encode(vocabulary: Vocabulary, text: string | Uint8Array, options?: EncodeOptions): UnsharedUint32Array {
  try {
    if (options === undefined && typeof text === 'string') return vocabulary.engine.encode(text, SPECIAL_AS_TEXT);
    const policy = policyOf(options, vocabulary);
    return templateOf(options, vocabulary).around(vocabulary.engine.encode(checkedText(text), policy));
  } catch (error) {
    throw failureInText(error, text, vocabulary);
  }
}

export function count(vocabulary: Vocabulary, text: string | Uint8Array, options?: EncodeOptions): number {
  try {
    if (options === undefined && typeof text === 'string') return vocabulary.engine.count(text, SPECIAL_AS_TEXT);
    const policy = policyOf(options, vocabulary);
    const { size } = templateOf(options, vocabulary);
    return size + vocabulary.engine.count(checkedText(text), policy);
  } catch (error) {
    throw failureInText(error, text, vocabulary);
  }
}

export function encodeWithOffsets(vocabulary: Vocabulary, text: string | Uint8Array, options?: OffsetOptions): TokensWithOffsets {
  try {
    const policy = policyOf(options, vocabulary, OFFSET_OPTIONS);
    const unit = unitOf(options, text);
    const template = templateOf(options, vocabulary);
    const tokens = vocabulary.engine.encodeWithOffsets(checkedText(text), unit, policy);
    return template.aroundWithOffsets(vocabulary.trimmer?.trim(tokens, text, unit, policy) ?? tokens);
  } catch (error) {
    throw failureInText(error, text, vocabulary);
  }
}

export function encodeBatch(
  vocabulary: Vocabulary,
  texts: Texts,
  options?: BatchOptions & { pad?: undefined; resident?: false | undefined },
): TokenBatch;
export function encodeBatch(
  vocabulary: Vocabulary,
  texts: Texts,
  options?: BatchOptions & { pad?: PadOptions | undefined; resident?: boolean | undefined },
): TokenBatch | AnyPaddedBatch | DeviceBatch;
export function encodeBatch(
  vocabulary: Vocabulary,
  texts: Texts,
  options?: BatchOptions & { pad?: PadOptions | undefined; resident?: boolean | undefined },
): TokenBatch | AnyPaddedBatch | DeviceBatch {
  const padding = paddingOf(options);
  return ofBatch<TokenBatch | AnyPaddedBatch | DeviceBatch>(vocabulary, texts, options, BATCH_OPTIONS, (call) => {
    const { texts, policy, template, job } = call;
    const { engine } = vocabulary;
    if (checkedBoolean(options?.resident, 'resident')) {
      checkHasDevices(engine, job.device, true);
      return engine.encodeKept?.(texts, policy, { template, padding: padding as Padding }, job.device) as DeviceBatch;
    }
    const padded = padding && engine.encodePadded?.(texts, policy, { template, padding }, job.device);
    const encoded = padded ?? idsOfBatch(engine, call, false);
    if ('shape' in encoded) return encoded;
    const { ids, totals } = template.aroundRows(encoded);
    return padding ? padRows({ ids, offsets: totals, template }, padding) : new TokenBatch(ids, totals, template);
  });
}

export function countBatch(vocabulary: Vocabulary, texts: Texts, options?: BatchOptions): UnsharedUint32Array {
  return ofBatch(vocabulary, texts, options, COUNT_OPTIONS, (call) => {
    const { totals } = idsOfBatch(vocabulary.engine, call, true);
    return totals.subarray(1).map((total, row) => total - (totals[row] as number) + call.template.size);
  });
}

/** Checks a batch call and passes it to `work`; errors say where in which text they are. */
function ofBatch<Result>(
  vocabulary: Vocabulary,
  batch: unknown,
  options: BatchOptions | undefined,
  names: readonly string[],
  work: (call: BatchCall) => Result,
): Result {
  const special = specialOf(options, names);
  const job = jobOf(options);
  checkHasDevices(vocabulary.engine, job.device);
  const template = templateOf(options, vocabulary);
  const texts = checkedTexts(batch);
  const policy = policyFor(special, vocabulary);
  try {
    return work({ texts, policy, template, job });
  } catch (error) {
    if (!(error instanceof TokenizerError) || error.row === undefined) throw error;
    throw failureInText(error, textAt(texts, error.row), vocabulary, error.row);
  }
}

/** Encodes, or only counts, every text of a batch: the ids (empty when counting), and the totals before and after each. */
function idsOfBatch(engine: EngineTokenizer, { texts, policy, job }: BatchCall, counting: boolean): BatchIds {
  const together = engine.encodeTogether?.(texts, policy, counting, job);
  if (together) return together;
  const totals = new Uint32Array(textCount(texts) + 1);
  const session = engine.begin(policy, counting);
  try {
    feedTexts(session, texts, totals);
    return { ids: counting ? new Uint32Array(0) : session.take(), totals };
  } finally {
    session.end();
  }
}

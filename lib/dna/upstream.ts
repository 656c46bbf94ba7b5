// Another tokenizer, queried for ids: `discover` examines it, and falls back to it.

import { TokenizerError, unexpected } from '../base/errors.js';
import { isPromise, typedArrayKind } from '../base/views.js';
import type { DnaEngine, DnaFacts, DnaNames } from '../engine/dna-engine.js';
import { ListEngine } from './list-engine.js';

/**
 * Ids as tokenizers give them: an array or a typed array.
 *
 * @example
 * ```ts
 * const ids: UpstreamIds = BigInt64Array.of(5n);
 * ids.length; // 1
 * ```
 */
export type UpstreamIds = ArrayLike<number | bigint>;

/**
 * A tokenizer: a function from a sequence to its ids, special tokens included. It may answer with a promise.
 *
 * @example
 * ```ts
 * const encode: UpstreamEncode = async (sequence) => Array.from(sequence, (base) => 1 + 'ACGTN'.indexOf(base));
 * using dna = await DnaTokenizer.discover(encode);
 * dna.encode('ACGT'); // Int32Array [1, 2, 3, 4]
 * ```
 */
export type UpstreamEncode = (sequence: string) => UpstreamIds | Promise<UpstreamIds>;

const NAME = 'what encodeFn returns';

/** The ids as plain numbers; throws a TypeError for anything else. */
export function checkedIds(answer: unknown): number[] {
  const isList = Array.isArray(answer) || typedArrayKind(answer) !== undefined;
  if (!isList) throw unexpected('an array of token ids', NAME, answer);
  return Array.from(answer as UpstreamIds, (each) => {
    const id = Number(each);
    if (!Number.isInteger(id) || id < 0 || id > 0x7fffffff) throw unexpected('token ids', NAME, each);
    return id;
  });
}

/** The known facts about another tokenizer. */
export interface Upstream {
  encode: UpstreamEncode;
  isAsync: boolean;
  facts: DnaFacts;
  names: DnaNames;
  /** Why it is queried instead of using tables. */
  reason: string;
}

/** An engine that queries another tokenizer. One that answers with promises is asked for all ids before an engine is made of them. */
export function upstreamEngine({ encode, isAsync, facts, names, reason }: Upstream): DnaEngine {
  const whyNoKernels = `each sequence is given to the tokenizer that ${names.describe().name} was made from, which runs on the CPU, as there are no tables of it (${reason}); encode without a device, or load a vocabulary that has tables`;
  const ask = (sequence: Uint8Array) => {
    const answer = isAsync ? undefined : encode(textOf(sequence));
    if (isAsync || isPromise(answer)) throw notAtOnce();
    return bodyOf(checkedIds(answer), facts);
  };
  const prepared = async (sequences: readonly Uint8Array[]) => {
    const known = new Map<string, number[]>();
    for (const text of sequences.map(textOf)) {
      if (!known.has(text)) known.set(text, bodyOf(checkedIds(await encode(text)), facts));
    }
    return new ListEngine(facts, names, whyNoKernels, (sequence) => {
      const ids = known.get(textOf(sequence));
      if (!ids) throw new TypeError('the sequence has changed since its ids were asked for; leave it as it is until the promise settles');
      return ids;
    });
  };
  return new ListEngine(facts, names, whyNoKernels, ask, isAsync ? prepared : undefined);
}

function notAtOnce(): TypeError {
  return new TypeError(
    'the ids come from a tokenizer that answers with promises (see fallback); await encodeAsync() or encodeBatchAsync(), or use batches()',
  );
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function textOf(sequence: Uint8Array): string {
  return decoder.decode(sequence);
}

/** The ids without the ids that the tokenizer puts around every sequence. */
function bodyOf(ids: number[], around: Pick<DnaFacts, 'before' | 'after'>): number[] {
  const { before, after } = around;
  if (isAround(ids, around)) return ids.slice(before.length, ids.length - after.length);
  throw new TokenizerError('encodeFn has put other ids around this sequence than around those it was tried with', { code: 'BUILD_FAILED' });
}

/** Whether the given ids begin and end a list. */
export function isAround(ids: readonly number[], { before, after }: { before: readonly number[]; after: readonly number[] }): boolean {
  return (
    ids.length >= before.length + after.length &&
    before.every((id, index) => ids[index] === id) &&
    after.every((id, index) => ids[ids.length - after.length + index] === id)
  );
}

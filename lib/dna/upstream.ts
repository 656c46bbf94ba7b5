// Another tokenizer, queried for ids: `discover` examines it, and falls back to it.

import { TokenizerError, unexpected } from '../base/errors.js';
import { isPromise, typedArrayKind } from '../base/views.js';
import type { DnaEngine, DnaFacts, DnaNames, IdArray, IdType, MatrixPlan } from './engine.js';
import { ListEngine } from './list-engine.js';
import type { TextRows } from '../engine/text-rows.js';
import type { UnsharedUint8Array } from '../base/typed-arrays.js';

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

/** An engine that queries another tokenizer. */
export function upstreamEngine({ encode, isAsync, facts, names, reason }: Upstream): DnaEngine {
  const whyNoKernels = `each sequence is given to the tokenizer that ${names.describe().name} was made from, which runs on the CPU, as there are no tables of it (${reason}); encode without a device, or load a vocabulary that has tables`;
  if (isAsync) return new AsyncUpstream(facts, names, whyNoKernels, encode);
  return new ListEngine(facts, names, whyNoKernels, (sequence) => {
    const answer = encode(textOf(sequence));
    if (isPromise(answer)) throw notAtOnce();
    return bodyOf(checkedIds(answer), facts);
  });
}

/** A tokenizer that answers with promises: all ids are requested before an engine is made of them. */
class AsyncUpstream implements DnaEngine {
  readonly facts: DnaFacts;
  readonly names: DnaNames;
  readonly whyNoKernels: string;
  readonly #encode: UpstreamEncode;

  constructor(facts: DnaFacts, names: DnaNames, whyNoKernels: string, encode: UpstreamEncode) {
    this.facts = facts;
    this.names = names;
    this.whyNoKernels = whyNoKernels;
    this.#encode = encode;
  }

  async prepared(sequences: readonly Uint8Array[]): Promise<DnaEngine> {
    const known = new Map<string, number[]>();
    for (const text of sequences.map(textOf)) {
      if (!known.has(text)) known.set(text, bodyOf(checkedIds(await this.#encode(text)), this.facts));
    }
    return new ListEngine(this.facts, this.names, this.whyNoKernels, (sequence) => {
      const ids = known.get(textOf(sequence));
      if (!ids) throw new TypeError('the sequence has changed since its ids were asked for; leave it as it is until the promise settles');
      return ids;
    });
  }

  countRows(_rows: TextRows, _around: boolean): Uint32Array {
    throw notAtOnce();
  }

  encode(_bytes: Uint8Array, _type: IdType, _around: boolean): IdArray {
    throw notAtOnce();
  }

  encodeInto(_bytes: Uint8Array, _flags: number, _ids: IdArray): number {
    throw notAtOnce();
  }

  encodeRows(_matrix: MatrixPlan): void {
    throw notAtOnce();
  }

  cartridge(): UnsharedUint8Array {
    return new ListEngine(this.facts, this.names, this.whyNoKernels, () => []).cartridge();
  }

  close(): void {
    this.names.close();
  }
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

/** The ids without those it puts around every sequence. */
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

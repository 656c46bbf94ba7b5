// Adapts an ONNX Runtime session (onnxruntime-node, -web) to a function from batches to the values of their rows.

import { unexpected } from '../../base/errors.js';
import type { DnaMatrix } from '../matrix.js';

/**
 * The part of an `InferenceSession` that `embed` uses.
 *
 * @example
 * ```ts
 * using dna = await DnaTokenizer.load('hyenadna');
 * // In place of: await ort.InferenceSession.create('model.onnx')
 * const session: OnnxSession = {
 *   inputNames: ['input_ids', 'attention_mask'],
 *   outputNames: ['embedding'],
 *   run: async () => ({ embedding: { data: Float32Array.of(1, 2, 3, 4) } }),
 * };
 * for await (const { values } of embed(dna, ['ACGT', 'CCAA'], session, { batchSize: 2 })) values; // Float32Array [1, 2, 3, 4]
 * ```
 */
export interface OnnxSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  /** Maps tensors by input name to tensors by output name. */
  run(feeds: never): PromiseLike<Record<string, OnnxOutput>>;
}

/**
 * The part of a `Tensor` that `embed` uses: its numbers, once they are in memory accessible to JavaScript.
 *
 * @example
 * ```ts
 * const output: OnnxOutput = { data: Float32Array.of(1, 2) };
 * output.data; // Float32Array [1, 2]
 * ```
 */
export interface OnnxOutput {
  readonly data: unknown;
  readonly location?: string;
  /** The numbers of a tensor stored elsewhere, such as on a GPU. */
  getData?(release: boolean): PromiseLike<unknown>;
}

type Batch = DnaMatrix<'bigint64', 'ids'>;

export function isSession(value: unknown): value is OnnxSession {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as OnnxSession).run === 'function' &&
    Array.isArray((value as OnnxSession).inputNames)
  );
}

/** The session's first output, or the named one. Ids and masks are int64, as in exported models. */
export function runOf(session: OnnxSession, output = session.outputNames[0]): (batch: Batch) => Promise<unknown> {
  const { inputNames, outputNames } = session;
  if (output === undefined || !outputNames.includes(output)) {
    throw unexpected(`the name of an output (${outputNames.join(', ')})`, 'output', output);
  }
  const ids = inputNames.includes('input_ids') || inputNames.length !== 1 ? 'input_ids' : (inputNames[0] as string);
  const known = [ids, 'attention_mask', 'token_type_ids'];
  const unknown = inputNames.find((name) => !known.includes(name));
  if (unknown !== undefined || !inputNames.includes(ids)) {
    const what = unknown === undefined ? 'no input input_ids' : `an input ${unknown}, which batches have not`;
    throw new TypeError(`\`run\` must be a function from batches to values: the session has ${what}`);
  }
  return async (batch) => {
    const tensor = (data: BigInt64Array) => ({ type: 'int64', data, dims: batch.shape, size: data.length, location: 'cpu' });
    const all: Record<string, unknown> = { [ids]: tensor(batch.ids) };
    if (inputNames.includes('attention_mask')) all.attention_mask = tensor(batch.mask);
    if (inputNames.includes('token_type_ids')) all.token_type_ids = tensor(new BigInt64Array(batch.ids.length));
    const result = (await session.run(all as never))[output] as OnnxOutput;
    return result.location === undefined || result.location === 'cpu' ? result.data : result.getData?.(true);
  };
}

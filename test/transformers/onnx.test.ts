// What a call returns goes into a model of ONNX Runtime as it is: here the mean of embeddings, beside a naive one.

import * as ort from 'onnxruntime-node';
import { expect, it } from 'vitest';
import { AutoTokenizer } from 'crayon-tokenizer/transformers';
import { embeddings, meanEmbedding } from '../onnx-model.mjs';

const WIDTH = 4;
const vocab = Object.fromEntries(['<pad>', '<unk>', 'hello', 'world', 'good', 'day'].map((token, id) => [token, id]));
const FILE = { model: { type: 'WordLevel', unk_token: '<unk>', vocab }, pre_tokenizer: { type: 'Whitespace' } };
const table = Float32Array.from({ length: 6 * WIDTH }, (_, index) => Math.sin(index * 1.3) * 2);
const TEXTS = ['hello world', 'good day hello you', 'day'];

const rowOf = (id: number) => [...table.subarray(id * WIDTH, (id + 1) * WIDTH)];

it('tensors of a batch are the inputs of a model', async () => {
  const tokenizer = await AutoTokenizer.from_pretrained({ 'tokenizer.json': FILE }, { Tensor: ort.Tensor });
  const session = await ort.InferenceSession.create(meanEmbedding(table, WIDTH));
  const { input_ids, attention_mask } = tokenizer(TEXTS, { padding: true });
  const { embedding } = await session.run({ input_ids, attention_mask });
  expect(embedding!.dims).toEqual([TEXTS.length, WIDTH]);
  const expected = TEXTS.flatMap((text) => {
    const rows = text.split(' ').map((word) => rowOf(vocab[word] ?? 1));
    return Array.from({ length: WIDTH }, (_, at) => rows.reduce((sum, row) => sum + row[at]!, 0) / rows.length);
  });
  [...(embedding!.data as Float32Array)].forEach((value, at) => expect(value).toBeCloseTo(expected[at]!, 5));
});

it('ids that a model chooses, as a tensor, are decoded', async () => {
  const tokenizer = await AutoTokenizer.from_pretrained({ 'tokenizer.json': FILE }, { Tensor: ort.Tensor });
  // The model repeats its ids: each row of its table is the id.
  const ids = Float32Array.from({ length: 6 }, (_, id) => id);
  const session = await ort.InferenceSession.create(embeddings({ ids: { table: ids, width: 1 } }));
  const { input_ids } = tokenizer(TEXTS.slice(0, 1));
  const output = (await session.run({ input_ids })).ids!;
  const chosen = new ort.Tensor(
    'int64',
    BigInt64Array.from(output.data as Float32Array, (id) => BigInt(id)),
    output.dims,
  );
  expect(tokenizer.decode(chosen)).toBe('hello world');
  expect(tokenizer.batch_decode(chosen, { skip_special_tokens: true })).toEqual(['hello world']);
});

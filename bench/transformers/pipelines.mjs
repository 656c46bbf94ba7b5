/**
 * Runs pipelines of the real transformers.js on tiny models, with its own tokenizer and with this package's: as `pipe.tokenizer`, as an
 * argument of a pipeline's class, and under it, by the aliases that docs/guide/transformers.md describes. All answers must be equal.
 *
 *   node bench/transformers/pipelines.mjs FOLDER-WITH-node_modules
 *
 * The folder has @huggingface/transformers with onnxruntime-node, which are no dependencies of the project: `npm install` them anywhere.
 */
import assert from 'node:assert';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { AutoTokenizer } from '../../dist/node/transformers.js';
import { embeddings, meanEmbedding } from '../../test/onnx-model.mjs';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node bench/transformers/pipelines.mjs FOLDER-WITH-node_modules');
const fileOf = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'crayon-pipelines-'));
process.on('exit', () => fs.rmSync(temporary, { recursive: true, force: true }));

/** Numbers that differ from id to id. */
const table = (length) => Float32Array.from({ length }, (_, index) => Math.sin(index * 1.7 + 0.3) * 4);
const LABELS = { id2label: { 0: 'B-PER', 1: 'O', 2: 'I-PER' }, label2id: { 'B-PER': 0, O: 1, 'I-PER': 2 } };
const SPECIAL = { pad_token: '[PAD]', unk_token: '[UNK]', cls_token: '[CLS]', sep_token: '[SEP]', mask_token: '[MASK]' };
const BERT = {
  file: 'bert',
  tokenizer: { tokenizer_class: 'BertTokenizer', model_max_length: 24, ...SPECIAL },
  config: { model_type: 'bert', ...LABELS },
};
const CHAT = '{% for m in messages %}<s>{{ m.role }}: {{ m.content }}{% endfor %}';
const GPT = {
  file: 'llama',
  tokenizer: {
    tokenizer_class: 'LlamaTokenizer',
    bos_token: '<s>',
    eos_token: '<unk>',
    unk_token: '<unk>',
    pad_token: '<unk>',
    chat_template: CHAT,
  },
  config: { model_type: 'gpt2', n_layer: 0, n_head: 1, n_embd: 4, eos_token_id: 0, vocab_size: 0 },
};
// None is longer than the model takes: transformers.js also cuts off [SEP], unlike Python and this package.
const BATCH = ['hello world', "it's the text of a file, naïve façade", 'Tokens! '.repeat(5)];
const size = (file) => {
  const { model, added_tokens } = JSON.parse(fs.readFileSync(fileOf(`../../test/models/${file}.tokenizer.json`), 'utf8'));
  return 1 + Math.max(...Object.values(model.vocab), ...added_tokens.map(({ id }) => id));
};
const of = (file, width, name) => ({ [name]: { table: table(size(file) * width), width } });

const TASKS = [
  [
    'feature-extraction',
    'FeatureExtractionPipeline',
    BERT,
    (file) => embeddings(of(file, 8, 'last_hidden_state')),
    [[BATCH, { pooling: 'mean', normalize: true }]],
  ],
  [
    'text-classification',
    'TextClassificationPipeline',
    BERT,
    (file) => meanEmbedding(table(size(file) * 3), 3, 'logits'),
    [[BATCH, { top_k: 2 }], ['hello']],
  ],
  [
    'token-classification',
    'TokenClassificationPipeline',
    BERT,
    (file) => embeddings(of(file, 3, 'logits')),
    [[BATCH], ['hello world', { aggregation_strategy: 'simple' }]],
  ],
  ['fill-mask', 'FillMaskPipeline', BERT, (file) => embeddings(of(file, size(file), 'logits')), [['hello [MASK] world']]],
  [
    'question-answering',
    'QuestionAnsweringPipeline',
    BERT,
    (file) => embeddings({ ...of(file, 1, 'start_logits'), ...of(file, 1, 'end_logits') }),
    [['hello?', 'the text of the file']],
  ],
  [
    'zero-shot-classification',
    'ZeroShotClassificationPipeline',
    { ...BERT, config: { ...BERT.config, label2id: { entailment: 0, neutral: 1, contradiction: 2 } } },
    (file) => meanEmbedding(table(size(file) * 3), 3, 'logits'),
    [['the text', ['file', 'world']]],
  ],
  [
    'text-generation',
    'TextGenerationPipeline',
    GPT,
    (file) => embeddings(of(file, size(file), 'logits')),
    [
      ['hello world', { max_new_tokens: 8 }],
      [[{ role: 'user', content: 'hello' }], { max_new_tokens: 8 }],
    ],
  ],
];

for (const [task, , { file, tokenizer, config }, model] of TASKS) {
  const at = path.join(temporary, task);
  fs.mkdirSync(path.join(at, 'onnx'), { recursive: true });
  fs.copyFileSync(fileOf(`../../test/models/${file}.tokenizer.json`), path.join(at, 'tokenizer.json'));
  fs.writeFileSync(path.join(at, 'tokenizer_config.json'), JSON.stringify(tokenizer));
  fs.writeFileSync(path.join(at, 'config.json'), JSON.stringify({ ...config, ...('vocab_size' in config && { vocab_size: size(file) }) }));
  fs.writeFileSync(path.join(at, 'onnx', 'model.onnx'), model(file));
}

const resolve = createRequire(path.resolve(folder, 'package.json')).resolve;
const theirs = await import(pathToFileURL(resolve('@huggingface/transformers')).href);
// Published, transformers.js contains @huggingface/tokenizers. Its sources, which it is published with, import it by name.
const sources = path.join(path.dirname(resolve('@huggingface/transformers')), '../src/transformers.js');
const bundle = path.join(path.resolve(folder), `crayon-aliased-${process.pid}.mjs`);
await esbuild.build({
  entryPoints: [sources],
  alias: { '@huggingface/tokenizers': fileOf('../../dist/node/transformers/tokenizers.js') },
  bundle: true,
  platform: 'node',
  format: 'esm',
  external: ['onnxruntime-node', 'onnxruntime-web', 'onnxruntime-common', 'sharp'],
  banner: { js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);" },
  outfile: bundle,
  logLevel: 'error',
  // The addon is found beside the package's own files.
  plugins: [
    {
      name: 'ours',
      setup: (build) =>
        build.onResolve({ filter: /dist\/node\/transformers\/tokenizers\.js$/ }, ({ path: file }) => ({ path: file, external: true })),
    },
  ],
});
process.on('exit', () => fs.rmSync(bundle, { force: true }));
const aliased = await import(pathToFileURL(bundle).href);
for (const { env } of [theirs, aliased]) Object.assign(env, { allowRemoteModels: false, localModelPath: temporary });

/** Tensors as their numbers. */
const plain = (answer) =>
  JSON.parse(JSON.stringify(answer, (_, value) => (value?.ort_tensor ? { dims: value.dims, data: [...value.data] } : value)));

for (const [task, name, , , calls] of TASKS) {
  const pipe = await theirs.pipeline(task, task, { dtype: 'fp32' });
  const under = await aliased.pipeline(task, task, { dtype: 'fp32' });
  const own = await AutoTokenizer.from_pretrained(path.join(temporary, task), { Tensor: theirs.Tensor });
  const constructed = new theirs[name]({ task, model: pipe.model, tokenizer: own });
  for (const call of calls) {
    const expected = plain(await pipe(...structuredClone(call)));
    const before = pipe.tokenizer;
    pipe.tokenizer = own;
    const replaced = plain(await pipe(...structuredClone(call)));
    pipe.tokenizer = before;
    console.log(`${task}: ${JSON.stringify(expected).slice(0, 110)}`);
    assert.deepStrictEqual(replaced, expected, `${task}, as pipe.tokenizer`);
    assert.deepStrictEqual(plain(await constructed(...structuredClone(call))), expected, `${task}, as an argument`);
    assert.deepStrictEqual(plain(await under(...structuredClone(call))), expected, `${task}, by aliases`);
  }
}
console.log(`${TASKS.length} tasks: all answers are equal`);

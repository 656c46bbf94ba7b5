/**
 * What the package exports: the sources below lib/, by the path in the package, which is the path below dist/node and dist/web. So one
 * pattern of package.json serves all. `index` is the package itself.
 */
const ENCODINGS = ['gpt2', 'r50k_base', 'p50k_base', 'p50k_edit', 'cl100k_base', 'o200k_base', 'o200k_harmony'];
/** The vocabularies of js-tiktoken. */
const RANKS = ENCODINGS.filter((name) => name !== 'o200k_harmony');
const INLINED = ['r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base', 'lite'];

/** The drop-ins. */
const DROP_INS = {
  tiktoken: 'tiktoken/index',
  'tiktoken/init': 'tiktoken/init',
  'tiktoken/lite': 'tiktoken/lite',
  'tiktoken/lite/init': 'tiktoken/lite-init',
  huggingface: 'huggingface/index',
  'js-tiktoken': 'js-tiktoken/index',
  'js-tiktoken/lite': 'js-tiktoken/lite',
  ...Object.fromEntries(RANKS.map((name) => [`js-tiktoken/ranks/${name}`, `js-tiktoken/ranks/${name}`])),
  transformers: 'transformers/index',
  langchain: 'langchain/index',
  'ai-sdk': 'ai-sdk/index',
  'transformers/tokenizers': 'transformers/tokenizers',
  'gpt-tokenizer': 'gpt-tokenizer/index',
  'gpt-tokenizer/GptEncoding': 'gpt-tokenizer/gpt-encoding',
  'gpt-tokenizer/mapping': 'gpt-tokenizer/mapping',
  'gpt-tokenizer/modelTypes': 'gpt-tokenizer/model-types',
  'gpt-tokenizer/resolveEncoding': 'gpt-tokenizer/resolve-encoding',
  'gpt-tokenizer/resolveEncodingAsync': 'gpt-tokenizer/resolve-encoding-async',
  'gpt-tokenizer/model-entry': 'gpt-tokenizer/model-entry',
  'gpt-tokenizer/model-specs': 'gpt-tokenizer/model-specs',
  ...Object.fromEntries(ENCODINGS.map((name) => [`gpt-tokenizer/encoding/${name}`, `gpt-tokenizer/encoding/${name}`])),
};

/** In Node. */
export const NODE = { index: 'index', dna: 'dna', wasm: 'wasm', 'wasm/dna': 'wasm-dna', dataset: 'dataset/index', ...DROP_INS };

/** The entries that are the same as others: in pages, which have WebAssembly only, and everywhere in their types. */
export const SAME = { wasm: 'index', 'wasm/dna': 'dna' };

/** In pages and workers, besides these. */
export const WEB = { index: 'browser', dna: 'dna-in-page', ...DROP_INS };

/** The same on all hosts, as scripts without files. */
export const INLINE = { inline: 'inline', ...Object.fromEntries(INLINED.map((name) => [`inline/${name}`, `inline/${name}`])) };

/** The scripts of workers of pages, beside these. */
export const WORKERS = {
  'encode-worker': 'encode-worker',
  'web-compile-worker': 'web-compile-worker',
  'web-train-worker': 'web-train-worker',
};

/** What only the package itself imports. */
const INTERNAL = ['gpt-tokenizer/model-entry', 'gpt-tokenizer/model-specs'];

/** The public entries as programs name them (`.`, `./dna` …), and the sources of their types. */
export const PUBLIC = Object.fromEntries(
  Object.entries({ ...NODE, ...SAME, ...INLINE })
    .filter(([name]) => !INTERNAL.includes(name))
    .map(([name, source]) => [name === 'index' ? '.' : `./${name}`, source]),
);

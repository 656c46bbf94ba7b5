/**
 * What the package exports: the sources below lib/, by the path in the package, which is the path below dist/node and dist/web. So one
 * pattern of package.json serves all. `index` is the package itself.
 */
import path from 'node:path';

/** The encodings of the drop-ins, and the vocabulary that each is a view of. */
const VOCABULARIES = {
  gpt2: 'r50k_base',
  r50k_base: 'r50k_base',
  p50k_base: 'p50k_base',
  p50k_edit: 'p50k_base',
  cl100k_base: 'cl100k_base',
  o200k_base: 'o200k_base',
  o200k_harmony: 'o200k_base',
};
const ENCODINGS = Object.keys(VOCABULARIES);
/** Those without tokens for chats. */
const WITHOUT_CHAT = ['gpt2', 'r50k_base', 'p50k_base'];
/** Those of js-tiktoken. */
const RANKS = ENCODINGS.filter((name) => name !== 'o200k_harmony');
const INLINED = ['r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base', 'lite'];

/** The entries FOLDER/NAME, whose sources in `room` differ only in the name: FOLDER/OTHER?NAME is that of OTHER with another name. */
function perName(folder, names, { room = 'integrations/', sourceOf = () => 'o200k_base' } = {}) {
  const source = (name) => (sourceOf(name) === name ? name : `${sourceOf(name)}?${name}`);
  return Object.fromEntries(names.map((name) => [`${folder}/${name}`, `${room}${folder}/${source(name)}`]));
}

/** The text of a source for the name behind its `?`. */
export function withName(text, source, name) {
  const vocabulary = VOCABULARIES[name] ?? name;
  return text
    .replaceAll(/'(#\w+)\/\w+'/g, (_, scripts) => `'${scripts}/${vocabulary}'`)
    .replaceAll(`'${path.basename(source, '.ts')}'`, `'${name}'`);
}

/** The drop-ins. */
const DROP_INS = {
  tiktoken: 'integrations/tiktoken/index',
  'tiktoken/init': 'integrations/tiktoken/init',
  'tiktoken/lite': 'integrations/tiktoken/lite',
  'tiktoken/lite/init': 'integrations/tiktoken/lite-init',
  huggingface: 'integrations/huggingface/index',
  'js-tiktoken': 'integrations/js-tiktoken/index',
  'js-tiktoken/lite': 'integrations/js-tiktoken/lite',
  ...perName('js-tiktoken/ranks', RANKS),
  transformers: 'integrations/transformers/index',
  langchain: 'integrations/langchain/index',
  'ai-sdk': 'integrations/ai-sdk/index',
  'transformers/tokenizers': 'integrations/transformers/tokenizers',
  'gpt-tokenizer': 'integrations/gpt-tokenizer/index',
  'gpt-tokenizer/GptEncoding': 'integrations/gpt-tokenizer/gpt-encoding',
  'gpt-tokenizer/mapping': 'integrations/gpt-tokenizer/mapping',
  'gpt-tokenizer/modelTypes': 'integrations/gpt-tokenizer/model-types',
  'gpt-tokenizer/resolveEncoding': 'integrations/gpt-tokenizer/resolve-encoding',
  'gpt-tokenizer/resolveEncodingAsync': 'integrations/gpt-tokenizer/resolve-encoding-async',
  'gpt-tokenizer/model-specs': 'integrations/gpt-tokenizer/model-specs',
  ...perName('gpt-tokenizer/encoding', ENCODINGS, { sourceOf: (name) => (WITHOUT_CHAT.includes(name) ? 'gpt2' : 'o200k_base') }),
};

/** In Node. */
export const NODE = { index: 'index', dna: 'dna', wasm: 'wasm', 'wasm/dna': 'wasm-dna', dataset: 'datasets/index', ...DROP_INS };

/** The entries that are the same as others: in pages, which have WebAssembly only, and everywhere in their types. */
export const SAME = { wasm: 'index', 'wasm/dna': 'dna' };

/** In pages and workers, besides these. */
export const WEB = { index: 'browser', dna: 'dna-in-page', ...DROP_INS };

/** The same on all hosts, as scripts without files. */
export const INLINE = { inline: 'inline', ...perName('inline', INLINED, { room: '' }) };

/** The scripts of workers of pages, beside these. */
export const WORKERS = {
  'encode-worker': 'encode-worker',
  'web-compile-worker': 'web-compile-worker',
  'web-train-worker': 'web-train-worker',
};

/** What only the package itself imports. */
const INTERNAL = ['gpt-tokenizer/model-specs'];

/** The public entries as programs name them (`.`, `./dna` …), and the sources of their types. */
export const PUBLIC = Object.fromEntries(
  Object.entries({ ...NODE, ...SAME, ...INLINE })
    .filter(([name]) => !INTERNAL.includes(name))
    .map(([name, source]) => [name === 'index' ? '.' : `./${name}`, source.split('?')[0]]),
);

/**
 * Writes what there is one of for each model into dist/gpt-tokenizer: model/NAME.js, the modules that
 * `crayon-tokenizer/gpt-tokenizer/model/NAME` stands for, and models.js, which exports what is known of each. They
 * cannot be one module: a module does not know by which name it was imported.
 *
 *   node scripts/model-entries.mjs     after lib/ was compiled
 */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, runMain } from './process.mjs';

const folder = path.join(root, 'dist', 'gpt-tokenizer');
const load = (name) => import(pathToFileURL(path.join(folder, `${name}.js`)).href);

const CALLS = [
  'clearMergeCache, countTokens, decode, decodeAsyncGenerator, decodeGenerator, encode, encodeChat',
  'encodeChatGenerator, encodeGenerator, estimateCost, isWithinTokenLimit, setMergeCacheSize, vocabularySize',
];

await runMain(async () => {
  const specs = await load('model-specs');
  fs.rmSync(path.join(folder, 'model'), { recursive: true, force: true });
  fs.mkdirSync(path.join(folder, 'model'));
  for (const name of specs.MODEL_NAMES) write(path.join('model', name), entryOf(name, specs));
  write('models', tableOf(specs));
});

function write(name, { code, types }) {
  fs.writeFileSync(path.join(folder, `${name}.js`), code);
  fs.writeFileSync(path.join(folder, `${name}.d.ts`), types);
}

/** The module of a model: that of its encoding, if it takes no chats. */
function entryOf(name, { callsFunctions, encodingOf, isChatModel, specOf }) {
  const encoding = `'../encoding/${encodingOf(name)}.js'`;
  const same = `export * from ${encoding};\nexport { default } from ${encoding};\n`;
  if (!isChatModel(name)) return { code: same, types: same };
  const calls = callsFunctions(specOf(name)) ? [...CALLS, 'countChatCompletionTokens'] : CALLS;
  const code = `import { GptEncoding } from '../gpt-encoding.js';
import { specOf } from '../model-specs.js';
export * from '../constants.js';
const api = GptEncoding.getEncodingApiForModel('${name}', undefined, specOf('${name}'));
export default api;
export const { ${calls.join(', ')} } = api;
`;
  const counter = `import type { ChatCompletionRequest } from '../chat-completion.js';
/** Estimates the tokens of a chat request with its functions. */
export declare const countChatCompletionTokens: (request: ChatCompletionRequest) => number;
`;
  return { code, types: callsFunctions(specOf(name)) ? `${counter}${same}` : same };
}

/** The module that exports all models by name. Its types say which properties each has. */
function tableOf({ MODEL_NAMES: names, specOf }) {
  const exported = (variable) => names.map((name, index) => `${variable(index)} as '${name}'`).join(', ');
  const keys = names.map((name) => Object.keys(specOf(name)).map((key) => `'${key}'`).sort().join(' | '));
  const kinds = [...new Set(keys)];
  return {
    code: `import { MODEL_NAMES, specOf } from './model-specs.js';
const [${names.map((_, index) => `m${index}`).join(', ')}] = MODEL_NAMES.map(specOf);
export { ${exported((index) => `m${index}`)} };
`,
    types: `import type { ModelSpec } from './model-types.js';
type With<K extends keyof ModelSpec> = ModelSpec & Required<Pick<ModelSpec, K>>;
${kinds.map((kind, index) => `declare const k${index}: With<${kind}>;\n`).join('')}
export { ${exported((index) => `k${kinds.indexOf(keys[index])}`)} };
`,
  };
}

/**
 * Writes what there is one of for each model beside the bundled entries of gpt-tokenizer: model/NAME, the modules that
 * `crayon-tokenizer/gpt-tokenizer/model/NAME` stands for, and models, which exports what is known of each. They cannot be
 * one module: a module does not know by which name it was imported.
 */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './process.mjs';

const CALLS = [
  'clearMergeCache',
  'countTokens',
  'decode',
  'decodeAsyncGenerator',
  'decodeGenerator',
  'encode',
  'encodeChat',
  'encodeChatGenerator',
  'encodeGenerator',
  'estimateCost',
  'isWithinTokenLimit',
  'setMergeCacheSize',
  'vocabularySize',
];

/** After lib/ was bundled. */
export async function writeModelEntries() {
  const node = path.join(root, 'dist', 'node', 'gpt-tokenizer');
  const web = path.join(root, 'dist', 'web', 'gpt-tokenizer');
  const models = await import(pathToFileURL(path.join(node, 'model-entry.js')).href);
  for (const folder of [node, web]) fs.mkdirSync(path.join(folder, 'model'), { recursive: true });
  for (const name of models.MODEL_NAMES) {
    const entry = entryOf(name, models);
    for (const folder of [node, web]) fs.writeFileSync(path.join(folder, 'model', `${name}.js`), entry.module);
    fs.writeFileSync(path.join(node, 'model', `${name}.cjs`), entry.commonJs);
    writeTypes(path.join(node, 'model', name), entry.types);
  }
  const table = tableOf(models);
  for (const folder of [node, web]) fs.writeFileSync(path.join(folder, 'models.js'), table.module);
  fs.writeFileSync(path.join(node, 'models.cjs'), table.commonJs);
  writeTypes(path.join(node, 'models'), table.types);
}

/** Written for ES modules and for CommonJS. */
function writeTypes(stem, types) {
  fs.writeFileSync(`${stem}.d.ts`, types('js'));
  fs.writeFileSync(`${stem}.d.cts`, types('cjs'));
}

/** The module of a model: that of its encoding, if it takes no chats. */
function entryOf(name, { callsFunctions, encodingOf, isChatModel, specOf }) {
  const encoding = `../encoding/${encodingOf(name)}`;
  const sameTypes = (ending) => `export * from '${encoding}.${ending}';\nexport { default } from '${encoding}.${ending}';\n`;
  if (!isChatModel(name)) {
    return { module: sameTypes('js'), commonJs: `module.exports = require('${encoding}.cjs');\n`, types: sameTypes };
  }
  const calls = callsFunctions(specOf(name)) ? [...CALLS, 'countChatCompletionTokens'] : CALLS;
  const counter = (ending) => `import type { ChatCompletionRequest } from '${encoding}.${ending}';
/** Estimates the tokens of a chat request with its functions. */
export declare const countChatCompletionTokens: (request: ChatCompletionRequest) => number;
`;
  return {
    // The names of the encoding that are not defined here are constants.
    module: `import { apiOfModel } from '../model-entry.js';
export * from '${encoding}.js';
const api = apiOfModel('${name}');
export default api;
export const { ${calls.join(', ')} } = api;
`,
    commonJs: `const encoding = require('${encoding}.cjs');
const api = require('../model-entry.cjs').apiOfModel('${name}');
const { ${calls.join(', ')} } = api;
module.exports = { ...encoding, ${calls.join(', ')}, default: api };
Object.defineProperty(module.exports, '__esModule', { value: true });
`,
    types: (ending) => (callsFunctions(specOf(name)) ? `${counter(ending)}${sameTypes(ending)}` : sameTypes(ending)),
  };
}

/** The module that exports all models by name. Its types say which properties each has. */
function tableOf({ MODEL_NAMES: names, specOf }) {
  const exported = (variable) => names.map((name, index) => `${variable(index)} as '${name}'`).join(', ');
  const keys = names.map((name) =>
    Object.keys(specOf(name))
      .map((key) => `'${key}'`)
      .sort()
      .join(' | '),
  );
  const kinds = [...new Set(keys)];
  return {
    module: `import { MODEL_NAMES, specOf } from './model-specs.js';
const [${names.map((_, index) => `m${index}`).join(', ')}] = MODEL_NAMES.map(specOf);
export { ${exported((index) => `m${index}`)} };
`,
    commonJs: `const { MODEL_NAMES, specOf } = require('./model-specs.cjs');
for (const name of MODEL_NAMES) exports[name] = specOf(name);
Object.defineProperty(exports, '__esModule', { value: true });
`,
    types: (ending) => `import type { ModelSpec } from './modelTypes.${ending}';
type With<K extends keyof ModelSpec> = ModelSpec & Required<Pick<ModelSpec, K>>;
${kinds.map((kind, index) => `declare const k${index}: With<${kind}>;\n`).join('')}
export { ${exported((index) => `k${kinds.indexOf(keys[index])}`)} };
`,
  };
}

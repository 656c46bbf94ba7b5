/**
 * Writes the modules `crayon-tokenizer/gpt-tokenizer/model/NAME` and `…/models` beside the bundled entries of gpt-tokenizer.
 *
 *   dist/gpt/NAME          a chat model; a module of its own, because a module does not know by which name it was imported
 *   dist/gpt/ENCODING      every other model with this encoding
 *   dist/gpt/exports.json  which of them package.json exports for each model: pack.mjs adds it
 *
 * npm needs about a millisecond for each file that it installs, so Node and pages share these modules: they import the rest of
 * gpt-tokenizer as `#gpt-tokenizer/…`, which package.json maps for each host.
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

/** The encoding that declares the types of all chat models; the others have the same types. */
const CHAT_TYPES = 'o200k_base';

/** Requires the bundled lib/. */
export async function writeModelEntries() {
  const node = path.join(root, 'dist', 'node', 'gpt-tokenizer');
  const web = path.join(root, 'dist', 'web', 'gpt-tokenizer');
  const modules = path.join(root, 'dist', 'gpt');
  fs.rmSync(modules, { recursive: true, force: true });
  fs.mkdirSync(modules);
  const models = await import(pathToFileURL(path.join(node, 'model-specs.js')).href);
  const exports = {};
  for (const name of models.MODEL_NAMES) {
    const encoding = models.encodingOf(name);
    const isChatModel = models.isChatModel(name);
    const module = isChatModel ? name : encoding;
    write(path.join(modules, module), isChatModel ? chatModel(name, encoding, models) : onlyEncoding(encoding));
    if (!isChatModel) writeTypes(path.join(modules, encoding), typesOf(encoding));
    const types = models.callsFunctions(models.specOf(name)) ? 'functions' : 'chat';
    exports[`./gpt-tokenizer/model/${name}`] = {
      // TypeScript finds an encoding's types beside its module.
      ...(isChatModel && { types: { require: `./dist/gpt/${types}.d.cts`, default: `./dist/gpt/${types}.d.ts` } }),
      require: `./dist/gpt/${module}.cjs`,
      default: `./dist/gpt/${module}.js`,
    };
  }
  writeTypes(path.join(modules, 'chat'), typesOf(CHAT_TYPES));
  writeTypes(path.join(modules, 'functions'), typesWithFunctions);
  fs.writeFileSync(path.join(modules, 'exports.json'), JSON.stringify(exports));
  const table = tableOf(models);
  for (const folder of [node, web]) fs.writeFileSync(path.join(folder, 'models.js'), table.module);
  fs.writeFileSync(path.join(node, 'models.cjs'), table.commonJs);
  writeTypes(path.join(node, 'models'), table.types);
}

/** What package.json exports for the models, in a package and in tests. */
export function modelExports() {
  return JSON.parse(fs.readFileSync(path.join(root, 'dist', 'gpt', 'exports.json'), 'utf8'));
}

function write(stem, { module, commonJs }) {
  fs.writeFileSync(`${stem}.js`, module);
  fs.writeFileSync(`${stem}.cjs`, commonJs);
}

/** Written for ES modules and for CommonJS. */
function writeTypes(stem, types) {
  fs.writeFileSync(`${stem}.d.ts`, types('js'));
  fs.writeFileSync(`${stem}.d.cts`, types('cjs'));
}

function onlyEncoding(encoding) {
  const name = `#gpt-tokenizer/encoding/${encoding}`;
  return {
    module: `export * from '${name}';\nexport { default } from '${name}';\n`,
    commonJs: `const encoding = require('${name}');
Object.defineProperty(exports, '__esModule', { value: true });
Object.assign(exports, encoding);
exports.default = encoding.default;
`,
  };
}

function chatModel(name, encoding, { callsFunctions, specOf }) {
  const calls = (callsFunctions(specOf(name)) ? [...CALLS, 'countChatCompletionTokens'] : CALLS).join(', ');
  return {
    // The names of the encoding that are not defined here are constants.
    module: `import { GptEncoding } from '#gpt-tokenizer/GptEncoding';
import { specOf } from '#gpt-tokenizer/model-specs';
export * from '#gpt-tokenizer/encoding/${encoding}';
const api = GptEncoding.getEncodingApiForModel('${name}', undefined, specOf('${name}'));
export default api;
export const { ${calls} } = api;
`,
    commonJs: `const encoding = require('#gpt-tokenizer/encoding/${encoding}');
const { GptEncoding } = require('#gpt-tokenizer/GptEncoding');
const { specOf } = require('#gpt-tokenizer/model-specs');
const api = GptEncoding.getEncodingApiForModel('${name}', undefined, specOf('${name}'));
const { ${calls} } = api;
Object.defineProperty(exports, '__esModule', { value: true });
Object.assign(exports, encoding, { ${calls} });
exports.default = api;
`,
  };
}

const typesOf = (encoding) => (ending) => {
  const types = `../node/gpt-tokenizer/encoding/${encoding}.${ending}`;
  return `export * from '${types}';\nexport { default } from '${types}';\n`;
};

const typesWithFunctions = (ending) =>
  `import type { ChatCompletionRequest } from '../node/gpt-tokenizer/encoding/${CHAT_TYPES}.${ending}';
/** Estimates the tokens of a chat request with its functions. */
export declare const countChatCompletionTokens: (request: ChatCompletionRequest) => number;
${typesOf(CHAT_TYPES)(ending)}`;

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

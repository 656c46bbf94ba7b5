// LangChain over the drop-in for js-tiktoken: a program that counts and splits prints the same with either module as
// `js-tiktoken`. LangChain downloads ranks; here the packages' files answer instead.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const project = fileURLToPath(new URL('../..', import.meta.url));

/** Replaces `js-tiktoken` with another module for every import and require, like a bundler's alias. */
const ALIAS = (name: string) => `
  const nodeModule = process.getBuiltinModule('node:module');
  const stand = (specifier) => specifier.replace(/^js-tiktoken(?=$|\\/)/, '${name}');
  const here = 'file://' + process.cwd() + '/any.js';
  nodeModule.register('data:text/javascript,' + encodeURIComponent(\`
    const stand = \${stand};
    export const resolve = (specifier, context, next) =>
      stand(specifier) === specifier ? next(specifier, context) : next(stand(specifier), { ...context, parentURL: '\${here}' });\`));
  const { _resolveFilename } = nodeModule.Module;
  const own = nodeModule.createRequire(here);
  nodeModule.Module._resolveFilename = (specifier, ...rest) =>
    stand(specifier) === specifier ? _resolveFilename.call(nodeModule.Module, specifier, ...rest) : own.resolve(stand(specifier));`;

/** `ranks`: the network's answers, by encoding name. */
const FETCH = (ranks: string) => `
  const fetched = [];
  globalThis.fetch = async (url) => {
    const name = /^https:\\/\\/tiktoken\\.pages\\.dev\\/js\\/(\\w+)\\.json$/.exec(url)[1];
    fetched.push(name);
    const found = process.getBuiltinModule('node:module').createRequire(process.cwd() + '/any.js')('${ranks}');
    return new Response(JSON.stringify(found), { headers: { 'content-type': 'application/json' } });
  };`;

const BODY = `
  const fs = process.getBuiltinModule('node:fs');
  const prose = fs.readdirSync('test/fixtures/prose').slice(0, 4).map((file) => fs.readFileSync('test/fixtures/prose/' + file, 'utf8').slice(0, 3000));
  const texts = ['', 'hello world', "it's 12345 ünïcödé 語 \\r\\n\\n", '👩‍👩‍👧‍👦 🦜', ...prose];
  const out = {};
  for (const name of ['gpt2', 'cl100k_base', 'o200k_base']) {
    const encoding = await getEncoding(name);
    if (!(encoding instanceof Tiktoken)) throw new Error('js-tiktoken stands for another module');
    out[name] = texts.map((text) => encoding.encode(text));
    // Like TokenTextSplitter: between ids, decoding each part separately.
    out[name + ' split'] = texts.flatMap((text) => {
      const ids = encoding.encode(text, [], 'all');
      const parts = [];
      for (let at = 0; at < ids.length; at += 7) parts.push(encoding.decode(ids.slice(at, at + 10)));
      return parts;
    });
    out[name + ' special'] = [encoding.encode('a<|endoftext|>', 'all'), encoding.encode('a<|endoftext|>', [], [])];
    try { encoding.encode('a<|endoftext|>'); } catch (error) { out[name + ' error'] = String(error); }
  }
  for (const modelName of ['gpt-4', 'gpt-4o', 'gpt-3.5-turbo-16k', 'text-embedding-ada-002', 'text-davinci-003']) {
    out[modelName] = await calculateMaxTokens({ prompt: texts.join(''), modelName });
    const model = new FakeListChatModel({ responses: [] });
    model.modelName = modelName;
    out[modelName + ' counts'] = await Promise.all(texts.map((text) => model.getNumTokens(text)));
    out[modelName + ' id'] = (await encodingForModel(modelName)).encode('hello world');
  }
  console.log(JSON.stringify({ out, fetched }));`;

const MODULES = (name: string) => [
  `${name}/lite`,
  '@langchain/core/utils/tiktoken',
  '@langchain/core/language_models/base',
  '@langchain/core/utils/testing',
];
const IMPORTED = 'await Promise.all(MODULES.map((each) => import(each)))';
const REQUIRED = "MODULES.map(process.getBuiltinModule('node:module').createRequire(process.cwd() + '/any.js'))";

/** The output of the program. */
function printed(name: string, loading: string, ranks: string): { out: Record<string, unknown>; fetched: string[] } {
  const program = `${ALIAS(name)}${FETCH(ranks)}
    const MODULES = ${JSON.stringify(MODULES(name))};
    const loaded = Object.assign({}, ...${loading});
    const { calculateMaxTokens, encodingForModel, FakeListChatModel, getEncoding, Tiktoken } = loaded;${BODY}`;
  const args = ['--no-warnings', '--input-type=module', '--eval', program];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: project, encoding: 'utf8', maxBuffer: 1 << 26 }));
}

let expected: ReturnType<typeof printed> | undefined;

it.each([
  ['imported', IMPORTED, 'js-tiktoken/ranks/${name}'],
  ['imported, with ranks as npm tiktoken spells them', IMPORTED, 'tiktoken/encoders/${name}.json'],
  ['required', REQUIRED, 'js-tiktoken/ranks/${name}'],
])('LangChain, %s, runs unchanged', (_, loading, ranks) => {
  const file = ranks.replace('${name}', "' + name + '");
  expected ??= printed('js-tiktoken', IMPORTED, "js-tiktoken/ranks/' + name + '");
  const { out, fetched } = printed('crayon-tokenizer/js-tiktoken', loading, file);
  expect(out).toEqual(expected.out);
  expect(fetched).toEqual(expected.fetched);
  expect(fetched).toEqual(['gpt2', 'cl100k_base', 'o200k_base', 'p50k_base']);
  expect(out['gpt-4o id']).toEqual([24912, 2375]);
  // Not an estimate from the text's length, LangChain's fallback.
  expect((out['gpt-4 counts'] as number[])[1]).toBe(2);
});

// The entries for LangChain and the AI SDK, installed beside these packages, by import and by require; and what a page downloads of
// them.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import zlib from 'node:zlib';
import * as esbuild from 'esbuild';
import { beforeAll, describe, expect, inject, it } from 'vitest';

const folder = path.join(inject('folder'), 'frameworks');
const modules = path.join(folder, 'node_modules');
const require = createRequire(import.meta.url);

/** Where a package of the tests is: a link to it finds what it needs itself. */
const homeOf = (name: string) =>
  require.resolve
    .paths(name)!
    .map((each) => path.join(each, name))
    .find((each) => fs.existsSync(each))!;

/** What a program prints. */
function printed(source: string, type: 'module' | 'commonjs' = 'module'): string {
  const { stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', `--input-type=${type}`, '--eval', source], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stdout.trim() || stderr;
}

beforeAll(() => fs.cpSync(inject('installed'), path.join(modules, 'crayon-tokenizer'), { recursive: true }));

const SPLIT = `
  const splitter = new TokenTextSplitter({ tokenizer: Tokenizer.loadSync('o200k_base'), chunkSize: 1, chunkOverlap: 0 });
  console.log(splitter instanceof TextSplitter);
  splitter.createDocuments(['hello world']).then((documents) => console.log(JSON.stringify(documents.map(({ metadata }) => metadata.loc.characters))));`;
const SPLIT_PRINTS = 'true\n[{"start":0,"end":5},{"start":5,"end":11}]';

describe('crayon-tokenizer/langchain', () => {
  it('names the package of LangChain that is missing', () => {
    expect(printed(`import('crayon-tokenizer/langchain').catch((error) => console.log(error.code, error.message))`)).toMatch(
      /^ERR_MODULE_NOT_FOUND .*@langchain\//,
    );
  });

  it("extends LangChain's classes, imported and required", () => {
    fs.symlinkSync(homeOf('@langchain'), path.join(modules, '@langchain'), 'dir');
    const names = ['{ Tokenizer }', '{ TokenTextSplitter }', '{ TextSplitter }'];
    const entries = ['crayon-tokenizer', 'crayon-tokenizer/langchain', '@langchain/textsplitters'];
    const imports = entries.map((entry, at) => `import ${names[at]} from '${entry}';`).join('\n');
    expect(printed(imports + SPLIT)).toBe(SPLIT_PRINTS);
    const requires = entries.map((entry, at) => `const ${names[at]} = require('${entry}');`).join('\n');
    expect(printed(requires + SPLIT, 'commonjs')).toBe(SPLIT_PRINTS);
  });
});

describe('crayon-tokenizer/ai-sdk', () => {
  it('is a middleware of the AI SDK, and needs nothing of it', () => {
    const count = `
      const count = countPrompt(Tokenizer.loadSync('o200k_base'), { prompt: [{ role: 'system', content: 'hello world' }] });
      console.log(JSON.stringify(count));`;
    const counted = '{"tokens":6,"estimated":4}';
    const imports = `import { Tokenizer } from 'crayon-tokenizer'; import { countPrompt, tokenBudget } from 'crayon-tokenizer/ai-sdk';`;
    expect(printed(imports + count)).toBe(counted);
    expect(
      printed(
        `const { Tokenizer } = require('crayon-tokenizer'); const { countPrompt } = require('crayon-tokenizer/ai-sdk');${count}`,
        'commonjs',
      ),
    ).toBe(counted);

    fs.symlinkSync(homeOf('ai'), path.join(modules, 'ai'), 'dir');
    const program = `${imports}
      import { generateText, wrapLanguageModel } from 'ai';
      import { MockLanguageModelV4 } from 'ai/test';
      const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
      const mock = new MockLanguageModelV4({ doGenerate: { content: [{ type: 'text', text: 'yes' }], finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] } });
      const middleware = tokenBudget({ tokenizer: Tokenizer.loadSync('o200k_base'), maxTokens: 6 });
      const { text } = await generateText({ model: wrapLanguageModel({ model: mock, middleware }), messages: [{ role: 'user', content: 'hello' }, { role: 'user', content: 'hello world' }] });
      console.log(text, mock.doGenerateCalls[0].prompt.length);`;
    expect(printed(program)).toBe('yes 1');
  });
});

it.each([
  ['langchain', 'TokenTextSplitter', 2_500],
  ['ai-sdk', 'tokenBudget', 4_400],
])('crayon-tokenizer/%s adds no engine to a page', async (entry, name, most) => {
  const { outputFiles } = await esbuild.build({
    stdin: { contents: `export { ${name} } from 'crayon-tokenizer/${entry}'`, resolveDir: folder },
    external: ['@langchain/*'],
    ...{ bundle: true, write: false, minify: true, splitting: true, outdir: 'out', format: 'esm', platform: 'browser', target: 'esnext' },
  });
  const size = outputFiles.reduce((sum, { contents }) => sum + zlib.gzipSync(contents).length, 0);
  console.log(`${entry}: ${size} bytes under gzip`);
  expect(size).toBeLessThan(most);
});

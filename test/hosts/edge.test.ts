// An edge worker in workerd, the runtime of Cloudflare Workers, with the engine as an imported module.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import zlib from 'node:zlib';
import * as esbuild from 'esbuild';
import { Miniflare } from 'miniflare';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { expectedAnswers } from './expected.js';

const folder = inject('folder');
let worker: Miniflare;

interface Module {
  type: 'ESModule' | 'CompiledWasm' | 'Data';
  path: string;
  contents: string | Uint8Array;
}

/** How wrangler treats imports that are not code: they stay imports, of files beside the script. */
const besideTheScript = (modules: Module[]): esbuild.Plugin => ({
  name: 'beside the script',
  setup(build) {
    build.onResolve({ filter: /\.(wasm|cray)$/ }, async ({ path: name, pluginData, ...rest }) => {
      if (pluginData === 'asked') return undefined;
      const found = await build.resolve(name, { ...rest, pluginData: 'asked' });
      const file = path.basename(found.path);
      modules.push({ type: file.endsWith('.wasm') ? 'CompiledWasm' : 'Data', path: file, contents: fs.readFileSync(found.path) });
      return { path: `./${file}`, external: true };
    });
  },
});

async function workerOf(entry: Pick<esbuild.BuildOptions, 'entryPoints' | 'stdin'>): Promise<Miniflare> {
  const modules: Module[] = [];
  const { outputFiles } = await esbuild.build({
    ...entry,
    bundle: true,
    write: false,
    format: 'esm',
    target: 'esnext',
    conditions: ['workerd', 'worker', 'browser'],
    plugins: [besideTheScript(modules)],
  });
  modules.unshift({ type: 'ESModule', path: 'worker.js', contents: outputFiles[0]!.text });
  return new Miniflare({ modules, compatibilityDate: '2026-04-01' });
}

beforeAll(async () => {
  const sources = path.join(folder, 'edge');
  fs.cpSync(new URL('app', import.meta.url), sources, { recursive: true });
  worker = await workerOf({ entryPoints: [path.join(sources, 'edge.js')] });
});
afterAll(() => worker?.dispose());

it('counts in workerd', async () => {
  const answer = await worker.dispatchFetch('http://localhost/').then((response) => response.json());
  const { ids, streamed } = await expectedAnswers();
  expect(answer).toMatchObject({
    dna: '6 8 9 7 1 6 8 9 7 10',
    complement: 'CGTT'.repeat(1000),
    ids,
    streamed,
    backend: { kind: 'wasm', kernel: 'simd128' },
  });
});

/** What a worker answers that runs `code`, an expression, for a request. */
async function answerOf(head: string, code: string): Promise<unknown> {
  const contents = `
    import { Tokenizer, trainBpe, useWasm } from 'crayon-tokenizer';
    import { DnaTokenizer } from 'crayon-tokenizer/dna';
    ${head}
    const failure = ({ name, code, message }) => ({ name, code, message });
    export default { fetch: async () => Response.json(await (async () => (${code}))().catch(failure)) };`;
  const own = await workerOf({ stdin: { contents, resolveDir: folder } });
  try {
    return await own.dispatchFetch('http://localhost/').then((response) => response.json());
  } finally {
    await own.dispose();
  }
}

it('says in workerd which module is to be imported', async () => {
  const core = "import core from 'crayon-tokenizer/core.wasm'; useWasm(core);";
  const advice = {
    name: 'TokenizerError',
    code: 'FEATURE_MISSING',
    message: expect.stringMatching(/import core from 'crayon-tokenizer\/core\.wasm' and call useWasm\(core\).*build\.wasm.*useDnaWasm/),
  };
  expect(await answerOf('', "await Tokenizer.load('o200k_base')")).toEqual(advice);
  expect(await answerOf('', "await DnaTokenizer.load('nt-v3')")).toEqual(advice);
  expect(await answerOf(core, "await trainBpe(['low lower'], { vocabularySize: 260 })")).toEqual(advice);
  expect(await answerOf(core, "await Tokenizer.load('{}').catch(({ name }) => name)")).toBe('TokenizerError');
});

it('opens a tokenizer.json and trains in workerd with build.wasm', async () => {
  const file = fs.readFileSync(new URL('../models/gpt.tokenizer.json', import.meta.url), 'utf8');
  const build = "import build from 'crayon-tokenizer/build.wasm'; useWasm(build);";
  const text = 'hello world, it is one of the things';
  const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as typeof import('tokenizers');
  const expected = await HuggingFace.fromString(file).encode(text, null, { addSpecialTokens: false });
  const bytes = `new TextEncoder().encode(${JSON.stringify(file)})`;
  expect(await answerOf(build, `[...(await Tokenizer.load(${bytes})).encode(${JSON.stringify(text)})]`)).toEqual(expected.getIds());
  const trained = "(await trainBpe(['low lower lowest'], { vocabularySize: 260, minFrequency: 1 })).merges.length";
  expect(await answerOf(build, trained)).toBe(4);
});

it("stays under the 3 MB gzip limit of Cloudflare's free plan, with an encoding by name", async () => {
  const contents = `
    import { Tokenizer, useWasm } from 'crayon-tokenizer';
    import core from 'crayon-tokenizer/core.wasm';
    useWasm(core);
    export default { fetch: async (request) => Response.json((await Tokenizer.load('o200k_base')).count(await request.text())) };`;
  const { outputFiles } = await esbuild.build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'esnext',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['*.wasm'],
  });
  const core = fs.readFileSync(path.join(inject('installed'), 'dist', 'wasm', 'core.wasm'));
  const bytes = [outputFiles[0]!.contents, core].reduce((sum, each) => sum + zlib.gzipSync(each).length, 0);
  console.log(`edge worker: ${bytes} bytes under gzip`);
  expect(bytes).toBeLessThan(3e6);
});

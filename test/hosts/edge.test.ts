// An edge worker in workerd, the runtime of Cloudflare Workers, with the engine as an imported module.

import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import * as esbuild from 'esbuild';
import { Miniflare } from 'miniflare';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { expectedAnswers } from './expected.js';

const folder = inject('folder');
let worker: Miniflare;
const modules: { type: 'ESModule' | 'CompiledWasm' | 'Data'; path: string; contents: string | Uint8Array }[] = [];

/** How wrangler treats imports that are not code: they stay imports, of files beside the script. */
const besideTheScript: esbuild.Plugin = {
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
};

beforeAll(async () => {
  const sources = path.join(folder, 'edge');
  fs.cpSync(new URL('app', import.meta.url), sources, { recursive: true });
  const { outputFiles } = await esbuild.build({
    entryPoints: [path.join(sources, 'edge.js')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'esnext',
    conditions: ['workerd', 'worker', 'browser'],
    plugins: [besideTheScript],
  });
  modules.unshift({ type: 'ESModule', path: 'worker.js', contents: outputFiles[0]!.text });
  worker = new Miniflare({ modules, compatibilityDate: '2026-04-01' });
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

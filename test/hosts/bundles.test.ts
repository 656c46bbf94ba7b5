// An app of a few lines that imports the package by name, bundled by the common bundlers, and run in Chromium. Everything
// the app needs must be where it looks for it.

import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import * as esbuild from 'esbuild';
import { type Browser, chromium } from 'playwright';
import * as vite from 'vite';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { CHROMIUM_ARGUMENTS, chromiumPath } from '../../scripts/chromium.mjs';
import { BUNDLERS, bundlers } from './bundlers.js';
import { expectedAnswers } from './expected.js';
import { visit } from './page.js';

const folder = inject('folder');
const sources = path.join(folder, 'app');

describe.skipIf(inject('noChromium') !== '')('in Chromium', () => {
  let browser: Browser;
  let expected: object;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_ARGUMENTS });
    expected = await expectedAnswers();
    fs.cpSync(new URL('app', import.meta.url), sources, { recursive: true });
  });
  afterAll(() => browser?.close());

  describe.each(bundlers())('bundled by %s', (name) => {
    const bundled = async (app: string) => {
      const out = path.join(folder, `${name}-${app}`);
      await BUNDLERS[name]!(path.join(sources, `${app}.js`), out);
      return out;
    };

    it('has its engine and vocabulary', async () => {
      const out = await bundled('main');
      const { outcome, asked, lost, errors } = await visit(browser, out);
      expect({ outcome, lost, errors }).toEqual({ outcome: expected, lost: [], errors: [] });
      // Other vocabularies may be there; they are not downloaded.
      expect(asked.filter((file) => /cl100k|p50k|r50k/.test(file))).toEqual([]);
    });

    it('has them in the script on request', async () => {
      const out = await bundled('inline');
      const { outcome, asked, lost, errors } = await visit(browser, out);
      expect({ outcome, lost, errors }).toEqual({ outcome: expected, lost: [], errors: [] });
      expect(asked.filter((file) => !/(^|\.js)$/.test(file))).toEqual([]);
    });

    it.each([
      ['compiles', 'compile', [7, 19_999]],
      ['trains', 'train', [257]],
    ])('%s, in a worker if the bundler supports them', async (_, app, ids) => {
      const { outcome, errors, workers } = await visit(browser, await bundled(app));
      expect(outcome).toEqual({ ids });
      if (!['Vite', 'webpack'].includes(name)) return;
      expect(errors).toEqual([]);
      expect(workers).toBeGreaterThan(0);
    });
  });

  // The ids of a repeated text: each copy begins with a capital letter after a line end, which no token spans.
  const ofManyTexts = async () => ({ count: 20_000 * (await expectedAnswers('cl100k_base')).count, same: true });

  describe.each(['Vite', 'webpack'])('bundled by %s', (name) => {
    it("encodes in the package's worker", async () => {
      const out = path.join(folder, `${name}-later`);
      await BUNDLERS[name]!(path.join(sources, 'later.js'), out);
      const { outcome, lost, errors, workers } = await visit(browser, out);
      expect({ outcome, lost, errors }).toEqual({ outcome: await ofManyTexts(), lost: [], errors: [] });
      expect(workers).toBeGreaterThan(0);
    });

    it('runs in a worker', async () => {
      const out = path.join(folder, `${name}-worker`);
      await BUNDLERS[name]!(path.join(sources, 'worker-main.js'), out);
      const { outcome, lost, errors } = await visit(browser, out);
      expect({ outcome, lost, errors }).toEqual({ outcome: expected, lost: [], errors: [] });
    });
  });

  it.each(['esbuild', 'Rollup'])('bundled by %s, which does not support workers, encodes in turns', async (name) => {
    const out = path.join(folder, `${name}-later`);
    await BUNDLERS[name]!(path.join(sources, 'later.js'), out);
    expect((await visit(browser, out)).outcome).toEqual(await ofManyTexts());
  });

  it('bundled by esbuild with the workers as entry points, encodes in them', async () => {
    const out = path.join(folder, 'esbuild-with-workers');
    const workers = ['encode-worker', 'web-compile-worker', 'web-train-worker'];
    const scripts = workers.map((name) => [name, path.join(inject('installed'), 'dist', 'web', `${name}.js`)]);
    for (const [app, expected] of Object.entries({ later: await ofManyTexts(), compile: { ids: [7, 19_999] }, train: { ids: [257] } })) {
      const entryPoints = { main: path.join(sources, `${app}.js`), ...Object.fromEntries(scripts) };
      await esbuild.build({ entryPoints, outdir: path.join(out, app), bundle: true, splitting: true, format: 'esm', target: 'esnext' });
      const { outcome, errors, workers } = await visit(browser, path.join(out, app));
      expect({ outcome, errors }).toEqual({ outcome: expected, errors: [] });
      expect(workers).toBeGreaterThan(0);
    }
  });

  it('without a bundler, by an import map', async () => {
    const out = path.join(folder, 'plain');
    fs.mkdirSync(out);
    fs.cpSync(inject('installed'), path.join(out, 'crayon-tokenizer'), { recursive: true });
    for (const file of ['main.js', 'answers.js']) fs.copyFileSync(path.join(sources, file), path.join(out, file));
    const imports = { 'crayon-tokenizer': './crayon-tokenizer/dist/web/index.js' };
    fs.writeFileSync(
      path.join(out, 'index.html'),
      `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script><script type="module" src="main.js"></script>`,
    );
    const { outcome, lost, errors } = await visit(browser, out);
    expect({ outcome, lost, errors }).toEqual({ outcome: expected, lost: [], errors: [] });
  });

  it.each([
    ['cl100k_base', 431_500, 456_000],
    ['o200k_base', 776_000, 810_500],
  ])('%s with its dependencies is a download of at most %i bytes under brotli, %i under gzip', async (vocabulary, most, mostZipped) => {
    const entry = path.join(sources, `${vocabulary}.js`);
    fs.writeFileSync(
      entry,
      `import { Tokenizer } from 'crayon-tokenizer';
       globalThis.outcome = Tokenizer.load('${vocabulary}').then((tokenizer) => tokenizer.count('hello world'));`,
    );
    const out = path.join(folder, `size-${vocabulary}`);
    await BUNDLERS.Vite!(entry, out);
    const { outcome, asked } = await visit(browser, out);
    expect(outcome).toBe(2);
    const sizes = asked
      .filter((file) => file !== '')
      .map((file) => [file, zlib.brotliCompressSync(fs.readFileSync(path.join(out, file))).length] as const);
    const total = sizes.reduce((sum, [, size]) => sum + size, 0);
    const zipped = asked
      .filter((file) => file !== '')
      .reduce((sum, file) => sum + zlib.gzipSync(fs.readFileSync(path.join(out, file))).length, 0);
    console.log(
      `${vocabulary}: ${zipped} bytes under gzip, ${total} under brotli (${sizes.map(([file, size]) => `${path.extname(file)} ${size}`).join(', ')})`,
    );
    expect(total).toBeLessThanOrEqual(most);
    expect(zipped).toBeLessThanOrEqual(mostZipped);
  });

  it('workers that Vite builds by default contain no vocabulary', async () => {
    const out = path.join(folder, 'Vite-plain');
    const entry = path.join(sources, 'later.js');
    await vite.build({
      configFile: false,
      root: sources,
      base: './',
      logLevel: 'error',
      build: { outDir: out, target: 'esnext', rolldownOptions: { input: entry, output: { entryFileNames: 'main.js' } } },
    });
    const scripts = fs.readdirSync(path.join(out, 'assets')).filter((file) => /worker/.test(file));
    expect(scripts.length).toBeGreaterThanOrEqual(2);
    for (const file of scripts) expect(fs.statSync(path.join(out, 'assets', file)).size, file).toBeLessThan(1_050_000);
    const { outcome, workers, errors } = await visit(browser, out);
    expect({ outcome, errors }).toEqual({ outcome: await ofManyTexts(), errors: [] });
    expect(workers).toBeGreaterThan(0);
  });

  it('names the Content-Security-Policy that forbids WebAssembly', async () => {
    const out = path.join(folder, 'policy');
    await BUNDLERS.esbuild!(path.join(sources, 'main.js'), out);
    const page = (sources: string) =>
      `<!doctype html><meta http-equiv="Content-Security-Policy" content="script-src ${sources}"><script type="module" src="main.js"></script>`;
    fs.writeFileSync(path.join(out, 'index.html'), page("'self'"));
    const { outcome } = await visit(browser, out);
    expect(outcome).toMatchObject({ failed: expect.stringContaining("add 'wasm-unsafe-eval' to its script-src") });
    fs.writeFileSync(path.join(out, 'index.html'), page("'self' 'wasm-unsafe-eval'"));
    expect((await visit(browser, out)).outcome).toEqual(expected);
  });
});

/**
 * `npm run docs`: the documentation site, built offline into build/site.
 *
 *     npm run docs                            for the root of a host
 *     npm run docs -- --base /crayon-tokenizer/    for a folder of one, as on GitHub Pages
 *     npm run docs -- --out FOLDER            there, in place of build/site
 *
 * Pages come from docs/, from the documents for contributors (where they are: ARCHITECTURE.md, cartridges/FORMAT.md …), from the
 * reports in bench/results; they are laid out in build/docs, where VitePress builds them. TypeDoc writes the API reference from the doc
 * comments in lib/, and docs/playground builds itself. A link or an anchor that leads nowhere fails the build.
 */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { deadLinksOf } from './docs-links.mjs';
import { apiSidebar, benchmarkSidebar, layOutPages } from './docs-pages.mjs';
import { expected, isMain, outputOf, root, run, runMain } from './process.mjs';
import { setUp } from './setup.mjs';
import { cardPicture } from './token-picture.mjs';

const staging = path.join(root, 'build', 'docs');
const typedoc = path.join(root, 'node_modules', 'typedoc', 'bin', 'typedoc');
const playground = path.join(root, 'docs', 'playground', 'build.mjs');

/** Builds the site. @param {{ out?: string, base?: string }} [options] */
export async function buildSite({ out = path.join(root, 'build', 'site'), base = '/' } = {}) {
  if (!/^\/(?:.*\/)?$/.test(base)) throw expected(`--base begins and ends with a slash, such as /crayon-tokenizer/; received ${base}`);
  checkBuilt();
  setUp('docs');
  const [{ default: sharp }, { build }] = await Promise.all([import('sharp'), import('vitepress')]);
  fs.rmSync(staging, { recursive: true, force: true });
  fs.mkdirSync(staging, { recursive: true });
  layOutPages(staging);
  run(process.execPath, [typedoc, '--options', path.join(root, 'docs', 'typedoc.json'), '--out', path.join(staging, 'api')]);
  const sidebars = { '/benchmarks/': benchmarkSidebar(), '/api/': apiSidebar(staging) };
  write('.vitepress/sample.json', await sampleTokens());
  await bundleEngine();
  const logo = fs.readFileSync(path.join(root, 'docs', 'public', 'logo.svg'), 'utf8');
  await sharp(Buffer.from(await cardPicture(logo)))
    .png({ palette: true })
    .toFile(path.join(staging, 'public', 'card.png'));
  const modules = { 'playground/units.ts': path.join(root, 'docs/playground/src/units.ts') };
  write('.vitepress/generated.json', { base, sidebars, hasPlayground: fs.existsSync(playground), modules });
  await build(staging, { base, outDir: out });
  if (fs.existsSync(playground)) run(process.execPath, [playground, '--out', path.join(out, 'playground'), '--base', `${base}playground/`]);
  const dead = deadLinksOf(out, base);
  if (dead.length > 0) throw expected(`links that lead nowhere:\n${dead.join('\n')}`);
  return out;
}

/** What the site is made of, which takes a minute to ask for it. */
function checkBuilt() {
  const needed = ['node/index.js', 'web/index.js', 'wasm/core.wasm', 'embedded/core.js', 'embedded/o200k_base.js'].map((name) =>
    path.join('dist', name),
  );
  const missing = needed.filter((name) => !fs.existsSync(path.join(root, name)));
  if (missing.length === 0) return;
  const how =
    outputOf('em++', ['--version']) === undefined ? 'install Emscripten (Debian: emscripten), and run npm run build' : 'npm run build';
  throw expected(`The site needs ${missing.join(', ')}: ${how}`);
}

/** The package for the first page, which imports it when it is touched. Vite would take a minute for it, for the server's side, too. */
async function bundleEngine() {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({ input: path.join(root, 'dist', 'web', 'index.js'), platform: 'browser', logLevel: 'warn' });
  await bundle.write({ dir: path.join(staging, 'public', 'engine'), minify: true, entryFileNames: 'index.js' });
  await bundle.close();
}

/** What the first page shows before its engine is there. */
async function sampleTokens() {
  const { Tokenizer } = await import('../dist/node/index.js');
  const [text, vocabulary] = [
    'Colour every token: words, subwords, 12345 digits, naïve accents, 日本語, def f(x): and <|endoftext|>.',
    'cl100k_base',
  ];
  const tokenizer = await Tokenizer.load(vocabulary);
  const { ids, offsets } = tokenizer.encodeWithOffsets(text);
  const sample = { text, vocabulary, ids: Array.from(ids), offsets: Array.from(offsets) };
  tokenizer.close();
  return sample;
}

function write(name, content) {
  fs.writeFileSync(path.join(staging, name), JSON.stringify(content));
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    const { values } = parseArgs({ options: { out: { type: 'string' }, base: { type: 'string' } } });
    const out = await buildSite({ ...values, ...(values.out === undefined ? {} : { out: path.resolve(values.out) }) });
    console.log(
      `\n${pathToFileURL(path.join(out, 'index.html')).href}\nTo look at it: npx vite preview --outDir ${path.relative(root, out)}`,
    );
  });
}

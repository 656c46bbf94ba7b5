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
import { expected, isMain, root, run, runMain } from './process.mjs';
import { setUp } from './setup.mjs';

const staging = path.join(root, 'build', 'docs');
const typedoc = path.join(root, 'node_modules', 'typedoc', 'bin', 'typedoc');
const playground = path.join(root, 'docs', 'playground', 'build.mjs');

/** Builds the site. @param {{ out?: string, base?: string }} [options] */
export async function buildSite({ out = path.join(root, 'build', 'site'), base = '/' } = {}) {
  if (!/^\/(?:.*\/)?$/.test(base)) throw expected(`--base begins and ends with a slash, such as /crayon-tokenizer/; received ${base}`);
  setUp('docs');
  fs.rmSync(staging, { recursive: true, force: true });
  fs.mkdirSync(staging, { recursive: true });
  layOutPages(staging);
  run(process.execPath, [typedoc, '--options', path.join(root, 'docs', 'typedoc.json'), '--out', path.join(staging, 'api')]);
  const sidebars = { '/benchmarks/': benchmarkSidebar(), '/api/': apiSidebar(staging) };
  write('.vitepress/generated.json', { base, sidebars, hasPlayground: fs.existsSync(playground) });
  const { build } = await import('vitepress');
  await build(staging, { base, outDir: out });
  if (fs.existsSync(playground)) run(process.execPath, [playground, '--out', path.join(out, 'playground'), '--base', `${base}playground/`]);
  const dead = deadLinksOf(out, base);
  if (dead.length > 0) throw expected(`links that lead nowhere:\n${dead.join('\n')}`);
  return out;
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

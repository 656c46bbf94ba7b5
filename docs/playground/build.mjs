/**
 * Builds the playground: `node docs/playground/build.mjs --out DIR --base BASE`. DIR becomes a folder of static files, to be served at
 * BASE, such as /crayon-tokenizer/playground/. All its links are relative, so that any other place will do, too; `--home URL` is where
 * those to the documentation lead, by default the folder above.
 *
 * Every script is in a folder named by the content of all of them, so that pages and caches never mix two versions.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { sourceOf } from '../../scripts/model-cartridges.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = path.join(here, '..', '..');
const web = path.join(root, 'dist', 'web');

/** Sets the theme before anything is painted, and starts the engine while the page's own script is on its way. */
const start = (assets) =>
  `try{var t=localStorage.getItem('crayon-theme')}catch(e){}document.documentElement.dataset.theme=t==='light'||t==='dark'?t:matchMedia('(prefers-color-scheme: dark)').matches?'dark':'light';window.engine=new Worker('${assets}worker.js',{type:'module'})`;

/**
 * @param {{ out: string, base?: string, home?: string }} options
 * @returns {Promise<{ shell: string[], assets: string }>} the files that the first visit loads, relative to `out`
 */
export async function buildPlayground({ out, home = '../' }) {
  if (!fs.existsSync(path.join(web, 'index.js')))
    throw new Error('expected dist/web, the build of the package for browsers: npm run build');
  const { files, first } = await bundled();
  const version = hashOf([...files.entries(), ...fs.readdirSync(here).map((name) => [name, read(name) ?? ''])]);
  const assets = `a-${version}/`;
  fs.rmSync(out, { recursive: true, force: true });
  fs.mkdirSync(path.join(out, assets), { recursive: true });
  files.set('styles.css', squeezed(read('styles.css')));
  files.set('icon.svg', read('../public/logo.svg'));
  for (const [name, content] of files) fs.writeFileSync(path.join(out, assets, name), content);
  const script = start(assets);
  const page = read('index.html')
    .replaceAll('%ASSETS%', assets)
    .replaceAll('%HOME%', home)
    .replace('%CSP%', policy(script))
    .replace('%START%', () => script);
  fs.writeFileSync(path.join(out, 'index.html'), page);
  const shell = [
    'index.html',
    ...['main.js', 'worker.js', 'styles.css', 'icon.svg', ...first, ...chunksOf(files)].map((name) => assets + name),
  ];
  const worker = read('src/sw.js')
    .replaceAll('%VERSION%', version)
    .replaceAll('%ASSETS%', assets)
    .replace("'%SHELL%'", JSON.stringify([...new Set(shell)].map((name) => (name === 'index.html' ? './' : name))));
  fs.writeFileSync(path.join(out, 'sw.js'), worker);
  return { shell: [...new Set(shell)], assets };
}

/** No other origin can be asked for anything, and nothing can be sent anywhere. */
function policy(script) {
  const hash = createHash('sha256').update(script).digest('base64');
  return [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' 'sha256-${hash}'`,
    "worker-src 'self'",
    "connect-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/**
 * The scripts, by name, and which of them the first tokens need besides the entries. Each kind of script is bundled by itself, so that
 * the engine's worker is one file and what it imports later. The workers of the package lie beside the chunks, where these look for them.
 */
async function bundled() {
  const source = (name) => path.join(here, 'src', name);
  const workers = ['encode-worker', 'web-compile-worker', 'web-train-worker'];
  const models = await modelFiles();
  const kilobytes = Object.fromEntries(models.map(({ name, bytes }) => [name, Math.round(bytes.length / 1000)]));
  const outputs = [
    await outputOf(
      { main: source('main.ts') },
      { __SAMPLE__: JSON.stringify(await sampleTokens()), __MODELS__: JSON.stringify(kilobytes) },
    ),
    await outputOf({ worker: source('worker-start.ts') }),
    await outputOf(Object.fromEntries(workers.map((name) => [name, path.join(web, `${name}.js`)]))),
  ];
  const needed = ['core', 'o200k_base'].map((name) => path.join(root, 'dist', 'embedded', `${name}.js`));
  const first = outputs[1].filter((each) => each.type === 'chunk' && each.moduleIds.some((id) => needed.includes(id)));
  const files = new Map(outputs.flat().map((each) => [each.fileName, each.type === 'chunk' ? each.code : each.source]));
  files.set(
    'worker.js',
    files.get('worker.js').replace('__FILES__', () => JSON.stringify({ ...filesOf(outputs[1]), ...cartridges(models) })),
  );
  for (const { name, bytes } of models) files.set(`${name}.cray`, bytes);
  return {
    files,
    first: first.map(({ fileName }) => fileName),
  };
}

/** The engine and the vocabularies, which the worker fetches and tells the progress of: src/arrivals.ts. */
function filesOf(output) {
  const files = {};
  for (const chunk of output) {
    const [, name] = /dist.embedded.(\w+)\.js$/.exec(chunk.facadeModuleId ?? '') ?? [];
    if (name === undefined) continue;
    files[name] = { name: chunk.fileName, size: Buffer.byteLength(chunk.code), packed: gzipSync(chunk.code, { level: 9 }).length };
  }
  return files;
}

const cartridges = (models) =>
  Object.fromEntries(models.map(({ name, bytes: { length } }) => [name, { name: `${name}.cray`, size: length, packed: length }]));

/** Models whose licences let others pass them on, from packages that the tests have; without these the menu is shorter. */
async function modelFiles() {
  const { compileCartridge } = await import(pathToFileURL(path.join(root, 'dist', 'node', 'index.js')).href);
  const folder = path.join(root, 'build', 'playground-models');
  fs.mkdirSync(folder, { recursive: true });
  const newest = Math.max(...['dist/node/index.js', 'cartridges/models.json'].map((file) => fs.statSync(path.join(root, file)).mtimeMs));
  const models = [];
  for (const name of ['qwen3', 'deepseek_v3', 'mistral_nemo']) {
    const file = path.join(folder, `${name}.cray`);
    try {
      if (!((fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > newest))
        fs.writeFileSync(file, await compileCartridge(sourceOf(name), { name, slim: true }));
      models.push({ name, bytes: fs.readFileSync(file) });
    } catch (error) {
      console.error(`the playground lacks ${name}: ${error.message}`);
    }
  }
  return models;
}

/** @returns {Promise<import('rolldown').RolldownOutput['output']>} */
async function outputOf(input, define = {}) {
  const bundle = await rolldown({
    input,
    platform: 'browser',
    tsconfig: false,
    // The package's `sideEffects` are about its own files.
    treeshake: {
      moduleSideEffects: [
        { test: /docs.playground/, sideEffects: true },
        { test: /dist.embedded/, sideEffects: true },
      ],
    },
    resolve: { alias: { 'crayon-tokenizer/dna': path.join(web, 'dna.js'), 'crayon-tokenizer': path.join(web, 'index.js') } },
    transform: { define },
    logLevel: 'warn',
  });
  const { output } = await bundle.generate({
    format: 'esm',
    minify: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  return output;
}

/** The tokens of the text that the page begins with: they are there with the page, before its engine is. */
async function sampleTokens() {
  const { Tokenizer } = await import(pathToFileURL(path.join(root, 'dist', 'node', 'index.js')).href);
  const tokenizer = await Tokenizer.load('o200k_base');
  const [text] = Object.values(JSON.parse(read('samples.json')));
  const { ids, offsets } = tokenizer.encodeWithOffsets(text);
  const sample = { ids: Array.from(ids), offsets: Array.from(offsets) };
  tokenizer.close();
  return sample;
}

/** What the entries import at once, and small chunks that a visitor may need without a connection. */
function chunksOf(files) {
  const found = new Set();
  const visit = (name) => {
    for (const [, imported] of files.get(name).matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g)) {
      if (found.has(imported) || !files.has(imported)) continue;
      found.add(imported);
      visit(imported);
    }
  };
  visit('main.js');
  visit('worker.js');
  const later = [...files.keys()].find((name) => /^worker-/.test(name));
  if (later !== undefined) {
    found.add(later);
    visit(later);
  }
  return [...found];
}

function squeezed(css) {
  return css.replace(/\n\s*/g, '\n').replace(/\n+/g, '\n');
}

function read(name) {
  const file = path.join(here, name);
  return fs.statSync(file).isFile() ? fs.readFileSync(file, 'utf8') : undefined;
}

function hashOf(entries) {
  const hash = createHash('sha256');
  for (const [name, content] of entries.sort(([a], [b]) => (a < b ? -1 : 1))) hash.update(`${name}\0${content}\0`);
  return hash.digest('hex').slice(0, 10);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { out: { type: 'string' }, base: { type: 'string' }, home: { type: 'string' } } });
  if (values.out === undefined) {
    console.error('expected --out DIR, and --base BASE where the files will be served');
    process.exitCode = 2;
  } else {
    const { shell } = await buildPlayground(values);
    console.log(`${values.out}: ${shell.length} files for the first visit`);
  }
}

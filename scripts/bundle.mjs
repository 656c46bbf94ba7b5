/**
 * lib/ to dist/, by rolldown: ES modules that share their code in chunks, and CommonJS beside them.
 *
 *   dist/node       the entries of Node: NAME.js, NAME.cjs, their types NAME.d.ts and NAME.d.cts, the command
 *   dist/web        the entries of browsers and workers: the drop-ins once more, with all they need in scripts
 *   dist/embedded   vocabularies and WebAssembly modules as scripts, which scripts/embed.mjs writes
 *
 * Source maps point to lib/; neither is in the package, where nothing names them.
 */
import fs from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { root } from './process.mjs';
import { chatChunks, nodeChunks } from './chunks.mjs';
import { INLINE, NODE, SAME, WEB, withName, WORKERS } from './entries.mjs';
import { writeModelEntries } from './model-entries.mjs';

const lib = path.join(root, 'lib');
const dist = path.join(root, 'dist');
const hosts = path.join(lib, 'integrations', 'host');

/** Packages of programs that use an entry made for them: never part of it. */
const PEERS = /^@langchain\//;

/** Large, and the same for ES modules and CommonJS: a CommonJS module, which both can load everywhere, in Jest too. */
const COLUMNS = 'datasets/columns';

const ENCODERS = { TextEncoder: ['node:util', 'TextEncoder'], TextDecoder: ['node:util', 'TextDecoder'] };

/** Builds dist/ except for what scripts/embed.mjs and the C++ build write there. */
export async function bundle() {
  for (const folder of ['node', 'web']) fs.rmSync(path.join(dist, folder), { recursive: true, force: true });
  const alone = {
    cli: 'cli/main',
    'compile-worker': 'compile-worker',
    'dataset-worker': 'datasets/dataset-worker',
    'hash-worker': 'datasets/hash-worker',
    'train-worker': 'train-worker',
    internals: 'internals',
  };
  await write({ ...NODE, ...alone }, 'node', [{ format: 'esm', ending: 'js' }]);
  await write({ ...NODE, [COLUMNS]: COLUMNS }, 'node', [{ format: 'cjs', ending: 'cjs' }]);
  await write({ ...WEB, ...INLINE, ...WORKERS }, 'web', [{ format: 'esm', ending: 'js' }]);
  await writeTypes(withoutSame({ ...NODE, internals: 'internals' }), 'node');
  await writeTypes(INLINE, 'web');
  for (const [name, other] of Object.entries(SAME)) {
    const same = (ending) => `export * from '${'../'.repeat(name.split('/').length - 1) || './'}${other}.${ending}';\n`;
    for (const file of [`web/${name}.js`, `node/${name}.d.ts`]) writeFile(file, same('js'));
    writeFile(`node/${name}.d.cts`, same('cjs'));
  }
  await writeModelEntries();
}

function withoutSame(entries) {
  return Object.fromEntries(Object.entries(entries).filter(([name]) => !Object.hasOwn(SAME, name)));
}

function writeFile(name, text) {
  fs.mkdirSync(path.dirname(path.join(dist, name)), { recursive: true });
  fs.writeFileSync(path.join(dist, name), text);
}

/** @param {{ format: 'esm' | 'cjs', ending: string }[]} outputs */
async function write(entries, host, outputs) {
  const isCommonJs = outputs.some(({ format }) => format === 'cjs');
  const build = await rolldown({
    input: inputs(entries),
    platform: host === 'node' ? 'node' : 'browser',
    external: PEERS,
    plugins: [
      hostOf(host === 'node' ? 'node' : 'page'),
      embedded(),
      copied(),
      withNames(),
      withoutOptionalPackage(),
      withoutProcesses(),
      ...(isCommonJs ? [] : [columnsApart()]),
    ],
    tsconfig: path.join(root, 'tsconfig.json'),
    // `using` is not yet in every host; jsdom under Jest has no TextEncoder of its own.
    transform: { target: 'es2023', inject: isCommonJs ? ENCODERS : {} },
    checks: { pluginTimings: false },
    onLog: refuse,
  });
  for (const { format, ending } of outputs) {
    await build.write({
      dir: path.join(dist, host),
      format,
      exports: 'named',
      entryFileNames: `[name].${ending}`,
      // Beside the entries, since a chunk may name a worker's script by its path.
      chunkFileNames: `[name]-[hash].${ending}`,
      codeSplitting: { groups: [...(host === 'node' ? nodeChunks() : []), ...chatChunks()] },
      // Node keeps a script in half the memory, and reads it faster, if all of its characters are ASCII. Pages download less as it is.
      charset: host === 'node' ? 'ascii' : 'utf8',
      // `require` of js-tiktoken's ranks gives the ranks themselves.
      outro: ({ name }) => (format === 'cjs' && isRanks(name) ? 'module.exports = exports.default;' : ''),
      sourcemap: 'hidden',
      sourcemapExcludeSources: true,
      comments: { legal: false, annotation: true, jsdoc: false },
    });
  }
  await build.close();
}

/** Types as ES modules have them, and the same for CommonJS. */
async function writeTypes(entries, host) {
  const [others, sources] = divided(entries, ([, source]) => source.includes('?'));
  const build = await rolldown({
    input: inputs(sources),
    platform: 'neutral',
    external: PEERS,
    plugins: [hostOf('node'), embedded(), dts({ emitDtsOnly: true, tsconfig: path.join(root, 'tsconfig.json') })],
    checks: { pluginTimings: false },
    onLog: refuse,
  });
  const folder = path.join(dist, host);
  const { output } = await build.write({ dir: folder, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' });
  await build.close();
  for (const { fileName } of output) {
    const file = path.join(folder, fileName);
    let text = fs.readFileSync(file, 'utf8');
    // The bundler drops this line of lib/api/tokenizer.ts.
    if (text.includes('[Symbol.dispose]')) text = `/// <reference lib="esnext.disposable" preserve="true" />\n${text}`;
    fs.writeFileSync(file, text);
    if (host !== 'node') continue;
    const types = text.replace(/(from ["']\.{1,2}\/[^"']+)\.js(["'])/g, '$1.cjs$2');
    const inCommonJs = isRanks(fileName) ? types.replace(/^export \{ (\w+) as default \};$/m, 'export = $1;') : types;
    fs.writeFileSync(path.join(folder, fileName.replace(/\.d\.ts$/, '.d.cts')), inCommonJs);
  }
  const nameOf = Object.fromEntries(Object.entries(sources).map(([name, source]) => [source, name]));
  for (const [name, source] of Object.entries(others)) {
    for (const ending of host === 'node' ? ['d.ts', 'd.cts'] : ['d.ts']) {
      fs.copyFileSync(path.join(folder, `${nameOf[source.split('?')[0]]}.${ending}`), path.join(folder, `${name}.${ending}`));
    }
  }
}

function divided(entries, isOfFirst) {
  const all = Object.entries(entries);
  return [all.filter(isOfFirst), all.filter((entry) => !isOfFirst(entry))].map(Object.fromEntries);
}

/** Whether an entry is one of js-tiktoken's ranks. */
function isRanks(name) {
  return name.startsWith('js-tiktoken/ranks/');
}

function inputs(entries) {
  return Object.fromEntries(Object.entries(entries).map(([name, source]) => [name, path.join(lib, source.replace(/\?|$/, '.ts$&'))]));
}

/** `#host` of the drop-ins, and `#host/NAME`, a vocabulary: files in Node, scripts in pages. */
function hostOf(host) {
  return {
    name: 'host',
    resolveId(id, importer) {
      // Of the page's entry itself: as a part of it, that would be divided, and every page download more.
      if (id === '../../browser.js' && /loading-in-page\.ts$/.test(importer ?? ''))
        return { id: path.join(lib, 'index.js'), external: 'relative' };
      // It only names what other modules have: who imports a name gets the module with it, and no other.
      if (id === '#host') return { id: path.join(hosts, `in-${host}.ts`), moduleSideEffects: false };
      return id.startsWith('#host/') ? path.join(hosts, `${id.slice('#host/'.length)}.js`) : null;
    },
    load(id) {
      const name = path.dirname(id) === hosts && /^(\w+)\.js$/.exec(path.basename(id))?.[1];
      if (!name) return null;
      if (host === 'node') return { code: '', moduleSideEffects: false };
      return `
        import text from '#embedded/${name}';
        import { addInlineCartridge } from '../../vocabularies/open/embedded-bytes.js';
        addInlineCartridge('${name}', text);`;
    },
  };
}

/** Scripts of dist/embedded stay files of their own, which all entries share. */
function embedded() {
  return {
    name: 'embedded',
    resolveId(id) {
      // The same relative path from lib/ as dist/embedded has from dist/web.
      return id.startsWith('#embedded/') ? { id: path.join(root, `${id.slice(1)}.js`), external: 'relative' } : null;
    },
  };
}

/** `FILE.ts?NAME`: the source of an entry with another name. */
function withNames() {
  const named = /^(.*\.ts)\?(\w+)$/;
  return {
    name: 'with-names',
    resolveId: (id) => (named.test(id) ? id : null),
    load(id) {
      const [, file, name] = named.exec(id) ?? [];
      return name === undefined ? null : { code: withName(fs.readFileSync(file, 'utf8'), file, name), moduleType: 'ts' };
    },
  };
}

/** In ES modules, the libraries of columns are the CommonJS module. */
function columnsApart() {
  return {
    name: 'columns-apart',
    resolveId: (id) => (id === '../columns.js' ? { id: path.join(lib, `${COLUMNS}.cjs`), external: 'relative' } : null),
  };
}

/** fdir, with which tinyglobby finds files, looks for a package of its own accord that nothing here uses it with. */
function withoutOptionalPackage() {
  return {
    name: 'without-optional-package',
    transform(code, id) {
      if (!/\/fdir\//.test(id)) return null;
      const found = /try \{\s*__require\.resolve\("picomatch"\);[^}]*\} catch \{\}/;
      if (!found.test(code)) throw new Error(`${id} does not look for picomatch any more`);
      return { code: code.replace(found, (text) => text.replace(/[^\n]/g, '')), map: null };
    },
  };
}

/** commander starts programs for commands that are programs of their own, which none here is: what would is 2 ms to load. */
function withoutProcesses() {
  const loading = "const childProcess = require('node:child_process');\n";
  return {
    name: 'without-processes',
    transform(code, id) {
      if (!id.endsWith('/commander/lib/command.js')) return null;
      if (!code.includes(loading)) throw new Error(`${id} does not load node:child_process any more`);
      return {
        code: code.replace(loading, "const childProcess = { spawn: (...given) => require('node:child_process').spawn(...given) };\n"),
        map: null,
      };
    },
  };
}

/** The command has its own copy of what it needs before it loads the core, which needs it too. */
function copied() {
  const isOfStart = /\/(?:cli\/main\.ts|cache-folder\.ts\?copied)$/;
  return {
    name: 'copied',
    resolveId(id, importer) {
      const name = /\/(cache-folder|environment)\.js$/.exec(id)?.[1];
      return name && isOfStart.test(importer) ? `${path.join(path.dirname(importer), id).slice(0, -'.js'.length)}.ts?copied` : null;
    },
    load: (id) => (id.endsWith('.ts?copied') ? { code: fs.readFileSync(id.slice(0, -'?copied'.length), 'utf8'), moduleType: 'ts' } : null),
  };
}

/** Bundler warnings are errors here. */
function refuse(level, log) {
  if (level === 'warn') throw new Error(log.message);
}

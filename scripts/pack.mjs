/**
 * `npm run pack`: builds everything and packs what npm publishes, crayon-tokenizer-VERSION.tgz.
 *
 *     npm run pack                              for this machine
 *     npm run pack -- linux-arm64 darwin-arm64  and, cross-compiled, for those; `all`: for every platform (cross.mjs)
 *     npm run pack -- --destination FOLDER      there, in place of this folder
 *
 * The package is put together in build/package: its package.json is that of the project without what only developers need
 * (scripts, workspaces, their dependencies).
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import zlib from 'node:zlib';
import { buildAddon, buildTypeScript, buildWasm } from './build.mjs';
import { buildCartridges } from './cartridges.mjs';
import { buildFor, layPrebuild, platformsOf } from './cross.mjs';
import { forgetLibc } from './elf.mjs';
import { embed } from './embed.mjs';
import { modelExports } from './model-entries.mjs';
import { npm } from './npm.mjs';
import { expected, isMain, outputOf, root, runMain } from './process.mjs';
import { setUp } from './setup.mjs';

/** What of package.json only developers need. */
const UNPUBLISHED = ['private', 'scripts', 'workspaces', 'devDependencies'];

/** The contents of the package besides package.json; a RegExp selects files in a folder. */
const CONTENTS = [
  // Without source maps, which with the sources would be 1.4 MB (bench/results/package.md).
  ['dist', /^(?!node\/internals\.)(?!gpt\/exports\.json$)(?!.*\.map$)/],
  ['prebuilds', /\.node$/],
  // Of vocabularies that few programs use, slim alone: lib/vocabularies/open/built-in.ts. Edge workers import slim ones.
  ['cartridges', /^(?!(?:r50k_base|p50k_base)\.cray$)[\w-]+(?:\.slim)?\.cray$|^FORMAT\.md$/],
  ['README.md'],
  ['docs/drop-in-differences.md'],
  ['examples', /./],
  ['LICENSE'],
  ['NOTICE'],
  // The pictures in README.md.
  ['bench/results/hero.svg'],
  ['docs/public/tokens.svg'],
];

/** Assembles the package in build/package from the built files. @returns {string} the folder */
export function stagePackage() {
  const folder = path.join(root, 'build', 'package');
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  for (const [directory, wanted] of CONTENTS) {
    const source = path.join(root, directory);
    const names = wanted ? fs.readdirSync(source, { recursive: true }).filter((name) => wanted.test(name.split(path.sep).join('/'))) : [''];
    for (const name of names) {
      const file = path.join(source, name);
      if (!fs.statSync(file).isFile()) continue;
      const target = path.join(folder, directory, name);
      fs.mkdirSync(path.dirname(target), { recursive: true });
      fs.copyFileSync(file, target);
    }
  }
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  for (const key of UNPUBLISHED) delete manifest[key];
  delete manifest.exports['./gpt-tokenizer/model/*'];
  fs.writeFileSync(path.join(folder, 'package.json'), withModels(`${JSON.stringify(manifest, null, 2)}\n`));
  return folder;
}

/**
 * Adds an export for each model of gpt-tokenizer, on a line each, because Node parses this file whenever a program starts. In the
 * repository a pattern serves the chat models alone, and whatever else is in their folder.
 */
function withModels(manifest) {
  const lines = Object.entries(modelExports()).map(([name, target]) => `    ${JSON.stringify(name)}: ${JSON.stringify(target)},\n`);
  return manifest.replace('  "exports": {\n', (opening) => opening + lines.join(''));
}

/** Builds what the package needs, for this machine and other platforms. */
export async function buildPackage(others) {
  setUp('start');
  buildAddon();
  await buildTypeScript();
  if (!buildWasm()) throw expected('A package has the WebAssembly modules: install Emscripten and run this again.');
  buildCartridges();
  embed();
  const isMusl = process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined;
  const here = `${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`;
  // Without debug symbols; and for musl, too.
  const change = (file) => {
    outputOf('strip', [process.platform === 'darwin' ? '-x' : '--strip-unneeded', file]);
    if (process.platform === 'linux') forgetLibc(file);
  };
  if (!others.includes(here)) layPrebuild(here, path.join(root, 'build', 'release', 'crayon.node'), change);
  for (const platform of others) buildFor(platform);
}

/**
 * Packs a folder as npm publishes it: the same files give the same bytes, whenever and wherever that is done.
 * @returns {string} the tarball
 */
export function packFolder(folder, destination) {
  npm(['pack', folder, '--pack-destination', destination]);
  const { name, version } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const tarball = path.join(destination, `${name}-${version}.tgz`);
  compressAgain(tarball);
  return tarball;
}

/**
 * By gzip itself, where it is: Node's zlib is made for speed, finds fewer matches (4 % of the package), and not the same ones on
 * every processor.
 */
function compressAgain(tarball) {
  const bytes = zlib.gunzipSync(fs.readFileSync(tarball));
  const { status, stdout } = spawnSync('gzip', ['-9', '--no-name'], { input: bytes, maxBuffer: bytes.length + (1 << 20) });
  if (status === 0) fs.writeFileSync(tarball, stdout);
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { destination: { type: 'string' } } });
    await buildPackage(platformsOf(positionals));
    console.log(packFolder(stagePackage(), path.resolve(values.destination ?? '.')));
  });
}

// Locates the package's own files: the addon, the cartridges, the WebAssembly modules, the scripts of threads. If a
// bundler moved this code away from them, they are looked up where the package is installed.

import { existsSync } from 'node:fs';
import nodeModule from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { TokenizerError } from '../../base/errors.js';

/**
 * The folder of the script with this code: dist/node, unless it was bundled. Bundlers that write CommonJS leave
 * `import.meta` without a URL.
 */
const thisFolder = import.meta.url ? dirname(fileURLToPath(import.meta.url)) : folderOfScript();

/**
 * The files that the package needs beside its scripts. Spelled out for tools that find a program's files by reading its
 * code (@vercel/nft, which serverless platforms use).
 */
export const NEEDED = [
  join(thisFolder, '../../cartridges'),
  join(thisFolder, '../../prebuilds'),
  join(thisFolder, '../wasm'),
  join(thisFolder, 'compile-worker.js'),
  join(thisFolder, 'dataset-worker.js'),
  join(thisFolder, 'hash-worker.js'),
  join(thisFolder, 'train-worker.js'),
];

let folder: string | undefined;

/** The package's folder, without a trailing separator. */
export function packageFolder(): string {
  folder ??= findFolder() ?? aboveScript();
  return folder;
}

/** Whether the package's files cannot be found: it was bundled, and is not installed where the bundle runs. */
function filesAreMissing(): boolean {
  return findFolder() === undefined;
}

/** What to do if a file of the package is missing. `command`: what makes it in a clone of the repository; `needs`: what that needs. */
export function adviceOnFiles(command: string, needs = ''): string {
  if (filesAreMissing()) return BUNDLED_ADVICE;
  const isClone = existsSync(join(packageFolder(), 'scripts', 'build.mjs'));
  return isClone ? `To make it, run "${command}" in the clone${needs}` : 'The package is not whole: install crayon-tokenizer again';
}

/** The advice for a package in a bundle, in a sentence. */
const BUNDLED_ADVICE =
  'crayon-tokenizer is in a bundle, away from its files: keep it out of the bundle (esbuild: --external:crayon-tokenizer; ' +
  "webpack: externals: ['crayon-tokenizer']; Next.js: serverExternalPackages: ['crayon-tokenizer']) and install it " +
  "where the bundle runs; or import 'crayon-tokenizer/inline/o200k_base', which needs no files, as in bun build --compile.";

/** What threads run a script for. */
export type ThreadScript = 'compile' | 'dataset' | 'hash' | 'train';

/** The script of threads for a kind of work. Throws a TokenizerError if it cannot be found. */
export function threadScript(work: ThreadScript): URL {
  const script = pathOf(work);
  if (existsSync(script)) return pathToFileURL(script);
  const advice = adviceOnFiles('npm run build');
  const reason = filesAreMissing() ? advice : `there is no ${script}, which its thread runs. ${advice}`;
  throw new TokenizerError(`cannot ${work}: ${reason}`, { code: 'FILE_NOT_FOUND' });
}

/** Whether that script can be found. */
export function isThreadScript(work: ThreadScript): boolean {
  return existsSync(pathOf(work));
}

/**
 * `require`, as if in a file of the folder. Turbopack, which builds Next.js applications, assumes that a recognizable
 * `createRequire` or `new Worker` may load any file of the package, and rejects some (types of CommonJS) if the file is not known
 * statically; other bundlers do the same with a warning. They know the needed files from `NEEDED`.
 */
export function requireIn(folder: string): NodeRequire {
  return Reflect.apply(nodeModule.createRequire, nodeModule, [join(folder, 'any.js')]);
}

function pathOf(work: ThreadScript): string {
  return join(packageFolder(), 'dist', 'node', `${work}-worker.js`);
}

/** Not by `join`, which tells such tools that the whole folder is needed. */
function aboveScript(): string {
  return dirname(dirname(thisFolder));
}

function findFolder(): string | undefined {
  if (existsSync(join(aboveScript(), 'cartridges'))) return aboveScript();
  for (const start of [thisFolder, process.cwd()]) {
    try {
      return dirname(requireIn(start).resolve('crayon-tokenizer/package.json'));
    } catch {
      // Not installed in any enclosing folder.
    }
  }
  return undefined;
}

function folderOfScript(): string {
  return typeof __dirname === 'string' ? __dirname : process.cwd();
}

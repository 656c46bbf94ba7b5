/**
 * How the code is laid out, and the mistakes that tools find: `npm run lint` checks it, `npm run format` mends the layout.
 *
 * Biome has the TypeScript and the scripts (biome.jsonc), clang-format and clang-tidy the C++ (.clang-format, .clang-tidy).
 */
import fs from 'node:fs';
import path from 'node:path';
import { buildNative } from './build.mjs';
import { expected, isMain, outputOf, root, run, runMain } from './process.mjs';

/** Another version of clang-format lays out otherwise. */
const CLANG_FORMAT = 14;
const CPP_FOLDERS = ['native', 'gpu', 'wasm', 'bench/native', 'bench/gpu', 'bench/lopt', 'test/native', 'test/gpu', 'test/architecture'];

/** Checks the layout, and what Biome checks besides. @returns {string[]} the tools that this machine lacks */
export function checkStyle({ write = false } = {}) {
  const biome = path.join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  run(process.execPath, [biome, ...(write ? ['check', '--write'] : ['ci']), 'lib', 'scripts']);
  const version = /version (\d+)/.exec(outputOf('clang-format', ['--version']) ?? '')?.[1];
  if (Number(version) !== CLANG_FORMAT) return [`clang-format ${CLANG_FORMAT}`];
  const files = CPP_FOLDERS.flatMap((folder) => cppFilesOf(folder));
  const exit = run('clang-format', [...(write ? ['-i'] : ['--dry-run', '--Werror']), ...files], { allowFailure: true });
  if (exit !== 0) throw expected('The C++ is not as clang-format lays it out: npm run format');
  return [];
}

/** Looks for mistakes in the engine's sources; takes minutes. @returns {string[]} the tools that this machine lacks */
export function checkTidy() {
  if (outputOf('clang-tidy', ['--version']) === undefined) return ['clang-tidy'];
  buildNative('clang', [], { reconfigure: true });
  const build = path.join(root, 'build', 'clang');
  const commands = JSON.parse(fs.readFileSync(path.join(build, 'compile_commands.json'), 'utf8'));
  const sources = commands.map(({ file }) => path.relative(root, file)).filter((file) => file.startsWith(`native${path.sep}`));
  run('clang-tidy', ['--quiet', '-p', build, ...new Set(sources)]);
  return [];
}

function cppFilesOf(folder) {
  const names = fs.readdirSync(path.join(root, folder), { recursive: true });
  return names.filter((name) => /\.(?:cpp|h|cu|cuh|hip)$/.test(name)).map((name) => path.join(folder, name));
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    const missing = checkStyle({ write: process.argv.includes('--write') });
    if (missing.length > 0) console.log(`left out: this machine has no ${missing.join(', no ')}`);
  });
}

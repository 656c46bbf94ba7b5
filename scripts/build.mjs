/**
 * Builds the package: `npm run build` makes the addon (build/release/crayon.node), the JavaScript (dist/) and, where
 * Emscripten is installed, the WebAssembly modules (dist/wasm/).
 *
 * Every step does only what has changed since the last time.
 */
import fs from 'node:fs';
import path from 'node:path';
import { embed } from './embed.mjs';
import { isMain, outputOf, root, run, runMain } from './process.mjs';
import { setUp } from './setup.mjs';

/** For ccache: settings for precompiled headers, and for looking up new files without preprocessing them first. */
const CACHE_SETTINGS = { CCACHE_SLOPPINESS: 'pch_defines,time_macros', CCACHE_DEPEND: '1' };

/**
 * Builds targets of CMakeLists.txt under a preset, configuring first where that is due.
 * @param {string} preset
 * @param {string[]} targets none: configures only
 * @param {{ reconfigure?: boolean }} [options] `reconfigure` looks for libraries again that were missing last time
 */
export function buildNative(preset, targets, { reconfigure = false, settings = {} } = {}) {
  const configured = fs.existsSync(path.join(root, 'build', preset, 'build.ninja'));
  const isWasm = preset.startsWith('wasm');
  const configure = [
    ...(isWasm ? ['emcmake'] : []),
    'cmake',
    '--preset',
    preset,
    ...Object.entries(settings).map(([name, value]) => `-D${name}=${value}`),
  ];
  if (!configured || reconfigure) run(configure[0], configure.slice(1), { quiet: true });
  const env = { ...CACHE_SETTINGS, ...process.env };
  if (isWasm) {
    // Debian's Emscripten does not find Debian's own JavaScript packages, which it needs for programs with glue.
    env.NODE_PATH ??= '/usr/share/nodejs';
    if (outputOf('ccache', ['--version']) !== undefined) env.EM_COMPILER_WRAPPER ??= 'ccache';
  }
  if (targets.length > 0) run('cmake', ['--build', '--preset', preset, '--target', ...targets], { env, quiet: true });
}

/** The addon for this machine. */
export function buildAddon() {
  buildNative('release', ['crayon_addon']);
}

/** lib/ to dist/: checked by tsc, bundled by rolldown. */
export async function buildTypeScript() {
  const sources = ['lib', 'tsconfig.json', 'scripts/bundle.mjs', 'scripts/chunks.mjs', 'scripts/entries.mjs', 'scripts/model-entries.mjs'];
  const newest = Math.max(...sources.map((source) => newestChange(path.join(root, source))));
  const stamp = path.join(root, 'build', 'typescript.stamp');
  const isBuilt = fs.existsSync(path.join(root, 'dist', 'web')) && fs.existsSync(path.join(root, 'dist', 'node'));
  const built = isBuilt ? (fs.statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0) : 0;
  if (newest < built) return;
  const started = new Date();
  run(process.execPath, [path.join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '--project', root, '--noEmit']);
  // Loaded here: a fresh clone has its packages only now.
  const { bundle } = await import('./bundle.mjs');
  await bundle();
  fs.mkdirSync(path.dirname(stamp), { recursive: true });
  fs.writeFileSync(stamp, '');
  fs.utimesSync(stamp, started, started);
}

/** The modules in dist/wasm: the preset that builds each, and its target. */
const WASM_MODULES = {
  'core.wasm': ['wasm', 'core'],
  'core-scalar.wasm': ['wasm-scalar', 'core'],
  'build.wasm': ['wasm', 'build'],
  'dna.wasm': ['wasm', 'dna'],
  'dna-scalar.wasm': ['wasm-scalar', 'dna'],
};

/** The WebAssembly modules, if Emscripten is installed; otherwise prints that it is missing. @returns {boolean} */
export function buildWasm() {
  if (outputOf('em++', ['--version']) === undefined) {
    console.log('The WebAssembly modules are left out: em++ is not installed (Debian: emscripten)');
    return false;
  }
  buildNative('wasm', ['core', 'build', 'dna']);
  buildNative('wasm-scalar', ['core', 'dna']);
  const folder = path.join(root, 'dist', 'wasm');
  fs.mkdirSync(folder, { recursive: true });
  for (const [name, [preset, target]] of Object.entries(WASM_MODULES)) {
    fs.copyFileSync(path.join(root, 'build', preset, 'wasm', `${target}.wasm`), path.join(folder, name));
  }
  return true;
}

/** Time of the last change of a file, or of anything in a folder (a file taken away changes its folder). */
function newestChange(location) {
  const stat = fs.statSync(location);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...fs.readdirSync(location).map((name) => newestChange(path.join(location, name))));
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    setUp('start');
    buildAddon();
    await buildTypeScript();
    buildWasm();
    embed();
  });
}

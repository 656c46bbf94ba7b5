/**
 * Builds the package: `npm run build` makes the addon (build/release/crayon.node) and the JavaScript (dist/).
 *
 * Every step does only what has changed since the last time.
 */
import fs from 'node:fs';
import path from 'node:path';
import { isMain, root, run, runMain } from './process.mjs';
import { setUp } from './setup.mjs';

/**
 * Builds targets of CMakeLists.txt under a preset, configuring first where that is due.
 * @param {string} preset
 * @param {string[]} targets none: configures only
 * @param {{ reconfigure?: boolean }} [options] `reconfigure` looks for libraries again that were missing last time
 */
export function buildNative(preset, targets, { reconfigure = false } = {}) {
  const configured = fs.existsSync(path.join(root, 'build', preset, 'build.ninja'));
  if (!configured || reconfigure) run('cmake', ['--preset', preset], { quiet: true });
  if (targets.length > 0) run('cmake', ['--build', '--preset', preset, '--target', ...targets], { quiet: true });
}

/** The addon for this machine. */
export function buildAddon() {
  buildNative('release', ['crayon_addon']);
}

/** Below dist/, without their endings: what scripts/model-entries.mjs writes. */
const MODEL_ENTRIES = /^gpt-tokenizer[\\/]models?(?:[\\/]|$)/;

/** lib/ to dist/. */
export function buildTypeScript() {
  // A file that is gone from lib/ must not live on in dist/.
  const sources = path.join(root, 'lib');
  const stale = list(path.join(root, 'dist'))
    .filter((file) => /\.(d\.ts|js)$/.test(file))
    .map((file) => file.replace(/\.(d\.ts|js)$/, ''))
    .filter((name) => !MODEL_ENTRIES.test(name) && !fs.existsSync(path.join(sources, `${name}.ts`)));
  if (stale.length > 0) fs.rmSync(path.join(root, 'dist'), { recursive: true });
  const modelEntries = path.join(root, 'scripts', 'model-entries.mjs');
  const newest = Math.max(...[sources, path.join(root, 'tsconfig.json'), modelEntries].map(newestChange));
  const stamp = path.join(root, 'build', 'typescript.stamp');
  const built = fs.existsSync(path.join(root, 'dist')) ? (fs.statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0) : 0;
  if (newest < built) return;
  const started = new Date();
  run(process.execPath, [path.join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '--project', root]);
  run(process.execPath, [modelEntries]);
  fs.mkdirSync(path.dirname(stamp), { recursive: true });
  fs.writeFileSync(stamp, '');
  fs.utimesSync(stamp, started, started);
}

/** Relative paths of all files below a folder; none if it does not exist. */
function list(folder) {
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder, { recursive: true }).filter((file) => fs.statSync(path.join(folder, file)).isFile());
}

/** Time of the last change of a file, or of anything in a folder (a file taken away changes its folder). */
function newestChange(place) {
  const stat = fs.statSync(place);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...fs.readdirSync(place).map((name) => newestChange(path.join(place, name))));
}

if (isMain(import.meta.url)) {
  await runMain(() => {
    setUp('start');
    buildAddon();
    buildTypeScript();
  });
}

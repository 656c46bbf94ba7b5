/**
 * Before the package is packed: builds everything and lays this machine's addon where the loader finds it,
 * prebuilds/<platform>-<arch>/crayon.node.
 *
 *     npm run prepack                   for this machine
 *     npm run prepack -- linux-arm64    and, cross-compiled, for that platform
 */
import fs from 'node:fs';
import path from 'node:path';
import { buildAddon, buildNative, buildTypeScript, buildWasm } from './build.mjs';
import { buildCartridges } from './cartridges.mjs';
import { embed } from './embed.mjs';
import { expected, outputOf, root, runMain } from './process.mjs';
import { setUp, setUpNeon } from './setup.mjs';

/** Platforms that another machine can build for, each by a preset of CMakePresets.json. */
const CROSS_COMPILED = { 'linux-arm64': { preset: 'neon', strip: 'aarch64-linux-gnu-strip', setUp: setUpNeon } };

await runMain(() => {
  const others = process.argv.slice(2);
  const unknown = others.find((platform) => !Object.hasOwn(CROSS_COMPILED, platform));
  if (unknown !== undefined) throw expected(`no way to build for '${unknown}'; there are: ${Object.keys(CROSS_COMPILED).join(', ')}`);

  setUp('start');
  buildAddon();
  buildTypeScript();
  if (!buildWasm()) throw expected('A package has the WebAssembly modules: install Emscripten and run this again.');
  buildCartridges();
  embed();
  const isMusl = process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined;
  layPrebuild(`${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`, 'release', 'strip');
  for (const platform of others) {
    const { preset, strip, setUp: setUpCompiler } = CROSS_COMPILED[platform];
    const missing = setUpCompiler();
    if (missing.length > 0) throw expected(`Missing for ${platform}: ${missing.join(', ')}.`);
    buildNative(preset, ['crayon_addon']);
    layPrebuild(platform, preset, strip);
  }
});

/** Lays the addon of a preset where the loader finds it, without the symbols that only a debugger reads. */
function layPrebuild(platform, preset, strip) {
  const target = path.join(root, 'prebuilds', platform, 'crayon.node');
  fs.mkdirSync(path.dirname(target), { recursive: true });
  // By rename: a process that has loaded the one before keeps it.
  fs.copyFileSync(path.join(root, 'build', preset, 'crayon.node'), `${target}.tmp`);
  outputOf(strip, ['--strip-unneeded', `${target}.tmp`]);
  fs.renameSync(`${target}.tmp`, target);
}

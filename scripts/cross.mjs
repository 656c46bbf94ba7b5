/**
 * The addon for platforms other than this one: `node scripts/cross.mjs PLATFORM…`, or `all`, writes
 * prebuilds/PLATFORM/crayon.node.
 *
 * zig compiles them: it has the C library of every platform, or what stands for it when linking, and libc++. It comes from PyPI
 * into build/zig; CRAYON_ZIG names another one, of the same version.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { checkAddon } from './check-addon.mjs';
import { forgetLibc } from './elf.mjs';
import { expected, isMain, outputOf, root, run, runMain } from './process.mjs';
import { setUp } from './setup.mjs';

/** The version whose addons are tested. */
const VERSION = '0.17.1';

/**
 * Platforms as Node names them, and as zig does, with the oldest system that they run on. Those of Linux are for musl, too:
 * check-addon.mjs says what an addon may need for that.
 */
export const TARGETS = {
  'linux-x64': 'x86_64-linux-gnu.2.28',
  'linux-arm64': 'aarch64-linux-gnu.2.28',
  'darwin-x64': 'x86_64-macos.13.0',
  'darwin-arm64': 'aarch64-macos.13.0',
  'win32-x64': 'x86_64-windows-gnu',
  'win32-arm64': 'aarch64-windows-gnu',
};

/** Where the loader looks for the addon of a platform. */
export const prebuildOf = (platform) => path.join(root, 'prebuilds', platform, 'crayon.node');

/** Builds the addon of a platform into prebuilds. */
export function buildFor(platform) {
  const folder = path.join(root, 'build', 'cross', platform);
  const settings = {
    CMAKE_TOOLCHAIN_FILE: path.join(root, 'native', 'cross', 'zig.cmake'),
    CRAYON_ZIG: zig(),
    CRAYON_TARGET: TARGETS[platform],
    CMAKE_BUILD_TYPE: 'Release',
    CMAKE_MODULE_LINKER_FLAGS: linkerFlags(platform),
    CMAKE_SHARED_LINKER_FLAGS: linkerFlags(platform),
    CRAYON_ADDON_ONLY: 'ON',
    // Compiled one by one it takes three times as long, without being faster (2026-11).
    CRAYON_UNITY_ENGINE: 'ON',
  };
  const defined = Object.entries(settings).map(([name, value]) => `-D${name}=${value}`);
  run('cmake', ['-S', root, '-B', folder, '-G', 'Ninja', ...defined], { quiet: true });
  run('cmake', ['--build', folder, '--target', 'crayon_addon'], { quiet: true });
  layPrebuild(platform, path.join(folder, 'crayon.node'), (file) => {
    if (platform.startsWith('linux-')) forgetLibc(file);
    checkAddon(platform, file);
  });
}

/** Without symbols that nothing looks up. */
function linkerFlags(platform) {
  // Node unloads an addon when the last thread that uses it has ended. What zig links does not take back then what its libc++ has
  // registered for the end of the process, which would call what is no longer there.
  return platform.startsWith('linux-') ? '-s -Wl,-z,nodelete' : '-s';
}

/** Copies an addon to where the loader finds it. */
export function layPrebuild(platform, addon, change = (_file) => {}) {
  const target = prebuildOf(platform);
  fs.mkdirSync(path.dirname(target), { recursive: true });
  // By rename: a process that has loaded the one before keeps it.
  fs.copyFileSync(addon, `${target}.tmp`);
  change(`${target}.tmp`);
  fs.renameSync(`${target}.tmp`, target);
}

/** The path of zig, installed now if need be. */
function zig() {
  if (process.env.CRAYON_ZIG) return process.env.CRAYON_ZIG;
  const home = path.join(root, 'build', 'zig');
  const python = path.join(home, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const find = ['-c', 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))'];
  if (outputOf(python, ['-m', 'ziglang', 'version']) !== VERSION) {
    console.log(`installing zig ${VERSION} from PyPI (once)`);
    fs.rmSync(home, { recursive: true, force: true });
    for (const [command, ...args] of [
      ['python3', '-m', 'venv', home],
      [python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:', `ziglang==${VERSION}`],
    ]) {
      const { error, status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
      const why = error?.message ?? stderr?.trim().split('\n').at(-1);
      if (error || status !== 0) throw expected(`cannot install zig ${VERSION} from PyPI: ${why}; set CRAYON_ZIG to the path of one`);
    }
  }
  return outputOf(python, find);
}

/** The platforms that words of a command line name. @param {string[]} words */
export function platformsOf(words) {
  const unknown = words.find((word) => word !== 'all' && !Object.hasOwn(TARGETS, word));
  if (unknown !== undefined) throw expected(`no way to build for '${unknown}'; there are: all, ${Object.keys(TARGETS).join(', ')}`);
  return words.includes('all') ? Object.keys(TARGETS) : words;
}

if (isMain(import.meta.url)) {
  await runMain(() => {
    setUp('start');
    const platforms = platformsOf(process.argv.slice(2));
    if (platforms.length === 0) throw expected(`name platforms: all, ${Object.keys(TARGETS).join(', ')}`);
    for (const platform of platforms) {
      buildFor(platform);
      console.log(prebuildOf(platform));
    }
  });
}

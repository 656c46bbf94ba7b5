/**
 * Makes the machine ready: `node scripts/setup.mjs [start|test|docs]`.
 *
 * `start` is what building and using the package needs; `test` adds what only tests and benchmarks need; `docs` has the npm
 * packages of all of these and of the documentation site. What is there is left alone, and when nothing is missing this takes milliseconds and touches no network. Missing system programs
 * are installed where that is possible without asking (as root on Debian and its relatives); elsewhere the exact
 * command is printed and the exit code is 1. Npm packages come from the lock file.
 *
 * Runs before any npm package is there: only `node:` modules may be imported here.
 */
import fs from 'node:fs';
import path from 'node:path';
import { chromiumPath } from './chromium.mjs';
import { expected, isMain, outputOf, root, run, runMain } from './process.mjs';

const OLDEST_NODE = [20, 19];
const OLDEST_CMAKE = [3, 21];

/**
 * System programs and libraries: how to see that one is there, and the package that has it. Those of `neon` build and run
 * the engine for 64-bit ARM on another machine; those of `cache` save time and are not needed.
 */
const REQUIREMENTS = [
  { tier: 'start', what: 'CMake', found: () => program('cmake'), debian: ['cmake'], brew: ['cmake'] },
  { tier: 'start', what: 'Ninja', found: () => program('ninja'), debian: ['ninja-build'], brew: ['ninja'] },
  {
    tier: 'start',
    what: 'a C++20 compiler',
    found: () => program(process.env.CXX?.split(' ')[0] || 'c++'),
    debian: ['g++'],
    brew: ['llvm'],
  },
  { tier: 'test', what: 'g++', found: () => program('g++'), debian: ['g++'], brew: [] },
  {
    tier: 'test',
    what: 'the second compiler, clang++, with its sanitizers',
    found: () => program('clang++') && hasSanitizers(),
    debian: clangPackages,
    brew: ['llvm'],
  },
  { tier: 'test', what: 'clang-format', found: () => program('clang-format'), debian: ['clang-format'], brew: ['clang-format@14'] },
  { tier: 'test', what: 'GoogleTest', found: () => header('gtest/gtest.h'), debian: ['libgtest-dev'], brew: ['googletest'] },
  {
    tier: 'test',
    what: 'Google Benchmark',
    found: () => header('benchmark/benchmark.h'),
    debian: ['libbenchmark-dev'],
    brew: ['google-benchmark'],
  },
  { tier: 'test', what: 'Emscripten', found: () => program('em++'), debian: ['emscripten'], brew: ['emscripten'] },
  { tier: 'test', what: 'xz', found: () => program('xz'), debian: ['xz-utils'], brew: ['xz'] },
  { tier: 'test', what: 'Chromium', found: () => chromiumPath() !== undefined, debian: ['chromium'], brew: ['chromium'] },
  // For the queue of an example in examples/bullmq.
  { tier: 'test', what: 'Redis', found: () => program('redis-server'), debian: ['redis-server'], brew: ['redis'] },
  {
    tier: 'neon',
    what: 'aarch64-linux-gnu-g++',
    found: () => program('aarch64-linux-gnu-g++') && fs.existsSync('/usr/aarch64-linux-gnu/lib'),
    debian: ['g++-aarch64-linux-gnu'],
  },
  { tier: 'neon', what: 'qemu-aarch64', found: () => program('qemu-aarch64'), debian: ['qemu-user'] },
  {
    tier: 'neon',
    what: "GoogleTest's sources",
    found: hasGoogleTestSources,
    debian: ['googletest'],
  },
  { tier: 'cache', what: 'ccache', found: () => program('ccache'), debian: ['ccache'] },
];

/**
 * Sets the machine up for a tier.
 * @param {'start' | 'test' | 'docs'} tier
 */
export function setUp(tier) {
  checkNode();
  installSystemPackages(tier);
  checkCmake();
  installNpmPackages(tier);
}

/**
 * Sets the machine up for building and running the engine for 64-bit ARM on Linux, where that takes no asking.
 * @returns {string[]} the missing items
 */
export function setUpNeon() {
  const wanted = missing(['neon']);
  // On such a machine itself nothing needs to be crossed: every build there has the kernel.
  const isOther = process.arch === 'x64';
  if (wanted.length === 0 || !isOther || !installsByItself()) return wanted.map((each) => each.what);
  installDebianPackages(['neon'], wanted);
  return [];
}

/** Installs what makes building faster, where that works without asking. */
export function setUpCache() {
  const wanted = missing(['cache']);
  if (wanted.length === 0 || !installsByItself()) return;
  try {
    installDebianPackages(['cache'], wanted);
  } catch (error) {
    console.log(`set-up: going on without ${namesOf(wanted)}: ${error.message}`);
  }
}

/** Whether GoogleTest can be built for another machine; on Debian it can, once the tier `test` is set up. */
export function hasGoogleTestSources() {
  return fs.existsSync('/usr/src/googletest/CMakeLists.txt');
}

function checkNode() {
  if (atLeast(process.versions.node, OLDEST_NODE)) return;
  throw expected(`Node ${OLDEST_NODE.join('.')} or newer is needed; this is ${process.versions.node} (${process.execPath}).`);
}

function checkCmake() {
  const version = /(\d+\.\d+(\.\d+)?)/.exec(outputOf('cmake', ['--version']) ?? '')?.[1];
  if (version !== undefined && atLeast(version, OLDEST_CMAKE)) return;
  throw expected(`CMake ${OLDEST_CMAKE.join('.')} or newer is needed; this is ${version ?? 'one that does not run'}.`);
}

function atLeast(version, oldest) {
  const [major, minor] = version.split('.').map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

// --- system packages ---------------------------------------------------------------------------------------------------

function missing(tiers) {
  return REQUIREMENTS.filter((each) => tiers.includes(each.tier) && !each.found());
}

function installSystemPackages(tier) {
  const tiers = tier === 'test' ? ['start', 'test'] : ['start'];
  const wanted = missing(tiers);
  if (wanted.length === 0) return;
  if (installsByItself()) {
    installDebianPackages(tiers, wanted);
    return;
  }
  const names = namesOf(wanted);
  const packages = packagesOf(wanted);
  if (program('apt-get')) {
    const commands = `sudo apt-get update && sudo apt-get ${aptArguments(packages).join(' ')}`;
    throw expected(`Missing: ${names}.\nInstall them and run this again:\n\n    ${commands}\n`);
  }
  const brew = [...new Set(wanted.flatMap((each) => each.brew))];
  const how =
    process.platform === 'darwin'
      ? `xcode-select --install; brew install ${brew.join(' ')}`
      : `your system's packages of: ${names} (on Debian: ${packages.join(' ')})`;
  throw expected(`Missing: ${names}.\nInstall ${how}`);
}

/** True as root on Debian and its relatives. */
function installsByItself() {
  return program('apt-get') && process.getuid?.() === 0;
}

function installDebianPackages(tiers, wanted) {
  console.log(`set-up: installing ${namesOf(wanted)}`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  run('apt-get', ['update'], { env, quiet: true });
  const packages = packagesOf(wanted);
  keepThisNode();
  run('apt-get', aptArguments(packages), { env, quiet: true });
  const node = outputOf(process.execPath, ['--version'])?.trim();
  if (node !== process.version) throw expected(`${process.execPath} was Node ${process.version} and is ${node} now; install that again.`);
  const still = missing(tiers);
  if (still.length > 0) throw expected(`Installed ${packages.join(' ')}, but not found: ${namesOf(still)}.`);
}

/**
 * Debian's Emscripten depends on Debian's Node. If the running Node is installed at the same path and belongs to no
 * package, an older one would overwrite it, so Debian's is diverted to another path.
 */
function keepThisNode() {
  const program = '/usr/bin/node';
  if (process.execPath !== program || outputOf('dpkg', ['-S', program]) !== undefined) return;
  run('dpkg-divert', ['--local', '--no-rename', '--divert', `${program}.debian`, '--add', program], { quiet: true });
}

const namesOf = (requirements) => requirements.map((each) => each.what).join(', ');
const packagesOf = (requirements) => [...new Set(requirements.flatMap(({ debian }) => (typeof debian === 'function' ? debian() : debian)))];
const aptArguments = (packages) => ['install', '-y', '--no-install-recommends', ...packages];

/** True if a program of that name is on the PATH (or there, if it is a path). */
function program(name) {
  if (name.includes(path.sep)) return fs.existsSync(name);
  const endings = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .some((folder) => folder !== '' && endings.some((ending) => fs.existsSync(path.join(folder, name + ending))));
}

function header(name) {
  const folders = ['/usr/include', '/usr/local/include', '/opt/homebrew/include', ...(process.env.CPATH ?? '').split(path.delimiter)];
  return folders.some((folder) => folder !== '' && fs.existsSync(path.join(folder, name)));
}

/** The libraries of clang's sanitizers. */
function hasSanitizers() {
  const name = `libclang_rt.asan${process.platform === 'darwin' ? '_osx_dynamic.dylib' : `-${process.arch === 'x64' ? 'x86_64' : 'aarch64'}.so`}`;
  return path.isAbsolute(outputOf('clang++', [`-print-file-name=${name}`]) ?? '');
}

/** They are a package of their own, which has the compiler's version in its name; or, on older systems, part of the compiler's. */
function clangPackages() {
  const version = /clang-(\d+)/.exec(outputOf('apt-cache', ['depends', 'clang']) ?? '')?.[1];
  const sanitizers = `libclang-rt-${version}-dev`;
  return outputOf('apt-cache', ['show', sanitizers]) ? ['clang', sanitizers] : ['clang'];
}

// --- npm packages -----------------------------------------------------------------------------------------------------

/** Workspaces whose packages a tier needs, besides the root's. */
const WORKSPACES = { start: ['cartridges'], test: ['cartridges', 'test', 'bench'], docs: ['cartridges', 'test', 'bench', 'docs'] };

function installNpmPackages(tier) {
  const stale = firstStalePackage(tier);
  if (stale === undefined) return;
  console.log(`set-up: installing npm packages (${stale})`);
  const workspaces = tier === 'docs' ? [] : ['--include-workspace-root', ...WORKSPACES[tier].map((name) => `--workspace=${name}`)];
  // npm itself started us more often than not; its own path is the one that works here.
  const npm = process.env.npm_execpath;
  const args = ['ci', '--no-fund', '--no-audit', ...workspaces];
  if (npm?.endsWith('.js')) run(process.execPath, [npm, ...args]);
  else run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args);
}

/**
 * What is wrong with node_modules for a tier, `undefined` if nothing: npm's own list of what it installed there is
 * compared with the lock file, along the dependencies of the root and the tier's workspaces.
 */
function firstStalePackage(tier) {
  const lock = packagesIn(path.join(root, 'package-lock.json'));
  if (lock === undefined) throw expected('package-lock.json is missing or damaged.');
  const installed = packagesIn(path.join(root, 'node_modules', '.package-lock.json'));
  if (installed === undefined) return 'there are none yet';
  const pending = ['', ...WORKSPACES[tier]].map((at) => ({ at, row: lock[at], dev: true }));
  const seen = new Set();
  for (const { at, row, dev } of pending) {
    const needed = { ...row.dependencies, ...(dev ? row.devDependencies : {}) };
    for (const name of Object.keys(needed)) {
      const key = keyOf(lock, at, name);
      if (key === undefined || seen.has(key)) continue;
      seen.add(key);
      const there = lock[key].version === installed[key]?.version && fs.existsSync(path.join(root, key));
      if (!there) return `${name} ${lock[key].version ?? ''} is not there`;
      pending.push({ at: key, row: lock[key], dev: false });
    }
  }
  return undefined;
}

function packagesIn(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** Where Node would find `name` from the package at `at`: the nearest node_modules on the way up. */
function keyOf(lock, at, name) {
  for (let folder = at; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const key = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (lock[key] !== undefined) return key;
    if (folder === '') return undefined;
  }
}

if (isMain(import.meta.url)) {
  await runMain(() => {
    const tier = process.argv[2] ?? 'start';
    if (!(tier in WORKSPACES)) throw expected(`usage: node scripts/setup.mjs [${Object.keys(WORKSPACES).join('|')}]`);
    setUp(tier);
  });
}

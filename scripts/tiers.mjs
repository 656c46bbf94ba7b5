/**
 * The parts of `npm test`, each run by a process of its own: `node scripts/tiers.mjs NAME` builds what the tier needs,
 * runs it, and writes what became of every test to build/test/NAME.json. scripts/test.mjs starts them.
 */
import fs from 'node:fs';
import path from 'node:path';
import { pluginCompilers } from './build-gpu.mjs';
import { buildAddon, buildNative, buildTypeScript, buildWasm } from './build.mjs';
import { buildCartridges } from './cartridges.mjs';
import { buildSite } from './docs.mjs';
import { embed } from './embed.mjs';
import { expected, isMain, outputOf, printFailure, root, run, runMain } from './process.mjs';
import { hasGoogleTestSources, setUpNeon } from './setup.mjs';
import { HOSTS, smoke, TELLING } from './smoke.mjs';
import { checkStyle, checkTidy } from './style.mjs';
import { referencePython } from '../test/chat/reference/environment.mjs';
import {
  ADDON,
  API,
  API_ONLY_LONG,
  COUNTS_WORK,
  OF_KERNELS,
  OF_NO_KERNEL,
  OF_RELEASE,
  OF_SEVERAL_KERNELS,
  OF_WASM,
  ONLY_LONG,
  SWEEPS,
} from '../test/selections.mjs';

/** @typedef {{ name: string, status: 'passed' | 'failed' | 'skipped', seconds: number, failure?: string }} Test */

/**
 * @typedef {object} Tier
 * @property {string} name
 * @property {string} what
 * @property {() => Test[] | void | Promise<void>} run a step before the tests has none; what it throws is a failure
 * @property {string[]} needs the steps that have to be done before
 * @property {string[]} [uses] the folder of a preset, where one thing is built at a time
 * @property {boolean} [onlyLong] part of `npm run test:long`, and of `npm test` only if it is named
 * @property {boolean} [mostlyWaits] for other processes, a third of the time or less on a core: it runs beside two others
 * @property {number} [share] how much of their random cases and of the long texts its tests take; 1 in `npm run test:long`
 */

export const SANITIZERS = {
  ASAN_OPTIONS: 'detect_stack_use_after_return=1',
  UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1',
  TSAN_OPTIONS: 'halt_on_error=1',
};

const WASM = ['wasm', 'wasm-scalar'];
const isLong = process.env.CRAYON_TEST_SHARE === '1';
// Benchmarks are run by hand: that they compile is found by `npm run test:long`.
const BENCHMARKS = ['crayon_lopt', 'crayon_train_bench', 'crayon_gpu_bench'];

/** What has to be built before tests run, in order. @type {Tier[]} */
export const STEPS = [
  { name: 'build-addon', what: 'the addon', needs: [], uses: ['release'], run: buildAddon },
  { name: 'build-dist', what: 'the JavaScript', needs: [], run: buildTypeScript },
  { name: 'build-cartridges', what: 'the cartridges', needs: ['build-addon', 'build-dist'], run: () => void buildCartridges() },
  { name: 'build-wasm', what: 'the WebAssembly modules', needs: ['build-dist'], uses: WASM, run: () => void buildWasm() },
  { name: 'pack', what: 'the package', needs: ['build-wasm', 'build-cartridges'], uses: ['release', ...WASM], run: pack },
  { name: 'build-devices', what: 'the emulated device', needs: ['build-addon'], uses: ['release'], run: buildDevices },
];

const BUILT = ['pack'];
const DEVICES = [...BUILT, 'build-devices'];
const ENGINE = ['build-cartridges'];
const ENGINE_IN_WASM = ['build-wasm', ...ENGINE];

/** Every tier: those that take long come first, so that none of them is left over when the others are done. @type {Tier[]} */
export const TIERS = [
  tier('asan', 'GoogleTest under AddressSanitizer and UBSan', ENGINE, () => googleTest('asan', { without: COUNTS_WORK, gpu: isLong }), {
    uses: ['asan'],
    share: 1 / 256,
  }),
  // In halves, since it takes as long as all others: the second one runs beside them, and beside the first.
  tier('javascript', 'Vitest: half of its files', DEVICES, () => [...half(1), ...(isLong ? [] : leftForLong(ONLY_LONG))], {
    share: 1 / 128,
  }),
  tier('neon', 'the engine for 64-bit ARM: GoogleTest under QEMU', ENGINE, neonUnderEmulation, {
    uses: ['neon'],
    onlyLong: true,
    share: 1 / 64,
  }),
  tier('wasm-api', 'the tests of the API with the engine in WebAssembly', BUILT, apiInWasm, { share: 1 / 128 }),
  tier(
    'engine',
    'GoogleTest, release build: kernels, threads, work and memory',
    ENGINE,
    () => googleTest('release', { only: OF_RELEASE, besides: isLong ? BENCHMARKS : [] }),
    {
      uses: ['release'],
      share: 1 / 64,
    },
  ),
  tier('addon-asan', 'the addon in Node under both sanitizers', DEVICES, addonUnderSanitizers, {
    uses: ['asan'],
    onlyLong: true,
    share: 1 / 64,
  }),
  tier('javascript-2', 'Vitest: the other half', DEVICES, () => half(2), { share: 1 / 128 }),
  tier('wasm', 'GoogleTest as WebAssembly', ENGINE_IN_WASM, engineAsWasm, { uses: WASM, share: 1 / 256 }),
  tier('tsan', 'GoogleTest of what threads share, under ThreadSanitizer', [], () => googleTest('tsan'), { uses: ['tsan'], share: 1 / 8 }),
  tier('hosts', 'the packed package in bundlers, browsers and other hosts', BUILT, inHosts, { share: 1 / 8 }),
  tier('smoke', 'the packed package, installed and used by name on other hosts', BUILT, smokeTests, { share: 1 / 8 }),
  tier('browser', 'the tests of the API, the ids of whole texts, and the playground, in Chromium', BUILT, inChromium, {
    mostlyWaits: true,
    share: 1 / 8,
  }),
  tier('chat', 'chat templates and harmony beside Python, which renders live', BUILT, besidePython, { onlyLong: true, share: 1 / 4 }),
  tier('plugins', 'the plugins for CUDA and HIP compile and link', [], plugins, { uses: ['cuda-check', 'hip-check'] }),
  tier('tidy', 'clang-tidy finds nothing in the engine', [], () => withTools(checkTidy), { uses: ['clang'], onlyLong: true }),
  tier('style', 'Biome and clang-format find nothing to change', [], () => withTools(checkStyle)),
  tier('types', 'the tests and the playground compile under tsc', BUILT, () =>
    ['test', 'docs/playground'].flatMap((project) => succeeds(bin('typescript/bin/tsc'), '--project', project)),
  ),
  // `build-dist` has compiled lib/ under the same options: compiling it once more takes two thirds of the time.
  tier('docs', 'TypeDoc reads the API reference without a warning', BUILT, () =>
    succeeds(bin('typedoc/bin/typedoc'), '--emit', 'none', '--skipErrorChecking'),
  ),
  tier('site', 'the documentation site builds, no link in it is dead, and its pages pass axe in Chromium', BUILT, theSite, {
    onlyLong: true,
  }),
  tier('cartridges', 'the recipes give the same bytes again', BUILT, sameCartridges),
];

/** @returns {Tier} */
function tier(name, what, needs, run, more = {}) {
  return { name, what, needs, run, ...more };
}

/** Packs once what several tiers install. */
function pack() {
  embed();
  fs.rmSync(inTests('packed'), { recursive: true, force: true });
  fs.mkdirSync(inTests('packed'), { recursive: true });
  run(process.execPath, ['scripts/pack.mjs', '--destination', inTests('packed')], { quiet: true });
}

/** The emulated device, and plugins that are to be refused. */
function buildDevices() {
  buildNative('release', ['crayon_gpu_emulated', 'crayon_gpu_other_version', 'crayon_gpu_silent_plugin', 'crayon_gpu_without_tokens']);
}

/**
 * Builds the engine's tests under a preset, and what has to compile besides, and runs them with CTest. `only` are files of
 * tests, `without` tests that a build has nothing to add to; `npm run test:long` runs these, too. `gpu`: with the kernels for
 * accelerators.
 * @param {{ only?: string, without?: string, gpu?: boolean, besides?: string[] }} [options]
 * @returns {Test[]}
 */
function googleTest(preset, { only, without, gpu = true, besides = [] } = {}) {
  const settings = {
    ...(only === undefined ? {} : { CRAYON_TESTS: isLong ? '' : only }),
    CRAYON_GPU_TESTS: gpu ? 'ON' : 'OFF',
    ...(without === undefined ? {} : { CRAYON_TEST_FILTER: isLong ? '*' : `-${without}` }),
  };
  buildNative(preset, ['all_tests', ...besides], { reconfigure: true, settings });
  const reports = path.join(root, 'build', preset, 'gtest');
  fs.rmSync(reports, { recursive: true, force: true });
  const listed = JSON.parse(outputOf('ctest', ['--preset', preset, '--show-only=json-v1'])).tests;
  run('ctest', ['--preset', preset], { env: SANITIZERS, allowFailure: true });
  return listed.flatMap(({ name }) => {
    const report = path.join(reports, `${name}.json`);
    return fs.existsSync(report) ? googleTestsOf(report) : failed(name, 'ended without a report');
  });
}

/** @returns {Test[]} */
function googleTestsOf(report) {
  const { testsuites } = JSON.parse(fs.readFileSync(report, 'utf8'));
  return testsuites.flatMap((suite) =>
    suite.testsuite.map((test) => {
      const failure = test.failures?.map((each) => each.failure).join('\n');
      const ran = failure === undefined ? 'passed' : 'failed';
      const status = test.status === 'NOTRUN' || test.result === 'SKIPPED' ? 'skipped' : ran;
      return { name: `${suite.name}.${test.name}`, status, seconds: Number.parseFloat(test.time), failure };
    }),
  );
}

/** Runs Vitest. @returns {Test[]} */
function vitest(name, { config = 'test/vitest.config.ts', args = [], env = {} } = {}) {
  const report = inTests(`${name}.vitest.json`);
  fs.rmSync(report, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const tarball = packedName();
  const packed = tarball === undefined ? {} : { CRAYON_TEST_PACKED: inTests('packed', tarball) };
  const command = [bin('vitest/vitest.mjs'), 'run', '--config', config, ...reporters, ...args];
  const exit = run(process.execPath, command, { env: { ...packed, ...env }, allowFailure: true });
  if (!fs.existsSync(report)) return failed('Vitest', `ended without a report, exit code ${exit}`);
  const tests = JSON.parse(fs.readFileSync(report, 'utf8')).testResults.flatMap(vitestsOf);
  // Errors outside of any file fail, too.
  return exit === 0 || tests.some(({ status }) => status === 'failed') ? tests : [...tests, ...failed('Vitest', `exit code ${exit}`)];
}

function half(number) {
  return vitest(number === 1 ? 'javascript' : `javascript-${number}`, { args: [`--shard=${number}/2`] });
}

/** The tests of a file; a file that failed outside of them is one more. @returns {Test[]} */
function vitestsOf({ name: file, status: outcome, message, assertionResults }) {
  const name = path.basename(file);
  const tests = assertionResults.map(({ fullName, status, duration = 0, failureMessages }) => ({
    name: `${name}: ${fullName}`,
    status: status === 'passed' || status === 'failed' ? status : 'skipped',
    seconds: duration / 1000,
    failure: status === 'failed' ? failureMessages.join('\n') : undefined,
  }));
  return outcome === 'failed' && tests.every(({ status }) => status !== 'failed') ? [...tests, ...failed(name, message)] : tests;
}

/** For one architecture each: `npm run build:gpu` has all, and `npm run bench -- gpu-model` looks for spills in all. */
function plugins() {
  return pluginCompilers().flatMap(({ target, preset, compilers, isHere }) =>
    isHere ? builds(`${preset}-check`, [target]) : skippedFor([compilers[0]]),
  );
}

/** The NEON kernel on a machine of another kind, by the emulator that the preset names. */
function neonUnderEmulation() {
  const missing = setUpNeon();
  if (missing.length > 0) return skippedFor(missing);
  return [...googleTest('neon', { only: OF_KERNELS, without: `${COUNTS_WORK}:${OF_NO_KERNEL}` }), ...builds('neon', ['crayon_addon'])];
}

/** The engine in Node: with vectors what depends on the machine, and in `npm run test:long` without them what depends on kernels. */
function engineAsWasm() {
  if (!hasGoogleTestSources()) return skippedFor(["GoogleTest's sources"]);
  const without = `${COUNTS_WORK}:${OF_SEVERAL_KERNELS}`;
  return [...googleTest('wasm', { only: OF_WASM, without }), ...(isLong ? googleTest('wasm-scalar', { without }) : [])];
}

/**
 * The tests of what the addon exports, and a program that LeakSanitizer looks at, with the addon of the asan build. The
 * sanitizers' run-time libraries have to be in Node before everything else.
 */
function addonUnderSanitizers() {
  buildNative('asan', ['crayon_addon']);
  // It has the run-time library of UBSan, too.
  const library = outputOf('clang++', [`-print-file-name=libclang_rt.asan-${process.arch === 'x64' ? 'x86_64' : 'aarch64'}.so`]);
  const environment = (leaks) => ({
    ...SANITIZERS,
    CRAYON_SANITIZED: '1',
    ASAN_OPTIONS: `${SANITIZERS.ASAN_OPTIONS}:detect_leaks=${leaks}`,
    CRAYON_ADDON: path.join(root, 'build', 'asan', 'crayon.node'),
    LD_PRELOAD: library,
  });
  const tests = vitest('addon-asan', { args: ADDON, env: environment(0) });
  const leaks = run(process.execPath, ['--expose-gc', 'test/sanitizers/leaks.mjs'], { env: environment(1), allowFailure: true });
  return [...tests, ...(leaks === 0 ? passed('leaks') : failed('leaks', `exit code ${leaks}`))];
}

/** Templates, conversations and seeds that no golden has, where Python and its packages are. */
function besidePython() {
  const reference = referencePython();
  if ('missing' in reference) return skippedFor([reference.missing]);
  return vitest('chat', { args: ['test/chat/'], env: { CRAYON_CHAT_LIVE: '1' } });
}

function apiInWasm() {
  const left = isLong ? [] : leftForLong(API_ONLY_LONG);
  const tests = vitest('wasm-api', {
    args: isLong ? [...API, ...SWEEPS] : API.filter((file) => !API_ONLY_LONG.includes(file)),
    env: { CRAYON_TEST_ENTRY: 'wasm' },
  });
  return [...tests, ...left];
}

/** One of them moves the installed package away for a moment, so they take turns. */
function inHosts() {
  return vitest('hosts', { config: 'test/hosts/vitest.config.ts', env: { VITEST_MAX_WORKERS: '1' } });
}

/** With addons of other platforms in prebuilds their hosts, too; `npm test` has those that need nothing from a registry. */
function smokeTests() {
  const tarball = inTests('packed', packedName());
  return (isLong ? Object.keys(HOSTS) : TELLING).map((name) => {
    const { status, text, seconds } = smoke(name, tarball);
    console.log(`${status} ${name}: ${text}`);
    return { name: status === 'skipped' ? `${name}: ${text}` : name, status, seconds, failure: status === 'failed' ? text : undefined };
  });
}

/** The file that the step `pack` has made; undefined if it has not been run. */
function packedName() {
  return fs.existsSync(inTests('packed')) ? fs.readdirSync(inTests('packed')).find((file) => file.endsWith('.tgz')) : undefined;
}

/** What browsers get, in a real one. */
function inChromium() {
  const starts = run(process.execPath, ['test/browser/starts.mjs'], { allowFailure: true }) === 0;
  if (!starts) return skippedFor(['Chromium that starts']);
  return [
    ...vitest('browser', { config: 'test/browser/vitest.config.ts' }),
    ...vitest('playground', { config: 'test/playground/vitest.config.ts' }),
  ];
}

/** Under another base than the root, where a link that forgets it is dead. */
async function theSite() {
  await buildSite({ out: inTests('site'), base: '/crayon-tokenizer/' });
  const starts = run(process.execPath, ['test/browser/starts.mjs'], { allowFailure: true }) === 0;
  const used = starts ? vitest('site', { config: 'test/site/vitest.config.ts' }) : skippedFor(['Chromium that starts']);
  return [...passed('builds'), ...used];
}

function sameCartridges() {
  return Array.from({ length: buildCartridges({ check: true }) }, (_, index) => passed(`cartridge ${index + 1}`)).flat();
}

/** A check that says which tools this machine lacks. */
function withTools(check) {
  const missing = check();
  return missing.length > 0 ? skippedFor(missing) : passed('check');
}

function builds(preset, targets) {
  buildNative(preset, targets, { reconfigure: true });
  return passed(`builds ${targets.join(', ')}`);
}

function succeeds(...args) {
  run(process.execPath, args);
  return passed('succeeds');
}

const passed = (name) => [{ name, status: 'passed', seconds: 0 }];
const failed = (name, failure) => [{ name, status: 'failed', seconds: 0, failure }];
/** Files that a run of `npm test` leaves to `npm run test:long`, each counted as one. */
const leftForLong = (files) => files.map((file) => ({ name: `${file}: npm run test:long`, status: 'skipped', seconds: 0 }));
const skippedFor = (missing) => [{ name: `this machine has no ${missing.join(', no ')}`, status: 'skipped', seconds: 0 }];

/** What became of a tier's tests; an exception is one failure. */
async function outcomeOf({ name, run }) {
  try {
    return (await run()) ?? [];
  } catch (error) {
    printFailure(error);
    return failed(name, error.message);
  }
}

/** What this process has used of the processors, and those that it has waited for; 0 where Linux does not tell. */
function cpuSeconds() {
  if (!fs.existsSync('/proc/self/stat')) return 0;
  // Behind the name: fields 14 to 17 are user and system time, its own and theirs, in hundredths of a second.
  const [, behind] = fs.readFileSync('/proc/self/stat', 'utf8').split(') ');
  const ticks = behind.split(' ').slice(11, 15).map(Number);
  return ticks.reduce((sum, each) => sum + each, 0) / 100;
}

function inTests(...names) {
  return path.join(root, 'build', 'test', ...names);
}

/** The file in which the process of a tier leaves its outcome. */
export function outcomeFile(name) {
  return inTests(`${name}.json`);
}

function bin(file) {
  return path.join(root, 'node_modules', ...file.split('/'));
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    const [name] = process.argv.slice(2);
    const wanted = [...STEPS, ...TIERS].find((each) => each.name === name);
    if (wanted === undefined) throw expected(`no tier '${name}'`);
    const tests = await outcomeOf(wanted);
    const seconds = performance.now() / 1000;
    fs.writeFileSync(outcomeFile(name), JSON.stringify({ tests, seconds, cpuSeconds: cpuSeconds() }));
    if (tests.some(({ status }) => status === 'failed')) process.exitCode = 1;
  });
}

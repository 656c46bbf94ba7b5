/**
 * The parts of `npm test`, each run by a process of its own: `node scripts/tiers.mjs NAME` builds what the tier needs,
 * runs it, and writes its counts and the seconds of every test to build/test/NAME.json. scripts/test.mjs starts them.
 */
import fs from 'node:fs';
import path from 'node:path';
import { pluginCompilers } from './build-gpu.mjs';
import { buildAddon, buildNative, buildTypeScript, buildWasm } from './build.mjs';
import { buildCartridges } from './cartridges.mjs';
import { embed } from './embed.mjs';
import { expected, isMain, outputOf, root, run, runMain } from './process.mjs';
import { hasGoogleTestSources, setUpNeon } from './setup.mjs';
import { referencePython } from '../test/chat/reference/environment.mjs';

/** @typedef {{ name: string, seconds: number, failure?: string }} Test with what it said if it failed */
/** @typedef {{ passed: number, failed: number, skipped: number, tests: Test[], cpuSeconds?: number }} Outcome */

/**
 * @typedef {object} Tier
 * @property {string} name
 * @property {string} what
 * @property {() => Outcome | void | Promise<void>} run a step before the tests has no outcome
 * @property {string[]} needs the steps that have to be done before
 * @property {string[]} [uses] the folder of a preset, where one thing is built at a time
 * @property {boolean} [onlyLong] part of `npm run test:long`, and of `npm test` only if it is named
 * @property {number} [share] how much of their random cases and of the long texts its tests take; 1 in `npm run test:long`
 */

export const SANITIZERS = {
  ASAN_OPTIONS: 'detect_stack_use_after_return=1',
  UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1',
  TSAN_OPTIONS: 'halt_on_error=1',
};

/** The JavaScript tests that also run under the sanitizers: those of what the addon exports. */
const SANITIZED_TESTS = ['api', 'bad-input', 'batch', 'errors', 'fitting', 'lifetime', 'loading', 'offsets', 'special', 'swap', 'train', 'dna', 'dna-parts', 'dna-records', 'dna-threads', 'records'].map(
  (name) => `test/lib/${name}.test.ts`,
);

/** The JavaScript tests that also run with WebAssembly in place of the addon: those of the API. */
const API_TESTS = [
  ...SANITIZED_TESTS.filter((file) => !file.includes('loading')),
  ...['exactness', 'exactness-blocks', 'exactness-code-points', 'exactness-crossings', 'exactness-fuzz', 'exactness-kernels', 'exactness-special', 'exactness-windows'].map(
    (name) => `test/lib/${name}.test.ts`,
  ),
  ...['adapt', 'bpe-uncut', 'chat', 'dna-batches', 'dna-discover', 'dna-dnabert2', 'dna-reference', 'gunzip', 'hostile-input', 'options', 'read-only', 'dat', 'encode-async', 'encode-pipeline', 'long-text', 'longest-match', 'messages', 'models', 'nfc', 'pipelines', 'streams', 'streams-node'].map((name) => `test/lib/${name}.test.ts`),
  ...['harmony', 'masks'].map((name) => `test/chat/${name}.test.ts`),
];

/** Where the packed package is, for the tests that install it. */
const packed = path.join(root, 'build', 'test', 'packed');

/**
 * What has to be built before tests run, in the order in which it is started.
 * @type {Tier[]}
 */
export const STEPS = [
  { name: 'build-addon', what: 'the addon', needs: [], uses: ['release'], run: buildAddon },
  { name: 'build-dist', what: 'the JavaScript', needs: [], run: buildTypeScript },
  { name: 'build-cartridges', what: 'the cartridges', needs: ['build-addon', 'build-dist'], run: () => void buildCartridges() },
  { name: 'build-devices', what: 'the emulated device', needs: ['build-addon'], uses: ['release'], run: () => buildNative('release', ['crayon_gpu_emulated', 'crayon_gpu_other_version', 'crayon_gpu_silent_plugin']) },
  { name: 'build-wasm', what: 'the WebAssembly modules', needs: ['build-dist'], uses: ['wasm', 'wasm-scalar'], run: () => void buildWasm() },
  { name: 'pack', what: 'the package', needs: ['build-wasm', 'build-cartridges'], uses: ['release', 'wasm', 'wasm-scalar'], run: pack },
];

const BUILT = ['pack'];

/**
 * Every tier: those that take long come first, so that none of them is left over when the others are done.
 * @type {Tier[]}
 */
export const TIERS = [
  {
    name: 'engine',
    what: 'GoogleTest, release build',
    needs: ['build-cartridges'],
    uses: ['release'],
    share: 1 / 4,
    run: () => {
      // Benchmarks are run by hand: that they compile is found here.
      buildNative('release', ['crayon_lopt', 'crayon_train_bench', 'crayon_gpu_bench'], { reconfigure: true });
      return googleTest('release');
    },
  },
  { name: 'javascript', what: 'Vitest', needs: [...BUILT, 'build-devices'], share: 1 / 32, run: () => vitest('javascript') },
  {
    name: 'asan',
    what: 'GoogleTest under AddressSanitizer and UBSan',
    needs: ['build-cartridges'],
    uses: ['asan'],
    share: 1 / 64,
    run: () => googleTest('asan', { env: SANITIZERS }),
  },
  {
    name: 'wasm-api',
    what: 'the tests of the API with the engine in WebAssembly',
    needs: BUILT,
    share: 1 / 64,
    run: () => vitest('wasm-api', { args: API_TESTS, env: { CRAYON_TEST_ENTRY: 'wasm' } }),
  },
  {
    name: 'neon',
    what: 'the engine for 64-bit ARM, cross-compiled: GoogleTest under QEMU',
    needs: ['build-cartridges'],
    uses: ['neon'],
    share: 1 / 64,
    run: neonUnderEmulation,
  },
  {
    name: 'wasm',
    what: 'the engine as WebAssembly, with vectors and without: GoogleTest in Node',
    needs: ['build-wasm', 'build-cartridges'],
    uses: ['wasm', 'wasm-scalar'],
    share: 1 / 16,
    run: engineAsWasm,
  },
  {
    name: 'addon-asan',
    what: 'the addon in Node under AddressSanitizer and UBSan',
    needs: [...BUILT, 'build-devices'],
    uses: ['asan'],
    share: 1 / 16,
    run: addonUnderSanitizers,
  },
  {
    name: 'browser',
    what: 'the tests of the API, and the ids of whole texts, in Chromium',
    needs: BUILT,
    share: 1 / 8,
    run: inChromium,
  },
  {
    name: 'hosts',
    what: 'the packed package in bundlers, browsers and other hosts',
    needs: BUILT,
    // One of them moves the installed package away for a moment, so they take turns.
    run: () => vitest('hosts', { config: 'test/hosts/vitest.config.ts', env: { VITEST_MAX_WORKERS: '1' } }),
  },
  {
    name: 'tsan',
    what: 'GoogleTest of what threads share, under ThreadSanitizer',
    needs: [],
    uses: ['tsan'],
    run: () => googleTest('tsan', { env: SANITIZERS }),
  },
  {
    name: 'chat',
    what: 'chat templates and harmony beside Python, which renders live',
    needs: BUILT,
    onlyLong: true,
    share: 1 / 4,
    run: besidePython,
  },
  { name: 'plugins', what: 'the plugins for CUDA and HIP compile and link', needs: [], uses: ['cuda-check', 'hip-check'], run: plugins },
  { name: 'clang', what: 'engine and addon compile under clang++ with -Werror', needs: [], uses: ['clang'], run: secondCompiler },
  { name: 'types', what: 'the tests compile under tsc', needs: BUILT, run: () => succeeds(process.execPath, [bin('typescript/bin/tsc'), '--project', 'test']) },
  { name: 'docs', what: 'TypeDoc writes the API reference without a warning', needs: BUILT, run: () => succeeds(process.execPath, [bin('typedoc/bin/typedoc')]) },
  { name: 'cartridges', what: 'the recipes give the same bytes again', needs: BUILT, run: () => ({ ...none(), passed: buildCartridges({ check: true }) }) },
];

// --- steps ------------------------------------------------------------------------------------------------------------

/** Packs once what several tiers install. */
function pack() {
  embed();
  fs.rmSync(packed, { recursive: true, force: true });
  fs.mkdirSync(packed, { recursive: true });
  run(process.execPath, ['scripts/pack.mjs', '--destination', packed], { quiet: true });
}

// --- tiers ------------------------------------------------------------------------------------------------------------

/**
 * Builds the engine's tests under a preset and runs them with CTest.
 * @param {string} preset
 * @param {{ env?: Record<string, string> }} [options]
 * @returns {Outcome}
 */
function googleTest(preset, { env = {} } = {}) {
  buildNative(preset, ['all_tests'], { reconfigure: true });
  const reports = path.join(root, 'build', preset, 'gtest');
  fs.rmSync(reports, { recursive: true, force: true });
  const listed = JSON.parse(outputOf('ctest', ['--preset', preset, '--show-only=json-v1'])).tests;
  run('ctest', ['--preset', preset], { env, allowFailure: true });
  return sum(listed.map(({ name }) => readGoogleTest(path.join(reports, `${name}.json`))));
}

/** A program that left no report has crashed. @returns {Outcome} */
function readGoogleTest(file) {
  const outcome = none();
  if (!fs.existsSync(file)) {
    const name = path.basename(file, '.json');
    console.error(`${name} ended without a report`);
    return { ...outcome, failed: 1, tests: [{ name, seconds: 0, failure: 'ended without a report' }] };
  }
  for (const suite of JSON.parse(fs.readFileSync(file, 'utf8')).testsuites) {
    for (const test of suite.testsuite) {
      const name = `${suite.name}.${test.name}`;
      const failure = test.failures?.map((each) => each.failure).join('\n');
      outcome.tests.push({ name, seconds: Number.parseFloat(test.time), failure });
      if (test.status === 'NOTRUN' || test.result === 'SKIPPED') {
        console.log(`skipped: ${name}`);
        ++outcome.skipped;
      } else if (test.failures !== undefined) ++outcome.failed;
      else ++outcome.passed;
    }
  }
  return outcome;
}

function secondCompiler() {
  buildNative('clang', ['crayon_core', 'crayon_addon'], { reconfigure: true });
  console.log('no warnings');
  return { ...none(), passed: 1 };
}

/** For one architecture each: `npm run build:gpu` has all, and `npm run bench -- gpu-model` looks for spills in all. */
function plugins() {
  return sum(
    pluginCompilers().map(({ target, preset, compilers, isHere }) => {
      if (!isHere) return skippedFor([compilers[0]]);
      buildNative(`${preset}-check`, [target], { reconfigure: true });
      return { ...none(), passed: 1 };
    }),
  );
}

/** The NEON kernel on a machine of another kind, by the emulator that the preset names. */
function neonUnderEmulation() {
  const missing = setUpNeon();
  if (missing.length > 0) return skippedFor(missing);
  const tests = googleTest('neon');
  buildNative('neon', ['crayon_addon']);
  return sum([tests, { ...none(), passed: 1 }]);
}

/** The engine in Node: with vectors all of it, without them what depends on kernels. */
function engineAsWasm() {
  if (!hasGoogleTestSources()) return skippedFor(["GoogleTest's sources"]);
  return sum([googleTest('wasm'), googleTest('wasm-scalar')]);
}

function skippedFor(missing) {
  console.log(`skipped: this machine has no ${missing.join(', no ')}`);
  return { ...none(), skipped: 1 };
}

function succeeds(command, args) {
  run(command, args);
  console.log('no errors');
  return { ...none(), passed: 1 };
}

/**
 * Runs Vitest.
 * @param {string} name of the report
 * @param {{ config?: string, args?: string[], env?: Record<string, string> }} [options]
 * @returns {Outcome}
 */
function vitest(name, { config = 'test/vitest.config.ts', args = [], env = {} } = {}) {
  const report = path.join(root, 'build', 'test', `${name}.vitest.json`);
  fs.rmSync(report, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const command = [bin('vitest/vitest.mjs'), 'run', '--config', config, ...reporters, ...args];
  const tarball = fs.existsSync(packed) ? fs.readdirSync(packed).find((file) => file.endsWith('.tgz')) : undefined;
  const packedEnv = tarball === undefined ? {} : { CRAYON_TEST_PACKED: path.join(packed, tarball) };
  const exit = run(process.execPath, command, { env: { ...packedEnv, ...env }, allowFailure: true });
  if (!fs.existsSync(report)) throw new Error(`Vitest ended without a report, exit code ${exit}`);
  const result = JSON.parse(fs.readFileSync(report, 'utf8'));
  // Files that failed outside of a test, and errors outside of any file, fail too.
  const broken = result.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const failed = result.numFailedTests + broken.length;
  const tests = broken.map((file) => ({ name: path.basename(file.name), seconds: 0, failure: file.message }));
  for (const file of result.testResults) {
    for (const test of file.assertionResults) {
      const failure = test.status === 'failed' ? test.failureMessages.join('\n') : undefined;
      tests.push({ name: `${path.basename(file.name)}: ${test.fullName}`, seconds: (test.duration ?? 0) / 1000, failure });
      if (test.status === 'pending' || test.status === 'skipped') console.log(`skipped: ${test.fullName}`);
    }
  }
  return {
    passed: result.numPassedTests,
    failed: exit !== 0 && failed === 0 ? 1 : failed,
    skipped: result.numPendingTests + result.numTodoTests,
    tests,
  };
}

/**
 * The tests of the API once more, and a program that LeakSanitizer looks at, with the addon of the asan build. The
 * sanitizers' run-time libraries have to be in Node before everything else.
 */
function addonUnderSanitizers() {
  buildNative('asan', ['crayon_addon']);
  const libraries = ['libasan.so', 'libubsan.so'].map((name) => outputOf('g++', [`-print-file-name=${name}`]));
  const environment = (leaks) => ({
    ...SANITIZERS,
    ASAN_OPTIONS: `${SANITIZERS.ASAN_OPTIONS}:detect_leaks=${leaks}`,
    CRAYON_ADDON: path.join(root, 'build', 'asan', 'crayon.node'),
    LD_PRELOAD: libraries.join(':'),
  });
  const tests = vitest('addon-asan', {
    // Some of the tests there measure memory, which the sanitizer keeps on purpose.
    args: [...SANITIZED_TESTS, ...['addon', 'devices', 'ended-calls'].map((name) => `test/lib/${name}.test.ts`), '--testNamePattern', '^(?!.*resident memory)'],
    env: environment(0),
  });
  const leaks = run(process.execPath, ['--expose-gc', 'test/sanitizers/leaks.mjs'], { env: environment(1), allowFailure: true });
  return sum([tests, leaks === 0 ? { ...none(), passed: 1 } : { ...none(), failed: 1 }]);
}

/** Templates, conversations and seeds that no golden has, where Python and its packages are. */
function besidePython() {
  const reference = referencePython();
  if ('missing' in reference) return skippedFor([reference.missing]);
  return vitest('chat', { args: ['test/chat/'], env: { CRAYON_CHAT_LIVE: '1' } });
}

/** What browsers get, in a real one. */
function inChromium() {
  if (run(process.execPath, ['test/browser/starts.mjs'], { allowFailure: true }) !== 0) {
    console.log('skipped, all of it');
    return { ...none(), skipped: 1 };
  }
  return vitest('browser', { config: 'test/browser/vitest.config.ts' });
}

// --- outcomes ---------------------------------------------------------------------------------------------------------

/** @returns {Outcome} */
function none() {
  return { passed: 0, failed: 0, skipped: 0, tests: [] };
}

/** @param {Outcome[]} all @returns {Outcome} */
function sum(all) {
  const add = (a, b) => ({
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    tests: [...a.tests, ...b.tests],
  });
  return all.reduce(add, none());
}

/** What this process has used of the processors, and those that it has waited for; 0 where Linux does not tell. */
function cpuSeconds() {
  const file = '/proc/self/stat';
  if (!fs.existsSync(file)) return 0;
  // Behind the name: fields 14 to 17 are user and system time, its own and theirs, in hundredths of a second.
  const fields = fs.readFileSync(file, 'utf8').replace(/^.*\) /, '').split(' ').slice(11, 15);
  return fields.reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

/** The file in which the process of a tier leaves its outcome. */
export function outcomeFile(name) {
  return path.join(root, 'build', 'test', `${name}.json`);
}

function bin(file) {
  return path.join(root, 'node_modules', ...file.split('/'));
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    const [name] = process.argv.slice(2);
    const tier = [...STEPS, ...TIERS].find((each) => each.name === name);
    if (tier === undefined) throw expected(`no tier '${name}'`);
    const outcome = (await tier.run()) ?? none();
    fs.mkdirSync(path.dirname(outcomeFile(name)), { recursive: true });
    fs.writeFileSync(outcomeFile(name), JSON.stringify({ ...outcome, cpuSeconds: cpuSeconds() }));
  });
}

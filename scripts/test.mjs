/**
 * `npm test`: every test there is, on this machine, from a fresh clone.
 *
 *     npm test                       all tiers, in order
 *     npm test -- engine javascript  these tiers alone
 *
 * A tier that cannot be built counts as one failure and the others still run. The last line is the sum of all tiers,
 * `N passed, N failed, N skipped`; the exit code is 1 unless none failed and at least one passed.
 */
import fs from 'node:fs';
import path from 'node:path';
import { buildAddon, buildNative, buildTypeScript, buildWasm } from './build.mjs';
import { buildCartridges } from './cartridges.mjs';
import { embed } from './embed.mjs';
import { expected, outputOf, root, run, runMain } from './process.mjs';
import { hasGoogleTestSources, setUp, setUpNeon } from './setup.mjs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

const SANITIZERS = {
  ASAN_OPTIONS: 'detect_stack_use_after_return=1',
  UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1',
  TSAN_OPTIONS: 'halt_on_error=1',
};

/** The JavaScript tests that also run under the sanitizers: those of the face that the addon shows. */
const SANITIZED_TESTS = ['api', 'bad-input', 'batch', 'errors', 'fitting', 'lifetime', 'loading', 'offsets', 'special', 'swap'].map(
  (name) => `test/lib/${name}.test.ts`,
);

/** The JavaScript tests that also run with WebAssembly in the place of the addon: those of the API. */
const API_TESTS = [
  ...SANITIZED_TESTS.filter((file) => !file.includes('loading')),
  ...['exactness', 'exactness-blocks', 'exactness-code-points', 'exactness-crossings', 'exactness-fuzz', 'exactness-kernels', 'exactness-special', 'exactness-windows'].map(
    (name) => `test/lib/${name}.test.ts`,
  ),
  ...['dat', 'encode-async', 'long-text', 'longest-match', 'messages', 'models'].map((name) => `test/lib/${name}.test.ts`),
];

/** Tests that say nothing of kernels, and that would take half of the time under emulation or all memory of WebAssembly. */
const TOO_MUCH_FOR_A_GUEST = ['DoubleArray.OneKey', 'DoubleArray.RandomKeys', 'FitTest.CutsWhereTheNaiveCutDoes'];

/** @type {{ name: string, what: string, run: () => Counts }[]} */
const TIERS = [
  { name: 'engine', what: 'GoogleTest, release build', run: () => googleTest('release') },
  { name: 'clang', what: 'engine and addon compile under clang++ with -Werror', run: secondCompiler },
  { name: 'asan', what: 'GoogleTest under AddressSanitizer and UBSan', run: () => googleTest('asan', { env: SANITIZERS }) },
  {
    name: 'tsan',
    what: 'GoogleTest of what threads share, under ThreadSanitizer',
    run: () => googleTest('tsan', { only: /registry|thread/, env: SANITIZERS }),
  },
  { name: 'neon', what: 'the engine for 64-bit ARM, cross-compiled: GoogleTest under QEMU', run: neonUnderEmulation },
  { name: 'wasm', what: 'the engine as WebAssembly, with vectors and without: GoogleTest in Node', run: engineAsWasm },
  { name: 'cartridges', what: 'the recipes give the same bytes again', run: () => ({ passed: buildCartridges({ check: true }), failed: 0, skipped: 0 }) },
  { name: 'types', what: 'the tests compile under tsc', run: () => succeeds(process.execPath, [bin('typescript/bin/tsc'), '--project', 'test']) },
  { name: 'docs', what: 'TypeDoc writes the API reference without a warning', run: () => succeeds(process.execPath, [bin('typedoc/bin/typedoc')]) },
  { name: 'javascript', what: 'Vitest', run: () => vitest('vitest') },
  { name: 'wasm-api', what: 'the tests of the API with the engine in WebAssembly', run: () => vitest('vitest-wasm', { args: API_TESTS, env: { CRAYON_TEST_ENTRY: 'wasm' } }) },
  { name: 'browser', what: 'the tests of the API, and the ids of whole texts, in Chromium', run: inChromium },
  { name: 'hosts', what: 'the packed package in bundlers, browsers and other hosts', run: () => vitest('hosts', { config: 'test/hosts/vitest.config.ts' }) },
  { name: 'addon-asan', what: 'the addon in Node under AddressSanitizer and UBSan', run: addonUnderSanitizers },
];

await runMain(() => {
  const wanted = process.argv.slice(2);
  const unknown = wanted.find((name) => !TIERS.some((tier) => tier.name === name));
  if (unknown !== undefined) throw expected(`no tier '${unknown}'; there are: ${TIERS.map((tier) => tier.name).join(', ')}`);

  setUp('test');
  buildAddon();
  buildTypeScript();
  buildWasm();
  buildCartridges();
  embed();

  const rows = [];
  for (const tier of TIERS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    console.log(`\n=== ${tier.name}: ${tier.what}\n`);
    const started = performance.now();
    const counts = outcomeOf(tier);
    rows.push({ ...counts, name: tier.name, seconds: (performance.now() - started) / 1000 });
  }
  summarise(rows);
});

function outcomeOf(tier) {
  try {
    return tier.run();
  } catch (error) {
    console.error(error.message);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

function summarise(rows) {
  console.log('\n=== summary\n');
  for (const { name, passed, failed, skipped, seconds } of rows) {
    console.log(`${name.padEnd(12)} ${passed} passed, ${failed} failed, ${skipped} skipped (${seconds.toFixed(1)} s)`);
  }
  const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map((key) => rows.reduce((sum, row) => sum + row[key], 0));
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  if (failed > 0 || passed === 0) process.exitCode = 1;
}

// --- tiers ------------------------------------------------------------------------------------------------------------

/**
 * Builds the engine's tests under a preset and runs them with CTest.
 * @param {string} preset
 * @param {{ only?: RegExp, env?: Record<string, string> }} [options] `only`: names of the test programs to run
 * @returns {Counts}
 */
function googleTest(preset, { only = /./, env = {} } = {}) {
  buildNative(preset, [], { reconfigure: true });
  const listed = JSON.parse(outputOf('ctest', ['--preset', preset, '--show-only=json-v1'])).tests;
  const names = listed.map((test) => test.name).filter((name) => only.test(name));
  if (names.length === 0) throw new Error(`no test program of that name: ${only}`);
  buildNative(preset, names);
  const reports = path.join(root, 'build', preset, 'gtest');
  fs.rmSync(reports, { recursive: true, force: true });
  const args = ['--preset', preset, '--parallel', '2', '--tests-regex', `^(${names.join('|')})$`];
  run('ctest', args, { env: { ...env, GTEST_OUTPUT: `json:${reports}/` }, allowFailure: true });
  return sum(names.map((name) => readGoogleTest(path.join(reports, `${name}.json`))));
}

/** A program that left no report has crashed. */
function readGoogleTest(file) {
  if (!fs.existsSync(file)) {
    console.error(`${path.basename(file, '.json')} ended without a report`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const suite of JSON.parse(fs.readFileSync(file, 'utf8')).testsuites) {
    for (const test of suite.testsuite) {
      if (test.status === 'NOTRUN' || test.result === 'SKIPPED') {
        console.log(`skipped: ${suite.name}.${test.name}`);
        ++counts.skipped;
      } else if (test.failures !== undefined) ++counts.failed;
      else ++counts.passed;
    }
  }
  return counts;
}

function secondCompiler() {
  buildNative('clang', ['crayon_core', 'crayon_addon'], { reconfigure: true });
  console.log('no warnings');
  return { passed: 1, failed: 0, skipped: 0 };
}

/** The NEON kernel on a machine of another kind, by the emulator that the preset names. */
function neonUnderEmulation() {
  const missing = setUpNeon();
  if (missing.length > 0) return skippedFor(missing);
  const tests = guestTest('neon');
  buildNative('neon', ['crayon_addon']);
  return sum([tests, { passed: 1, failed: 0, skipped: 0 }]);
}

/** The engine in Node: with vectors all of it, without them what depends on kernels. */
function engineAsWasm() {
  if (!hasGoogleTestSources()) return skippedFor(["GoogleTest's sources"]);
  return sum([guestTest('wasm'), googleTest('wasm-scalar', { only: /^(?:decode|encoder|scanner|transcode)_test$/ })]);
}

function skippedFor(missing) {
  console.log(`skipped, all of it: this machine has no ${missing.join(', no ')}`);
  return { passed: 0, failed: 0, skipped: 1 };
}

/** The engine's tests, but for those that are too much where another machine is emulated. */
function guestTest(preset) {
  for (const name of TOO_MUCH_FOR_A_GUEST) console.log(`skipped: ${name}`);
  const tests = googleTest(preset, { env: { GTEST_FILTER: `-${TOO_MUCH_FOR_A_GUEST.join(':')}` } });
  return sum([tests, { passed: 0, failed: 0, skipped: TOO_MUCH_FOR_A_GUEST.length }]);
}

function succeeds(command, args) {
  run(command, args);
  console.log('no errors');
  return { passed: 1, failed: 0, skipped: 0 };
}

/**
 * Runs Vitest.
 * @param {string} name of the report
 * @param {{ config?: string, args?: string[], env?: Record<string, string> }} [options]
 * @returns {Counts}
 */
function vitest(name, { config = 'test/vitest.config.ts', args = [], env = {} } = {}) {
  const report = path.join(root, 'build', `${name}.json`);
  fs.rmSync(report, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const command = [bin('vitest/vitest.mjs'), 'run', '--config', config, ...reporters, ...args];
  const exit = run(process.execPath, command, { env, allowFailure: true });
  if (!fs.existsSync(report)) throw new Error(`Vitest ended without a report, exit code ${exit}`);
  const result = JSON.parse(fs.readFileSync(report, 'utf8'));
  // Files that failed outside of a test, and errors outside of any file, fail too.
  const broken = result.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const failed = result.numFailedTests + broken.length;
  for (const file of result.testResults) {
    for (const test of file.assertionResults) {
      if (test.status === 'pending' || test.status === 'skipped') console.log(`skipped: ${test.fullName}`);
    }
  }
  return {
    passed: result.numPassedTests,
    failed: exit !== 0 && failed === 0 ? 1 : failed,
    skipped: result.numPendingTests + result.numTodoTests,
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
  const tests = vitest('vitest-asan', {
    // Some of the tests there measure memory, which the sanitizer keeps on purpose.
    args: [...SANITIZED_TESTS, '--testNamePattern', '^(?!.*resident memory)'],
    env: environment(0),
  });
  const leaks = run(process.execPath, ['--expose-gc', 'test/sanitizers/leaks.mjs'], { env: environment(1), allowFailure: true });
  return sum([tests, leaks === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 }]);
}

/** What browsers get, in a real one. */
function inChromium() {
  if (run(process.execPath, ['test/browser/starts.mjs'], { allowFailure: true }) !== 0) {
    console.log('skipped, all of it');
    return { passed: 0, failed: 0, skipped: 1 };
  }
  return vitest('browser', { config: 'test/browser/vitest.config.ts' });
}

/** @param {Counts[]} all @returns {Counts} */
function sum(all) {
  return all.reduce((a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }));
}

function bin(file) {
  return path.join(root, 'node_modules', ...file.split('/'));
}

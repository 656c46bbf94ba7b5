/**
 * `npm test`: every test there is, on this machine, from a fresh clone.
 *
 *     npm test                       all tiers but those for test:long alone, two at a time, and one that mostly waits
 *     npm test -- engine javascript  these tiers alone
 *     npm run test:long              all tiers, with all of their random cases and texts
 *
 * CTest runs the tiers (scripts/tiers.mjs), and the steps that they need before them; those of which two write to one
 * folder take turns. A tier that cannot be built counts as one failure and the others still run. What a tier prints is
 * shown if it fails, and as it goes if it is the only one; build/test/Testing/Temporary/LastTest.log has all. The last line
 * is the sum of all tiers, `N passed, N failed, N skipped`; the exit code is 1 unless none failed and at least one passed.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { expected, root, runMain } from './process.mjs';
import { setUp, setUpCache, setUpNeon } from './setup.mjs';
import { outcomeFile, STEPS, TIERS } from './tiers.mjs';

/** CTest's slots for a tier. One more, for all, is left for a tier that mostly waits: it leaves its core to the others. */
const SLOTS = 2;
/** How much of what a failed test says is shown again at the end. */
const LINES_OF_A_FAILURE = 12;

await runMain(async () => {
  const { values: flags, positionals } = parseArgs({
    allowPositionals: true,
    options: { long: { type: 'boolean', default: false } },
  });
  const wanted = positionals.flatMap((name) => (name === 'javascript' ? [name, 'javascript-2'] : [name]));
  const unknown = wanted.find((name) => !TIERS.some((tier) => tier.name === name));
  if (unknown !== undefined) throw expected(`no tier '${unknown}'; there are: ${TIERS.map((tier) => tier.name).join(', ')}`);
  setUp('test');

  const started = performance.now();
  const chosen = TIERS.filter(({ name, onlyLong = false }) => (wanted.length === 0 ? flags.long || !onlyLong : wanted.includes(name)));
  // Here, so that nothing is installed while another tier runs.
  setUpCache();
  if (chosen.some(({ name }) => name === 'neon')) setUpNeon();
  if (chosen.some(({ name }) => name === 'site')) setUp('docs');
  const all = [...STEPS, ...TIERS];
  for (const { name } of all) fs.rmSync(outcomeFile(name), { force: true });
  await runAll(all, chosen, { atOnce: Math.min(2, os.availableParallelism()), isLong: flags.long });
  const results = all.filter((each) => chosen.includes(each) || fs.existsSync(outcomeFile(each.name))).map(resultOf);
  summarise(results, (performance.now() - started) / 1000);
});

/** Runs the chosen tiers with CTest, which adds the steps that they need; a signal that ends this process ends them, too. */
async function runAll(all, chosen, { atOnce, isLong }) {
  const isAlone = chosen.length === 1;
  const folder = path.dirname(outcomeFile('any'));
  const workers = Math.max(1, Math.floor(os.availableParallelism() / (isAlone ? 1 : atOnce)));
  const parallel = ['CMAKE_BUILD_PARALLEL_LEVEL', 'CTEST_PARALLEL_LEVEL', 'VITEST_MAX_WORKERS'].map((name) => `${name}=${workers}`);
  const quoted = (values) => values.map((value) => `[==[${value}]==]`).join(' ');
  const lines = all.map(({ name, needs, uses = [], share = 1, mostlyWaits = false }, index) => {
    const properties = {
      PROCESSORS: mostlyWaits ? 1 : SLOTS,
      FIXTURES_SETUP: name,
      FIXTURES_REQUIRED: needs.join(';'),
      RESOURCE_LOCK: uses.join(';'),
      COST: all.length - index, // in their order
      ENVIRONMENT: [...parallel, `CRAYON_TEST_SHARE=${isLong ? 1 : share}`].join(';'),
      WORKING_DIRECTORY: root,
      TIMEOUT: 86_400,
    };
    const command = [name, process.execPath, 'scripts/tiers.mjs', name];
    return `add_test(${quoted(command)})\nset_tests_properties(${name} PROPERTIES ${quoted(Object.entries(properties).flat())})\n`;
  });
  fs.mkdirSync(folder, { recursive: true });
  fs.rmSync(path.join(folder, 'Testing'), { recursive: true, force: true }); // what CTest knows of earlier runs
  fs.writeFileSync(path.join(folder, 'CTestTestfile.cmake'), lines.join(''));
  const shown = isAlone ? ['--verbose'] : ['--output-on-failure', '--test-output-size-failed', '10000000'];
  const these = `^(${chosen.map(({ name }) => name).join('|')})$`;
  const args = ['--test-dir', folder, '--tests-regex', these, '--parallel', String(isAlone ? SLOTS : SLOTS * atOnce + 1), ...shown];
  // It leads a process group, so that all that it has started ends with it.
  const ctest = spawn('ctest', args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  const stop = (signal) => process.kill(-ctest.pid, signal) && process.exit(1);
  process.once('SIGINT', stop).once('SIGTERM', stop);
  await new Promise((resolve, reject) => void ctest.once('close', resolve).once('error', reject));
  process.off('SIGINT', stop).off('SIGTERM', stop);
}

/** What a tier has left: one failure if it left nothing. */
function resultOf(tier) {
  const file = outcomeFile(tier.name);
  const nothing = { tests: [{ name: tier.name, status: 'failed', seconds: 0, failure: 'it or a step before it failed' }], cpuSeconds: 0 };
  return { tier, seconds: 0, ...(fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : nothing) };
}

function summarise(results, seconds) {
  const tests = results.flatMap(({ tier, tests }) => tests.map((test) => ({ ...test, tier: tier.name })));
  const countsOf = (of) =>
    ['passed', 'failed', 'skipped'].map((each) => `${of.filter(({ status }) => status === each).length} ${each}`).join(', ');
  console.log('\n=== the slowest tests\n');
  for (const test of tests.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10)) {
    console.log(`${test.seconds.toFixed(1).padStart(7)} s  ${test.tier.padEnd(12)} ${test.name}`);
  }
  for (const { tier, name, status } of tests) if (status === 'skipped') console.log(`skipped: ${tier}: ${name}`);

  // Once more, because those who read the end of a log see only this.
  const failures = tests.filter(({ status }) => status === 'failed');
  for (const { tier, name, failure = '' } of failures) {
    console.log(`\n=== failed: ${tier}: ${name}\n\n${failure.trimEnd().split('\n').slice(0, LINES_OF_A_FAILURE).join('\n')}`);
  }

  console.log('\n=== summary\n');
  for (const { tier, tests, seconds, cpuSeconds } of results) {
    const what = tests.length === 0 ? 'done' : countsOf(tests);
    console.log(`${tier.name.padEnd(16)} ${what} (${seconds.toFixed(1)} s, ${(cpuSeconds / 60).toFixed(1)} min of CPU)`);
  }
  // By name once more: some services keep only a log's last lines.
  for (const { tier, name, failure = '' } of failures) console.log(`failed: ${tier}: ${name}: ${failure.trim().split('\n', 1)[0]}`);
  const cpu = results.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  console.log(`\nin ${(seconds / 60).toFixed(1)} minutes, ${(cpu / 60).toFixed(1)} of CPU\n\n${countsOf(tests)}`);
  if (failures.length > 0 || tests.every(({ status }) => status !== 'passed')) process.exitCode = 1;
}

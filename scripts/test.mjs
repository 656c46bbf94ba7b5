/**
 * `npm test`: every test there is, on this machine, from a fresh clone.
 *
 *     npm test                       all tiers but those that take Python, two at a time
 *     npm test -- engine javascript  these tiers alone
 *     npm run test:long              all tiers, with all of their random cases and texts
 *
 * A tier that cannot be built counts as one failure and the others still run. What a tier prints is shown when it has
 * ended. The last line is the sum of all tiers, `N passed, N failed, N skipped`; the exit code is 1 unless none failed and
 * at least one passed.
 */
import fs from 'node:fs';
import os from 'node:os';
import { parseArgs } from 'node:util';
import { expected, runMain } from './process.mjs';
import { setUp, setUpCache, setUpNeon } from './setup.mjs';
import { runSideBySide } from './side-by-side.mjs';
import { outcomeFile, STEPS, TIERS } from './tiers.mjs';

/** @typedef {import('./tiers.mjs').Tier} Tier */
/** @typedef {import('./tiers.mjs').Outcome & { tier: Tier, seconds: number }} Result */

/** How much of what a failed test says is shown again at the end. */
const LINES_OF_A_FAILURE = 12;

await runMain(async () => {
  const { values: flags, positionals: wanted } = parseArgs({
    allowPositionals: true,
    options: { long: { type: 'boolean', default: false } },
  });
  const unknown = wanted.find((name) => !TIERS.some((tier) => tier.name === name));
  if (unknown !== undefined) throw expected(`no tier '${unknown}'; there are: ${TIERS.map((tier) => tier.name).join(', ')}`);
  setUp('test');

  const started = performance.now();
  const chosen = TIERS.filter(({ name, onlyLong = false }) => (wanted.length === 0 ? flags.long || !onlyLong : wanted.includes(name)));
  // Here, so that nothing is installed while another tier runs.
  setUpCache();
  if (chosen.some(({ name }) => name === 'neon')) setUpNeon();
  const cores = os.availableParallelism();
  /** @type {Result[]} */
  const results = [];
  const runAll = (tiers, { atOnce, isShown }) => {
    const byName = new Map(tiers.map((tier) => [tier.name, tier]));
    const workers = Math.max(1, Math.floor(cores / atOnce));
    return runSideBySide(tiers.map((tier) => jobOf(tier, { workers, isLong: flags.long })), {
      atOnce,
      isShown,
      onEnd: (ended) => results.push(resultOf(byName.get(ended.job.name), ended)),
    });
  };
  const steps = stepsOf(chosen);
  if (chosen.length === 1) {
    // A tier alone has all cores and prints as it goes.
    await runAll(steps, { atOnce: 1, isShown: false });
    if (results.every(({ failed }) => failed === 0)) {
      console.log(`\n=== ${chosen[0].name}: ${chosen[0].what}\n`);
      await runAll(chosen, { atOnce: 1, isShown: true });
    }
  } else {
    await runAll([...steps, ...chosen], { atOnce: Math.min(2, cores), isShown: false });
  }
  summarise(results, (performance.now() - started) / 1000);
});

/** The steps that these tiers need, with those that the steps need themselves, in order. */
function stepsOf(tiers) {
  const needed = new Set(tiers.flatMap(({ needs }) => needs));
  for (const { name, needs } of [...STEPS].reverse()) {
    if (needed.has(name)) needs.forEach((need) => needed.add(need));
  }
  return STEPS.filter(({ name }) => needed.has(name));
}

/** @returns {import('./side-by-side.mjs').Job} */
function jobOf({ name, needs, uses, share = 1 }, { workers, isLong }) {
  fs.rmSync(outcomeFile(name), { force: true });
  return {
    name,
    needs,
    uses,
    command: [process.execPath, 'scripts/tiers.mjs', name],
    env: {
      CMAKE_BUILD_PARALLEL_LEVEL: String(workers),
      CTEST_PARALLEL_LEVEL: String(workers),
      VITEST_MAX_WORKERS: String(workers),
      CRAYON_TEST_SHARE: String(isLong ? 1 : share),
    },
  };
}

/** Shows what a tier has printed, and reads its outcome: one failure if it left none. @returns {Result} */
function resultOf(tier, { code, output, seconds, failedNeed }) {
  if (output !== '' || failedNeed !== undefined) console.log(`\n=== ${tier.name}: ${tier.what}\n\n${output.trimEnd()}`);
  if (failedNeed !== undefined) console.log(`not run, because ${failedNeed} failed`);
  const failed = { passed: 0, failed: 1, skipped: 0, tests: [] };
  const file = outcomeFile(tier.name);
  const left = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : failed;
  return { ...(code === 0 ? left : failed), tier, seconds };
}

/** @param {Result[]} results @param {number} seconds */
function summarise(results, seconds) {
  const slowest = results
    .flatMap(({ tier, tests }) => tests.map((test) => ({ ...test, tier: tier.name })))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, 10);
  console.log('\n=== the slowest tests\n');
  for (const test of slowest) console.log(`${test.seconds.toFixed(1).padStart(7)} s  ${test.tier.padEnd(12)} ${test.name}`);

  // Once more, because those who read the end of a log see only this.
  for (const { tier, tests } of results) {
    for (const { name, failure } of tests) {
      if (failure === undefined) continue;
      console.log(`\n=== failed: ${tier.name}: ${name}\n\n${failure.trimEnd().split('\n').slice(0, LINES_OF_A_FAILURE).join('\n')}`);
    }
  }

  console.log('\n=== summary\n');
  const order = [...STEPS, ...TIERS];
  for (const result of results.toSorted((a, b) => order.indexOf(a.tier) - order.indexOf(b.tier))) {
    const counts = `${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped`;
    const what = STEPS.includes(result.tier) && result.failed === 0 ? 'done' : counts;
    const cpu = ((result.cpuSeconds ?? 0) / 60).toFixed(1);
    console.log(`${result.tier.name.padEnd(16)} ${what} (${result.seconds.toFixed(1)} s, ${cpu} min of CPU)`);
  }
  const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map((key) => results.reduce((sum, each) => sum + each[key], 0));
  const cpu = results.reduce((sum, { cpuSeconds = 0 }) => sum + cpuSeconds, 0);
  console.log(`\nin ${(seconds / 60).toFixed(1)} minutes, ${(cpu / 60).toFixed(1)} of CPU\n\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  if (failed > 0 || passed === 0) process.exitCode = 1;
}

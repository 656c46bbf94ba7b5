/** Fuzzing by a random test of the engine, again and again with other seeds. */
import { parseArgs } from 'node:util';
import { buildNative } from '../../scripts/build.mjs';
import { expected, outputOf, run, runMain } from '../../scripts/process.mjs';
import { SANITIZERS } from '../../scripts/tiers.mjs';

/**
 * Reads the options of the command (--minutes, --seed, --kind, --preset, --once), builds the engine's tests, and runs one of them
 * for all kinds of tokenizers or for one, until it fails or the time is up.
 * @param {string} test a part of the test's name, before the kind
 * @param {{ round: number, once: number, noun: string }} amounts cases of each kind per round, and of a single seed; what they are
 */
export function fuzzByTest(test, { round: casesOfRound, once, noun }) {
  return runMain(async () => {
    const { values: flags } = parseArgs({
      options: {
        minutes: { type: 'string', default: '10' },
        seed: { type: 'string' },
        kind: { type: 'string', default: '*' },
        preset: { type: 'string', default: 'release' },
        once: { type: 'boolean', default: false },
      },
    });
    const whole = (name, text) => {
      const value = Number(text);
      if (Number.isSafeInteger(value) && value >= 0) return value;
      throw expected(`--${name}: expected a whole number but received '${text}'`);
    };
    if (!['release', 'asan'].includes(flags.preset)) throw expected(`--preset: 'release' or 'asan', not '${flags.preset}'`);
    const seed = flags.seed === undefined ? 1 + Math.floor(Math.random() * 2 ** 31) : whole('seed', flags.seed);
    const end = Date.now() + whole('minutes', flags.minutes) * 60_000;
    // The tests of `npm test` are a selection, of which this one may be no part.
    buildNative(flags.preset, ['crayon_tests'], { reconfigure: true, settings: { CRAYON_TESTS: '' } });
    const tests = `--gtest_filter=*${test}*/${flags.kind}`;
    if (!outputOf(`build/${flags.preset}/crayon_tests`, [tests, '--gtest_list_tests']).includes(test)) {
      throw expected(`--kind: no kind of tokenizer is called '${flags.kind}'`);
    }

    const round = (first, cases) => {
      console.log(`seed ${first}, ${cases} ${noun} of each kind`);
      const status = run(`build/${flags.preset}/crayon_tests`, [tests, '--gtest_brief=1'], {
        env: { ...SANITIZERS, CRAYON_FUZZ_SEED: `${first}`, CRAYON_FUZZ_STRINGS: `${cases}` },
        allowFailure: true,
      });
      if (status !== 0) throw expected('the ids differ, for the seed above: look at it again with --seed S --once');
    };
    if (flags.once) return round(seed, once);
    for (let next = seed; next === seed || Date.now() < end; next += casesOfRound) round(next, casesOfRound);
  });
}

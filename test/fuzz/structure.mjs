/**
 * `npm run fuzz:structure`: passes damaged cartridges of every form to the engine's C interface, under AddressSanitizer
 * and UBSan, until a case fails or the time is up (test/native/structure_test.cpp, of which every test run takes a
 * sample).
 *
 *     npm run fuzz:structure -- --minutes N       (default 10)
 *     npm run fuzz:structure -- --seed S          the first round's seed (default: a new one every run, printed)
 *     npm run fuzz:structure -- --form bpe        only one form: bpe, slim_bpe, bpe_none, slim_bpe_none, bpe_nfc, bpe_strip, bpe_prefix_space,
 *                                                 ordered, slim_ordered, patterns, slim_patterns, handmade, handmade_slim,
 *                                                 matches, slim_matches, dat, dna, dna_kmers, dna_table, … (test/native/structure/originals.h),
 *                                                 or regex: programs of the backtracking matcher (default: all)
 *     npm run fuzz:structure -- --seed S --form F --case C   only one case, to reproduce a failure
 */
import { parseArgs } from 'node:util';
import { buildNative } from '../../scripts/build.mjs';
import { expected, run, runMain } from '../../scripts/process.mjs';
import { SANITIZERS } from '../../scripts/tiers.mjs';

/** Cases of each form per round: about half a minute. */
const CASES = 1000;

await runMain(async () => {
  const { values: flags } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string' },
      form: { type: 'string', default: '*' },
      case: { type: 'string' },
    },
  });
  const whole = (name, text) => {
    const value = Number(text);
    if (Number.isSafeInteger(value) && value >= 0) return value;
    throw expected(`--${name}: expected a whole number but received '${text}'`);
  };
  const seed = flags.seed === undefined ? 1 + Math.floor(Math.random() * 2 ** 31) : whole('seed', flags.seed);
  const end = Date.now() + whole('minutes', flags.minutes) * 60_000;
  buildNative('asan', ['crayon_tests'], { reconfigure: true });

  const round = (env) => {
    const forms = `*Structure*/${flags.form}`;
    const regex = ['*', 'regex'].includes(flags.form) ? ':RegexTest.Structure*' : '';
    const status = run('build/asan/crayon_tests', [`--gtest_filter=${forms}${regex}`, '--gtest_brief=1'], {
      env: { ...SANITIZERS, ...env },
      allowFailure: true,
    });
    if (status !== 0) throw expected('a case failed, with the seed and the number above');
  };
  if (flags.case !== undefined) {
    return round({ CRAYON_FUZZ_SEED: `${seed}`, CRAYON_FUZZ_CASE: `${whole('case', flags.case)}` });
  }
  for (let next = seed; next === seed || Date.now() < end; next++) {
    console.log(`seed ${next}, ${CASES} cases of each form`);
    round({ CRAYON_FUZZ_SEED: `${next}`, CRAYON_FUZZ_CASES: `${CASES}` });
  }
});

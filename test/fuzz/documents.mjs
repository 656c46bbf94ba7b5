/**
 * `npm run fuzz:documents`: documents edited at random, for random tokenizers of every kind, until their ids or failures differ from
 * those of the whole text, or the time is up (test/native/document_test.cpp, of which every test run takes a sample).
 *
 *     npm run fuzz:documents -- --minutes N      (default 10)
 *     npm run fuzz:documents -- --seed S         the first seed (default: a new one every run, printed)
 *     npm run fuzz:documents -- --kind NAME      only one kind of tokenizer, such as o200k_bpe or gpt2_bpe_nfc (default: all)
 *     npm run fuzz:documents -- --preset asan    under AddressSanitizer and UBSan (default: release)
 *     npm run fuzz:documents -- --seed S --once  only the document of one seed, to reproduce a failure
 */
import { parseArgs } from 'node:util';
import { buildNative } from '../../scripts/build.mjs';
import { expected, outputOf, run, runMain } from '../../scripts/process.mjs';
import { SANITIZERS } from '../../scripts/tiers.mjs';

/** Documents of each kind per round. */
const ROUND = 500;

await runMain(async () => {
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
  buildNative(flags.preset, ['crayon_tests'], { reconfigure: true });
  const tests = `--gtest_filter=*HasTheIdsOfItsWholeText*/${flags.kind}`;
  if (!outputOf(`build/${flags.preset}/crayon_tests`, [tests, '--gtest_list_tests']).includes('HasTheIdsOfItsWholeText')) {
    throw expected(`--kind: no kind of tokenizer is called '${flags.kind}'`);
  }

  const round = (first, documents) => {
    console.log(`seed ${first}, ${documents} documents of each kind`);
    const status = run(`build/${flags.preset}/crayon_tests`, [tests, '--gtest_brief=1'], {
      env: { ...SANITIZERS, CRAYON_FUZZ_SEED: `${first}`, CRAYON_FUZZ_STRINGS: `${documents}` },
      allowFailure: true,
    });
    if (status !== 0) throw expected('the ids differ, for the seed above: look at it again with --seed S --once');
  };
  if (flags.once) return round(seed, 1);
  for (let next = seed; next === seed || Date.now() < end; next += ROUND) round(next, ROUND);
});

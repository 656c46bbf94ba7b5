/**
 * `npm run fuzz:parallel`: random texts, divided among threads in random ways, and whole, encoded by random tokenizers of
 * every kind, until their ids or failures differ or the time is up (test/native/parallel_test.cpp, of which every test run
 * takes a sample).
 *
 *     npm run fuzz:parallel -- --minutes N      (default 10)
 *     npm run fuzz:parallel -- --seed S         the first seed (default: a new one every run, printed)
 *     npm run fuzz:parallel -- --kind NAME      only one kind of tokenizer, such as o200k_bpe or none_longest_match (default: all)
 *     npm run fuzz:parallel -- --preset asan    under AddressSanitizer and UBSan (default: release)
 *     npm run fuzz:parallel -- --seed S --once  only the texts of one seed, to reproduce a failure
 */
import { fuzzByTest } from './by-test.mjs';

await fuzzByTest('PartsEqualTheWhole', { round: 20_000, once: 40, noun: 'texts' });

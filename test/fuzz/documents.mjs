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
import { fuzzByTest } from './by-test.mjs';

await fuzzByTest('HasTheIdsOfItsWholeText', { round: 500, once: 1, noun: 'documents' });

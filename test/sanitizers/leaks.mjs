/**
 * Everything that allocates memory in the addon, repeatedly, in a process that LeakSanitizer inspects at its end:
 *
 *     ASAN_OPTIONS=detect_leaks=1 CRAYON_ADDON=build/asan/crayon.node LD_PRELOAD=… node --expose-gc test/sanitizers/leaks.mjs
 *
 * Exits with an error if memory leaked, or a result was wrong.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker, isMainThread } from 'node:worker_threads';
import { Tokenizer, trainBpe } from '../../dist/node/index.js';
import { engineOf, useEmulatedDevice } from '../../dist/node/internals.js';

const cartridge = fileURLToPath(new URL('../../cartridges/r50k_base.cray', import.meta.url));
const HELLO = [31373, 995];

/** One tokenizer, used in every way; closed unless it is left to the garbage collector. */
function use(source, options) {
  const tokenizer = Tokenizer.loadSync(source, options);
  const ids = tokenizer.encode('hello world').slice();
  assert.deepEqual([...ids], HELLO);
  assert.equal(tokenizer.decode(ids), 'hello world');
  const long = 'long text, '.repeat(20_000);
  assert.equal(tokenizer.decode(tokenizer.encode(long)), long);
  assert.equal(tokenizer.count('x'.repeat(10_000)), tokenizer.encode('x'.repeat(10_000)).length);
  assert.equal(tokenizer.encodeBatch(['hello world', '', long]).length, 3);
  assert.deepEqual([...tokenizer.countBatch(['hello world', ''])], [2, 0]);
  assert.throws(() => tokenizer.countBatch(['a', long, '<|endoftext|>'], { special: 'forbid' }));
  assert.deepEqual([...tokenizer.encode('<|endoftext|>', { special: ['<|endoftext|>'] })], [50256]);
  assert.throws(() => tokenizer.encode('<|endoftext|>', { special: 'forbid' }));
  assert.throws(() => tokenizer.encode(`${long}<|endoftext|>`, { special: 'forbid' }));
  assert.throws(() => tokenizer.decode([4_000_000]));
  assert.equal(tokenizer.encodeWithOffsets(long).offsets.at(-1), long.length);
  assert.equal(tokenizer.split(long, { maxTokens: 100, overlap: 10 }).at(-1).at(-1), ' ');
  assert.equal(tokenizer.truncate(long, 2), 'long text');
  const document = tokenizer.document(long, { special: 'forbid' });
  const fork = document.fork(); // closed with its tokenizer
  fork.replace(5, 90_000, 'x');
  assert.throws(() => document.append('<|endoftext|>'));
  assert.equal(document.text, long);
  document.close();
  assert.equal(tokenizer.isWithinLimit(long, 100), false);
  assert.throws(() => tokenizer.split('\ua001', { maxTokens: 1 }));
  assert.throws(() => tokenizer.split(`${long}<|endoftext|>`, { maxTokens: 100, special: 'forbid' }));
  assert.equal(tokenizer.tokenBytes(HELLO[0]).length, 5);
  assert.equal(tokenizer.idOf('hello'), HELLO[0]);
  return tokenizer;
}

for (let round = 0; round < 10; ++round) {
  const bytes = fs.readFileSync(cartridge);
  for (const source of ['r50k_base', cartridge, bytes]) use(source).close();
  use(cartridge, { mmap: false, verify: false }).close();
  const swapped = use('r50k_base');
  await swapped.swap('gpt2');
  await swapped.swap(bytes);
  await swapped.using('r50k_base', (other) => assert.deepEqual([...other.encode('hello world')], HELLO));
  engineOf(swapped).begin(0, false).feed('hello', false); // never finishes
  await swapped.swap('r50k_base');
  swapped.close();
  use('r50k_base'); // abandoned: closed by the garbage collector or the end of the process
  bytes[bytes.length - 1] ^= 1;
  assert.throws(() => Tokenizer.loadSync(bytes));
  assert.throws(() => Tokenizer.loadSync(bytes.subarray(0, 1000)));
  assert.throws(() => Tokenizer.loadSync('r50k_base', { kernel: 'no such kernel' }));
  assert.throws(() => Tokenizer.loadSync(`${cartridge}.missing`));
  globalThis.gc?.();
  await setImmediate();
}

// Trainings in their own threads: completed, ended at every stage, refused.
const corpus = Array.from({ length: 60_000 }, (_, at) => `word${(at * at) % 7919}`).join(' ');
for (const stage of ['none', 'count', 'merge']) {
  const controller = new AbortController();
  const onProgress = (progress) => progress.stage === stage && controller.abort();
  const training = trainBpe(corpus, { vocabularySize: 1000, threads: 3, signal: controller.signal, onProgress });
  if (stage === 'none') assert.equal((await training).tokens.length, 1000);
  else await assert.rejects(training);
}
await assert.rejects(trainBpe('', { vocabularySize: 300 }));

// Batches on the emulated device: completed, failed, aborted, of tokenizers closed meanwhile, and one that is never
// awaited.
const plugin = fileURLToPath(new URL('../../build/release/gpu/crayon_gpu_emulated.so', import.meta.url));
const texts = Array.from({ length: 100 }, (_, at) => `text ${at}\n`.repeat(at));
const lite = Tokenizer.loadSync('lite');
const batch = lite.encodeBatch(texts);
const { ids } = batch;
const padded = new Map([
  [2000, batch.pad({ length: 2000 })],
  [undefined, batch.pad({ type: 'bigint64' })],
]);
process.removeAllListeners('warning');
const sound = [
  ['', {}],
  ['', { sliceBytes: 4096 }],
];
// Only the main thread has the process's environment.
const faulty = isMainThread ? [['launch=20'], ['allocation=9'], ['lost=30'], ['hang=9', { timeLimit: 20 }], ['no_device=1']] : [];
for (const [faults, settings] of [...sound, ...faulty]) {
  process.env.CRAYON_EMULATED_DEVICE = `seed=1 ${faults}`;
  // With settings, a device is not shared with earlier turns, whose faults it would keep.
  useEmulatedDevice(plugin, { timeLimit: 30_000, ...settings });
  const device = 'emulated';
  if (faults === 'no_device=1') {
    await assert.rejects(lite.encodeBatchAsync(texts, { device }));
    continue;
  }
  const controller = new AbortController();
  const aborted = assert.rejects(lite.encodeBatchAsync(texts, { device, signal: controller.signal }));
  const closed = Tokenizer.loadSync('lite', { verify: false });
  const later = closed.encodeBatchAsync(texts, { device });
  closed.close();
  await setImmediate();
  controller.abort();
  await aborted;
  assert.deepEqual((await later).ids, ids);
  assert.deepEqual(lite.encodeBatch(texts, { device }).ids, ids);
  for (const pad of [{ length: 2000 }, { type: 'bigint64' }]) {
    const controller = new AbortController();
    const aborted = assert.rejects(lite.encodeBatchAsync(texts, { device, pad, signal: controller.signal }));
    controller.abort();
    await aborted;
    assert.deepEqual(lite.encodeBatch(texts, { device, pad }), padded.get(pad.length));
  }
}
process.env.CRAYON_EMULATED_DEVICE = '';
useEmulatedDevice(plugin, { sliceBytes: 4096 });
void lite.encodeBatchAsync(texts, { device: 'emulated' });
lite.close();

// Threads load, use, close and abandon the same file at once, and end.
if (isMainThread) {
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      const worker = new Worker(fileURLToPath(import.meta.url));
      const code = await new Promise((resolve, reject) => worker.once('error', reject).once('exit', resolve));
      assert.equal(code, 0);
    }),
  );
  console.log('every answer was right');
}

// The threads of the process: what they encode while the event loop runs, in one environment or in many, and how they end.
// WebAssembly has none; the same calls return the same results there.

import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

import { Tokenizer } from 'crayon-tokenizer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { sample } from '../share.js';

const ENTRY = new URL('../../dist/node/index.js', import.meta.url).href;
const isNative = process.env.CRAYON_TEST_ENTRY === undefined;

let tokenizer: Tokenizer;
beforeAll(async () => {
  tokenizer = await Tokenizer.load('o200k_base');
});
afterAll(() => tokenizer.close());

/** Text in which pieces, characters and surrogate pairs span every position where it may be cut. */
function text(random: Random, length: number): string {
  let out = '';
  while (out.length < length) out += `${nasty(random)} The naïve café — 東京タワー costs 12345 ¥ 😀${'\n'.repeat(random.integer(0, 2))}`;
  return out.slice(0, length);
}

function nasty(random: Random): string {
  return nastyString(random.next(), 1);
}

/** Like `toEqual`, which takes seconds for this many. */
function expectSame(ids: Uint32Array, expected: Uint32Array): void {
  const bytes = (words: Uint32Array) => Buffer.from(words.buffer, words.byteOffset, words.byteLength);
  expect(ids).toHaveLength(expected.length);
  expect(bytes(ids).equals(bytes(expected))).toBe(true);
}

/** A script that has this package as `Tokenizer`, in its own process. */
function run(script: string, env: NodeJS.ProcessEnv = {}) {
  const code = `import { Tokenizer } from ${JSON.stringify(ENTRY)};\n${script}`;
  return spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  });
}

describe('a text', () => {
  it('has the ids of encode, at any length and number of threads', async () => {
    const random = new Random(1);
    for (const length of [0, 1, 4095, 4096, 4097, 65_535, 65_536, 65_537, 131_072, 500_000]) {
      const string = text(random, length);
      const bytes = new TextEncoder().encode(string);
      const expected = tokenizer.encode(string);
      for (const threads of [undefined, 1, 2, 64]) {
        expectSame(await tokenizer.encodeAsync(string, { threads }), expected);
        expectSame(await tokenizer.encodeAsync(bytes, { threads }), tokenizer.encode(bytes));
        expect(await tokenizer.countAsync(string, { threads })).toBe(expected.length);
        expectSame(await tokenizer.encodeAsync(string, { threads, strategy: 'overlap' }), expected);
        expect(await tokenizer.countAsync(bytes, { threads, strategy: 'overlap' })).toBe(expected.length);
      }
    }
  });

  it('has them for any LoPT parameters', async () => {
    const random = new Random(2);
    const string = text(random, 300_000);
    const expected = tokenizer.encode(string);
    const parameters = [{}, { chunkLength: 256, overlapLength: 1 }, { chunkLength: 1000, overlapLength: 1000, threshold: 50 }];
    for (let n = sample(20, 2); n > 0; n--) {
      const [chunkLength, overlapLength] = [random.integer(256, 50_000), random.integer(1, 3000)];
      parameters.push({ chunkLength, overlapLength, threshold: random.integer(1, 20) });
    }
    for (const overlap of [...parameters, { threshold: 2 ** 31 - 1 }]) {
      const where = JSON.stringify(overlap);
      const ids = await tokenizer.encodeAsync(string, { strategy: { overlap } });
      expect(Buffer.from(ids).equals(Buffer.from(expected)), where).toBe(true);
      expect(await tokenizer.countAsync(string, { strategy: { overlap } }), where).toBe(expected.length);
    }
  });

  it.each([
    [{ chunkLength: 255 }, 'expected an integer from 256 to 2147483647 for strategy.overlap.chunkLength but received 255'],
    [{ overlapLength: 0 }, 'expected an integer from 1 to 1048576 for strategy.overlap.overlapLength but received 0'],
    [{ threshold: 0.5 }, 'expected an integer from 1 to 2147483647 for strategy.overlap.threshold but received 0.5'],
  ])('is not divided by %j', async (overlap, message) => {
    await expect(tokenizer.encodeAsync('text', { strategy: { overlap } })).rejects.toThrow(new RangeError(message));
  });

  it('that cannot be divided has them too', async () => {
    for (const unit of ['a', ' ', '०', '\n', '😀', 'ab'.repeat(20), '\u{D800}']) {
      const string = unit.repeat(Math.ceil(300_000 / unit.length));
      expectSame(await tokenizer.encodeAsync(string), tokenizer.encode(string));
      expectSame(await tokenizer.encodeAsync(string, { strategy: 'overlap' }), tokenizer.encode(string));
    }
  });

  it('fails where encode fails', async () => {
    const long = 'é '.repeat(100_000);
    for (const string of [`${long}<|endoftext|>${long}<|endoftext|>`, `<|endoftext|>${long}`]) {
      const thrown = (() => {
        try {
          return tokenizer.encode(string, { special: 'forbid' });
        } catch (error) {
          return error as Error;
        }
      })() as Error & { code: string; position: number };
      expect(thrown.code).toBe('SPECIAL_FORBIDDEN');
      await expect(tokenizer.encodeAsync(string, { special: 'forbid' })).rejects.toMatchObject({
        code: 'SPECIAL_FORBIDDEN',
        position: thrown.position,
        message: thrown.message,
      });
    }
    const special = `${long}<|endoftext|>`;
    expectSame(await tokenizer.encodeAsync(special, { special: 'allow' }), tokenizer.encode(special, { special: 'allow' }));
  });

  it('keeps its vocabulary if the tokenizer swaps', async () => {
    const string = text(new Random(2), 400_000);
    const expected = tokenizer.encode(string);
    const own = await Tokenizer.load('o200k_base');
    const before = own.encodeAsync(string);
    await own.swap('cl100k_base');
    const after = own.encodeAsync(string);
    expectSame(await before, expected);
    expectSame(await after, own.encode(string));
    const last = own.encodeAsync(string);
    const expectedLast = own.encode(string);
    own.close();
    if (isNative) expectSame(await last, expectedLast);
    else await expect(last).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('that is aborted makes room for others', async () => {
    const string = 'The quick brown fox jumps over the lazy dog. '.repeat(100_000);
    const reason = new Error('enough');
    for (const delay of [0, 1, 2, 5, 10, 20]) {
      const controller = new AbortController();
      const encoded = tokenizer.encodeAsync(string, { signal: controller.signal });
      setTimeout(() => controller.abort(reason), delay);
      const outcome = await encoded.catch((error: Error) => error);
      if (outcome !== reason) expectSame(outcome as Uint32Array, tokenizer.encode(string));
    }
    expect(await tokenizer.countAsync('hello world')).toBe(2);
  });
});

describe('a batch', () => {
  const random = new Random(3);
  const rows = Array.from({ length: 3000 + sample(3000) }, (_, index) =>
    index % 997 === 5 ? text(random, 30_000) : index % 7 === 0 ? '' : nasty(random),
  );
  rows[17] = text(random, 400_000);

  it('has the same rows as on one thread, for strings, bytes, and both', async () => {
    const joined = rows.map((row) => new TextEncoder().encode(row));
    const offsets = new Uint32Array(rows.length + 1);
    for (const [index, row] of joined.entries()) offsets[index + 1] = (offsets[index] as number) + row.length;
    const mixed = rows.map((row, index) => (index % 3 ? row : (joined[index] as Uint8Array)));
    for (const texts of [rows, { bytes: Buffer.concat(joined), offsets }, mixed]) {
      const one = tokenizer.encodeBatch(texts, { threads: 1 });
      for (const threads of [undefined, 2, 64]) {
        for (const batch of [tokenizer.encodeBatch(texts, { threads }), await tokenizer.encodeBatchAsync(texts, { threads })]) {
          expectSame(batch.ids, one.ids);
          expectSame(batch.offsets, one.offsets);
        }
        expectSame(tokenizer.countBatch(texts, { threads }), tokenizer.countBatch(texts, { threads: 1 }));
      }
    }
  });

  it('names the first row that fails', async () => {
    const texts = rows.map((row) => row.replaceAll('<|', '<'));
    texts[2000] = 'a <|endoftext|>';
    texts[1999] = 'é<|endoftext|>';
    const first = { code: 'SPECIAL_FORBIDDEN', position: 1, row: 1999 };
    for (const threads of [1, 2, undefined]) {
      expect(() => tokenizer.encodeBatch(texts, { special: 'forbid', threads })).toThrow(expect.objectContaining(first));
      await expect(tokenizer.encodeBatchAsync(texts, { special: 'forbid', threads })).rejects.toMatchObject(first);
    }
  });

  it('refuses an invalid number of threads', () => {
    for (const threads of [0, -1, 1.5, NaN, '2' as never]) {
      expect(() => tokenizer.encodeBatch(['a'], { threads })).toThrow(/threads/);
    }
  });
});

describe('many jobs', () => {
  it('include small ones that finish while a large one runs', async () => {
    const large = text(new Random(4), 4_000_000);
    let isLargeDone = false;
    const whole = tokenizer.encodeAsync(large).then((ids) => ((isLargeDone = true), ids));
    const small = await Promise.all(
      Array.from({ length: 200 }, (_, index) => tokenizer.encodeAsync(large.slice(index * 5000, (index + 1) * 5000))),
    );
    if (isNative) expect(isLargeDone).toBe(false);
    small.forEach((ids, index) => expectSame(ids, tokenizer.encode(large.slice(index * 5000, (index + 1) * 5000))));
    expectSame(await whole, tokenizer.encode(large));
  });

  it('of several environments share the threads', async () => {
    const script = `
      import { parentPort, workerData } from 'node:worker_threads';
      const { Tokenizer } = await import(workerData.entry);
      const tokenizer = await Tokenizer.load('cl100k_base');
      for (let round = 0; round < 5; round++) {
        const ids = await tokenizer.encodeAsync(workerData.text);
        const same = tokenizer.encode(workerData.text);
        if (Buffer.compare(Buffer.from(ids.buffer), Buffer.from(same.buffer)) !== 0) throw new Error('other ids');
      }
      parentPort.postMessage('done');`;
    const workers = Array.from(
      { length: 3 },
      (_, index) => new Worker(script, { eval: true, workerData: { entry: ENTRY, text: text(new Random(index), 300_000) } }),
    );
    const answers = await Promise.all(
      workers.map((worker) => new Promise((resolve) => (worker.on('message', resolve), worker.on('error', resolve)))),
    );
    expect(answers).toEqual(['done', 'done', 'done']);
    await Promise.all(workers.map((worker) => worker.terminate()));
  });

  it('end with their environment', async () => {
    const script = `
      import { parentPort, workerData } from 'node:worker_threads';
      const { Tokenizer } = await import(workerData.entry);
      const tokenizer = await Tokenizer.load('cl100k_base');
      for (let index = 0; index < 20; index++) void tokenizer.encodeAsync(workerData.text);
      parentPort.postMessage('begun');`;
    for (let round = 0; round < 3; round++) {
      const worker = new Worker(script, { eval: true, workerData: { entry: ENTRY, text: 'hello world '.repeat(200_000) } });
      await new Promise((resolve) => worker.on('message', resolve));
      await worker.terminate();
    }
    expect(await tokenizer.countAsync('hello world '.repeat(1000))).toBe(tokenizer.count('hello world '.repeat(1000)));
  });
});

describe('a process', () => {
  it('waits for jobs, and exits when they are done', () => {
    const { stdout, status } = run(`
      const tokenizer = await Tokenizer.load('o200k_base');
      void tokenizer.encodeAsync('hello world '.repeat(100_000)).then((ids) => console.log(ids.length));`);
    expect([stdout, status]).toEqual(['200001\n', 0]);
  });

  it('may load the ES and the CommonJS module', () => {
    const { stdout } = run(`
      import { createRequire } from 'node:module';
      const other = createRequire(${JSON.stringify(ENTRY)})('./index.cjs');
      const text = 'hello world '.repeat(10_000);
      for (const each of [Tokenizer, other.Tokenizer, Tokenizer]) {
        const tokenizer = await each.load('o200k_base');
        console.log((await tokenizer.encodeAsync(text)).length, tokenizer.encodeBatch([text, text]).length);
      }`);
    expect(stdout).toBe('20001 2\n'.repeat(3));
  });

  it('exits with jobs in flight', () => {
    const { stderr, status, signal } = run(`
      const tokenizer = await Tokenizer.load('o200k_base');
      for (let index = 0; index < 20; index++) void tokenizer.encodeAsync('hello world '.repeat(100_000));
      setTimeout(() => process.exit(7), 5);`);
    expect([stderr, status, signal]).toEqual(['', 7, null]);
  });

  it.runIf(isNative)('starts as many threads as CRAYON_THREADS says', () => {
    const script = `
      const tokenizer = await Tokenizer.load('o200k_base');
      const text = 'hello world '.repeat(100_000);
      console.log((await tokenizer.encodeAsync(text)).length, tokenizer.encodeBatch([text, text]).length);`;
    for (const CRAYON_THREADS of ['1', '3']) expect(run(script, { CRAYON_THREADS }).stdout).toBe('200001 2\n');
    expect(run(script, { CRAYON_THREADS: 'x' }).stderr).toContain("expected a positive integer for CRAYON_THREADS but received 'x'");
  });

  it('starts no threads for short texts', () => {
    const count = `const { readdirSync, existsSync } = await import('node:fs'); const threads = () => existsSync('/proc/self/task') ? readdirSync('/proc/self/task').length : 0;`;
    const output = execFileSync(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { Tokenizer } from ${JSON.stringify(ENTRY)}; ${count}
        const tokenizer = await Tokenizer.load('o200k_base'); const before = threads();
        await tokenizer.encodeAsync('hello world'); tokenizer.encodeBatch(['a', 'b']); console.log(threads() - before);`,
      ],
      { encoding: 'utf8', cwd: fileURLToPath(new URL('../..', import.meta.url)) },
    );
    expect(output).toBe('0\n');
  });
});

// Opening and closing: twice, too late, never, and from several threads at once.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { describe, expect, inject, it } from 'vitest';
import { compileCartridge, Tokenizer, TokenizerError } from 'crayon-tokenizer';

import { sample, SANITIZED } from '../share.js';

// WebAssembly reads a file instead of mapping it, which takes longer.
const isNative = inject('backend') === 'native';
/** What processes and threads load here: it uses the addon, so WebAssembly has nothing to test in them. */
const entry = new URL('../../dist/node/index.js', import.meta.url).href;
const project = fileURLToPath(new URL('../../', import.meta.url));

describe('close', () => {
  it('may be called again', () => {
    const tokenizer = Tokenizer.loadSync('r50k_base');
    tokenizer.close();
    tokenizer.close();
    tokenizer[Symbol.dispose]();
  });

  it('makes every other member throw CLOSED', () => {
    const tokenizer = Tokenizer.loadSync('r50k_base');
    expect(tokenizer.name).toBe('r50k_base');
    tokenizer.close();
    const uses: Record<string, () => unknown> = {
      encode: () => tokenizer.encode('a'),
      'encode, long': () => tokenizer.encode('a'.repeat(100_000)),
      'encode, bytes': () => tokenizer.encode(Uint8Array.of(1)),
      'encode, listed': () => tokenizer.encode('a', { special: [] }),
      count: () => tokenizer.count('a'),
      'count, long': () => tokenizer.count('a'.repeat(100_000)),
      'count, bytes': () => tokenizer.count(Uint8Array.of(1)),
      encodeBatch: () => tokenizer.encodeBatch(['a']),
      countBatch: () => tokenizer.countBatch(['a']),
      decodeBatch: () => tokenizer.decodeBatch([[1]]),
      decode: () => tokenizer.decode([1]),
      'decode, nothing': () => tokenizer.decode([]),
      decodeBytes: () => tokenizer.decodeBytes([1]),
      tokenBytes: () => tokenizer.tokenBytes(1),
      idOf: () => tokenizer.idOf('a'),
      streamEncoder: () => tokenizer.streamEncoder(),
      document: () => tokenizer.document('a'),
      streamDecoder: () => tokenizer.streamDecoder(),
      encodeStream: () => tokenizer.encodeStream(),
      decodeStream: () => tokenizer.decodeStream(),
      encodePipeline: () => tokenizer.encodePipeline(),
      name: () => tokenizer.name,
      vocabularySize: () => tokenizer.vocabularySize,
      modelKind: () => tokenizer.modelKind,
      specialTokens: () => tokenizer.specialTokens,
      metadata: () => tokenizer.metadata,
      backend: () => tokenizer.backend,
    };
    for (const [name, use] of Object.entries(uses)) {
      try {
        use();
        expect.fail(`${name} did not throw`);
      } catch (error) {
        expect(error, name).toBeInstanceOf(TokenizerError);
        expect((error as TokenizerError).code, name).toBe('CLOSED');
      }
    }
  });

  it('does not touch another tokenizer, even one opened in its place', () => {
    const other = Tokenizer.loadSync('r50k_base');
    for (let round = 0; round < sample(isNative ? 1000 : 60, isNative ? 200 : 20); round++) {
      const first = Tokenizer.loadSync('r50k_base');
      first.close();
      const second = Tokenizer.loadSync('cl100k_base');
      first.close();
      expect([...second.encode('hello world')]).toEqual([15339, 1917]);
      expect(() => first.encode('hello world')).toThrow('closed');
      second.close();
    }
    expect([...other.encode('hello world')]).toEqual([31373, 995]);
    other.close();
  });

  it.skipIf(!isNative || !existsSync('/proc/self/maps'))('unmaps a cartridge with its last tokenizer, and not before', () => {
    const mapped = () => readFileSync('/proc/self/maps', 'utf8').includes('/p50k_base.cray');
    expect(mapped()).toBe(false);
    const base = Tokenizer.loadSync('p50k_base');
    const edit = Tokenizer.loadSync('p50k_edit');
    expect(mapped()).toBe(true);
    base.close();
    expect(mapped()).toBe(true);
    expect([...edit.encode('hello world')]).toEqual([31373, 995]);
    edit.close();
    expect(mapped()).toBe(false);
  });
});

/** Runs an ES module in its own process; returns its output. */
function run(source: string, flags: string[] = []): string {
  return execFileSync(process.execPath, [...flags, '--input-type=module', '-e', source], { encoding: 'utf8', cwd: project });
}

describe.skipIf(!isNative)('an abandoned tokenizer', () => {
  it.skipIf(!existsSync('/proc/self/maps'))('is closed by the garbage collector', () => {
    const printed = run(
      `import { readFileSync } from 'node:fs';
       import { setImmediate } from 'node:timers/promises';
       import { Tokenizer } from ${JSON.stringify(entry)};
       const mapped = () => readFileSync('/proc/self/maps', 'utf8').includes('/r50k_base.cray');
       (() => { for (let i = 0; i < 50; i++) Tokenizer.loadSync('r50k_base').encode('hello world'); })();
       const before = mapped();
       let rounds = 0;
       while (mapped() && rounds++ < 100) { globalThis.gc(); await setImmediate(); }
       console.log(before, mapped());`,
      ['--expose-gc'],
    );
    expect(printed.trim()).toBe('true false');
  });

  it('is not closed while it is in use', () => {
    const printed = run(
      `import { setImmediate } from 'node:timers/promises';
       import { Tokenizer } from ${JSON.stringify(entry)};
       const kept = Tokenizer.loadSync('r50k_base');
       for (let i = 0; i < 20; i++) { globalThis.gc(); await setImmediate(); kept.encode('hello world'); }
       console.log([...kept.encode('hello world')].join());`,
      ['--expose-gc'],
    );
    expect(printed.trim()).toBe('31373,995');
  });

  it('does not keep the process alive, nor does an open one', () => {
    run(`import { Tokenizer } from ${JSON.stringify(entry)}; globalThis.kept = Tokenizer.loadSync('r50k_base'); kept.encode('a');`);
    run(`import { Tokenizer } from ${JSON.stringify(entry)}; Tokenizer.loadSync('r50k_base').count('a'); process.exit(0);`);
  });
});

describe.skipIf(!isNative || SANITIZED)('resident memory', () => {
  it('does not grow in a million encodes', () => {
    const printed = run(
      `import { Tokenizer } from ${JSON.stringify(entry)};
       const tokenizer = Tokenizer.loadSync('r50k_base');
       const texts = ['hello world', 'The quick brown fox jumps over the lazy dog.', '東京 😀', ''];
       const round = (times) => {
         for (let i = 0; i < times; i++) {
           const ids = tokenizer.encode(texts[i & 3]);
           if (i % 16 === 0) tokenizer.decode(ids);
         }
         globalThis.gc();
         const { heapUsed, external, rss } = process.memoryUsage();
         return { held: heapUsed + external, rss };
       };
       round(50_000);
       const before = round(50_000);
       const after = round(1_000_000);
       console.log(Math.round((after.held - before.held) / 1024), Math.round((after.rss - before.rss) / 1024));`,
      ['--expose-gc'],
    );
    const [held, rss] = printed.split(' ').map(Number) as [number, number];
    // Four megabytes of ids passed through.
    expect(held).toBeLessThan(256);
    expect(rss).toBeLessThan(16_000);
  });

  it('does not grow with closed tokenizers', () => {
    const printed = run(
      `import { Tokenizer } from ${JSON.stringify(entry)};
       const round = () => {
         const tokenizer = Tokenizer.loadSync('r50k_base');
         tokenizer.encode('hello world'); tokenizer.encode('x'.repeat(5000)); tokenizer.encodeBatch(['a', 'b']);
         try { tokenizer.encode('<|endoftext|>', { special: 'forbid' }); } catch {}
         tokenizer.close();
       };
       for (let i = 0; i < 300; i++) round();
       globalThis.gc();
       const before = process.memoryUsage().rss;
       for (let i = 0; i < 3000; i++) round();
       globalThis.gc();
       console.log(Math.round((process.memoryUsage().rss - before) / 1024));`,
      ['--expose-gc'],
    );
    // Each one holds far more than 4 KB.
    expect(Number(printed)).toBeLessThan(12_000);
  });

  it.each([
    ['a short text', "'hello world'", 2000],
    ['a long one', "'x y z '.repeat(60_000)", 500],
  ])('does not grow with abandoned tokenizers that encoded %s', (_, text, times) => {
    const printed = run(
      `import { setImmediate } from 'node:timers/promises';
       import { Tokenizer } from ${JSON.stringify(entry)};
       const before = process.memoryUsage().rss;
       let peak = before;
       const text = ${text};
       for (let i = 0; i < ${times}; i++) {
         Tokenizer.loadSync('r50k_base').encode(text);
         await setImmediate(); // abandoned tokenizers are closed between turns of the event loop
         if (i % 20 === 0) peak = Math.max(peak, process.memoryUsage().rss);
       }
       console.log(Math.round((peak - before) / 1024));`,
    );
    expect(Number(printed)).toBeLessThan(120_000);
  });
});

describe('a replaced file', () => {
  // npm gives all files one modification time, and a deleted file leaves its inode to the next one.
  it.each([true, false])('is opened anew even with the same inode, size and time (mmap: %s)', async (mmap) => {
    const folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
    const file = join(folder, 'mine.cray');
    const versions = [await compileCartridge(['a', 'b']), await compileCartridge(['b', 'a'])];
    expect(versions[0]!.length).toBe(versions[1]!.length);
    const opened: Tokenizer[] = [];
    try {
      for (let round = 0; round < 40; round++) {
        writeFileSync(file, versions[round % 2]!);
        utimesSync(file, 499162500, 499162500);
        if (round > 30) await new Promise((done) => setTimeout(done, 20));
        const tokenizer = Tokenizer.loadSync(file, { mmap });
        opened.push(tokenizer);
        expect([...tokenizer.encode('ab')], `round ${round}`).toEqual(round % 2 ? [1, 0] : [0, 1]);
        if (!mmap && round > 0) expect([...opened[round - 1]!.encode('ab')]).toEqual(round % 2 ? [0, 1] : [1, 0]);
      }
    } finally {
      for (const tokenizer of opened) tokenizer.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe('many tokenizers', () => {
  it('may be open at once', () => {
    const tokenizers = Array.from({ length: isNative ? 500 : 100 }, (_, i) => Tokenizer.loadSync(i % 2 ? 'r50k_base' : 'gpt2'));
    for (const tokenizer of tokenizers) expect([...tokenizer.encode('hello world')]).toEqual([31373, 995]);
    for (const tokenizer of tokenizers) tokenizer.close();
  });

  // More than 65,536, the former limit: beyond it only memory limits them, 4 KB each.
  it.skipIf(!isNative || SANITIZED)('may be 66,000', () => {
    const printed = run(
      `import { Tokenizer } from ${JSON.stringify(entry)};
       const encode = (tokenizer) => [...tokenizer.encode('hello world')].join();
       const failure = (tokenizer) => { try { return encode(tokenizer); } catch ({ code }) { return code; } };
       const all = [];
       const times = [];
       for (let thousands = 0; thousands < 66; thousands++) {
         const start = performance.now();
         for (let i = 0; i < 1000; i++) all.push(Tokenizer.loadSync(i % 2 ? 'r50k_base' : 'cl100k_base'));
         times.push(performance.now() - start);
       }
       const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];
       console.log(new Set(all.slice(65_900).filter((_, i) => i % 2).map(encode)));
       console.log(new Set(all.filter((_, i) => i % 2000 === 0).map(encode)));
       // Handles of closed tokenizers find neither open ones nor new ones in their place.
       const closed = all.filter((_, i) => i % 3 === 0);
       for (const tokenizer of closed) tokenizer.close();
       const others = closed.map(() => Tokenizer.loadSync('gpt2'));
       console.log(new Set(closed.map(failure)), new Set(others.slice(-50).map(encode)), failure(all[65_998]));
       // The last third takes about as long as the first; if opening one visited all others, it would take five times as
       // long.
       console.log(median(times.slice(-22)) < 3 * median(times.slice(0, 22)));`,
    );
    expect(printed.trim().split('\n')).toEqual([
      "Set(1) { '31373,995' }",
      "Set(1) { '15339,1917' }",
      "Set(1) { 'CLOSED' } Set(1) { '31373,995' } 15339,1917",
      'true',
    ]);
  });

  it('of WebAssembly are limited by memory, as the error says', () => {
    const printed = run(
      `import { Tokenizer } from ${JSON.stringify(entry)};
       const { Instance } = WebAssembly;
       WebAssembly.Instance = function () { throw new RangeError('WebAssembly.Instance(): Out of memory'); };
       const load = () => Tokenizer.loadSync('gpt2', { backend: 'wasm' });
       try { load(); } catch ({ name, code, message, cause }) { console.log(name, code, message, cause instanceof RangeError); }
       WebAssembly.Instance = Instance;
       console.log(load().count('hello world'));`,
    );
    expect(printed).toMatch(
      /^TokenizerError OUT_OF_MEMORY cannot load: .*each open tokenizer has one.*close those that are not used true\n2\n$/,
    );
  });
});

describe.skipIf(!isNative)('worker threads', () => {
  const loop = `
    import { parentPort, workerData } from 'node:worker_threads';
    const { Tokenizer } = await import(workerData.entry);
    const names = ['r50k_base', 'cl100k_base', 'gpt2', 'o200k_base'];
    const expected = { r50k_base: '31373,995', gpt2: '31373,995', cl100k_base: '15339,1917', o200k_base: '24912,2375' };
    let wrong = 0;
    for (let i = 0; i < workerData.rounds; i++) {
      const name = names[(i + workerData.first) % names.length];
      const tokenizer = Tokenizer.loadSync(name);
      if (tokenizer.encode('hello world').join() !== expected[name]) wrong++;
      if (tokenizer.decode(tokenizer.encode('東京 😀 '.repeat(i % 100))) !== '東京 😀 '.repeat(i % 100)) wrong++;
      if (i % 10 !== 0) tokenizer.close(); // some are left open until the thread ends
    }
    parentPort.postMessage(wrong);`;
  const start = (rounds: number, first: number) =>
    new Worker(new URL(`data:text/javascript,${encodeURIComponent(loop)}`), { workerData: { entry, rounds, first } });
  const result = (worker: Worker) =>
    new Promise<number>((resolve, reject) => {
      let wrong = -1;
      worker.on('message', (value: number) => {
        wrong = value;
      });
      worker.on('error', reject);
      worker.on('exit', (code) => (code === 0 ? resolve(wrong) : reject(new Error(`exit ${code}`))));
    });

  it('load, use and close the same cartridges in a loop', async () => {
    using here = Tokenizer.loadSync('o200k_base');
    const workers = [start(300, 0), start(300, 1)].map(result);
    for (let i = 0; i < 200; i++) {
      using tokenizer = Tokenizer.loadSync('r50k_base');
      expect([...tokenizer.encode('hello world')]).toEqual([31373, 995]);
    }
    expect(await Promise.all(workers)).toEqual([0, 0]);
    expect([...here.encode('hello world')]).toEqual([24912, 2375]);
  });

  it('may be started and terminated repeatedly', async () => {
    for (let round = 0; round < 10; round++) expect(await result(start(5, round))).toBe(0);
  });

  it('may be terminated in the middle of their work', async () => {
    for (let round = 0; round < 10; round++) {
      const workers = [start(100_000, 0), start(100_000, 2)];
      await new Promise((done) => setTimeout(done, 60 + 15 * round));
      await Promise.all(workers.map((worker) => worker.terminate()));
    }
    using tokenizer = Tokenizer.loadSync('r50k_base');
    expect([...tokenizer.encode('hello world')]).toEqual([31373, 995]);
  });

  it.skipIf(!existsSync('/proc/self/maps'))('close their open tokenizers when they end', async () => {
    const mapped = () => readFileSync('/proc/self/maps', 'utf8').includes('/cl100k_base.cray');
    expect(await result(start(40, 0))).toBe(0);
    expect(mapped()).toBe(false);
  });
});

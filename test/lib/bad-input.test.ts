// Invalid or hostile input: a clear error or a correct answer, never a crash.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer, TokenizerError } from 'crayon-tokenizer';
import { DnaTokenizer } from 'crayon-tokenizer/dna';
import { sample } from '../share.js';
import { thrown } from './thrown.js';

const cartridge = fileURLToPath(new URL('../../cartridges/r50k_base.cray', import.meta.url));
const HELLO_WORLD = [31373, 995];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a source', () => {
  it('may be a path, a file URL, or bytes in any kind of buffer', async () => {
    const bytes = readFileSync(cartridge);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(shared).set(bytes);
    const sources = [cartridge, pathToFileURL(cartridge), pathToFileURL(cartridge).href, bytes, buffer, shared, new DataView(buffer)];
    for (const source of sources) {
      using tokenizer = await Tokenizer.load(source);
      expect([...tokenizer.encode('hello world')]).toEqual(HELLO_WORLD);
      using same = Tokenizer.loadSync(source);
      expect([...same.encode('hello world')]).toEqual(HELLO_WORLD);
    }
  });

  it('may be a Response, or a promise of one', async () => {
    const response = () => new Response(readFileSync(cartridge));
    using first = await Tokenizer.load(response());
    using second = await Tokenizer.load(Promise.resolve(response()));
    expect([...first.encode('hello world')]).toEqual(HELLO_WORLD);
    expect([...second.encode('hello world')]).toEqual(HELLO_WORLD);
    await expect(Tokenizer.load(new Response('', { status: 404, statusText: 'Not Found' }))).rejects.toThrow('404 Not Found');
  });

  it('is refused with the reason if it fails to arrive', async () => {
    const late = (source: unknown) =>
      Tokenizer.load(source as Response).then(
        () => expect.fail('loaded'),
        (error: Error) => error,
      );
    const used = new Response(readFileSync(cartridge));
    await used.arrayBuffer();
    const locked = new Response(readFileSync(cartridge));
    locked.body?.getReader();
    const mistake = new Error('the line is cut');
    const broken = new Response(new ReadableStream({ start: (controller) => controller.error(mistake) }));
    expect(await late(used)).toEqual(
      new TypeError('expected a Response whose body has not been read for source but received an instance of Response'),
    );
    expect(await late(Promise.resolve(used))).toBeInstanceOf(TypeError);
    expect(await late(locked)).toMatchObject({
      code: 'FILE_UNREADABLE',
      message: expect.stringContaining('cannot load a cartridge from a response: '),
    });
    const error = await late(broken);
    expect(error).toMatchObject({ code: 'FILE_UNREADABLE', message: 'cannot load a cartridge from a response: the line is cut' });
    expect(error.cause).toBe(mistake);
    expect(await late(Promise.reject(mistake))).toBe(mistake);
    expect(await late(Promise.resolve(5))).toEqual(
      new TypeError('expected an encoding, a model, a path, a file: URL or the bytes of a cartridge for source but received 5'),
    );
    expect(await late(Response.error())).toMatchObject({ code: 'FILE_UNREADABLE', message: 'cannot load a cartridge from a response: 0' });
    const opaque = Object.defineProperty(Response.error(), 'type', { value: 'opaque' });
    expect((await late(opaque)).message).toContain("its content is hidden from scripts (fetched with mode: 'no-cors')");
    expect(await late(new Response('<!doctype html>'))).toMatchObject({ code: 'NOT_A_CARTRIDGE' });
    expect(await late(new Blob(['no cartridge']))).toMatchObject({ code: 'NOT_A_CARTRIDGE' });
  });

  it('may be opened with every option', () => {
    for (const options of [
      {},
      { mmap: false },
      { verify: false },
      { mmap: false, verify: false },
      { kernel: 'scalar' },
      { view: 'gpt2' },
    ]) {
      using tokenizer = Tokenizer.loadSync(cartridge, options);
      expect([...tokenizer.encode('hello world')]).toEqual(HELLO_WORLD);
      expect(tokenizer.name).toBe(options.view ?? 'r50k_base');
      if (options.kernel) expect(tokenizer.backend.kernel).toBe('scalar');
    }
  });

  it('may be overwritten once it is copied', () => {
    const bytes = readFileSync(cartridge);
    using tokenizer = Tokenizer.loadSync(bytes);
    bytes.fill(0xff);
    expect([...tokenizer.encode('hello world')]).toEqual(HELLO_WORLD);
  });

  it('is refused with the valid names if the kernel or view is unknown', () => {
    expect(thrown(() => Tokenizer.loadSync(cartridge, { kernel: 'avx1024' }))).toMatchObject({ code: 'UNKNOWN_KERNEL' });
    expect(thrown(() => Tokenizer.loadSync(cartridge, { kernel: 'avx1024' })).message).toMatch(/"avx1024".*scalar/);
    const error = thrown(() => Tokenizer.loadSync(cartridge, { view: 'o200k_base' }));
    expect(error.code).toBe('UNKNOWN_VIEW');
    expect(error.message).toMatch(/"o200k_base"; it has .*r50k_base/);
  });

  it('is refused if it is a directory', () => {
    expect(thrown(() => Tokenizer.loadSync(folder))).toMatchObject({ code: 'FILE_UNREADABLE' });
    expect(thrown(() => Tokenizer.loadSync(pathToFileURL(`${folder}/`)))).toMatchObject({ code: 'FILE_UNREADABLE' });
    expect(thrown(() => Tokenizer.loadSync(folder, { mmap: false })).message).toContain(folder);
  });

  it('is refused if it does not exist, with the path', () => {
    const path = join(folder, 'missing.cray');
    expect(thrown(() => Tokenizer.loadSync(path))).toMatchObject({ code: 'FILE_NOT_FOUND' });
    expect(thrown(() => Tokenizer.loadSync(path)).message).toContain(path);
    expect(thrown(() => Tokenizer.loadSync(`${cartridge}/below.cray`)).code).toMatch(/^FILE_/);
    expect(thrown(() => Tokenizer.loadSync(`./${'x'.repeat(5000)}.cray`)).code).toMatch(/^FILE_/);
    symlinkSync('nowhere', join(folder, 'dangling.cray'));
    expect(thrown(() => Tokenizer.loadSync(join(folder, 'dangling.cray'))).code).toMatch(/^FILE_/);
  });

  it.skipIf(process.platform === 'win32')('is refused if it is a device or a pipe', () => {
    expect(thrown(() => Tokenizer.loadSync('/dev/null')).code).toMatch(/^(FILE_UNREADABLE|NOT_A_CARTRIDGE|TRUNCATED)$/);
    const pipe = join(folder, 'pipe.cray');
    execFileSync('mkfifo', [pipe]);
    expect(thrown(() => Tokenizer.loadSync(pipe)).code).toBe('FILE_UNREADABLE');
  });

  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')('is refused if it is not readable', () => {
    const path = join(folder, 'secret.cray');
    copyFileSync(cartridge, path);
    chmodSync(path, 0);
    expect(thrown(() => Tokenizer.loadSync(path))).toMatchObject({ code: 'FILE_UNREADABLE' });
  });

  it.each([
    ['empty', Buffer.alloc(0), /TRUNCATED|NOT_A_CARTRIDGE/],
    ['one byte', Buffer.from('C'), /TRUNCATED|NOT_A_CARTRIDGE/],
    ['text', Buffer.from('{"model": "bpe"}'.repeat(100)), /NOT_A_CARTRIDGE/],
    ['zeros', Buffer.alloc(4096), /NOT_A_CARTRIDGE/],
    ['another version', header({ version: 1 }), /UNSUPPORTED_VERSION/],
    ['a later version', header({ version: 4 }), /UNSUPPORTED_VERSION/],
  ])('is refused as a file and as bytes: %s', (name, bytes, code) => {
    const path = join(folder, `${name}.cray`);
    writeFileSync(path, bytes);
    for (const source of [path, bytes]) {
      for (const options of [{}, { verify: false }, { mmap: false }]) {
        expect(thrown(() => Tokenizer.loadSync(source, options)).code).toMatch(code);
      }
    }
  });

  it('is refused with the position if a byte has changed', () => {
    const whole = readFileSync(cartridge);
    for (const position of [100, 5000, whole.length >> 1, whole.length - 1]) {
      const bytes = Buffer.from(whole);
      bytes[position] = (bytes[position] as number) ^ 0x40;
      const path = join(folder, 'changed.cray');
      writeFileSync(path, bytes);
      for (const source of [path, bytes]) {
        const error = thrown(() => Tokenizer.loadSync(source));
        expect(error.code).toMatch(/CHECKSUM_MISMATCH|CORRUPT_STRUCTURE|TRUNCATED|UNKNOWN_SECTION|MISSING_SECTION/);
        expect(error.message).toMatch(/section \d+, position \d+/);
      }
    }
  });

  it('is refused if it is truncated', () => {
    const path = join(folder, 'short.cray');
    copyFileSync(cartridge, path);
    for (const length of [63, 64, 500, 100_000]) {
      truncateSync(path, length);
      writeFileSync(path, readFileSync(cartridge).subarray(0, length));
      expect(thrown(() => Tokenizer.loadSync(path)).code).toBe('TRUNCATED');
      expect(thrown(() => Tokenizer.loadSync(readFileSync(path), { verify: false })).code).toBe('TRUNCATED');
    }
  });

  function header({ version }: { version: number }): Buffer {
    const bytes = Buffer.alloc(4096);
    bytes.writeUInt32LE(0x59415243, 0);
    bytes.writeUInt32LE(version, 4);
    return bytes;
  }
});

describe('memory that is detached or changes', () => {
  let tokenizer: Tokenizer;
  beforeAll(() => {
    tokenizer = Tokenizer.loadSync(cartridge);
  });
  afterAll(() => tokenizer.close());

  it('is refused if its buffer was transferred', () => {
    const detached = (make: (buffer: ArrayBuffer) => ArrayBufferView) => {
      const view = make(new ArrayBuffer(16));
      structuredClone(view.buffer, { transfer: [view.buffer as ArrayBuffer] });
      return view;
    };
    const text = detached((buffer) => new Uint8Array(buffer)) as Uint8Array;
    const ids = detached((buffer) => new Uint32Array(buffer)) as Uint32Array;
    const message = /its buffer has been transferred/;
    expect(() => tokenizer.encode(text)).toThrow(message);
    expect(() => tokenizer.count(text)).toThrow(message);
    expect(() => tokenizer.idOf(text)).toThrow(message);
    expect(() => tokenizer.encodeBatch({ bytes: text, offsets: Uint32Array.of(0, 0) })).toThrow(message);
    expect(() => tokenizer.decode(ids)).toThrow(message);
    expect(() => tokenizer.decodeBytes(ids)).toThrow(message);
    expect(() => Tokenizer.loadSync(text)).toThrow(message);
    const int32 = detached((buffer) => new Int32Array(buffer)) as Int32Array;
    expect(() => tokenizer.decode(int32)).toThrow(message);
  });

  it('may shrink', () => {
    const buffer = new ArrayBuffer(64, { maxByteLength: 128 } as object);
    const text = new Uint8Array(buffer);
    text.fill(0x61);
    expect(tokenizer.decode(tokenizer.encode(text))).toBe('a'.repeat(64));
    (buffer as ArrayBuffer & { resize(length: number): void }).resize(8);
    expect(tokenizer.decode(tokenizer.encode(text))).toBe('a'.repeat(8));
  });

  it('of results may be transferred without harm to later results', async () => {
    const first = tokenizer.encode('hello world');
    const kept = tokenizer.encode('hello');
    try {
      structuredClone(first, { transfer: [first.buffer as ArrayBuffer] });
    } catch {
      // Newer versions of Node refuse to transfer pooled memory.
    }
    for (let i = 0; i < 100; i++) expect([...tokenizer.encode('hello world')]).toEqual(HELLO_WORLD);
    expect([0, 1]).toContain(kept.length);
  });

  it('may be overwritten by another thread while it is read', async () => {
    const shared = new Uint8Array(new SharedArrayBuffer(300_000));
    const offsets = new Uint32Array(new SharedArrayBuffer(4 * 3));
    offsets.set([0, 100_000, 300_000]);
    const ids = new Uint32Array(new SharedArrayBuffer(4 * 50_000));
    const running = new Int32Array(new SharedArrayBuffer(4));
    const writer = new Worker(
      `const { shared, ids, running } = require('node:worker_threads').workerData;
       let seed = 1;
       Atomics.store(running, 0, 1); Atomics.notify(running, 0);
       while (Atomics.load(running, 0) === 1) {
         for (let i = 0; i < 20000; i++) {
           seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
           shared[(seed >>> 3) % shared.length] = seed >>> 24;
           ids[(seed >>> 5) % ids.length] = (seed >>> 8) % 50257;
         }
       }`,
      { eval: true, workerData: { shared, ids, running } },
    );
    Atomics.wait(running, 0, 0);
    try {
      for (let round = 0; round < sample(20, 5); round++) {
        // Each byte is read once, whatever its value then, so the ids cover as many bytes as the text has.
        expect(tokenizer.decodeBytes(tokenizer.encode(shared)).length).toBe(shared.length);
        expect(tokenizer.count(shared)).toBeGreaterThan(0);
        const batch = tokenizer.encodeBatch({ bytes: shared, offsets });
        expect(tokenizer.decodeBytes(batch.row(0)).length).toBe(100_000);
        expect(tokenizer.decodeBytes(batch.row(1)).length).toBe(200_000);
        expect(tokenizer.encode(shared, { special: ['<|endoftext|>'] }).length).toBeGreaterThan(0);
        // Ids of other bytes than the measured ones either overflow the buffer or leave room in it.
        try {
          expect(tokenizer.decodeBytes(ids).length).toBeGreaterThan(0);
          expect(tokenizer.decode(ids).length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toMatchObject({ code: 'INVALID_ARGUMENT' });
        }
      }
    } finally {
      Atomics.store(running, 0, 0);
      await writer.terminate();
    }
  });
});

describe('offsets', () => {
  it('may be overwritten by another thread: the ones that were checked count', async () => {
    const rows = 20_000;
    const bytes = new Uint8Array(100 * rows).fill(65);
    const shared = new Uint32Array(new SharedArrayBuffer(4 * (rows + 1)));
    for (let row = 0; row <= rows; row++) shared[row] = 100 * row;
    const writer = new Worker(
      `const { shared } = require('node:worker_threads').workerData;
       require('node:worker_threads').parentPort.postMessage('begun');
       for (let row = 1; ; row = 1 + ((row * 7919 + 13) % 19_999)) {
         const { [row]: offset } = shared;
         Atomics.store(shared, row, 0x7ffffff0);
         for (let wait = 0; wait < 300; wait++) Atomics.load(shared, 0);
         Atomics.store(shared, row, offset);
         for (let wait = 0; wait < 30_000; wait++) Atomics.load(shared, 0);
       }`,
      { eval: true, workerData: { shared } },
    );
    try {
      await once(writer, 'message');
      using dna = await DnaTokenizer.load('hyenadna');
      for (let round = 0; round < sample(300, 60); round++) {
        try {
          expect((await dna.encodeBatchAsync({ bytes, offsets: shared })).shape).toEqual([rows, 100]);
        } catch (error) {
          expect(error).toMatchObject({ message: expect.stringMatching(/^expected ascending offsets/) });
        }
      }
    } finally {
      await writer.terminate();
    }
  });
});

describe("a cartridge's memory", () => {
  it('may be overwritten by another thread while it is copied', async () => {
    const whole = readFileSync(cartridge);
    const shared = new Uint8Array(new SharedArrayBuffer(whole.length));
    shared.set(whole);
    const running = new Int32Array(new SharedArrayBuffer(4));
    const writer = new Worker(
      `const { shared, running } = require('node:worker_threads').workerData;
       let seed = 7;
       Atomics.store(running, 0, 1); Atomics.notify(running, 0);
       while (Atomics.load(running, 0) === 1) {
         seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
         const at = (seed >>> 3) % shared.length, before = shared[at];
         shared[at] = seed >>> 24;
         for (let i = 0; i < 200; i++) Atomics.load(running, 0);
         shared[at] = before;
       }`,
      { eval: true, workerData: { shared, running } },
    );
    Atomics.wait(running, 0, 0);
    let opened = 0;
    try {
      for (let round = 0; round < 60; round++) {
        try {
          using tokenizer = Tokenizer.loadSync(shared, { verify: round % 2 === 0 });
          opened++;
          // Without the checksum a changed token can get through: any answer is fine, but no crash.
          tokenizer.decode(tokenizer.encode('hello world, 東京 😀 '.repeat(50)));
        } catch (error) {
          expect((error as TokenizerError).code).toMatch(/^[A-Z_]+$/);
        }
      }
    } finally {
      Atomics.store(running, 0, 0);
      await writer.terminate();
    }
    expect(opened).toBeLessThanOrEqual(60);
  });
});

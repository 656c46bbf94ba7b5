// Everything specific to the engine in WebAssembly: where its module comes from, its memory, its end, and the entries
// without files. The API tests run on it with CRAYON_TEST_ENTRY=wasm.

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Tokenizer as NodeTokenizer } from '../../dist/node/index.js';
import { engineOf } from '../../dist/node/internals.js';
import { compileCartridge, Tokenizer, useWasm } from '../../dist/node/wasm.js';
import { FAMILY_PATTERNS } from '../../lib/vocabularies/patterns/families.js';
import { textsOf } from '../../scripts/embed.mjs';

const project = fileURLToPath(new URL('../..', import.meta.url));
const path = (file: string) => join(project, file);
const isBuilt = existsSync(path('dist/wasm/core.wasm'));
const core = isBuilt ? readFileSync(path('dist/wasm/core.wasm')) : Buffer.alloc(0);
/** The module that has documents. */
const whole = isBuilt ? readFileSync(path('dist/wasm/build.wasm')) : Buffer.alloc(0);
const HELLO = [31373, 995];

const { WebAssembly } = globalThis as unknown as { WebAssembly: { Module: new (bytes: Uint8Array) => object } };

afterEach(() => useWasm(undefined));

describe.skipIf(!isBuilt)('the module', () => {
  const hello = async (wasm: unknown) => {
    using tokenizer = await Tokenizer.load('gpt2', { wasm: wasm as Uint8Array });
    return [...tokenizer.encode('hello world')];
  };

  it('may be bytes, a module, a file, or a promise', async () => {
    for (const wasm of [
      core,
      new Uint8Array(core).buffer,
      new WebAssembly.Module(core),
      path('dist/wasm/core.wasm'),
      pathToFileURL(path('dist/wasm/core.wasm')),
      Promise.resolve(core),
    ]) {
      expect(await hello(wasm)).toEqual(HELLO);
    }
  });

  it('may be a response, with any content type, or a URL', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/missing') response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': request.url === '/typed' ? 'application/wasm' : 'text/plain' }).end(core);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      expect(await hello(fetch(`${base}/typed`))).toEqual(HELLO);
      expect(await hello(await fetch(`${base}/other`))).toEqual(HELLO);
      expect(await hello(`${base}/typed`)).toEqual(HELLO);
      await expect(hello(`${base}/missing`)).rejects.toThrow('/missing: 404');
    } finally {
      server.close();
    }
  });

  it('is refused if it is not a module', async () => {
    await expect(hello(5)).rejects.toThrow('expected a WebAssembly.Module, its bytes, a URL or a Response for wasm but received 5');
    await expect(hello(Uint8Array.of(1, 2))).rejects.toThrow(/WebAssembly/);
    const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
    await expect(hello(empty)).rejects.toThrow("expected the engine's module, such as crayon-tokenizer/core.wasm,");
    await expect(hello(readFileSync(path('dist/wasm/dna.wasm')))).rejects.toThrow('expected a module for text');
    expect(() => useWasm({} as never)).toThrow('for wasm but received an instance of Object');
    expect(() => useWasm(new TextEncoder().encode('<!doctype html>'))).toThrow(
      'expected a WebAssembly module for wasm but received other bytes',
    );
  });

  it('must be loaded before loadSync', () => {
    expect(() => Tokenizer.loadSync('gpt2', { wasm: Promise.resolve(core) })).toThrow('await Tokenizer.load()');
  });

  it('may be set once', async () => {
    useWasm(readFileSync(path('dist/wasm/core-scalar.wasm')));
    using scalar = Tokenizer.loadSync('gpt2');
    expect(scalar.backend).toEqual({ kind: 'wasm', kernel: 'scalar', devices: ['cpu'], unavailable: {} });
    expect(scalar.encodeBatch(['hello'], { device: 'auto' }).ids).toEqual(scalar.encode('hello'));
    expect(() => scalar.encodeBatch(['hello'], { device: 'cuda' })).toThrow(expect.objectContaining({ code: 'DEVICE_UNAVAILABLE' }));
    await expect(scalar.encodeBatchAsync(['hello'], { device: 'hip' })).rejects.toThrow('accelerators need the native addon');
    useWasm(undefined);
    using own = Tokenizer.loadSync('gpt2');
    expect(own.backend.kernel).toBe('simd128');
  });

  it('matches the kernel', () => {
    using scalar = Tokenizer.loadSync('gpt2', { kernel: 'scalar' });
    expect(scalar.backend.kernel).toBe('scalar');
    expect([...scalar.encode('hello world')]).toEqual(HELLO);
    expect(() => Tokenizer.loadSync('gpt2', { kernel: 'avx2' })).toThrow('(asked for "avx2"; this machine has simd128, scalar)');
  });
});

describe.skipIf(!isBuilt)('the memory', () => {
  it('may grow in the middle of a text', () => {
    using tokenizer = Tokenizer.loadSync('gpt2');
    // A piece does not end before the text does: all of it is kept, and then its tokens are.
    const text = 'a'.repeat(30_000_000);
    const few = tokenizer.encode('hello world');
    expect(tokenizer.count(text)).toBeGreaterThan(1_000_000);
    expect([...few]).toEqual(HELLO);
    expect([...tokenizer.encode('hello world')]).toEqual(HELLO);
    expect(tokenizer.decode(HELLO)).toBe('hello world');
  });

  it('holds the ids of any number of windows, without leftovers', () => {
    using tokenizer = Tokenizer.loadSync('gpt2');
    const spaced = tokenizer.idOf(' a') as number;
    // The room for ids is one window, eight, thirty-two; it is emptied in between.
    for (const tokens of [32_767, 32_769, 300_000, 10, 1_048_577, 2_500_000, 70_000, 0]) {
      const text = ' a'.repeat(tokens);
      for (const ids of [tokenizer.encode(text), tokenizer.encode(Buffer.from(text))]) {
        expect(ids.length).toBe(tokens);
        expect(ids.every((id) => id === spaced)).toBe(true);
        expect(ids.buffer.byteLength).toBe(4 * tokens);
      }
    }
    const numbered = Array.from({ length: 40_000 }, (_, i) => ` ${i % 100}`).join('');
    expect(tokenizer.decode(tokenizer.encode(numbered))).toBe(numbered);
  });

  it.runIf(process.env.CRAYON_TEST_SHARE === '1')('holds documents as long as docs/guide/limits.md says', () => {
    const words = Buffer.from('The quick brown fox jumps over the lazy dog. '.repeat(100_000));
    using other = Tokenizer.loadSync('o200k_base');
    other.document(Buffer.alloc(200_000_000, words), { unit: 'bytes' }).close();
    using tokenizer = Tokenizer.loadSync('o200k_base'); // in memory that no large edit has divided
    const document = tokenizer.document(undefined, { unit: 'bytes' });
    while (document.length < 1e9) document.append(words);
    expect(() => {
      for (;;) document.append(words);
    }).toThrow(expect.objectContaining({ code: 'OUT_OF_MEMORY' }));
    const parts = document.length / words.length;
    expect([Number.isInteger(parts), document.count]).toEqual([true, 1_000_000 * parts + 1]); // the last space is a token
    document.close();
    expect([...tokenizer.encode('hello world')]).toEqual([24912, 2375]);
  });

  it('is released with the instance', () => {
    // Each one has about 20 MB, and V8 reserves 8 GB of addresses per live instance.
    for (let round = 0; round < 200; round++) {
      const tokenizer = Tokenizer.loadSync('gpt2');
      expect(tokenizer.count('hello world')).toBe(2);
      if (round % 2 === 0) tokenizer.close();
    }
  });

  it('of results is separate', () => {
    using tokenizer = Tokenizer.loadSync('gpt2');
    const ids = tokenizer.encode('hello world');
    tokenizer.encode('something else entirely, and longer');
    expect([...ids]).toEqual(HELLO);
  });
});

describe.skipIf(!isBuilt)('a trap', () => {
  /** The engine's module with one function exported under another's name. Its index may be padded to the same length. */
  function exporting(name: string, other: string): Uint8Array {
    const bytes = Uint8Array.from(whole);
    const indexOf = (text: string) => {
      const at = whole.indexOf(`${String.fromCharCode(text.length)}${text}\0`, 'latin1');
      if (at < 0) throw new Error(`no export ${text}`);
      return at + text.length + 2;
    };
    const length = (at: number) => ((bytes[at] as number) < 0x80 ? 1 : 2);
    const [room, needed] = [length(indexOf(name)), length(indexOf(other))];
    expect(room).toBeGreaterThanOrEqual(needed);
    bytes.copyWithin(indexOf(name), indexOf(other), indexOf(other) + needed);
    if (room > needed) bytes.set([(bytes[indexOf(name)] as number) | 0x80, 0], indexOf(name));
    return bytes;
  }

  it('ends the instance and no other', async () => {
    // The limit of a count is an address for `decode`, one beyond any memory.
    const wasm = exporting('crayon_encoder_count', 'crayon_decode');
    using other = await Tokenizer.load('gpt2', { wasm });
    const tokenizer = await Tokenizer.load('gpt2', { wasm });
    const stream = engineOf(tokenizer).begin(0, false);
    const document = tokenizer.document('hello world');
    const copy = document.fork();
    const stopped = /^the WebAssembly instance of this tokenizer has stopped \(.+\) and can do nothing more; load the tokenizer again$/;
    const failure = { code: 'CLOSED', message: expect.stringMatching(stopped) };
    expect(() => tokenizer.count('hello world')).toThrow(expect.objectContaining({ ...failure, cause: expect.any(Error) }));
    for (const use of [
      () => tokenizer.encode('a'),
      () => tokenizer.encode('a'.repeat(100_000)),
      () => tokenizer.count('a'),
      () => tokenizer.decode([1]),
      () => tokenizer.vocabularySize,
      () => tokenizer.split('a b c', { maxTokens: 1 }),
      () => stream.feed('a', true),
      () => document.append('a'),
      () => document.fork(),
    ]) {
      expect(use).toThrow(expect.objectContaining(failure));
    }
    stream.end();
    document.close();
    tokenizer.close();
    tokenizer.close();
    copy.close();
    expect([...other.encode('hello world')]).toEqual(HELLO);
  });
});

describe.skipIf(!isBuilt)('the entry of Node', () => {
  it('loads WebAssembly on demand', async () => {
    using tokenizer = await NodeTokenizer.load('gpt2', { backend: 'wasm' });
    expect(tokenizer.backend.kind).toBe('wasm');
    await tokenizer.swap('r50k_base');
    expect(tokenizer.backend.kind).toBe('wasm');
    await tokenizer.swap('r50k_base', { backend: 'native' });
    expect(tokenizer.backend.kind).toBe('native');
  });

  it('falls back to it without an addon, and reports it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
    try {
      cpSync(path('dist'), join(folder, 'dist'), { recursive: true });
      mkdirSync(join(folder, 'cartridges'));
      cpSync(path('cartridges/r50k_base.cray'), join(folder, 'cartridges', 'r50k_base.cray'));
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      const program = `import { Tokenizer } from ${JSON.stringify(pathToFileURL(join(folder, 'dist/node/index.js')).href)};
        const tokenizer = Tokenizer.loadSync('gpt2');
        console.log(tokenizer.backend.kind, tokenizer.encode('hello world').join());
        try { Tokenizer.loadSync('gpt2', { backend: 'native' }) } catch (error) { console.log(error.message.split('\\n')[0]) }`;
      const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
        encoding: 'utf8',
        env: { ...process.env, CRAYON_ADDON: '' },
      });
      expect(stderr).toBe('');
      expect(stdout.split('\n').slice(0, 2)).toEqual(['wasm 31373,995', expect.stringContaining('found no native addon')]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('reads a cartridge inside an Electron archive, or the unpacked one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
    try {
      const inside = join(folder, 'app.asar', 'cartridges');
      const unpacked = join(folder, 'app.asar.unpacked', 'cartridges');
      for (const folder of [inside, unpacked]) mkdirSync(folder, { recursive: true });
      cpSync(path('cartridges/r50k_base.cray'), join(inside, 'mine.cray'));
      for (const backend of ['native', 'wasm'] as const) {
        using read = NodeTokenizer.loadSync(join(inside, 'mine.cray'), { backend });
        expect([...read.encode('hello world')]).toEqual(HELLO);
        expect(() => NodeTokenizer.loadSync(join(inside, 'none.cray'), { backend })).toThrow('none.cray: no file exists at the path');
      }
      expect(readFileSync('/proc/self/maps', 'utf8')).not.toContain('mine.cray');
      cpSync(path('cartridges/cl100k_base.cray'), join(unpacked, 'mine.cray'));
      using mapped = NodeTokenizer.loadSync(join(inside, 'mine.cray'));
      expect(mapped.name).toBe('cl100k_base');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe.skipIf(!isBuilt)('the entry of browsers', () => {
  it('imports nothing from Node, directly or indirectly', () => {
    const seen = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      const text = readFileSync(file, 'utf8');
      expect(text, file).not.toMatch(/from ["']node:|\brequire\(|import\(["']node:|\bprocess\./);
      for (const [, name] of text.matchAll(/(?:from|import|import\() ?["'](\.[^"']+)["']/g)) visit(join(file, '..', name as string));
    };
    for (const entry of ['index.js', 'inline.js', 'inline/o200k_base.js']) visit(path(`dist/web/${entry}`));
    expect([...seen].map((file) => file.slice(path('dist/').length))).toContain('embedded/core.js');
    expect([...seen].filter((file) => /tiktoken|gpt-tokenizer/.test(file))).toEqual([]);
  });

  it('loads names, bytes, blobs and responses', async () => {
    const { Tokenizer } = await import('../../dist/web/index.js');
    const bytes = readFileSync(path('cartridges/r50k_base.cray'));
    for (const source of ['gpt2', bytes, new Blob([bytes]), new Response(bytes), Promise.resolve(new Response(bytes))]) {
      using tokenizer = await Tokenizer.load(source as Uint8Array);
      expect([...tokenizer.encode('hello world')]).toEqual(HELLO);
    }
    using now = Tokenizer.loadSync(bytes);
    expect(now.backend.kind).toBe('wasm');
    expect(() => Tokenizer.loadSync('gpt2')).toThrow('await Tokenizer.load()');
    await expect(Tokenizer.load('gpt2', { backend: 'native' })).rejects.toThrow('for backend but received "native"');
    await expect(Tokenizer.load('gpt-tow')).rejects.toThrow('no encoding, model or cartridge is named "gpt-tow"');
  });

  it('fits in one script, inline', async () => {
    const { Tokenizer } = await import('../../dist/web/inline/r50k_base.js');
    using tokenizer = Tokenizer.loadSync('gpt2');
    expect([...tokenizer.encode('hello world')]).toEqual(HELLO);
    expect(() => Tokenizer.loadSync('p50k_edit')).toThrow("import 'crayon-tokenizer/inline/p50k_base'");
    expect(() => Tokenizer.loadSync('standard')).toThrow('too large for a script');
    await import('../../dist/web/inline/lite.js');
    using lite = Tokenizer.loadSync('lite');
    expect([...lite.encode('hello world')]).toEqual([31373, 995]);
  });
});

/** A tokenizer.json of the single bytes, whose ids are their values, and '12', '123' and '1234'. */
function numbersJson(other: object): Uint8Array {
  let next = 256;
  const isShown = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  const alphabet = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isShown(byte) ? byte : next++));
  const vocab = Object.fromEntries([...alphabet, '12', '123', '1234'].map((text, id) => [text, id]));
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true };
  const json = {
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: byteLevel,
    decoder: byteLevel,
    model: { type: 'BPE', vocab, merges: ['1 2', '12 3', '123 4'] },
  };
  return new TextEncoder().encode(JSON.stringify({ ...json, ...other }));
}

const splitBy = (...patterns: string[]) => ({
  pre_tokenizer: {
    type: 'Sequence',
    pretokenizers: [
      ...patterns.map((Regex) => ({ type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false })),
      { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    ],
  },
});
const stripping = (flags: object) => ({
  added_tokens: [{ id: 259, content: '<m>', single_word: false, lstrip: false, rstrip: false, normalized: false, special: true, ...flags }],
});
const byte = (character: string) => character.charCodeAt(0);

describe.skipIf(!isBuilt).each([
  { feature: 'a family that few have', json: splitBy(...FAMILY_PATTERNS.deepseek3), text: '1234', ids: [257, byte('4')] },
  { feature: 'a pattern', json: splitBy(String.raw`\p{N}{2}`), text: '1234', ids: [256, byte('3'), byte('4')] },
  { feature: 'a normalizer', json: { normalizer: { type: 'NFC' } }, text: '\u212a1234', ids: [byte('K'), 258] },
  { feature: 'whitespace before added tokens', json: stripping({ lstrip: true }), text: '1 <m>', ids: [byte('1'), 259] },
  { feature: 'whitespace after them', json: stripping({ rstrip: true }), text: '<m> 1', ids: [259, byte('1')] },
])('a cartridge with $feature', ({ json, text, ids }) => {
  const encoded = (tokenizer: { encode(text: string, options: { special: 'allow' }): Uint32Array }) => [
    ...tokenizer.encode(text, { special: 'allow' }),
  ];
  const compiled = () => compileCartridge(numbersJson(json));
  const missing = expect.objectContaining({
    code: 'FEATURE_MISSING',
    message: expect.stringContaining('crayon-tokenizer/build.wasm has it'),
  });

  it('is opened by the complete modules', async () => {
    const cartridge = await compiled();
    await expect(Tokenizer.load(cartridge, { wasm: core })).rejects.toThrow(missing);
    for (const name of ['build', 'core-scalar']) {
      using tokenizer = await Tokenizer.load(cartridge, { wasm: path(`dist/wasm/${name}.wasm`) });
      expect(encoded(tokenizer)).toEqual(ids);
    }
  });

  it('is opened in Node from bytes, synchronously', async () => {
    const cartridge = await compiled();
    using tokenizer = await Tokenizer.load(cartridge);
    using now = Tokenizer.loadSync(cartridge);
    expect([encoded(tokenizer), encoded(now), now.backend.kernel]).toEqual([ids, ids, 'simd128']);
  });

  it.each(['index', 'inline'])('is opened by the entry %s, which first loads the other module', async (entry) => {
    const cartridge = await compiled();
    // A fresh instance of the entry, which has loaded nothing.
    vi.resetModules();
    const { Tokenizer } = (await import(`../../dist/web/${entry}.js`)) as typeof import('../../dist/web/inline.js');
    if (entry === 'index') await Tokenizer.load('gpt2');
    expect(() => Tokenizer.loadSync(cartridge)).toThrow(missing);
    using tokenizer = await Tokenizer.load(cartridge);
    using now = Tokenizer.loadSync(cartridge);
    expect([encoded(tokenizer), encoded(now), now.backend.kernel]).toEqual([ids, ids, 'simd128']);
  });
});

describe.skipIf(!isBuilt)('bytes as a string', () => {
  it('decode unchanged', async () => {
    const { bytesOfText } = await import('../../dist/node/internals.js');
    const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const zeros = new Uint8Array(1000);
    const uneven = Uint8Array.from({ length: 5000 }, (_, at) => (at % 7 === 0 ? 255 - (at % 13) : at % 3));
    const random = randomBytes(100_000);
    for (const bytes of [every, zeros, uneven, random, Buffer.concat([zeros, random, uneven]), new Uint8Array(0), core]) {
      const { default: text } = await import(
        `data:text/javascript;charset=utf-8,export default ${encodeURIComponent(`[${textsOf(bytes).join()}]`)}`
      );
      expect(Buffer.compare(Buffer.from(bytesOfText(text)), Buffer.from(bytes))).toBe(0);
    }
  });
});

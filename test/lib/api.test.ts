// The contract of every public member, on text whose ids are published or come from npm tiktoken.

import { runInNewContext } from 'node:vm';
import { get_encoding, type Tiktoken, type TiktokenEncoding } from 'tiktoken';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { TokenBatch, Tokenizer } from 'crayon-tokenizer';
import { sample } from '../share.js';

/** The ids of 'hello world', from the encodings' documentation and reference implementation. */
const HELLO_WORLD: Record<string, number[]> = {
  gpt2: [31373, 995],
  r50k_base: [31373, 995],
  p50k_base: [31373, 995],
  p50k_edit: [31373, 995],
  cl100k_base: [15339, 1917],
  o200k_base: [24912, 2375],
  o200k_harmony: [24912, 2375],
};

/** Greatest id + 1, from the reference and the published tables of special tokens. */
const VOCABULARY_SIZES: Record<string, number> = {
  gpt2: 50257,
  r50k_base: 50257,
  p50k_base: 50281,
  p50k_edit: 50284,
  cl100k_base: 100277,
  o200k_base: 200019,
  o200k_harmony: 201088,
};

const bytes = (text: string) => new TextEncoder().encode(text);

describe.each(Object.keys(HELLO_WORLD))('%s', (name) => {
  it('encodes, counts and decodes', async () => {
    using tokenizer = await Tokenizer.load(name);
    const ids = tokenizer.encode('hello world');
    expect(ids).toBeInstanceOf(Uint32Array);
    expect([...ids]).toEqual(HELLO_WORLD[name]);
    expect([...tokenizer.encode(bytes('hello world'))]).toEqual(HELLO_WORLD[name]);
    expect(tokenizer.count('hello world')).toBe(2);
    expect(tokenizer.count(bytes('hello world'))).toBe(2);
    expect(tokenizer.decode(HELLO_WORLD[name] as number[])).toBe('hello world');
  });

  it('describes itself', async () => {
    using tokenizer = await Tokenizer.load(name);
    expect(tokenizer.name).toBe(name);
    expect(tokenizer.vocabularySize).toBe(VOCABULARY_SIZES[name]);
    expect(tokenizer.modelKind).toBe('bpe');
    expect(tokenizer.specialTokens.get('<|endoftext|>')).toBe(
      { cl100k_base: 100257, o200k_base: 199999, o200k_harmony: 199999 }[name] ?? 50256,
    );
    expect(tokenizer.metadata).toBeTypeOf('object');
    const kind = inject('backend');
    expect(tokenizer.backend.kind).toBe(kind);
    const kernels = kind === 'wasm' ? ['simd128', 'scalar'] : ['avx512', 'avx2', 'ssse3', 'neon', 'scalar'];
    expect(kernels).toContain(tokenizer.backend.kernel);
    expect(tokenizer.backend.devices).toContain('cpu');
  });
});

describe('a tokenizer', () => {
  let tokenizer: Tokenizer;
  let reference: Tiktoken;
  beforeAll(async () => {
    tokenizer = await Tokenizer.load('o200k_base');
    reference = get_encoding('o200k_base' as TiktokenEncoding);
  });
  afterAll(() => {
    tokenizer.close();
    reference.free();
  });
  const expected = (text: string) => [...reference.encode(text, [], [])];

  it('returns no ids for an empty text', () => {
    expect(tokenizer.encode('').length).toBe(0);
    expect(tokenizer.encode(new Uint8Array(0)).length).toBe(0);
    expect(tokenizer.count('')).toBe(0);
    expect(tokenizer.count(new Uint8Array(0))).toBe(0);
    expect(tokenizer.decode([])).toBe('');
    expect(tokenizer.decode(new Uint32Array(0))).toBe('');
    expect(tokenizer.decodeBytes([]).length).toBe(0);
  });

  it('does not overwrite earlier results', () => {
    const texts = Array.from({ length: 20_000 }, (_, i) => `row ${i} of the pool, ${'x'.repeat(i % 50)}`);
    const results = texts.map((text) => tokenizer.encode(text));
    for (let i = 0; i < texts.length; i += 97) expect([...(results[i] as Uint32Array)]).toEqual(expected(texts[i] as string));
  });

  it.each([1, 5, 100, 4000, 4096, 4097, 10_000, 65_535, 65_536, 65_537, 200_000])('encodes texts of %i units', (units) => {
    const sentence = 'The naïve café — 東京タワー costs 12345 ¥, doesn’t it? 😀\n';
    const text = sentence.repeat(Math.ceil(units / sentence.length)).slice(0, units);
    const ids = expected(text);
    expect([...tokenizer.encode(text)]).toEqual(ids);
    expect([...tokenizer.encode(bytes(text))]).toEqual(ids);
    expect(tokenizer.count(text)).toBe(ids.length);
    expect(tokenizer.count(bytes(text))).toBe(ids.length);
  });

  it('returns buffers of the exact size for texts larger than the pool', () => {
    const ids = tokenizer.encode('one two three '.repeat(10_000));
    expect(ids.buffer.byteLength).toBe(ids.byteLength);
  });

  it('encodes a long text after one that has failed', () => {
    const long = 'one two three '.repeat(20_000);
    const ids = tokenizer.encode(long);
    expect(ids.length).toBe(60_001);
    for (const text of [`${long}<|endoftext|>${long}`, bytes(`${long}<|endoftext|>${long}`)]) {
      expect(() => tokenizer.encode(text, { special: 'forbid' })).toThrow(/forbidden/);
      expect(tokenizer.encode(long)).toEqual(ids);
      expect(tokenizer.encode(bytes(long))).toEqual(ids);
    }
    tokenizer.trim();
    expect(tokenizer.encode(long)).toEqual(ids);
  });

  it('encodes long bytes that another thread may change', () => {
    const text = bytes('one two three '.repeat(20_000));
    const shared = new Uint8Array(new SharedArrayBuffer(text.length));
    shared.set(text);
    expect(tokenizer.encode(shared)).toEqual(tokenizer.encode(text));
  });

  it('encodes texts with more tokens than UTF-16 units', () => {
    // Each character has three bytes, and each byte is a token.
    for (const units of [4096, 70_000]) {
      const text = '\uA001'.repeat(units);
      expect([...tokenizer.encode(text)]).toEqual(expected(text));
      expect(tokenizer.encode(text).length).toBeGreaterThan(units);
    }
  });

  it('joins a surrogate pair that a window splits', () => {
    for (const before of [65_535, 65_536, 131_071]) {
      const text = `${'ab '.repeat(before / 3 + 1).slice(0, before)}😀 and more`;
      expect(tokenizer.decode(tokenizer.encode(text)) === text, `${before}`).toBe(true);
      expect([...tokenizer.encode(text)].slice(-5)).toEqual(expected(text).slice(-5));
      expect(tokenizer.count(text)).toBe(expected(text).length);
    }
  });

  it('encodes lone surrogates as U+FFFD', () => {
    expect([...tokenizer.encode('a\ud800b')]).toEqual(expected('a\ufffdb'));
    expect([...tokenizer.encode('\udc00')]).toEqual(expected('\ufffd'));
    expect([...tokenizer.encode('\ud83d')]).toEqual(expected('\ufffd'));
    expect(tokenizer.decode(tokenizer.encode('a\ud800b'))).toBe('a\ufffdb');
  });

  it('encodes and restores bytes that are not UTF-8', () => {
    const text = Uint8Array.from([0x61, 0xff, 0xfe, 0xc3, 0x28, 0xe2, 0x82]);
    expect([...tokenizer.decodeBytes(tokenizer.encode(text))]).toEqual([...text]);
  });

  it('accepts any Uint8Array view, at any offset of its buffer', () => {
    const around = bytes('xxhello worldyy');
    expect([...tokenizer.encode(around.subarray(2, 13))]).toEqual([24912, 2375]);
    expect([...tokenizer.encode(Buffer.from('hello world'))]).toEqual([24912, 2375]);
    const shared = new Uint8Array(new SharedArrayBuffer(11));
    shared.set(bytes('hello world'));
    expect([...tokenizer.encode(shared)]).toEqual([24912, 2375]);
    expect(tokenizer.count(shared)).toBe(2);
  });

  it('accepts objects from another realm', () => {
    const other = runInNewContext(`({
      text: Uint8Array.from([104, 101, 108, 108, 111]), ids: Uint32Array.of(24912, 2375), list: [24912, 2375],
      offsets: Uint32Array.of(0, 5), texts: ['hello', ' world'], special: ['<|endoftext|>'],
    })`) as Record<string, never>;
    expect(other.text).not.toBeInstanceOf(Uint8Array);
    expect([...tokenizer.encode(other.text as Uint8Array)]).toEqual([24912]);
    expect(tokenizer.count(other.text as Uint8Array)).toBe(1);
    expect(tokenizer.idOf(other.text as Uint8Array)).toBe(24912);
    expect(tokenizer.decode(other.ids as Uint32Array)).toBe('hello world');
    expect(tokenizer.decode(other.list as number[])).toBe('hello world');
    expect([...tokenizer.encodeBatch(other.texts as string[]).ids]).toEqual([24912, 2375]);
    expect([...tokenizer.encodeBatch({ bytes: other.text, offsets: other.offsets }).ids]).toEqual([24912]);
    expect([...tokenizer.encode('<|endoftext|>', { special: other.special as string[] })]).toEqual([199999]);
  });

  it.each([
    ['an array', [24912, 2375]],
    ['a Uint32Array', Uint32Array.of(24912, 2375)],
    ['an Int32Array', Int32Array.of(24912, 2375)],
    ['a Uint16Array', Uint16Array.of(24912, 2375)],
    ['a Float64Array', Float64Array.of(24912, 2375)],
    ['a BigInt64Array', BigInt64Array.of(24912n, 2375n)],
    ['a BigUint64Array', BigUint64Array.of(24912n, 2375n)],
  ])('decodes %s', (_, ids) => {
    expect(tokenizer.decode(ids)).toBe('hello world');
    expect(Buffer.from(tokenizer.decodeBytes(ids)).toString()).toBe('hello world');
  });

  it('keeps a leading byte order mark', () => {
    const text = '\ufeffhello';
    expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
    expect(tokenizer.decode(expected(text))).toBe(text);
    const long = `\ufeff${'é'.repeat(2_000_000)}`;
    expect(tokenizer.decode(tokenizer.encode(long)) === long).toBe(true);
  });

  it('decodes invalid UTF-8 as TextDecoder does', () => {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    let seed = 1;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return (seed >>> 8) % below;
    };
    // Characters of every length, complete and truncated, at every edge, among bytes that start none.
    const edges = [
      0, 0x7f, 0x80, 0x7ff, 0x800, 0xfff, 0x1000, 0xcfff, 0xd000, 0xd7ff, 0xe000, 0xfeff, 0xffff, 0x10000, 0x3ffff, 0x40000, 0xfffff,
      0x10ffff,
    ];
    const pieces = edges.map((code) => [...bytes(String.fromCodePoint(code))]);
    const broken = [
      [0xc0, 0x80],
      [0xc1],
      [0xe0, 0x9f],
      [0xed, 0xa0, 0x80],
      [0xed, 0x9f],
      [0xf0, 0x8f],
      [0xf4, 0x90],
      [0xf5],
      [0xff],
      [0x80],
      [0xbf],
    ];
    for (let round = 0; round < sample(5000); round++) {
      const raw: number[] = [];
      for (let part = random(12); part >= 0; part--) {
        const kind = random(6);
        if (kind === 0) raw.push(...(broken[random(broken.length)] as number[]));
        else if (kind === 1) raw.push(...bytes('plain text of some words'.slice(random(24))));
        else {
          const piece = pieces[random(pieces.length)] as number[];
          raw.push(...(kind === 2 ? piece.slice(0, random(piece.length) + 1) : piece));
        }
      }
      const text = Uint8Array.from(raw);
      expect(tokenizer.decode(tokenizer.encode(text)), `round ${round}: ${raw}`).toBe(decoder.decode(text));
    }
    // The parts of one character, in separate tokens.
    const parts = [...tokenizer.encode('\uA001')];
    expect(parts.length).toBeGreaterThan(1);
    expect(tokenizer.decode(parts)).toBe('\uA001');
    expect(tokenizer.decode(parts.slice(0, 1))).toBe('\ufffd');
  });

  it('decodes texts of any length, however wrong the estimate from the first ids', () => {
    const [a, spaces, special] = [64, 72056, 199999]; // 'a', 128 spaces, <|endoftext|>
    expect(tokenizer.tokenBytes(spaces).length).toBe(128);
    for (const units of [80 * 1024 - 1, 80 * 1024, 80 * 1024 + 1]) {
      expect(tokenizer.decode(new Uint32Array(units).fill(a)) === 'a'.repeat(units), `${units}`).toBe(true);
    }
    const uneven = new Uint32Array(200_000).fill(a).fill(spaces, 150_000);
    expect(tokenizer.decode(uneven) === 'a'.repeat(150_000) + ' '.repeat(128 * 50_000)).toBe(true);
    const accents = tokenizer.encode('é'.repeat(150_000));
    expect(tokenizer.decode(accents) === 'é'.repeat(150_000)).toBe(true);
    const none = new Uint32Array(300_000).fill(special);
    none[299_999] = a;
    expect(tokenizer.decode(none, { skipSpecialTokens: true })).toBe('a');
  });

  it('decodes the same text in parts as at once', () => {
    const text = 'Straße 東京 😀 '.repeat(400_000);
    const ids = tokenizer.encode(text);
    expect(ids.length).toBeGreaterThan(1024 * 1024);
    expect(tokenizer.decode(ids) === text).toBe(true);
    // A character split between the parts.
    const emoji = [...expected('🫨')];
    const long = Array.from({ length: 1024 * 1024 - 1 }, () => 64).concat(emoji);
    expect(tokenizer.decode(long).slice(-3)).toBe('a🫨');
  });

  it('omits special tokens from decoded text on request', () => {
    const ids = [24912, 199999, 2375];
    expect(tokenizer.decode(ids)).toBe('hello<|endoftext|> world');
    expect(tokenizer.decode(ids, { skipSpecialTokens: true })).toBe('hello world');
    expect(Buffer.from(tokenizer.decodeBytes(ids, { skipSpecialTokens: true })).toString()).toBe('hello world');
  });

  it('looks up tokens and ids', () => {
    for (const id of [0, 255, 24912, 199997, 199999, 200018]) {
      expect([...tokenizer.tokenBytes(id)]).toEqual([...reference.decode_single_token_bytes(id)]);
      expect(tokenizer.idOf(reference.decode_single_token_bytes(id))).toBe(id);
    }
    expect(tokenizer.idOf(' world')).toBe(2375);
    expect(tokenizer.idOf('<|endoftext|>')).toBe(199999);
    expect(tokenizer.idOf('no token is as long as this')).toBeUndefined();
    expect(tokenizer.idOf('')).toBeUndefined();
    expect(tokenizer.idOf(Uint8Array.of(0xff))).toBe(expectedByte(0xff));
  });
  const expectedByte = (byte: number) => {
    for (let id = 0; id < 256; id++) {
      const token = reference.decode_single_token_bytes(id);
      if (token.length === 1 && token[0] === byte) return id;
    }
    return undefined;
  };

  it('ignores addSpecialTokens: its vocabulary has no post-processor', () => {
    expect([...tokenizer.encode('hello world', { addSpecialTokens: true })]).toEqual([24912, 2375]);
  });

  it('supports explicit resource management', async () => {
    let kept: Tokenizer;
    {
      using scoped = await Tokenizer.load('o200k_base');
      kept = scoped;
      expect(scoped.count('hello world')).toBe(2);
    }
    expect(() => kept.count('hello world')).toThrow('closed');
  });
});

describe('encodeBatch', () => {
  const texts = ['hello world', '', 'hello', ' world', 'some words '.repeat(7_000), 'ü😀'];
  const expected = (name: string) => {
    const reference = get_encoding(name as TiktokenEncoding);
    const rows = texts.map((text) => [...reference.encode(text, [], [])]);
    reference.free();
    return rows;
  };

  it('encodes each string separately', async () => {
    using tokenizer = await Tokenizer.load('cl100k_base');
    const batch = tokenizer.encodeBatch(texts);
    const rows = expected('cl100k_base');
    expect(batch).toBeInstanceOf(TokenBatch);
    expect(batch.length).toBe(texts.length);
    expect([...batch].map((row) => [...row])).toEqual(rows);
    expect([...batch.row(2)]).toEqual(rows[2]);
    expect([...batch.ids]).toEqual(rows.flat());
    expect([...batch.offsets]).toEqual(rows.reduce<number[]>((ends, row) => [...ends, (ends.at(-1) as number) + row.length], [0]));
  });

  it('encodes rows of bytes', async () => {
    using tokenizer = await Tokenizer.load('cl100k_base');
    const parts = texts.map(bytes);
    const offsets = Uint32Array.from([3, ...parts.map((_, i) => 3 + parts.slice(0, i + 1).reduce((n, p) => n + p.length, 0))]);
    const all = Buffer.concat([Buffer.from('xyz'), ...parts, Buffer.from('rest')]);
    const batch = tokenizer.encodeBatch({ bytes: all, offsets });
    expect([...batch].map((row) => [...row])).toEqual(expected('cl100k_base'));
  });

  it('accepts an empty batch', async () => {
    using tokenizer = await Tokenizer.load('cl100k_base');
    expect(tokenizer.encodeBatch([]).length).toBe(0);
    expect([...tokenizer.encodeBatch([]).offsets]).toEqual([0]);
    expect(tokenizer.encodeBatch({ bytes: new Uint8Array(0), offsets: Uint32Array.of(0) }).length).toBe(0);
  });

  it('is reentrant', async () => {
    using tokenizer = await Tokenizer.load('cl100k_base');
    const inner: number[][] = [];
    const tricky = new Proxy(['hello world', 'hello'], {
      get(target, key) {
        if (key === '1') inner.push([...tokenizer.encodeBatch(['hello world']).ids], [...tokenizer.encode('hello world')]);
        return Reflect.get(target, key);
      },
    });
    expect([...tokenizer.encodeBatch(tricky).ids]).toEqual([15339, 1917, 15339]);
    expect(inner).toEqual([
      [15339, 1917],
      [15339, 1917],
    ]);
  });

  it('throws CLOSED if the tokenizer is closed meanwhile', async () => {
    const tokenizer = await Tokenizer.load('cl100k_base');
    const tricky = new Proxy(['hello world', 'hello'], {
      get(target, key) {
        if (key === '1') tokenizer.close();
        return Reflect.get(target, key);
      },
    });
    expect(() => tokenizer.encodeBatch(tricky)).toThrow('closed');
  });

  it('returns no row out of range', async () => {
    using tokenizer = await Tokenizer.load('cl100k_base');
    const batch = tokenizer.encodeBatch(['hello']);
    for (const index of [1, -1, 0.5, Number.NaN]) expect(() => batch.row(index)).toThrow(RangeError);
  });
});

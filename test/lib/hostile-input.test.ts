// Texts, ids and sources that lie about themselves: subclasses and patched objects whose `length` or methods return
// anything, proxies, and memory that grows, shrinks or is detached. Only the memory at the time of the call counts: no
// call may hang, read other memory, or take a part for the whole.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { get_encoding, type Tiktoken } from 'tiktoken';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';

const cartridge = fileURLToPath(new URL('../../cartridges/r50k_base.cray', import.meta.url));
const encoder = new TextEncoder();

let tokenizer: Tokenizer;
let reference: Tiktoken;
beforeAll(() => {
  tokenizer = Tokenizer.loadSync('r50k_base');
  reference = get_encoding('r50k_base');
});
afterAll(() => {
  tokenizer.close();
  reference.free();
});

const expected = (text: string) => [...reference.encode(text, [], [])];
const TEXTS = ['', 'a', 'hello world', 'naïve café — 東京 😀 ', 'The quick brown fox. '.repeat(9000)];

/** Wrong values for a length, the first of which once made WebAssembly loop forever. */
const LENGTHS: unknown[] = [Infinity, 0, 1, 5, -1, 2 ** 31, 2 ** 53, NaN, 0.5, 'x', undefined, null, {}];

/** Objects that hold the bytes of a text, but misreport their properties. */
function liars(text: string): [string, Uint8Array][] {
  const bytes = () => new Uint8Array(encoder.encode(text));
  const never = () => {
    throw new Error('a method of the caller was called');
  };
  const patched = (properties: Record<PropertyKey, PropertyDescriptor>) => Object.defineProperties(bytes(), properties);
  const all: [string, Uint8Array][] = LENGTHS.flatMap((length) => [
    [`an own length of ${String(length)}`, patched({ length: { value: length } })],
    [`an own byteLength of ${String(length)}`, patched({ byteLength: { value: length }, byteOffset: { value: length } })],
  ]);
  let answers = 0;
  const turns = () => [0, 1e9, 3, -5][answers++ % 4];
  class Changing extends Uint8Array {
    override get length() {
      return turns() as number;
    }
    override get byteLength() {
      return turns() as number;
    }
    override get byteOffset() {
      return turns() as number;
    }
  }
  class Throwing extends Uint8Array {
    override subarray(): never {
      return never();
    }
    override slice(): never {
      return never();
    }
    override [Symbol.iterator](): never {
      return never();
    }
    override at(): never {
      return never();
    }
  }
  class Impostor extends Uint8Array {
    override get [Symbol.toStringTag]() {
      return 'Float64Array' as never;
    }
    override get buffer() {
      return new ArrayBuffer(3) as never;
    }
  }
  class Elsewhere extends Uint8Array {
    static get [Symbol.species]() {
      return class extends Uint8Array {
        constructor() {
          super(7);
        }
      };
    }
  }
  const spread = (Class: new (source: ArrayLike<number>) => Uint8Array): Uint8Array => {
    const made = new Uint8Array(encoder.encode(text));
    return Object.setPrototypeOf(made, Class.prototype) as Uint8Array;
  };
  all.push(['a length that changes', spread(Changing as never)], ['methods that throw', spread(Throwing as never)]);
  all.push(['another tag and buffer', spread(Impostor as never)], ['another species', spread(Elsewhere as never)]);
  all.push(['no prototype', Object.setPrototypeOf(bytes(), null) as Uint8Array]);
  all.push(['the prototype of an array', Object.setPrototypeOf(bytes(), Array.prototype) as Uint8Array]);
  all.push(['another constructor', patched({ constructor: { get: never } })]);
  all.push(['another buffer', patched({ buffer: { value: new ArrayBuffer(1) } })]);
  all.push(['methods of its own', patched({ subarray: { value: never }, slice: { value: never }, set: { value: never } })]);
  all.push(['a Buffer', Buffer.from(bytes())]);
  const growing = new ArrayBuffer(bytes().length, { maxByteLength: bytes().length + 100 } as object);
  const tracking = new Uint8Array(growing);
  tracking.set(bytes());
  all.push(['a view that grows with its buffer', tracking]);
  const shared = new SharedArrayBuffer(bytes().length, { maxByteLength: bytes().length + 100 } as object);
  const trackingShared = new Uint8Array(shared);
  trackingShared.set(bytes());
  all.push(['a view that grows with shared memory', trackingShared]);
  return all;
}

describe('a text that lies about itself', () => {
  it.each(TEXTS.map((text) => [text.slice(0, 12), text]))('is encoded by its actual bytes: %j', async (_, text) => {
    const ids = expected(text);
    const asBytes = new Uint8Array(encoder.encode(text));
    const half = Math.ceil(ids.length / 2);
    const kept = tokenizer.truncate(asBytes, half);
    const parts = tokenizer.split(asBytes, { maxTokens: half + 1 });
    const offsets = [...tokenizer.encodeWithOffsets(asBytes).offsets];
    for (const [name, liar] of liars(text)) {
      expect([...tokenizer.encode(liar)], name).toEqual(ids);
      expect([...tokenizer.encode(liar, { special: ['<|endoftext|>'] })], name).toEqual(ids);
      expect(tokenizer.count(liar), name).toBe(ids.length);
      expect(tokenizer.isWithinLimit(liar, ids.length), name).toBe(ids.length);
      expect(tokenizer.isWithinLimit(liar, ids.length - 1 < 0 ? 0 : ids.length - 1), name).toBe(ids.length === 0 ? 0 : false);
      expect([...tokenizer.encodeWithOffsets(liar).offsets], name).toEqual(offsets);
      expect([...tokenizer.encodeBatch([liar, 'a', liar]).row(2)], name).toEqual(ids);
      expect([...tokenizer.countBatch([liar])], name).toEqual([ids.length]);
      const rows = { bytes: liar, offsets: Uint32Array.of(0, asBytes.length) };
      expect([...tokenizer.encodeBatch(rows).ids], name).toEqual(ids);
      expect([...(await tokenizer.encodeAsync(liar))], name).toEqual(ids);
      // For a class whose views are not views at all, its own constructor determines the parts.
      if (name === 'another species' || name === 'another constructor' || name === 'a length that changes') continue;
      if (name === 'another tag and buffer' || name === 'no prototype' || name === 'the prototype of an array') continue;
      expect(Buffer.compare(plain(tokenizer.truncate(liar, half)), kept), name).toBe(0);
      expect(tokenizer.split(liar, { maxTokens: half + 1 }).map(textOf), name).toEqual(parts.map(textOf));
    }
  });

  it('ends where it is cut, whatever its class returns', () => {
    for (const [name, liar] of liars('hello world, how are you?')) {
      for (const call of [() => tokenizer.truncate(liar, 2), () => tokenizer.split(liar, { maxTokens: 2 })]) {
        try {
          call();
        } catch (error) {
          expect(error, name).toBeInstanceOf(Error);
        }
      }
      expect(() => tokenizer.truncate(liar, 2, { special: 'forbid', side: 'left' }), name).not.toThrow('forbidden');
    }
  });

  it('is named in errors', () => {
    for (const [name, liar] of liars('é<|endoftext|>')) {
      expect(() => tokenizer.encode(liar, { special: 'forbid' }), name).toThrow('special token "<|endoftext|>" at position 2');
    }
  });

  it('is cut into Buffers if it is one', () => {
    const text = Buffer.from('x hello world y').subarray(2, 13);
    expect(Buffer.isBuffer(tokenizer.truncate(text, 1))).toBe(true);
    expect(tokenizer.truncate(text, 1).toString()).toBe('hello');
    expect(tokenizer.truncate(text, 1, { side: 'left' }).toString()).toBe(' world');
    expect(tokenizer.split(text, { maxTokens: 1 }).map((part) => part.toString())).toEqual(['hello', ' world']);
    expect(tokenizer.truncate(text, 9)).toBe(text);
    expect(tokenizer.truncate(text, 1).buffer).toBe(text.buffer);
  });

  it.each<[string, () => unknown]>([
    ['a proxy of bytes', () => new Proxy(new Uint8Array(5), {})],
    ['a String object', () => new String('hello')],
    ['something with the tag of bytes', () => ({ length: 5, [Symbol.toStringTag]: 'Uint8Array' })],
    ['something with the prototype of bytes', () => Object.create(Uint8Array.prototype)],
    ['a buffer', () => new ArrayBuffer(5)],
    ['other elements', () => new Uint8ClampedArray(5)],
  ])('%s is refused as a text', async (_, make) => {
    const text = make() as Uint8Array;
    const message = 'expected a string or a Uint8Array for';
    expect(() => tokenizer.encode(text)).toThrow(message);
    expect(() => tokenizer.count(text)).toThrow(message);
    expect(() => tokenizer.encodeWithOffsets(text)).toThrow(message);
    expect(() => tokenizer.truncate(text, 1)).toThrow(message);
    expect(() => tokenizer.split(text, { maxTokens: 1 })).toThrow(message);
    expect(() => tokenizer.encodeBatch([text])).toThrow(message);
    expect(() => tokenizer.idOf(text)).toThrow(message);
    await expect(tokenizer.encodeAsync(text)).rejects.toThrow(message);
  });
});

const textOf = (view: Uint8Array) => plain(view).toString();

/** The bytes of a view, whatever its class. */
function plain(view: Uint8Array): Buffer {
  const { get } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'byteLength')!;
  const length = get!.call(view) as number;
  return Buffer.from(Array.from({ length }, (_, index) => view[index] as number));
}

describe('memory that is detached during a call', () => {
  const transferred = /cannot read (text|texts\[0\]|texts\.bytes): its buffer has been transferred/;
  const transfer = (bytes: Uint8Array) => void structuredClone(bytes, { transfer: [bytes.buffer as ArrayBuffer] });

  it('by a getter among the options', async () => {
    const calls: ((text: Uint8Array, options: any) => unknown)[] = [
      (text, options) => tokenizer.encode(text, options),
      (text, options) => tokenizer.count(text, options),
      (text, options) => tokenizer.encodeWithOffsets(text, options),
      (text, options) => tokenizer.isWithinLimit(text, 5, options),
      (text, options) => tokenizer.truncate(text, 1, options),
      (text, options) => tokenizer.encodeBatch([text], options),
      (text, options) => tokenizer.countBatch({ bytes: text, offsets: Uint32Array.of(0, 5) }, options),
      (text, options) => tokenizer.encodeAsync(text, options),
      (text, options) => tokenizer.countAsync(text, options),
      (text, options) => tokenizer.encodeBatchAsync([text], options),
    ];
    for (const call of calls) {
      const text = new Uint8Array(encoder.encode('hello world'));
      const options = {
        get special() {
          transfer(text);
          return 'allow';
        },
      };
      await expect((async () => call(text, options))(), String(call)).rejects.toThrow(transferred);
    }
  });

  it('by a getter among the elements', () => {
    const text = new Uint8Array(encoder.encode('hello world'));
    const texts = [text, 'hello'];
    Object.defineProperty(texts, 1, { get: () => (transfer(text), 'hello') });
    expect(() => tokenizer.encodeBatch(texts)).toThrow(transferred);
  });

  it('or shrinks below a view is refused', () => {
    const buffer = new ArrayBuffer(64, { maxByteLength: 128 } as object) as ArrayBuffer & { resize(length: number): void };
    const text = new Uint8Array(buffer, 32, 16);
    const ids = new Uint32Array(buffer, 32, 4);
    const view = new DataView(buffer, 32, 16);
    buffer.resize(40);
    expect(() => tokenizer.encode(text)).toThrow('or has shrunk below it');
    expect(() => tokenizer.decode(ids)).toThrow('or has shrunk below it');
    expect(() => Tokenizer.loadSync(view)).toThrow('or has shrunk below it');
  });

  it('or changes while encodeAsync reads it at worst yields other ids', async () => {
    const sentence = 'hello world '.repeat(1_000_000);
    const gone = new Uint8Array(encoder.encode(sentence.repeat(4)));
    const failing = tokenizer.encodeAsync(gone);
    transfer(gone);
    await expect(failing).rejects.toThrow(/cannot read the text: its buffer has been transferred/);
    const changed = new Uint8Array(encoder.encode(sentence));
    const changing = [
      tokenizer.encodeAsync(changed),
      tokenizer.encodeBatchAsync({ bytes: changed, offsets: Uint32Array.of(0, changed.length) }),
    ];
    changed.fill(0xff);
    for (const result of await Promise.all(changing)) expect(result.length).toBeGreaterThan(0);
    const shared = new SharedArrayBuffer(sentence.length, { maxByteLength: 2 * sentence.length } as object);
    const text = new Uint8Array(shared);
    text.set(encoder.encode(sentence));
    const coming = tokenizer.encodeAsync(text);
    (shared as SharedArrayBuffer & { grow(length: number): void }).grow(2 * sentence.length);
    const ids = await coming;
    expect(ids.length).toBe(2_000_001);
    expect(tokenizer.decode(ids.subarray(0, 20))).toBe('hello world '.repeat(10).slice(0, -1));
  });
});

describe('ids that lie about themselves', () => {
  it('are decoded by their actual values', () => {
    const ids = () => Uint32Array.from(expected('hello world'));
    for (const length of LENGTHS) {
      const liar = Object.defineProperties(ids(), { length: { value: length }, subarray: { value: undefined } });
      expect(tokenizer.decode(liar)).toBe('hello world');
      expect(tokenizer.decodeBatch([liar])).toEqual(['hello world']);
      expect(Buffer.from(tokenizer.decodeBytes(liar)).toString()).toBe('hello world');
      const others = Object.defineProperty(Int32Array.from(ids()), 'length', { value: length });
      expect(tokenizer.decode(others)).toBe('hello world');
    }
    const long = Object.defineProperty(new Uint32Array(100_000).fill(31373), 'length', { value: Infinity });
    expect(tokenizer.decode(long)).toBe('hello'.repeat(100_000));
    expect(() => tokenizer.decode(new Proxy(ids(), {}))).toThrow('expected an array or typed array of token ids for ids');
  });

  it('are read once', () => {
    let reads = 0;
    const ids = new Proxy([31373, 995], {
      get(target, key) {
        if (key === 'length') return 2 + reads++;
        return Reflect.get(target, key);
      },
    });
    expect(tokenizer.decode(ids)).toBe('hello world');
    expect(reads).toBe(1);
  });
});

describe('a list of texts that lies about itself', () => {
  it('is read once', () => {
    let reads = 0;
    const texts = new Proxy(['hello', ' world'], {
      get(target, key) {
        if (key === 'length') return 2 + reads++;
        return Reflect.get(target, key);
      },
    });
    expect([...tokenizer.encodeBatch(texts).ids]).toEqual([31373, 995]);
    expect(reads).toBe(1);
  });

  it('may have getters that return a different value each time', () => {
    const answers = ['hello', 5, null];
    const texts = Object.defineProperty(['', ' world'], 0, { get: () => answers.shift() });
    expect([...tokenizer.encodeBatch(texts).ids]).toEqual([31373, 995]);
    const special = Object.defineProperty(['<|endoftext|>'], Symbol.iterator, {
      *value() {
        for (;;) yield 'x';
      },
    });
    expect([...tokenizer.encode('<|endoftext|>', { special })]).toEqual([50256]);
  });
});

describe('a source that lies about itself', () => {
  it('is opened by its actual bytes', async () => {
    const bytes = () => new Uint8Array(readFileSync(cartridge));
    for (const length of [Infinity, 0, 5, -1, NaN]) {
      using opened = Tokenizer.loadSync(Object.defineProperty(bytes(), 'length', { value: length }));
      expect([...opened.encode('hello world')]).toEqual([31373, 995]);
    }
    const lists = Object.defineProperty(Uint8Array.of(0x61), 'length', { value: Infinity });
    using own = Tokenizer.loadSync(await compileCartridge([lists, 'b']));
    expect([...own.encode('ab')]).toEqual([0, 1]);
    const impostor = { [Symbol.toStringTag]: 'ArrayBuffer', byteLength: 64, length: 64 };
    expect(() => Tokenizer.loadSync(impostor as never)).toThrow('expected an encoding, a model, a path');
  });
});

describe('names of a million characters', () => {
  const long = 'x'.repeat(1_000_000);
  // Each takes microseconds to milliseconds; the search for similar names alone once took 6 s.
  const refused = async (action: () => unknown): Promise<Error> => {
    const start = performance.now();
    try {
      await action();
    } catch (error) {
      expect(performance.now() - start).toBeLessThan(3000);
      expect((error as Error).message.length).toBeLessThan(2500);
      return error as Error;
    }
    return expect.fail('nothing was thrown');
  };

  it('are refused at once, in a short message: of sources', async () => {
    for (const name of [long, `gpt-4${long}`, `${long}o200k_base`, `${long}.`, 'é'.repeat(500_000)]) {
      for (const action of [() => Tokenizer.loadSync(name), () => Tokenizer.load(name), () => compileCartridge(name)]) {
        const error = await refused(action);
        expect(error).toMatchObject({ code: 'FILE_NOT_FOUND' });
        expect(error.message).toContain(`"${name.slice(0, 100)}…"`);
      }
    }
    for (const path of [`./${long}`, `${long}.cray`, `${long}.dat`, 'a/'.repeat(500_000)]) {
      expect(await refused(() => Tokenizer.loadSync(path))).toMatchObject({ code: 'FILE_NOT_FOUND' });
    }
    expect(await refused(() => compileCartridge(`${long}.txt`))).toMatchObject({ code: 'FILE_NOT_FOUND' });
    await refused(() => Tokenizer.loadSync(new URL(`https://example.org/${long}`)));
  });

  it('of options, views, kernels, special tokens, fields and models', async () => {
    expect((await refused(() => tokenizer.encode('', { [long]: 1 } as object))).message).toContain(`unknown option '${'x'.repeat(100)}…'`);
    await refused(() => Tokenizer.loadSync('r50k_base', { [long]: 1 } as object));
    await refused(() => compileCartridge(['a'], { [long]: 1 } as object));
    await refused(() => Tokenizer.loadSync('r50k_base', { view: long }));
    await refused(() => Tokenizer.loadSync('r50k_base', { kernel: long }));
    await refused(() => tokenizer.encode('', { special: [long] }));
    await refused(() => compileCartridge(['a'], { specialTokens: { [long]: -1 } }));
    await refused(() => compileCartridge(['a'], { specialTokens: { [long]: 0 } }));
    await refused(() => tokenizer.countMessages([{ role: 'user', content: '', [long]: 1 } as never], { model: 'gpt-4o' }));
    await refused(() => tokenizer.countMessages([], { model: long }));
  });

  it('and many options are reported as briefly as few', async () => {
    const many = Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`option${i}`, 1]));
    await refused(() => tokenizer.encode('', many));
  });
});

describe('any object as any argument', () => {
  it('returns a result or an error', async () => {
    const random = new Random(20);
    const values = (): unknown[] => [
      ...liars('hello <|endoftext|> world').map(([, liar]) => liar),
      ...[undefined, null, 0, -1, 2 ** 40, NaN, 5n, '', 'hello', true, Symbol('s'), () => 5, {}, [], [[]], [''], new Map()],
      ...[new String('a'), new Date(), new Proxy([], {}), new Proxy({}, {}), Object.create(null), [Uint8Array.of(5)]],
      ...[{ bytes: Uint8Array.of(104, 105), offsets: Uint32Array.of(0, 1, 2) }, { bytes: [], offsets: [] }, { length: 5 }],
      ...[{ special: 'allow' }, { special: ['<|endoftext|>'] }, { maxTokens: 2 }, { maxTokens: 1, overlap: 5 }, { unit: 'bytes' }],
      ...[{ side: 'left' }, { skipSpecialTokens: true }, new Float64Array(3), new BigInt64Array(3), new Array(7)],
    ];
    const names = ['encode', 'count', 'encodeWithOffsets', 'isWithinLimit', 'truncate', 'split', 'encodeBatch', 'countBatch'] as const;
    const others = [
      'decode',
      'decodeBytes',
      'decodeBatch',
      'tokenBytes',
      'idOf',
      'encodeAsync',
      'countAsync',
      'encodeBatchAsync',
      'countMessages',
    ] as const;
    for (let round = 0; round < sample(4000); round++) {
      const name = random.pick([...names, ...others]);
      const [first, second, third] = [0, 1, 2].map(() => random.pick(values()));
      try {
        await (tokenizer[name] as (...given: unknown[]) => unknown)(first, second, third);
      } catch (error) {
        expect(error, name).toBeInstanceOf(Error);
      }
    }
    expect([...tokenizer.encode('hello world')]).toEqual([31373, 995]);
  });
});

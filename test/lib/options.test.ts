// Options: a misspelt or unknown one is an error, and so is a value that is not an options object.

import { runInNewContext } from 'node:vm';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer } from 'crayon-tokenizer';

const here = fileURLToPath(import.meta.url);

let tokenizer: Tokenizer;
beforeAll(() => {
  tokenizer = Tokenizer.loadSync('r50k_base');
});
afterAll(() => tokenizer.close());

const ASYNC = ['special', 'addSpecialTokens', 'threads', 'cacheBytes', 'signal'];

/** Every call that takes options, and those it requires. */
const calls: Record<string, { call: (options: any) => unknown; needs?: object; names: string[] }> = {
  encode: { call: (options) => tokenizer.encode('a', options), names: ['special', 'addSpecialTokens'] },
  'encode, bytes': { call: (options) => tokenizer.encode(Uint8Array.of(97), options), names: ['special'] },
  count: { call: (options) => tokenizer.count('a', options), names: ['special', 'addSpecialTokens'] },
  encodeWithOffsets: { call: (options) => tokenizer.encodeWithOffsets('a', options), names: ['special', 'addSpecialTokens', 'unit'] },
  isWithinLimit: { call: (options) => tokenizer.isWithinLimit('a', 5, options), names: ['special', 'addSpecialTokens'] },
  truncate: { call: (options) => tokenizer.truncate('a', 5, options), names: ['special', 'addSpecialTokens', 'side'] },
  document: { call: (options) => tokenizer.document('a', options), names: ['special', 'unit'] },
  conversation: {
    call: async (options) => (await tokenizer.conversation(options)).close(),
    needs: { template: '{{ 1 }}' },
    names: ['special', 'addGenerationPrompt', 'budget', 'variables'],
  },
  split: {
    call: (options) => tokenizer.split('a', options),
    needs: { maxTokens: 5 },
    names: ['special', 'addSpecialTokens', 'maxTokens', 'overlap', 'separators', 'withOffsets'],
  },
  encodeBatch: { call: (options) => tokenizer.encodeBatch(['a'], options), names: ['special', 'addSpecialTokens', 'cacheBytes'] },
  countBatch: { call: (options) => tokenizer.countBatch(['a'], options), names: ['special', 'addSpecialTokens', 'cacheBytes'] },
  encodeAsync: { call: (options) => tokenizer.encodeAsync('a', options), names: ASYNC },
  countAsync: { call: (options) => tokenizer.countAsync('a', options), names: ASYNC },
  encodeBatchAsync: { call: (options) => tokenizer.encodeBatchAsync(['a'], options), names: ASYNC },
  decode: { call: (options) => tokenizer.decode([1], options), names: ['skipSpecialTokens'] },
  decodeBytes: { call: (options) => tokenizer.decodeBytes([1], options), names: ['skipSpecialTokens'] },
  decodeBatch: { call: (options) => tokenizer.decodeBatch([[1]], options), names: ['skipSpecialTokens'] },
  pad: { call: (options) => tokenizer.encodeBatch(['a']).pad(options), names: ['length', 'side', 'padId', 'type'] },
  loadSync: {
    call: (options) => Tokenizer.loadSync('gpt2', options).close(),
    names: ['builtIn', 'backend', 'mmap', 'verify', 'kernel', 'cacheBytes', 'view', 'unknownId', 'wasm'],
  },
  load: { call: async (options) => (await Tokenizer.load('gpt2', options)).close(), names: ['backend', 'kernel'] },
  'load, late': {
    call: async (options) => (await Tokenizer.load(Promise.resolve('gpt2') as never, options)).close(),
    names: ['backend', 'kernel'],
  },
  swap: { call: (options) => tokenizer.swap('r50k_base', options), names: ['backend', 'kernel'] },
  using: { call: (options) => tokenizer.using('gpt2', () => 1, options), names: ['backend', 'kernel'] },
  compileCartridge: {
    call: (options) => compileCartridge(['a'], options),
    names: ['slim', 'version', 'backend', 'name', 'model', 'pretokenizer', 'specialTokens', 'unknownId', 'onProgress', 'signal'],
  },
};

/** A name with two letters exchanged, the most common slip. */
const misspelt = (name: string) => name.slice(0, 2) + name[3] + name[2] + name.slice(4);

describe.each(Object.entries(calls))('options of %s', (_, { call, needs = {}, names }) => {
  const failure = async (options: unknown): Promise<Error> => {
    try {
      await call(options);
    } catch (error) {
      return error as Error;
    }
    return expect.fail('nothing was thrown');
  };

  it.each(names)('%s, misspelt, cause an error with the intended name', async (name) => {
    for (const value of ['allow', true, null]) {
      const error = await failure({ ...needs, [misspelt(name)]: value });
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toBe(`unknown option '${misspelt(name)}'; did you mean '${name}'?`);
      expect(error.stack).toContain(here);
    }
  });

  it('that are unknown cause an error that lists the valid ones', async () => {
    const error = await failure({ ...needs, qqqqqqqqqqqq: 1 });
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/^unknown option 'qqqqqqqqqqqq' \(there are: /);
    for (const name of names) expect(error.message).toContain(name);
    // An inherited unknown option is an error too, since it would take effect.
    expect((await failure(Object.assign(Object.create({ qqqqqqqqqqqq: 1 }), needs))).message).toContain('unknown option');
    expect((await failure({ ...needs, constructor: 1 })).message).toContain("unknown option 'constructor'");
    expect((await failure({ ...needs, ['__proto__']: 1 })).message).toContain("unknown option '__proto__'");
  });

  it('that are not an object are an error', async () => {
    const generator = (function* () {})();
    const list: unknown[] = [[], ['special'], 'allow', 5, true, 5n, Symbol('s'), null, () => 1, new Set(['special'])];
    list.push(new Map([['special', 'allow']]), new Date(), /a/, new String('a'), new Uint8Array(1), generator);
    list.push(new Error('a'), Promise.resolve({}), new ArrayBuffer(1), tokenizer);
    for (const options of list) {
      const error = await failure(options);
      expect(error, String(options)).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(/^expected an object for options but received /);
    }
  });

  it('that are undefined count as absent', async () => {
    const absent = Object.fromEntries([...names, 'qqqqqqqqqqqq', misspelt('special')].map((name) => [name, undefined]));
    await call({ ...absent, ...needs });
  });

  it('may be a plain object or a class instance', async () => {
    await call({ ...needs });
    await call(Object.assign(Object.create(null), needs));
    await call(Object.create(needs));
    await call(Object.freeze({ ...needs }));
    await call(new Proxy({ ...needs }, {}));
    await call(Object.assign(runInNewContext('({})'), needs));
    class Options {
      get unrelated() {
        return 1;
      }
    }
    await call(Object.assign(new Options(), needs));
    await call({ ...needs, [Symbol('mine')]: 1 });
  });
});

describe('an option of a class', () => {
  it('may be a getter', () => {
    class Options {
      get special() {
        return 'allow' as const;
      }
    }
    expect([...tokenizer.encode('<|endoftext|>', new Options())]).toEqual([50256]);
  });
});

describe('options that change while they are read', () => {
  it('are read once', () => {
    const policies = ['forbid', 'allow'] as const;
    let reads = 0;
    const options = {
      get special() {
        return policies[reads++];
      },
    };
    expect(() => tokenizer.encode('<|endoftext|>', options)).toThrow('forbidden');
    expect(reads).toBe(1);
    const names = ['<|endoftext|>'];
    Object.defineProperty(names, 0, { get: () => ['<|endoftext|>', '<|other|>'][reads++ - 1] });
    expect([...tokenizer.encode('<|endoftext|>', { special: names })]).toEqual([50256]);
  });

  it('give ids of the vocabulary that encodes', async () => {
    using other = Tokenizer.loadSync('r50k_base');
    const options = {
      get special() {
        void other.swap('cl100k_base');
        return ['<|endoftext|>'];
      },
    };
    expect([...other.encode('<|endoftext|>', options)]).toEqual([100257]);
    await other.swap('r50k_base');
    expect([...other.encodeBatch(['<|endoftext|>'], options).ids]).toEqual([100257]);
    await other.swap('r50k_base');
    const texts = ['<|endoftext|>', ''];
    Object.defineProperty(texts, 1, { get: () => (void other.swap('cl100k_base'), '<|endoftext|>') });
    expect([...other.encodeBatch(texts, { special: ['<|endoftext|>'] }).ids]).toEqual([100257, 100257]);
  });

  it('have no effect on a pending load', async () => {
    const options: { view?: string; nonsense?: number } = { view: 'gpt2' };
    const loading = Tokenizer.load(Promise.resolve('r50k_base') as never, options);
    options.view = 'r50k_base';
    options.nonsense = 1;
    using loaded = await loading;
    expect(loaded.name).toBe('gpt2');
  });
});

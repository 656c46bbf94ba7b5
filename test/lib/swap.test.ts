// Replacing a tokenizer's vocabulary, permanently or for a while.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { Tokenizer, TokenizerError } from 'crayon-tokenizer';

import { sample } from '../share.js';

const entry = new URL('../../dist/node/index.js', import.meta.url).href;
const project = fileURLToPath(new URL('../../', import.meta.url));
const here = fileURLToPath(import.meta.url);
const cartridge = (name: string) => `${project}cartridges/${name}.cray`;

/** 'hello world', from the documentation of the encodings. */
const R50K = [31373, 995];
const CL100K = [15339, 1917];
const O200K = [24912, 2375];

const hello = (tokenizer: Tokenizer) => [...tokenizer.encode('hello world')];
const isMapped = (name: string) => readFileSync('/proc/self/maps', 'utf8').includes(`/${name}.cray`);
// WebAssembly reads a file instead of mapping it, which takes longer.
const isNative = inject('backend') === 'native';
const hasMaps = isNative && existsSync('/proc/self/maps');
/** Any value, for arguments that the types would reject. */
const wrong = (value: unknown): any => value;

let tokenizer: Tokenizer;
beforeEach(() => {
  tokenizer = Tokenizer.loadSync('r50k_base');
});
afterEach(() => tokenizer.close());

/** The engine's side of a tokenizer, which streams use. */
async function begin(of: Tokenizer) {
  const { engineOf } = await import('../../dist/node/internals.js');
  return engineOf(wrong(of)).begin(0, false);
}

describe('swap', () => {
  it('changes the vocabulary, and all that is derived from it, before it returns', () => {
    expect([tokenizer.name, tokenizer.vocabularySize]).toEqual(['r50k_base', 50257]);
    expect([...tokenizer.specialTokens]).toEqual([['<|endoftext|>', 50256]]);
    const { metadata } = tokenizer;
    const promise = tokenizer.swap('cl100k_base');
    expect(hello(tokenizer)).toEqual(CL100K);
    expect([tokenizer.name, tokenizer.vocabularySize]).toEqual(['cl100k_base', 100277]);
    expect(tokenizer.specialTokens.get('<|fim_prefix|>')).toBe(100258);
    expect(tokenizer.metadata).not.toEqual(metadata);
    expect(tokenizer.decode(CL100K)).toBe('hello world');
    expect([...tokenizer.encode('<|fim_prefix|>', { special: ['<|fim_prefix|>'] })]).toEqual([100258]);
    expect(() => tokenizer.decode([200_000])).toThrow('cl100k_base');
    return expect(promise).resolves.toBeUndefined();
  });

  it('accepts the same sources as load', async () => {
    await tokenizer.swap('gpt-4o');
    expect(tokenizer.name).toBe('o200k_base');
    await tokenizer.swap(cartridge('cl100k_base'), { mmap: false, verify: false, kernel: 'scalar' });
    expect(hello(tokenizer)).toEqual(CL100K);
    expect(tokenizer.backend.kernel).toBe('scalar');
    await tokenizer.swap(readFileSync(cartridge('o200k_base')), { view: 'o200k_harmony' });
    expect(tokenizer.name).toBe('o200k_harmony');
    const bytes = readFileSync(cartridge('r50k_base'));
    for (const source of [new Response(bytes), Promise.resolve(new Response(bytes))]) {
      await tokenizer.swap('cl100k_base');
      const promise = tokenizer.swap(source);
      expect(hello(tokenizer)).toEqual(CL100K);
      await promise;
      expect(hello(tokenizer)).toEqual(R50K);
    }
  });

  it.each([
    ['no such encoding', undefined, 'no encoding, model or cartridge is named'],
    [`${project}package.json`, undefined, 'cannot read the tokens of'],
    [5, undefined, 'expected an encoding, a model, a path'],
    ['o200k_base', { kernel: 'none' }, 'no kernel of that name'],
    ['o200k_base', { mmap: 1 }, 'expected a boolean for mmap but received 1'],
    [new Response('', { status: 404 }), undefined, '404'],
    [Promise.resolve(new Response('no cartridge')), undefined, 'cannot open a cartridge from 12 bytes'],
  ])('leaves the tokenizer unchanged if %o cannot be opened', async (source, options, message) => {
    const error = (await tokenizer.swap(wrong(source), wrong(options)).catch((error: Error) => error)) as Error;
    expect(error).toBeInstanceOf(Error);
    expect(error.message).toContain(message);
    if (!(source instanceof Response) && !(source instanceof Promise)) expect(firstFrame(error)).toContain(here);
    expect(hello(tokenizer)).toEqual(R50K);
    expect(tokenizer.name).toBe('r50k_base');
  });

  it('of a closed tokenizer is refused, and opens nothing', async () => {
    tokenizer.close();
    const late = Tokenizer.loadSync('r50k_base');
    const waiting = late.swap(Promise.resolve(new Response(readFileSync(cartridge('r50k_base')))));
    late.close();
    for (const promise of [tokenizer.swap('p50k_base'), tokenizer.using('p50k_base', () => 1), waiting]) {
      const error = await promise.then(
        () => expect.fail('resolved'),
        (error: Error) => error,
      );
      expect(error).toBeInstanceOf(TokenizerError);
      expect(error).toMatchObject({ code: 'CLOSED' });
    }
    if (hasMaps) expect(isMapped('p50k_base')).toBe(false);
  });

  it('encodes all rows of a batch with one vocabulary', () => {
    const tricky = new Proxy(['hello world', 'hello world'], {
      get(target, key) {
        if (key === '1') void tokenizer.swap('cl100k_base');
        return Reflect.get(target, key);
      },
    });
    const [first, second] = tokenizer.encodeBatch(tricky);
    expect(first).toEqual(second);
  });

  it.skipIf(!hasMaps)('releases the old cartridge', async () => {
    await tokenizer.swap('p50k_base');
    expect(isMapped('p50k_base')).toBe(true);
    await tokenizer.swap('r50k_base');
    expect(isMapped('p50k_base')).toBe(false);
  });

  it('may be repeated often', async () => {
    const names = ['cl100k_base', 'o200k_base', 'r50k_base'];
    const expected = [CL100K, O200K, R50K];
    for (let round = 0; round < (isNative ? sample(3000, 300) : 60); round++) {
      await tokenizer.swap(names[round % 3] as string);
      expect(hello(tokenizer)).toEqual(expected[round % 3]);
    }
  });
});

describe('a running call', () => {
  it.skipIf(!hasMaps)('keeps the vocabulary it started with until it ends', async () => {
    await tokenizer.swap('p50k_base');
    const first = await begin(tokenizer);
    const second = await begin(tokenizer);
    first.feed('hello', false);
    await tokenizer.swap('o200k_base');
    const third = await begin(tokenizer);
    for (const session of [first, second, third]) session.feed(session === first ? ' world' : 'hello world', true);
    expect([...first.take()]).toEqual(R50K); // p50k_base has these two of r50k_base
    first.end();
    expect(isMapped('p50k_base')).toBe(true);
    second.feed('hello world', true);
    expect([...second.take()]).toEqual([...R50K, ...R50K]);
    second.end();
    expect(isMapped('p50k_base')).toBe(false);
    expect([...third.take()]).toEqual(O200K);
    third.end();
    expect(hello(tokenizer)).toEqual(O200K);
  });

  it('outlives a tokenizer that has swapped', async () => {
    const session = await begin(tokenizer);
    session.feed('hello', false);
    await tokenizer.swap('o200k_base');
    tokenizer.close();
    session.feed(' world', true);
    expect([...session.take()]).toEqual(R50K);
    session.end();
    session.end();
    expect(() => session.take()).toThrow('closed');
  });

  it.skipIf(!hasMaps)('is released when it is collected', () => {
    const printed = run(
      `import { readFileSync } from 'node:fs';
       import { setImmediate } from 'node:timers/promises';
       import { Tokenizer } from ${JSON.stringify(entry)};
       import { engineOf } from ${JSON.stringify(new URL('internals.js', entry).href)};
       const mapped = () => readFileSync('/proc/self/maps', 'utf8').includes('/p50k_base.cray');
       const kept = Tokenizer.loadSync('p50k_base');
       (() => { for (let i = 0; i < 3; i++) engineOf(kept).begin(0, false).feed('hello', false); })();
       await kept.swap('r50k_base');
       const before = mapped();
       let rounds = 0;
       while (mapped() && rounds++ < 100) { globalThis.gc(); await setImmediate(); }
       console.log(before, mapped(), kept.encode('hello world').join());`,
    );
    expect(printed.trim()).toBe('true false 31373,995');
  });

  it('ends with its thread', async () => {
    const source = `
      const { Tokenizer } = await import(${JSON.stringify(entry)});
      const { engineOf } = await import(${JSON.stringify(new URL('internals.js', entry).href)});
      const tokenizer = Tokenizer.loadSync('p50k_base');
      for (let round = 0; round < 50; round++) {
        engineOf(tokenizer).begin(0, round % 2 === 0).feed('hello', false);
        await tokenizer.swap(round % 2 ? 'p50k_base' : 'cl100k_base');
        await tokenizer.using('p50k_edit', (other) => other.encode('hello'));
      }`;
    for (let round = 0; round < 3; round++) {
      const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`));
      const code = await new Promise((resolve, reject) => worker.once('error', reject).once('exit', resolve));
      expect(code).toBe(0);
    }
    if (hasMaps) expect(isMapped('p50k_base')).toBe(false);
  });
});

describe('using', () => {
  it('gives a function a tokenizer of its own', async () => {
    const promise = tokenizer.using('cl100k_base', (other) => {
      expect(other).toBeInstanceOf(Tokenizer);
      expect(other).not.toBe(tokenizer);
      expect([other.name, other.vocabularySize]).toEqual(['cl100k_base', 100277]);
      expect(tokenizer.name).toBe('r50k_base');
      expect(hello(tokenizer)).toEqual(R50K);
      return hello(other);
    });
    expect(await promise).toEqual(CL100K);
    expect(hello(tokenizer)).toEqual(R50K);
  });

  it('calls the function before it returns', () => {
    let ids: number[] = [];
    const promise = tokenizer.using('cl100k_base', (other) => {
      ids = hello(other);
    });
    expect(ids).toEqual(CL100K);
    return promise;
  });

  it('lasts as long as an async function', async () => {
    const promise = tokenizer.using('cl100k_base', async (other) => {
      await new Promise((done) => setTimeout(done, 5));
      return hello(other);
    });
    expect(hello(tokenizer)).toEqual(R50K);
    expect(await promise).toEqual(CL100K);
  });

  it.each(['a function', 'an async function'])('closes the tokenizer at the end of %s', async (kind) => {
    let kept: Tokenizer | undefined;
    await tokenizer.using('p50k_base', (other) => {
      kept = other;
      return kind === 'a function' ? undefined : new Promise((done) => setTimeout(done, 1));
    });
    const other = kept as Tokenizer;
    const uses = [
      () => other.encode('hello'),
      () => other.encode(Uint8Array.of(1)),
      () => other.encodeBatch(['hello']),
      () => other.decode([1]),
      () => other.idOf('hello'),
      () => other.name,
      () => other.specialTokens,
      () => other.countMessages([], { model: 'davinci' }),
      () => other.encodeAsync('hello'),
      () => other.swap('r50k_base'),
      () => other.using('r50k_base', hello),
    ];
    for (const use of uses) {
      const error = await (async () => use())().then(
        () => expect.fail(`${use} did not throw`),
        (error: Error) => error,
      );
      expect(error, String(use)).toMatchObject({ name: 'TokenizerError', code: 'CLOSED' });
      expect(error.message).toContain('the tokenizer of using() has been closed');
      expect(error.stack).toContain(here);
    }
    other.close();
    if (hasMaps) expect(isMapped('p50k_base')).toBe(false);
    expect(hello(tokenizer)).toEqual(R50K);
  });

  it('lets running work finish', async () => {
    const text = 'hello world '.repeat(100_000);
    let ids: Promise<Uint32Array> | undefined;
    await tokenizer.using('cl100k_base', (other) => {
      ids = other.encodeAsync(text);
    });
    using other = Tokenizer.loadSync('cl100k_base');
    expect(await ids).toEqual(other.encode(text));
  });

  it('takes a Response', async () => {
    const response = new Response(readFileSync(cartridge('cl100k_base')));
    const promise = tokenizer.using(response, hello);
    expect(hello(tokenizer)).toEqual(R50K);
    expect(await promise).toEqual(CL100K);
    expect(hello(tokenizer)).toEqual(R50K);
  });

  it('ends after an error, and passes it on unchanged', async () => {
    const mistake = new Error('a mistake');
    const { stack } = mistake;
    const throws = () => {
      throw mistake;
    };
    for (const fn of [throws, async () => throws(), () => Promise.reject(mistake)]) {
      expect(await tokenizer.using('cl100k_base', fn).catch((error: unknown) => error)).toBe(mistake);
      expect(mistake.stack).toBe(stack);
      expect(hello(tokenizer)).toEqual(R50K);
    }
  });

  it('may be nested', async () => {
    const inner: number[][] = [];
    await tokenizer.using('cl100k_base', async (other) => {
      inner.push(await other.using('o200k_base', hello), hello(other));
    });
    expect([...inner, hello(tokenizer)]).toEqual([O200K, CL100K, R50K]);
  });

  it('may overlap: each function has its own vocabulary', async () => {
    const expected = { cl100k_base: CL100K, o200k_base: O200K, p50k_base: R50K }; // p50k_base has these two of r50k_base
    const turn = () => new Promise((done) => setTimeout(done, Math.random() * 4));
    const jobs = Object.entries({ ...expected, ...expected }).map(([name, ids]) =>
      tokenizer.using(name, async (other) => {
        for (let round = 0; round < 10; round++) {
          expect([other.name, hello(other)]).toEqual([name, ids]);
          expect(hello(tokenizer)).toEqual(R50K);
          await turn();
        }
      }),
    );
    await Promise.all(jobs);
    expect(tokenizer.name).toBe('r50k_base');
  });

  it('may overlap with a swap', async () => {
    let end = () => {};
    const job = tokenizer.using('cl100k_base', async (other) => {
      await new Promise<void>((done) => (end = done));
      return hello(other);
    });
    await tokenizer.swap('o200k_base');
    end();
    expect(await job).toEqual(CL100K);
    expect(hello(tokenizer)).toEqual(O200K);
  });

  it('is not touched by a swap within it', async () => {
    await tokenizer.using('cl100k_base', async (other) => {
      await other.swap('o200k_base');
      expect(hello(other)).toEqual(O200K);
      expect(hello(tokenizer)).toEqual(R50K);
    });
    expect(hello(tokenizer)).toEqual(R50K);
  });

  it('may close its tokenizer early', async () => {
    await tokenizer.using('p50k_base', (other) => {
      other.close();
      if (hasMaps) expect(isMapped('p50k_base')).toBe(false);
      expect(() => other.encode('hello')).toThrow('closed');
    });
    expect(hello(tokenizer)).toEqual(R50K);
  });

  it('ends with the tokenizer that it was called on', async () => {
    let end = () => {};
    const job = tokenizer.using('p50k_base', async (other) => {
      await new Promise<void>((done) => (end = done));
      return other.encode('hello');
    });
    tokenizer.close();
    if (hasMaps) expect(isMapped('p50k_base')).toBe(false);
    end();
    await expect(job).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(tokenizer.using('p50k_base', () => 1)).rejects.toMatchObject({ code: 'CLOSED' });
    if (hasMaps) expect(isMapped('p50k_base')).toBe(false);
  });

  it('leaves the tokenizer unchanged if the other cannot be opened', async () => {
    const error = await tokenizer.using('no such encoding', () => 1).catch((error: Error) => error);
    expect(error).toMatchObject({ code: 'FILE_NOT_FOUND' });
    expect(firstFrame(error as Error)).toContain(here);
    expect(hello(tokenizer)).toEqual(R50K);
  });

  it('requires a function', async () => {
    const error = (await tokenizer.using('cl100k_base', wrong('hello')).catch((error: Error) => error)) as Error;
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toBe('expected a function for fn but received "hello"');
    expect(firstFrame(error)).toContain(here);
    expect(hello(tokenizer)).toEqual(R50K);
  });
});

/** Runs an ES module in its own process; returns its output. */
function run(source: string): string {
  const args = ['--expose-gc', '--input-type=module', '-e', source];
  return execFileSync(process.execPath, args, { encoding: 'utf8', cwd: project });
}

function firstFrame(error: Error): string {
  return (error.stack as string).split('\n').find((line) => /^\s+at /.test(line)) ?? '';
}

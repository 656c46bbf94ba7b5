// tokenizer.document: the results and errors of each call. That the ids are those of the whole text is tested in
// document-exactness.test.ts.
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { type TextDocument, Tokenizer } from 'crayon-tokenizer';

import { SANITIZED } from '../share.js';
import { thrown } from './thrown.js';

/** Any value, for arguments that the types would reject. */
const wrong = (value: unknown): any => value;
const bytesOf = (text: string) => new TextEncoder().encode(text);

let tokenizer: Tokenizer;
beforeEach(() => {
  tokenizer = Tokenizer.loadSync('o200k_base');
});
afterEach(() => tokenizer.close());

describe('an edit', () => {
  it('tells which ids changed', () => {
    using text = tokenizer.document('hello world');
    expect(text.append('s')).toEqual({ from: 1, removed: 1, inserted: 1 });
    expect(text.append('')).toEqual({ from: 2, removed: 0, inserted: 0 });
    expect(text.replace(0, 5, 'hello')).toMatchObject({ removed: 0, inserted: 0 });
    expect(text.replace(5, 12, '')).toEqual({ from: 1, removed: 1, inserted: 0 });
    expect(text.text).toBe('hello');
    expect(text.replace(0, 5, '')).toEqual({ from: 0, removed: 1, inserted: 0 });
    expect(text.count).toBe(0);
    expect(text.ids).toEqual(new Uint32Array(0));
  });

  it('splits a surrogate pair, and joins it again', () => {
    using text = tokenizer.document('a😀b');
    text.replace(2, 2, 'x');
    expect(text.text).toBe('a\ud83dx\ude00b');
    expect([...text.ids]).toEqual([...tokenizer.encode('a\ud83dx\ude00b')]);
    text.replace(2, 3, '');
    expect([...text.ids]).toEqual([...tokenizer.encode('a😀b')]);
    text.replace(2, 3, '');
    text.replace(2, 2, '\ude01');
    expect(text.text).toBe('a😁b');
    expect([...text.ids]).toEqual([...tokenizer.encode('a😁b')]);
    expect(text.length).toBe(4);
  });

  it('joins a pair that comes in two appends', () => {
    using text = tokenizer.document();
    text.append('\ud83d');
    expect([...text.ids]).toEqual([...tokenizer.encode('\ufffd')]);
    text.append('\ude00');
    expect([...text.ids]).toEqual([...tokenizer.encode('😀')]);
  });

  it('takes texts longer than a window, and one piece of a megabyte', () => {
    const long = 'hello wörld 😀, '.repeat(20_000);
    using text = tokenizer.document(long);
    expect(text.text === long).toBe(true);
    expect(text.ids).toEqual(tokenizer.encode(long));
    const run = 'a'.repeat(1_000_000);
    using letters = tokenizer.document(run);
    letters.replace(500_000, 500_000, 'b');
    const both = `${run.slice(0, 500_000)}b${run.slice(500_000)}`;
    expect(letters.count).toBe(tokenizer.count(both));
    expect(letters.ids).toEqual(tokenizer.encode(both));
  });

  it('counts bytes if they are the unit, and cuts characters', () => {
    using text = tokenizer.document('né', { unit: 'bytes' });
    expect(text.length).toBe(3);
    text.replace(2, 3, bytesOf('x'));
    expect([...text.ids]).toEqual([...tokenizer.encode(Uint8Array.of(0x6e, 0xc3, 0x78))]);
    expect(text.text).toBe('n\ufffdx');
    text.replace(2, 3, Uint8Array.of(0xa9));
    expect(text.text).toBe('né');
    expect([...text.offsets]).toEqual([...tokenizer.encodeWithOffsets('né', { unit: 'bytes' }).offsets]);
  });

  it('fails as encode does, and leaves the document as it was', () => {
    using text = tokenizer.document('hello 😀 ', { special: 'forbid' });
    const { ids } = text;
    const expected = thrown(() => tokenizer.encode('hello 😀 world<|endoftext|>', { special: 'forbid' }));
    expect(thrown(() => text.append('world<|endoftext|>'))).toMatchObject({
      code: 'SPECIAL_FORBIDDEN',
      position: 14,
      message: expected.message,
    });
    // The token comes about by joining.
    text.append('<|endof');
    expect(thrown(() => text.append('text|>'))).toMatchObject({ code: 'SPECIAL_FORBIDDEN', position: 9 });
    text.replace(9, 16, '');
    expect(text.text).toBe('hello 😀 ');
    expect(text.ids).toEqual(ids);
    expect(thrown(() => tokenizer.document('<|endoftext|>', { special: 'forbid' }))).toMatchObject({
      code: 'SPECIAL_FORBIDDEN',
      position: 0,
    });
  });

  it('fails where a vocabulary has no token for a character', async () => {
    const { compileCartridge } = await import('crayon-tokenizer');
    using own = await Tokenizer.load(await compileCartridge(['a', 'b']), { backend: inject('backend') });
    using text = own.document('ab');
    expect(thrown(() => text.append('b?'))).toMatchObject({ code: 'UNKNOWN_CHARACTER', position: 3 });
    expect(text.append('a')).toEqual({ from: 2, removed: 0, inserted: 1 });
  });

  it('refuses wrong arguments', () => {
    using text = tokenizer.document('hello');
    for (const [start, end] of [
      [-1, 2],
      [0, 6],
      [3, 2],
      [0.5, 2],
      [0, Number.NaN],
    ]) {
      expect(() => text.replace(start!, end!, '')).toThrow(RangeError);
    }
    expect(() => text.replace(wrong('0'), 1, '')).toThrow('expected a number for start but received "0"');
    expect(() => text.append(wrong(1))).toThrow(TypeError);
    expect(() => text.append(wrong(bytesOf('a')))).toThrow("expected a string (or bytes in a document with unit: 'bytes')");
    expect(() => text.tokenAt(6)).toThrow(RangeError);
    expect(() => text.slice(0.5)).toThrow(RangeError);
    expect(() => tokenizer.document('a', wrong({ unit: 'words' }))).toThrow("expected 'utf16' or 'bytes' for unit");
    expect(() => tokenizer.document('a', wrong({ units: 'bytes' }))).toThrow("did you mean 'unit'?");
    expect(() => tokenizer.document(wrong(5))).toThrow(TypeError);
    expect(thrown(() => tokenizer.document('', { special: ['<none>'] }))).toMatchObject({ code: 'UNKNOWN_SPECIAL' });
    expect(text.text).toBe('hello');
  });
});

describe('reading', () => {
  it('returns one array until the next edit, and parts as copies', () => {
    using text = tokenizer.document('hello world again');
    expect(text.ids).toBe(text.ids);
    expect([...text.slice(1)]).toEqual([...text.ids.slice(1)]);
    expect([...text.slice(0, -1)]).toEqual([...text.ids.slice(0, -1)]);
    expect([...text.slice(2, 1)]).toEqual([]);
    expect([...text.slice(-2, 99)]).toEqual([...text.ids.slice(-2)]);
    const before = text.ids;
    text.append('!');
    expect(text.ids).not.toBe(before);
  });

  it('finds the token of a position', () => {
    const content = 'hello wörld 😀 again and again, '.repeat(200);
    using text = tokenizer.document(content);
    const { offsets } = tokenizer.encodeWithOffsets(content);
    for (let position = 0; position <= content.length; position += 7) {
      let token = 0;
      while (token < text.count && offsets[2 * token + 1]! <= position) token++;
      expect(text.tokenAt(position)).toBe(token);
    }
    expect(text.tokenAt(content.length)).toBe(text.count);
  });

  it('makes special tokens of the text as its policy says', () => {
    for (const special of ['text', 'allow', ['<|endoftext|>']] as const) {
      using text = tokenizer.document('a<|endof', { special });
      text.append('text|><|endofprompt|>');
      expect([...text.ids]).toEqual([...tokenizer.encode('a<|endoftext|><|endofprompt|>', { special })]);
    }
  });
});

describe('a fork', () => {
  it('is edited and closed on its own', () => {
    const text = tokenizer.document('one two three four '.repeat(500));
    const first = text.fork();
    const second = first.fork();
    first.replace(100, 200, 'changed');
    second.append('at the end');
    const original = 'one two three four '.repeat(500);
    expect(text.text).toBe(original);
    text.close();
    expect(first.text).toBe(`${original.slice(0, 100)}changed${original.slice(200)}`);
    expect(first.ids).toEqual(tokenizer.encode(first.text));
    first.close();
    expect(second.ids).toEqual(tokenizer.encode(`${original}at the end`));
    second.close();
  });
});

describe('a closed document', () => {
  it('refuses every call', () => {
    const text = tokenizer.document('hello');
    text.close();
    text.close();
    const calls: ((text: TextDocument) => unknown)[] = [
      (text) => text.append('a'),
      (text) => text.replace(0, 0, 'a'),
      (text) => text.ids,
      (text) => text.count,
      (text) => text.offsets,
      (text) => text.length,
      (text) => text.text,
      (text) => text.slice(0, 0),
      (text) => text.tokenAt(0),
      (text) => text.fork(),
    ];
    for (const call of calls) expect(thrown(() => call(text))).toMatchObject({ code: 'CLOSED' });
  });

  it('closes with its tokenizer', () => {
    const text = tokenizer.document('hello');
    const fork = text.fork();
    tokenizer.close();
    for (const each of [text, fork]) {
      const calls = [() => each.append('a'), () => each.count, () => each.length, () => each.ids, () => each.text, () => each.fork()];
      for (const call of calls) expect(thrown(call)).toMatchObject({ code: 'CLOSED' });
      each.close();
    }
  });

  it('keeps its vocabulary when the tokenizer takes another one', async () => {
    const text = tokenizer.document('hello world');
    const fork = text.fork();
    await tokenizer.swap('cl100k_base');
    expect([...tokenizer.encode('hello world')]).toEqual([15339, 1917]);
    expect([...text.ids]).toEqual([24912, 2375]);
    text.append(' again');
    text.close();
    expect([...fork.ids]).toEqual([24912, 2375]);
    fork.append(' again');
    using other = Tokenizer.loadSync('o200k_base');
    expect([...fork.ids]).toEqual([...other.encode('hello world again')]);
    expect([...fork.offsets]).toEqual([...other.encodeWithOffsets('hello world again').offsets]);
    fork.close();
  });

  // Sanitizers keep what is freed.
  it.runIf(inject('backend') === 'native' && !SANITIZED)('is what the garbage collector makes of one that nobody has', () => {
    const entry = new URL('../../dist/node/index.js', import.meta.url).href;
    const source = `
      import { setImmediate } from 'node:timers/promises';
      const { Tokenizer } = await import(${JSON.stringify(entry)});
      const tokenizer = Tokenizer.loadSync('r50k_base');
      const text = 'hello world, '.repeat(80_000);
      const megabytes = async (documents) => {
        for (let n = 0; n < documents; n++) {
          tokenizer.document(text).fork().append('!');
          if (n % 10 === 0) { globalThis.gc(); await setImmediate(); }
        }
        return process.memoryUsage().rss / 2 ** 20;
      };
      const before = await megabytes(30);
      console.log(await megabytes(200) - before < 100);
    `;
    const printed = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', source], { encoding: 'utf8' });
    expect(printed).toBe('true\n');
  });

  it('is closed by a block that is using it', () => {
    let kept: TextDocument;
    {
      using text = tokenizer.document('hello');
      kept = text;
    }
    expect(thrown(() => kept.count)).toMatchObject({ code: 'CLOSED' });
  });
});

describe('in a page, documents', () => {
  it('need the module that a tokenizer is loaded with for them', async () => {
    const page = await import('crayon-tokenizer/inline/o200k_base');
    using small = page.Tokenizer.loadSync('o200k_base');
    expect(thrown(() => small.document('hello'), page.TokenizerError)).toMatchObject({
      code: 'FEATURE_MISSING',
      message: expect.stringContaining('{ documents: true }'),
    });
    // What is made of documents needs it, too.
    expect(thrown(() => new page.PrefixCache(small), page.TokenizerError)).toMatchObject({
      code: 'FEATURE_MISSING',
      message: expect.stringContaining('{ documents: true }'),
    });
    expect(() => page.Tokenizer.loadSync('o200k_base', { documents: true })).toThrow('expected a WebAssembly module that is already here');
    using whole = await page.Tokenizer.load('o200k_base', { documents: true });
    using text = whole.document('hello');
    text.append(' world');
    expect([...text.ids]).toEqual([24912, 2375]);
    // Now the module is here, for others, too.
    using other = small.document('hello world');
    expect([...other.ids]).toEqual([24912, 2375]);
    expect(new page.PrefixCache(whole).count('hello world')).toBe(2);
    expect(thrown(() => page.Tokenizer.loadSync('o200k_base', wrong({ documents: 1 })), TypeError).message).toBe(
      'expected a boolean for documents but received 1',
    );
    small.close();
    expect(thrown(() => other.append('!'), page.TokenizerError)).toMatchObject({ code: 'CLOSED' });
  });

  it('are not in a module that the caller chose without them', async () => {
    const { Tokenizer, TokenizerError, useWasm } = await import('crayon-tokenizer/wasm');
    useWasm(new URL('../../dist/wasm/core.wasm', import.meta.url));
    try {
      using chosen = await Tokenizer.load('o200k_base');
      expect(thrown(() => chosen.document('hello'), TokenizerError)).toMatchObject({ code: 'FEATURE_MISSING' });
      const template = '{% for m in messages %}{{ m.content }}{% endfor %}';
      await expect(chosen.conversation({ template })).rejects.toMatchObject({ code: 'FEATURE_MISSING' });
      // What only counts needs none.
      using counted = await chosen.conversation({ model: 'gpt-4o' });
      counted.add({ role: 'user', content: 'hello' });
      expect(counted.count).toBe(8);
    } finally {
      useWasm(undefined);
    }
  });
});

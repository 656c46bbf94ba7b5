// The tables of names, checked against other published tables.

import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { modelToEncodingMap } from 'gpt-tokenizer/mapping';
import { afterAll, describe, expect, it } from 'vitest';
import { encodingForModel, Tokenizer, TokenizerError } from 'crayon-tokenizer';

const tiktokenModels = createRequire(import.meta.url)('tiktoken/model_to_encoding.json') as Record<string, string>;

describe('encodingForModel', () => {
  it.each(Object.entries(tiktokenModels))('%s has the encoding of npm tiktoken, %s', (model, encoding) => {
    expect(encodingForModel(model)).toBe(encoding);
  });

  it.each(Object.entries(modelToEncodingMap as Record<string, string>))('%s has the encoding of gpt-tokenizer, %s', (model, encoding) => {
    expect(encodingForModel(model)).toBe(encoding);
  });

  // Names newer than those tables, or that only the Python package's prefix rules cover.
  it.each([
    ['gpt-5', 'o200k_base'],
    ['gpt-5-mini', 'o200k_base'],
    ['gpt-5-mini-2025-08-07', 'o200k_base'],
    ['gpt-5.1', 'o200k_base'],
    ['gpt-5.1-codex', 'o200k_base'],
    ['gpt-5-codex', 'o200k_base'],
    ['gpt-4.1-nano-2025-04-14', 'o200k_base'],
    ['gpt-4o-2099-01-01', 'o200k_base'],
    ['o3-pro', 'o200k_base'],
    ['o4-mini', 'o200k_base'],
    ['gpt-oss-20b', 'o200k_harmony'],
    ['gpt-oss-120b', 'o200k_harmony'],
    ['gpt-4-2099-01-01', 'cl100k_base'],
    ['gpt-3.5-turbo-2099', 'cl100k_base'],
    ['gpt-35-turbo-16k', 'cl100k_base'],
    ['text-embedding-3-small', 'cl100k_base'],
    ['text-embedding-3-large', 'cl100k_base'],
    ['ft:gpt-4o-mini-2024-07-18:acme::abc', 'o200k_base'],
    ['ft:gpt-4-0613:acme::abc', 'cl100k_base'],
    ['ft:gpt-3.5-turbo:acme::abc', 'cl100k_base'],
    ['ft:davinci-002:acme', 'cl100k_base'],
    ['gpt-2', 'gpt2'],
  ])('%s has %s', (model, encoding) => {
    expect(encodingForModel(model)).toBe(encoding);
  });

  it.each(['', 'gpt', 'gpt-9', 'o200k', 'constructor', '__proto__', 'toString', 'GPT-4O', 'gpt-4o '])('does not know %j', (model) => {
    expect(encodingForModel(model)).toBeUndefined();
  });
});

describe('load', () => {
  const tokenizer = Tokenizer.loadSync('gpt2');
  afterAll(() => tokenizer.close());

  it.each([
    ['gpt-4o', 'o200k_base'],
    ['gpt-5', 'o200k_base'],
    ['gpt-4', 'cl100k_base'],
    ['text-embedding-3-small', 'cl100k_base'],
    ['gpt-oss-20b', 'o200k_harmony'],
    ['text-davinci-003', 'p50k_base'],
    ['code-davinci-edit-001', 'p50k_edit'],
    ['davinci', 'r50k_base'],
    ['gpt2', 'gpt2'],
  ])('opens %s as %s', (model, encoding) => {
    using tokenizer = Tokenizer.loadSync(model);
    expect(tokenizer.name).toBe(encoding);
  });

  it.each([
    ['o200k_bas', 'did you mean o200k_base'],
    ['cl100k', 'did you mean cl100k_base? Encodings: gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony'],
    ['o200k', 'did you mean o200k_base, o200k_harmony?'],
    ['O200K', 'did you mean o200k_base, o200k_harmony?'],
    ['harmony', 'did you mean o200k_harmony?'],
    ['openai:gpt-4o', 'did you mean gpt-4o'],
    ['ba', 'named "ba". Encodings'],
    ['cl100k-base', 'did you mean cl100k_base'],
    ['gtp-4o', 'did you mean gpt-4o'],
    ['GPT-4O', 'did you mean gpt-4o'],
    ['constructor', 'no encoding, model or cartridge is named "constructor"'],
  ])('of %j suggests the intended name', (name, words) => {
    const error = (() => {
      try {
        Tokenizer.loadSync(name).close();
      } catch (error) {
        return error as TokenizerError;
      }
      return expect.fail('it was opened');
    })();
    expect(error).toBeInstanceOf(TokenizerError);
    expect(error.code).toBe('FILE_NOT_FOUND');
    expect(error.message).toContain(words);
    expect(error.message).toMatch(/Searched: .*cartridges/);
  });

  const pathsAndNames = [
    'cl100k',
    './o200k_base',
    'cartridges/o200k_base.cray',
    'package.json',
    'tokenizer.json',
    'test',
    '/etc/passwd',
    'file:///a.cray',
  ];
  it.each(pathsAndNames)('of %j opens nothing with builtIn, and names no folder', async (name) => {
    for (const call of [
      async () => Tokenizer.loadSync(name, { builtIn: true }),
      () => Tokenizer.load(name, { builtIn: true }),
      () => tokenizer.swap(name, { builtIn: true }),
      () => tokenizer.using(name, () => 1, { builtIn: true }),
    ]) {
      const error = await call().then(
        () => expect.fail('it was opened'),
        (error) => error as TokenizerError,
      );
      expect(error.code).toBe('FILE_NOT_FOUND');
      const known = 'Encodings: gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony. Profiles: lite, standard.';
      expect(error.message).toContain(`no built-in encoding, profile or model is named ${JSON.stringify(name)}`);
      expect(error.message).toContain(`${known} Models: OpenAI's, such as gpt-4o.`);
      expect(error.message.replace(JSON.stringify(name), '')).not.toMatch(/[/\\]/);
    }
  });

  it('takes nothing but names with builtIn', async () => {
    using named = Tokenizer.loadSync('gpt-5-mini', { builtIn: true });
    expect(named.name).toBe('o200k_base');
    for (const source of [new URL('file:///a.cray'), new Uint8Array(8), Promise.resolve('gpt2')]) {
      await expect(Tokenizer.load(source as never, { builtIn: true })).rejects.toThrow('expected a name, as builtIn is true, for source');
    }
  });

  it('exposes exactly the views of the built cartridges as encodings', async () => {
    const { ENCODINGS, PROFILES } = await import('../../dist/node/internals.js');
    const { native, viewNames } = await import('../../dist/node/internals.js');
    const { addon } = native();
    const folder = new URL('../../cartridges/', import.meta.url);
    const found: Record<string, string> = {};
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.cray'))) {
      const cartridge = addon.cartridgeOpenFile(new URL(file, folder).pathname, 0);
      const tokenizer = addon.tokenizerCreate(cartridge, 0, '');
      const views = addon.tokenizerModel(tokenizer) === 'dna' ? [] : viewNames(addon, cartridge);
      addon.tokenizerRelease(tokenizer);
      for (const view of views) found[view] = file.replace(/(\.slim)?\.cray$/, '');
      addon.cartridgeRelease(cartridge);
    }
    expect(found).toEqual({ ...ENCODINGS, ...Object.fromEntries(PROFILES.map((name) => [name, name])) });
  });
});

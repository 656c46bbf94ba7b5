// A tokenizer's public properties: they are read-only, and a console shows their values.

import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

const backend = inject('backend');

let tokenizer: Tokenizer;
beforeEach(() => {
  tokenizer = Tokenizer.loadSync('r50k_base');
});
afterEach(() => tokenizer.close());

/** Any value, for arguments that the types would reject. */
const wrong = (value: unknown): any => value;

describe('specialTokens', () => {
  const changes: [string, (map: Map<string, number>) => unknown][] = [
    ['set', (map) => map.set('hello', 0)],
    ['set again', (map) => map.set('<|endoftext|>', 0)],
    ['delete', (map) => map.delete('<|endoftext|>')],
    ['clear', (map) => map.clear()],
    ['get in its place', (map) => (map.get = () => 0)],
    ['size in its place', (map) => Object.defineProperty(map, 'size', { value: 0 })],
    ['another prototype', (map) => Object.setPrototypeOf(map, null)],
  ];

  it.each(changes)('refuses modification: %s', (_, change) => {
    const map = tokenizer.specialTokens as Map<string, number>;
    expect(() => change(map)).toThrow(TypeError);
    expect([...tokenizer.specialTokens]).toEqual([['<|endoftext|>', 50256]]);
    expect(tokenizer.specialTokens.get('<|endoftext|>')).toBe(50256);
    expect(tokenizer.specialTokens.size).toBe(1);
  });

  it("gives no way to change the tokenizer's behaviour", () => {
    const map = tokenizer.specialTokens as Map<string, number>;
    Map.prototype.set.call(map, 'hello', 0);
    Map.prototype.delete.call(map, '<|endoftext|>');
    expect([...tokenizer.encode('<|endoftext|>', { special: ['<|endoftext|>'] })]).toEqual([50256]);
    expect(() => tokenizer.encode('hello', { special: ['hello'] })).toThrow('it has <|endoftext|>');
    expect(() => tokenizer.encode('<|endoftext|>', { special: 'forbid' })).toThrow('special token "<|endoftext|>"');
  });

  it('behaves like a Map otherwise', () => {
    const map = tokenizer.specialTokens;
    expect(map).toBeInstanceOf(Map);
    expect(new Map(map).set('<|x|>', 1).size).toBe(2);
    expect(structuredClone(map)).toEqual(new Map([['<|endoftext|>', 50256]]));
    expect(Object.fromEntries(map)).toEqual({ '<|endoftext|>': 50256 });
    const seen: unknown[] = [];
    map.forEach((id, text, all) => seen.push(id, text, all === map));
    expect(seen).toEqual([50256, '<|endoftext|>', true]);
    expect(inspect(map)).toContain("'<|endoftext|>' => 50256");
  });
});

describe('metadata', () => {
  it('refuses modification at any depth', () => {
    using lite = Tokenizer.loadSync('lite');
    const before = JSON.stringify(lite.metadata);
    const freeze = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      expect(() => (wrong(value).added = 1)).toThrow(TypeError);
      for (const [key, inner] of Object.entries(value)) {
        expect(() => (wrong(value)[key] = 1)).toThrow(TypeError);
        expect(() => delete wrong(value)[key]).toThrow(TypeError);
        freeze(inner);
      }
    };
    freeze(lite.metadata);
    expect(() => (lite.metadata.sourcePackages as string[]).push('x')).toThrow(TypeError);
    expect(JSON.stringify(lite.metadata)).toBe(before);
  });

  it('and backend are copies if not frozen', () => {
    wrong(tokenizer.backend).kind = 'other';
    wrong(tokenizer.backend).devices.push('other');
    expect(tokenizer.backend).toMatchObject({ kind: backend, devices: ['cpu'] });
  });
});

describe('a console', () => {
  const { kernel } = Tokenizer.loadSync('r50k_base').backend;

  it("shows a tokenizer's properties", () => {
    const shown = `Tokenizer { name: 'r50k_base', vocabularySize: 50257, backend: '${backend} (${kernel})' }`;
    expect(inspect(tokenizer, { breakLength: Infinity })).toBe(shown);
    const { kind, devices, unavailable } = tokenizer.backend;
    expect(inspect(tokenizer.backend)).toBe(inspect({ kind, kernel, devices, unavailable }));
    expect(Object.keys(tokenizer.backend)).toEqual(['kind', 'kernel', 'devices', 'unavailable']);
    expect(inspect({ tokenizer }, { breakLength: Infinity })).toBe(`{ tokenizer: ${shown} }`);
    expect(inspect([[[tokenizer]]], { depth: 1 })).toBe('[ [ [Array] ] ]');
    expect(inspect([[tokenizer]], { depth: 2, breakLength: Infinity })).toContain("name: 'r50k_base'");
    expect(inspect([[tokenizer]], { depth: 0 })).toBe('[ [Array] ]');
    expect(inspect([tokenizer], { depth: 0 })).toBe('[ [Tokenizer] ]');
  });

  it('shows the vocabulary in use, or that the tokenizer is closed', async () => {
    await tokenizer.swap('cl100k_base');
    expect(inspect(tokenizer)).toContain("name: 'cl100k_base'");
    let other: Tokenizer | undefined;
    await tokenizer.using('gpt2', (given) => {
      expect(inspect(given)).toContain("name: 'gpt2'");
      other = given;
    });
    expect(inspect(other)).toBe('Tokenizer { closed }');
    tokenizer.close();
    expect(inspect(tokenizer)).toBe('Tokenizer { closed }');
    expect(inspect(Tokenizer.prototype)).toContain('[Tokenizer]');
    expect(inspect(Object.create(tokenizer))).not.toContain('vocabularySize: 5');
  });

  it("shows a batch's properties", () => {
    const batch = tokenizer.encodeBatch(['hello world', 'hello']);
    expect(inspect(batch, { breakLength: Infinity })).toBe(
      'TokenBatch(2) { ids: Uint32Array(3) [ 31373, 995, 31373 ], offsets: Uint32Array(3) [ 0, 2, 3 ] }',
    );
    expect(inspect([batch], { depth: 0 })).toBe('[ [TokenBatch(2)] ]');
  });

  it('names the class', () => {
    expect(String(tokenizer)).toBe('[object Tokenizer]');
    expect(String(tokenizer.encodeBatch(['a']))).toBe('[object TokenBatch]');
    expect(Object.keys(tokenizer)).toEqual([]);
    expect(JSON.stringify(tokenizer)).toBe('{}');
  });
});

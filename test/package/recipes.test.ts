// The recipes of the built-in cartridges: their sources, and that the built files match the recorded ones.

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { DnaTokenizer } from 'crayon-tokenizer/dna';
import { presetNamed } from '../../dist/node/internals.js';
import { formsOf, readChecksums, readRecipes } from '../../scripts/cartridges.mjs';
import { readSource, tokensOf } from '../../scripts/recipe-tokens.mjs';

const recipes = readRecipes().map(({ recipe }) => recipe);

it('every recipe has a checksum, and every checksum a recipe', () => {
  expect([...readChecksums().keys()].sort()).toEqual(
    recipes
      .flatMap(formsOf)
      .map(({ file }) => file)
      .sort(),
  );
});

describe.each(recipes)('$name', (recipe) => {
  it('was built to the recorded bytes', () => {
    for (const { file } of formsOf(recipe)) {
      const bytes = fs.readFileSync(fileURLToPath(new URL(`../../cartridges/${file}`, import.meta.url)));
      expect(createHash('sha256').update(bytes).digest('hex'), file).toBe(readChecksums().get(file));
    }
  });
});

describe.each(recipes.filter(({ model }) => model !== 'dna'))('the vocabulary $name', (recipe) => {
  it("comes from OpenAI's published files", () => {
    // By the checksums that tiktoken checks after downloading.
    const published: Record<string, string> = {
      r50k_base: '306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930',
      p50k_base: '94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069',
      cl100k_base: '223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7',
      o200k_base: '446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d',
    };
    for (const source of recipe.sources ?? [recipe.source]) {
      const name = source.file.replace(/^data\/(.*)\.tiktoken$/, '$1');
      if (recipe.source) expect(name).toBe(recipe.name);
      expect(createHash('sha256').update(readSource({ name, source })).digest('hex')).toBe(published[name]);
    }
  });

  it('refuses another file', () => {
    for (const original of recipe.sources ?? [recipe.source]) {
      const source = { ...original, sha256: original.sha256.replace(/^./, (digit: string) => (digit === '0' ? '1' : '0')) };
      expect(() => readSource({ ...recipe, source })).toThrow(/has sha256 [0-9a-f]{64}, the recipe wants/);
    }
  });
});

describe.each(recipes.filter(({ model }) => model === 'dna'))('the DNA vocabulary $name', ({ name }) => {
  it("equals the WebAssembly engine's output in pages", async () => {
    const file = fs.readFileSync(fileURLToPath(new URL(`../../cartridges/${name}.cray`, import.meta.url)));
    using dna = await DnaTokenizer.load(presetNamed(name)!, { backend: 'wasm' });
    expect(Buffer.compare(dna.toCartridge(), file)).toBe(0);
  });
});

describe.each(recipes.filter(({ sources }) => sources))('the profile $name', (recipe) => {
  const { bytes, offsets } = tokensOf(recipe);
  const tokens = Array.from({ length: offsets.length - 1 }, (_, id) => Buffer.from(bytes.subarray(offsets[id], offsets[id + 1])));

  it('has the published number of tokens, all distinct', () => {
    expect(tokens.length).toBe({ lite: 50_000, standard: 206_373 }[recipe.name as string]);
    expect(new Set(tokens.map((token) => token.toString('latin1'))).size).toBe(tokens.length);
  });

  it('requires the recorded tokens', () => {
    expect(() => tokensOf({ ...recipe, tokensSha256: '0'.repeat(64) })).toThrow(/its tokens have sha256 [0-9a-f]{64}, the recipe wants 0/);
    expect(() => tokensOf({ ...recipe, sources: recipe.sources.map((source: object) => ({ ...source, ids: 1e6 })) })).toThrow(
      /has \d+ tokens$/,
    );
  });

  const published = fileURLToPath(new URL(`../../../shared/vocabularies/vocab_${recipe.name}.repro.json`, import.meta.url));
  it.skipIf(!fs.existsSync(published))('equals the published list, decoded', () => {
    expect(tokens.map((token) => token.toString())).toEqual(JSON.parse(fs.readFileSync(published, 'utf8')));
  });
});

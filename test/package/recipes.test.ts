// The recipes of the built-in cartridges: what they are made from, and that what is built is what was recorded.

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { formsOf, readChecksums, readRecipes, readSource } from '../../scripts/cartridges.mjs';

const recipes = readRecipes().map(({ recipe }) => recipe);

it('every recipe has a checksum, and every checksum a recipe', () => {
  expect([...readChecksums().keys()].sort()).toEqual(recipes.flatMap(formsOf).map(({ file }) => file).sort());
});

describe.each(recipes)('$name', (recipe) => {
  it('was built to the bytes that were recorded', () => {
    for (const { file } of formsOf(recipe)) {
      const bytes = fs.readFileSync(fileURLToPath(new URL(`../../cartridges/${file}`, import.meta.url)));
      expect(createHash('sha256').update(bytes).digest('hex'), file).toBe(readChecksums().get(file));
    }
  });

  it('comes from the file that OpenAI publishes', () => {
    // As tiktoken checks them when it downloads them.
    const published: Record<string, string> = {
      r50k_base: '306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930',
      p50k_base: '94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069',
      cl100k_base: '223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7',
      o200k_base: '446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d',
    };
    expect(createHash('sha256').update(readSource(recipe)).digest('hex')).toBe(published[recipe.name]);
  });

  it('refuses another file', () => {
    const source = { ...recipe.source, sha256: recipe.source.sha256.replace(/^./, (digit: string) => (digit === '0' ? '1' : '0')) };
    expect(() => readSource({ ...recipe, source })).toThrow(/has sha256 [0-9a-f]{64}, the recipe wants/);
  });
});

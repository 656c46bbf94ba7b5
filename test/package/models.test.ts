// Cartridges of models, from the packages available here: the built ones match npm `tokenizers`, and the others explain
// why they are missing.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';
import { buildModels, MODELS, sourceOf } from '../../scripts/model-cartridges.mjs';

const require = createRequire(import.meta.url);

it('are built if they can be imported', { timeout: 120_000 }, async () => {
  const { built, refused } = await buildModels(['gpt2', 'mistral_nemo']);
  expect(built.map((file) => file.replace(/.*[\\/]/, ''))).toEqual(expect.arrayContaining(['gpt2.cray', 'gpt2.slim.cray']));
  for (const { name, why } of refused) expect(why, name).toMatch(/^cannot import .*tokenizer\.json: (?:normalizer|pre_tokenizer)\b.*: /);
  const { Tokenizer: HuggingFace } = require('tokenizers');
  const reference = HuggingFace.fromString(fs.readFileSync(sourceOf('gpt2'), 'utf8'));
  const text = fs.readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const expected = (await reference.encode(text, null, { addSpecialTokens: false })).getIds();
  for (const file of built.filter((each) => each.includes('gpt2'))) {
    using tokenizer = await Tokenizer.load(file);
    expect(tokenizer.name).toBe('gpt2');
    expect([...tokenizer.encode(text, { special: 'allow' })]).toEqual(expected);
  }
});

it('are listed', async () => {
  expect(Object.keys(MODELS)).toHaveLength(9);
  await expect(buildModels(['gpt5'])).rejects.toThrow(/no model 'gpt5' in cartridges\/models\.json; there are: gpt2, llama3,/);
});

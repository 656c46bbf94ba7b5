// Models without a tokenizer.json: a vocab.json with its merges.txt, or a vocab.txt; beside what Python's AutoTokenizer makes of the same folders
// (separate-files.py).

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer } from 'crayon-tokenizer';
import { AutoTokenizer, type PreTrainedTokenizer } from 'crayon-tokenizer/transformers';
import { CHARACTERS } from '../lib/small-file.js';

interface Case {
  files: Record<string, unknown>;
  first: string[];
  ids: number[][];
  bare: number[][];
  pair: number[];
  special: Record<string, string>;
}
const golden = JSON.parse(readFileSync(new URL('separate-files.json', import.meta.url), 'utf8'));
const { merges, texts, cases } = golden as { merges: string[]; texts: string[]; cases: Case[] };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-separate-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The path of the vocabulary, in a folder of its own. */
function written({ files, first }: Pick<Case, 'files' | 'first'>): string {
  const at = mkdtempSync(join(folder, 'm'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(at, name), JSON.stringify(content));
  if (first.includes('[UNK]')) {
    writeFileSync(join(at, 'vocab.txt'), `${first.join('\n')}\n`);
    return join(at, 'vocab.txt');
  }
  const tokens = new Set([...first, ...CHARACTERS, ...merges.map((merge) => merge.replace(' ', ''))]);
  writeFileSync(join(at, 'vocab.json'), JSON.stringify(Object.fromEntries([...tokens].map((token, id) => [token, id]))));
  writeFileSync(join(at, 'merges.txt'), `#version: 0.2\n${merges.join('\n')}\n`);
  return join(at, 'vocab.json');
}

describe.each(cases.map((each) => [JSON.stringify(each.files), each] as const))('%s', (_, expected) => {
  it('has the ids and the special tokens of AutoTokenizer', async () => {
    const tokenizer: PreTrainedTokenizer = await AutoTokenizer.from_pretrained(join(written(expected), '..'));
    texts.forEach((text, index) => {
      expect(tokenizer(text).input_ids, text).toEqual(expected.ids[index]);
      expect(tokenizer(text, { add_special_tokens: false }).input_ids, text).toEqual(expected.bare[index]);
    });
    expect(tokenizer('hello world', { text_pair: 'hello 12' }).input_ids).toEqual(expected.pair);
    for (const [role, token] of Object.entries(expected.special)) expect(Reflect.get(tokenizer, role), role).toBe(token);
  });

  it('is opened and compiled by its path', async () => {
    const path = written(expected);
    using opened = await Tokenizer.load(path);
    using compiled = await Tokenizer.load(await compileCartridge(path));
    texts.forEach((text, index) => {
      for (const tokenizer of [opened, compiled]) {
        expect([...tokenizer.encode(text, { special: 'allow', addSpecialTokens: true })], text).toEqual(expected.ids[index]);
      }
    });
    if (!('tokenizer_config.json' in expected.files)) return; // where no file names tokens, those around a text begin and end it
    const { bos_token, eos_token, pad_token, unk_token } = expected.special;
    const ids = [bos_token, eos_token, pad_token, unk_token].map((token) => (token === undefined ? undefined : opened.idOf(token)));
    for (const { bosTokenId, eosTokenId, padTokenId, unkTokenId } of [opened, compiled]) {
      expect([bosTokenId, eosTokenId, padTokenId, unkTokenId]).toEqual(ids);
    }
  });
});

it('goes by the tokens of GPT-2 and RoBERTa where no file names a class', async () => {
  for (const index of [1, 5]) {
    const { first, ids } = cases[index] as Case;
    using tokenizer = await Tokenizer.load(written({ files: {}, first }));
    expect([...tokenizer.encode(texts[0] as string, { addSpecialTokens: true })]).toEqual(ids[0]);
  }
});

it.each([
  [{}, 'no file beside it says how text is split'],
  [{ 'config.json': { model_type: 'clip' } }, 'its class or type, clip, does not say how text is split'],
  [{ 'tokenizer_config.json': { tokenizer_class: 'CLIPTokenizer' } }, 'its class or type, CLIPTokenizer, does not say'],
  [
    { 'tokenizer_config.json': { tokenizer_class: 'LlamaTokenizer' } },
    'does not say how text is split, as GPT2Tokenizer, RobertaTokenizer or Qwen2Tokenizer does; use the tokenizer.json of the model',
  ],
])('is refused where the class is not known: %j', async (files, message) => {
  await expect(Tokenizer.load(written({ files, first: [] }))).rejects.toThrow(message);
});

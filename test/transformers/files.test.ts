// What from_pretrained opens by path: a folder with a model's files, a tokenizer.json alone; and what it says of anything else.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AutoTokenizer, env } from 'crayon-tokenizer/transformers';

const FILE = {
  added_tokens: [{ id: 0, content: '<pad>', special: true, single_word: false, lstrip: false, rstrip: false, normalized: false }],
  model: { type: 'WordLevel', unk_token: '?', vocab: { '<pad>': 0, '?': 1, hello: 2, world: 3 } },
  pre_tokenizer: { type: 'Whitespace' },
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-transformers-'));
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(FILE));
  writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify({ padding_side: 'left', model_max_length: 4 }));
  mkdirSync(join(folder, 'empty'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['a folder', () => folder],
  ['the URL of a folder', () => pathToFileURL(folder)],
  ['the path of a tokenizer.json', () => join(folder, 'tokenizer.json')],
])('opens %s, with the configuration beside it', async (_, source) => {
  const tokenizer = await AutoTokenizer.from_pretrained(source());
  expect(tokenizer('hello world').input_ids).toEqual([2, 3]);
  expect([tokenizer.padding_side, tokenizer.model_max_length]).toEqual(['left', 4]);
});

it('opens the name of a model in env.localModelPath, and only a name', async () => {
  for (const path of [folder, `${folder}/`]) {
    env.localModelPath = path;
    for (const name of ['org/model.v1', 'model']) {
      mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, name, 'tokenizer.json'), JSON.stringify(FILE));
      expect((await AutoTokenizer.from_pretrained(name))('hello').input_ids).toEqual([2]);
      expect((await AutoTokenizer.from_pretrained(join(folder, name)))('world').input_ids).toEqual([3]);
    }
    for (const other of ['../no-such-model', './no-such-model', '.../x', 'a/b/c'])
      await expect(AutoTokenizer.from_pretrained(other), other).rejects.not.toThrow(folder);
  }
  env.localModelPath = 5 as never;
  await expect(AutoTokenizer.from_pretrained('model')).rejects.toThrow('env.localModelPath');
  env.localModelPath = undefined;
});

it.each([
  ['the name of a model', () => 'bert-base-uncased'],
  ['a folder without a tokenizer.json', () => join(folder, 'empty')],
])('%s is refused: nothing is downloaded', async (_, source) => {
  await expect(AutoTokenizer.from_pretrained(source())).rejects.toMatchObject({
    code: 'FILE_NOT_FOUND',
    message: expect.stringMatching(
      /Nothing is downloaded: pass a folder with the model's tokenizer\.json, or the path of that file; set env\.localModelPath for names$/,
    ),
  });
});

it.each([
  [
    '{ "pad_token": ',
    'cannot read tokenizer_config.json: it is not JSON: it ends at byte 15, before it is complete; was it downloaded or written to its end?',
    15,
  ],
  ['{"é": 1,}', 'cannot read tokenizer_config.json: it is not JSON: "}" is not expected at byte 9', 9],
  ['<html>', 'cannot read tokenizer_config.json: it is not JSON: "<" is not expected at byte 0', 0],
  ['[]', 'cannot read tokenizer_config.json: it is not an object in JSON; pass the file of this name that the model comes with', 0],
])('says where a tokenizer_config.json is broken: %s', async (text, message, position) => {
  const broken = { 'tokenizer.json': FILE, 'tokenizer_config.json': text };
  await expect(AutoTokenizer.from_pretrained(broken)).rejects.toMatchObject({ name: 'TokenizerError', message, position });
});

it('has what programs of transformers.js read of the configuration', async () => {
  const config = {
    add_bos_token: true,
    image_token: '<image>',
    chat_template: [
      { name: 'default', template: 'a' },
      { name: 'rag', template: 'b' },
    ],
  };
  const tokenizer = await AutoTokenizer.from_pretrained({ 'tokenizer.json': FILE, 'tokenizer_config.json': config });
  expect([tokenizer.add_bos_token, tokenizer.add_eos_token, tokenizer.config.image_token]).toEqual([true, undefined, '<image>']);
  expect(tokenizer.chat_template).toEqual({ default: 'a', rag: 'b' });
  const other = await AutoTokenizer.from_pretrained({ 'tokenizer.json': FILE, 'chat_template.jinja': 'c' });
  expect([other.chat_template, other.config]).toEqual(['c', {}]);
  expect((await AutoTokenizer.from_pretrained({ 'tokenizer.json': FILE })).chat_template).toBeNull();
});

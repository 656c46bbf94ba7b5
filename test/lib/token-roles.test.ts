// bosTokenId and the like: from the files beside a tokenizer.json, else from the file itself.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer, trainBpe } from 'crayon-tokenizer';

let folder: string;
let json: any;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-roles-'));
  process.env.CRAYON_CACHE_DIR = join(folder, 'cache');
  json = (await trainBpe('low lower lowest', { vocabularySize: 264, specialTokens: ['<s>', '</s>', '<pad>', '<unk>'] })).toTokenizerJson();
});
afterAll(() => rmSync(folder, { recursive: true }));

const rolesOf = ({ bosTokenId: bos, eosTokenId: eos, padTokenId: pad, unkTokenId: unk }: Tokenizer) => ({ bos, eos, pad, unk });
const NONE = { bos: undefined, eos: undefined, pad: undefined, unk: undefined };

/** The roles in the file with some changes, and with these files beside it. */
async function loaded(changes: object, files: Record<string, object> = {}) {
  const model = mkdtempSync(join(folder, 'model-'));
  const path = join(model, 'tokenizer.json');
  writeFileSync(path, JSON.stringify({ ...json, ...changes }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(model, name), JSON.stringify(content));
  using tokenizer = await Tokenizer.load(path);
  using again = await Tokenizer.load(path); // from the cache
  using compiled = await Tokenizer.load(await compileCartridge(path, { slim: true }));
  expect(rolesOf(again)).toEqual(rolesOf(tokenizer));
  expect(rolesOf(compiled)).toEqual(rolesOf(tokenizer));
  return rolesOf(tokenizer);
}

const id = (text: string) => json.added_tokens.find(({ content }: { content: string }) => content === text).id as number;
const piece = (name: string | null) => (name === null ? { Sequence: { id: 'A', type_id: 0 } } : { SpecialToken: { id: name, type_id: 0 } });
const around = (...names: (string | null)[]) => ({
  post_processor: {
    type: 'TemplateProcessing',
    single: names.map(piece),
    pair: [],
    special_tokens: Object.fromEntries(
      names.filter((name) => name !== null).map((name) => [name, { id: name, ids: [id(name)], tokens: [name] }]),
    ),
  },
});

describe('the tokens with a role', () => {
  it('come from tokenizer_config.json, as texts or objects, then from special_tokens_map.json', async () => {
    const config = { bos_token: '<s>', eos_token: { content: '</s>', lstrip: false }, pad_token: null };
    expect(await loaded({}, { 'tokenizer_config.json': config })).toEqual({ ...NONE, bos: id('<s>'), eos: id('</s>') });
    const map = { bos_token: '</s>', pad_token: '<pad>', unk_token: { content: '<unk>' } };
    expect(await loaded({}, { 'tokenizer_config.json': config, 'special_tokens_map.json': map })).toEqual({
      bos: id('<s>'),
      eos: id('</s>'),
      pad: undefined,
      unk: id('<unk>'),
    });
    expect(await loaded({}, { 'special_tokens_map.json': map })).toEqual({
      bos: id('</s>'),
      eos: undefined,
      pad: id('<pad>'),
      unk: id('<unk>'),
    });
  });

  it('ignore a text that is not a token', async () => {
    expect(await loaded({}, { 'tokenizer_config.json': { bos_token: '<none>', eos_token: '' } })).toEqual(NONE);
  });

  it('may be tokens of the model instead of added ones', async () => {
    expect(await loaded({}, { 'tokenizer_config.json': { eos_token: 'l' } })).toMatchObject({ eos: json.model.vocab.l });
  });

  it('without these files are the single ids before and after a text, and a token that is called <pad> or [PAD]', async () => {
    expect(await loaded({ post_processor: null })).toEqual({ ...NONE, pad: id('<pad>') });
    expect(await loaded(around('<s>', null, '</s>'))).toEqual({ ...NONE, pad: id('<pad>'), bos: id('<s>'), eos: id('</s>') });
    expect(await loaded(around('<s>', '<pad>', null))).toEqual({ ...NONE, pad: id('<pad>') });
    expect(await loaded({ model: { ...json.model, unk_token: '<unk>' } })).toEqual({ ...NONE, pad: id('<pad>'), unk: id('<unk>') });
    expect(await loaded(around('<s>', null, '</s>'), { 'tokenizer_config.json': { model_max_length: 512 } })).toEqual(NONE);
  });

  it('come from the option, which replaces the files', async () => {
    using tokenizer = await Tokenizer.load(Buffer.from(JSON.stringify(json)), { tokenizerConfig: { pad_token: '<pad>' } });
    expect(rolesOf(tokenizer)).toEqual({ ...NONE, pad: id('<pad>') });
    expect(tokenizer.metadata.roles).toEqual({ pad: id('<pad>') });
  });

  it('have their own names in a tekken.json', async () => {
    const vocab = Array.from({ length: 256 }, (_, rank) => ({ rank, token_bytes: Buffer.of(rank).toString('base64') }));
    const tekken = { config: { pattern: 'a+|b', default_vocab_size: 276, default_num_special_tokens: 20, version: 'v3' }, vocab };
    using tokenizer = await Tokenizer.load(Buffer.from(JSON.stringify(tekken)));
    expect(rolesOf(tokenizer)).toEqual({ bos: 1, eos: 2, pad: 11, unk: 0 });
  });

  it("are <|endoftext|> in OpenAI's encodings, and the unknown id for longest match", async () => {
    for (const name of ['gpt2', 'r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base', 'o200k_harmony']) {
      using tokenizer = await Tokenizer.load(name);
      expect(rolesOf(tokenizer), name).toEqual({ ...NONE, eos: tokenizer.specialTokens.get('<|endoftext|>') });
    }
    using tokenizer = await Tokenizer.load(await compileCartridge(['a', 'b', '<unk>']));
    expect(rolesOf(tokenizer)).toEqual({ ...NONE, unk: 2 });
  });

  it('are undefined if the metadata has another type', async () => {
    using tokenizer = await Tokenizer.load(Buffer.from(JSON.stringify(json)));
    expect(rolesOf(tokenizer)).toEqual({ ...NONE, pad: id('<pad>') });
    tokenizer.close();
    expect(() => tokenizer.bosTokenId).toThrow(/closed/);
  });
});

describe('the stack of an error', () => {
  const bad = Buffer.from('{"model":{"type":"BPE","vocab":{}},"added_tokens":[]}');
  const cases: [string, () => Promise<unknown>][] = [
    ['bytes', async () => Tokenizer.load(bad)],
    ['a large file, by its path', async () => Tokenizer.load(join(folder, 'bad.json'))],
    ['what is no JSON', async () => Tokenizer.load(Buffer.from('{"a":'))],
    ['a Blob', async () => Tokenizer.load(new Blob([bad]))],
    ['a missing file', async () => Tokenizer.load(join(folder, 'none.json'))],
    ['compileCartridge', async () => compileCartridge(bad)],
    ['loadSync', async () => Tokenizer.loadSync(bad)],
  ];
  it.each(cases)("begins at the caller's line: %s", async (_, open) => {
    writeFileSync(join(folder, 'bad.json'), bad.toString().padEnd(100_000));
    async function caller() {
      await open();
    }
    const error: Error = await caller().then(
      () => expect.fail('it was opened'),
      (error: unknown) => error as Error,
    );
    const [first, second] = error.stack!.split('\n').filter((line) => line.startsWith('    at '));
    expect(first).toContain('token-roles.test.ts');
    expect(`${first}\n${second}`).toContain('caller');
  });
});

// Calls beside Python's transformers: golden.py made the expectations.

import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { compileCartridge } from 'crayon-tokenizer';
import { AutoTokenizer, type CallOptions, type DecodeOptions, type PreTrainedTokenizer } from 'crayon-tokenizer/transformers';

interface Golden {
  configs: Record<string, Record<string, unknown>>;
  calls: {
    model: string;
    text: string | string[];
    pair?: string | string[];
    options: CallOptions;
    expected?: Record<string, unknown>;
    /** Of each row. */
    words?: (number | null)[][];
    sequences?: (number | null)[][];
    error?: string;
  }[];
  decoded: { model: string; ids: number[]; options: DecodeOptions; text: string }[];
  template: string;
  chats: { messages: Record<string, unknown>[]; options: Record<string, unknown>; text: string; encoded: Record<string, number[]> }[];
  tokenized: { model: string; text: string; pair?: string; tokens: string[] }[];
  /** Classes of tokenizers, and whether they return the types of tokens. */
  classes: Record<string, boolean>;
}

const golden: Golden = JSON.parse(fs.readFileSync(new URL('golden.json', import.meta.url), 'utf8'));
const models = Object.keys(golden.configs);
const tokenizers = new Map<string, PreTrainedTokenizer>();

beforeAll(async () => {
  for (const name of models) {
    const file = fileURLToPath(new URL(`../models/${name}.tokenizer.json`, import.meta.url));
    const files = { 'tokenizer.json': fs.readFileSync(file), 'tokenizer_config.json': golden.configs[name]! };
    tokenizers.set(name, await AutoTokenizer.from_pretrained(files));
  }
});

describe.each(models)('%s', (model) => {
  const calls = golden.calls.filter((each) => each.model === model);

  it('returns what Python returns for random texts and options', () => {
    const tokenizer = tokenizers.get(model)!;
    const good = calls.filter(({ expected }) => expected);
    expect(good.length).toBeGreaterThan(30);
    for (const { text, pair, options, expected } of good) {
      expect(tokenizer(text, { ...options, text_pair: pair }), JSON.stringify({ text, pair, options })).toEqual(expected);
    }
  });

  it('tells the words and texts of tokens as Python does', () => {
    const tokenizer = tokenizers.get(model)!;
    for (const { text, pair, options, words, sequences } of calls) {
      if (!words) continue;
      const encoded = tokenizer(text, { ...options, text_pair: pair });
      const shown = JSON.stringify({ text, pair, options });
      expect(
        words.map((_, index) => encoded.word_ids(index)),
        shown,
      ).toEqual(words);
      expect(
        words.map((_, index) => encoded.sequence_ids(index)),
        shown,
      ).toEqual(sequences);
      expect(() => encoded.word_ids(words.length)).toThrow(`\`batch_index\` must be below ${words.length}`);
    }
  });

  it('answers the same from a cartridge', async () => {
    const cartridge = await compileCartridge(fs.readFileSync(new URL(`../models/${model}.tokenizer.json`, import.meta.url)));
    const files = { 'tokenizer.cray': cartridge, 'tokenizer_config.json': golden.configs[model]! };
    const tokenizer = await AutoTokenizer.from_pretrained(files);
    for (const { text, pair, options, expected } of calls) {
      if (expected) expect(tokenizer(text, { ...options, text_pair: pair }), JSON.stringify({ text, pair, options })).toEqual(expected);
    }
    for (const { text, pair, tokens } of golden.tokenized.filter((each) => each.model === model)) {
      expect(tokenizer.tokenize(text, { pair, add_special_tokens: pair !== undefined }), text).toEqual(tokens);
    }
    for (const { ids, options, text } of golden.decoded.filter((each) => each.model === model)) {
      // A cartridge does not say that a special token was written otherwise.
      if (!(options.skip_special_tokens && text.includes('</s>'))) expect(tokenizer.decode(ids, options), JSON.stringify(ids)).toBe(text);
    }
    const tokensOf = (each: PreTrainedTokenizer) => each.convert_ids_to_tokens([...each.get_vocab().values()].sort((a, b) => a - b));
    expect(tokensOf(tokenizer)).toEqual(tokensOf(tokenizers.get(model)!));
  });

  it('refuses what Python refuses', () => {
    const tokenizer = tokenizers.get(model)!;
    const bad = calls.filter(({ error }) => error);
    expect(bad.length).toBeGreaterThan(0);
    for (const { text, pair, options } of bad) {
      expect(() => tokenizer(text, { ...options, text_pair: pair }), JSON.stringify({ text, pair, options })).toThrow(
        /^(?:cannot truncate only|`\w+` must|truncation that cuts|the maximum length must|expected )/,
      );
    }
  });

  it('decodes as Python does', () => {
    const cases = golden.decoded.filter((each) => each.model === model);
    for (const { ids, options, text } of cases)
      expect(tokenizers.get(model)!.decode(ids, options), JSON.stringify({ ids, options })).toBe(text);
    expect(tokenizers.get(model)!.batch_decode(cases.map(({ ids }) => ids))).toEqual(
      cases.map(({ ids }) => tokenizers.get(model)!.decode(ids)),
    );
  });

  it('spells tokens as Python does', () => {
    for (const { text, pair, tokens } of golden.tokenized.filter((each) => each.model === model)) {
      const made = tokenizers.get(model)!.tokenize(text, { pair, add_special_tokens: pair !== undefined });
      expect(made, JSON.stringify({ text, pair })).toEqual(tokens);
    }
  });
});

it('returns the types of tokens by default for the classes that Python returns them for', async () => {
  const file = fs.readFileSync(new URL('../models/bert.tokenizer.json', import.meta.url));
  const { model_input_names: _, ...config } = golden.configs.bert!;
  const returned: Record<string, boolean> = {};
  for (const tokenizer_class of Object.keys(golden.classes)) {
    const tokenizer = await AutoTokenizer.from_pretrained({
      'tokenizer.json': file,
      'tokenizer_config.json': { ...config, tokenizer_class },
    });
    returned[tokenizer_class] = 'token_type_ids' in tokenizer('hello');
  }
  expect(Object.keys(returned).length).toBeGreaterThan(100);
  expect(returned).toEqual(golden.classes);
});

describe('apply_chat_template', () => {
  const open = (options: object) => {
    const file = fileURLToPath(new URL('../models/bert.tokenizer.json', import.meta.url));
    const files = { 'tokenizer.json': fs.readFileSync(file), 'tokenizer_config.json': golden.configs.bert! };
    return AutoTokenizer.from_pretrained(files, options);
  };

  it('renders and encodes as Python does', async () => {
    const tokenizer = await open({ chat_template: golden.template });
    expect(golden.chats.length).toBeGreaterThan(5);
    for (const { messages, options, text, encoded } of golden.chats) {
      expect(tokenizer.apply_chat_template(messages, { ...options, tokenize: false })).toBe(text);
      const fitted = { ...options, truncation: true, max_length: 40, padding: 'max_length' } as const;
      expect(tokenizer.apply_chat_template(messages, fitted)).toEqual(encoded);
      expect(tokenizer.apply_chat_template(messages, { ...fitted, return_dict: false })).toEqual(encoded.input_ids);
    }
  });

  it('renders several chats', async () => {
    const tokenizer = await open({ chat_template: golden.template });
    const [one, other] = golden.chats;
    const both = tokenizer.apply_chat_template([one!.messages, other!.messages], { tokenize: false });
    expect(both).toEqual([one!.text, tokenizer.apply_chat_template(other!.messages, { tokenize: false })]);
  });

  it('says that the model has no template', async () => {
    const tokenizer = await open({});
    expect(() => tokenizer.apply_chat_template([{ role: 'user', content: 'hello' }])).toThrow('the model has no chat template');
  });
});

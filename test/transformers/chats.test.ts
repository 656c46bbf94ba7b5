// Chats with sanitize_control_tokens and return_assistant_tokens_mask, beside Python (chats.json, which chats.py makes).

import fs from 'node:fs';

import { expect, it } from 'vitest';
import { AutoTokenizer, type PreTrainedTokenizer } from 'crayon-tokenizer/transformers';

interface Golden {
  words: Record<string, unknown>;
  configs: Record<string, Record<string, unknown>>;
  templates: string[];
  cases: {
    model: string;
    template: number;
    messages: any[];
    options: Record<string, unknown>;
    expected?: Record<string, unknown>;
    error?: string;
  }[];
}

const golden: Golden = JSON.parse(fs.readFileSync(new URL('chats.json', import.meta.url), 'utf8'));

function open(model: string): Promise<PreTrainedTokenizer> {
  const isOwn = model === 'words' || model === 'listed';
  const file = isOwn ? golden.words : fs.readFileSync(new URL(`../models/${model}.tokenizer.json`, import.meta.url));
  return AutoTokenizer.from_pretrained({ 'tokenizer.json': file, 'tokenizer_config.json': golden.configs[model]! });
}

it.each(Object.keys(golden.configs))('%s: ids, masks and errors are those of Python', async (model) => {
  const tokenizer = await open(model);
  const cases = golden.cases.filter((each) => each.model === model);
  expect(cases.filter(({ expected }) => expected).length).toBeGreaterThan(50);
  for (const { template, messages, options, expected, error } of cases) {
    const asked = { ...options, chat_template: golden.templates[template]! };
    const what = JSON.stringify({ model, template, messages, options });
    if (error)
      expect(() => tokenizer.apply_chat_template(messages, asked), `${what} ${error}`).toThrow(
        /^sanitize_control_tokens cannot make text of/,
      );
    else
      expect(
        { ...tokenizer.apply_chat_template(messages, { ...asked, tokenizer_kwargs: { return_token_type_ids: false } }) },
        what,
      ).toEqual(expected);
  }
});

it('refuses what does not go together', async () => {
  const tokenizer = await open('words');
  const chat = [{ role: 'user', content: 'x' }];
  const refuses = (options: Record<string, unknown>, message: string) => {
    expect(() => tokenizer.apply_chat_template(chat, { chat_template: golden.templates[0]!, ...options })).toThrow(message);
  };
  refuses({ sanitize_control_tokens: true, tokenize: false }, 'goes with neither tokenize: false');
  refuses({ sanitize_control_tokens: true, tokenizer_kwargs: { return_offsets_mapping: true } }, 'return_offsets_mapping');
  for (const other of [{ tokenize: false }, { return_dict: false }, { sanitize_control_tokens: true }, { continue_final_message: true }]) {
    refuses({ return_assistant_tokens_mask: true, ...other }, 'return_assistant_tokens_mask goes with none of');
  }
  // JSON text could have control tokens behind escapes.
  refuses({ tools: '[{"name": "\\u003cend>"}]' }, 'expected an array of objects for tools but received');
  const sanitized = tokenizer.apply_chat_template(chat, { chat_template: golden.templates[0]!, sanitize_control_tokens: true });
  expect(() => sanitized.word_ids()).toThrow('sanitize_control_tokens');
});

it('options that no template mentions throw by name; other variables pass', async () => {
  const tokenizer = await open('words');
  const chat = [{ role: 'user', content: 'x' }];
  const call = (options: Record<string, unknown>, chat_template = '{{ messages[0].content }}') =>
    tokenizer.apply_chat_template(chat, { chat_template, tokenize: false, ...options });
  for (const [name, message] of [
    ['return_tensors', "unknown option 'return_tensors': pass your class of tensors"],
    ['return_attention_mask', "unknown option 'return_attention_mask': pass it in tokenizer_kwargs"],
    ['add_generation_promt', "unknown option 'add_generation_promt'; did you mean 'add_generation_prompt'?"],
    ['sanitize_control_token', "unknown option 'sanitize_control_token'; did you mean 'sanitize_control_tokens'?"],
    ['return_assistant_token_mask', "did you mean 'return_assistant_tokens_mask'?"],
    ['addGenerationPrompt', "did you mean 'add_generation_prompt'?"],
  ] as const) {
    expect(() => call({ [name]: true })).toThrow(message);
    expect(call({ [name]: true }, `{{ ${name} }}`)).toBe('True');
  }
  // What published templates read, and programs pass to every template.
  for (const name of [
    'enable_thinking',
    'thinking',
    'reasoning_effort',
    'tools_in_user_message',
    'custom_tools',
    'xml_tools',
    'date_string',
    'add_vision_id',
    'builtin_tools',
    'strftime_now',
    'model_identity',
    'preserve_thinking',
    'future_final_message',
  ]) {
    expect(call({ [name]: true }), name).toBe('x');
  }
});

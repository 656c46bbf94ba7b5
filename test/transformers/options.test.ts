// Options that do not exist: an unnoticed typing mistake would leave the default in force.

import { beforeAll, expect, it } from 'vitest';
import { AutoTokenizer, type PreTrainedTokenizer } from 'crayon-tokenizer/transformers';

const MODEL = { type: 'WordLevel', unk_token: '?', vocab: { '?': 0, hello: 1, world: 2 } };
const FILE = { model: MODEL, pre_tokenizer: { type: 'Whitespace' } };

let tokenizer: PreTrainedTokenizer;
beforeAll(async () => {
  tokenizer = await AutoTokenizer.from_pretrained({ 'tokenizer.json': FILE }, { chat_template: '{{ messages[0].content }}{{ end }}' });
});

const CALLS: [call: string, option: string, near: string, make: (options: any) => unknown][] = [
  ['a call', 'paddding', 'padding', (options) => tokenizer('hello', options)],
  ['a call', 'return_tensors', 'from_pretrained(source, { Tensor })', (options) => tokenizer('hello', options)],
  ['a call', 'is_split_into_words', 'one string', (options) => tokenizer('hello', options)],
  ['encode', 'add_special_token', 'add_special_tokens', (options) => tokenizer.encode('hello', options)],
  ['tokenize', 'pairs', 'pair', (options) => tokenizer.tokenize('hello', options)],
  ['decode', 'skip_special_token', 'skip_special_tokens', (options) => tokenizer.decode([1], options)],
  ['batch_decode', 'skipSpecialTokens', 'skip_special_tokens', (options) => tokenizer.batch_decode([[1]], options)],
  [
    'apply_chat_template',
    'max_lenght',
    'max_length',
    (tokenizer_kwargs) => tokenizer.apply_chat_template([{ role: 'user', content: 'hello' }], { tokenizer_kwargs }),
  ],
];

it.each(CALLS)('%s refuses the option %s and names %s', (_, option, near, make) => {
  expect(() => make({ [option]: true })).toThrow(TypeError);
  expect(() => make({ [option]: true })).toThrow(`unknown option '${option}'`);
  expect(() => make({ [option]: true })).toThrow(near);
});

it('from_pretrained refuses them, too, and takes what transformers.js has for downloads', async () => {
  const open = (options: any) => AutoTokenizer.from_pretrained({ 'tokenizer.json': FILE }, options);
  await expect(open({ tensor: Array })).rejects.toThrow("unknown option 'tensor'; did you mean 'Tensor'?");
  const downloads = { progress_callback: () => undefined, config: null, cache_dir: null, local_files_only: true, revision: 'main' };
  expect((await open(downloads))('hello').input_ids).toEqual([1]);
});

it('options of apply_chat_template that it does not know are variables of the template', () => {
  expect(tokenizer.apply_chat_template([{ role: 'user', content: 'hello' }], { tokenize: false, end: ' world' })).toBe('hello world');
});

it('takes null for the options that transformers.js documents', () => {
  const options = {
    text_pair: null,
    truncation: null,
    max_length: null,
    return_token_type_ids: null,
    padding: false,
    add_special_tokens: true,
  };
  expect(tokenizer('hello world', options).input_ids).toEqual([1, 2]);
});

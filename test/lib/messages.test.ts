// countMessages: the totals printed in OpenAI's notebook for its examples, the same rules written naively and counted with
// npm tiktoken, and input that no rule covers.

import { encoding_for_model } from 'tiktoken';
import { afterAll, describe, expect, it } from 'vitest';
import { type ChatMessage, type ChatTool, Tokenizer } from 'crayon-tokenizer';
import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';

const SEED = 20261121;
const open = new Map<string, Tokenizer>();
for (const name of ['gpt-3.5-turbo', 'gpt-4o', 'cl100k_base']) open.set(name, await Tokenizer.load(name));
afterAll(() => open.forEach((tokenizer) => tokenizer.close()));
const cl100k = open.get('cl100k_base') as Tokenizer;
const gpt4o = open.get('gpt-4o') as Tokenizer;

/** The tokenizer of a model. */
const of = (model: string) => (model.includes('4o') ? gpt4o : cl100k);
const wrong = (value: unknown): any => value;

// OpenAI Cookbook, "How to count tokens with tiktoken", sections 6 and 7: the examples, and the totals printed below them.
const JARGON: ChatMessage[] = [
  { role: 'system', content: 'You are a helpful, pattern-following assistant that translates corporate jargon into plain English.' },
  { role: 'system', name: 'example_user', content: 'New synergies will help drive top-line growth.' },
  { role: 'system', name: 'example_assistant', content: 'Things working well together will increase revenue.' },
  {
    role: 'system',
    name: 'example_user',
    content: "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
  },
  { role: 'system', name: 'example_assistant', content: "Let's talk later when we're less busy about how to do better." },
  { role: 'user', content: "This late pivot means we don't have time to boil the ocean for the client deliverable." },
];
const WEATHER: ChatMessage[] = [
  { role: 'system', content: 'You are a helpful assistant that can answer to questions about the weather.' },
  { role: 'user', content: "What's the weather like in San Francisco?" },
];
const WEATHER_TOOLS = [
  {
    type: 'function',
    function: {
      name: 'get_current_weather',
      description: 'Get the current weather in a given location',
      parameters: {
        type: 'object',
        properties: {
          location: { type: 'string', description: 'The city and state, e.g. San Francisco, CA' },
          unit: { type: 'string', description: 'The unit of temperature to return', enum: ['celsius', 'fahrenheit'] },
        },
        required: ['location'],
      },
    },
  },
];

describe('the published examples', () => {
  it.each([
    ['gpt-3.5-turbo', 129],
    ['gpt-3.5-turbo-0301', 127],
    ['gpt-3.5-turbo-0613', 129],
    ['gpt-4-0314', 129],
    ['gpt-4-0613', 129],
    ['gpt-4', 129],
    ['gpt-4o', 124],
    ['gpt-4o-mini', 124],
  ])('have the printed number of tokens for %s: %i', (model, total) => {
    expect(of(model).countMessages(JARGON, { model })).toBe(total);
  });

  it.each([
    ['gpt-3.5-turbo', 105],
    ['gpt-4', 105],
    ['gpt-4o', 101],
    ['gpt-4o-mini', 101],
  ])('with tools, too, for %s: %i', (model, total) => {
    expect(of(model).countMessages(WEATHER, { model, tools: WEATHER_TOOLS })).toBe(total);
    expect(of(model).countMessages(WEATHER, { model, functions: [WEATHER_TOOLS[0]!.function] })).toBe(total);
  });
});

describe('generated chats', () => {
  const encodings = { cl100k: encoding_for_model('gpt-4'), o200k: encoding_for_model('gpt-4o') };
  afterAll(() => Object.values(encodings).forEach((encoding) => encoding.free()));

  /** The rules again, as plainly as possible. */
  function naive(model: string, messages: ChatMessage[], functions: any[]): number {
    const encoding = model.startsWith('gpt-4o') ? encodings.o200k : encodings.cl100k;
    const tokens = (text: string) => encoding.encode(text, [], []).length;
    const old = model === 'gpt-3.5-turbo-0301';
    let sum = 3;
    for (const { role, content, name } of messages) {
      sum += old ? 4 : 3;
      sum += tokens(role);
      if (typeof content === 'string') sum += tokens(content);
      else for (const part of content ?? []) sum += tokens(part.text as string);
      if (name !== undefined) sum += tokens(name) + (old ? -1 : 1);
    }
    for (const { name, description, parameters } of functions) {
      sum += model.startsWith('gpt-4o') ? 7 : 10;
      sum += tokens(`${name}:${description.replace(/\.$/, '')}`);
      const properties: [string, any][] = Object.entries(parameters?.properties ?? {});
      if (properties.length > 0) sum += 3;
      for (const [key, property] of properties) {
        sum += 3;
        if (property.enum) sum += -3;
        for (const item of property.enum ?? []) sum += 3 + tokens(item);
        sum += tokens(`${key}:${property.type}:${property.description.replace(/\.$/, '')}`);
      }
    }
    if (functions.length > 0) sum += 12;
    return sum;
  }

  it('have as many tokens as the rules say', () => {
    for (let index = 0; index < 150; index++) {
      const random = new Random(SEED, index);
      let part = 0;
      const text = () => nastyString(SEED, index * 100 + part++).slice(0, 60);
      const list = <T>(longest: number, make: () => T) => Array.from({ length: random.integer(0, longest) }, make);
      const optional = <T>(key: string, value: T) => (random.chance(0.5) ? { [key]: value } : {});
      const sentence = () => text() + random.pick(['', '.', '..']);
      const messages: ChatMessage[] = list(5, () => ({
        role: random.pick(['system', 'developer', 'user', 'assistant']),
        content: random.pick([text(), null, undefined, list(3, () => ({ type: 'text', text: text() }))]),
        ...optional('name', text()),
      }));
      const property = () => ({ type: 'string', description: sentence(), ...optional('enum', list(3, text)) });
      const tools: ChatTool[] = list(3, () => ({
        type: 'function',
        function: {
          name: text(),
          description: sentence(),
          ...optional('parameters', { type: 'object', properties: Object.fromEntries(list(3, () => [`p${text()}`, property()])) }),
        },
      }));
      const model = random.pick(['gpt-3.5-turbo', 'gpt-4', 'gpt-4o', 'gpt-4o-mini-2024-07-18']);
      const plain = random.pick([model, 'gpt-3.5-turbo-0301', 'gpt-4-turbo', 'gpt-4o-2024-11-20']);
      expect(of(plain).countMessages(messages, { model: plain }), `index ${index}`).toBe(naive(plain, messages, []));
      const functions = tools.map((tool) => tool.function);
      expect(of(model).countMessages(messages, { model, tools }), `index ${index}`).toBe(naive(model, messages, functions));
    }
  });
});

describe('the model', () => {
  const hello = [{ role: 'user', content: 'hello world' }];

  it('is the one the tokenizer was loaded for', () => {
    expect(gpt4o.countMessages(hello)).toBe(9);
    expect(open.get('gpt-3.5-turbo')?.countMessages([{ ...hello[0]!, name: 'me' }])).toBe(11);
    expect(gpt4o.countMessages([])).toBe(3);
  });

  it('changes with a swap', async () => {
    using tokenizer = await Tokenizer.load('gpt-4o');
    await tokenizer.swap('gpt-3.5-turbo-0301');
    expect(tokenizer.countMessages(hello)).toBe(10);
    await tokenizer.swap('cl100k_base');
    expect(() => tokenizer.countMessages(hello)).toThrow('for model but received undefined');
  });

  it('must be named in all other cases', () => {
    expect(() => cl100k.countMessages(hello)).toThrow(TypeError);
    expect(() => cl100k.countMessages(hello)).toThrow('expected the name of a chat model for model but received undefined');
  });

  const RULED = `gpt-4o-2024-05-13 chatgpt-4o-latest ft:gpt-4o-mini-2024-07-18:acme::abc
    gpt-4-32k gpt-4-1106-preview gpt-35-turbo-16k ft:gpt-3.5-turbo:acme`;
  it.each(RULED.split(/\s+/))('%s has a rule', (model) => {
    expect(of(model).countMessages(hello, { model })).toBe(9);
  });

  const MODEL =
    'a model with a published rule for counting messages (gpt-3.5-turbo, gpt-4, gpt-4-turbo, gpt-4o, gpt-4o-mini ' + 'and their snapshots)';
  const UNRULED = `gpt-5 gpt-5-mini gpt-5.6-sol o1 o3-mini o4-mini gpt-4.1 gpt-4.5-preview gpt-4o-audio-preview gpt-oss-20b
    ft:gpt-4.1-2025-04-14:acme gpt-4o-search-preview codex-mini-latest`;
  it.each(UNRULED.split(/\s+/))('%s has no published rule, and can be estimated', (model) => {
    const rule = model.startsWith('gpt-oss') ? MODEL.replace(')', '; countChat counts chats of gpt-oss)') : MODEL;
    for (const tokenizer of [cl100k, gpt4o]) {
      expect(() => tokenizer.countMessages(hello, { model })).toThrow(RangeError);
      expect(() => tokenizer.countMessages(hello, { model })).toThrow(
        `\`model\` must be ${rule}, unless you set \`estimate: true\`; received ${JSON.stringify(model)}`,
      );
    }
  });

  const NO_CHAT = `gpt-3.5-turbo-instruct text-embedding-3-small davinci davinci-002 gpt2 cl100k_base constructor claude
    gpt-4o-realtime-preview gpt-4o-transcribe gpt-4o-mini-tts text-davinci-003 ft:davinci-002:acme`;
  it.each(['', ...NO_CHAT.split(/\s+/)])('%j takes no chat', (model) => {
    for (const tokenizer of [cl100k, gpt4o]) {
      for (const estimate of [false, true]) {
        expect(() => tokenizer.countMessages(hello, { model, estimate })).toThrow(RangeError);
        expect(() => tokenizer.countMessages(hello, { model, estimate })).toThrow(
          `expected ${MODEL} for model but received ${JSON.stringify(model)}`,
        );
      }
    }
  });

  it('must match the tokenizer', () => {
    expect(() => gpt4o.countMessages(hello, { model: 'gpt-4' })).toThrow(
      new RangeError('expected a model that uses o200k_base for model but received "gpt-4"'),
    );
    expect(() => cl100k.countMessages(hello, { model: 'gpt-4o' })).toThrow(RangeError);
  });

  it.each(['gpt-4-turbo', 'gpt-3.5-turbo-0301', 'gpt-4o-2024-11-20'])('%s has no published rule for tools', (model) => {
    expect(() => of(model).countMessages(WEATHER, { model, tools: WEATHER_TOOLS })).toThrow(RangeError);
    expect(() => of(model).countMessages(WEATHER, { model, tools: WEATHER_TOOLS })).toThrow('a published rule for counting tools');
    expect(of(model).countMessages(WEATHER, { model, tools: [] })).toBeGreaterThan(20);
  });
});

describe('an invalid chat', () => {
  const say = (message: object) => ({ messages: [{ role: 'user', content: 'hi' }, message], options: {} });
  const offer = (definition: object) => ({ messages: [], options: { functions: [{ name: 'f', description: 'd', ...definition }] } });
  const property = (schema: unknown) => offer({ parameters: { type: 'object', properties: { p: schema } } });
  const image = (detail?: string) => ({ type: 'image_url', image_url: { url: 'https://example.org/a.png', detail } });
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
  it.each([
    ['no list of messages', { messages: 'hi', options: {} }, TypeError, 'expected an array for messages but received "hi"'],
    ['no message', { messages: [null], options: {} }, TypeError, 'expected an object for messages[0] but received null'],
    ['no options', { messages: [], options: 'gpt-4' }, TypeError, 'expected an object for options but received "gpt-4"'],
    ['no role', say({ content: 'hi' }), TypeError, 'expected a string for messages[1].role but received undefined'],
    ['a name that is no string', say({ role: 'user', name: 5 }), TypeError, 'expected a string for messages[1].name but received 5'],
    [
      'content of another kind',
      say({ role: 'user', content: 5 }),
      TypeError,
      'expected a string or a list of parts for messages[1].content but received 5',
    ],
    [
      'a part without text',
      say({ role: 'user', content: [{ type: 'text' }] }),
      TypeError,
      'expected a string for messages[1].content[0].text but received undefined',
    ],
    [
      'an image of detail unknown',
      say({ role: 'user', content: [{ type: 'text', text: 'a' }, image()] }),
      RangeError,
      "`messages[1].content[1].image_url.detail` must be 'low' or 'high', unless you set `estimate: true`; received undefined",
    ],
    [
      'an image of unknown size',
      say({ role: 'user', content: [image('high')] }),
      RangeError,
      '`messages[1].content[0].image_url.url` must be an image of known size (in imageSizes), unless you set `estimate: true`; received "https://example.org/a.png"',
    ],
    [
      'sound',
      say({ role: 'user', content: [{ type: 'input_audio', input_audio: { data: '', format: 'wav' } }] }),
      RangeError,
      '`messages[1].content[0].input_audio` is counted by no published rule: leave it out, or set `estimate: true`; received an instance of Object',
    ],
    [
      'a refusal',
      say({ role: 'assistant', refusal: 'no' }),
      RangeError,
      '`messages[1].refusal` is counted by no published rule: leave it out, or set `estimate: true`; received "no"',
    ],
    [
      'a part that refuses',
      say({ role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] }),
      RangeError,
      '`messages[1].content[0].refusal` is counted by no published rule: leave it out, or set `estimate: true`; received "no"',
    ],
    [
      'annotations',
      say({ role: 'assistant', content: 'a', annotations: [{}] }),
      RangeError,
      '`messages[1].annotations` is counted by no published rule: leave it out, or set `estimate: true`; received an array of 1',
    ],
    [
      'calls of tools',
      say({ role: 'assistant', content: null, tool_calls: [call] }),
      RangeError,
      '`messages[1].tool_calls` is counted by no published rule: leave it out, or set `estimate: true`; received an array of 1',
    ],
    [
      'the result of a function',
      say({ role: 'function', name: 'f', content: 'a' }),
      RangeError,
      '`messages[1].role` is counted by no published rule: leave it out, or set `estimate: true`; received "function"',
    ],
    [
      'the call of a function',
      say({ role: 'assistant', function_call: call.function }),
      RangeError,
      '`messages[1].function_call` is counted by no published rule: leave it out, or set `estimate: true`; received an instance of Object',
    ],
    [
      'the result of a tool',
      say({ role: 'tool', content: 'a', tool_call_id: 'call_1' }),
      RangeError,
      '`messages[1].tool_call_id` is counted by no published rule: leave it out, or set `estimate: true`; received "call_1"',
    ],
    [
      'no list of tools',
      { messages: [], options: { tools: {} } },
      TypeError,
      'expected an array for tools but received an instance of Object',
    ],
    [
      'another tool',
      { messages: [], options: { tools: [{ type: 'custom' }] } },
      RangeError,
      '`tools[0].type` must be \'function\', unless you set `estimate: true`; received "custom"',
    ],
    [
      'a tool without a function',
      { messages: [], options: { tools: [{ type: 'function' }] } },
      TypeError,
      'expected an object for tools[0].function but received undefined',
    ],
    [
      'the choice of a tool',
      { messages: [], options: { ...offer({}).options, tool_choice: 'none' } },
      RangeError,
      '`tool_choice` must be \'auto\', unless you set `estimate: true`; received "none"',
    ],
    [
      'the form of a reply',
      { messages: [], options: { response_format: { type: 'json_object' } } },
      RangeError,
      '`response_format.type` must be \'text\', unless you set `estimate: true`; received "json_object"',
    ],
    [
      'a function without a description',
      offer({ description: undefined }),
      RangeError,
      '`functions[0].description` must be a string, which the published rule needs, unless you set `estimate: true`; received undefined',
    ],
    [
      'a description that is no string',
      offer({ description: 5 }),
      TypeError,
      'expected a string for functions[0].description but received 5',
    ],
    [
      'a strict function',
      offer({ strict: true }),
      RangeError,
      '`functions[0].strict` is counted by no published rule: leave it out, or set `estimate: true`; received true',
    ],
    [
      'a property without a type',
      property({ description: 'd' }),
      RangeError,
      '`functions[0].parameters.properties.p.type` must be a string, which the published rule needs',
    ],
    [
      'a property of two types',
      property({ type: ['string', 'null'], description: 'd' }),
      RangeError,
      '`functions[0].parameters.properties.p.type` must be a string, which the published rule needs, unless you set `estimate: true`; received an array of 2',
    ],
    [
      'a nested property',
      property({ type: 'object', description: 'd', properties: {} }),
      RangeError,
      'functions[0].parameters.properties.p.properties',
    ],
    [
      'a list of things',
      property({ type: 'array', description: 'd', items: { type: 'string' } }),
      RangeError,
      'functions[0].parameters.properties.p.items',
    ],
    [
      'an enum of numbers',
      property({ type: 'number', description: 'd', enum: [1] }),
      RangeError,
      '`functions[0].parameters.properties.p.enum[0]` must be a string, which the published rule needs, unless you set `estimate: true`; received 1',
    ],
  ])('is refused: %s', (_, { messages, options }, kind, message) => {
    const count = () => gpt4o.countMessages(wrong(messages), wrong(options));
    expect(count).toThrow(kind);
    expect(count).toThrow(message);
  });

  it("throws an error on the user's line", () => {
    try {
      gpt4o.countMessages(wrong('hi'));
    } catch (error) {
      expect((error as Error).stack?.split('\n').find((line) => line.trim().startsWith('at '))).toContain('messages.test.ts');
    }
    expect.assertions(1);
  });

  it('excludes API responses with empty properties', () => {
    const answer = { role: 'assistant', content: 'hi', refusal: null, annotations: [], tool_calls: undefined };
    expect(gpt4o.countMessages([answer])).toBe(gpt4o.countMessages([{ role: 'assistant', content: 'hi' }]));
  });

  it('excludes special tokens, which are text', () => {
    const message = { role: 'user', content: '<|endoftext|>' };
    expect(gpt4o.countMessages([message])).toBe(3 + 3 + 1 + gpt4o.count('<|endoftext|>'));
  });

  it('is not counted by a closed tokenizer', async () => {
    const tokenizer = await Tokenizer.load('gpt-4o');
    tokenizer.close();
    expect(() => tokenizer.countMessages([])).toThrow('closed');
  });
});

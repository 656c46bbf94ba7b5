// The drop-in for npm gpt-tokenizer: the examples of that package's documentation and the assertions of its tests,
// restated.

import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import * as main from 'crayon-tokenizer/gpt-tokenizer';
import * as cl100k from 'crayon-tokenizer/gpt-tokenizer/encoding/cl100k_base';
import * as harmony from 'crayon-tokenizer/gpt-tokenizer/encoding/o200k_harmony';
import * as p50k from 'crayon-tokenizer/gpt-tokenizer/encoding/p50k_base';
import { GptEncoding } from 'crayon-tokenizer/gpt-tokenizer/GptEncoding';
import gpt35 from 'crayon-tokenizer/gpt-tokenizer/model/gpt-3.5-turbo';
import * as gpt4o from 'crayon-tokenizer/gpt-tokenizer/model/gpt-4o';
import * as models from 'crayon-tokenizer/gpt-tokenizer/models';
import { resolveEncoding } from 'crayon-tokenizer/gpt-tokenizer/resolveEncoding';
import { resolveEncodingAsync } from 'crayon-tokenizer/gpt-tokenizer/resolveEncodingAsync';

const CHAT = [
  { role: 'system', content: 'You are a helpful assistant.' },
  { role: 'assistant', content: 'gpt-tokenizer is awesome.' },
] as const;

async function* later<T>(items: Iterable<T>): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item);
}

describe('its README', () => {
  it('encodes, decodes and limits', () => {
    const tokens = main.encode('Hello, world!');
    expect(tokens).toEqual([13225, 11, 2375, 0]);
    expect(main.decode(tokens)).toBe('Hello, world!');
    expect(main.isWithinTokenLimit('Hello, world!', 10)).toBe(4);
    expect(main.isWithinTokenLimit('Hello, world!', 3)).toBe(false);
    expect(main.isWithinTokenLimit('Hello, world!', 10, { allowedSpecial: main.ALL_SPECIAL_TOKENS })).toBe(4);
    expect(main.countTokens('Hello, world!')).toBe(4);
  });

  it('takes ids from any iterable', async () => {
    const tokens = [18435, 198, 23132, 328];
    const text = main.decode(tokens);
    expect(main.decode(new Set(tokens))).toBe(text);
    expect([...main.decodeGenerator(tokens)].join('')).toBe(text);
    let decoded = '';
    for await (const chunk of main.decodeAsyncGenerator(later(tokens))) decoded += chunk;
    expect(decoded).toBe(text);
    await expect(main.default.decodeAsync(later(tokens))).resolves.toBe(text);
  });

  it('encodes in chunks', () => {
    const tokens: number[] = [];
    for (const chunk of main.encodeGenerator('Hello, world!')) tokens.push(...chunk);
    expect(tokens).toEqual([13225, 11, 2375, 0]);
  });

  it('encodes chats for a chat model', () => {
    const tokens = gpt4o.encodeChat(CHAT);
    const roles = gpt4o.decode(tokens);
    expect(roles).toBe(
      '<|im_start|>system<|im_sep|>You are a helpful assistant.<|im_end|>' +
        '<|im_start|>assistant<|im_sep|>gpt-tokenizer is awesome.<|im_end|><|im_start|>assistant<|im_sep|>',
    );
    expect(gpt4o.countTokens(CHAT)).toBe(tokens.length);
    expect(gpt4o.isWithinTokenLimit(CHAT, tokens.length)).toBe(tokens.length);
    expect(gpt4o.isWithinTokenLimit(CHAT, 10)).toBe(false);
    expect([...gpt4o.encodeChatGenerator(CHAT.values())].flat()).toEqual(tokens);
    expect(main.encodeChat(CHAT, 'gpt-4o')).toEqual(tokens);
    expect(gpt35.countTokens([])).toBe(3);
  });

  it('allows a set of special tokens', () => {
    const text = `Some Text ${cl100k.EndOfPrompt}`;
    const allowedSpecial = new Set([cl100k.EndOfPrompt]);
    expect(cl100k.encode(text, { allowedSpecial })).toEqual([8538, 2991, 220, 100276]);
    expect(cl100k.encode(text, { allowedSpecial: 'all' })).toEqual([8538, 2991, 220, 100276]);
  });

  it('disallows a set of special tokens', () => {
    const disallowedSpecial = new Set([main.EndOfText]);
    expect(() => main.encode(`Some Text ${main.EndOfText}`, { disallowedSpecial })).toThrow(
      'Disallowed special token found: <|endoftext|>',
    );
    // "disallowedSpecial takes precedence"
    expect(() => main.encode(main.EndOfText, { allowedSpecial: disallowedSpecial, disallowedSpecial })).toThrow();
    expect(() => main.encode(main.EndOfText, { allowedSpecial: 'all', disallowedSpecial })).toThrow();
  });

  it('counts a request with functions', () => {
    const request: gpt4o.ChatCompletionRequest = {
      messages: [
        { role: 'system', content: 'You are a helpful assistant.' },
        { role: 'user', content: 'Find the weather for San Francisco.' },
      ],
      functions: [
        {
          name: 'get_weather',
          description: 'Look up the weather for a city.',
          parameters: {
            type: 'object',
            required: ['city'],
            properties: {
              city: { type: 'string' },
              unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
            },
          },
        },
      ],
    };
    // 3 for the request, 3 for each message; 9 for the functions, 4 of which the system message saves.
    const texts = ['system', 'You are a helpful assistant.\n', 'user', 'Find the weather for San Francisco.'];
    const declarations = [
      'namespace functions {\n',
      '// Look up the weather for a city.',
      'type get_weather = (_: {',
      'city: string,',
      'unit?: "celsius" | "fahrenheit",',
      '}) => any;\n',
      '} // namespace functions',
    ].join('\n');
    const sum = [...texts, declarations].reduce((total, text) => total + gpt4o.encode(text).length, 0);
    expect(gpt4o.countChatCompletionTokens(request)).toBe(sum + 3 + 2 * 3 + 9 - 4);
    expect(gpt4o.default.countChatCompletionTokens?.(request)).toBe(sum + 14);
  });

  it('estimates costs', () => {
    expect(gpt4o.estimateCost(1000)).toEqual({
      main: { input: 0.01, output: 0.03 },
      batch: { input: 0.005, output: 0.015 },
    });
    expect(gpt35.estimateCost(1000)).toEqual({
      main: { input: 0.0005, output: 0.0015 },
      batch: { input: 0.00025, output: 0.00075 },
    });
    expect(gpt4o.estimateCost(1000, models['gpt-3.5-turbo']).main?.input).toBe(0.0005);
    expect(gpt4o.estimateCost(2e6, { ...models.o1, price_data: { main: { input: 3 } } })).toEqual({
      main: { input: 6 },
    });
  });

  it('has a merge cache to set and clear, without effect', () => {
    main.setMergeCacheSize(5000);
    main.setMergeCacheSize(0);
    main.clearMergeCache();
    expect(main.encode('hello world')).toEqual([24912, 2375]);
    expect(main.DEFAULT_MERGE_CACHE_SIZE).toBe(100_000);
  });
});

describe('its tests', () => {
  const WAVE = 'hello 👋 world 🌍';

  it.each([
    ['o200k_base', [24912, 61138, 233, 2375, 130321, 235]],
    ['o200k_harmony', [24912, 61138, 233, 2375, 130321, 235]],
    ['cl100k_base', [15339, 62904, 233, 1917, 11410, 234, 235]],
    ['p50k_base', [31373, 50169, 233, 995, 12520, 234, 235]],
    ['p50k_edit', [31373, 50169, 233, 995, 12520, 234, 235]],
    ['r50k_base', [31373, 50169, 233, 995, 12520, 234, 235]],
    ['gpt2', [31373, 50169, 233, 995, 12520, 234, 235]],
  ] as const)('%s: chunks of emoji are whole', async (name, ids) => {
    const api = GptEncoding.getEncodingApi(name);
    expect(api.encode(WAVE)).toEqual(ids);
    expect(api.decode(ids)).toBe(WAVE);
    expect([...api.decodeGenerator(ids)]).toEqual(['hello', ' ', '👋', ' world', ' ', '🌍']);
    const chunks: string[] = [];
    for await (const chunk of api.decodeAsyncGenerator(later(ids))) chunks.push(chunk);
    expect(chunks).toEqual(['hello', ' ', '👋', ' world', ' ', '🌍']);
    expect([...api.encodeGenerator(WAVE)].map((chunk) => api.decode(chunk))).toEqual(['hello', ' 👋', ' world', ' 🌍']);
    expect(api.isWithinTokenLimit(WAVE, 4)).toBe(false);
    expect(api.isWithinTokenLimit('', 0)).toBe(0);
  });

  it('special tokens in chats are errors unless allowed', () => {
    const chat = [{ role: 'user', content: `Hello ${main.EndOfText} world` }];
    expect(() => gpt4o.isWithinTokenLimit(chat, 100)).toThrow(/Disallowed special token found/);
    expect(() => gpt4o.countTokens(chat)).toThrow(/Disallowed special token found/);
    const tokens = gpt4o.encodeChat(chat, undefined, { allowedSpecial: 'all' });
    expect(tokens.filter((id) => id === 199999)).toHaveLength(1);
    expect(gpt4o.countTokens(chat, { allowedSpecial: 'all' })).toBe(tokens.length);
    expect(gpt4o.isWithinTokenLimit(chat, 100, { allowedSpecial: 'all' })).toBe(tokens.length);
  });

  it('models without functions have no request counter', async () => {
    const gpt35Old = await import('crayon-tokenizer/gpt-tokenizer/model/gpt-3.5-turbo-0613');
    expect('countChatCompletionTokens' in gpt35Old).toBe(false);
    expect(gpt35Old.default.countChatCompletionTokens).toBeUndefined();
    expect(gpt4o.countChatCompletionTokens).toBe(gpt4o.default.countChatCompletionTokens);
  });
});

describe('Harmony', () => {
  it('lays out channels, recipients and terminators', () => {
    const tokens = harmony.encodeChat(
      [
        { role: 'user', content: 'Weather?' },
        { role: 'assistant', channel: 'analysis', content: 'Hm.' },
        {
          role: 'assistant',
          channel: 'commentary',
          recipient: 'functions.weather',
          constraint: 'json',
          content: '{}',
          terminator: '<|call|>',
        },
        {
          role: 'tool',
          name: 'functions.weather',
          recipient: 'assistant',
          channel: 'commentary',
          recipientPlacement: 'role',
          content: '1',
        },
      ],
      'gpt-oss-20b',
    );
    expect(harmony.decode(tokens)).toBe(
      '<|start|>user<|message|>Weather?<|end|>' +
        '<|start|>assistant<|channel|>analysis<|message|>Hm.<|end|>' +
        '<|start|>assistant<|channel|>commentary to=functions.weather<|constrain|>json<|message|>{}<|call|>' +
        '<|start|>functions.weather to=assistant<|channel|>commentary<|message|>1<|end|>' +
        '<|start|>assistant',
    );
    const user = [{ role: 'user', content: 'hi' }];
    expect(harmony.encodeChat(user, 'gpt-oss-20b', { primeWithAssistantResponse: '' })).toEqual([200006, 1428, 200008, 3686, 200007]);
  });
});

describe('GptEncoding', () => {
  it('is made for encodings and models', async () => {
    expect(GptEncoding.getEncodingApi('cl100k_base', resolveEncoding).encode('hello world')).toEqual([15339, 1917]);
    const ranks = await resolveEncodingAsync('r50k_base');
    expect(GptEncoding.getEncodingApi('gpt2', () => ranks).encode('hello world')).toEqual([31373, 995]);
    const api = GptEncoding.getEncodingApiForModel('gpt-4', resolveEncoding, models['gpt-4']);
    expect(api.modelName).toBe('gpt-4');
    expect(api.modelSpec?.name).toBe('gpt-4-0613');
    expect(api.encodeChat(CHAT).length).toBe(api.countTokens(CHAT));
    expect(GptEncoding.EndOfText).toBe('<|endoftext|>');
  });

  it('has functions that work detached from the object', () => {
    const { encode, decode } = GptEncoding.getEncodingApi('o200k_base');
    expect(decode(encode('hello'))).toBe('hello');
  });

  it('refuses foreign ranks', async () => {
    const ranks = await resolveEncodingAsync('r50k_base');
    for (const other of [[], ['!'], [...ranks], ranks, undefined as never]) {
      expect(() => GptEncoding.getEncodingApi('cl100k_base', () => other)).toThrow(TypeError);
    }
    expect(() => GptEncoding.getEncodingApi('r50k_base', () => [...ranks])).toThrow(/cannot be replaced/);
    expect(() => GptEncoding.getEncodingApi('r50k_base', ranks as never)).toThrow(
      'expected a function for getMergeableRanks but received an array of',
    );
  });
});

it('encodings without chat tokens have no calls for chats', () => {
  expect('encodeChat' in p50k).toBe(false);
  expect(p50k.encode('hello world')).toEqual([31373, 995]);
  expect(() => p50k.default.encodeChat(CHAT, 'gpt-4')).toThrow("Model 'gpt-4' does not support chat.");
});

describe('a generator', () => {
  it('may be abandoned early', () => {
    for (const chunk of main.encodeGenerator('hello world '.repeat(100_000))) {
      expect(chunk).toEqual([24912]);
      break;
    }
  });

  it('frees its memory when it is abandoned halfway and collected', () => {
    const entry = new URL('../../dist/node/gpt-tokenizer/encoding/r50k_base.js', import.meta.url).href;
    const source = `
      import { setImmediate } from 'node:timers/promises';
      import { encodeGenerator } from ${JSON.stringify(entry)};
      const text = 'hello world '.repeat(1000);
      const rounds = async (count) => {
        for (let i = 0; i < count; i++) {
          encodeGenerator(text).next();
          if (i % 100 !== 0) continue;
          globalThis.gc();
          await setImmediate();
        }
      };
      await rounds(300);
      const before = process.memoryUsage().rss;
      await rounds(3001);
      console.log(Math.round((process.memoryUsage().rss - before) / 1024));`;
    const printed = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', source], {
      encoding: 'utf8',
    });
    // Each one holds more than 10 KB.
    expect(Number(printed)).toBeLessThan(15_000);
  });
});

// The drop-in and npm gpt-tokenizer, called with the same generated arguments: the same results, and the same errors. The
// texts avoid that package's mistakes (see gpt-tokenizer-differences.test.ts).

import { describe, expect, it } from 'vitest';
import * as theirMapping from 'gpt-tokenizer/mapping';
import * as theirModels from 'gpt-tokenizer/models';
import { resolveEncoding as theirRanks } from 'gpt-tokenizer/resolveEncoding';
import * as theirConstants from 'gpt-tokenizer/specialTokens';
import * as ourMapping from 'crayon-tokenizer/gpt-tokenizer/mapping';
import * as ourModels from 'crayon-tokenizer/gpt-tokenizer/models';
import { resolveEncoding as ourRanks } from 'crayon-tokenizer/gpt-tokenizer/resolveEncoding';
import type { EncodeOptions, GptEncoding } from 'crayon-tokenizer/gpt-tokenizer/GptEncoding';

import { Random } from '../fuzz/random.mjs';
import { modelExports } from '../../scripts/model-entries.mjs';
import { sample } from '../share.js';

const ENCODINGS = ['gpt2', 'r50k_base', 'p50k_base', 'p50k_edit', 'cl100k_base', 'o200k_base', 'o200k_harmony'];
const SEED = 20261121;

interface Pair {
  theirs: Record<string, unknown> & { default: GptEncoding };
  ours: Record<string, unknown> & { default: GptEncoding };
}

/** The exports of the built package; Vite would search for files one level deep. */
function fileOf(path: string): string {
  const exported: Record<string, { default: string }> = modelExports();
  return new URL(`../../${exported[`./gpt-tokenizer/${path}`]?.default ?? `dist/node/gpt-tokenizer/${path}.js`}`, import.meta.url).href;
}

async function pairOf(path: string): Promise<Pair> {
  const [theirs, ours] = await Promise.all([import(`gpt-tokenizer/${path}`), import(/* @vite-ignore */ fileOf(path))]);
  return { theirs, ours };
}

/** The result of a call, or its error's message; of a TypeError only its class. */
function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error instanceof TypeError ? 'TypeError' : `throws ${(error as Error).message}`;
  }
}

const WORDS = [
  ...['hello', 'World', 'TOKEN', "it's", "WE'LL", 'camelCase', 'snake_case', 'naïve', 'é', 'Grüße', 'привет', 'מלה'],
  ...['你好', '世界', 'मानक', '👋', '🌍🏽', '👨‍👩‍👧', '3', '2026', '12345', '-', '()', '{}', '=>', '...', '<|', '|>', '<|x|>'],
  ...['\t', '\n', '\r\n', '\n\n', '  ', '\0', '\ud83d', '\udc4b'],
];

function text(random: Random, length = random.length(60)): string {
  return Array.from({ length }, () => random.pick(WORDS) + random.pick(['', ' ', ' ', '  ', '\n'])).join('');
}

function* later<T>(items: Iterable<T>): Generator<T> {
  yield* items;
}

describe.each(ENCODINGS)('%s', { timeout: 120_000 }, (name) => {
  it('has the same exports', async () => {
    const { theirs, ours } = await pairOf(`encoding/${name}`);
    expect(Object.keys(ours).sort()).toEqual(Object.keys(theirs).sort());
    for (const [key, value] of Object.entries(theirs)) {
      if (typeof value !== 'function' && key !== 'default') expect(ours[key], key).toEqual(value);
    }
  });

  it('texts', async () => {
    const { theirs, ours } = await pairOf(`encoding/${name}`);
    for (let index = 0; index < sample(400); index++) {
      const random = new Random(SEED, index);
      const input = index === 0 ? '' : text(random);
      const ids = theirs.default.encode(input);
      expect(ours.default.encode(input), input).toEqual(ids);
      expect(ours.default.countTokens(input)).toBe(ids.length);
      expect([...ours.default.encodeGenerator(input)].flat()).toEqual(ids);
      for (const limit of [-1, 0, 1, ids.length - 1, ids.length, ids.length + 0.5, Infinity, NaN, undefined as never]) {
        expect(ours.default.isWithinTokenLimit(input, limit)).toBe(theirs.default.isWithinTokenLimit(input, limit));
      }
      expect(ours.default.decode(ids)).toBe(theirs.default.decode(ids));
      expect(ours.default.decode(later(ids))).toBe(theirs.default.decode(ids));
      expect([...ours.default.decodeGenerator(ids)]).toEqual([...theirs.default.decodeGenerator(ids)]);
    }
  });

  it('long texts', async () => {
    const { theirs, ours } = await pairOf(`encoding/${name}`);
    const input = text(new Random(SEED), 20_000);
    expect(input.length).toBeGreaterThan(65_536);
    const ids = theirs.default.encode(input);
    expect(ours.default.encode(input)).toEqual(ids);
    expect([...ours.default.encodeGenerator(input)].flat()).toEqual(ids);
    expect(ours.default.countTokens(input)).toBe(ids.length);
    for (const limit of [ids.length, ids.length - 1]) {
      expect(ours.default.isWithinTokenLimit(input, limit)).toBe(theirs.default.isWithinTokenLimit(input, limit));
    }
    expect(ours.default.decode(ids)).toBe(theirs.default.decode(ids));
  });

  it('special tokens at the beginning of a text, under every rule the original follows', async () => {
    const { theirs, ours } = await pairOf(`encoding/${name}`);
    const specials = specialsOf(name, theirs.default);
    for (let index = 0; index < sample(300); index++) {
      const random = new Random(SEED, index, 1);
      const input = (random.chance(0.8) ? random.pick(specials) : '') + text(random, random.integer(0, 4));
      const listed = () => random.pick([new Set<string>(), new Set(['all']), new Set([random.pick(specials), random.pick(specials)])]);
      const options = random.pick<() => EncodeOptions | undefined>([
        () => undefined,
        () => ({}),
        () => ({ allowedSpecial: 'all' }),
        () => ({ allowedSpecial: listed() }),
        () => ({ allowedSpecial: listed(), disallowedSpecial: 'all' }),
        () => ({ allowedSpecial: 'all', disallowedSpecial: 'all' }),
        () => ({ allowedSpecial: 'all', disallowedSpecial: new Set() }),
        () => ({ disallowedSpecial: new Set() }),
        () => ({ disallowedSpecial: 'all' }),
        () => ({ disallowedSpecial: new Set(['all']) }),
        () => ({ allowedSpecial: null, disallowedSpecial: null }) as never,
      ])();
      for (const call of ['encode', 'countTokens'] as const) {
        const expected = outcome(() => theirs.default[call](input, options));
        expect(
          outcome(() => ours.default[call](input, options)),
          JSON.stringify([call, input, options]),
        ).toEqual(expected);
      }
      const limit = random.integer(0, 5);
      expect(outcome(() => ours.default.isWithinTokenLimit(input, limit, options))).toEqual(
        outcome(() => theirs.default.isWithinTokenLimit(input, limit, options)),
      );
      // The generator throws when it is created.
      expect(outcome(() => void ours.default.encodeGenerator(input, options))).toEqual(
        outcome(() => void theirs.default.encodeGenerator(input, options)),
      );
      expect(outcome(() => [...ours.default.encodeGenerator(input, options)].flat())).toEqual(
        outcome(() => [...theirs.default.encodeGenerator(input, options)].flat()),
      );
    }
  });

  it('ids, including special and unknown ones', async () => {
    const { theirs, ours } = await pairOf(`encoding/${name}`);
    const specialIds = specialsOf(name, theirs.default).flatMap((special) => theirs.default.encode(special, { allowedSpecial: 'all' }));
    for (let index = 0; index < sample(300); index++) {
      const random = new Random(SEED, index, 2);
      const whole = theirs.default.encode(text(random));
      const ids: unknown[] = random.chance(0.5) ? whole : [...whole, random.pick(specialIds)];
      const unknown = random.pick([-1, 1.5, NaN, 5e5, 2 ** 32, 2 ** 40, undefined, null, 'x', '', {}]);
      if (random.chance(0.3)) ids.splice(random.integer(0, ids.length), 0, unknown);
      const list = ids as number[];
      expect(
        outcome(() => ours.default.decode(list)),
        String(unknown),
      ).toEqual(outcome(() => theirs.default.decode(list)));
      expect([...ours.default.decodeGenerator(list)]).toEqual([...theirs.default.decodeGenerator(list)]);
    }
  });

  it('wrong arguments', async () => {
    const { theirs, ours } = await pairOf(`encoding/${name}`);
    const wrong: ((api: any) => unknown)[] = [
      (api) => api.encode(),
      (api) => api.encode(null),
      (api) => api.encode(5),
      (api) => api.encode(['a']),
      (api) => api.encodeGenerator(5),
      (api) => api.countTokens(5),
      (api) => api.isWithinTokenLimit(undefined, 5),
      (api) => api.decode(),
      (api) => api.decode(5),
      (api) => api.decode({}),
      (api) => [...api.decodeGenerator(5)],
      (api) => api.encode('a', { allowedSpecial: [] }),
      (api) => api.encode('a', { allowedSpecial: 'none' }),
      (api) => api.encode('a', { disallowedSpecial: [] }),
      (api) => api.encodeChat([]),
      (api) => api.encodeChat([], 'dall-e-2'),
      (api) => api.encodeChat([], 'no-such-model'),
      (api) => api.encodeChat([{ role: 'user' }], 'gpt-4'),
      (api) => api.encodeChat([{ role: 'user', content: null }], 'gpt-4'),
      (api) => api.encodeChat([null], 'gpt-4'),
      (api) => api.encodeChat(5, 'gpt-4'),
      (api) => [...api.encodeChatGenerator([])],
      (api) => api.countTokens([]),
      (api) => api.isWithinTokenLimit([], 5),
      (api) => api.estimateCost(5),
      (api) => api.estimateCost(5, { name: 'x' }),
    ];
    for (const call of wrong) {
      const expected = outcome(() => call(theirs.default));
      expect(expected, String(call)).toMatch(/^(TypeError|throws .*)$/);
      // An encoding without chat tokens reports this before it reads the chat.
      if (/encodeChat\((5|\[null|\[\{)/.test(String(call)) && /does not support chat/.test(String(expected))) continue;
      expect(
        outcome(() => call(ours.default)),
        String(call),
      ).toBe(expected);
    }
    // A chat generator throws on its first step.
    for (const api of [theirs.default, ours.default]) expect(() => api.encodeChatGenerator([])).not.toThrow();
  });

  it('chats of every model', async () => {
    const { theirs, ours } = await pairOf(`encoding/${name}`);
    for (const [index, model] of Object.keys(theirMapping.chatModelParams).entries()) {
      const random = new Random(SEED, index, 3);
      const chat = Array.from({ length: random.integer(0, 4) }, () => message(random));
      const options = random.pick([undefined, {}, { primeWithAssistantResponse: random.pick(['', 'assistant', 'the critic']) }]);
      const ids = outcome(() => theirs.default.encodeChat(chat, model as never, options));
      expect(outcome(() => ours.default.encodeChat(chat, model as never, options))).toEqual(ids);
      expect(outcome(() => [...ours.default.encodeChatGenerator(chat.values(), model as never, options)].flat())).toEqual(ids);
    }
  });
});

function message(random: Random): any {
  const maybe = <T>(value: T) => (random.chance(0.4) ? value : undefined);
  return Object.fromEntries(
    Object.entries({
      role: maybe(random.pick(['system', 'user', 'assistant', 'developer', 'tool', ''])),
      name: maybe(random.pick(['example_user', 'functions.get_weather', 'Ann'])),
      content: text(random, random.integer(0, 12)),
      function_call: maybe({ name: maybe('get_weather'), arguments: maybe('{"city": "Paris"}') }),
      channel: maybe(random.pick(['analysis', 'commentary', 'final'])),
      recipient: maybe('functions.get_weather'),
      recipientPlacement: maybe(random.pick(['role', 'channel'])),
      constraint: maybe('json'),
      terminator: maybe(random.pick(['<|end|>', '<|return|>', '<|call|>'])),
    }).filter(([, value]) => value !== undefined),
  );
}

const CALLS = [undefined, null, 'auto', 'none', { name: 'get_weather' }, { name: '' }, {}] as any[];

function functionsOf(random: Random): any {
  if (random.chance(0.3)) return random.pick([undefined, null, []]);
  return Array.from({ length: random.integer(1, 3) }, () => ({
    name: random.pick(['get_weather', 'search', 'f']),
    ...(random.chance(0.5) && { description: text(random, 3) }),
    ...(random.chance(0.8) && { parameters: schema(random, 0) }),
  }));
}

function schema(random: Random, depth: number): any {
  const type = depth === 0 ? 'object' : random.pick(['string', 'integer', 'number', 'boolean', 'null', 'array', 'object', 'date']);
  const names = Array.from({ length: random.integer(0, 4) }, () => random.pick(['city', 'unit', 'a b', 'days', '__proto__x']));
  return {
    type,
    ...(random.chance(0.5) && { description: text(random, 2) }),
    ...(random.chance(0.4) && { enum: random.pick([['celsius', 'x"y'], [1, 2.5, '3'], []]) }),
    ...(type === 'array' && random.chance(0.8) && { items: schema(random, depth + 1) }),
    ...(type === 'object' &&
      random.chance(0.9) && {
        required: random.pick([undefined, [], names.slice(0, 1), ['city']]),
        properties: depth > 3 ? {} : Object.fromEntries(names.map((name) => [name, schema(random, depth + 1)])),
      }),
  };
}

/** The special tokens of an encoding, except one whose id the original has wrong. */
function specialsOf(name: string, api: GptEncoding): string[] {
  return Object.values(theirConstants)
    .filter((special) => api.encode(special, { allowedSpecial: 'all' }).length === 1)
    .filter((special) => name !== 'o200k_base' || special !== theirConstants.EndOfPrompt);
}

describe('ranks', () => {
  it.each(['gpt2', 'p50k_edit', 'cl100k_base'] as const)('%s', (name) => {
    const [theirs, ours] = [theirRanks(name), ourRanks(name)];
    expect(ours.length).toBe(theirs.length);
    expect(Object.keys(ours).length).toBe(Object.keys(theirs).length);
    for (const [rank, value] of Object.entries(theirs)) expect(ours[Number(rank)]).toEqual(value);
  });
});

describe('models', () => {
  const names = Object.keys(theirModels) as (keyof typeof ourModels)[];

  it('are the same, and so are their facts', () => {
    expect(Object.keys(ourModels).sort()).toEqual([...names].sort());
    for (const name of names) expect(ourModels[name], name).toStrictEqual(theirModels[name as keyof typeof theirModels]);
  });

  it('have the same encodings and chat formats', () => {
    for (const name of names) {
      const encoding = (theirMapping.modelToEncodingMap as Record<string, string>)[name] ?? theirMapping.DEFAULT_ENCODING;
      expect(ourMapping.modelToEncodingMap[name as ourMapping.ModelName], name).toBe(encoding);
    }
    expect(ourMapping.chatModelParams).toEqual(theirMapping.chatModelParams);
    expect([...ourMapping.encodingNames].sort()).toEqual([...theirMapping.encodingNames].sort());
    expect(ourMapping.DEFAULT_ENCODING).toBe(theirMapping.DEFAULT_ENCODING);
  });

  it.each(names)('%s is a module', async (name) => {
    const module = await import(/* @vite-ignore */ fileOf(`model/${name}`));
    const spec = theirModels[name as keyof typeof theirModels] as { supported_features?: readonly string[] };
    const isChat = name in theirMapping.chatModelParams;
    const hasFunctions = isChat && (spec.supported_features?.includes('function_calling') ?? false);
    expect('countChatCompletionTokens' in module).toBe(hasFunctions);
    expect(module.default.modelName).toBe(isChat ? name : undefined);
    expect(module.default.modelSpec).toEqual(isChat ? spec : undefined);
    expect(module.encode('hello world')).toHaveLength(2);
  });

  it.each(['gpt-4o', 'gpt-3.5-turbo', 'gpt-oss-20b', 'whisper-1', 'ada'])('%s has the same exports and results', async (name) => {
    const { theirs, ours } = await pairOf(`model/${name}`);
    expect(Object.keys(ours).sort()).toEqual(Object.keys(theirs).sort());
    for (const [key, value] of Object.entries(theirs)) {
      if (typeof value !== 'function' && key !== 'default') expect(ours[key], key).toEqual(value);
    }
    for (let index = 0; index < sample(100); index++) {
      const random = new Random(SEED, index, 4);
      const chat = Array.from({ length: random.integer(0, 3) }, () => message(random));
      const [limit, tokens] = [random.integer(0, 60), random.integer(0, 1e6)];
      const request = { messages: chat, functions: functionsOf(random), function_call: random.pick(CALLS) };
      for (const call of [
        ({ default: api }) => api.encodeChat(chat),
        ({ default: api }) => api.countTokens(chat),
        ({ default: api }) => api.isWithinTokenLimit(chat, limit),
        ({ default: api }) => api.estimateCost(tokens),
        ({ default: api }) => api.countChatCompletionTokens?.(request),
      ] as ((module: Pair['ours']) => unknown)[]) {
        expect(
          outcome(() => call(ours)),
          `${call} ${JSON.stringify(request)}`,
        ).toEqual(outcome(() => call(theirs)));
      }
    }
  });
});

// The middleware for the AI SDK in npm `ai`, around its own mock models. What is left out is compared with a naive version that tries
// every way to cut; what is counted, with counts of each text.

import { generateText, jsonSchema, type LanguageModelMiddleware, streamText, tool, wrapLanguageModel } from 'ai';
import { MockLanguageModelV3, MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';
import {
  countPrompt,
  type PromptCount,
  type PromptMessage,
  tokenBudget,
  type TokenBudgetOptions,
  type TrimmedPrompt,
} from 'crayon-tokenizer/ai-sdk';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { thrown } from './thrown.js';

/** Any value, for arguments that the types would reject. */
const wrong = (value: unknown): any => value;

let tokenizer: Tokenizer;
beforeAll(async () => {
  tokenizer = await Tokenizer.load('o200k_base');
});
afterAll(() => tokenizer.close());

const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };
const answer = { content: [{ type: 'text', text: 'yes' }], finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] };

/** A model of `ai` with the middleware; `calls` are the prompts that arrive. */
function wrapped(options: Partial<TokenBudgetOptions>, results: unknown = answer) {
  const mock = new MockLanguageModelV4({ doGenerate: wrong(results) });
  const model = wrapLanguageModel({ model: mock, middleware: tokenBudget({ tokenizer, maxTokens: 1000, ...options }) });
  return { model, calls: () => mock.doGenerateCalls.map(({ prompt }) => prompt) };
}

const user = (text: string) => ({ role: 'user' as const, content: text });
const assistant = (text: string) => ({ role: 'assistant' as const, content: text });

describe('tokenBudget in generateText', () => {
  it('leaves out the oldest turns, and tells what it left out', async () => {
    const trimmed: TrimmedPrompt[] = [];
    const counts: PromptCount[] = [];
    const { model, calls } = wrapped({ maxTokens: 25, onTrim: (each) => trimmed.push(each), onCount: (each) => counts.push(each) });
    const messages = [user('hello'), assistant('hello hello'), user('hello world'), assistant('hello'), user('hello hello hello')];
    const { text } = await generateText({ model, system: 'hello world', messages });
    expect(text).toBe('yes');
    const texts = (prompt: readonly PromptMessage[]) =>
      prompt.map(({ role, content }) => [role, typeof content === 'string' ? content : wrong(content[0]).text]);
    // 4 around each; without the first turn 4 + 2, 4 + 2, 4 + 1, 4 + 3.
    expect(texts(calls()[0]!)).toEqual([
      ['system', 'hello world'],
      ['user', 'hello world'],
      ['assistant', 'hello'],
      ['user', 'hello hello hello'],
    ]);
    expect(counts).toEqual([{ tokens: 35, estimated: 24 }]);
    expect(trimmed.map(({ before, after }) => [before, after])).toEqual([
      [
        { tokens: 35, estimated: 24 },
        { tokens: 24, estimated: 16 },
      ],
    ]);
    expect(texts(trimmed[0]!.removed)).toEqual([
      ['user', 'hello'],
      ['assistant', 'hello hello'],
    ]);
  });

  it('passes on what fits as it is', async () => {
    const trimmed: TrimmedPrompt[] = [];
    const { model, calls } = wrapped({ maxTokens: 30, onTrim: (each) => trimmed.push(each) });
    await generateText({ model, messages: [user('hello'), assistant('hello'), user('hello')] });
    expect(calls()[0]).toHaveLength(3);
    expect(trimmed).toEqual([]);
    const params = { prompt: [user('hello')] };
    expect(await tokenBudget({ tokenizer, maxTokens: 5 }).transformParams({ params })).toBe(params);
  });

  it('rejects a prompt that cannot fit, and does not call the model', async () => {
    const { model, calls } = wrapped({ maxTokens: 10 });
    const failing = generateText({ model, system: 'hello '.repeat(20).trim(), messages: [user('hello'), user('hello')], maxRetries: 0 });
    await expect(failing).rejects.toThrow(
      /^cannot fit the prompt into 10 tokens: the messages of the system, .* take 29 \(8 of them estimated\)$/,
    );
    await expect(failing).rejects.toBeInstanceOf(RangeError);
    expect(calls()).toEqual([]);
  });

  it('counts tools and their results while a model uses them, and never parts a call from its result', async () => {
    const call = (id: string) => ({
      ...answer,
      content: [{ type: 'tool-call', toolCallId: id, toolName: 'look', input: '{"at":"hello"}' }],
      finishReason: { unified: 'tool-calls', raw: 'tool' },
    });
    const trimmed: TrimmedPrompt[] = [];
    const counts: PromptCount[] = [];
    const { model, calls } = wrapped({ maxTokens: 150, onTrim: (each) => trimmed.push(each), onCount: (each) => counts.push(each) }, [
      call('a'),
      call('b'),
      call('c'),
      answer,
    ]);
    const look = tool({
      description: 'hello world',
      inputSchema: jsonSchema<{ at: string }>({ type: 'object', properties: { at: { type: 'string' } } }),
      execute: async () => 'hello '.repeat(30).trim(),
    });
    const { text } = await generateText({
      model,
      messages: [user('hello'), assistant('hello'), user('hello world')],
      tools: { look },
      stopWhen: ({ steps }) => steps.length > 3,
    });
    expect(text).toBe('yes');
    expect(counts).toHaveLength(4);
    expect(counts.map(({ tokens }) => tokens)).toEqual([...counts.map(({ tokens }) => tokens)].sort((one, other) => one - other));
    const last = calls().at(-1)!;
    const ids = last.flatMap(({ content }) =>
      typeof content === 'string'
        ? []
        : wrong(content).flatMap((part: any) => (part.toolCallId ? [`${part.type} ${part.toolCallId}`] : [])),
    );
    expect(ids).toEqual(['tool-call b', 'tool-result b', 'tool-call c', 'tool-result c']);
    expect(last.find(({ role }) => role === 'user')!.content).toMatchObject([{ text: 'hello world' }]);
    expect(trimmed.at(-1)!.after.tokens).toBeLessThanOrEqual(150);
  });

  it('does the same in streamText', async () => {
    const chunks = [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'yes' },
      { type: 'text-end', id: '1' },
      { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
    ];
    const mock = new MockLanguageModelV4({ doStream: async () => ({ stream: simulateReadableStream({ chunks: wrong(chunks) }) }) });
    const model = wrapLanguageModel({ model: mock, middleware: tokenBudget({ tokenizer, maxTokens: 6 }) });
    let text = '';
    for await (const part of streamText({ model, messages: [user('hello'), user('hello world')] }).textStream) text += part;
    expect(text).toBe('yes');
    expect(mock.doStreamCalls[0]!.prompt).toHaveLength(1);
  });

  it('wraps models of the version before', async () => {
    const mock = new MockLanguageModelV3({ doGenerate: wrong(answer) });
    const model = wrapLanguageModel({ model: mock, middleware: tokenBudget({ tokenizer, maxTokens: 6, specificationVersion: 'v3' }) });
    await generateText({ model, messages: [user('hello'), user('hello world')] });
    expect(mock.doGenerateCalls[0]!.prompt).toHaveLength(1);
  });

  it('has the types of a middleware', () => {
    expectTypeOf(tokenBudget({ tokenizer, maxTokens: 1 })).toExtend<LanguageModelMiddleware>();
    expectTypeOf(tokenBudget({ tokenizer, maxTokens: 1 }).specificationVersion).toEqualTypeOf<'v4'>();
    expectTypeOf(tokenBudget({ tokenizer, maxTokens: 1, specificationVersion: 'v3' }).specificationVersion).toEqualTypeOf<'v3'>();
  });
});

/** A message whose parts name calls, with as many tokens as its text and its parts say. */
type Plan = { role: string; calls?: string[]; results?: string[] };

const made = ({ role, calls = [], results = [] }: Plan, index: number): PromptMessage => ({
  role,
  content:
    role === 'system'
      ? `hello ${index}`
      : [
          { type: 'text', text: 'hello '.repeat((index * 7) % 5).trim() },
          ...calls.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'look', input: { at: index } })),
          ...results.map((toolCallId) => ({ type: 'tool-result', toolCallId, toolName: 'look', output: { type: 'text', value: 'hello' } })),
        ],
});

/** All that may be left out, by its rules: the shortest first. */
function naiveTrimmings(plans: Plan[]): number[][] {
  const lastUser = plans.map(({ role }) => role).lastIndexOf('user');
  const isSystem = (index: number) => plans[index]!.role === 'system';
  const range = (from: number, to: number) =>
    Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at).filter((index) => !isSystem(index));
  const isWhole = (out: number[]) =>
    plans.every(({ calls = [] }, index) =>
      calls.every((id) => plans.every(({ results = [] }, other) => !results.includes(id) || out.includes(index) === out.includes(other))),
    );
  const starts = range(0, plans.length);
  const turns = starts.filter((at) => at <= lastUser && plans[at]!.role === 'user').map((at) => range(0, at));
  const dropped = turns.filter(isWhole);
  const most = dropped.at(-1) ?? [];
  const rounds = starts.filter((at) => at > lastUser && plans[at]!.role === 'assistant').map((at) => [...most, ...range(lastUser + 1, at)]);
  return [...dropped, ...rounds.filter(isWhole)].filter((out) => out.length > 0).sort((one, other) => one.length - other.length);
}

function randomPlans(random: Random): Plan[] {
  const plans: Plan[] = random.chance(0.5) ? [{ role: 'system' }] : [];
  let waiting: string[] = [];
  for (let index = 0; index < random.integer(1, 14); index++) {
    if (waiting.length > 0 && random.chance(0.8)) {
      const results = random.chance(0.8) ? waiting : waiting.slice(0, 1);
      plans.push({ role: 'tool', results });
      waiting = waiting.filter((id) => !results.includes(id));
    } else if (random.chance(0.45)) plans.push({ role: 'user' });
    else if (random.chance(0.1)) plans.push({ role: 'system' });
    else {
      const calls = random.chance(0.5) ? Array.from({ length: random.integer(1, 2) }, (_, at) => `${index}.${at}`) : [];
      waiting.push(...calls);
      plans.push({ role: 'assistant', calls });
    }
  }
  return plans;
}

describe('tokenBudget', () => {
  it('leaves out as little as its rules allow, of prompts of all kinds', async () => {
    for (let index = 0; index < sample(4000, 400); index++) {
      const random = new Random(0xa15d, index);
      const plans = randomPlans(random);
      const prompt = plans.map(made);
      const counts = prompt.map((message) => countPrompt(tokenizer, { prompt: [message] }).tokens);
      const total = counts.reduce((sum, each) => sum + each, 0);
      const ways = [[], ...naiveTrimmings(plans)].map((out) => ({ out, tokens: total - out.reduce((sum, at) => sum + counts[at]!, 0) }));
      for (const maxTokens of [total, total - 1, random.integer(0, total), ways.at(-1)!.tokens]) {
        const expected = ways.find(({ tokens }) => tokens <= maxTokens);
        const said = JSON.stringify({ index, plans, maxTokens });
        const trimmed: TrimmedPrompt[] = [];
        const fitted = tokenBudget({ tokenizer, maxTokens, onTrim: (each) => trimmed.push(each) }).transformParams({ params: { prompt } });
        if (!expected) {
          await expect(fitted, said).rejects.toThrow(`cannot fit the prompt into ${maxTokens} tokens`);
          continue;
        }
        expect((await fitted).prompt, said).toEqual(prompt.filter((_, at) => !expected.out.includes(at)));
        expect(
          trimmed.flatMap(({ removed }) => removed),
          said,
        ).toEqual(expected.out.map((at) => prompt[at]));
        expect(
          trimmed.map(({ after }) => after.tokens),
          said,
        ).toEqual(expected.out.length > 0 ? [expected.tokens] : []);
      }
    }
  });

  it('keeps parameters that it does not know, and changes none that it is given', async () => {
    const params = { prompt: [user('hello'), user('hello world')], temperature: 0.5 };
    const before = structuredClone(params);
    const fitted = await tokenBudget({ tokenizer, maxTokens: 6 }).transformParams({ params });
    expect(fitted).toEqual({ prompt: [user('hello world')], temperature: 0.5 });
    expect(params).toEqual(before);
  });

  it('leaves out old reasoning and cuts results of tools before messages, as far as it takes', async () => {
    const reasoning = { type: 'reasoning', text: 'hello hello hello hello hello' };
    const call = (toolCallId: string) => ({ type: 'tool-call', toolCallId, toolName: 'look', input: {} });
    const result = (toolCallId: string, output: unknown) => ({ type: 'tool-result', toolCallId, toolName: 'look', output });
    const long = 'hello '.repeat(20).trim();
    const values = Array.from({ length: 10 }, (_, at) => ({ at }));
    const image = { type: 'media', mediaType: 'image/png', data: '' };
    const prompt = [
      user('hello'),
      { role: 'assistant', content: [reasoning, call('a')] },
      { role: 'tool', content: [result('a', { type: 'text', value: long })] },
      { role: 'assistant', content: [reasoning] },
      user('hello world'),
      { role: 'assistant', content: [reasoning, call('b'), call('c'), call('d')] },
      {
        role: 'tool',
        content: [
          result('b', { type: 'json', value: values }),
          result('c', { type: 'error-json', value: values }),
          result('d', { type: 'content', value: [{ type: 'text', text: long }, { type: 'text', text: 'hello' }, image] }),
        ],
      },
    ];
    const cut = `${tokenizer.truncate(long, 5)}…`;
    const cutJson = `${tokenizer.truncate(JSON.stringify(values), 5)}…`;
    const replaced = (changes: Record<number, unknown>) =>
      prompt.flatMap((message, at) => (!(at in changes) ? [message] : changes[at] ? [{ ...message, content: changes[at] }] : []));
    const steps = [
      prompt,
      replaced({ 1: [call('a')] }),
      replaced({ 1: [call('a')], 3: undefined }),
      replaced({ 1: [call('a')], 2: [result('a', { type: 'text', value: cut })], 3: undefined }),
      replaced({
        1: [call('a')],
        2: [result('a', { type: 'text', value: cut })],
        3: undefined,
        6: [
          result('b', { type: 'text', value: cutJson }),
          result('c', { type: 'error-text', value: cutJson }),
          result('d', { type: 'content', value: [{ type: 'text', text: cut }, { type: 'text', text: 'hello' }, image] }),
        ],
      }),
    ] as PromptMessage[][];
    steps.push(steps[4]!.slice(3));
    const given = structuredClone(prompt);
    for (const [index, expected] of steps.entries()) {
      const trimmed: TrimmedPrompt[] = [];
      const maxTokens = countPrompt(tokenizer, { prompt: expected }).tokens;
      const options = {
        tokenizer,
        maxTokens,
        dropOldReasoning: true,
        toolResultTokens: 5,
        onTrim: (each: TrimmedPrompt) => trimmed.push(each),
      };
      const fitted = await tokenBudget(options).transformParams({ params: { prompt } });
      expect(fitted.prompt, `step ${index}`).toEqual(expected);
      expect(trimmed.map(({ after }) => after.tokens)).toEqual(index === 0 ? [] : [maxTokens]);
      if (index === 5) expect([trimmed[0]!.removed, trimmed[0]!.shortened]).toEqual([prompt.slice(0, 4), [prompt[6]]]);
      if (index === 3) expect([trimmed[0]!.removed, trimmed[0]!.shortened]).toEqual([[prompt[3]], [prompt[1], prompt[2]]]);
    }
    expect(prompt).toEqual(given);
    const older = [user('hello'), { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'look', result: values }] }];
    const fitted = await tokenBudget({ tokenizer, maxTokens: 30, toolResultTokens: 5 }).transformParams({ params: { prompt: older } });
    expect(fitted.prompt[1]).toMatchObject({ content: [{ result: cutJson }] });
    expect(() => tokenBudget({ tokenizer: { count: () => 0 }, maxTokens: 1, toolResultTokens: 1 })).toThrow(/truncate/);
  });

  it('takes time in proportion to the prompt', async () => {
    const prompt = Array.from({ length: 40_000 }, (_, index) => (index % 2 === 0 ? user('a') : assistant('b')));
    const { prompt: left } = await tokenBudget({ tokenizer, maxTokens: 50 }).transformParams({ params: { prompt } });
    expect(left).toHaveLength(9 + 1);
  });

  it('keeps approvals with the calls that they are about', async () => {
    const prompt = [
      user('hello'),
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {} },
          { type: 'tool-approval-request', approvalId: 'x', toolCallId: 'a' },
        ],
      },
      user('hello'),
      { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'x', approved: true }] },
      user('hello world'),
    ];
    const fitted = (maxTokens: number) => tokenBudget({ tokenizer, maxTokens }).transformParams({ params: { prompt } });
    expect((await fitted(20)).prompt).toEqual(prompt.slice(4));
    expect((await fitted(countPrompt(tokenizer, { prompt }).tokens - 1)).prompt).toEqual(prompt.slice(4));
  });

  it('refuses options that it cannot follow', async () => {
    const message = (options: unknown) => thrown(() => tokenBudget(wrong(options)), Error).message;
    expect(message(undefined)).toBe('expected an object for options but received undefined');
    expect(message({ maxTokens: 5 })).toBe('expected a Tokenizer for tokenizer but received undefined');
    expect(message({ tokenizer })).toBe('expected a number for maxTokens but received undefined');
    expect(message({ tokenizer, maxTokens: 1.5 })).toBe('expected an integer of 0 or more for maxTokens but received 1.5');
    expect(message({ tokenizer, maxTokens: 5, onTrim: true })).toBe('expected a function for onTrim but received true');
    expect(message({ tokenizer, maxTokens: 5, estimateFile: 5 })).toBe('expected a function for estimateFile but received 5');
    expect(message({ tokenizer, maxTokens: 5, perMessage: -1 })).toBe('expected an integer of 0 or more for perMessage but received -1');
    expect(message({ tokenizer, maxTokens: 5, specificationVersion: 'v2' })).toBe(
      "expected 'v3' or 'v4' for specificationVersion but received \"v2\"",
    );
    expect(message({ tokenizer, maxToken: 5 })).toBe("unknown option 'maxToken'; did you mean 'maxTokens'?");
    const { transformParams } = tokenBudget({ tokenizer, maxTokens: 5 });
    await expect(transformParams({ params: wrong({ prompt: 'hello' }) })).rejects.toThrow(
      'expected a list of messages for params.prompt but received "hello"',
    );
    await expect(transformParams({ params: wrong({ prompt: [{ role: 'user' }] }) })).rejects.toThrow(
      'expected a string or a list of parts for params.prompt[0].content but received undefined',
    );
    await expect(transformParams({ params: wrong({ prompt: [null] }) })).rejects.toThrow(
      'expected a string for params.prompt[0].role but received undefined',
    );
  });
});

describe('countPrompt', () => {
  const of = (part: object, options: object = {}) => {
    const { tokens, estimated } = countPrompt(tokenizer, { prompt: [{ role: 'user', content: [part] }] }, { perMessage: 0, ...options });
    return [tokens, estimated];
  };

  it('counts texts, and estimates what only the provider knows', () => {
    expect(of({ type: 'text', text: 'hello world' })).toEqual([2, 0]);
    expect(of({ type: 'reasoning', text: 'hello world' })).toEqual([2, 0]);
    const input = { at: 'hello', of: [1, 2] };
    expect(of({ type: 'tool-call', toolCallId: 'a', toolName: 'look', input })).toEqual([
      tokenizer.count('look') + tokenizer.count(JSON.stringify(input)),
      0,
    ]);
    const result = (output: object) => of({ type: 'tool-result', toolCallId: 'a', toolName: 'look', output });
    const look = tokenizer.count('look');
    expect(result({ type: 'text', value: 'hello world' })).toEqual([look + 2, 0]);
    expect(result({ type: 'error-text', value: 'hello world' })).toEqual([look + 2, 0]);
    expect(result({ type: 'json', value: input })).toEqual([look + tokenizer.count(JSON.stringify(input)), 0]);
    expect(result({ type: 'execution-denied', reason: 'hello' })).toEqual([look + 1, 0]);
    const image = { type: 'image-data', data: 'AAAA', mediaType: 'image/png' };
    expect(result({ type: 'content', value: [{ type: 'text', text: 'hello' }, image] })).toEqual([look + 1 + 1600, 1600]);
    expect(of({ type: 'custom', kind: 'a.b' })).toEqual([0, 0]);
    expect(countPrompt(tokenizer, { prompt: [{ role: 'system', content: 'hello' }] })).toEqual({ tokens: 5, estimated: 4 });
    expect(countPrompt(tokenizer, { prompt: [] })).toEqual({ tokens: 0, estimated: 0 });
  });

  it("counts requests in the shape of Anthropic's API", () => {
    const count = (text: string) => tokenizer.count(text);
    const input = { at: 'hello' };
    expect(of({ type: 'thinking', thinking: 'hello world', signature: 'x' })).toEqual([2, 0]);
    expect(of({ type: 'tool_use', id: 'a', name: 'look', input })).toEqual([count('look') + count(JSON.stringify(input)), 0]);
    expect(of({ type: 'tool_result', tool_use_id: 'a', content: 'hello world' })).toEqual([2, 0]);
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
    expect(of({ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'hello' }, image] })).toEqual([1601, 1600]);
    expect(of({ type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } })).toEqual([1600, 1600]);
    expect(of({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hello world' } })).toEqual([2, 0]);
    const pdf = { type: 'base64', media_type: 'application/pdf', data: Buffer.alloc(3200).toString('base64') };
    expect(of({ type: 'document', source: pdf })[1]).toBeGreaterThanOrEqual(100);
    const messages = [{ role: 'user', content: 'hello' }];
    expect(countPrompt(tokenizer, { messages })).toEqual({ tokens: 5, estimated: 4 });
    expect(countPrompt(tokenizer, { messages, system: 'hello world' })).toEqual({ tokens: 11, estimated: 8 });
    expect(countPrompt(tokenizer, { messages, system: [{ type: 'text', text: 'hello' }] }).tokens).toBe(10);
    const tool = { name: 'look', description: 'hello', input_schema: { type: 'object' } };
    const json = JSON.stringify({ name: 'look', description: 'hello', parameters: { type: 'object' } });
    expect(countPrompt(tokenizer, { messages, tools: [tool] }).tokens).toBe(5 + count(json));
    expect(() => countPrompt(tokenizer, wrong({ messages: [{ role: 'user' }] }))).toThrow('params.messages[0].content');
  });

  it('estimates files by their kind and length, in all forms that versions of the AI SDK have', () => {
    const bytes = new Uint8Array(3200);
    const base64 = Buffer.from(bytes).toString('base64');
    const url = new URL('https://example.org/a.pdf');
    for (const data of [
      bytes,
      base64,
      new URL(`data:application/pdf;base64,${base64}`),
      { type: 'data', data: bytes },
      { type: 'data', data: base64 },
    ]) {
      const [tokens, estimated] = of({ type: 'file', mediaType: 'application/pdf', data });
      expect([100, 101]).toContain(tokens);
      expect(estimated).toBe(tokens);
      expect(of({ type: 'file', mediaType: 'image/png', data })).toEqual([1600, 1600]);
    }
    for (const data of [url, { type: 'url', url }, { type: 'reference', reference: { openai: 'x' } }])
      expect(of({ type: 'file', mediaType: 'application/pdf', data })).toEqual([1600, 1600]);
    expect(of({ type: 'image', image: bytes })).toEqual([1600, 1600]);
    expect(of({ type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'hello world' } })).toEqual([2, 0]);
    const encoded = Buffer.from('héllo world').toString('base64');
    expect(of({ type: 'file', mediaType: 'text/plain', data: encoded })).toEqual([tokenizer.count('héllo world'), 0]);
    expect(of({ type: 'file', mediaType: 'text/plain', data: 'https://example.org/a.txt' })).toEqual([1600, 1600]);
    for (const data of [Buffer.from('hello world'), { type: 'data', data: new TextEncoder().encode('hello world') }])
      expect(of({ type: 'file', mediaType: 'text/plain', data })).toEqual([2, 0]);
  });

  it('estimates files as it is told', () => {
    const seen: unknown[] = [];
    const estimateFile = (file: object) => void seen.push(file);
    const part = { type: 'file', mediaType: 'image/png', data: new Uint8Array(9) };
    expect(of(part, { estimateFile })).toEqual([1600, 1600]);
    expect(seen).toEqual([{ mediaType: 'image/png', bytes: 9, part }]);
    expect(of(part, { estimateFile: () => 85 })).toEqual([85, 85]);
    expect(() => of(part, { estimateFile: () => NaN })).toThrow(
      'expected an integer of 0 or more for the result of estimateFile but received NaN',
    );
  });

  it('estimates tools and the schema of an answer by their JSON', () => {
    const inputSchema = { type: 'object', properties: { at: { type: 'string' } } };
    const json = JSON.stringify({ name: 'look', description: 'hello world', parameters: inputSchema });
    const tools = [{ type: 'function', name: 'look', description: 'hello world', inputSchema }];
    expect(countPrompt(tokenizer, { prompt: [], tools })).toEqual({ tokens: tokenizer.count(json), estimated: tokenizer.count(json) });
    const responseFormat = { type: 'json', schema: inputSchema };
    const shown = tokenizer.count(JSON.stringify({ schema: inputSchema }));
    expect(countPrompt(tokenizer, { prompt: [], responseFormat })).toEqual({ tokens: shown, estimated: shown });
    expect(countPrompt(tokenizer, { prompt: [], responseFormat: { type: 'text' } }).tokens).toBe(0);
  });

  it('refuses what it cannot count', () => {
    expect(() => countPrompt(wrong('x'), { prompt: [] })).toThrow('expected a Tokenizer for tokenizer but received "x"');
    expect(() => countPrompt(tokenizer, wrong([]))).toThrow('expected an object for params but received an array of 0');
    expect(() => countPrompt(tokenizer, { prompt: [] }, wrong({ perMesage: 1 }))).toThrow(
      "unknown option 'perMesage'; did you mean 'perMessage'?",
    );
  });
});

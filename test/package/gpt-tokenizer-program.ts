// A program that uses npm gpt-tokenizer. It is compiled and run unchanged, then again with only the import paths replaced.

import {
  ALL_SPECIAL_TOKENS,
  countTokens,
  decode,
  decodeAsyncGenerator,
  decodeGenerator,
  DEFAULT_MERGE_CACHE_SIZE,
  encode,
  encodeChat,
  encodeGenerator,
  EndOfText,
  isWithinTokenLimit,
  setMergeCacheSize,
  vocabularySize,
} from 'gpt-tokenizer';
import cl100k, { encode as encodeCl100k, encodeChatGenerator } from 'gpt-tokenizer/encoding/cl100k_base';
import { encode as encodeP50k } from 'gpt-tokenizer/encoding/p50k_base';
import type { ChatCompletionRequest, ChatMessage, EncodeOptions } from 'gpt-tokenizer/GptEncoding';
import { GptEncoding } from 'gpt-tokenizer/GptEncoding';
import { chatModelParams, DEFAULT_ENCODING, type EncodingName, type ModelName, modelToEncodingMap } from 'gpt-tokenizer/mapping';
import gpt4o, { countChatCompletionTokens, estimateCost } from 'gpt-tokenizer/model/gpt-4o';
import { encodeChat as encodeChat35 } from 'gpt-tokenizer/model/gpt-3.5-turbo';
import * as models from 'gpt-tokenizer/models';
import type { ModelSpec, PriceData } from 'gpt-tokenizer/modelTypes';
import { resolveEncoding } from 'gpt-tokenizer/resolveEncoding';
import { resolveEncodingAsync } from 'gpt-tokenizer/resolveEncodingAsync';

const text = 'Hello, world! 👋';
const ids: number[] = encode(text);
console.log(ids, decode(ids), countTokens(text), isWithinTokenLimit(text, 2), vocabularySize);

const limited: number | false = isWithinTokenLimit(text, 10, { allowedSpecial: ALL_SPECIAL_TOKENS });
const options: EncodeOptions = { allowedSpecial: new Set([EndOfText]) };
console.log(limited, encode(`${EndOfText}a`, options), encode('a<|b|>', { disallowedSpecial: new Set() }));
try {
  encode(`a${EndOfText}`);
} catch (error) {
  console.log((error as Error).message);
}

const generated: number[] = [];
for (const chunk of encodeGenerator(text)) generated.push(...chunk);
console.log(generated, [...decodeGenerator(ids)]);

async function* asynchronous(tokens: number[]): AsyncGenerator<number> {
  for (const token of tokens) yield token;
}
for await (const chunk of decodeAsyncGenerator(asynchronous(ids))) console.log(JSON.stringify(chunk));

const chat = [
  { role: 'system', content: 'You are a helpful assistant.' },
  { role: 'assistant', content: 'gpt-tokenizer is awesome.' },
] as const;
const messages: ChatMessage[] = [...chat, { role: 'user', name: 'Ann', content: '?' }];
const model: ModelName = 'gpt-4o-mini';
console.log(encodeChat(messages, model), gpt4o.countTokens(messages), encodeChat35(chat), isWithinTokenLimit('a', 5));
console.log([...encodeChatGenerator(messages, 'gpt-4')].flat(), encodeCl100k('hello'), encodeP50k('hello'), cl100k.decode([15339]));

const request: ChatCompletionRequest = {
  messages,
  functions: [{ name: 'f', parameters: { type: 'object', properties: { city: { type: 'string' } } } }],
  function_call: 'auto',
};
console.log(countChatCompletionTokens?.(request), gpt4o.countChatCompletionTokens?.(request));
const cost: PriceData = estimateCost(1000);
const spec: ModelSpec = models['gpt-4-turbo'];
const windowSize: number = models['gpt-4o'].context_window;
console.log(cost.main?.input, gpt4o.estimateCost(1000, spec).batch?.output, windowSize, models['gpt-4o'].knowledge_cutoff.getTime());

const encodingName: EncodingName = modelToEncodingMap['gpt-4'];
const api = GptEncoding.getEncodingApi(encodingName, resolveEncoding);
const ranks = await resolveEncodingAsync('r50k_base');
console.log(encodingName, DEFAULT_ENCODING, api.encode('hello'), chatModelParams['gpt-3.5-turbo'].roleSeparator);
console.log(GptEncoding.getEncodingApi('r50k_base', () => ranks).encode('hello'), ranks[31373], api.vocabularySize);
setMergeCacheSize(DEFAULT_MERGE_CACHE_SIZE);

// Looks up models: their encodings and their generated data. Only the requested record is parsed.

import { encodingForModel, type EncodingName } from '../vocabulary/models.js';
import { CHAT_MODELS, MODEL_RECORDS, OTHER_MODELS } from './model-data.js';
import type { ModelSpec } from './model-types.js';

/** The name of a model that takes chats. */
export type ChatModelName = (typeof CHAT_MODELS)[number];

/** The name of a model that gpt-tokenizer knows. */
export type ModelName = ChatModelName | (typeof OTHER_MODELS)[number];

/** Every model. */
export const MODEL_NAMES: readonly ModelName[] = [...CHAT_MODELS, ...OTHER_MODELS];

/** The encoding of unlisted models. */
export const DEFAULT_ENCODING = 'o200k_base';

/** The encoding of a model. */
export function encodingOf(model: string): EncodingName {
  return encodingForModel(model) ?? DEFAULT_ENCODING;
}

let records: Map<string, string> | undefined;

function read(): Map<string, string> {
  const found = new Map<string, string>();
  for (const record of MODEL_RECORDS.trim().split('\n\n')) {
    const names = record.slice(0, record.indexOf(' =\n'));
    const json = record.slice(names.length + ' =\n'.length);
    for (const name of names.split(' ')) found.set(name, json);
  }
  return found;
}

/** The data of a model, as a new object; undefined if there is no such model. */
export function specOf(model: string): ModelSpec | undefined {
  records ??= read();
  const json = records.get(model);
  return json === undefined ? undefined : (JSON.parse(json, withDates) as ModelSpec);
}

function withDates(key: string, value: unknown): unknown {
  return key === 'knowledge_cutoff' ? new Date(value as string) : value;
}

/** Whether a model takes chats. */
export function isChatModel(model: string): model is ChatModelName {
  return (CHAT_MODELS as readonly string[]).includes(model);
}

/** Whether a model calls functions. */
export function callsFunctions(spec: ModelSpec | undefined): boolean {
  return spec?.supported_features?.includes('function_calling') ?? false;
}

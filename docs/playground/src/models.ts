// What the comparison offers: the encodings of the package, the models that use them, and the prices that the page begins with.

import prices from '../prices.json' with { type: 'json' };

export interface Encoding {
  /** As `Tokenizer.load` takes it. */
  key: string;
  name: string;
  /** Models that use it, the best known first. */
  models: string[];
  /** Kilobytes of its vocabulary under gzip, for people on slow lines. */
  kilobytes: number;
}

/** Models whose cartridges the build has made from what it has, with their kilobytes. */
declare const __MODELS__: Record<string, number>;
const MODELS: Record<string, string> = { qwen3: 'Qwen3', deepseek_v3: 'DeepSeek-V3', mistral_nemo: 'Mistral Nemo' };
const built = typeof __MODELS__ === 'undefined' ? {} : __MODELS__;

/** Whether it is a model's own tokenizer.json, which is no vocabulary that the package has by name. */
export const isModel = (key: string) => Object.hasOwn(MODELS, key);

export const ENCODINGS: readonly Encoding[] = [
  { key: 'o200k_base', name: 'o200k_base', models: ['gpt-5', 'gpt-4.1', 'gpt-4o', 'gpt-4o-mini', 'o3', 'o4-mini'], kilobytes: 659 },
  {
    key: 'cl100k_base',
    name: 'cl100k_base',
    models: ['gpt-4-turbo', 'gpt-4', 'gpt-3.5-turbo', 'text-embedding-3-small', 'text-embedding-3-large'],
    kilobytes: 306,
  },
  { key: 'p50k_base', name: 'p50k_base', models: ['text-davinci-003', 'code-davinci-002'], kilobytes: 148 },
  { key: 'r50k_base', name: 'r50k_base', models: ['gpt-2', 'davinci', 'curie'], kilobytes: 148 },
  { key: 'o200k_harmony', name: 'o200k_harmony', models: ['gpt-oss-120b', 'gpt-oss-20b'], kilobytes: 0 },
  ...Object.entries(built).map(([key, kilobytes]) => ({ key, name: MODELS[key] as string, models: [MODELS[key] as string], kilobytes })),
  { key: 'lite', name: 'lite (longest match)', models: ['CRAYON lite'], kilobytes: 293 },
];

export const FIRST = 'o200k_base';

/** Dollars per million input tokens; undefined where the visitor has to say. */
export function defaultPrice(model: string): number | undefined {
  return (prices.perMillionInputTokens as Record<string, number>)[model];
}

/**
 * Tokens that a model's window holds, prompt and answer: `context_window` of npm gpt-tokenizer 4.0.0; of the embedding models, which it
 * does not have, the longest input that OpenAI's guide to embeddings names.
 */
const WINDOWS: Record<string, number> = {
  'gpt-5': 400_000,
  'gpt-4.1': 1_047_576,
  'gpt-4o': 128_000,
  'gpt-4o-mini': 128_000,
  o3: 200_000,
  'o4-mini': 200_000,
  'gpt-4-turbo': 128_000,
  'gpt-4': 8192,
  'gpt-3.5-turbo': 16_385,
  'text-embedding-3-small': 8192,
  'text-embedding-3-large': 8192,
  'text-davinci-003': 4000,
  'code-davinci-002': 8000,
  'gpt-2': 1024,
  davinci: 2048,
  curie: 2048,
  'gpt-oss-120b': 131_072,
  'gpt-oss-20b': 131_072,
};

export function windowOf(model: string): number | undefined {
  return WINDOWS[model];
}

/** The models of an encoding that OpenAI's API has chats with. */
export function chatModelsOf(key: string): string[] {
  return (encodingOf(key)?.models ?? []).filter((each) => /^(?:gpt-[345]|o\d)/.test(each));
}

export const PRICES_OF = prices.date;

export function encodingOf(key: string): Encoding | undefined {
  return ENCODINGS.find((each) => each.key === key);
}

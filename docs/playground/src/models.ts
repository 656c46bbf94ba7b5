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
  { key: 'lite', name: 'lite (longest match)', models: ['CRAYON lite'], kilobytes: 293 },
];

export const FIRST = 'o200k_base';

/** Dollars per million input tokens; undefined where the visitor has to say. */
export function defaultPrice(model: string): number | undefined {
  return (prices.perMillionInputTokens as Record<string, number>)[model];
}

export const PRICES_OF = prices.date;

export function encodingOf(key: string): Encoding | undefined {
  return ENCODINGS.find((each) => each.key === key);
}

// The cost of tokens at a model's prices.

import type { ModelSpec, PriceData, Prices } from './model-types.js';

const KINDS = ['input', 'output', 'cached_input', 'cached_output'] as const;

/** Dollars for `tokenCount` tokens of each kind that the model has a price for. */
export function costOf(tokenCount: number, model: ModelSpec | undefined): PriceData {
  if (!model) {
    throw new Error('Model spec must be provided either during initialization or passed in to the method.');
  }
  const { name, price_data: prices } = model;
  if (!prices) throw new Error(`No cost information available for model: ${name}`);
  const cost: PriceData = {};
  if (prices.main) cost.main = times(prices.main, tokenCount);
  if (prices.batch) cost.batch = times(prices.batch, tokenCount);
  return cost;
}

function times(prices: Prices, tokenCount: number): Prices {
  const millions = tokenCount / 1_000_000;
  const cost: Prices = {};
  for (const kind of KINDS) {
    const price = prices[kind];
    cost[kind] = price && price * millions;
  }
  return cost;
}

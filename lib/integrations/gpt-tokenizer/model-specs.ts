// Looks up models: their encodings, their generated data, and what their tokens cost. Only the requested row is parsed.

import { encodingForModel, type EncodingName } from '../../vocabularies/models.js';
import { CHAT_MODELS, ENDPOINTS, FEATURES, MODEL_ROWS, OTHER_MODELS, TOOLS } from './model-data.js';
import type { Modality, ModelSpec, PriceData, Prices } from './model-types.js';

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

let rows: Map<string, string> | undefined;

/** The row of each model. */
function readRows(): Map<string, string> {
  const found = new Map<string, string>();
  for (const row of MODEL_ROWS.trim().split('\n')) {
    for (const name of row.slice(0, row.indexOf(' ')).split(',')) found.set(name, row);
  }
  return found;
}

/** The data of a model, as a new object; undefined if there is no such model. */
export function specOf(model: string): ModelSpec | undefined {
  rows ??= readRows();
  const row = rows.get(model);
  if (row === undefined) return undefined;
  const cells = row.split(' ').map((cell) => (cell === '-' ? undefined : cell));
  const [names = '', slug, performance, latency, modalities = '', context, mostInput, mostOutput, cutoff, ...others] = cells;
  const [endpoints, features, tools, reasoning, deprecated, snapshot, main, batch] = others;
  const [name = ''] = names.split(',');
  const [input = [], output = []] = modalities.split('>').map((kinds) => Array.from(kinds, (letter) => MODALITIES[letter] as Modality));
  const spec = {
    name,
    slug: slug === '=' ? name : slug,
    performance: numberOf(performance),
    latency: numberOf(latency),
    modalities: { input, output },
    context_window: numberOf(context),
    max_input_tokens: numberOf(mostInput),
    max_output_tokens: numberOf(mostOutput),
    knowledge_cutoff: cutoff === undefined ? undefined : new Date(cutoff),
    supported_endpoints: listOf(ENDPOINTS, endpoints),
    supported_features: listOf(FEATURES, features),
    supported_tools: listOf(TOOLS, tools),
    reasoning_tokens: reasoning === undefined ? undefined : reasoning === 'true',
    price_data: main === undefined ? undefined : withoutUndefined({ main: pricesOf(main), batch: pricesOf(batch) }),
    current_snapshot: snapshot,
    deprecated: deprecated === undefined ? undefined : true,
  };
  return withoutUndefined(spec) as ModelSpec;
}

const MODALITIES: Record<string, Modality> = { a: 'audio', i: 'image', t: 'text', v: 'video' };

function numberOf(cell: string | undefined): number | undefined {
  return cell ? Number(cell) : undefined;
}

function listOf(lists: readonly string[], cell: string | undefined): string[] | undefined {
  return cell === undefined ? undefined : lists[Number(cell)]?.split(' ').filter(Boolean);
}

function pricesOf(cell: string | undefined): Prices | undefined {
  if (cell === undefined) return undefined;
  const [input, output, cached_output] = cell.split('/').map(numberOf);
  return withoutUndefined({ input, output, cached_output });
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}

/** Whether a model takes chats. */
export function isChatModel(model: string): model is ChatModelName {
  return (CHAT_MODELS as readonly string[]).includes(model);
}

/** Whether a model calls functions. */
export function callsFunctions(spec: ModelSpec | undefined): boolean {
  return spec?.supported_features?.includes('function_calling') ?? false;
}

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

/**
 * Prompts of the AI SDK, counted and kept within a budget.
 *
 * @module crayon-tokenizer/ai-sdk
 */

import { unexpected } from '../../base/errors.js';
import { checkedBoolean, checkOptionNames, optionNames } from '../../base/option-objects.js';
import type { Tokenizer } from '../../api/tokenizer.js';
import {
  checkedCount,
  checkedMessages,
  type CountPromptOptions,
  type PromptCount,
  PromptCounter,
  type PromptMessage,
  type PromptParams,
  sum,
  trimmings,
} from './count-prompt.js';
import { cutTo, shortenings } from './shortenings.js';

export { type ClaudeRequest, type CountPromptOptions, countPrompt, type PromptCount } from './count-prompt.js';
export type { PromptFile, PromptMessage, PromptParams } from './count-prompt.js';

/** What {@link tokenBudget} has left out of a prompt. */
export interface TrimmedPrompt {
  /** The messages that were left out, in their order. */
  removed: PromptMessage[];
  /** The messages whose reasoning was left out, or whose results of tools were cut, as they were before. */
  shortened: PromptMessage[];
  /** The tokens of the whole prompt. */
  before: PromptCount;
  /** The tokens of what the model gets. */
  after: PromptCount;
}

/** Options of {@link tokenBudget}. */
export interface TokenBudgetOptions<Version extends 'v3' | 'v4' = 'v4'> extends CountPromptOptions {
  /** The model's tokenizer. */
  tokenizer: Pick<Tokenizer, 'count'> & Partial<Pick<Tokenizer, 'truncate'>>;
  /** The most tokens of a prompt, tools included: the model's context, less the longest answer that you want. */
  maxTokens: number;
  /**
   * In a prompt that is too long, leave out the reasoning before the last message of the user, the oldest first, before anything else. Not
   * for OpenAI's Responses API, which refuses some stored items without their reasoning. Default false.
   */
  dropOldReasoning?: boolean | undefined;
  /**
   * In a prompt that is too long, cut the results of tools to this number of tokens, the oldest first, before messages are left out. An
   * ellipsis follows what is left; each text of a result of several parts is cut alone. Default: they stay whole.
   */
  toolResultTokens?: number | undefined;
  /** Told of each prompt before it is trimmed. */
  onCount?: ((count: PromptCount) => void) | undefined;
  /** Told of what was left out, when something was. */
  onTrim?: ((trimmed: TrimmedPrompt) => void) | undefined;
  /** For the types of `ai` 6: `'v3'`. Default `'v4'`, for `ai` 7. */
  specificationVersion?: Version | undefined;
}

const OPTIONS = optionNames<TokenBudgetOptions>({
  perMessage: true,
  estimateFile: true,
  tokenizer: true,
  maxTokens: true,
  dropOldReasoning: true,
  toolResultTokens: true,
  onCount: true,
  onTrim: true,
  specificationVersion: true,
});

/** A middleware of the AI SDK, for `wrapLanguageModel`. */
export interface TokenBudget<Version extends 'v3' | 'v4' = 'v4'> {
  readonly specificationVersion: Version;
  /** The same parameters, with as many messages as the budget allows. */
  transformParams<Params extends PromptParams>(options: { params: Params }): Promise<Params>;
}

/**
 * Makes a middleware of the AI SDK that counts the tokens of each prompt and leaves out the oldest of one that has too many.
 *
 * With `dropOldReasoning`, reasoning goes first; then what `toolResultTokens` cuts of the results of tools; then messages.
 * Messages of the system stay, and the last message of the user. Whole turns go before others: a message of the user with everything up to the
 * next one. If only the last turn is left, its oldest calls of tools go, except the last. A call and its result stay or go together. A
 * prompt that cannot fit is rejected with a `RangeError`. How tokens are counted: {@link countPrompt}.
 *
 * @example
 * ```ts
 * import { Tokenizer } from 'crayon-tokenizer';
 * import { type TokenBudget, tokenBudget, type TokenBudgetOptions, type TrimmedPrompt } from 'crayon-tokenizer/ai-sdk';
 *
 * const tokenizer = await Tokenizer.load('o200k_base');
 * const trimmed: TrimmedPrompt[] = [];
 * const options: TokenBudgetOptions = { tokenizer, maxTokens: 6, onTrim: (each) => trimmed.push(each) };
 * // For wrapLanguageModel({ model, middleware }):
 * const middleware: TokenBudget = tokenBudget(options);
 * const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] });
 * const params = { prompt: [user('hello'), user('hello world')] };
 * (await middleware.transformParams({ params })).prompt.length; // 1
 * trimmed[0]?.after; // { tokens: 6, estimated: 4 }
 * ```
 */
export function tokenBudget<Version extends 'v3' | 'v4' = 'v4'>(options: TokenBudgetOptions<Version>): TokenBudget<Version> {
  checkOptionNames(options, OPTIONS);
  const { tokenizer, maxTokens, dropOldReasoning, toolResultTokens, onCount, onTrim, specificationVersion = 'v4', ...counting } = options;
  if (specificationVersion !== 'v3' && specificationVersion !== 'v4') {
    throw unexpected("'v3' or 'v4'", 'specificationVersion', specificationVersion);
  }
  const limit = checkedCount(maxTokens, 'maxTokens');
  for (const [name, callback] of Object.entries({ onCount, onTrim })) {
    if (callback !== undefined && typeof callback !== 'function') throw unexpected('a function', name, callback);
  }
  const counter = new PromptCounter(tokenizer, counting);
  const drops = checkedBoolean(dropOldReasoning, 'dropOldReasoning');
  if (toolResultTokens !== undefined && typeof tokenizer.truncate !== 'function') {
    throw unexpected('a Tokenizer, whose truncate cuts results,', 'tokenizer', tokenizer);
  }
  const cut =
    toolResultTokens === undefined ? undefined : cutTo(checkedCount(toolResultTokens, 'toolResultTokens'), tokenizer as Tokenizer);
  return {
    specificationVersion: specificationVersion as Version,
    transformParams: async ({ params }) =>
      fitPrompt(params, limit, counter, (messages) => shortenings(messages, drops, cut), onCount, onTrim),
  };
}

function fitPrompt<Params extends PromptParams>(
  params: Params,
  limit: number,
  counter: PromptCounter,
  shorter: (messages: readonly PromptMessage[]) => ReturnType<typeof shortenings>,
  onCount: TokenBudgetOptions['onCount'],
  onTrim: TokenBudgetOptions['onTrim'],
): Params {
  const messages = checkedMessages(params);
  const counts = messages.map((message) => counter.message(message));
  const before = sum([counter.around(params), ...counts]);
  onCount?.({ ...before });
  if (before.tokens <= limit) return params;
  const left: (PromptMessage | undefined)[] = [...messages];
  const after = { ...before };
  const replace = (index: number, message: PromptMessage | undefined) => {
    const count = message ? counter.message(message) : { tokens: 0, estimated: 0 };
    const { tokens, estimated } = counts[index] as PromptCount;
    after.tokens += count.tokens - tokens;
    after.estimated += count.estimated - estimated;
    counts[index] = count;
    left[index] = message;
  };
  const steps = function* () {
    for (const [index, message] of shorter(messages)) yield replace(index, message);
    for (const indices of trimmings(messages)) yield indices.forEach((index) => replace(index, undefined));
  };
  for (const _ of steps()) {
    if (after.tokens > limit) continue;
    const removed = messages.filter((_, index) => left[index] === undefined);
    const shortened = messages.filter((message, index) => left[index] !== undefined && left[index] !== message);
    onTrim?.({ removed, shortened, before, after });
    return { ...params, prompt: left.filter((message) => message !== undefined) };
  }
  const rest = 'the messages of the system, the tools, the last message of the user and the calls of tools that cannot be left out';
  throw new RangeError(`cannot fit the prompt into ${limit} tokens: ${rest} take ${after.tokens} (${after.estimated} of them estimated)`);
}

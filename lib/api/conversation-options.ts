// Options of conversations, and their budgets.

import { outOfRange, unexpected } from '../base/errors.js';
import { checkedInteger, checkOptionNames, optionNames } from '../base/option-objects.js';
import type { ModelName } from '../vocabularies/models.js';
import { type EncodeChatOptions, RENDER_OPTIONS } from './chat-options.js';
import { COUNT_OPTIONS, type CountMessagesOptions } from './messages/request.js';

/**
 * Options of `tokenizer.conversation`: those of `encodeChat`, and a budget.
 *
 * @example
 * ```ts
 * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
 * const options: ConversationOptions = { template, budget: { tokens: 8000, warnAt: 0.8 }, onBudget: ({ count }) => console.log(count) };
 * using chat = await tokenizer.conversation(options);
 * ```
 */
export interface ConversationOptions extends Omit<EncodeChatOptions, 'origins' | 'assistantMask' | 'signal'>, BudgetingOptions {}

/**
 * Options of `tokenizer.conversation` for a model of OpenAI that has no published template: those of `countMessages`, and a budget.
 *
 * @example
 * ```ts
 * const options: ModelConversationOptions = { model: 'gpt-4o', budget: { tokens: 8000 } };
 * using chat = await tokenizer.conversation(options);
 * chat.add({ role: 'user', content: 'hello world' });
 * chat.count; // 9
 * ```
 */
export interface ModelConversationOptions extends CountMessagesOptions, BudgetingOptions {
  /** The model whose rule applies. Its encoding must be the tokenizer's. */
  model: ModelName | (string & {});
}

/**
 * The budget of a conversation, and the function that is told of it.
 *
 * @example
 * ```ts
 * const template = '{% for m in messages %}{{ m.content }}{% endfor %}';
 * const options: BudgetingOptions = { budget: { tokens: 8000 }, onBudget: ({ kind }) => console.log(kind) };
 * using chat = await tokenizer.conversation({ template, ...options });
 * ```
 */
export interface BudgetingOptions {
  /** How many tokens the chat should have at most. It is not enforced: `trimTo` is. */
  budget?: ConversationBudget | undefined;
  /**
   * Called after a change with which the chat begins to come near its budget, or to exceed it. The change is done by then, also if
   * this throws. Trim the chat after the change, not here: what the change returns would not include it.
   */
  onBudget?: ((event: BudgetEvent) => unknown) | undefined;
}

/**
 * The budget of a conversation.
 *
 * @example
 * ```ts
 * const budget: ConversationBudget = { tokens: 8000, warnAt: 0.8 };
 * ```
 */
export interface ConversationBudget {
  tokens: number;
  /** The share of the tokens from which on the chat is near its budget. Default 0.9. */
  warnAt?: number | undefined;
}

/**
 * A chat has come near its budget, or exceeds it.
 *
 * @example
 * ```ts
 * const template = '{% for m in messages %}{{ m.content }}{% endfor %}';
 * const events: BudgetEvent[] = [];
 * const onBudget = (event: BudgetEvent) => events.push(event);
 * using chat = await tokenizer.conversation({ template, budget: { tokens: 1 }, onBudget });
 * chat.add({ role: 'user', content: 'hello world' });
 * events; // [{ kind: 'over', count: 2, tokens: 1 }]
 * ```
 */
export interface BudgetEvent {
  kind: 'near' | 'over';
  /** The number of ids now. */
  count: number;
  /** The budget. */
  tokens: number;
}

const CHAT_OPTIONS = [...RENDER_OPTIONS.filter((name) => name !== 'signal'), 'special'];
const BUDGETING_OPTIONS = optionNames<BudgetingOptions>({ budget: true, onBudget: true });

/** The options of `countMessages`, with a model. */
export type CountingOptions = CountMessagesOptions & { model: string };

/** The checked options of a conversation: those of `encodeChat`, or of `countMessages`, and its budget. */
export function conversationOptions(options: ConversationOptions | ModelConversationOptions = {}): {
  chat: EncodeChatOptions;
  counting?: CountingOptions;
  budgeting: BudgetOptions;
} {
  const counts = typeof options === 'object' && (options as ModelConversationOptions | null)?.model !== undefined;
  const known = counts ? COUNT_OPTIONS : CHAT_OPTIONS;
  checkOptionNames(options, [...known, ...BUDGETING_OPTIONS]);
  const forwarded = Object.fromEntries(known.map((name) => [name, options[name as keyof typeof options]]));
  const budgeting = budgetOptions(options);
  return counts ? { chat: {}, counting: forwarded as unknown as CountingOptions, budgeting } : { chat: forwarded, budgeting };
}

function budgetOptions({ budget, onBudget }: BudgetingOptions): BudgetOptions {
  if (onBudget !== undefined && typeof onBudget !== 'function') throw unexpected('a function', 'onBudget', onBudget);
  if (budget === undefined) {
    if (onBudget !== undefined) throw new TypeError('`onBudget` must come with the option `budget`');
    return {};
  }
  checkOptionNames(budget, ['tokens', 'warnAt'], 'budget');
  const { tokens, warnAt = 0.9 } = budget;
  checkedInteger(tokens, 'budget.tokens', 0);
  if (typeof warnAt !== 'number') throw unexpected('a number', 'budget.warnAt', warnAt);
  if (!(warnAt >= 0 && warnAt <= 1)) throw outOfRange('a share from 0 to 1', 'budget.warnAt', warnAt);
  return { budget: { tokens, warnAt }, onBudget };
}

export interface BudgetOptions {
  budget?: Required<ConversationBudget>;
  onBudget?: ConversationOptions['onBudget'];
}

// Options of conversations, and their budgets.

import { outOfRange, unexpected } from '../base/errors.js';
import { checkOptionNames } from '../base/options.js';
import { type EncodeChatOptions, RENDER_OPTIONS } from './chat.js';

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
export interface ConversationOptions extends Omit<EncodeChatOptions, 'origins' | 'assistantMask'> {
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

const CHAT_OPTIONS = [...RENDER_OPTIONS, 'special'];
const CONVERSATION_OPTIONS = [...CHAT_OPTIONS, 'budget', 'onBudget'];

/** The options of `encodeChat` among a conversation's, and its own, checked. */
export function conversationOptions(options: ConversationOptions = {}): { chat: EncodeChatOptions; own: BudgetOptions } {
  checkOptionNames(options, CONVERSATION_OPTIONS);
  const { budget, onBudget } = options;
  const chat: EncodeChatOptions = Object.fromEntries(CHAT_OPTIONS.map((name) => [name, options[name as keyof ConversationOptions]]));
  if (onBudget !== undefined && typeof onBudget !== 'function') throw unexpected('a function', 'onBudget', onBudget);
  if (budget === undefined) {
    if (onBudget !== undefined) throw new TypeError('the option onBudget needs the option budget');
    return { chat, own: {} };
  }
  checkOptionNames(budget, ['tokens', 'warnAt'], 'budget');
  const { tokens, warnAt = 0.9 } = budget;
  checkTokens(tokens, 'budget.tokens');
  if (typeof warnAt !== 'number') throw unexpected('a number', 'budget.warnAt', warnAt);
  if (!(warnAt >= 0 && warnAt <= 1)) throw outOfRange('a share from 0 to 1', 'budget.warnAt', warnAt);
  return { chat, own: { budget: { tokens, warnAt }, onBudget } };
}

export interface BudgetOptions {
  budget?: Required<ConversationBudget>;
  onBudget?: ConversationOptions['onBudget'];
}

/** Checks a number of tokens. */
export function checkTokens(tokens: unknown, name: string): void {
  if (!Number.isInteger(tokens)) throw unexpected('an integer', name, tokens);
  if ((tokens as number) < 0) throw outOfRange('an integer of 0 or more', name, tokens);
}

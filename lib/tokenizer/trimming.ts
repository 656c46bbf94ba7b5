// Which messages a conversation removes to have fewer ids.

import { outOfRange, unexpected } from '../base/errors.js';
import { checkOptionNames } from '../base/options.js';
import type { TextChange } from '../engine/edited-text.js';
import type { ChatState, TakenMessage, TemplateMessage } from './chat.js';

/**
 * Options of {@link Conversation.trimTo}.
 *
 * @example
 * ```ts
 * const options: TrimOptions = { keep: { roles: ['system'], last: 2 } };
 * ```
 */
export interface TrimOptions {
  /**
   * Which messages stay: those with one of the roles (default `system` and `developer`), and the last ones (default 1); or all
   * for which a function returns true. The results of calls stay with the message that calls, and it with them.
   */
  keep?: { roles?: readonly string[] | undefined; last?: number | undefined } | KeepMessage | undefined;
}

/**
 * Whether a message stays.
 *
 * @example
 * ```ts
 * const keep: KeepMessage = (message, index) => index === 0 || message.role === 'user';
 * ```
 */
export type KeepMessage = (message: TemplateMessage, index: number, messages: readonly TemplateMessage[]) => boolean;

/**
 * What {@link Conversation.trimTo} has removed.
 *
 * @example
 * ```ts
 * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
 * using chat = await tokenizer.conversation({ template });
 * chat.add({ role: 'user', content: 'hello' }, { role: 'user', content: 'hello world' });
 * const { messages, removed }: TrimmedMessages = chat.trimTo(3);
 * messages; // [{ role: 'user', content: 'hello' }]
 * removed; // 2
 * ```
 */
export interface TrimmedMessages extends TextChange {
  /** The messages, in their order. */
  messages: TemplateMessage[];
}

/** The function that options of `trimTo` stand for. */
export function keeping(options: TrimOptions | undefined): KeepMessage {
  if (options !== undefined) checkOptionNames(options, ['keep']);
  const keep = options?.keep ?? {};
  if (typeof keep === 'function') return keep;
  checkOptionNames(keep, ['roles', 'last'], 'keep');
  const { roles = ['system', 'developer'], last = 1 } = keep;
  if (!Array.isArray(roles)) throw unexpected('an array of roles', 'keep.roles', roles);
  if (!Number.isInteger(last)) throw unexpected('an integer', 'keep.last', last);
  if (last < 0) throw outOfRange('a number of messages', 'keep.last', last);
  return (message, index, messages) => index >= messages.length - last || roles.includes((message as { role?: unknown }).role);
}

/** What may go: messages with the results behind them, from one index up to another, ascending. */
export type Removable = readonly (readonly [from: number, to: number])[];

/** A message and the results behind it stay if any of them is to be kept. */
export function removableOf(messages: readonly TemplateMessage[], keeps: KeepMessage): Removable {
  const removable: [number, number][] = [];
  for (let from = 0, to = 0; from < messages.length; from = to) {
    do to++;
    while (isResult(messages[to]));
    if (!messages.slice(from, to).some((message, at) => keeps(message, from + at, messages))) removable.push([from, to]);
  }
  return removable;
}

/**
 * The messages without the first removable ones, as few as it takes. `gone`: those that are removed.
 *
 * Chats are tried one after the other. Neither that a template accepts a chat nor how many ids it has follows from other
 * chats, so that a search by halves could find more than the fewest. But each chat costs about as much as it differs from
 * the one before.
 */
export function trimmed(
  state: ChatState,
  taken: readonly TakenMessage[],
  removable: Removable,
  maxTokens: number,
): { left: readonly TakenMessage[]; gone: Removable } {
  const kept: TakenMessage[] = [];
  let refusal: unknown;
  let least: number | undefined;
  let next = 0;
  for (const [index, [from, to]] of removable.entries()) {
    for (; next < from; next++) kept.push(taken[next] as TakenMessage);
    next = to;
    const left = kept.concat(taken.slice(next));
    try {
      least = state.countOf(left);
    } catch (error) {
      refusal = error;
      continue;
    }
    if (least <= maxTokens) return { left, gone: removable.slice(0, index + 1) };
  }
  if (least === undefined && refusal !== undefined) throw refusal;
  const stays = removable.reduce((count, [from, to]) => count + from - to, taken.length);
  const staying = stays === 1 ? 'the message that must stay has' : `the ${stays} messages that must stay have`;
  const found = least === undefined ? `it has ${state.count}, and every message must stay` : `${staying} ${least}`;
  throw new RangeError(`cannot trim the chat to ${maxTokens} tokens: ${found}`);
}

/** Whether a message answers a call of the one before it. */
function isResult(message: TemplateMessage | undefined): boolean {
  const role = (message as { role?: unknown } | undefined)?.role;
  return role === 'tool' || role === 'function' || role === 'ipython';
}

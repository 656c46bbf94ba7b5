// Which messages a conversation removes to have fewer ids.

import { unexpected } from '../base/errors.js';
import { checkedChoice, checkedInteger, checkOptionNames } from '../base/option-objects.js';
import type { TextChange } from '../engine/edited-text.js';
import type { ChatState, TakenMessage, TemplateMessage } from './chat-options.js';

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
   * for which a function returns true. What goes together (`whole`) stays if any of it stays.
   */
  keep?: { roles?: readonly string[] | undefined; last?: number | undefined } | KeepMessage | undefined;
  /**
   * What goes or stays together: `'turns'`, a message of the user and everything up to the next one, so that what is left begins with
   * the user behind messages of the system and the developer; or `'messages'`, each, with the results of the calls in it. Either way
   * no result stays without its call, and no call without its results. Default `'turns'`, if the chat has a message of the user.
   */
  whole?: 'turns' | 'messages' | undefined;
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

/** Which messages may go by the options of `trimTo`. */
export function removableBy(options: TrimOptions = {}): (messages: readonly TemplateMessage[]) => Removable {
  checkOptionNames(options, ['keep', 'whole']);
  const { keep = {}, whole } = options;
  if (whole !== undefined) checkedChoice(whole, 'whole', ['turns', 'messages']);
  const keeps = typeof keep === 'function' ? keep : keeping(keep);
  return (messages) => {
    const byTurns = (whole ?? 'turns') === 'turns' && messages.some((message) => roleOf(message) === 'user');
    const starts = startsOf(messages, byTurns);
    const parts = starts.map((from, index) => [from, starts[index + 1] ?? messages.length] as const);
    return parts.filter(([from, to]) => !messages.slice(from, to).some((message, at) => keeps(message, from + at, messages)));
  };
}

function keeping(keep: Exclude<TrimOptions['keep'], KeepMessage | undefined>): KeepMessage {
  checkOptionNames(keep, ['roles', 'last'], 'keep');
  const { roles = SYSTEM, last = 1 } = keep;
  if (!Array.isArray(roles)) throw unexpected('an array of roles', 'keep.roles', roles);
  checkedInteger(last, 'keep.last', 0);
  return (message, index, messages) => index >= messages.length - last || roles.includes(roleOf(message) as string);
}

/** Groups of messages that may go: from one index up to another, ascending. */
export type Removable = readonly (readonly [from: number, to: number])[];

const SYSTEM = ['system', 'developer'];
const RESULTS = ['tool', 'function', 'ipython'];

/**
 * Where a group of messages that go together begins. A result belongs to the last message before it that can have called, so that no
 * group begins between the two. A turn begins with the user, or with the messages before the first user; messages of the system and the
 * developer before a turn are groups of one.
 */
function startsOf(messages: readonly TemplateMessage[], byTurns: boolean): number[] {
  const starts: number[] = [];
  const first = byTurns ? messages.findIndex((message) => !SYSTEM.includes(roleOf(message) as string)) : 0;
  let awaitsCall = false;
  let beforeTurn = true;
  for (let index = messages.length - 1; index >= 0; index--) {
    const role = roleOf(messages[index]) as string;
    const isSystem = SYSTEM.includes(role);
    if (RESULTS.includes(role)) awaitsCall = true;
    else if (role !== 'user' && !isSystem) awaitsCall = false;
    const begins = !byTurns || role === 'user' || index <= first || (isSystem && beforeTurn);
    if (index === 0 || (begins && !awaitsCall)) starts.unshift(index);
    beforeTurn = role === 'user' || (isSystem && beforeTurn);
  }
  return starts;
}

/**
 * Removes the first removable messages, about as few as it takes. `left`: the messages that stay; `gone`: the removed ones.
 *
 * How many is found by halves, as if a chat with fewer messages had fewer ids; a chat that the template refuses counts as the next
 * smaller one that it accepts. So the next larger chat that it accepts does not fit.
 */
export function trimmed(
  state: ChatState,
  taken: readonly TakenMessage[],
  removable: Removable,
  maxTokens: number,
): { left: readonly TakenMessage[]; gone: Removable } {
  const without = (count: number) => {
    let end = 0;
    const left = removable.slice(0, count).flatMap(([from, to]) => {
      const before = taken.slice(end, from);
      end = to;
      return before;
    });
    return left.concat(taken.slice(end));
  };
  let refusal: unknown;
  let least: number | undefined;
  let found: number | undefined;
  for (let low = 1, high = removable.length; low <= high; ) {
    const middle = (low + high) >>> 1;
    let tried = middle;
    let count: number | undefined;
    for (; tried <= high && count === undefined; tried++) {
      try {
        count = state.countOf(without(tried));
      } catch (error) {
        refusal = error;
      }
    }
    tried--;
    if (count === undefined || count <= maxTokens) {
      if (count !== undefined) found = tried;
      high = middle - 1;
    } else {
      least = count;
      low = tried + 1;
    }
  }
  if (found !== undefined) return { left: without(found), gone: removable.slice(0, found) };
  if (least === undefined && refusal !== undefined) throw refusal;
  const stays = removable.reduce((count, [from, to]) => count + from - to, taken.length);
  const staying = stays === 1 ? 'the message that must stay has' : `the ${stays} messages that must stay have`;
  const has = least === undefined ? `it has ${state.count}, and every message must stay` : `${staying} ${least}`;
  throw new RangeError(`cannot trim the chat to ${maxTokens} tokens: ${has}`);
}

function roleOf(message: TemplateMessage | undefined): unknown {
  return (message as { role?: unknown } | undefined)?.role;
}

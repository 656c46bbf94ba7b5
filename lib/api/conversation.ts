// Chats that change message by message: the ids are those of `encodeChat`. Public API.

import { beginAtCallers, refused, TokenizerError } from '../base/errors.js';
import { checkedInteger } from '../base/option-objects.js';
import { deepFreeze } from '../base/public-objects.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import type { TextChange } from '../engine/edited-text.js';
import { type ChatState, DEEPEST, takenMessage, type TakenMessage, type TemplateMessage } from './chat-options.js';
import { checkedPlace } from './arguments.js';
import type { BudgetOptions } from './conversation-options.js';
import { removableBy, type TrimmedMessages, trimmed, type TrimOptions } from './trimming.js';

/**
 * A chat that changes message by message: the result of `tokenizer.conversation`.
 *
 * After every change, `ids`, `count` and `text` are what `encodeChat`, `countChat` and `renderChat` return for the messages
 * with the same options; without messages, they are empty. A change that fails, as when the template refuses the order of
 * roles, leaves everything as it was. Messages are copied and frozen.
 *
 * @example
 * ```ts
 * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
 * using chat = await tokenizer.conversation({ template });
 * chat.add({ role: 'user', content: 'hello' });
 * chat.ids; // Uint32Array [24912, 199999]
 * chat.edit(0, { role: 'user', content: 'hello world' }); // { from: 1, removed: 0, inserted: 1 }
 * chat.count; // 3
 * ```
 */
export class Conversation {
  readonly #state: ChatState;
  readonly #budgeting: BudgetOptions;
  #isClosed = false;
  /** Until the next change. */
  #ids: UnsharedUint32Array | undefined;
  #taken: readonly TakenMessage[];

  /** @internal */
  constructor(state: ChatState, budgeting: BudgetOptions, taken: readonly TakenMessage[] = []) {
    beginAtCallers(Conversation);
    this.#state = state;
    this.#budgeting = budgeting;
    this.#taken = taken;
  }

  /**
   * Appends messages. Templates that refuse some chats, as many refuse one without a message of the user, see only the chat
   * with all of them.
   *
   * @example
   * ```ts
   * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
   * using chat = await tokenizer.conversation({ template });
   * chat.add({ role: 'user', content: 'hello' }, { role: 'assistant', content: 'hello' }).inserted; // 4
   * ```
   */
  add(...messages: TemplateMessage[]): TextChange {
    return this.#change('add', () => {
      const added = messages.map((message, index) => frozen(message, messages.length === 1 ? 'message' : `messages[${index}]`));
      return [...this.#taken, ...added];
    });
  }

  /**
   * Replaces a message.
   *
   * @example
   * ```ts
   * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
   * using chat = await tokenizer.conversation({ template });
   * chat.add({ role: 'user', content: 'hello' });
   * chat.edit(0, { role: 'user', content: 'hello world' });
   * chat.text; // 'hello world<|endoftext|>'
   * ```
   */
  edit(index: number, message: TemplateMessage): TextChange {
    return this.#change('edit', () => this.#taken.with(this.#checked(index), frozen(message, 'message')));
  }

  /**
   * Removes a message.
   *
   * @example
   * ```ts
   * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
   * using chat = await tokenizer.conversation({ template });
   * chat.add({ role: 'user', content: 'hello' });
   * chat.remove(0); // { from: 0, removed: 2, inserted: 0 }
   * ```
   */
  remove(index: number): TextChange {
    return this.#change('remove', () => this.#taken.toSpliced(this.#checked(index), 1));
  }

  /**
   * Removes the oldest turns, except those with a message to keep, until the chat has at most `maxTokens` ids: about as few as the
   * template accepts. So it still begins with the user, behind messages of the system. With `whole: 'messages'`, or in a chat without
   * the user, messages are removed alone; either way the result of a tool stays or goes with its call. Throws a RangeError, and
   * removes nothing, if what stays has more.
   *
   * @example
   * ```ts
   * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
   * using chat = await tokenizer.conversation({ template });
   * chat.add({ role: 'system', content: 'hello' }, { role: 'user', content: 'hello world' }, { role: 'user', content: 'hello' });
   * chat.trimTo(4, { keep: { roles: ['system'], last: 1 } }).messages; // [{ role: 'user', content: 'hello world' }]
   * chat.text; // 'hello<|endoftext|>hello<|endoftext|>'
   * chat.trimTo(3); // throws RangeError
   * ```
   */
  trimTo(maxTokens: number, options?: TrimOptions): TrimmedMessages {
    this.#check('trimTo');
    checkedInteger(maxTokens, 'maxTokens', 0);
    const removable = removableBy(options);
    if (this.#state.count <= maxTokens) return { from: 0, removed: 0, inserted: 0, messages: [] };
    const { messages } = this;
    const { left, gone } = trimmed(this.#state, this.#taken, removable(messages), maxTokens);
    const change = this.#become(left);
    return { ...change, messages: gone.flatMap(([from, to]) => messages.slice(from, to)) };
  }

  /**
   * A new list of the messages, which are frozen copies.
   *
   * @example
   * ```ts
   * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
   * using chat = await tokenizer.conversation({ template });
   * chat.add({ role: 'user', content: 'hello' });
   * chat.messages; // [{ role: 'user', content: 'hello' }]
   * ```
   */
  get messages(): readonly TemplateMessage[] {
    return this.#read('messages', () => this.#taken.map(({ data }) => data as TemplateMessage));
  }

  /**
   * All ids, in one array that is made when it is first read after a change; do not change it. `slice` returns some of them
   * without that.
   *
   * @example
   * ```ts
   * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
   * using chat = await tokenizer.conversation({ template });
   * chat.add({ role: 'user', content: 'hello' });
   * chat.ids; // Uint32Array [24912, 199999]
   * ```
   */
  get ids(): UnsharedUint32Array {
    return this.#read('ids', () => (this.#ids ??= this.#state.slice(0, this.#state.count)));
  }

  /**
   * The ids from one to another (not included), as a copy. Negative numbers count from the end, as in `Array.slice`.
   *
   * @example
   * ```ts
   * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
   * using chat = await tokenizer.conversation({ template });
   * const { from } = chat.add({ role: 'user', content: 'hello' });
   * chat.slice(from); // Uint32Array [24912, 199999]
   * ```
   */
  slice(from = 0, to: number = this.count): UnsharedUint32Array {
    this.#check('slice');
    const { count } = this.#state;
    return this.#state.slice(checkedPlace(from, 'from', count), checkedPlace(to, 'to', count));
  }

  /**
   * The number of ids.
   *
   * @example
   * ```ts
   * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
   * using chat = await tokenizer.conversation({ template });
   * chat.add({ role: 'user', content: 'hello' });
   * chat.count; // 2
   * ```
   */
  get count(): number {
    return this.#read('count', () => this.#state.count);
  }

  /**
   * The text of the chat.
   *
   * @example
   * ```ts
   * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
   * using chat = await tokenizer.conversation({ template });
   * chat.add({ role: 'user', content: 'hello' });
   * chat.text; // 'hello<|endoftext|>'
   * ```
   */
  get text(): string {
    return this.#read('text', () => this.#state.text());
  }

  /**
   * Another conversation with the same messages and options, which changes on its own: to try something, or to go on in two
   * ways. It must be closed, too.
   *
   * @example
   * ```ts
   * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
   * using chat = await tokenizer.conversation({ template });
   * chat.add({ role: 'user', content: 'hello' });
   * using other = chat.fork();
   * other.add({ role: 'assistant', content: 'hello' });
   * [chat.count, other.count]; // [2, 4]
   * ```
   */
  fork(): Conversation {
    this.#check('fork');
    return new Conversation(this.#state.copy(), this.#budgeting, this.#taken);
  }

  /**
   * Lets go of the vocabulary. Everything but `close` throws after that (`CLOSED`).
   *
   * @example
   * ```ts
   * const chat = await tokenizer.conversation({ template: '{{ messages[0].content }}' });
   * chat.close();
   * chat.count; // throws TokenizerError (CLOSED)
   * ```
   */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#state.close();
  }

  /**
   * The same as `close`, for `using`.
   *
   * @example
   * ```ts
   * using chat = await tokenizer.conversation({ template: '{{ messages[0].content }}' });
   * ```
   */
  [Symbol.dispose](): void {
    this.close();
  }

  #change(call: string, next: () => readonly TakenMessage[]): TextChange {
    this.#check(call);
    return this.#become(next());
  }

  #become(taken: readonly TakenMessage[]): TextChange {
    const before = this.#state.count;
    const change = this.#state.become(taken);
    this.#taken = taken;
    this.#ids = undefined;
    this.#tell(before);
    return change;
  }

  /** Tells of a limit that the change has passed: only of the higher one. */
  #tell(before: number): void {
    const { budget, onBudget } = this.#budgeting;
    if (!budget || !onBudget) return;
    const { count } = this.#state;
    const { tokens } = budget;
    const near = tokens * budget.warnAt;
    if (count > tokens && before <= tokens) onBudget({ kind: 'over', count, tokens });
    else if (count >= near && count <= tokens && before < near) onBudget({ kind: 'near', count, tokens });
  }

  #read<Value>(name: string, read: () => Value): Value {
    this.#check(`read ${name}`);
    return read();
  }

  #check(call: string): void {
    const why = this.#isClosed ? 'the conversation has been closed' : this.#state.isClosed ? 'its tokenizer has been closed' : undefined;
    if (why !== undefined) throw new TokenizerError(`cannot ${call}: ${why}`, { code: 'CLOSED' });
  }

  #checked(index: number): number {
    const { length } = this.#taken;
    if (length === 0) throw refused('`index` must be that of a message, and the chat has none', index);
    return checkedInteger(index, 'index', 0, length - 1);
  }
}

function frozen(message: unknown, name: string): TakenMessage {
  const taken = takenMessage(message, name);
  deepFreeze(taken.data, DEEPEST);
  return taken;
}

// Conversations: what their methods accept, return and refuse. test/chat/conversation.test.ts compares their ids with encodeChat.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type BudgetEvent, type ConversationOptions, Tokenizer, TokenizerError } from 'crayon-tokenizer';

/** Marks the ends of messages; refuses chats that do not begin with the user or the system. */
const TEMPLATE =
  "{% if messages[0].role not in ['user', 'system'] %}{{ raise_exception('begin with the user') }}{% endif %}" +
  '{% for m in messages %}{{ m.role }}: {{ m.content }}<|endoftext|>{% endfor %}';

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });
const system = (content: string) => ({ role: 'system', content });
const tool = (content: string) => ({ role: 'tool', content });

let tokenizer: Tokenizer;
beforeAll(async () => {
  tokenizer = await Tokenizer.load('cl100k_base', { documents: true });
});
afterAll(() => tokenizer.close());

const begin = (options?: ConversationOptions) => tokenizer.conversation({ template: TEMPLATE, ...options });

describe('a conversation', () => {
  it('is empty at first, and again without messages', async () => {
    using chat = await begin();
    expect([chat.count, chat.text, [...chat.ids], chat.messages]).toEqual([0, '', [], []]);
    chat.add(user('hello'));
    chat.remove(0);
    expect([chat.count, chat.text, [...chat.ids], chat.messages]).toEqual([0, '', [], []]);
  });

  it('tells which ids have changed, and no more', async () => {
    using chat = await begin();
    chat.add(user('one'), assistant('two'), user('three'));
    const before = [...chat.ids];
    const change = chat.edit(1, assistant('two and'));
    expect(change.inserted).toBe(1);
    expect(change.removed).toBe(0);
    expect(before.toSpliced(change.from, change.removed, ...chat.slice(change.from, change.from + change.inserted))).toEqual([...chat.ids]);
    expect([...chat.ids]).toEqual([...(await tokenizer.encodeChat(chat.messages, { template: TEMPLATE }))]);
    expect(chat.edit(1, assistant('two and'))).toMatchObject({ removed: 0, inserted: 0 });
  });

  it('copies messages, and shows them frozen', async () => {
    using chat = await begin();
    const message = { role: 'user', content: 'hello', extra: { list: [1] } };
    chat.add(message);
    message.content = 'other';
    expect(chat.text).toBe('user: hello<|endoftext|>');
    const [shown] = chat.messages as [typeof message];
    expect(() => shown.extra.list.push(2)).toThrow(TypeError);
    expect(() => ((chat.messages as unknown[]).length = 0)).not.toThrow();
    expect(chat.messages).toHaveLength(1);
  });

  it('stays as it is when the template refuses a change', async () => {
    using chat = await begin();
    expect(() => chat.add(assistant('hi'))).toThrow(expect.objectContaining({ code: 'TEMPLATE_REFUSED' }));
    chat.add(user('hello'), assistant('hi'));
    const before = [chat.text, [...chat.ids], chat.messages];
    expect(() => chat.remove(0)).toThrow(/begin with the user/);
    expect(() => chat.edit(0, tool('x'))).toThrow(/begin with the user/);
    expect([chat.text, [...chat.ids], chat.messages]).toEqual(before);
    chat.add(user('bye'));
    expect(chat.text).toBe('user: hello<|endoftext|>assistant: hi<|endoftext|>user: bye<|endoftext|>');
  });

  it('names what is wrong with an argument', async () => {
    using chat = await begin();
    expect(() => chat.add('hello' as never)).toThrow('message');
    expect(() => chat.add(user('a'), 5 as never)).toThrow('messages[1]');
    expect(() => chat.remove(0)).toThrow(RangeError);
    chat.add(user('hello'));
    expect(() => chat.remove(1)).toThrow('from 0 to 0');
    expect(() => chat.edit(-1, user('x'))).toThrow(RangeError);
    expect(() => chat.edit('0' as never, user('x'))).toThrow(TypeError);
    expect(() => chat.slice(0.5)).toThrow(RangeError);
    expect([...chat.slice(-1)]).toEqual([100257]);
    await expect(begin({ origins: true } as never)).rejects.toThrow('origins');
    await expect(begin({ tools: 5 } as never)).rejects.toThrow('tools');
    await expect(begin({ onBudget: () => {} })).rejects.toThrow('budget');
    await expect(begin({ budget: { tokens: -1 } })).rejects.toThrow('budget.tokens');
    await expect(begin({ budget: { tokens: 5, warnAt: 2 } })).rejects.toThrow('budget.warnAt');
    await expect(tokenizer.conversation({ template: '{{' })).rejects.toMatchObject({ code: 'INVALID_TEMPLATE' });
    await expect(tokenizer.conversation()).rejects.toMatchObject({ code: 'INVALID_TEMPLATE' });
  });

  it('forks: each goes on alone, and is closed alone', async () => {
    const chat = await begin();
    chat.add(user('hello'));
    const fork = chat.fork();
    fork.add(assistant('fork'));
    chat.add(assistant('chat'));
    expect(fork.text).toBe('user: hello<|endoftext|>assistant: fork<|endoftext|>');
    expect(chat.text).toBe('user: hello<|endoftext|>assistant: chat<|endoftext|>');
    chat.close();
    chat.close();
    fork.edit(1, assistant('again'));
    expect([...fork.ids]).toEqual([...(await tokenizer.encodeChat(fork.messages, { template: TEMPLATE }))]);
    fork.close();
  });

  it('throws CLOSED after its own close and its tokenizer’s', async () => {
    const own = await Tokenizer.load('cl100k_base', { documents: true });
    const [first, second] = [await own.conversation({ template: TEMPLATE }), await own.conversation({ template: TEMPLATE })];
    first.add(user('hello'));
    second.add(user('hello'));
    first.close();
    own.close();
    for (const chat of [first, second]) {
      const uses = [
        () => chat.ids,
        () => chat.count,
        () => chat.text,
        () => chat.messages,
        () => chat.add(user('a')),
        () => chat.remove(0),
        () => chat.fork(),
        () => chat.slice(),
        () => chat.trimTo(1),
      ];
      for (const use of uses) expect(use).toThrow(expect.objectContaining({ code: 'CLOSED' }) as TokenizerError);
    }
    second.close();
  });

  it('keeps its vocabulary when the tokenizer takes another', async () => {
    using own = await Tokenizer.load('cl100k_base', { documents: true });
    using chat = await own.conversation({ template: TEMPLATE });
    chat.add(user('hello'));
    await own.swap('o200k_base');
    chat.add(assistant('antidisestablishmentarianism'));
    expect([...chat.ids]).toEqual([...(await tokenizer.encodeChat(chat.messages, { template: TEMPLATE }))]);
  });
});

describe('trimTo', () => {
  const filled = async (options?: ConversationOptions) => {
    const chat = await begin(options);
    chat.add(system('Be brief.'), user('one'), assistant('two'), user('three'), assistant('four'), user('five'));
    return chat;
  };

  it('does nothing to a chat that fits', async () => {
    using chat = await filled();
    expect(chat.trimTo(chat.count)).toEqual({ from: 0, removed: 0, inserted: 0, messages: [] });
    expect(chat.messages).toHaveLength(6);
  });

  it('removes the oldest messages, as few as it takes, and keeps the system’s and the last', async () => {
    for (let limit = 1; ; limit++) {
      using chat = await filled();
      const { count, messages } = chat;
      if (limit >= count) break;
      const without = (gone: number) => messages.toSpliced(1, gone);
      const counts = await Promise.all([0, 1, 2, 3, 4].map((gone) => tokenizer.countChat(without(gone), { template: TEMPLATE })));
      const expected = counts.findIndex((each) => each <= limit);
      if (expected < 0) {
        expect(() => chat.trimTo(limit, { whole: 'messages' })).toThrow(RangeError);
        expect(chat.messages).toEqual(messages);
        continue;
      }
      const { messages: gone, removed, inserted } = chat.trimTo(limit, { whole: 'messages' });
      expect(gone).toEqual(messages.slice(1, 1 + expected));
      expect(chat.messages).toEqual(without(expected));
      expect(chat.count).toBe(counts[expected]);
      expect(count - removed + inserted).toBe(chat.count);
    }
  });

  it('removes whole turns, unless told otherwise', async () => {
    using chat = await filled();
    const { messages } = chat;
    expect(chat.trimTo(chat.count - 1).messages).toEqual(messages.slice(1, 3));
    expect(chat.trimTo(chat.count - 1).messages).toEqual(messages.slice(3, 5));
    expect(() => chat.trimTo(chat.count - 1)).toThrow(RangeError);
    // A turn stays with any of its messages.
    using other = await filled();
    expect(other.trimTo(other.count - 1, { keep: (_, index) => index === 2 }).messages).toEqual([messages[0]]);
    expect(other.trimTo(other.count - 1, { keep: (_, index) => index === 1 }).messages).toEqual(messages.slice(3, 5));
  });

  it('removes messages before the first turn alone, and reminders of the system with no turn', async () => {
    const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
    using chat = await tokenizer.conversation({ template });
    chat.add(system('x'), assistant('greeting'), user('one'), assistant('two'), system('reminder'), user('three'));
    const gone = () => chat.trimTo(chat.count - 1).messages;
    expect(gone()).toEqual([assistant('greeting')]);
    expect(gone()).toEqual([user('one'), assistant('two')]);
    expect(chat.messages).toEqual([system('x'), system('reminder'), user('three')]);
  });

  it('keeps what a function or a number says', async () => {
    using chat = await filled();
    chat.trimTo(15, { keep: ({ role }) => role === 'user', whole: 'messages' });
    expect(chat.messages.every(({ role }) => role === 'user')).toBe(true);
    using other = await filled();
    const least = await tokenizer.countChat(other.messages.slice(3), { template: TEMPLATE });
    other.trimTo(least, { keep: { roles: [], last: 3 } });
    expect(other.messages).toEqual((await filled()).messages.slice(3));
    expect(() => other.trimTo(least - 1, { keep: { roles: [], last: 3 } })).toThrow(RangeError);
    expect(() => other.trimTo(5, { keep: { last: -1 } })).toThrow('keep.last');
    expect(() => other.trimTo(5, { keep: { roles: 'user' as never } })).toThrow('keep.roles');
    expect(() => other.trimTo(0.5)).toThrow('maxTokens');
    expect(() => other.trimTo(5, { whole: 'turn' as never })).toThrow('whole');
  });

  it('passes over chats that the template refuses', async () => {
    using chat = await begin();
    chat.add(user('one'), assistant('two'), user('three'));
    chat.trimTo(chat.count - 1);
    expect(chat.messages).toEqual([user('three')]);
  });

  it('throws what the template says if it refuses every smaller chat', async () => {
    using chat = await begin();
    chat.add(user('one'), assistant('two'));
    expect(() => chat.trimTo(1, { whole: 'messages' })).toThrow(/begin with the user/);
    expect(chat.messages).toHaveLength(2);
  });

  it('removes the results of tools with their calls', async () => {
    using chat = await begin();
    chat.add(system('x'), assistant('call'), tool('result one'), tool('result two'), user('then'), assistant('last'));
    chat.trimTo(chat.count - 1);
    expect(chat.messages).toEqual([system('x'), user('then'), assistant('last')]);
  });
});

describe('a conversation with a model that has no template', () => {
  let gpt4o: Tokenizer;
  beforeAll(async () => {
    gpt4o = await Tokenizer.load('o200k_base', { documents: true });
  });
  afterAll(() => gpt4o.close());

  it('counts by the published rules after every change', async () => {
    using chat = await gpt4o.conversation({ model: 'gpt-4o' });
    const expectCount = () => expect(chat.count).toBe(gpt4o.countMessages(chat.messages as never, { model: 'gpt-4o' }));
    expectCount();
    const before = chat.count;
    expect(chat.add(system('Be brief.'), { ...user('hello world'), name: 'ada' })).toEqual({
      from: 0,
      removed: before,
      inserted: chat.count,
    });
    expectCount();
    chat.edit(1, user('other words'));
    expectCount();
    using fork = chat.fork();
    fork.add(assistant('hello'));
    expectCount();
    chat.remove(0);
    expectCount();
    expect(fork.count).toBe(gpt4o.countMessages(fork.messages as never, { model: 'gpt-4o' }));
  });

  it('takes the options of countMessages, and tells of budgets', async () => {
    const tools = [{ type: 'function', function: { name: 'now', description: 'The time' } }];
    const kinds: string[] = [];
    using chat = await gpt4o.conversation({
      model: 'gpt-5',
      estimate: true,
      tools,
      budget: { tokens: 10 },
      onBudget: ({ kind }) => kinds.push(kind),
    });
    chat.add(user('What time is it?'), {
      role: 'assistant',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'now', arguments: '{}' } }],
    });
    expect(chat.count).toBe(gpt4o.countMessages(chat.messages as never, { model: 'gpt-5', estimate: true, tools }));
    chat.add({ role: 'tool', tool_call_id: 'a', content: '12:00' });
    expect(chat.count).toBe(gpt4o.countMessages(chat.messages as never, { model: 'gpt-5', estimate: true, tools }));
    expect(kinds).toEqual([]);
    using other = await gpt4o.conversation({ model: 'gpt-4o', budget: { tokens: 10 }, onBudget: ({ kind }) => kinds.push(kind) });
    other.add(user('one'), assistant('two'));
    expect(kinds).toEqual(['over']);
  });

  it('trims whole turns', async () => {
    using chat = await gpt4o.conversation({ model: 'gpt-4o' });
    chat.add(system('Be brief.'), user('one'), assistant('two'), user('three'), assistant('four'), user('five'));
    const { messages } = chat;
    const limit = gpt4o.countMessages([messages[0], ...messages.slice(3)] as never, { model: 'gpt-4o' });
    expect(chat.trimTo(limit).messages).toEqual(messages.slice(1, 3));
    expect(chat.count).toBe(limit);
    expect(() => chat.trimTo(5)).toThrow(RangeError);
  });

  it('has no ids and no text, and says why', async () => {
    using chat = await gpt4o.conversation({ model: 'gpt-4o' });
    chat.add(user('hello'));
    for (const read of [() => chat.ids, () => chat.slice(), () => chat.text]) {
      expect(read).toThrow(
        expect.objectContaining({ code: 'INVALID_TEMPLATE', message: expect.stringContaining('gpt-4o') }) as TokenizerError,
      );
    }
  });

  it('refuses other models, other options and messages that no rule counts, and stays as it was', async () => {
    await expect(gpt4o.conversation({ model: 'gpt-4' })).rejects.toThrow('a model that uses o200k_base');
    await expect(gpt4o.conversation({ model: 'gpt-5' })).rejects.toThrow(RangeError);
    await expect(gpt4o.conversation({ model: 'gpt-4o', template: TEMPLATE } as never)).rejects.toThrow('template');
    using chat = await gpt4o.conversation({ model: 'gpt-4o' });
    chat.add(user('hello'));
    const { count } = chat;
    expect(() => chat.add({ role: 'tool', tool_call_id: 'a', content: '12:00' })).toThrow(RangeError);
    expect([chat.count, chat.messages]).toEqual([count, [user('hello')]]);
  });
});

describe('budgets', () => {
  it('are told when a change comes near them or passes them, once each time', async () => {
    const events: BudgetEvent[] = [];
    using chat = await begin({ budget: { tokens: 20, warnAt: 0.5 }, onBudget: (event) => events.push(event) });
    chat.add(user('a')); // 4 ids
    expect(chat.count).toBe(4);
    expect(events).toEqual([]);
    chat.add(user('a'), user('a'));
    expect(events).toEqual([{ kind: 'near', count: 12, tokens: 20 }]);
    chat.add(user('a'), user('a'));
    expect(events).toHaveLength(1);
    chat.add(user('a'));
    expect(events.slice(1)).toEqual([{ kind: 'over', count: 24, tokens: 20 }]);
    chat.trimTo(8);
    expect(events).toHaveLength(2);
    chat.add(user('a'), user('a'), user('a'), user('a'));
    expect(events.slice(2)).toEqual([{ kind: 'over', count: 24, tokens: 20 }]);
  });
});

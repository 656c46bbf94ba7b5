// Chats give the thread back while they are rendered and encoded, whatever other chats do meanwhile, and end with their signal.

import { describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';
import type { EncodeChatOptions } from 'crayon-tokenizer';
import { applyChatTemplate } from '../chat/ours.js';
import { FOLDERS, templatesIn } from '../chat/published.mjs';

const END = 199999;
const MARKED = '{% for m in messages %}<|endoftext|>{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}';

/** How often the event loop turns until a promise settles. */
async function turnsUntil(promise: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isSettled = false;
  const settled = () => void (isSettled = true);
  promise.then(settled, settled);
  while (!isSettled) {
    await new Promise((resolve) => setImmediate(resolve));
    turns++;
  }
  return turns;
}

const words = (count: number, seed: number) => Array.from({ length: count }, (_, i) => `w${(seed * 7919 + i * 104729) % 9973}`).join(' ');
const chatOf = (length: number, wordsEach = 5) =>
  Array.from({ length }, (_, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: words(wordsEach, i) }));

describe('chats in turns', () => {
  it('render what they render alone, whatever runs between', async () => {
    using tokenizer = await Tokenizer.load('o200k_base');
    const templates = [
      ...templatesIn(FOLDERS['own-templates']).map(({ source }) => source),
      // Loops in branches and in loops, macros, a dict that outlives a pause, and output at the top while it pauses.
      `{%- macro shout(x) %}{% for c in x[:3] %}{{ c|upper }}{% endfor %}{% endmacro -%}
       {%- set ns = namespace(n=0, seen={'12': 'a', '13': 'b'}) -%}
       {%- for m in messages if m.content -%}
         {%- if m.role == 'user' -%}{%- for w in m.content.split() -%}{%- if w == 'w3' %}{% break %}{% endif -%}
           {%- set ns.n = ns.n + 1 %}{{ loop.index }}{{ w }}{% else %}none{% endfor -%}
         {%- else -%}{{ shout(m.content) }}{{ ns.seen['13'] }}{%- endif -%}
         {{ loop.previtem.role if loop.previtem is defined }}|{{ ns.n }}
       {%- else %}empty{% endfor %}{{ ns.seen['12'] }}`,
      MARKED,
    ];
    const chats = templates.flatMap((template) => [1, 700, 3000].map((length) => ({ template, messages: chatOf(length) })));
    const alone = chats.map(({ messages, template }) => applyChatTemplate(messages, { template }).text);
    const renders = Promise.all(chats.map(({ messages, template }) => tokenizer.renderChat(messages, { template })));
    expect(await turnsUntil(renders)).toBeGreaterThan(5);
    expect(await renders).toEqual(alone);
  });

  it('fail where they fail alone, and use up only their own budget', async () => {
    using tokenizer = await Tokenizer.load('o200k_base');
    const failing = '{% for m in messages %}\n{% if loop.index == 2500 %}\n{{ raise_exception("late") }}{% endif %}{% endfor %}';
    const undefinedLate = '{% for m in messages %}\n{{ m.content }}{% if loop.last %}\n  {{ m.nothing.here }}{% endif %}{% endfor %}';
    const endless = '{% for m in messages %}{% for a in range(100000) %}{% endfor %}{% endfor %}';
    const messages = chatOf(3000);
    const outcomes = await Promise.all(
      [failing, undefinedLate, endless, MARKED].map((template) =>
        tokenizer.renderChat(messages, { template }).then(
          () => 'rendered',
          (error) => [error.code, error.message],
        ),
      ),
    );
    expect(outcomes[0]).toEqual(['TEMPLATE_REFUSED', expect.stringContaining('late')]);
    expect(outcomes[1]).toEqual(['INVALID_TEMPLATE', expect.stringContaining('at line 3, column')]);
    expect(outcomes[2]).toEqual(['CHAT_BUDGET', expect.stringContaining('steps')]);
    expect(outcomes[3]).toBe('rendered');
  });

  it('read JSON text and long lists in turns', async () => {
    using tokenizer = await Tokenizer.load('o200k_base');
    const messages = chatOf(100_000, 1);
    const rendered = tokenizer.renderChat(JSON.stringify(messages), { template: '{{ messages[99999].content }}{{ messages|length }}' });
    expect(await turnsUntil(rendered)).toBeGreaterThan(2);
    expect(await rendered).toBe(`${messages.at(-1)!.content}100000`);
  });

  it.each(['allow', 'template'] as const)('have the ids of their parts, with special: %s', async (special) => {
    using tokenizer = await Tokenizer.load('o200k_base');
    // Longer than what is encoded at once, with the special token in the callers' texts and characters of all lengths where slices end.
    const messages = chatOf(40, 1500).map((message, i) => ({
      ...message,
      content: `${'é'.repeat(i)}😀${message.content}<|endoftext|>東京`,
    }));
    const parts = messages.map(({ content }) => tokenizer.encode(content, { special: special === 'allow' ? 'allow' : 'text' }));
    const ids = parts.flatMap((part) => [END, ...part]);
    const options = { template: MARKED, special } satisfies EncodeChatOptions;
    const encoding = tokenizer.encodeChat(messages, options);
    await turnsUntil(encoding);
    expect([...(await encoding)]).toEqual(ids);
    expect(await tokenizer.countChat(messages, options)).toBe(ids.length);
    const described = await tokenizer.encodeChat(messages, { ...options, origins: true, assistantMask: true });
    expect([...described.ids]).toEqual(ids);
    expect([...described.origins!]).toEqual(parts.flatMap((part, i) => [-1, ...[...part].map(() => i)]));
    expect([...described.assistantMask!]).toEqual(parts.flatMap((part) => [0, ...[...part].map(() => 1)]));
  });

  it('have the same ids in harmony, whose texts are encoded apart', async () => {
    using tokenizer = await Tokenizer.load('o200k_harmony');
    const messages = chatOf(1, 600_000).concat(chatOf(300));
    const encoding = tokenizer.encodeChat(messages);
    expect(await turnsUntil(encoding)).toBeGreaterThan(1);
    const ids = [...(await encoding)];
    const content = [...tokenizer.encode(messages[0]!.content)];
    const start = ids.indexOf(200008) + 1; // <|message|>
    expect(ids.slice(start, start + content.length)).toEqual(content);
  });
});

describe('a signal', () => {
  const calls = ['renderChat', 'countChat', 'encodeChat'] as const;

  it.each(calls)('that has been aborted ends %s before it begins', async (call) => {
    using tokenizer = await Tokenizer.load('o200k_base');
    const reason = new Error('gone');
    await expect(tokenizer[call](chatOf(2), { template: MARKED, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it.each(calls)('ends %s in the turn in which it is aborted', async (call) => {
    using tokenizer = await Tokenizer.load('o200k_base');
    await tokenizer.renderChat(chatOf(2), { template: MARKED });
    for (const special of ['allow', 'template', 'forbid'] as const) {
      if (call === 'renderChat' && special !== 'allow') continue;
      for (const after of [0, 1, 3]) {
        const controller = new AbortController();
        const reason = new Error('gone');
        const options = { template: MARKED, signal: controller.signal, ...(call === 'renderChat' ? {} : { special }) };
        const work = tokenizer[call](chatOf(200_000, 1), options);
        let outcome: unknown;
        work.then(
          () => (outcome = 'done'),
          (error) => (outcome = error),
        );
        for (let i = 0; i < after; i++) await new Promise((resolve) => setImmediate(resolve));
        controller.abort(reason);
        expect(await turnsUntil(work)).toBeLessThan(4);
        expect(outcome).toBe(reason);
      }
    }
    expect(await tokenizer.countChat([{ role: 'user', content: 'hello' }], { template: MARKED })).toBe(2);
  });

  it('must be one', async () => {
    using tokenizer = await Tokenizer.load('o200k_base');
    await expect(tokenizer.renderChat(chatOf(2), { template: MARKED, signal: 5 as never })).rejects.toThrow(
      new TypeError('expected an AbortSignal for signal but received 5'),
    );
    await expect(tokenizer.conversation({ template: MARKED, signal: AbortSignal.abort() } as never)).rejects.toThrow(/unknown option/);
  });
});

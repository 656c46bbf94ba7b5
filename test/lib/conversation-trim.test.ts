// `trimTo` compared with its definition: chats without the first removable turns or messages, one after the other.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type TemplateMessage, Tokenizer, type TrimOptions } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';

const seed = Number(process.env.CRAYON_FUZZ_SEED ?? 5);

/** Templates for which fewer messages can mean more ids, and which refuse some chats. */
const TEMPLATES = {
  plain: '{% for m in messages %}{{ m.role }}: {{ m.content }}<|endoftext|>{% endfor %}',
  'refuses other first roles':
    "{% if messages[0].role == 'assistant' %}{{ raise_exception('begin with the user') }}{% endif %}" +
    '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}',
  alternating:
    "{% set ns = namespace(n=0) %}{% for m in messages %}{% if m.role != 'system' %}{% if (m.role == 'user') != (ns.n % 2 == 0) %}" +
    "{{ raise_exception('alternate') }}{% endif %}{% set ns.n = ns.n + 1 %}{% endif %}{{ m.content }}<|endoftext|>{% endfor %}",
  'longer without messages':
    '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}{% for i in range(60 // messages|length) %} word{% endfor %}',
  'longer for some numbers':
    '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}{% if messages|length % 3 == 0 %}{{ "much longer " * 20 }}{% endif %}',
};

let tokenizer: Tokenizer;
beforeAll(async () => {
  tokenizer = await Tokenizer.load('cl100k_base');
});
afterAll(() => tokenizer.close());

const isResult = (message: TemplateMessage | undefined) => message?.role === 'tool';

/** The messages by what goes together: each with the results behind it, or each turn. */
function groupsOf(messages: readonly TemplateMessage[], whole: 'turns' | 'messages'): number[][] {
  const groups: number[][] = [];
  messages.forEach((message, index) => {
    const next = messages.slice(index).find(({ role }) => role !== 'system');
    const isAlone =
      message.role === 'system' && (groups.flat().every((each) => messages[each]!.role === 'system') || next?.role === 'user');
    const beginsTurn = message.role === 'user' || isAlone || (messages[index - 1]?.role === 'system' && groups.at(-1)!.length === 1);
    const joins = groups.length > 0 && (whole === 'turns' ? !beginsTurn : isResult(message));
    if (joins) groups.at(-1)!.push(index);
    else groups.push([index]);
  });
  return groups;
}

interface Trial {
  left: readonly TemplateMessage[];
  /** Undefined if the template refuses the chat, with its complaint. */
  count?: number;
  complaint?: string;
}

/** The chats without the first removable groups: one, two, and so on. */
async function trials(
  messages: readonly TemplateMessage[],
  groups: number[][],
  keeps: (message: TemplateMessage, index: number) => boolean,
  template: string,
): Promise<Trial[]> {
  const removable = groups.filter((group) => !group.some((index) => keeps(messages[index]!, index)));
  return Promise.all(
    removable.map(async (_, at) => {
      const gone = removable.slice(0, at + 1).flat();
      const left = messages.filter((_, index) => !gone.includes(index));
      try {
        return { left, count: left.length === 0 ? 0 : await tokenizer.countChat(left, { template }) };
      } catch (error) {
        return { left, complaint: (error as Error).message };
      }
    }),
  );
}

function randomMessages(random: Random): TemplateMessage[] {
  const messages: TemplateMessage[] = random.chance(0.5) ? [{ role: 'system', content: 'Be brief.' }] : [];
  const exchanges = random.integer(1, 12);
  if (random.chance(0.1)) messages.push({ role: 'assistant', content: 'greeting' });
  for (let n = 0; n < exchanges; n++) {
    if (random.chance(0.05)) messages.push({ role: 'system', content: 'reminder' });
    messages.push({ role: 'user', content: `question ${'word '.repeat(random.length(9))}` }, { role: 'assistant', content: `answer ${n}` });
    while (random.chance(0.2)) messages.push({ role: 'tool', content: `result ${n}` });
  }
  return messages;
}

describe('trimTo', () => {
  it.each(Object.entries(TEMPLATES))('removes what its definition says: %s', async (name, template) => {
    const seen = { trimmed: 0, failed: 0 };
    for (let index = 0; index < sample(600, 40); index++) {
      const random = new Random(seed, index, 4);
      const messages = randomMessages(random);
      using chat = await tokenizer.conversation({ template });
      try {
        chat.add(...messages);
      } catch {
        continue;
      }
      const { count } = chat;
      const maxTokens = random.chance(0.2) ? random.integer(0, 9) : random.integer(0, count - 1);
      const last = random.integer(0, 3);
      const whole = random.pick(['turns', 'messages', undefined] as const);
      const keep = random.chance(0.3)
        ? (message: TemplateMessage) => String(message.content).length % 3 === 0
        : (message: TemplateMessage, at: number) => message.role === 'system' || at >= messages.length - last;
      const tried = (await trials(messages, groupsOf(messages, whole ?? 'turns'), keep, template)).filter(
        ({ complaint }) => complaint === undefined,
      );
      const where = `case ${index} of seed ${seed}, ${whole}`;
      let gone: ReturnType<typeof chat.trimTo>;
      try {
        gone = chat.trimTo(maxTokens, { keep, whole });
      } catch (error) {
        const complaints = await trials(messages, groupsOf(messages, whole ?? 'turns'), keep, template);
        if (tried.length === 0 && complaints.length > 0)
          expect(
            complaints.map(({ complaint }) => complaint),
            where,
          ).toContain((error as Error).message);
        else {
          expect(error, where).toBeInstanceOf(RangeError);
          // Not even the shortest fits.
          expect(tried.at(-1)?.count ?? Infinity, where).toBeGreaterThan(maxTokens);
        }
        expect(chat.messages, where).toEqual(messages);
        seen.failed++;
        continue;
      }
      const at = tried.findIndex(({ left }) => left.length === chat.messages.length);
      expect(chat.messages, where).toEqual(tried[at]!.left);
      expect(tried[at]!.count, where).toBeLessThanOrEqual(maxTokens);
      // No fewer would do; or, where fewer messages can mean more ids, not one fewer.
      const larger = name.startsWith('longer') ? tried.slice(Math.max(0, at - 1), at) : tried.slice(0, at);
      for (const each of larger) expect(each.count, where).toBeGreaterThan(maxTokens);
      expect(gone.messages, where).toEqual(messages.filter((each) => !chat.messages.includes(each) && !tried[at]!.left.includes(each)));
      expect(count - gone.removed + gone.inserted, where).toBe(tried[at]!.count);
      seen.trimmed++;
    }
    expect(seen.trimmed).toBeGreaterThan(0);
    expect(seen.failed).toBeGreaterThan(0);
  });

  const call = (...ids: string[]) => ({
    role: 'assistant',
    content: '',
    tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: {} } })),
  });
  const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: `${'result '.repeat(12)}${id}` });
  const chatWithCalls: TemplateMessage[] = [
    { role: 'system', content: 'S' },
    { role: 'user', content: 'first' },
    call('a', 'b'),
    result('a'),
    result('b'),
    call('c'),
    result('c'),
    { role: 'assistant', content: 'done' },
    { role: 'user', content: 'second' },
    call('d'),
    { role: 'user', content: 'are you there?' },
    result('d'),
    { role: 'assistant', content: 'yes' },
    { role: 'user', content: 'third' },
  ];
  const keeps: Record<string, TrimOptions['keep']> = {
    'by default': undefined,
    'last 0': { last: 0 },
    'last 2': { last: 2 },
    'roles: tool': { roles: ['system', 'tool'], last: 1 },
    'roles: assistant': { roles: ['system', 'assistant'] },
    'no roles': { roles: [], last: 1 },
    results: (message) => message.role === 'tool',
    'one result': (message) => (message as { tool_call_id?: string }).tool_call_id === 'a',
    calls: (message) => (message as { tool_calls?: unknown }).tool_calls !== undefined,
    'one place': (_, index) => index === 4,
  };

  it.each(Object.entries(keeps))('leaves no result without its call and no call without its results: %s', async (_, keep) => {
    const lengths = new Set<number>();
    for (const whole of ['turns', 'messages'] as const) {
      using first = await tokenizer.conversation({ template: TEMPLATES.plain });
      first.add(...chatWithCalls);
      for (let limit = 1; limit < first.count; limit++) {
        using chat = first.fork();
        try {
          chat.trimTo(limit, { keep, whole });
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          continue;
        }
        const left = chat.messages as { role: string; tool_calls?: { id: string }[]; tool_call_id?: string }[];
        expect(new Set(left.flatMap(({ tool_call_id }) => tool_call_id ?? []))).toEqual(
          new Set(left.flatMap(({ tool_calls }) => tool_calls?.map(({ id }) => id) ?? [])),
        );
        if (whole === 'turns') expect(left.find(({ role }) => role !== 'system')?.role ?? 'user').toBe('user');
        lengths.add(left.length);
      }
    }
    expect(lengths.size).toBeGreaterThan(0);
  });
});

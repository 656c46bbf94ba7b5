// `trimTo` compared with its definition: chats without the first removable messages, one after the other, until one fits.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type TemplateMessage, Tokenizer } from 'crayon-tokenizer';

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

/** The messages that stay, by the definition; or undefined, with the template's complaint if it refused every smaller chat. */
async function trimmedNaively(messages: readonly TemplateMessage[], maxTokens: number, keeps: (message: TemplateMessage, index: number) => boolean, template: string) {
  if ((await tokenizer.countChat(messages, { template })) <= maxTokens) return { left: messages };
  /** A message and the results behind it. */
  const groupOf = (index: number) => {
    let [from, to] = [index, index + 1];
    while (from > 0 && isResult(messages[from])) from--;
    while (isResult(messages[to])) to++;
    return [...messages.keys()].slice(from, to);
  };
  const removable = [...messages.keys()].filter((index) => !groupOf(index).some((each) => keeps(messages[each]!, each)));
  let complaint: string | undefined;
  let isAccepted = false;
  for (let n = 1; n <= removable.length; n++) {
    if (isResult(messages[removable[n - 1]! + 1])) continue;
    const gone = removable.slice(0, n);
    const left = messages.filter((_, index) => !gone.includes(index));
    try {
      const count = left.length === 0 ? 0 : await tokenizer.countChat(left, { template });
      isAccepted = true;
      if (count <= maxTokens) return { left };
    } catch (error) {
      complaint = (error as Error).message;
    }
  }
  return { complaint: isAccepted ? undefined : complaint };
}

function randomMessages(random: Random): TemplateMessage[] {
  const messages: TemplateMessage[] = random.chance(0.5) ? [{ role: 'system', content: 'Be brief.' }] : [];
  const exchanges = random.integer(1, 12);
  for (let n = 0; n < exchanges; n++) {
    messages.push({ role: 'user', content: `question ${'word '.repeat(random.length(9))}` }, { role: 'assistant', content: `answer ${n}` });
    while (random.chance(0.2)) messages.push({ role: 'tool', content: `result ${n}` });
  }
  return messages;
}

describe('trimTo', () => {
  it.each(Object.entries(TEMPLATES))('removes what its definition says: %s', async (_, template) => {
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
      const maxTokens = random.chance(0.2) ? random.integer(0, 9) : random.integer(0, count);
      const last = random.integer(0, 3);
      const keeps = random.chance(0.3)
        ? (message: TemplateMessage) => String(message.content).length % 3 === 0
        : (message: TemplateMessage, at: number) => message.role === 'system' || at >= messages.length - last;
      const { left, complaint } = await trimmedNaively(messages, maxTokens, keeps, template);
      const where = `case ${index} of seed ${seed}`;
      if (left) {
        const { messages: gone, removed, inserted } = chat.trimTo(maxTokens, { keep: keeps });
        expect(chat.messages, where).toEqual(left);
        expect(gone, where).toEqual(messages.filter((each) => !left.includes(each)));
        expect(count - removed + inserted, where).toBe(left.length === 0 ? 0 : await tokenizer.countChat(left, { template }));
        seen.trimmed++;
      } else {
        expect(() => chat.trimTo(maxTokens, { keep: keeps }), where).toThrow(complaint ?? RangeError);
        expect(chat.messages, where).toEqual(messages);
        seen.failed++;
      }
    }
    expect(seen.trimmed).toBeGreaterThan(0);
    expect(seen.failed).toBeGreaterThan(0);
  });
});

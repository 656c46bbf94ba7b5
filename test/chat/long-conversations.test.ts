// Long chats with random templates (random-templates.ts), compared with `renderChat` and `encodeChat` after every change: what
// a conversation takes over from the render before must be what the template would write now.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type TemplateMessage, Tokenizer } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { randomTemplate } from './random-templates.js';

const seed = Number(process.env.CRAYON_CHAT_SEED ?? 11);

let tokenizer: Tokenizer;
beforeAll(async () => {
  tokenizer = await Tokenizer.load('cl100k_base');
});
afterAll(() => tokenizer.close());

function randomMessage(random: Random): TemplateMessage {
  const parts = Array.from({ length: random.integer(0, 3) }, (_, index) => `part ${index}`);
  return { role: random.pick(['user', 'assistant', 'tool', 'user']), n: random.integer(0, 9), content: 'x', parts };
}

/** Another list, and the change of a conversation that leads to it. */
function randomChange(random: Random, messages: readonly TemplateMessage[]) {
  const at = random.integer(0, Math.max(0, messages.length - 1));
  if (messages.length < 20 || random.chance(0.5)) {
    const added = Array.from({ length: messages.length < 20 ? random.integer(1, 9) : 1 }, () => randomMessage(random));
    return { what: 'add', index: messages.length, added, next: [...messages, ...added] };
  }
  const index = random.pick([at, at, 0, 1, messages.length - 1]);
  if (random.chance(0.5)) return { what: 'remove', index, added: [], next: messages.toSpliced(index, 1) };
  const added = [random.chance(0.3) ? { ...messages[index]!, n: random.integer(0, 9) } : randomMessage(random)];
  return { what: 'edit', index, added, next: messages.with(index, added[0]!) };
}

describe('long chats with random templates', () => {
  it('have the text and the ids of the whole chat after every change', { timeout: 600_000 }, async () => {
    let [made, refused] = [0, 0];
    for (let index = 0; index < sample(4000, 40); index++) {
      const random = new Random(seed, index, 3);
      const template = randomTemplate(random);
      using chat = await tokenizer.conversation({ template });
      let messages: readonly TemplateMessage[] = [];
      for (let step = 0; step < 30; step++) {
        const { what, index: at, added, next } = randomChange(random, messages);
        const where = `case ${index} of seed ${seed}, step ${step}: ${what} ${at}, ${template}`;
        const change = () => (what === 'add' ? chat.add(...added) : what === 'edit' ? chat.edit(at, added[0]!) : chat.remove(at));
        let text: string;
        try {
          text = await tokenizer.renderChat(next, { template });
        } catch (error) {
          expect(change, where).toThrow((error as Error).message);
          refused++;
          if (messages.length === 0) break;
          continue;
        }
        change();
        made++;
        messages = next;
        expect(chat.text, where).toBe(text);
        if (random.chance(0.2)) expect([...chat.ids], where).toEqual([...(await tokenizer.encodeChat(next, { template }))]);
      }
    }
    expect(made).toBeGreaterThan(3 * refused);
  });
});

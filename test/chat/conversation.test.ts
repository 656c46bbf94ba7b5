// Conversations compared with `encodeChat` of all their messages, after every change: templates of models and our own, with
// random messages, on tokenizers that have the templates' tokens under many rules.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Conversation, type EncodeChatOptions, type TemplateMessage, Tokenizer } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { MARKER_KINDS, tokenizerWith, triedOn } from './added-markers.js';
import { conversation } from './conversations.mjs';
import { harmonyCall } from './harmony-conversations.mjs';
import { FOLDERS, templatesIn } from './published.mjs';

const seed = Number(process.env.CRAYON_CHAT_SEED ?? 7);
const templates = Object.values(FOLDERS).flatMap(templatesIn);

interface Parsed {
  messages: TemplateMessage[];
  [option: string]: unknown;
}

/** A random chat as data; undefined for one with numbers that JavaScript's JSON does not have. */
function chatAt(index: number): Parsed | undefined {
  try {
    return JSON.parse(conversation(seed, index)) as Parsed;
  } catch {
    return undefined;
  }
}

function parsed(json: string): TemplateMessage[] | undefined {
  try {
    return clean(JSON.parse(json) as TemplateMessage[]);
  } catch {
    return undefined;
  }
}

/** Chats from an index on, without those that cannot be. */
function chatsFrom(index: number, count: number): Parsed[] {
  const chats: Parsed[] = [];
  for (let at = index; chats.length < count; at++) {
    const chat = chatAt(at);
    if (chat && Array.isArray(chat.messages)) chats.push(chat);
  }
  return chats;
}

interface Whole {
  ids: Uint32Array;
  text: string;
}

/** What `encodeChat` makes of all messages, or its error. */
async function wholeOf(
  tokenizer: Tokenizer,
  messages: readonly TemplateMessage[],
  options: EncodeChatOptions,
): Promise<Whole | { error: string }> {
  if (messages.length === 0) return { ids: new Uint32Array(0), text: '' };
  try {
    const { special: _, ...rendering } = options;
    return { ids: (await tokenizer.encodeChat(messages, options)) as Uint32Array, text: await tokenizer.renderChat(messages, rendering) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** Random changes of a conversation, each compared with the whole. Returns how many were made and how many refused. */
async function changes(
  tokenizer: Tokenizer,
  options: EncodeChatOptions,
  random: Random,
  pool: readonly TemplateMessage[],
  steps: number,
): Promise<{ made: number; refused: number }> {
  let chat = await tokenizer.conversation(options);
  let messages: TemplateMessage[] = [];
  const tally = { made: 0, refused: 0 };
  for (let step = 0; step < steps; step++) {
    const { next, change, what } = randomChange(chat, messages, random, pool);
    const before = [...chat.ids];
    const whole = await wholeOf(tokenizer, next, options);
    let done: ReturnType<typeof change> | undefined;
    let refusal: string | undefined;
    try {
      done = change();
    } catch (error) {
      refusal = (error as Error).message;
    }
    const where = `step ${step}: ${what}`;
    if ('error' in whole) {
      expect(refusal, where).toBe(whole.error);
      expect([...chat.ids], where).toEqual(before);
      tally.refused++;
    } else {
      expect(refusal, where).toBeUndefined();
      messages = next;
      tally.made++;
      expect(chat.text, where).toBe(whole.text);
      expect([...chat.ids], where).toEqual([...whole.ids]);
      expect(chat.count, where).toBe(whole.ids.length);
      const { from, removed, inserted } = done!;
      expect(before.toSpliced(from, removed, ...chat.slice(from, from + inserted)), where).toEqual([...whole.ids]);
    }
    expect(chat.messages, where).toEqual(messages);
    if (random.chance(0.1)) {
      const [fork, old] = [chat.fork(), chat];
      if (random.chance(0.5)) {
        old.close();
        chat = fork;
      } else {
        try {
          fork.add(...pool.slice(0, 2));
        } catch {
          // The template refuses them, here as in the original.
        }
        fork.close();
        expect([...chat.ids], where).toEqual('error' in whole ? before : [...whole.ids]);
      }
    }
  }
  chat.close();
  return tally;
}

function randomChange(chat: Conversation, messages: readonly TemplateMessage[], random: Random, pool: readonly TemplateMessage[]) {
  const at = random.integer(0, Math.max(0, messages.length - 1));
  const from = random.integer(0, pool.length - 1);
  if (messages.length === 0 || random.chance(0.55)) {
    const added = pool.slice(from, from + random.length(4));
    return { what: `add ${JSON.stringify(added)}`, next: [...messages, ...added], change: () => chat.add(...added) };
  }
  if (random.chance(0.5)) {
    const message = random.chance(0.3) ? { ...messages[at]!, content: `${random.integer(0, 9)} changed` } : pool[from]!;
    return { what: `edit ${at} ${JSON.stringify(message)}`, next: messages.with(at, message), change: () => chat.edit(at, message) };
  }
  return { what: `remove ${at}`, next: messages.toSpliced(at, 1), change: () => chat.remove(at) };
}

/** Messages as JSON would bring them to the conversation, without null members of lists lost. */
const clean = (messages: readonly TemplateMessage[]) =>
  messages.filter((each) => typeof each === 'object' && each !== null && !Array.isArray(each));

describe.each(MARKER_KINDS)('on a tokenizer with the templates’ markers: %s', (kind) => {
  let tokenizer: Tokenizer;
  beforeAll(async () => {
    tokenizer = await tokenizerWith(
      kind,
      templates.map(({ source }) => source),
    );
  });
  afterAll(() => tokenizer.close());

  it.for(triedOn(kind, templates))('$name has the ids of the whole chat after every change', { timeout: 600_000 }, async ({ source }) => {
    const cases = sample(60, 1);
    let made = 0;
    for (let index = 0; index < cases; index++) {
      const random = new Random(seed, index, 1);
      const [first, ...others] = chatsFrom(index * 50, 4) as [Parsed, ...Parsed[]];
      const { messages, ...chat } = first;
      const special = random.pick(['allow', 'allow', 'template', 'template', 'forbid'] as const);
      const options = { ...chat, template: source, special, date: new Date(2026, 6, 4) } as EncodeChatOptions;
      const pool = [...clean(messages), ...others.flatMap((each) => clean(each.messages))];
      try {
        made += (await changes(tokenizer, options, random, pool, 12)).made;
      } catch (error) {
        throw new Error(`case ${index} of seed ${seed}, special ${special}: ${(error as Error).message}`, { cause: error });
      }
    }
    if (cases > 20) expect(made).toBeGreaterThan(cases);
  });
});

describe('harmony', () => {
  it('has the ids of the whole chat after every change', { timeout: 600_000 }, async () => {
    using tokenizer = await Tokenizer.load('o200k_harmony');
    for (let index = 0; index < sample(300, 4); index++) {
      const random = new Random(seed, index, 2);
      const calls = Array.from({ length: 3 }, (_, each) => harmonyCall(seed, index * 3 + each));
      const pool = calls.flatMap(({ messages }) => parsed(messages) ?? []);
      if (pool.length === 0) continue;
      const { how, autoDropAnalysis } = calls[0]!;
      const options: EncodeChatOptions = {
        addGenerationPrompt: how === 'completion',
        tools: random.chance(0.3) ? [{ type: 'function', function: { name: 'f', description: 'x' } }] : undefined,
        special: random.pick(['allow', 'template', 'forbid'] as const),
        continueFinalMessage: how === 'conversation' && random.chance(0.2),
        harmony: { dropAnalysis: autoDropAnalysis, training: how === 'training' },
      };
      await changes(tokenizer, options, random, pool, 12);
    }
  });
});

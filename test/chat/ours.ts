// Our results for a chat in JSON text, requested like the reference's (reference/render.py).

import { drained } from '../../lib/base/time-slices.js';
import { applyingTemplate, chatInput, type InputOptions, type TemplateOptions } from '../../lib/chat/apply.js';
import { parseJson } from '../../lib/chat/data.js';
import type { Rendered } from '../../lib/chat/jinja/template.js';
import { Dict } from '../../lib/chat/jinja/values/dict.js';
import { Str } from '../../lib/chat/jinja/values/text.js';
import { NOW } from './clock.js';
import { fingerprint } from './published.mjs';

/** Renders a chat at once. */
export function applyChatTemplate(conversation: unknown, options: TemplateOptions & InputOptions): Rendered {
  return drained(applyingTemplate(drained(chatInput(conversation, options)), options));
}

interface Chat {
  messages: unknown;
  tools?: unknown;
  documents?: unknown;
  addGenerationPrompt?: boolean;
  continueFinalMessage?: boolean | Str;
  variables?: unknown;
}

/** The tokenizer variables that the reference sets. */
const OWN_VARIABLES = { bos_token: '<s>', eos_token: '</s>' };

export function renderedByUs(source: string, chatText: string): Rendered {
  const { messages, tools, documents, addGenerationPrompt, continueFinalMessage, variables } = variablesOf(
    parseJson(chatText),
  ) as unknown as Chat;
  return applyChatTemplate(messages, {
    template: source,
    tools,
    documents,
    addGenerationPrompt,
    continueFinalMessage: textOr(continueFinalMessage),
    variables,
    ownVariables: OWN_VARIABLES,
    date: NOW,
  });
}

/** The members of a parsed object, by name. */
export function variablesOf(parsed: unknown): Record<string, unknown> {
  if (!(parsed instanceof Dict)) return parsed as Record<string, unknown>;
  return Object.fromEntries(Array.from(parsed.entries(), ({ key, value }) => [(key as Str).text, value]));
}

function textOr<T>(value: T | Str): T | string {
  return value instanceof Str ? value.text : value;
}

/** Generation spans in code points, as Python counts. */
export function spansOf({ text, generation }: Rendered): [number, number][] {
  const points = (unit: number) => [...text.slice(0, unit)].length;
  return Array.from({ length: generation.length / 2 }, (_, index) => [points(generation[2 * index]!), points(generation[2 * index + 1]!)]);
}

/** The text of a chat, with its spans if requested, or the error that refuses it. */
export type Outcome = { text: string; spans?: [number, number][] } | { error: string; message: string };

export function ours(source: string, chat: string): Outcome {
  try {
    const rendered = renderedByUs(source, chat);
    return { text: rendered.text, ...(chat.endsWith('"spans": true}') && { spans: spansOf(rendered) }) };
  } catch (error) {
    return { error: (error as Error).name, message: (error as Error).message };
  }
}

/** Whether we refuse a part of Jinja that chats do without: published templates have none, ours in `templates` do. */
export function isLeftOut(mine: Outcome): boolean {
  return 'error' in mine && mine.message.startsWith('not supported in chat templates: ');
}

/** Whether Python's fingerprint matches our outcome, or both refuse the chat, with whatever errors. */
export function agree(print: string, mine: Outcome): boolean {
  return 'error' in mine ? print.startsWith('!') : print === fingerprint(mine);
}

// Shorter forms of a prompt's messages: without old reasoning, with long results of tools cut.

import type { Tokenizer } from '../../api/tokenizer.js';
import { fieldsOf, partsOf, type PromptMessage } from './count-prompt.js';

type Part = Readonly<Record<string, unknown>>;

/** Cuts a text to a number of tokens; the same text if it has no more. */
export type Cut = (text: string) => string;

/** Cuts to `limit` tokens, and writes an ellipsis behind what is left. */
export function cutTo(limit: number, tokenizer: Pick<Tokenizer, 'truncate'>): Cut {
  return (text) => {
    const start = tokenizer.truncate(text, limit);
    return start === text ? text : `${start}…`;
  };
}

/**
 * Messages in shorter forms, by their indices, oldest first: with `dropsReasoning` the ones before the last of the user without reasoning,
 * undefined where nothing else is in one; then messages whose results of tools are cut, by `cut`.
 */
export function* shortenings(
  messages: readonly PromptMessage[],
  dropsReasoning: boolean,
  cut: Cut | undefined,
): Generator<readonly [index: number, message: PromptMessage | undefined]> {
  const lastUser = dropsReasoning ? messages.findLastIndex(({ role }) => role === 'user') : -1;
  const withoutReasoning = messages.map((message, index) => {
    if (typeof message.content === 'string' || index > lastUser) return message;
    const content = partsOf(message).filter(({ type }) => type !== 'reasoning');
    return content.length === message.content.length ? message : { ...message, content };
  });
  for (const [index, message] of withoutReasoning.entries()) {
    if (message !== messages[index]) yield [index, message.content.length === 0 ? undefined : message];
  }
  if (!cut) return;
  for (const [index, message] of withoutReasoning.entries()) {
    if (typeof message.content === 'string') continue;
    const parts = partsOf(message);
    const content = parts.map((part) => (part.type === 'tool-result' ? withShortResult(part, cut) : part));
    if (content.some((part, at) => part !== parts[at])) yield [index, { ...message, content }];
  }
}

/** A result whose text is cut; the same object if nothing is. A value is cut as JSON. */
function withShortResult(part: Part, cut: Cut): Part {
  const { output, result } = part;
  const { type, value } = fieldsOf(output);
  if (type === 'content' && Array.isArray(value)) {
    const parts = value.map((each: unknown) => {
      const { type, text } = fieldsOf(each);
      const short = type === 'text' && typeof text === 'string' ? cut(text) : text;
      return short === text ? each : { ...fieldsOf(each), text: short };
    });
    return parts.every((each, at) => each === value[at]) ? part : { ...part, output: { ...fieldsOf(output), value: parts } };
  }
  const shown = output === undefined ? result : value;
  const text = typeof shown === 'string' ? shown : JSON.stringify(shown);
  if (text === undefined) return part;
  const short = cut(text);
  if (short === text) return part;
  if (output === undefined) return { ...part, result: short };
  return { ...part, output: { ...fieldsOf(output), type: String(type).startsWith('error') ? 'error-text' : 'text', value: short } };
}

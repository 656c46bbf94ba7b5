// The chat formats of gpt-tokenizer: messages become special tokens, headers and contents, in one of two formats. This
// file defines only the sequence of parts; they are encoded elsewhere.
//
// ChatML:   <|im_start|> name separator content <|im_end|> separator, each message; <|im_start|>assistant separator
// Harmony:  <|start|> name … <|message|> content <|end|>, each message; <|start|>assistant

import { unexpected } from '../../base/errors.js';
import {
  HarmonyCall,
  HarmonyChannel,
  HarmonyConstrain,
  HarmonyEnd,
  HarmonyMessage,
  HarmonyReturn,
  HarmonyStart,
  ImEnd,
  ImSep,
  ImStart,
} from './constants.js';
import { isChatModel } from './model-specs.js';

/** How a Harmony message ends. */
export type HarmonyTerminator = '<|end|>' | '<|return|>' | '<|call|>';

/** A function that a message calls. */
export interface ChatMessageFunctionCall {
  name?: string;
  arguments?: string;
}

/**
 * A message of a chat.
 *
 * @example
 * ```ts
 * import { type ChatMessage, encodeChat, type EncodeChatOptions } from 'crayon-tokenizer/gpt-tokenizer';
 * import type { ChatMessageFunctionCall, HarmonyTerminator } from 'crayon-tokenizer/gpt-tokenizer';
 *
 * const call: ChatMessageFunctionCall = { name: 'weather', arguments: '{"place":"Rome"}' };
 * const end: HarmonyTerminator = '<|call|>';
 * const chat: ChatMessage[] = [
 *   { role: 'user', content: 'hello' },
 *   { role: 'assistant', content: '', function_call: call, terminator: end },
 * ];
 * const options: EncodeChatOptions = { primeWithAssistantResponse: '' };
 * encodeChat(chat, 'gpt-4o').length; // 12
 * encodeChat(chat, 'gpt-4o', options).length; // 10
 * ```
 */
export interface ChatMessage {
  /** Default `'system'`; `'user'` in Harmony. */
  role?: 'system' | 'user' | 'assistant' | 'developer' | (string & {});
  /** Replaces the role. */
  name?: string;
  content: string;
  function_call?: ChatMessageFunctionCall;
  /** Harmony: such as `analysis`, `commentary`, `final`. */
  channel?: string;
  /** Harmony: such as `functions.get_weather`. */
  recipient?: string;
  /** Harmony: where the recipient is written. Default `'channel'`, if there is one. */
  recipientPlacement?: 'role' | 'channel';
  /** Harmony: such as `json`. */
  constraint?: string;
  /** Harmony: default `<|end|>`. */
  terminator?: HarmonyTerminator;
}

/** Options of calls that encode a chat. */
export interface EncodeChatOptions {
  /** The role that answers, at the end of the chat. Default `'assistant'`; `''` omits it. */
  primeWithAssistantResponse?: string | undefined;
}

/** The separators after a message, and after the name of its role. */
export interface ChatParameters {
  messageSeparator: string;
  roleSeparator: string;
}

/** The chat format of a model; undefined if it has none. */
export function chatParametersOf(model: string): ChatParameters | undefined {
  if (!isChatModel(model)) return undefined;
  return model.startsWith('gpt-3.5') ? { messageSeparator: '\n', roleSeparator: '\n' } : { messageSeparator: '', roleSeparator: ImSep };
}

/** A part of a chat: a special token, or text; the options of a call apply to `content`. */
export type ChatPart = { special: string } | { header: string } | { content: string };

/** The parts of a chat in ChatML. */
export function* chatMl(
  chat: Iterable<ChatMessage>,
  { messageSeparator, roleSeparator }: ChatParameters,
  prime: string,
): Generator<ChatPart> {
  const separator = roleSeparator === ImSep ? { special: ImSep } : { header: roleSeparator };
  for (const message of chat) {
    const content = contentOf(message);
    yield { special: ImStart };
    yield { header: message.name ?? message.role ?? 'system' };
    yield separator;
    yield { content };
    yield { special: ImEnd };
    yield { header: messageSeparator };
  }
  if (prime.length > 0) {
    yield { special: ImStart };
    yield { content: prime };
  }
  yield separator;
}

/** The parts of a chat in Harmony. */
export function* harmony(chat: Iterable<ChatMessage>, prime: string): Generator<ChatPart> {
  for (const message of chat) {
    const content = contentOf(message);
    const { role, name, channel, recipient, recipientPlacement, constraint, terminator } = message;
    const beforeChannel = recipientPlacement === 'role' || !channel;
    yield { special: HarmonyStart };
    yield { header: name ?? role ?? 'user' };
    if (recipient && beforeChannel) yield { header: ` to=${recipient}` };
    if (channel) {
      yield { special: HarmonyChannel };
      yield { header: channel };
      if (recipient && !beforeChannel) yield { header: ` to=${recipient}` };
    }
    if (constraint) {
      yield { special: HarmonyConstrain };
      yield { header: constraint };
    }
    yield { special: HarmonyMessage };
    yield { content };
    yield { special: terminator === HarmonyReturn || terminator === HarmonyCall ? terminator : HarmonyEnd };
  }
  if (prime.length > 0) {
    yield { special: HarmonyStart };
    yield { header: prime };
  }
}

function contentOf(message: ChatMessage): string {
  if (typeof message !== 'object' || message === null) throw unexpected('a message', 'chat', message);
  const { content } = message;
  if (content === undefined) throw new Error('Content must be defined for all messages.');
  if (typeof content !== 'string') throw unexpected('a string', 'content', content);
  return content;
}

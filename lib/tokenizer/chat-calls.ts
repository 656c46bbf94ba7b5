// Chats of a tokenizer: what `renderChat` and the like have the renderer do, which the first call loads.

import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import { release, retain } from '../engine/references.js';
import type { Vocabulary } from '../vocabulary/vocabulary.js';
import { type ChatCall, chatRequest, type EncodeChatOptions, type EncodedChat, ownTemplates, type TemplateMessage } from './chat.js';
import type { Chat } from './chat-renderer.js';
import type { Conversation } from './conversation.js';
import { type ConversationOptions, conversationOptions, type ModelConversationOptions } from './conversation-options.js';
import type { Host } from './host.js';

type Messages = readonly TemplateMessage[] | string;

export function renderChat(
  host: Host,
  vocabulary: Vocabulary,
  messages: Messages,
  options: EncodeChatOptions | undefined,
): Promise<string> {
  return inChat(host, vocabulary, messages, options, false, (chat, { request, own, specialIds }) => chat.render(request, own, specialIds));
}

export function encodeChat(
  host: Host,
  vocabulary: Vocabulary,
  messages: Messages,
  options: EncodeChatOptions | undefined,
): Promise<UnsharedUint32Array | EncodedChat> {
  return inChat<UnsharedUint32Array | EncodedChat>(
    host,
    vocabulary,
    messages,
    options,
    true,
    (chat, { request, own, engine, specialIds }) =>
      request.origins || request.assistantMask
        ? chat.describe(request, own, engine, specialIds)
        : chat.encode(request, own, engine, specialIds),
  );
}

export function countChat(host: Host, vocabulary: Vocabulary, messages: Messages, options: EncodeChatOptions | undefined): Promise<number> {
  return inChat(host, vocabulary, messages, options, true, (chat, call) => chat.count(call));
}

export async function conversation(
  host: Host,
  vocabulary: Vocabulary,
  options: ConversationOptions | ModelConversationOptions | undefined,
): Promise<Conversation> {
  const { chat: own, own: budget, counting } = conversationOptions(options);
  return inChat(host, vocabulary, [], own, true, (chat, call) => chat.converse(call, budget, counting));
}

/**
 * Renders a chat; `ask` makes something of it. Reads everything before waiting: the messages and the vocabulary may change
 * meanwhile. `encodes`: with the options of `encodeChat`.
 */
export async function inChat<Result>(
  host: Host,
  vocabulary: Vocabulary,
  messages: Messages,
  options: EncodeChatOptions | undefined,
  encodes: boolean,
  ask: (chat: Chat, call: ChatCall) => Result | Promise<Result>,
): Promise<Result> {
  const { engine } = vocabulary;
  const call: ChatCall = {
    own: ownTemplates(vocabulary, engine),
    request: chatRequest(messages, options, encodes),
    specialIds: vocabulary.specialIds,
    engine,
  };
  if (!host.chat) throw new Error("chats need what renders them: import 'crayon-tokenizer' instead");
  retain(engine);
  try {
    return await ask(await host.chat(), call);
  } finally {
    release(engine);
  }
}

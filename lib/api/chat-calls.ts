// Chats of a tokenizer: `renderChat` and the like. The first call loads the renderer.

import { inTimeSlices, type Work } from '../base/time-slices.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import type { Background } from '../engine/background.js';
import { backgroundInTurns } from '../engine/encode-in-slices.js';
import { release, retain } from '../engine/retiring.js';
import type { Vocabulary } from '../vocabularies/vocabulary.js';
import { SPECIAL_ALLOW } from './arguments.js';
import {
  type ChatCall,
  chatRequest,
  type EncodeChatOptions,
  type EncodedChat,
  ownTemplates,
  type TemplateMessage,
} from './chat-options.js';
import { type ConversationOptions, conversationOptions, type ModelConversationOptions } from './conversation-options.js';
import type { Chat } from './host.js';
import type { Conversation } from './conversation.js';
import type { Host } from './host.js';

type Messages = readonly TemplateMessage[] | string;

export function renderChat(host: Host, vocabulary: Vocabulary, messages: Messages, options?: EncodeChatOptions): Promise<string> {
  return inChat(host, vocabulary, messages, options, false, (chat, call) => inTurns(chat.rendering(call), call.signal));
}

export function encodeChat(
  host: Host,
  vocabulary: Vocabulary,
  messages: Messages,
  options: EncodeChatOptions | undefined,
): Promise<UnsharedUint32Array | EncodedChat> {
  return inChat<UnsharedUint32Array | EncodedChat>(host, vocabulary, messages, options, true, async (chat, call) => {
    const { request, engine, signal } = call;
    if (request.origins || request.assistantMask) return inTurns(chat.describing(call), signal);
    const text = await inTurns(chat.plainText(call), signal);
    if (text === undefined) return inTurns(chat.encoding(call), signal);
    if (text.length <= LONGEST_AT_ONCE) return engine.encode(text, SPECIAL_ALLOW);
    return backgroundOf(host, call).encode(text, SPECIAL_ALLOW, { signal });
  });
}

export function countChat(host: Host, vocabulary: Vocabulary, messages: Messages, options: EncodeChatOptions | undefined): Promise<number> {
  return inChat(host, vocabulary, messages, options, true, async (chat, call) => {
    const { engine, signal } = call;
    const text = await inTurns(chat.plainText(call), signal);
    if (text === undefined) return (await inTurns(chat.encoding(call), signal)).length;
    if (text.length <= LONGEST_AT_ONCE) return engine.count(text, SPECIAL_ALLOW);
    return backgroundOf(host, call).count(text, SPECIAL_ALLOW, { signal });
  });
}

/** UTF-16 units that take less time to encode than to hand over to another thread and to wait for it. */
const LONGEST_AT_ONCE = 16 * 1024;

function backgroundOf(host: Host, { engine, signal }: ChatCall): Background {
  if (signal?.aborted) throw signal.reason;
  return host.backgroundOf?.(engine) ?? backgroundInTurns(engine);
}

/** Does work in turns with others. What ends with the first step, as most chats do, reads no clock. */
export function inTurns<Result>(work: Work<Result>, signal: AbortSignal | undefined): Promise<Result> | Result {
  if (signal?.aborted) throw signal.reason;
  const { done, value } = work.next();
  return done ? value : inTimeSlices(work, signal);
}

export async function conversation(
  host: Host,
  vocabulary: Vocabulary,
  options: ConversationOptions | ModelConversationOptions | undefined,
): Promise<Conversation> {
  const { chat: chatOptions, budgeting: budget, counting } = conversationOptions(options);
  return inChat(host, vocabulary, [], chatOptions, true, (chat, call) => chat.converse(call, budget, counting));
}

/**
 * Calls `ask` with the renderer and a checked call. Reads everything before it waits: the messages and the vocabulary may change
 * meanwhile. `encodes`: the options are those of `encodeChat`.
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
    templates: ownTemplates(vocabulary, engine),
    request: chatRequest(messages, options, encodes),
    specialIds: vocabulary.specialIds,
    engine,
    signal: options?.signal,
  };
  if (call.signal?.aborted) throw call.signal.reason;
  if (!host.chat) throw new Error("chats need what renders them: import 'crayon-tokenizer' instead");
  retain(engine);
  try {
    return await ask(await host.chat(), call);
  } finally {
    release(engine);
  }
}

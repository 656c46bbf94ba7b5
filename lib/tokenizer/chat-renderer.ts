// What renders and encodes chats, as the classes see it: `lib/chat`, which the first call loads.

import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import type { EngineTokenizer } from '../engine/engine.js';
import { SPECIAL_ALLOW } from './arguments.js';
import type { ChatCall, ChatRequest, EncodedChat, OwnTemplates } from './chat.js';
import type { Conversation, ConversationHold, ConversationOptions } from './conversation.js';

/** Renders and encodes chats. */
export interface Chat {
  /** A conversation without messages. Checks its options. */
  converse(call: ChatCall, options: ConversationOptions | undefined, hold: ConversationHold): Promise<Conversation>;
  render(request: ChatRequest, own: OwnTemplates, specialIds: ReadonlyMap<string, number>): string;
  encode(request: ChatRequest, own: OwnTemplates, engine: EngineTokenizer, specialIds: ReadonlyMap<string, number>): UnsharedUint32Array;
  /** The ids, and any extras the request asks for. */
  describe(request: ChatRequest, own: OwnTemplates, engine: EngineTokenizer, specialIds: ReadonlyMap<string, number>): EncodedChat;
  /** Loads the part whose absence made a call throw. False for other errors. */
  supply(error: unknown): Promise<boolean>;
}

/** The number of ids of a chat. Counts the text directly unless parts of it must be hidden. */
export function countChat(chat: Chat, { request, own, engine, specialIds }: ChatCall): number {
  if (request.special === 'allow') return engine.count(chat.render(request, own, specialIds), SPECIAL_ALLOW);
  return chat.encode(request, own, engine, specialIds).length;
}

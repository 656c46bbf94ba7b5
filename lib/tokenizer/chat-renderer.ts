// What renders and encodes chats, as the classes see it: `lib/chat`, which the first call loads.

import type { UnsharedUint32Array, UnsharedUint8Array } from '../base/typed-arrays.js';
import type { EngineTokenizer } from '../engine/engine.js';
import type { ChatCall, ChatRequest, EncodedChat, OwnTemplates } from './chat.js';
import type { Conversation, ConversationHold } from './conversation.js';
import type { BudgetOptions } from './conversation-options.js';

/** A text that has a chat's ids when it is encoded with all special tokens allowed, once those of `separator` are taken out. */
export interface UnmaskedChat {
  readonly text: string;
  readonly separator?: number | undefined;
  /** How often it occurs. */
  readonly separators: number;
}

/** A chat with its template, ready to render. */
export interface PreparedChat {
  readonly template: {
    /** The template's own texts: between its tags, and in its string literals. */
    literals(): string[];
    mentions(text: string): boolean;
  };
  /** `generation`: start and end of each `{% generation %}` in the text, in UTF-16 units. */
  render(): { readonly text: string; readonly generation: Uint32Array };
}

/** Renders chats without waiting, for drop-ins. */
export interface ChatAtOnce {
  /** With a template, whatever the vocabulary. */
  prepared(request: ChatRequest, own: OwnTemplates): PreparedChat;
  /** 1 for each token whose start and end in the text overlap a `{% generation %}`. */
  assistantMaskOf(offsets: Uint32Array, rendered: ReturnType<PreparedChat['render']>): UnsharedUint8Array;
}

/** Renders and encodes chats. */
export interface Chat {
  /** A conversation without messages. */
  converse(call: ChatCall, budget: BudgetOptions, hold: ConversationHold): Promise<Conversation>;
  render(request: ChatRequest, own: OwnTemplates, specialIds: ReadonlyMap<string, number>): string;
  encode(request: ChatRequest, own: OwnTemplates, engine: EngineTokenizer, specialIds: ReadonlyMap<string, number>): UnsharedUint32Array;
  /** The number of ids. */
  count(call: ChatCall): number;
  /** A text to encode instead of the chat; undefined if a caller's text has special tokens. Throws what `encode` throws. */
  unmasked(call: ChatCall): UnmaskedChat | undefined;
  /** The ids, and any extras the request asks for. */
  describe(request: ChatRequest, own: OwnTemplates, engine: EngineTokenizer, specialIds: ReadonlyMap<string, number>): EncodedChat;
  /** Loads the part whose absence made a call throw. False for other errors. */
  supply(error: unknown): Promise<boolean>;
}

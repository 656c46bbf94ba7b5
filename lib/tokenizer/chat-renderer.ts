// What renders and encodes chats, as the classes see it: `lib/chat`, which the first call loads.

import type { UnsharedUint32Array, UnsharedUint8Array } from '../base/typed-arrays.js';
import type { Work } from '../base/time-slices.js';
import type { Policy } from '../engine/engine.js';
import type { ChatCall, ChatRequest, EncodedChat, OwnTemplates } from './chat.js';
import type { Conversation } from './conversation.js';
import type { BudgetOptions, CountingOptions } from './conversation-options.js';
import type { WrittenText } from './known-text.js';

/** A text that has a chat's ids, once those of `separator` are taken out. */
export interface ChatText extends WrittenText {
  /** As in `KnownText.open`. */
  readonly policy: Policy;
  /** A token between texts that are encoded apart, and how often it occurs. */
  readonly separator?: number | undefined;
  readonly separators: number;
}

/** The ids of a chat, of those of its text. */
export function withoutSeparators(ids: UnsharedUint32Array, { separator, separators }: ChatText): UnsharedUint32Array {
  return separators === 0 ? ids : ids.filter((id) => id !== separator);
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

/** Renders and encodes chats, in steps of about a millisecond. */
export interface Chat {
  /** A conversation without messages. `counting`: by the rules of `countMessages`, without a template. */
  converse(call: ChatCall, budget: BudgetOptions, counting: CountingOptions | undefined): Promise<Conversation>;
  rendering(call: ChatCall): Work<string>;
  /** The text whose ids, with special tokens allowed, are the chat's; undefined if some of it is encoded apart or otherwise. */
  plainText(call: ChatCall): Work<string | undefined>;
  encoding(call: ChatCall): Work<UnsharedUint32Array>;
  /** The text to encode; undefined if no text has the ids. Throws what `encoding` throws for the messages, the tools and the template. */
  text(call: ChatCall): Work<ChatText | undefined>;
  /** The ids, and any extras the request asks for. */
  describing(call: ChatCall): Work<EncodedChat>;
}

// Conversations: chats that change message by message. Each change renders the whole chat, whose text then replaces the one before in a
// known text: this encodes only what differs.

import { TokenizerError } from '../base/errors.js';
import { drained } from '../base/time-slices.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import type { TextChange } from '../engine/edited-text.js';
import type { EngineTokenizer, Policy } from '../engine/engine.js';
import { release, retain } from '../engine/retiring.js';
import { SPECIAL_ALLOW } from '../api/arguments.js';
import {
  type ChatCall,
  type ChatRequest,
  type ChatState,
  type ChatText,
  type TakenMessage,
  withoutSeparators,
} from '../api/chat-options.js';
import type { BudgetOptions, CountingOptions } from '../api/conversation-options.js';
import type { Chat } from '../api/host.js';
import { Conversation } from '../api/conversation.js';
import { KnownText } from '../api/known-text.js';
import { countMessages } from '../api/messages/count-messages.js';
import { Vocabulary } from '../vocabularies/vocabulary.js';

/** `policy`: of `KnownText.open`, for the texts of this call. */
export function renderedConversation(chat: Chat, call: ChatCall, policy: Policy, budget: BudgetOptions): Conversation {
  return new Conversation(new RenderedChat(chat, call, KnownText.open(call.engine, policy)), budget);
}

const NOTHING: ChatText = { text: '', policy: SPECIAL_ALLOW, separators: 0 };

class RenderedChat implements ChatState {
  /** The text and the ids of the chat, where they differ from the known text's. */
  #text: string | undefined;
  #ids: UnsharedUint32Array | undefined;

  constructor(
    private readonly chat: Chat,
    private readonly call: ChatCall,
    private readonly known: KnownText,
  ) {}

  get isClosed(): boolean {
    return this.call.engine.isClosed;
  }

  get count(): number {
    return this.#ids?.length ?? this.known.count;
  }

  slice(from: number, to: number): UnsharedUint32Array {
    return this.#ids?.slice(from, to) ?? this.known.ids(Math.min(from, to), to);
  }

  text(): string {
    return this.#text ?? this.known.text;
  }

  copy(): RenderedChat {
    const copy = new RenderedChat(this.chat, this.call, this.known.fork());
    copy.#text = this.#text;
    copy.#ids = this.#ids;
    return copy;
  }

  close(): void {
    this.known.close();
  }

  countOf(messages: readonly TakenMessage[]): number {
    const other = this.copy();
    try {
      other.become(messages);
      return other.count;
    } finally {
      other.close();
    }
  }

  become(messages: readonly TakenMessage[]): TextChange {
    const { chat, known } = this;
    const request = { ...this.call.request, messages: messages.map(({ data }) => data) as ChatRequest['messages'] };
    const call = { ...this.call, request };
    const encoded = () => drained(chat.encoding(call));
    const written = messages.length === 0 ? NOTHING : drained(chat.text(call));
    const areKnown = written?.separators === 0;
    const before = areKnown && !this.#ids ? undefined : this.slice(0, this.count);
    let change: TextChange | undefined;
    try {
      if (written) change = known.become(written);
    } catch (error) {
      encoded(); // throws what is wrong with the chat
      throw error;
    }
    const ids = areKnown ? undefined : written ? withoutSeparators(known.ids(), written) : encoded();
    this.#text = areKnown ? undefined : drained(chat.rendering(call));
    this.#ids = ids;
    return before ? changeBetween(before, ids ?? known.ids()) : (change as TextChange);
  }
}

function changeBetween(before: Uint32Array, after: Uint32Array): TextChange {
  const length = Math.min(before.length, after.length);
  let from = 0;
  while (from < length && before[from] === after[from]) from++;
  let behind = 0;
  while (behind < length - from && before[before.length - 1 - behind] === after[after.length - 1 - behind]) behind++;
  return { from, removed: before.length - from - behind, inserted: after.length - from - behind };
}

export function countedConversation(engine: EngineTokenizer, counting: CountingOptions, budget: BudgetOptions): Conversation {
  const vocabulary = new Vocabulary(engine);
  const countOf = (messages: readonly TakenMessage[]) =>
    countMessages(
      vocabulary,
      messages.map(({ data }) => data),
      counting,
    );
  return new Conversation(new CountedChat(engine, counting.model, countOf, countOf([])), budget);
}

class CountedChat implements ChatState {
  constructor(
    private readonly engine: EngineTokenizer,
    private readonly model: string,
    readonly countOf: (messages: readonly TakenMessage[]) => number,
    public count: number,
  ) {
    retain(engine);
  }

  get isClosed(): boolean {
    return this.engine.isClosed;
  }

  slice(): UnsharedUint32Array {
    throw this.#missing('ids');
  }

  text(): string {
    throw this.#missing('text');
  }

  /** Which ids change is not known: all of them, perhaps. */
  become(messages: readonly TakenMessage[]): TextChange {
    const removed = this.count;
    this.count = this.countOf(messages);
    return { from: 0, removed, inserted: this.count };
  }

  copy(): ChatState {
    return new CountedChat(this.engine, this.model, this.countOf, this.count);
  }

  close(): void {
    release(this.engine);
  }

  #missing(what: string): TokenizerError {
    const why = `no chat template of ${this.model} is published, only how its tokens are counted`;
    return new TokenizerError(`the conversation has no ${what}: ${why}. Use count and trimTo, or a conversation with a template`, {
      code: 'INVALID_TEMPLATE',
    });
  }
}

// Conversations with a model that has no template: their tokens by the published rules of `countMessages`, and no ids.

import { TokenizerError } from '../base/errors.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import type { TextChange } from '../engine/edited-text.js';
import type { EngineTokenizer } from '../engine/engine.js';
import { release, retain } from '../engine/references.js';
import type { ChatState, TakenMessage } from '../tokenizer/chat.js';
import { Conversation } from '../tokenizer/conversation.js';
import type { BudgetOptions, CountingOptions } from '../tokenizer/conversation-options.js';
import { countMessages } from '../tokenizer/messages/count-messages.js';
import { Vocabulary } from '../vocabulary/vocabulary.js';

export function begin(engine: EngineTokenizer, counting: CountingOptions, budget: BudgetOptions): Conversation {
  const vocabulary = new Vocabulary(engine);
  const countOf = (messages: readonly TakenMessage[]) => {
    const counted = countMessages(
      vocabulary,
      messages.map(({ data }) => data),
      counting,
    );
    return typeof counted === 'number' ? counted : counted.tokens;
  };
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

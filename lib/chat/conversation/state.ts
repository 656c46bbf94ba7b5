// A chat that changes message by message, with its ids.

import type { TextChange } from '../../engine/edited-text.js';
import type { ChatRequest, ChatState } from '../../tokenizer/chat.js';
import type { Source, TakenMessage } from './source.js';
import { type Units, UnitList } from './unit-list.js';

/** Renders and encodes a chat as a single call does. */
export interface WholeChat {
  text(messages: ChatRequest['messages']): string;
  ids(messages: ChatRequest['messages']): Uint32Array;
}

export class State implements ChatState {
  constructor(
    private readonly source: Source,
    private readonly whole: WholeChat,
    private readonly list = new UnitList(),
  ) {}

  get count(): number {
    return this.list.count;
  }

  slice(from: number, to: number): Uint32Array<ArrayBuffer> {
    return this.list.slice(from, to);
  }

  text(): string {
    return this.list.text();
  }

  copy(): ChatState {
    return new State(this.source.copy(), this.whole, this.list.copy());
  }

  countOf(messages: readonly TakenMessage[]): number {
    return this.#units(messages).units.reduce((sum, { ids }) => sum + ids.length, 0);
  }

  become(messages: readonly TakenMessage[]): TextChange {
    return this.list.replace(this.#units(messages));
  }

  /** Where the source fails, the whole chat is rendered as always, which fails in the same way as always, or is the result. */
  #units(messages: readonly TakenMessage[]): Units {
    if (messages.length === 0) return { units: [] };
    try {
      return this.source.units(messages);
    } catch {
      const all = messages.map(({ data }) => data) as ChatRequest['messages'];
      const ids = this.whole.ids(all);
      return { units: [{ text: this.whole.text(all), ids }] };
    }
  }
}

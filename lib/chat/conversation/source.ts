// What a conversation asks of the format of its chat.

import type { TakenMessage } from '../../tokenizer/chat.js';
import type { Units } from './unit-list.js';

export type { TakenMessage };

export interface Source {
  /** The units of a chat. Fails where rendering the chat may fail; the error is not the one to show. */
  units(messages: readonly TakenMessage[]): Units;
  /** Another with the same contents, for a conversation that goes on elsewhere. */
  copy(): Source;
}

// The ids of a chat by way of a text whose beginning may be known.

import type { ChatCall } from '../chat.js';
import type { Chat } from '../chat-renderer.js';
import { TokenizerError } from '../../base/errors.js';
import type { UnsharedUint32Array } from '../../base/typed-arrays.js';
import type { Encoded } from './encode-with-tree.js';

/** Encodes a text with all special tokens allowed, or only counts. */
export type EncodeAllowed = (text: string) => Encoded;

/** The ids of a chat, or, when only counting, their number. A chat without such a text is encoded as always. */
export function encodedChat(chat: Chat, call: ChatCall, encode: EncodeAllowed, counting: boolean): Encoded {
  const { request, own, engine, specialIds } = call;
  const unmasked = chat.unmasked(call);
  if (unmasked) {
    try {
      const { separator, separators } = unmasked;
      const { ids, count, reused } = encode(unmasked.text);
      const own = count - separators;
      return { ids: counting || separators === 0 ? ids : without(ids, separator, own), count: own, reused: Math.min(reused, own) };
    } catch (error) {
      // What is wrong with the chat is what encoding it says.
      if (!(error instanceof TokenizerError)) throw error;
    }
  }
  const ids = chat.encode(request, own, engine, specialIds);
  return { ids, count: ids.length, reused: 0 };
}

function without(ids: Uint32Array, id: number | undefined, length: number): UnsharedUint32Array {
  const kept = new Uint32Array(length);
  let at = 0;
  for (const each of ids) if (each !== id) kept[at++] = each;
  return kept;
}

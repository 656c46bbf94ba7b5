// Ids of harmony conversations, through the public API.

import { type Tokenizer, TokenizerError } from 'crayon-tokenizer';

import type { HarmonyCall } from './harmony-conversations.mjs';

/** The ids, or null if the conversation is refused. */
export async function harmonyIds(tokenizer: Tokenizer, { how, autoDropAnalysis, messages }: HarmonyCall): Promise<number[] | null> {
  try {
    const harmony = { dropAnalysis: autoDropAnalysis, training: how === 'training' };
    return Array.from(await tokenizer.encodeChat(messages, { addGenerationPrompt: how === 'completion', harmony }));
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError || error instanceof TokenizerError) return null;
    throw error;
  }
}

// Iterates over the tokens of a vocabulary.

import { retain, release } from '../engine/references.js';
import type { UnsharedUint8Array } from '../base/typed-arrays.js';
import type { Vocabulary } from './vocabulary.js';

/**
 * A token from {@link Tokenizer.tokens}.
 *
 * @example
 * ```ts
 * const special: VocabularyToken[] = [...tokenizer.tokens()].filter((token) => token.special);
 * special.map(({ id, bytes }) => [id, new TextDecoder().decode(bytes)]); // [[199999, '<|endoftext|>'], [200018, '<|endofprompt|>']]
 * ```
 */
export interface VocabularyToken {
  id: number;
  /** Its bytes, as from `tokenBytes`. */
  bytes: UnsharedUint8Array;
  /** Whether it is one of `specialTokens`. */
  special: boolean;
}

/** The tokens of the engine in use at the first step, which stays open until the last one. */
export function* tokensOf(vocabulary: Vocabulary): Generator<VocabularyToken, void, undefined> {
  const { engine, description, specialIds } = vocabulary;
  const special = new Set(specialIds.values());
  retain(engine);
  try {
    for (let id = 0; id < description.vocabularySize; id++) {
      const bytes = engine.tokenBytes(id);
      if (bytes) yield { id, bytes, special: special.has(id) };
    }
  } finally {
    release(engine);
  }
}

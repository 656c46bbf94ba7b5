// The vocabulary of a tokenizer: its engine, and what is derived from the engine's description, which is asked for once.
// Another engine may take the engine's place.

import type { Description, EngineTokenizer } from './engine.js';
import { FrozenMap } from './frozen.js';
import { readMetadata } from './metadata.js';

export class Vocabulary {
  #engine: EngineTokenizer;
  #description: Description | undefined;
  #specialIds: ReadonlyMap<string, number> | undefined;
  #specialTokens: ReadonlyMap<string, number> | undefined;
  #metadata: Readonly<Record<string, unknown>> | undefined;

  constructor(engine: EngineTokenizer) {
    this.#engine = engine;
  }

  get description(): Description {
    this.#description ??= this.#engine.describe();
    return this.#description;
  }

  /** The special tokens, for the tokenizer's own use: no caller gets hold of this map. */
  get specialIds(): ReadonlyMap<string, number> {
    this.#specialIds ??= new Map(
      this.description.addedTokens.filter((token) => token.special).map(({ text, id }) => [text, id]),
    );
    return this.#specialIds;
  }

  /** The same for callers. */
  get specialTokens(): ReadonlyMap<string, number> {
    this.#specialTokens ??= new FrozenMap(this.specialIds);
    return this.#specialTokens;
  }

  get metadata(): Readonly<Record<string, unknown>> {
    this.#metadata ??= readMetadata(this.description.metadata);
    return this.#metadata;
  }

  /** Derives everything from another engine from now on. */
  exchange(engine: EngineTokenizer): void {
    this.#engine = engine;
    this.forget();
  }

  /** Asks the engine again next time. */
  forget(): void {
    this.#description = undefined;
    this.#specialIds = undefined;
    this.#specialTokens = undefined;
    this.#metadata = undefined;
  }
}

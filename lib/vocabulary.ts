// A vocabulary that is open: its engine, and what is derived from the engine's description, made when it is first asked
// for. Another engine may take its place.

import type { Description, EngineTokenizer } from './backend.js';

export class Vocabulary {
  #engine: EngineTokenizer;
  #description: Description | undefined;
  #specialTokens: ReadonlyMap<string, number> | undefined;
  #metadata: Readonly<Record<string, unknown>> | undefined;

  constructor(engine: EngineTokenizer) {
    this.#engine = engine;
  }

  get engine(): EngineTokenizer {
    return this.#engine;
  }

  get description(): Description {
    this.#description ??= this.#engine.describe();
    return this.#description;
  }

  get specialTokens(): ReadonlyMap<string, number> {
    this.#specialTokens ??= new Map(
      this.description.addedTokens.filter((token) => token.special).map(({ text, id }) => [text, id]),
    );
    return this.#specialTokens;
  }

  get metadata(): Readonly<Record<string, unknown>> {
    this.#metadata ??= JSON.parse(this.description.metadata) as Record<string, unknown>;
    return this.#metadata;
  }

  /** Puts another engine in place of this one, which its sessions keep until they end. */
  exchange(engine: EngineTokenizer): void {
    this.retire();
    this.#engine = engine;
  }

  /** Closes the engine when its last session ends. */
  retire(): void {
    this.#forget();
    this.#engine.retire();
  }

  /** Closes the engine now. */
  close(): void {
    this.#forget();
    this.#engine.close();
  }

  #forget(): void {
    this.#description = undefined;
    this.#specialTokens = undefined;
    this.#metadata = undefined;
  }
}

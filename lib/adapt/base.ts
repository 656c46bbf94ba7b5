// The vocabulary to adapt, and its place in the tokenizer.

import type { Adapting } from '../tokenizer/adaptation.js';
import type { Description, EngineTokenizer } from '../engine/engine.js';
import { TokenizerError } from '../base/errors.js';
import { retain, readmit, release } from '../engine/references.js';
import { readMetadata } from '../vocabulary/metadata.js';

export class Base {
  readonly engine: EngineTokenizer;
  readonly description: Description;
  /** Unreadable metadata is replaced. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly #adapting: Pick<Adapting, 'inUse' | 'open' | 'take'>;
  /** The engine that replaced it. */
  #next: EngineTokenizer | undefined;

  constructor({ engine, inUse, open, take }: Adapting) {
    this.#adapting = { inUse, open, take };
    this.engine = engine;
    this.#expect(engine, 'adapt the vocabulary');
    this.description = engine.describe();
    this.metadata = metadataOf(this.description);
  }

  /** Keeps it open until the tokenizer closes, even if it is replaced. */
  hold(): void {
    retain(this.engine);
  }

  release(): void {
    release(this.engine);
  }

  /** Opens a cartridge with this engine's kernel. WebAssembly chooses the same one anyway. */
  open(cartridge: Uint8Array): EngineTokenizer | Promise<EngineTokenizer> {
    const { kernel } = this.description;
    return this.#adapting.open(cartridge, kernel === 'simd128' ? {} : { kernel }, this.engine);
  }

  /** Replaces it with a cartridge; it stays open. */
  async replace(cartridge: Uint8Array): Promise<void> {
    const doing = 'commit the adaptation';
    this.#expect(this.engine, doing);
    const next = await this.open(cartridge);
    try {
      this.#expect(this.engine, doing);
    } catch (error) {
      next.close();
      throw error;
    }
    this.hold();
    this.#adapting.take(next);
    this.#next = next;
  }

  /** Restores it, if it has been replaced. */
  restore(): void {
    if (!this.#next) return;
    this.#expect(this.#next, 'roll the adaptation back');
    this.#adapting.take(this.engine);
    readmit(this.engine);
    this.#next = undefined;
  }

  #expect(engine: EngineTokenizer, doing: string): void {
    const { inUse } = this.#adapting;
    const answer = inUse(engine);
    if (typeof answer === 'string') throw new TokenizerError(`cannot ${doing}: ${answer}`, { code: 'CLOSED' });
    if (answer) return;
    throw new TokenizerError(`cannot ${doing}: the tokenizer has another vocabulary by now`, { code: 'INVALID_ARGUMENT' });
  }
}

function metadataOf({ metadata, name }: Description): Readonly<Record<string, unknown>> {
  try {
    return readMetadata(metadata);
  } catch {
    return { name };
  }
}

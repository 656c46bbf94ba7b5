// An open vocabulary: an engine, and data derived from its description, which is requested once. This is what the functions of
// lib/api work with; a Tokenizer is one with methods.

import type { Description, EngineTokenizer } from '../engine/engine.js';
import { FrozenMap } from '../base/public-objects.js';
import {
  decoderIn,
  type Decoders,
  DECODERS_MISSING,
  type Decoding,
  readMetadata,
  type Templates,
  templatesOf,
  type TokenRoles,
  tokenRolesOf,
} from './metadata.js';
import { OffsetTrimmer, type Trimming } from './trimmed-offsets.js';
import { retain, release } from '../engine/retiring.js';
import type { UnsharedUint8Array } from '../base/typed-arrays.js';

export class Vocabulary {
  /** Changed by `exchange`. */
  engine: EngineTokenizer;
  readonly #decoders: Decoders;
  #description: Description | undefined;
  #specialIds: ReadonlyMap<string, number> | undefined;
  #specialTokens: ReadonlyMap<string, number> | undefined;
  #metadata: Readonly<Record<string, unknown>> | undefined;
  #roles: TokenRoles | undefined;
  #templates: Templates | undefined;
  /** Null if offsets are not trimmed. */
  #trimmer: OffsetTrimmer | null | undefined;
  /** Null if the bytes of tokens are the text. */
  #decoding: Decoding | null | undefined;

  constructor(engine: EngineTokenizer, decoders: Decoders = {}) {
    this.engine = engine;
    this.#decoders = decoders;
  }

  get description(): Description {
    this.#description ??= this.engine.describe();
    return this.#description;
  }

  /** The special tokens, for internal use: callers never see this map. */
  get specialIds(): ReadonlyMap<string, number> {
    this.#specialIds ??= new Map(this.description.addedTokens.filter((token) => token.special).map(({ text, id }) => [text, id]));
    return this.#specialIds;
  }

  /** The same as an immutable map, for callers. */
  get specialTokens(): ReadonlyMap<string, number> {
    this.#specialTokens ??= new FrozenMap(this.specialIds);
    return this.#specialTokens;
  }

  get metadata(): Readonly<Record<string, unknown>> {
    this.#metadata ??= readMetadata(this.description.metadata);
    return this.#metadata;
  }

  get roles(): TokenRoles {
    this.#roles ??= tokenRolesOf(this.description, this.metadata, this.specialIds);
    return this.#roles;
  }

  /** The templates for one text and for two. */
  get templates(): Templates {
    const hasOwn = this.description.metadata.includes('"templates"');
    return (this.#templates ??= templatesOf(this.description, hasOwn ? this.metadata : {}));
  }

  /** Trims spaces from offsets; null for nearly all vocabularies, which do not ask for it. */
  get trimmer(): OffsetTrimmer | null {
    if (this.#trimmer === undefined) {
      // Skips parsing if it cannot be there: the metadata may hold templates of hundreds of kilobytes.
      const trimming = this.description.metadata.includes('"trimming"') ? this.metadata.trimming : undefined;
      this.#trimmer = null;
      const trimmings = [trimming].flat();
      if (trimmings.every((each) => each === 'spaces' || each === 'all but a first space')) {
        this.#trimmer = new OffsetTrimmer(trimmings satisfies Trimming[], this.metadata, this.description, this.engine);
      }
    }
    return this.#trimmer;
  }

  /** Turns ids into text; null if the engine does, by joining the bytes of tokens. */
  get decoding(): Decoding | null {
    if (this.#decoding === undefined) {
      const spec = decoderIn(this.description.metadata, () => this.metadata);
      const { decoderOf } = this.#decoders;
      if (spec === undefined) this.#decoding = null;
      else if (decoderOf) this.#decoding = decoderOf(spec, this.engine);
      else throw new TypeError(DECODERS_MISSING);
    }
    return this.#decoding;
  }

  /** Switches to another engine, from which everything is derived again. */
  exchange(engine: EngineTokenizer): void {
    this.engine = engine;
    this.forget();
  }

  close(): void {
    this.forget();
    this.engine.close();
  }

  /** Requests the description again next time. */
  forget(): void {
    this.#description = undefined;
    this.#specialIds = undefined;
    this.#specialTokens = undefined;
    this.#metadata = undefined;
    this.#roles = undefined;
    this.#templates = undefined;
    this.#trimmer = undefined;
    this.#decoding = undefined;
  }
}

// Iterates over the tokens of a vocabulary.

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

// The vocabulary of a tokenizer: its engine, and what is derived from the engine's description, which is asked for once.
// Another engine may take the engine's place.

import type { Description, EngineTokenizer } from '../engine/engine.js';
import { FrozenMap } from '../base/frozen.js';
import { decoderIn, type Decoding, decodingOf } from './decoding.js';
import { readMetadata } from './metadata.js';
import { type Templates, templatesOf } from './pieces.js';
import { type TokenRoles, tokenRolesOf } from './token-roles.js';
import { OffsetTrimmer, type Trimming } from './trimmed-offsets.js';

export class Vocabulary {
  #engine: EngineTokenizer;
  #description: Description | undefined;
  #specialIds: ReadonlyMap<string, number> | undefined;
  #specialTokens: ReadonlyMap<string, number> | undefined;
  #metadata: Readonly<Record<string, unknown>> | undefined;
  #roles: TokenRoles | undefined;
  #templates: Templates | undefined;
  /** Null if offsets stay as they are. */
  #trimmer: OffsetTrimmer | null | undefined;
  /** Null if the bytes of tokens are the text. */
  #decoding: Decoding | null | undefined;

  constructor(engine: EngineTokenizer) {
    this.#engine = engine;
  }

  get description(): Description {
    this.#description ??= this.#engine.describe();
    return this.#description;
  }

  /** The special tokens, for the tokenizer's own use: no caller gets hold of this map. */
  get specialIds(): ReadonlyMap<string, number> {
    this.#specialIds ??= new Map(this.description.addedTokens.filter((token) => token.special).map(({ text, id }) => [text, id]));
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

  get roles(): TokenRoles {
    this.#roles ??= tokenRolesOf(this.description, this.metadata, this.specialIds);
    return this.#roles;
  }

  /** What is put around one text and around two. */
  get templates(): Templates {
    const hasOwn = this.description.metadata.includes('"templates"');
    return (this.#templates ??= templatesOf(this.description, hasOwn ? this.metadata : {}));
  }

  /** Takes spaces off offsets; null for a vocabulary whose offsets have them, as nearly all have. */
  get trimmer(): OffsetTrimmer | null {
    if (this.#trimmer === undefined) {
      // Not read where it cannot be there: it may have templates of some hundred kilobytes.
      const trimming = this.description.metadata.includes('"trimming"') ? this.metadata.trimming : undefined;
      const isKnown = trimming === 'spaces' || trimming === 'all but a first space';
      const engine = this.#engine;
      this.#trimmer = isKnown ? new OffsetTrimmer(trimming satisfies Trimming, this.description, (id) => engine.tokenBytes(id)) : null;
    }
    return this.#trimmer;
  }

  /** What makes a text of ids; null for the engine itself, which joins the bytes of tokens. */
  get decoding(): Decoding | null {
    if (this.#decoding === undefined) {
      const spec = decoderIn(this.description.metadata, () => this.metadata);
      this.#decoding = spec === undefined ? null : decodingOf(spec, this.#engine);
    }
    return this.#decoding;
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
    this.#roles = undefined;
    this.#templates = undefined;
    this.#trimmer = undefined;
    this.#decoding = undefined;
  }
}

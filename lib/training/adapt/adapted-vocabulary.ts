// The vocabulary to adapt, and its place in the tokenizer.

import type { Adapting } from '../../api/adaptation.js';
import type { AddedToken, Description, EngineTokenizer } from '../../engine/engine.js';
import { TokenizerError } from '../../base/errors.js';
import { retain, readmit, release } from '../../engine/retiring.js';
import { readMetadata } from '../../vocabularies/metadata.js';
import type { Work } from '../../base/time-slices.js';

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

// The vocabulary of an open tokenizer in the compiler's form, since backends do not return their cartridges.

/** Ids to look up between two checks of the clock. */
const SLICE = 1024;
const BYTE_COUNT = 0x100;
const AS_TEXT = 0;

const encoder = new TextEncoder();

/**
 * The model's tokens by id; undefined for an id without one, such as a special token's.
 *
 * An added token's id has the added token's bytes, whether or not the model has a token there too. Only if it has one can a
 * text become that id when added tokens are ordinary text. If no text can, an id without a token is equivalent: it decodes
 * to the added token. Throws `INVALID_ARGUMENT` for vocabularies that cannot be compiled again.
 */
export function* tokensOf(engine: EngineTokenizer, description: Description): Work<(Uint8Array | undefined)[]> {
  const { vocabularySize, addedTokens, unknownId, model } = description;
  const tokens: (Uint8Array | undefined)[] = [];
  const added = new Map(addedTokens.map((token) => [token.id, token]));
  for (let id = 0; id < vocabularySize; id++) {
    if (id % SLICE === 0) yield;
    const bytes = engine.tokenBytes(id);
    const token = added.get(id);
    if (bytes && !token && model !== 'bpe') refuseUnmatched(engine, id, bytes, added);
    tokens.push(bytes && (!token || id === unknownId || isEncodedTo(engine, bytes, token)) ? bytes : undefined);
  }
  if (model === 'bpe') restoreBytes(tokens, addedTokens);
  return tokens;
}

/** In a version 2 file a token may also belong to another id, or be missing from the trie: the compiler has no such tokens. */
function refuseUnmatched(engine: EngineTokenizer, id: number, bytes: Uint8Array, added: ReadonlyMap<number, AddedToken>): void {
  const found = engine.idOf(bytes);
  if (found === id || (found !== undefined && added.has(found))) return;
  throw refused(`no text becomes the id ${id}, as in a file of version 2 whose list has a token twice`);
}

export function refused(why: string): TokenizerError {
  return new TokenizerError(`cannot adapt the vocabulary: ${why}`, { code: 'INVALID_ARGUMENT' });
}

function isEncodedTo(engine: EngineTokenizer, bytes: Uint8Array, { id, special }: AddedToken): boolean {
  if (!special) return false; // it always matches, before the model runs
  try {
    const ids = engine.encode(bytes, AS_TEXT);
    return ids.length === 1 && ids[0] === id;
  } catch (error) {
    if (error instanceof TokenizerError && error.code === 'UNKNOWN_CHARACTER') return false;
    throw error;
  }
}

/** BPE needs a token for each byte, which may be an added token that always matches. */
function restoreBytes(tokens: (Uint8Array | undefined)[], added: readonly AddedToken[]): void {
  const missing = new Set(Array.from({ length: BYTE_COUNT }, (_, byte) => byte));
  for (const token of tokens) if (token?.length === 1) missing.delete(token[0] as number);
  for (const { text, id } of added) {
    const bytes = encoder.encode(text);
    if (bytes.length === 1 && missing.delete(bytes[0] as number)) tokens[id] = bytes;
  }
  const [byte] = missing;
  if (byte !== undefined) throw refused(`it has no token for the byte ${byte}, which is not supported`);
}

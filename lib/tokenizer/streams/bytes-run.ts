// Text of ids whose tokens are bytes: the bytes are joined and decoded together as UTF-8.

import type { EngineTokenizer } from '../../engine/engine.js';
import type { DecodingRun } from '../../vocabulary/metadata.js';

/** What all streams of an engine know: the texts of tokens in whole characters, with special tokens and without. */
const known = new WeakMap<EngineTokenizer, [Texts, Texts]>();

/** By id; null for a token that begins or ends within a character. */
type Texts = Map<number, string | null>;

function textsOf(engine: EngineTokenizer, skipSpecial: boolean): Texts {
  let both = known.get(engine);
  if (!both) known.set(engine, (both = [new Map(), new Map()]));
  return both[skipSpecial ? 1 : 0];
}

export class BytesRun implements DecodingRun {
  readonly #engine: EngineTokenizer;
  readonly #skipSpecial: boolean;
  readonly #texts: Texts;
  #utf8: InstanceType<typeof TextDecoder> | undefined;
  /** Whether a character may be incomplete. */
  #isPartial = false;

  constructor(engine: EngineTokenizer, skipSpecial: boolean) {
    this.#engine = engine;
    this.#skipSpecial = skipSpecial;
    this.#texts = textsOf(engine, skipSpecial);
  }

  push(ids: Uint32Array): string {
    return ids.length === 1 ? this.#one(ids) : this.#decode(this.#bytesOf(ids));
  }

  end(): string {
    return this.#utf8?.decode() ?? '';
  }

  /** Most tokens are whole characters, whose text the engine need not be asked for again: that takes ten times as long. */
  #one(ids: Uint32Array): string {
    const id = ids[0] as number;
    let text = this.#texts.get(id);
    if (text === undefined) {
      text = textOfWhole(this.#bytesOf(ids));
      this.#texts.set(id, text);
    }
    if (text !== null && !this.#isPartial) return text;
    const made = this.#decode(this.#bytesOf(ids));
    // After whole characters nothing is incomplete; otherwise the last byte has told.
    if (text !== null) this.#isPartial = text === '';
    return made;
  }

  #decode(bytes: Uint8Array): string {
    if (bytes.length > 0) this.#isPartial = (bytes[bytes.length - 1] as number) >= 0x80;
    this.#utf8 ??= new TextDecoder('utf-8', { ignoreBOM: true });
    return this.#utf8.decode(bytes, { stream: true });
  }

  #bytesOf(ids: Uint32Array): Uint8Array {
    return this.#engine.decodeBytes(ids, this.#skipSpecial);
  }
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOfWhole(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

// A tokenizer of the WebAssembly backend. This folder knows no other backend and no entry.
//
// Each has its own instance, released when it is closed or garbage-collected: a trap ends only that tokenizer, and memory that
// has grown is released.

import type {
  Description,
  EngineTokenizer,
  EngineUnit,
  MemoryUse,
  OffsetUnit,
  PartForm,
  Policy,
  Section,
  Side,
  TextPolicy,
  TextSession,
  TokensWithOffsets,
} from '../engine/engine.js';
import type { EditedText } from '../engine/edited-text.js';
import { TokenizerError } from '../base/errors.js';
import type { UnsharedUint32Array, UnsharedUint8Array } from '../base/typed-arrays.js';
import type { OpenOptions } from '../open/open-failed.js';
import { WINDOW, WINDOW_BYTES, type WasmCore, type WasmHost } from './core.js';
import { decodeText, decodeToBytes, regexMatches } from './decode.js';
import { descriptionOf, idOrNone, type Open } from './description.js';
import type { openText, TextLender } from './documents.js';
import { WasmEncoder } from './encoder.js';
import { type EncoderLender, type Gathering, WasmSession } from './session.js';

/** More tokens than a text can have. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
/** The policy that treats special tokens as ordinary text. */
const AS_TEXT = 0;
/** The longest text, in UTF-16 units, whose ids are cached, and the most texts in that cache. */
const WORD = 5;
const MOST_WORDS = 2048;

/** How a tokenizer is opened. `texts`: the code that edits texts, which pages load for the first tokenizer that is loaded for documents. */
export interface WasmOptions extends OpenOptions {
  texts?: (() => typeof openText | undefined) | undefined;
  host?: WasmHost | undefined;
}

let insideOf: (engine: EngineTokenizer) => { core: WasmCore; tokenizer: number };

export class WasmTokenizer implements EngineTokenizer, EncoderLender {
  readonly #textLender: TextLender = {
    check: () => void this.#live(),
    encoder: () => this.#encoder().address,
    documents: new Set(),
  };

  static {
    insideOf = (engine) => (engine as WasmTokenizer).#live();
  }

  readonly kind = 'wasm';
  readonly model: string | undefined;
  readonly cacheBytes: number | undefined;
  #open: Open | undefined;
  /** The encoder that one-shot calls use, with its warm cache, and that a session borrows. */
  #idle: WasmEncoder | undefined;
  readonly #sessions = new Set<WasmSession>();
  /** A cache of the ids of very short texts, with special tokens as ordinary text. */
  readonly #words = new Map<string, Uint32Array>();
  #isRetired = false;
  /** Opens the same in an instance that has documents, and what has been opened. */
  readonly #openWhole: OpenOptions['whole'];
  #whole: EngineTokenizer | undefined;
  readonly #texts: WasmOptions['texts'];

  constructor(open: Open, { model, cacheBytes, whole, texts }: WasmOptions) {
    this.#texts = texts;
    this.#openWhole = whole;
    this.#open = open;
    this.model = model;
    this.cacheBytes = cacheBytes;
  }

  get isClosed(): boolean {
    return this.#open === undefined;
  }

  encode(text: string, policy: Policy): UnsharedUint32Array {
    const encoder = this.#encoder();
    try {
      const { length } = text;
      if (length > WINDOW) return this.#encodeLong(text, policy);
      if (length <= WORD && policy === AS_TEXT) {
        const known = this.#wordIds(encoder, text);
        return encoder.core.ids.copy(known, 0, known.length);
      }
      encoder.begin(policy);
      encoder.feedWhole(text);
      return encoder.readWhole();
    } catch (error) {
      throw encoder.core.caught(error);
    }
  }

  encodeBytes(bytes: Uint8Array, policy: TextPolicy): UnsharedUint32Array {
    return this.#encodeLong(bytes, policy);
  }

  count(text: string, policy: Policy): number {
    if (text.length <= WORD && policy === AS_TEXT) return this.#with((encoder) => this.#wordIds(encoder, text).length);
    return this.countUpTo(text, NO_LIMIT, policy);
  }

  countBytes(bytes: Uint8Array, policy: TextPolicy): number {
    return this.countBytesUpTo(bytes, NO_LIMIT, policy);
  }

  countUpTo(text: string, most: number, policy: Policy): number {
    const { length } = text;
    if (length > windowFor(most)) return this.#countInParts(text, most, policy);
    const encoder = this.#encoder();
    try {
      encoder.begin(policy);
      encoder.feedWhole(text);
      return encoder.count(0, most);
    } catch (error) {
      throw encoder.core.caught(error);
    }
  }

  countBytesUpTo(bytes: Uint8Array, most: number, policy: TextPolicy): number {
    return this.#countInParts(bytes, most, policy);
  }

  encodeWithOffsets(text: string, unit: EngineUnit, policy: Policy): TokensWithOffsets {
    return this.#locate(text, unit, policy);
  }

  encodeBytesWithOffsets(bytes: Uint8Array, unit: EngineUnit, policy: TextPolicy): TokensWithOffsets {
    return this.#locate(bytes, unit, policy);
  }

  fit(part: string | Uint8Array, whole: boolean, limit: number, side: Side, policy: Policy): number | undefined {
    return this.#with((encoder) => {
      encoder.begin(policy);
      return encoder.fit(part, whole, limit, side);
    });
  }

  begin(policy: TextPolicy, counting: boolean, form?: PartForm, unit?: EngineUnit): TextSession {
    return this.#begin(policy, { counting, form, unit });
  }

  /** Whether its module has documents: the small one for pages has none. */
  get hasDocuments(): boolean {
    return 'crayon_document_create' in this.#live().core.engine;
  }

  edit(policy: Policy, unit: OffsetUnit): EditedText {
    return this.#ask(({ core, tokenizer }) => {
      const open = this.hasDocuments ? this.#texts?.() : undefined;
      if (open) return open(this.#textLender, core, tokenizer, policy, unit);
      this.#whole ??= this.#openWhole?.();
      if (this.#whole) return this.#whole.edit(policy, unit);
      throw new TokenizerError(
        'cannot open a document: the WebAssembly module of this tokenizer has none; load the tokenizer with { documents: true }',
        { code: 'FEATURE_MISSING' },
      );
    });
  }

  decode(ids: Uint32Array, skipSpecial: boolean): string {
    const { core, tokenizer } = this.#live();
    try {
      return decodeText(core, tokenizer, ids, skipSpecial);
    } catch (error) {
      throw core.caught(error);
    }
  }

  decodeBytes(ids: Uint32Array, skipSpecial: boolean): UnsharedUint8Array {
    return this.#ask(({ core, tokenizer }) => decodeToBytes(core, tokenizer, ids, skipSpecial));
  }

  tokenBytes(id: number): UnsharedUint8Array | undefined {
    return this.#ask(({ core, tokenizer }) => {
      const at = core.engine.crayon_tokenizer_token_bytes(tokenizer, id, core.out) >>> 0;
      return at === 0 ? undefined : core.bytes.slice(at, at + core.outWord(0));
    });
  }

  idOf(bytes: Uint8Array): number | undefined {
    return this.#ask(({ core, tokenizer }) => {
      if (bytes.length > WINDOW_BYTES) return undefined; // no token is that long
      core.textBytes.set(bytes);
      return idOrNone(core.engine.crayon_tokenizer_id_of(tokenizer, core.text, bytes.length));
    });
  }

  matches(program: Uint32Array, text: string): Uint32Array {
    return this.#ask(({ core }) => regexMatches(core, program, text));
  }

  describe(): Description {
    return this.#ask(descriptionOf);
  }

  sections(): Section[] {
    return this.#ask(({ core, cartridge }) => {
      const sections: Section[] = [];
      while (core.engine.crayon_cartridge_section(cartridge, sections.length, core.out) !== 0) {
        const [id, flags, offset, length] = [0, 1, 2, 3].map((index) => core.outWord(index)) as [number, number, number, number];
        sections.push({ id, flags, offset, length });
      }
      return sections;
    });
  }

  memory(): MemoryUse {
    const whole = this.#whole?.memory().private ?? 0;
    return { mapped: 0, private: this.#live().core.engine.memory.buffer.byteLength + whole, caches: 0 };
  }

  /** A module's memory cannot shrink. */
  trim(): void {
    this.#live();
  }

  retire(): void {
    this.#isRetired = true;
    if (this.#sessions.size === 0) this.close();
  }

  close(): void {
    for (const session of this.#sessions) session.abandon();
    this.#sessions.clear();
    this.#textLender.documents.clear();
    this.#words.clear();
    this.#idle = undefined;
    this.#open = undefined;
    this.#whole?.close();
  }

  giveBack(session: WasmSession, encoder: WasmEncoder): void {
    if (!this.#sessions.delete(session)) return;
    if (this.#idle) this.#quietly(encoder);
    else this.#idle = encoder;
    if (this.#isRetired && this.#sessions.size === 0) this.close();
  }

  /** The ids of a word, cached: calling the engine again takes longer than a lookup. */
  #wordIds(encoder: WasmEncoder, word: string): Uint32Array {
    const known = this.#words.get(word);
    if (known) return known;
    encoder.begin(AS_TEXT);
    encoder.feedWhole(word);
    const ids = encoder.readWhole();
    if (this.#words.size === MOST_WORDS) this.#words.clear();
    this.#words.set(word, ids);
    return ids;
  }

  /** Releases an encoder that is no longer needed; an instance that has trapped releases nothing. */
  #quietly(encoder: WasmEncoder): void {
    try {
      encoder.release();
    } catch (error) {
      encoder.core.caught(error);
    }
  }

  #live(): Open {
    const open = this.#open;
    if (!open) throw new TokenizerError('the tokenizer has been closed', { code: 'CLOSED' });
    open.core.checkAlive();
    return open;
  }

  #encoder(): WasmEncoder {
    const idle = this.#idle;
    if (idle) {
      idle.core.checkAlive();
      return idle;
    }
    return this.#ask(({ core, tokenizer }) => {
      this.#idle = new WasmEncoder(core, tokenizer);
      return this.#idle;
    });
  }

  #ask<T>(answer: (open: Open) => T): T {
    const open = this.#live();
    try {
      return answer(open);
    } catch (error) {
      throw open.core.caught(error);
    }
  }

  #with<T>(work: (encoder: WasmEncoder) => T): T {
    const encoder = this.#encoder();
    try {
      return work(encoder);
    } catch (error) {
      throw encoder.core.caught(error);
    }
  }

  #begin(policy: TextPolicy, gathering: Gathering): WasmSession {
    return this.#with((encoder) => {
      const session = new WasmSession(this, encoder, policy, gathering);
      this.#idle = undefined;
      this.#sessions.add(session);
      return session;
    });
  }

  #encodeLong(text: string | Uint8Array, policy: TextPolicy): UnsharedUint32Array {
    return this.#with((encoder) => {
      encoder.begin(policy);
      return encoder.encodeLong(text);
    });
  }

  #countInParts(text: string | Uint8Array, most: number, policy: TextPolicy): number {
    const session = this.#begin(policy, { counting: true });
    try {
      let total = 0;
      for (let at = 0; total < most; ) {
        const end = Math.min(at + windowFor(most - total), text.length);
        const part = typeof text === 'string' ? text.slice(at, end) : text.subarray(at, end);
        const isEnd = end === text.length;
        total = session.feed(part, isEnd, most);
        if (isEnd) break;
        at = end;
      }
      return total;
    } finally {
      session.end();
    }
  }

  #locate(text: string | Uint8Array, unit: EngineUnit, policy: TextPolicy): TokensWithOffsets {
    const session = this.#begin(policy, { counting: false, unit });
    try {
      session.feed(text, true);
      return { offsets: session.takeOffsets(), ids: session.take() };
    } finally {
      session.end();
    }
  }
}

/** A tokenizer's instance, and its address there. */
export { insideOf };

/** Units to count per call when at most `most` tokens matter: about twice as many as most texts need. */
function windowFor(most: number): number {
  return Math.min(Math.max(1024, 8 * most), WINDOW);
}

// An open tokenizer, over the engine's functions: what both hosts have in common.

import { TokenizerError } from '../base/errors.js';
import type { UnsharedUint32Array, UnsharedUint8Array } from '../base/typed-arrays.js';
import { failedIn, UNITS } from './binding.js';
import { descriptionOf, idOrNone, type Opened, sectionsOf } from './description.js';
import type { EditedText } from './edited-text.js';
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
  TokensWithOffsets,
} from './engine.js';
import type { CartridgeFunctions, Handle, TokenizerFunctions } from './functions.js';
import { beginText, type EncoderLender, type EncodingEngine, EngineSession, type Gathering, NO_LIMIT, ownBytes } from './session.js';

export type TokenizerEngine = EncodingEngine & CartridgeFunctions & TokenizerFunctions;

const utf8 = new TextEncoder();
/** The memory that an encoder takes after megabytes of one language, mostly for remembered pieces, in bytes: 16 MiB at most. */
const ENCODER_WEIGHT = 4 * 1024 * 1024;

const MB = 1024 * 1024;

/** The most bytes of remembered pieces for each thread that encodes, unless the caller sets `cacheBytes`. The engine's default: `thread`. */
export const CACHE_BYTES = {
  /** A page, and each of its workers. The caller may ask for less, not for more: WebAssembly never gives memory back. */
  page: 32 * MB,
  /** A thread of Node: the main thread, a worker, a thread of the pool. */
  thread: 16 * MB,
  /** A thread of Node after long texts and files, until it has been idle. */
  longText: 256 * MB,
};

/** The most bytes of remembered pieces for each unit or byte of a long text. Chinese takes 30 for a unit, and most texts fewer. */
export const LONG_TEXT_SHARE = 32;

/** The share of the process's memory that the threads of all tokenizers may have for long texts. */
export const LONG_TEXTS_SHARE = 1 / 16;

/** An open tokenizer's objects in the engine. */
export interface Open extends Opened {
  readonly engine: TokenizerEngine;
  /** The encoder that calls on whole texts use, with its warm cache, and that a session borrows: made when it is needed. */
  idle: Handle | undefined;
  /** All encoders. */
  readonly encoders: Set<Handle>;
}

export abstract class HostTokenizer implements EngineTokenizer, EncoderLender {
  abstract readonly kind: 'native' | 'wasm';
  readonly model: string | undefined;
  readonly cacheBytes: number | undefined;
  #open: Open | undefined;
  readonly #sessions = new Set<EngineSession>();
  #isRetired = false;
  readonly #window: number;

  constructor(open: Open, { model, cacheBytes }: { model?: string | undefined; cacheBytes?: number | undefined }) {
    this.#open = open;
    this.#window = open.engine.window;
    this.model = model;
    this.cacheBytes = cacheBytes;
  }

  // What is hot is written for each host. A text to be counted is at most the host's window.
  protected abstract encodeWhole(open: Open, text: string | Uint8Array, policy: TextPolicy): UnsharedUint32Array;
  protected abstract countWhole(open: Open, text: string | Uint8Array, policy: TextPolicy, limit: number): number;
  abstract decode(ids: Uint32Array, skipSpecial: boolean): string;
  abstract decodeBytes(ids: Uint32Array, skipSpecial: boolean): UnsharedUint8Array;

  abstract edit(policy: Policy, unit: OffsetUnit): EditedText;
  abstract memory(): MemoryUse;
  abstract trim(): void;
  /** Releases the objects of a closed tokenizer. */
  protected abstract release(open: Open): void;

  get isClosed(): boolean {
    return this.#open === undefined;
  }

  encode(text: string | Uint8Array, policy: TextPolicy): UnsharedUint32Array {
    return this.encodeWhole(this.#open ?? closed(), text, policy);
  }

  count(text: string | Uint8Array, policy: TextPolicy, limit = NO_LIMIT): number {
    const open = this.#open ?? closed();
    const window = limit === NO_LIMIT ? this.#window : windowFor(limit, this.#window);
    return text.length <= window ? this.countWhole(open, text, policy, limit) : this.#countLong(text, policy, limit);
  }

  /** Called before the idle encoder encodes a text of `_size` units or bytes, which may be long. */
  protected prepare(_size: number): void {}

  /** `encode` of a text that is longer than a window. */
  protected encodeInWindows(text: string | Uint8Array, policy: TextPolicy): UnsharedUint32Array {
    return this.#during(policy, { counting: false }, (session) => {
      session.feed(text, true);
      return session.take();
    });
  }

  #countLong(text: string | Uint8Array, policy: TextPolicy, limit: number): number {
    const { length } = text;
    const window = this.#window;
    this.prepare(length);
    return this.#during(policy, { counting: true }, (session) => {
      let total = 0;
      for (let at = 0; at < length && total < limit; ) {
        const end = Math.min(at + windowFor(limit - total, window), length);
        const part = typeof text === 'string' ? text.slice(at, end) : text.subarray(at, end);
        total = session.feed(part, end === length, limit);
        at = end;
      }
      return total;
    });
  }

  encodeWithOffsets(text: string | Uint8Array, unit: EngineUnit, policy: TextPolicy): TokensWithOffsets {
    this.prepare(text.length);
    return this.#during(policy, { counting: false, unit }, (session) => {
      session.feed(text, true);
      return { offsets: session.takeOffsets(), ids: session.take() };
    });
  }

  fit(part: string | Uint8Array, whole: boolean, limit: number, side: Side, policy: Policy): number | undefined {
    const open = this.live();
    const { engine } = open;
    const encoder = open.idle ?? idleOf(open);
    beginText(engine, encoder, policy);
    const fitting = this.#fit(open, encoder, part, Number(whole), limit, Number(side === 'left'));
    if (fitting === -1) throw failedIn(engine, 'cannot cut the text');
    return fitting < 0 ? undefined : fitting;
  }

  #fit({ engine }: Open, encoder: Handle, part: string | Uint8Array, whole: number, limit: number, side: number): number {
    if (typeof part !== 'string') return engine.encoderFit(encoder, ownBytes(part), whole, limit, side, UNITS.indexOf('bytes'));
    if (engine.encoderFitUtf16 && part.length <= this.#window) return engine.encoderFitUtf16(encoder, part, whole, limit, side);
    return engine.encoderFit(encoder, utf8.encode(part), whole, limit, side, UNITS.indexOf('utf16'));
  }

  begin(policy: TextPolicy, counting: boolean, form?: PartForm, unit?: EngineUnit): EngineSession {
    return this.#begin(policy, { counting, form, unit });
  }

  tokenBytes(id: number): UnsharedUint8Array | undefined {
    const { engine, tokenizer } = this.live();
    return engine.tokenizerTokenBytes(tokenizer, id);
  }

  idOf(bytes: Uint8Array): number | undefined {
    const { engine, tokenizer } = this.live();
    if (bytes.length > engine.window) return undefined; // no token is that long
    return idOrNone(engine.tokenizerIdOf(tokenizer, ownBytes(bytes)));
  }

  matches(program: Uint32Array, text: string): Uint32Array {
    const { engine } = this.live();
    const matches = engine.regexMatches(program, utf8.encode(text));
    if (!matches) throw failedIn(engine, 'cannot decode');
    return matches;
  }

  describe(): Description {
    const open = this.live();
    return descriptionOf(open.engine, open);
  }

  sections(): Section[] {
    const { engine, cartridge } = this.live();
    return sectionsOf(engine, cartridge);
  }

  retire(): void {
    this.#isRetired = true;
    if (this.#sessions.size === 0) this.close();
  }

  close(): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    for (const session of this.#sessions) session.abandon();
    this.#sessions.clear();
    this.release(open);
  }

  giveBack(session: EngineSession, encoder: Handle): void {
    const open = this.#open;
    if (!open || !this.#sessions.delete(session)) return;
    if (open.idle === undefined) open.idle = encoder;
    else releaseEncoder(open, encoder);
    if (this.#isRetired && this.#sessions.size === 0) this.close();
  }

  /** Throws if it is closed. */
  protected live(): Open {
    return this.#open ?? closed();
  }

  #begin(policy: TextPolicy, gathering: Gathering): EngineSession {
    const open = this.live();
    const encoder = open.idle ?? idleOf(open);
    const session = new EngineSession(this, open.engine, encoder, policy, gathering);
    open.idle = undefined;
    this.#sessions.add(session);
    return session;
  }

  #during<T>(policy: TextPolicy, gathering: Gathering, use: (session: EngineSession) => T): T {
    const session = this.#begin(policy, gathering);
    try {
      return use(session);
    } finally {
      session.end();
    }
  }
}

/** The idle encoder, made if there is none. */
export function idleOf(open: Open): Handle {
  if (open.idle !== undefined) return open.idle;
  const { engine } = open;
  const encoder = engine.encoderCreate(open.tokenizer);
  if (encoder < 0) throw failedIn(engine, 'cannot encode');
  open.encoders.add(encoder);
  // The collector then finds unreachable tokenizers in time.
  engine.weigh?.(ENCODER_WEIGHT);
  return (open.idle = encoder);
}

export function releaseEncoder({ engine, encoders }: Open, encoder: Handle): void {
  encoders.delete(encoder);
  engine.encoderRelease(encoder);
  engine.weigh?.(-ENCODER_WEIGHT);
}

function closed(): never {
  throw new TokenizerError('the tokenizer has been closed', { code: 'CLOSED' });
}

/** Units to count per call when at most `limit` tokens matter: about twice as many as most texts need. */
function windowFor(limit: number, window: number): number {
  return Math.min(Math.max(1024, 8 * limit), window);
}

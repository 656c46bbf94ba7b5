// A session: a text passed to an instance in several parts, or the rows of a batch.

import type { EngineUnit, PartForm, TextPolicy, TextSession } from '../engine/engine.js';
import { TokenizerError } from '../base/errors.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import { NumberChunks } from './number-chunks.js';
import { WINDOW } from './core.js';
import type { WasmEncoder } from './encoder.js';

/** More tokens than a text can have. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** Lends a session its encoder. */
export interface EncoderLender {
  /** Returns the encoder. */
  giveBack(session: WasmSession, encoder: WasmEncoder): void;
}

/** What a session collects: ids with offsets in this unit, or only their count; or the numbers of the text's parts. */
export interface Gathering {
  counting: boolean;
  unit?: EngineUnit | undefined;
  form?: PartForm | undefined;
}

export class WasmSession implements TextSession {
  readonly #lender: EncoderLender;
  readonly #policy: TextPolicy;
  readonly #gathering: Gathering;
  #encoder: WasmEncoder | undefined;
  #isOpen = true; // a text has begun and has not ended
  #counted = 0;
  #most = NO_LIMIT;
  readonly #ids = new NumberChunks();
  readonly #offsets = new NumberChunks();
  readonly #ready = (): boolean => this.#takeReady();

  /** Begins a text: the policy is checked now. */
  constructor(lender: EncoderLender, encoder: WasmEncoder, policy: TextPolicy, gathering: Gathering) {
    encoder.begin(policy);
    if (gathering.form) encoder.cut(gathering.form);
    this.#lender = lender;
    this.#encoder = encoder;
    this.#policy = kept(policy);
    this.#gathering = gathering;
  }

  get isOpen(): boolean {
    return this.#encoder !== undefined;
  }

  /** `most`: where counting stops. */
  feed(text: string | Uint8Array, last: boolean, most = NO_LIMIT): number {
    this.#most = most;
    return this.#guarded((encoder) => this.#feed(encoder, text, last));
  }

  feedStrings(texts: readonly string[], totals: Uint32Array, first: number): number {
    return this.#feedEach(texts.length, totals, first, (encoder, i) => this.#feed(encoder, texts[i] as string, true));
  }

  feedRows(bytes: Uint8Array, offsets: Uint32Array, totals: Uint32Array, first: number): number {
    // Each offset is read once: another thread may be changing them.
    let from = offsets[0] as number;
    return this.#feedEach(offsets.length - 1, totals, first, (encoder, i) => {
      const to = offsets[i + 1] as number;
      if (to < from || to > bytes.length) throw new TokenizerError('the offsets have changed', { code: 'INVALID_ARGUMENT' });
      const total = this.#feed(encoder, bytes.subarray(from, to), true);
      from = to;
      return total;
    });
  }

  take(): UnsharedUint32Array {
    if (!this.#encoder) throw closed();
    return this.#ids.take();
  }

  /** The offsets of the ids that `take` will return, if the session collects them. */
  takeOffsets(): UnsharedUint32Array {
    if (!this.#encoder) throw closed();
    return this.#offsets.take();
  }

  position(): number {
    return this.#guarded((encoder) => encoder.position());
  }

  end(): void {
    const encoder = this.#encoder;
    this.#encoder = undefined;
    if (encoder) this.#lender.giveBack(this, encoder);
  }

  /** Ends the session because its tokenizer is closed. */
  abandon(): void {
    this.#encoder = undefined;
  }

  #feed(encoder: WasmEncoder, text: string | Uint8Array, last: boolean): number {
    if (!this.#isOpen) {
      encoder.begin(this.#policy);
      this.#isOpen = true;
      if (last && typeof text === 'string' && text.length <= WINDOW) {
        encoder.feedWhole(text);
        this.#takeReady();
        this.#isOpen = false;
        return this.#total();
      }
    }
    if (typeof text === 'string') encoder.feedText(text, last, this.#ready);
    else encoder.feedBytes(text, last, this.#ready);
    this.#isOpen = !last;
    return this.#total();
  }

  #feedEach(count: number, totals: Uint32Array, first: number, feed: (encoder: WasmEncoder, index: number) => number): number {
    return this.#guarded((encoder) => {
      for (let index = 0; index < count; index++) {
        const row = first + index;
        try {
          const total = feed(encoder, index);
          if (total > 0xffffffff) {
            throw new TokenizerError('the batch has more than 4294967295 tokens', { code: 'TEXT_TOO_LONG' });
          }
          totals[row + 1] = total;
        } catch (error) {
          if (!(error instanceof TokenizerError)) throw error;
          const { code, position } = error;
          throw new TokenizerError(`cannot encode texts[${row}]: ${error.message}`, { code, position, row });
        }
      }
      return this.#total();
    });
  }

  #guarded<T>(work: (encoder: WasmEncoder) => T): T {
    const encoder = this.#encoder;
    if (!encoder) throw closed();
    try {
      encoder.core.checkAlive();
      return work(encoder);
    } catch (error) {
      throw encoder.core.caught(error);
    }
  }

  /** Reads the encoder's available output; returns whether to continue. */
  #takeReady(): boolean {
    const encoder = this.#encoder as WasmEncoder;
    const { counting, unit } = this.#gathering;
    if (counting) {
      this.#counted = encoder.count(this.#counted, this.#most);
      return this.#counted < this.#most;
    }
    if (unit === undefined) encoder.readInto(this.#ids);
    else encoder.readWithOffsets(this.#ids, this.#offsets, unit);
    return true;
  }

  #total(): number {
    return this.#gathering.counting ? this.#counted : this.#ids.count;
  }
}

/** A copy of the policy that nobody changes. */
function kept(policy: TextPolicy): TextPolicy {
  if (typeof policy === 'number') return policy;
  return 'ranges' in policy ? { control: policy.control.slice(), ranges: policy.ranges.slice() } : policy.slice();
}

function closed(): TokenizerError {
  return new TokenizerError('cannot encode: the tokenizer has been closed', { code: 'CLOSED' });
}

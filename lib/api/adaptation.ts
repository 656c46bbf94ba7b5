// CRAYON's adaptive vocabulary: its public types, the interface between a tokenizer and lib/training/adapt, and the observed texts that a
// tokenizer remembers for a vocabulary.

import type { UnsharedUint8Array } from '../base/typed-arrays.js';
import type { EngineTokenizer, Policy } from '../engine/engine.js';
import type { Vocabulary } from '../vocabularies/vocabulary.js';
import { checkedText, type EncodeOptions, policyOf } from './arguments.js';
import { failureInText } from './text-failures.js';

/**
 * What has been observed since the tokenizer got its vocabulary.
 *
 * @example
 * ```ts
 * tokenizer.observe('hello world');
 * const observed: Observed = tokenizer.observed;
 * observed; // { rate: 0, texts: 1, bytes: 11 }
 * ```
 */
export interface Observed {
  /** The mean rate of the texts. A text's rate is the share of its tokens that stand for characters the vocabulary lacks. */
  readonly rate: number;
  /** The number of texts: the latest ones, at most 1000. */
  readonly texts: number;
  /** How many bytes of the latest texts are kept for `adapt`, at most 1,048,576. */
  readonly bytes: number;
}

/**
 * Options of {@link Tokenizer.adapt}.
 *
 * @example
 * ```ts
 * using own = await Tokenizer.load(await compileCartridge(['n', 'o', '?'], { unknownId: 2 }));
 * own.observe('no, no');
 * const options: AdaptOptions = { threshold: 0, add: 1 };
 * (await own.adapt(options)).added.map(({ bytes }) => new TextDecoder().decode(bytes)); // ['no']
 * ```
 */
export interface AdaptOptions {
  /** The rate from which tokens are added, 0 to 1. Default 0.15. */
  threshold?: number | undefined;
  /** The most tokens to add, 1 to 65,536. Default 50. */
  add?: number | undefined;
  /** How often a pair must occur in the sample to become a token. Default 2. */
  minFrequency?: number | undefined;
  /** Aborts the work; the promise is rejected with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * A token that an adaptation adds.
 *
 * @example
 * ```ts
 * using own = await Tokenizer.load(await compileCartridge(['n', 'o', '?'], { unknownId: 2 }));
 * own.observe('no, no');
 * const [token] = (await own.adapt({ threshold: 0 })).added;
 * const { id, bytes, count }: AdaptedToken = token!;
 * [id, count]; // [3, 2]
 * bytes; // Uint8Array [110, 111]
 * ```
 */
export interface AdaptedToken {
  readonly id: number;
  readonly bytes: UnsharedUint8Array;
  /** How often its pair occurred in the sample when it was chosen, or its character, if that was unknown. */
  readonly count: number;
}

/**
 * What {@link Tokenizer.adapt} proposes. The tokenizer is unchanged until `commit`.
 *
 * @example
 * ```ts
 * using own = await Tokenizer.load(await compileCartridge(['n', 'o', '?'], { unknownId: 2 }));
 * own.observe('нет, нет');
 * const adaptation: Adaptation = await own.adapt({ add: 5 });
 * adaptation.added.length; // 5
 * await adaptation.commit();
 * own.encode('нет'); // Uint32Array [7]
 * await adaptation.rollback();
 * own.encode('нет'); // Uint32Array [2, 2, 2]
 * ```
 */
export interface Adaptation {
  /** The new tokens, by ascending id. Their ids follow the highest existing id, special tokens included. */
  readonly added: readonly AdaptedToken[];
  /**
   * Why no token was added: nothing observed, the rate below the threshold, or nothing frequent enough in the sample.
   * Undefined if there are new tokens.
   */
  readonly reason: 'nothing-observed' | 'below-threshold' | 'nothing-frequent' | undefined;
  /** What had been observed. */
  readonly observed: Observed;
  /** How many fewer tokens the sample needs. */
  readonly saved: number;
  /**
   * Replaces the vocabulary that the new one was made for, as `swap` does: calls already begun keep the old one, and
   * observation starts over. Without new tokens it has no effect. Can be called once; throws an `Error` if the
   * tokenizer has another vocabulary by then.
   */
  commit(): Promise<void>;
  /**
   * Before `commit`: drops the new vocabulary. After it: restores the old one, which stays open until then, or until the
   * adaptation is unreachable. Can be called once; throws an `Error` if the tokenizer has another vocabulary by then.
   */
  rollback(): Promise<void>;
  /** The bytes of a cartridge with the new vocabulary, to write to a file or pass to {@link Tokenizer.load}. */
  toCartridge(options?: { slim?: boolean | undefined }): Promise<UnsharedUint8Array>;
}

/** An observed text. */
export interface ObservedText {
  bytes: Uint8Array;
  policy: Policy;
}

/** The state of a tokenizer at the time of the call. */
export interface Adapting {
  engine: EngineTokenizer;
  /** Whether the tokenizer uses this engine; the reason, if it is closed. */
  inUse(engine: EngineTokenizer): boolean | string;
  observed: Observed;
  texts: readonly ObservedText[];
  /** Opens a cartridge with the settings of `before`, unless `options` override them. */
  open(cartridge: Uint8Array, options: { kernel?: string }, before: EngineTokenizer): EngineTokenizer | Promise<EngineTokenizer>;
  /** Replaces the tokenizer's engine. If the tokenizer is closed, throws and closes the new engine. */
  take(engine: EngineTokenizer): void;
}

/** Public: see `Tokenizer.adapt`. */
export type Adapt = (adapting: Adapting, options: AdaptOptions | undefined) => Promise<Adaptation>;

/** The most texts that the mean rate covers. */
const MAX_TEXTS = 1000;
/** The most bytes of texts to remember: the latest ones. */
const MAX_BYTES = 1 << 20;
/** The first byte that is not a character by itself. */
const FIRST_PART = 0x80;
/** Upper bound of token ids (cartridges/FORMAT.md, section 4). */
const MAX_TOKENS = 1 << 21;

/** A recent text. Its bytes are dropped when later texts take the room. */
interface Row {
  rate: number;
  policy: Policy;
  bytes: Uint8Array | undefined;
}

/** Encodes a text, and remembers it. Returns its rate. */
export function observe(observations: Observations, vocabulary: Vocabulary, text: string | Uint8Array, options?: EncodeOptions): number {
  try {
    const policy = policyOf(options, vocabulary);
    const plain = checkedText(text);
    return observations.add(plain, vocabulary.engine.encode(plain, policy), policy);
  } catch (error) {
    throw failureInText(error, text, vocabulary);
  }
}

export class Observations {
  /** 1 for tokens of characters that the vocabulary lacks: the unknown token, and single bytes that are not a character. */
  readonly #lacking: Uint8Array;
  /** The latest texts. */
  readonly #recent: Row[] = [];
  /** The index of the first text that has bytes, and how many they are together. */
  #first = 0;
  #bytes = 0;

  constructor({ description: { unknownId }, engine }: Vocabulary) {
    const ids = unknownId === undefined ? [] : [unknownId];
    for (let byte = FIRST_PART; byte < 0x100; byte++) {
      const id = engine.idOf(Uint8Array.of(byte));
      // An added token, which can have any id, is not a byte of a character.
      if (id !== undefined && id < MAX_TOKENS) ids.push(id);
    }
    this.#lacking = new Uint8Array(Math.max(-1, ...ids) + 1);
    for (const id of ids) this.#lacking[id] = 1;
  }

  /** Returns the rate of the text. A text without tokens has no rate and is not remembered. */
  add(text: string | Uint8Array, ids: Uint32Array, policy: Policy): number {
    if (ids.length === 0) return 0;
    const rate = this.#countLacking(ids) / ids.length;
    const bytes = beginningOf(text);
    this.#bytes += bytes.length;
    this.#recent.push({ rate, policy, bytes });
    if (this.#recent.length > MAX_TEXTS) {
      this.#bytes -= this.#recent.shift()?.bytes?.length ?? 0;
      if (this.#first > 0) this.#first--;
    }
    for (; this.#bytes > MAX_BYTES; this.#first++) {
      const row = this.#recent[this.#first] as Row;
      this.#bytes -= row.bytes?.length ?? 0;
      row.bytes = undefined;
    }
    return rate;
  }

  get observed(): Observed {
    const texts = this.#recent.length;
    const rate = texts > 0 ? this.#recent.reduce((sum, { rate }) => sum + rate, 0) / texts : 0;
    return { rate, texts, bytes: this.#bytes };
  }

  /** The texts that have bytes, the oldest first. */
  get texts(): ObservedText[] {
    return this.#recent.slice(this.#first).map(({ bytes, policy }) => ({ bytes: bytes as Uint8Array, policy }));
  }

  #countLacking(ids: Uint32Array): number {
    const lacking = this.#lacking;
    const end = lacking.length;
    let count = 0;
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at] as number;
      if (id < end) count += lacking[id] as number;
    }
    return count;
  }
}

/** A copy of as much of a text as is remembered, cut before a character. */
function beginningOf(text: string | Uint8Array): Uint8Array {
  if (typeof text === 'string') {
    const bytes = new Uint8Array(Math.min(3 * text.length, MAX_BYTES));
    return bytes.slice(0, new TextEncoder().encodeInto(text, bytes).written);
  }
  let length = Math.min(text.length, MAX_BYTES);
  if (length < text.length) while (length > MAX_BYTES - 4 && ((text[length] as number) & 0xc0) === 0x80) length--;
  return text.slice(0, length);
}

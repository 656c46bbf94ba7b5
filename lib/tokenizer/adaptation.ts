// CRAYON's adaptive vocabulary: its public types, and what a tokenizer and lib/adapt ask of each other. Types only.

import type { EngineTokenizer, Policy } from '../engine/engine.js';
import type { UnsharedUint8Array } from '../base/typed-arrays.js';

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

/** The kept data of an observed text. */
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

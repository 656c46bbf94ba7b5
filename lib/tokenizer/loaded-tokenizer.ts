// A tokenizer loaded by an entry: it can load other vocabularies, permanently or temporarily.

import { fromCaller, TokenizerError, unexpected } from '../base/errors.js';
import { isPromise } from '../base/promise.js';
import type { EngineTokenizer } from '../engine/engine.js';
import type { LoadOptions } from '../open/load-options.js';
import type { LateSource, Source } from '../open/source.js';
import type { Adaptation, AdaptOptions, Observed } from './adaptation.js';
import { hostOf, partsOfFile, rowsIn } from './api/background.js';
import { ChatTokenizer } from './api/chats.js';
import { engineOf, exchangeEngine, retire, vocabularyOf, whyClosed } from './api/open-tokenizer.js';
import { useStreamDecoders } from './api/streams.js';
import { type EncodeOptions, policyOf, textBytes } from './arguments.js';
import { failureInText } from './failures.js';
import type { Host } from './host.js';
import { Observations } from './observations.js';
import { decodeStream } from './streams/decode-stream.js';
import { StreamDecoder } from './streams/stream-decoder.js';

useStreamDecoders({ StreamDecoder, decodeStream });

/** Opens a source, synchronously where the host can. `before`: the engine to be replaced. */
export type Open = (
  source: Source | LateSource,
  options: LoadOptions | undefined,
  before?: EngineTokenizer,
) => EngineTokenizer | Promise<EngineTokenizer>;

const SCOPE_HAS_ENDED = 'the tokenizer of using() has been closed, as its function has ended; await its calls within';

/** The public API, plus loading other vocabularies. */
export class LoadedTokenizer extends ChatTokenizer {
  readonly #open: Open;
  /** Creates another tokenizer of the same entry. */
  readonly #make: (engine: EngineTokenizer) => this;
  /** The tokenizers of `using` calls whose functions have not ended. */
  readonly #scoped = new Set<LoadedTokenizer>();
  /** Observations for the vocabulary in use. */
  #observations: Observations | undefined;

  /** @internal */
  constructor(engine: EngineTokenizer, open: Open, host: Host = {}) {
    super(engine, host);
    this.#open = open;
    const Class = new.target as unknown as new (engine: EngineTokenizer, open: Open, host?: Host) => this;
    this.#make = (engine) => new Class(engine, open, host);
  }

  /**
   * Changes this tokenizer's vocabulary, for everyone who holds the tokenizer. Takes the same sources as `load`. A source
   * that needs no waiting (in Node, anything but a `Response`, a `Blob` or a promise) is in use when the call returns,
   * natively within microseconds if the cartridge is already open. Calls already begun keep their vocabulary. If the new
   * source cannot be opened, the tokenizer is unchanged.
   *
   * @example
   * ```ts
   * await tokenizer.swap('cl100k_base');
   * tokenizer.encode('hello world'); // Uint32Array [15339, 1917]
   * ```
   */
  async swap(source: Source | LateSource, options?: LoadOptions): Promise<void> {
    try {
      const engine = this.#open(source, options, engineOf(this));
      this.#take(isPromise(engine) ? await engine : engine);
    } catch (error) {
      throw fromCaller(error, LoadedTokenizer.prototype.swap);
    }
  }

  /**
   * Opens another vocabulary for the duration of a function, which gets a tokenizer for it. That tokenizer is closed
   * when the function ends or, if it returns a promise, when the promise settles, also after an error. This tokenizer is
   * not affected, so several calls may overlap. Takes the same sources as `load` and returns the function's result. If
   * the source needs no waiting, the function is called before `using` returns.
   *
   * @example
   * ```ts
   * await tokenizer.using('cl100k_base', (other) => other.encode('hello world')); // Uint32Array [15339, 1917]
   * tokenizer.encode('hello world'); // Uint32Array [24912, 2375]
   * ```
   */
  async using<Result>(
    source: Source | LateSource,
    fn: (tokenizer: this) => Result | PromiseLike<Result>,
    options?: LoadOptions,
  ): Promise<Result> {
    let scoped: this;
    try {
      if (typeof fn !== 'function') throw unexpected('a function', 'fn', fn);
      const engine = this.#open(source, options, engineOf(this));
      scoped = this.#begin(isPromise(engine) ? await engine : engine);
    } catch (error) {
      throw fromCaller(error, LoadedTokenizer.prototype.using);
    }
    try {
      const result = fn(scoped);
      return isPromise(result) ? await result : result;
    } finally {
      this.#scoped.delete(scoped);
      retire(scoped, SCOPE_HAS_ENDED);
    }
  }

  /**
   * Encodes a text and keeps what `adapt` needs: how much of it the vocabulary lacks, and its bytes. Returns the text's
   * rate: the share of its tokens that are the unknown id or single bytes of a character. Costs as much as `encode` plus a
   * copy of the text.
   *
   * Keeps the rates of the latest 1000 texts, and the latest megabyte of their text; of a longer text, its first megabyte.
   * A text without tokens does not count. Changing the vocabulary starts over.
   *
   * @example
   * ```ts
   * using lite = Tokenizer.loadSync('lite');
   * lite.observe('hello world'); // 0
   * lite.observe('ᚠ'); // 1
   * lite.observed; // { rate: 0.5, texts: 2, bytes: 14 }
   * ```
   */
  observe(text: string | Uint8Array, options?: EncodeOptions): number {
    try {
      const vocabulary = vocabularyOf(this);
      const policy = policyOf(options, vocabulary);
      const engine = engineOf(this);
      const own = typeof text === 'string' ? text : textBytes(text, 'text');
      const ids = typeof own === 'string' ? engine.encode(own, policy) : engine.encodeBytes(own, policy);
      this.#observations ??= new Observations(engine, vocabulary.description.unknownId);
      return this.#observations.add(own, ids, policy);
    } catch (error) {
      throw fromCaller(failureInText(error, text, vocabularyOf(this)), LoadedTokenizer.prototype.observe);
    }
  }

  /**
   * What has been observed since the tokenizer got its vocabulary.
   *
   * @example
   * ```ts
   * tokenizer.observed; // { rate: 0, texts: 0, bytes: 0 }
   * ```
   */
  get observed(): Observed {
    try {
      void vocabularyOf(this).description; // throws if the tokenizer is closed
      return this.#observations?.observed ?? { rate: 0, texts: 0, bytes: 0 };
    } catch (error) {
      const { get } = Object.getOwnPropertyDescriptor(LoadedTokenizer.prototype, 'observed') as { get: () => unknown };
      throw fromCaller(error, get);
    }
  }

  /**
   * Proposes tokens for texts that the vocabulary encodes badly: if the mean rate of the observed texts is at least
   * `threshold`, it compiles a cartridge with more tokens. Existing ids do not change; new ones follow them. Nothing changes
   * before `commit`.
   *
   * The tokens are merges, chosen as in BPE training on the sample as the vocabulary encodes it: the most frequent pair,
   * on a tie the one with the larger ids; then everything is counted again. Pairs cross neither pretokenizer pieces nor
   * special tokens. For longest match, an unknown character is counted like a pair and first becomes a token. The new
   * cartridge is checked before it is proposed: every old id has its token, and the sample decodes as before and needs no
   * more tokens. Otherwise the call throws (`BUILD_FAILED`).
   *
   * With BPE every text is cut as before, then merged further. With longest match, texts outside the sample may be cut
   * differently, and a few may need more tokens.
   *
   * For profiles (`lite`, `standard`) and your own vocabularies, trained or compiled. Published encodings are rejected,
   * since their models know no other ids. Works in slices of a few milliseconds, and compiles on another thread.
   *
   * @example
   * ```ts
   * const trained = await trainBpe('low lower lowest', { vocabularySize: 260 });
   * using own = await Tokenizer.load(await trained.toCartridge());
   * own.observe('ёлка, ёлка, ёлка');
   * const adaptation = await own.adapt({ add: 7 });
   * adaptation.saved; // 21
   * own.count('ёлка'); // 8
   * await adaptation.commit();
   * own.count('ёлка'); // 1
   * ```
   */
  async adapt(options?: AdaptOptions): Promise<Adaptation> {
    try {
      const { observed } = this;
      const { adapt } = hostOf(this);
      if (!adapt) throw new Error("adapt needs a compiler: import 'crayon-tokenizer' instead");
      const open = this.#open;
      const take = (engine: EngineTokenizer) => this.#take(engine);
      const inUse = (engine: EngineTokenizer) => whyClosed(this) ?? engineOf(this) === engine;
      const texts = this.#observations?.texts ?? [];
      return await adapt({ engine: engineOf(this), inUse, observed, texts, open, take }, options);
    } catch (error) {
      // The reason belongs to the caller: leave it unchanged.
      throw options?.signal?.aborted ? error : fromCaller(error, LoadedTokenizer.prototype.adapt);
    }
  }

  /**
   * Releases the tokenizer's resources immediately, including its workers and the tokenizers of `using`. Calling it
   * again has no effect. The garbage collector closes an unreachable tokenizer.
   *
   * @example
   * ```ts
   * tokenizer.close();
   * tokenizer.count('hello'); // throws TokenizerError (CLOSED)
   * ```
   */
  override close(): void {
    for (const scoped of this.#scoped) scoped.close();
    hostOf(this).end?.(engineOf(this));
    this.#observations = undefined;
    super.close();
  }

  /** Replaces the engine; observations were about the previous one. */
  #take(engine: EngineTokenizer): void {
    exchangeEngine(this, engine);
    this.#observations = undefined;
  }

  #begin(engine: EngineTokenizer): this {
    const closed = whyClosed(this);
    if (closed !== undefined) {
      engine.close();
      throw new TokenizerError(`cannot open another vocabulary: ${closed}`, { code: 'CLOSED' });
    }
    const scoped = this.#make(engine);
    this.#scoped.add(scoped);
    return scoped;
  }
}

// For other modules of the package.
export { partsOfFile, rowsIn };

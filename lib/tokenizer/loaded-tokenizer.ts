// A tokenizer that an entry has loaded: it can load others, in its place or for a while.

import { type EncodeOptions, policyOf, textBytes } from './arguments.js';
import type { EngineTokenizer, Policy } from './engine.js';
import { encodeInTurns } from './encode-in-turns.js';
import { fromCaller, TokenizerError, unexpected } from './errors.js';
import { failureInText } from './failures.js';
import { isPromise } from './promise.js';
import type { LateSource } from '../open/source.js';
import type { LoadOptions } from '../open/load-options.js';
import type { Source } from '../open/source.js';
import { engineOf, exchangeEngine, retire, Tokenizer, vocabularyOf, whyClosed } from './tokenizer.js';
import type { UnsharedUint32Array } from './typed-arrays.js';

/** Opens a source, synchronously where the host can. `before` is the engine that the new one takes the place of. */
export type Open = (
  source: Source | LateSource,
  options: LoadOptions | undefined,
  before?: EngineTokenizer,
) => EngineTokenizer | Promise<EngineTokenizer>;

/** Workers for engines that an entry has opened. */
export interface Workers {
  /** Those of an engine; undefined if it has none. */
  poolOf(engine: EngineTokenizer): { encode(text: string | Uint8Array, policy: Policy): Promise<UnsharedUint32Array> } | undefined;
  /** Ends them. */
  end(engine: EngineTokenizer): void;
}

const SCOPE_HAS_ENDED = 'the tokenizer of using() has been closed, as its function has ended; await its calls within';

/** The public API, with what loads other vocabularies. */
export class LoadedTokenizer extends Tokenizer {
  readonly #open: Open;
  readonly #workers: Workers | undefined;
  /** Makes another tokenizer of the same entry. */
  readonly #make: (engine: EngineTokenizer) => this;
  /** The tokenizers of `using` whose functions have not ended. */
  readonly #scoped = new Set<LoadedTokenizer>();

  /** @internal */
  constructor(engine: EngineTokenizer, open: Open, workers?: Workers) {
    super(engine);
    this.#open = open;
    this.#workers = workers;
    const Class = new.target as unknown as new (engine: EngineTokenizer, open: Open, workers?: Workers) => this;
    this.#make = (engine) => new Class(engine, open, workers);
  }

  /**
   * The same ids as `encode`, without blocking the thread: in a browser a worker encodes a long text; in Node, and where no
   * worker starts, the thread encodes it in slices of some milliseconds, between which other work goes on. Bytes are
   * copied first.
   *
   * @example
   * ```ts
   * await tokenizer.encodeAsync('hello world'); // Uint32Array [24912, 2375]
   * ```
   */
  async encodeAsync(text: string | Uint8Array, options?: EncodeOptions): Promise<UnsharedUint32Array> {
    try {
      const policy = policyOf(options, vocabularyOf(this));
      const own = typeof text === 'string' ? text : textBytes(text, 'text').slice();
      const engine = engineOf(this);
      const pool = this.#workers?.poolOf(engine);
      return await (pool ? pool.encode(own, policy) : encodeInTurns(engine, own, policy));
    } catch (error) {
      throw fromCaller(failureInText(error, text, vocabularyOf(this)), LoadedTokenizer.prototype.encodeAsync);
    }
  }

  /**
   * Releases what the tokenizer holds, at once: its workers too, and the tokenizers of `using`. Calling it again has no
   * effect. A tokenizer that is no longer reachable is closed by the garbage collector.
   *
   * @example
   * ```ts
   * tokenizer.close();
   * tokenizer.count('hello'); // throws TokenizerError (CLOSED)
   * ```
   */
  override close(): void {
    for (const scoped of this.#scoped) scoped.close();
    this.#workers?.end(engineOf(this));
    super.close();
  }

  /**
   * Changes the vocabulary of this tokenizer, for all who hold it. Takes what `load` takes; a source that needs no waiting
   * for (in Node, all but a `Response`, a `Blob` or a promise) is in use when the call returns, natively within microseconds
   * if the cartridge is open already. Calls that have begun keep the vocabulary that they began with. If the other cannot be
   * opened, the tokenizer stays as it was.
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
      exchangeEngine(this, isPromise(engine) ? await engine : engine);
    } catch (error) {
      throw fromCaller(error, LoadedTokenizer.prototype.swap);
    }
  }

  /**
   * Opens another vocabulary for the time of a function, which gets a tokenizer for it. That one is closed when the
   * function has ended, or, if it returns a promise, when the promise is settled, also after an error; this one is not
   * touched, so that several may overlap. Takes what `load` takes. The result is what the function returns. It is called
   * before `using` returns if the source needs no waiting for.
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

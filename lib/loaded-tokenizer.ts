// A tokenizer that an entry has loaded: its vocabulary can be changed for what the same entry loads.

import { type EncodeOptions, policyOf, textBytes } from './arguments.js';
import type { EngineTokenizer, Policy } from './backend.js';
import { encodeInTurns } from './encode-in-turns.js';
import { fromCaller, unexpected } from './errors.js';
import { failureInText } from './failures.js';
import { isPromise, type LateSource } from './late-source.js';
import type { LoadOptions } from './load-options.js';
import type { Source } from './sources.js';
import { engineOf, exchangeEngine, overlayEngine, Tokenizer } from './tokenizer.js';

/** Opens a source: at once where the host can, else in time. `before` is the engine that the new one takes the place of. */
export type Open = (
  source: Source | LateSource,
  options: LoadOptions | undefined,
  before?: EngineTokenizer,
) => EngineTokenizer | Promise<EngineTokenizer>;

/** Workers for engines that an entry has opened. */
export interface Workers {
  /** Those of an engine; undefined if it has none. */
  poolOf(engine: EngineTokenizer): { encode(text: string | Uint8Array, policy: Policy): Promise<Uint32Array> } | undefined;
  /** Ends them. */
  end(engine: EngineTokenizer): void;
}

/** The engine that `loadSync` has opened; throws where a module has to be waited for. */
export function atOnce(engine: EngineTokenizer | Promise<EngineTokenizer>): EngineTokenizer {
  if (!isPromise(engine)) return engine;
  // Nobody waits for it, so nobody may be told that it failed.
  engine.then((engine) => engine.close()).catch(() => undefined);
  throw new TypeError(
    'expected a WebAssembly module that is at hand for loadSync; await Tokenizer.load() for one that has to be brought',
  );
}

/** The face, with what changes its vocabulary. */
export class LoadedTokenizer extends Tokenizer {
  readonly #open: Open;
  readonly #workers: Workers | undefined;

  /** @internal */
  constructor(engine: EngineTokenizer, open: Open, workers?: Workers) {
    super(engine);
    this.#open = open;
    this.#workers = workers;
  }

  /**
   * The same ids as `encode`, without keeping the thread: in a browser a worker encodes a long text; in Node, and where no
   * worker starts, the thread does it in turns of some milliseconds, between which other work goes on. Bytes must not change
   * meanwhile.
   *
   * @example
   * ```ts
   * await tokenizer.encodeAsync('hello world'); // Uint32Array [24912, 2375]
   * ```
   */
  async encodeAsync(text: string | Uint8Array, options?: EncodeOptions): Promise<Uint32Array> {
    try {
      const checked = typeof text === 'string' ? text : textBytes(text, 'text');
      const policy = policyOf(options, this);
      const engine = engineOf(this);
      const pool = this.#workers?.poolOf(engine);
      return await (pool ? pool.encode(checked, policy) : encodeInTurns(engine, checked, policy));
    } catch (error) {
      throw fromCaller(failureInText(error, text, this), LoadedTokenizer.prototype.encodeAsync);
    }
  }

  /**
   * Gives back what the tokenizer holds, its workers too, at once. It may be called again, to no effect. A tokenizer that is
   * forgotten closes itself in time.
   *
   * @example
   * ```ts
   * tokenizer.close();
   * tokenizer.count('hello'); // throws TokenizerError (CLOSED)
   * ```
   */
  override close(): void {
    this.#workers?.end(engineOf(this));
    super.close();
  }

  /**
   * Changes the vocabulary of this tokenizer, for all who hold it. Takes what `load` takes; what needs no
   * waiting for (in Node, all but a `Response`) is done when the call returns, natively in microseconds if the cartridge is
   * open already. Streams and long calls on their way keep the vocabulary that they began with. If the other cannot be
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
   * Gives this tokenizer another vocabulary until `fn`, which gets the tokenizer, has ended, and then the former one
   * again, also after an error. What `fn` returns is what the promise brings. If `fn` is not async, it is called and the
   * former vocabulary is back before `using` returns, for every source that needs no waiting for.
   *
   * @example
   * ```ts
   * await tokenizer.using('cl100k_base', (other) => other.count('hello world')); // 2
   * ```
   */
  async using<Result>(
    source: Source | LateSource,
    fn: (tokenizer: this) => Result | PromiseLike<Result>,
    options?: LoadOptions,
  ): Promise<Result> {
    let end: () => void;
    try {
      if (typeof fn !== 'function') throw unexpected('a function', 'fn', fn);
      const engine = this.#open(source, options, engineOf(this));
      end = overlayEngine(this, isPromise(engine) ? await engine : engine);
    } catch (error) {
      throw fromCaller(error, LoadedTokenizer.prototype.using);
    }
    try {
      const result = fn(this);
      return isPromise(result) ? await result : result;
    } finally {
      end();
    }
  }
}

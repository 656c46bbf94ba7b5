// A tokenizer that an entry has loaded: its vocabulary can be changed for what the same entry loads.

import type { EngineTokenizer } from './backend.js';
import { fromCaller, unexpected } from './errors.js';
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

/** The engine that `loadSync` has opened; throws where a module has to be waited for. */
export function atOnce(engine: EngineTokenizer | Promise<EngineTokenizer>): EngineTokenizer {
  if (!isPromise(engine)) return engine;
  // Nobody waits for it, so nobody may be told that it failed.
  engine.then((engine) => engine.close()).catch(() => undefined);
  throw new TypeError('expected a WebAssembly module that is at hand for loadSync; await Tokenizer.load() for one that has to be brought');
}

/** The face, with what changes its vocabulary. */
export class LoadedTokenizer extends Tokenizer {
  readonly #open: Open;

  /** @internal */
  constructor(engine: EngineTokenizer, open: Open) {
    super(engine);
    this.#open = open;
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

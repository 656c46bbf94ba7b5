// An open vocabulary, without what it does with texts. Each class of this folder adds one concept to the one before it; the public
// classes have them all.
//
// Gives these types to users whose TypeScript does not know `Symbol.dispose` yet:
/// <reference lib="esnext.disposable" preserve="true" />

import { fromCaller, TokenizerError } from '../../base/errors.js';
import { inspectAs } from '../../base/inspect.js';
import type { UnsharedUint8Array } from '../../base/typed-arrays.js';
import { closedEngine } from '../../engine/closed-engine.js';
import { backendOf } from '../../engine/devices.js';
import type { EngineTokenizer } from '../../engine/engine.js';
import { retireUnused } from '../../engine/references.js';
import { tokensOf, type VocabularyToken } from '../../vocabulary/tokens.js';
import { Vocabulary } from '../../vocabulary/vocabulary.js';
import { idArray, textBytes } from '../arguments.js';
import { failureInIds } from '../failures.js';

/**
 * The backend that runs a tokenizer.
 *
 * @example
 * ```ts
 * const { kind, devices }: Backend = tokenizer.backend;
 * kind; // 'native'
 * devices; // ['cpu']
 * ```
 */
export interface Backend {
  /** The native addon, or WebAssembly. */
  readonly kind: 'native' | 'wasm';
  /** The SIMD kernel in use: `'avx512'`, `'avx2'`, `'ssse3'`, `'neon'`, `'simd128'` (WebAssembly) or `'scalar'`. */
  readonly kernel: string;
  /** Where batches of this vocabulary can run: `'cpu'`, and any accelerators present. Detected when read. */
  readonly devices: readonly string[];
  /** Why other devices cannot run them: the device is missing, or has no kernels for the vocabulary. */
  readonly unavailable: Readonly<Record<string, string>>;
}

let engineOf: (tokenizer: OpenTokenizer) => EngineTokenizer;
let vocabularyOf: (tokenizer: OpenTokenizer) => Vocabulary;
let exchangeEngine: (tokenizer: OpenTokenizer, engine: EngineTokenizer) => void;
let whyClosed: (tokenizer: OpenTokenizer) => string | undefined;
let retire: (tokenizer: OpenTokenizer, reason: string) => void;

/**
 * An open vocabulary: what it is, its tokens, and its end.
 *
 * It can be used until `close()`; after that every member but `close` throws a {@link TokenizerError} with the code
 * `CLOSED`. The garbage collector closes an unreachable instance.
 */
export class OpenTokenizer {
  #engine: EngineTokenizer;
  readonly #vocabulary: Vocabulary;
  /** Why it is closed; undefined while it is open. */
  #closed: string | undefined;

  static {
    engineOf = (tokenizer) => tokenizer.#engine;
    vocabularyOf = (tokenizer) => tokenizer.#vocabulary;
    exchangeEngine = (tokenizer, engine) => tokenizer.#exchange(engine);
    whyClosed = (tokenizer) => tokenizer.#closed;
    retire = (tokenizer, reason) => tokenizer.#retire(reason);
    inspectAs(
      OpenTokenizer.prototype,
      (tokenizer) => (tokenizer.#closed === undefined ? 'Tokenizer' : 'Tokenizer { closed }'),
      (tokenizer) => tokenizer.#shown(),
    );
  }

  /** @internal */
  constructor(engine: EngineTokenizer) {
    if (typeof engine?.encodeBytes !== 'function') {
      const message = 'expected Tokenizer.load() or Tokenizer.loadSync(), which open a vocabulary, instead of new';
      throw fromCaller(new TypeError(message), new.target);
    }
    this.#engine = engine;
    this.#vocabulary = new Vocabulary(engine);
  }

  /**
   * The name of the vocabulary.
   *
   * @example
   * ```ts
   * tokenizer.name; // 'o200k_base'
   * ```
   */
  get name(): string {
    return this.#ask('name', ({ description }) => description.name);
  }

  /**
   * The highest id + 1, special tokens included.
   *
   * @example
   * ```ts
   * tokenizer.vocabularySize; // 200019
   * ```
   */
  get vocabularySize(): number {
    return this.#ask('vocabularySize', ({ description }) => description.vocabularySize);
  }

  /**
   * How pieces become ids: `'bpe'`; `'longest-match'`, the longest token at each position; `'wordpiece'`, longest match within
   * each word, all or nothing; `'wordlevel'`, whole words only; or `'unigram'`, the tokens with the highest total score.
   *
   * @example
   * ```ts
   * tokenizer.modelKind; // 'bpe'
   * ```
   */
  get modelKind(): string {
    return this.#ask('modelKind', ({ description }) => description.model);
  }

  /**
   * The id for a character at which no token of a longest-match vocabulary begins. If undefined, such a character is an
   * error (`UNKNOWN_CHARACTER`). A vocabulary with a token for each byte knows every character.
   *
   * @example
   * ```ts
   * tokenizer.unknownId; // undefined
   * ```
   */
  get unknownId(): number | undefined {
    return this.#ask('unknownId', ({ description }) => description.unknownId);
  }

  /**
   * The special tokens and their ids, in ascending order of id. The map cannot be changed.
   *
   * @example
   * ```ts
   * [...tokenizer.specialTokens]; // [['<|endoftext|>', 199999], ['<|endofprompt|>', 200018]]
   * ```
   */
  get specialTokens(): ReadonlyMap<string, number> {
    return this.#ask('specialTokens', ({ specialTokens }) => specialTokens);
  }

  /**
   * The id of the token that begins a text; undefined if there is none. `bosTokenId`, `eosTokenId`, `padTokenId` and `unkTokenId`
   * come from the model's `tokenizer_config.json` or `special_tokens_map.json`, if it lies beside the `tokenizer.json` or is
   * passed. Without these files, they are the ids that the post-processor puts before and after a text, if each is a single id. A
   * `tekken.json` names them `<s>`, `</s>`, `<pad>` and `<unk>`.
   *
   * @example
   * ```ts
   * tokenizer.bosTokenId; // undefined
   * ```
   */
  get bosTokenId(): number | undefined {
    return this.#ask('bosTokenId', ({ roles }) => roles.bos);
  }

  /**
   * The id of the token that ends a text; undefined if there is none. For OpenAI encodings it is `<|endoftext|>`.
   *
   * @example
   * ```ts
   * tokenizer.eosTokenId; // 199999
   * ```
   */
  get eosTokenId(): number | undefined {
    return this.#ask('eosTokenId', ({ roles }) => roles.eos);
  }

  /**
   * The id of the token that pads rows of a batch; undefined if there is none.
   *
   * @example
   * ```ts
   * tokenizer.padTokenId; // undefined
   * ```
   */
  get padTokenId(): number | undefined {
    return this.#ask('padTokenId', ({ roles }) => roles.pad);
  }

  /**
   * The id of the unknown token; undefined if there is none. For longest match it is `unknownId`.
   *
   * @example
   * ```ts
   * tokenizer.unkTokenId; // undefined
   * ```
   */
  get unkTokenId(): number | undefined {
    return this.#ask('unkTokenId', ({ roles }) => roles.unk);
  }

  /**
   * The cartridge's metadata: name, source, licence … The object is frozen. A cartridge with unreadable metadata works in
   * all other respects; only this getter throws a `TokenizerError` (`CORRUPT_STRUCTURE`).
   *
   * @example
   * ```ts
   * tokenizer.metadata.licence; // 'MIT'
   * ```
   */
  get metadata(): Readonly<Record<string, unknown>> {
    return this.#ask('metadata', ({ metadata }) => metadata);
  }

  /**
   * The backend that runs this tokenizer.
   *
   * @example
   * ```ts
   * tokenizer.backend.kind; // 'native'
   * ```
   */
  get backend(): Backend {
    const { kernel } = this.#ask('backend', ({ description }) => description);
    return backendOf(this.#engine.kind, kernel, this.#engine);
  }

  /**
   * The bytes of one token, special tokens included. Throws `INVALID_ID` if the vocabulary lacks the id.
   *
   * @example
   * ```ts
   * tokenizer.tokenBytes(24912); // Uint8Array [104, 101, 108, 108, 111]
   * ```
   */
  tokenBytes(id: number): UnsharedUint8Array {
    try {
      const [checked] = idArray([id]);
      const bytes = this.#engine.tokenBytes(checked as number);
      if (bytes) return bytes;
      throw new TokenizerError('', { code: 'INVALID_ID', position: 0 });
    } catch (error) {
      throw fromCaller(failureInIds(error, [id], this.#vocabulary), OpenTokenizer.prototype.tokenBytes);
    }
  }

  /**
   * The id of the token that is exactly this string or these bytes, special tokens included; undefined if there is
   * none.
   *
   * @example
   * ```ts
   * tokenizer.idOf('hello'); // 24912
   * tokenizer.idOf('<|endoftext|>'); // 199999
   * tokenizer.idOf('hello world'); // undefined
   * ```
   */
  idOf(token: string | Uint8Array): number | undefined {
    try {
      return this.#engine.idOf(typeof token === 'string' ? new TextEncoder().encode(token) : textBytes(token, 'token'));
    } catch (error) {
      throw fromCaller(error, OpenTokenizer.prototype.idOf);
    }
  }

  /**
   * The tokens of the vocabulary in ascending order of id, special tokens included; ids without a token are skipped.
   * Tokens are created as you iterate, and you may keep `bytes`. The iteration keeps the vocabulary of its first step,
   * whatever `swap` does later; `close` ends it with an error (`CLOSED`).
   *
   * @example
   * ```ts
   * tokenizer.tokens().next().value; // { id: 0, bytes: Uint8Array [33], special: false }
   * [...tokenizer.tokens()].length; // 200000
   * ```
   */
  tokens(): IterableIterator<VocabularyToken> {
    try {
      void this.#vocabulary.description; // throws if the tokenizer is closed
      return tokensOf(() => this.#engine, this.#vocabulary);
    } catch (error) {
      throw fromCaller(error, OpenTokenizer.prototype.tokens);
    }
  }

  /**
   * Releases the tokenizer's resources immediately. Calling it again has no effect. The garbage collector closes an
   * unreachable tokenizer.
   *
   * @example
   * ```ts
   * tokenizer.close();
   * tokenizer.count('hello'); // throws TokenizerError (CLOSED)
   * ```
   */
  close(): void {
    this.#closed ??= 'the tokenizer has been closed';
    this.#vocabulary.forget();
    this.#engine.close();
  }

  /**
   * The same as `close`, for `using`, which closes the tokenizer at the end of the block.
   *
   * @example
   * ```ts
   * {
   *   using shortLived = Tokenizer.loadSync('gpt2');
   *   shortLived.count('hello world'); // 2
   * }
   * ```
   */
  [Symbol.dispose](): void {
    this.close();
  }

  /** @internal */
  get [Symbol.toStringTag](): string {
    return 'Tokenizer';
  }

  /** Reads from the vocabulary; the stack of an error begins where the user read `getter`. */
  #ask<T>(getter: keyof OpenTokenizer, answer: (vocabulary: Vocabulary) => T): T {
    try {
      return answer(this.#vocabulary);
    } catch (error) {
      const { get } = Object.getOwnPropertyDescriptor(OpenTokenizer.prototype, getter) as { get: () => unknown };
      throw fromCaller(error, get);
    }
  }

  /** What `console.log` prints. */
  #shown(): object | undefined {
    if (this.#closed !== undefined) return undefined;
    const { name, vocabularySize, kernel } = this.#vocabulary.description;
    return { name, vocabularySize, backend: `${this.#engine.kind} (${kernel})` };
  }

  /** A closed tokenizer accepts no other engine. */
  #exchange(engine: EngineTokenizer): void {
    if (this.#closed !== undefined) {
      engine.close();
      throw new TokenizerError(`cannot change the vocabulary: ${this.#closed}`, { code: 'CLOSED' });
    }
    retireUnused(this.#engine);
    this.#engine = engine;
    this.#vocabulary.exchange(engine);
  }

  #retire(reason: string): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    retireUnused(this.#engine);
    this.#engine = closedEngine(reason);
    this.#vocabulary.exchange(this.#engine);
  }
}

// For other modules of the package.
export {
  /** The tokenizer's engine. */
  engineOf,
  /** Data derived from the engine's description. */
  vocabularyOf,
  /** Replaces the engine in use. If the tokenizer is closed, throws and closes the new engine. */
  exchangeEngine,
  /** Why a tokenizer is closed; undefined while it is open. */
  whyClosed,
  /** Closes a tokenizer; later calls report the reason, and sessions already begun run to their end. */
  retire,
};

// Remembers how texts begin, for servers whose texts grow from call to call. Public API.

import { type EncodeOptions, policyOf, SPECIAL_ALLOW } from '../arguments.js';
import { type ChatCall, type EncodeChatOptions, RENDER_OPTIONS, type TemplateMessage } from '../chat.js';
import type { EngineTokenizer, Policy } from '../../engine/engine.js';
import { fromCaller, TokenizerError, unexpected } from '../../base/errors.js';
import { failureInText } from '../failures.js';
import { checkedByteCount, checkOptionNames, optionNames } from '../../base/options.js';
import { inChat } from '../api/chats.js';
import type { Chat } from '../chat-renderer.js';
import { LoadedTokenizer } from '../loaded-tokenizer.js';
import { templateOf } from '../template.js';
import { engineOf, type Tokenizer, vocabularyOf, whyClosed } from '../tokenizer.js';
import type { UnsharedUint32Array } from '../../base/typed-arrays.js';
import { encodedChat } from './chat-ids.js';
import { type Encoded, encodeWithTree } from './encode-with-tree.js';
import { PrefixTree } from './prefix-tree.js';

const DEFAULT_BYTES = 64 * 1024 * 1024;

/**
 * Options of {@link PrefixCache}.
 *
 * @example
 * ```ts
 * const options: PrefixCacheOptions = { maxBytes: 256 * 1024 * 1024 };
 * new PrefixCache(tokenizer, options).stats.bytes; // 0
 * ```
 */
export interface PrefixCacheOptions {
  /**
   * The most memory for texts and ids, in bytes; beyond that, what has not been used for longest is dropped. English takes about
   * 3 bytes per character. Default 64 MiB.
   */
  maxBytes?: number | undefined;
}

const OPTIONS = optionNames<PrefixCacheOptions>({ maxBytes: true });
const NONE = new Uint32Array(0);
const CHAT_OPTIONS = [...RENDER_OPTIONS, 'special'];

/**
 * What a {@link PrefixCache} has done since it was made.
 *
 * @example
 * ```ts
 * const cache = new PrefixCache(tokenizer);
 * cache.count('hello world');
 * const { calls, hits }: PrefixCacheStats = cache.stats;
 * [calls, hits]; // [1, 0]
 * ```
 */
export interface PrefixCacheStats {
  /** Calls that have succeeded. */
  readonly calls: number;
  /** How many of them reused tokens. */
  readonly hits: number;
  /** The tokens of all their texts, without those of `addSpecialTokens`. */
  readonly tokens: number;
  /** How many of these did not have to be computed. */
  readonly reusedTokens: number;
  /** The memory for texts and ids now, in bytes. */
  readonly bytes: number;
}

/**
 * Encodes and counts texts that begin like earlier ones, such as a chat that grows by a message per request, without encoding
 * the beginning again. The ids are those of `tokenizer.encode`, always: a beginning is reused only if all of its text is equal,
 * and only as far as the text after it cannot change the ids.
 *
 * Texts are known in blocks of 4,096 UTF-16 units, so shorter ones gain nothing. Many conversations, users and policies for
 * special tokens can share a cache. It belongs to one thread. After `swap` it begins anew.
 *
 * @example
 * ```ts
 * const cache = new PrefixCache(tokenizer, { maxBytes: 16 * 1024 * 1024 });
 * const chat = 'You are a helpful assistant. '.repeat(1000);
 * cache.encode(chat).length; // 6001
 * cache.count(`${chat}hello world`); // 6002
 * cache.stats.hits; // 1
 * ```
 */
export class PrefixCache {
  readonly #tokenizer: Tokenizer;
  readonly #tree: PrefixTree;
  /** Of the vocabulary that the tree belongs to. */
  #description: object | undefined;
  #isClosed = false;
  #calls = 0;
  #hits = 0;
  #tokens = 0;
  #reusedTokens = 0;

  /**
   * A cache for the texts of a tokenizer. Throws a TypeError for anything but a tokenizer of this package, and
   * `CLOSED` for one that has been closed.
   *
   * @example
   * ```ts
   * new PrefixCache(tokenizer).count('hello world'); // 2
   * ```
   */
  constructor(tokenizer: Tokenizer, options?: PrefixCacheOptions) {
    try {
      this.#tokenizer = checkedTokenizer(tokenizer);
      if (options !== undefined) checkOptionNames(options, OPTIONS);
      this.#tree = new PrefixTree(checkedByteCount(options?.maxBytes, 'maxBytes') ?? DEFAULT_BYTES);
    } catch (error) {
      throw fromCaller(error, new.target);
    }
  }

  /**
   * The token ids of a text, like {@link Tokenizer.encode}, which also throws the same errors.
   *
   * @example
   * ```ts
   * const cache = new PrefixCache(tokenizer);
   * cache.encode('hello world'); // Uint32Array [24912, 2375]
   * cache.encode('<|endoftext|>', { special: 'allow' }); // Uint32Array [199999]
   * ```
   */
  encode(text: string, options?: EncodeOptions): UnsharedUint32Array {
    try {
      const { policy, template, engine } = this.#call(text, options);
      const encoded = this.#reuse(engine, text, policy, false);
      if (!encoded) return template.around(this.#noted(engine.encode(text, policy)));
      this.#note(encoded.ids.length, encoded.reused);
      return template.around(encoded.ids);
    } catch (error) {
      throw fromCaller(failureInText(error, text, vocabularyOf(this.#tokenizer)), PrefixCache.prototype.encode);
    }
  }

  /**
   * The number of tokens of a text, like {@link Tokenizer.count}.
   *
   * @example
   * ```ts
   * new PrefixCache(tokenizer).count('hello world'); // 2
   * ```
   */
  count(text: string, options?: EncodeOptions): number {
    try {
      const { policy, template, engine } = this.#call(text, options);
      const encoded = this.#reuse(engine, text, policy, true);
      const count = encoded ? encoded.count : engine.count(text, policy);
      this.#note(count, encoded?.reused ?? 0);
      return template.size + count;
    } catch (error) {
      throw fromCaller(failureInText(error, text, vocabularyOf(this.#tokenizer)), PrefixCache.prototype.count);
    }
  }

  /**
   * The ids of a chat, like those of the tokenizer's `encodeChat`, with the same errors. The whole chat is rendered; only what
   * follows the longest known beginning of its text is encoded. Options are those of `encodeChat`, except `origins` and
   * `assistantMask`. A chat in which somebody has typed a special token gains nothing, unless `special` is `'allow'`.
   *
   * @example
   * ```ts
   * const cache = new PrefixCache(tokenizer);
   * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
   * await cache.encodeChat([{ role: 'user', content: 'hello' }], { template }); // Uint32Array [24912, 199999]
   * ```
   */
  async encodeChat(
    messages: readonly TemplateMessage[] | string,
    options?: Omit<EncodeChatOptions, 'origins' | 'assistantMask'>,
  ): Promise<UnsharedUint32Array> {
    return (await this.#ofChat(messages, options, PrefixCache.prototype.encodeChat, false)).ids;
  }

  /**
   * The number of ids of a chat, like the tokenizer's `countChat`.
   *
   * @example
   * ```ts
   * const cache = new PrefixCache(tokenizer);
   * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
   * await cache.countChat([{ role: 'user', content: 'hello' }], { template }); // 2
   * ```
   */
  async countChat(
    messages: readonly TemplateMessage[] | string,
    options?: Omit<EncodeChatOptions, 'origins' | 'assistantMask'>,
  ): Promise<number> {
    return (await this.#ofChat(messages, options, PrefixCache.prototype.countChat, true)).count;
  }

  /**
   * What the cache has done so far, and the memory it takes now.
   *
   * @example
   * ```ts
   * const cache = new PrefixCache(tokenizer);
   * cache.encode('hello world');
   * cache.stats; // { calls: 1, hits: 0, tokens: 2, reusedTokens: 0, bytes: 0 }
   * ```
   */
  get stats(): PrefixCacheStats {
    this.#forgetOthers();
    const bytes = this.#tree.bytes;
    return { calls: this.#calls, hits: this.#hits, tokens: this.#tokens, reusedTokens: this.#reusedTokens, bytes };
  }

  /**
   * Forgets all texts.
   *
   * @example
   * ```ts
   * const cache = new PrefixCache(tokenizer);
   * cache.encode('hello world '.repeat(1000));
   * cache.clear();
   * cache.stats.bytes; // 0
   * ```
   */
  clear(): void {
    this.#tree.clear();
  }

  /**
   * Forgets all texts; later calls of `encode` and `count` throw (`CLOSED`). The tokenizer stays open.
   *
   * @example
   * ```ts
   * const cache = new PrefixCache(tokenizer);
   * cache.close();
   * cache.count('hello'); // throws TokenizerError (CLOSED)
   * ```
   */
  close(): void {
    this.#isClosed = true;
    this.#tree.clear();
  }

  /**
   * The same as `close`, for `using`.
   *
   * @example
   * ```ts
   * {
   *   using cache = new PrefixCache(tokenizer);
   *   cache.count('hello world'); // 2
   * }
   * ```
   */
  [Symbol.dispose](): void {
    this.close();
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new TokenizerError('the prefix cache has been closed', { code: 'CLOSED' });
  }

  /** Checks the arguments of a call. */
  #call(text: unknown, options: EncodeOptions | undefined) {
    const vocabulary = vocabularyOf(this.#tokenizer);
    const policy = policyOf(options, vocabulary);
    const template = templateOf(options, vocabulary);
    if (typeof text !== 'string') throw unexpected('a string', 'text', text);
    this.#checkOpen();
    return { policy, template, engine: engineOf(this.#tokenizer) };
  }

  async #ofChat(
    messages: readonly TemplateMessage[] | string,
    options: EncodeChatOptions | undefined,
    entry: (...args: never[]) => unknown,
    counting: boolean,
  ): Promise<Encoded> {
    const tokenizer = this.#tokenizer;
    try {
      if (options !== undefined) checkOptionNames(options, CHAT_OPTIONS);
      if (!(tokenizer instanceof LoadedTokenizer)) throw unexpected('a Tokenizer that renders chats', 'tokenizer', tokenizer);
    } catch (error) {
      throw fromCaller(error, entry);
    }
    return inChat(tokenizer, messages, options, entry, (chat, call) => this.#encodedChat(chat, call, counting));
  }

  #encodedChat(chat: Chat, call: ChatCall, counting: boolean): Encoded {
    this.#checkOpen();
    const { engine } = call;
    const encoded = encodedChat(
      chat,
      call,
      (text) => {
        // The tokenizer may have taken another vocabulary while this call waited.
        const known = engine === engineOf(this.#tokenizer) ? this.#reuse(engine, text, SPECIAL_ALLOW, counting) : undefined;
        if (known) return known;
        const ids = counting ? NONE : engine.encode(text, SPECIAL_ALLOW);
        return { ids, count: counting ? engine.count(text, SPECIAL_ALLOW) : ids.length, reused: 0 };
      },
      counting,
    );
    this.#note(encoded.count, encoded.reused);
    return encoded;
  }

  /** Undefined if the engine has to do it alone: the text is short, or wrong, and then it reports why. */
  #reuse(engine: EngineTokenizer, text: string, policy: Policy, counting: boolean): Encoded | undefined {
    this.#forgetOthers();
    if (text.length < PrefixTree.LEAST) return undefined;
    try {
      return encodeWithTree(engine, this.#tree, text, policy, counting);
    } catch (error) {
      if (error instanceof TokenizerError) return undefined;
      throw error;
    }
  }

  /** Forgets the texts of a vocabulary that the tokenizer no longer has. */
  #forgetOthers(): void {
    const isClosed = whyClosed(this.#tokenizer) !== undefined;
    const description = isClosed ? undefined : vocabularyOf(this.#tokenizer).description;
    if (this.#description !== description) this.#tree.clear();
    this.#description = description;
  }

  #noted(ids: UnsharedUint32Array): UnsharedUint32Array {
    this.#note(ids.length, 0);
    return ids;
  }

  #note(tokens: number, reused: number): void {
    this.#calls++;
    this.#tokens += tokens;
    this.#reusedTokens += reused;
    if (reused > 0) this.#hits++;
  }
}

function checkedTokenizer(tokenizer: Tokenizer): Tokenizer {
  try {
    engineOf(tokenizer);
  } catch {
    throw unexpected('a Tokenizer', 'tokenizer', tokenizer);
  }
  const closed = whyClosed(tokenizer);
  if (closed !== undefined) throw new TokenizerError(closed, { code: 'CLOSED' });
  return tokenizer;
}

// Remembers how texts begin, for servers whose texts grow from call to call. Public API.
//
// A text that begins like a known one becomes a fork of it (known-text.ts), or its next form if nearly all of it is there. The known texts
// of a policy are in order, so that the one with the longest common beginning stands beside the place of a new text.

import { type EncodeOptions, policyOf, SPECIAL_ALLOW } from './arguments.js';
import {
  type ChatCall,
  type ChatText,
  type EncodeChatOptions,
  RENDER_OPTIONS,
  type TemplateMessage,
  withoutSeparators,
} from './chat-options.js';
import type { Chat } from './host.js';
import type { EngineTokenizer, Policy } from '../engine/engine.js';
import { beginAtCallers, fromCaller, TokenizerError, unexpected } from '../base/errors.js';
import { failureInText } from './text-failures.js';
import { checkedByteCount, checkOptionNames, optionNames } from '../base/option-objects.js';
import { inChat, inTurns } from './chat-calls.js';
import { drained } from '../base/time-slices.js';
import { templateOf } from './id-template.js';
import { engineOf, hostOf, type Tokenizer, vocabularyOf, whyClosed } from './tokenizer.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import { KnownText, type WrittenText } from './known-text.js';

const DEFAULT_BYTES = 64 * 1024 * 1024;
/** Shorter texts are encoded as fast as they are found. A shorter rest is not worth a text of its own. */
const LEAST = 4096;

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

/** The result of a call: the ids, unless it only counts, their number, and how many came from a known text. */
interface Encoded {
  readonly ids: UnsharedUint32Array;
  readonly count: number;
  readonly reused: number;
}

/** A text in order among others, or where it would be. */
interface Found {
  readonly at: number;
  /** With the longest common beginning. */
  readonly nearest: KnownText | undefined;
  readonly common: number;
}

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
  /** The tokens of their texts, without the ids that `addSpecialTokens` adds. */
  readonly tokens: number;
  /** How many of these tokens a known text already had. */
  readonly reusedTokens: number;
  /** The memory for texts and ids now, in bytes. */
  readonly bytes: number;
}

/**
 * Encodes and counts texts that begin like earlier ones, such as a chat that grows by a message per request, without encoding
 * the beginning again. The ids are always those of `tokenizer.encode`: the cache has a document for each text ({@link Tokenizer.document}).
 * In pages, load the tokenizer with `documents: true`.
 *
 * Texts of less than 4,096 UTF-16 units gain nothing. Many conversations, users and policies for special tokens can share a cache.
 * It belongs to one thread. After `swap` it begins anew.
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
  readonly #maxBytes: number;
  /** The texts of each policy, in order. */
  readonly #lists = new Map<string, KnownText[]>();
  /** Their lists and sizes; the first has not been used for longest. */
  readonly #known = new Map<KnownText, { list: KnownText[]; bytes: number }>();
  #bytes = 0;
  /** Of the vocabulary that they belong to. */
  #description: object | undefined;
  #isClosed = false;
  #calls = 0;
  #hits = 0;
  #tokens = 0;
  #reusedTokens = 0;

  /**
   * A cache for the texts of a tokenizer. Throws a TypeError for anything but a tokenizer of this package, `CLOSED` for one
   * that has been closed, and `FEATURE_MISSING` where it has no documents.
   *
   * @example
   * ```ts
   * new PrefixCache(tokenizer).count('hello world'); // 2
   * ```
   */
  constructor(tokenizer: Tokenizer, options?: PrefixCacheOptions) {
    beginAtCallers(PrefixCache);
    try {
      this.#tokenizer = checkedTokenizer(tokenizer);
      if (options !== undefined) checkOptionNames(options, OPTIONS);
      this.#maxBytes = checkedByteCount(options?.maxBytes, 'maxBytes') ?? DEFAULT_BYTES;
      engineOf(tokenizer).edit(SPECIAL_ALLOW, 'utf16').close();
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
    return this.#ofText(text, options, false).ids;
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
    return this.#ofText(text, options, true).count;
  }

  /**
   * The ids of a chat, like those of the tokenizer's `encodeChat`, with the same errors. The whole chat is rendered; only what
   * differs from the nearest known text is encoded. Options are those of `encodeChat`, except `origins` and `assistantMask`.
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
    return (await this.#ofChat(messages, options, false)).ids;
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
    return (await this.#ofChat(messages, options, true)).count;
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
    return { calls: this.#calls, hits: this.#hits, tokens: this.#tokens, reusedTokens: this.#reusedTokens, bytes: Math.ceil(this.#bytes) };
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
    for (const known of this.#known.keys()) known.close();
    this.#known.clear();
    this.#lists.clear();
    this.#bytes = 0;
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
    this.clear();
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

  #ofText(text: string, options: EncodeOptions | undefined, counting: boolean): Pick<Encoded, 'ids' | 'count'> {
    const vocabulary = vocabularyOf(this.#tokenizer);
    try {
      const policy = policyOf(options, vocabulary);
      const template = templateOf(options, vocabulary);
      if (typeof text !== 'string') throw unexpected('a string', 'text', text);
      this.#checkOpen();
      const { engine } = vocabulary;
      const encoded = this.#reuse(engine, { text }, policy, counting);
      const ids = encoded?.ids ?? (counting ? NONE : engine.encode(text, policy));
      const count = encoded?.count ?? (counting ? engine.count(text, policy) : ids.length);
      this.#note(count, encoded?.reused ?? 0);
      return { ids: counting ? ids : template.around(ids), count: template.size + count };
    } catch (error) {
      throw failureInText(error, text, vocabulary);
    }
  }

  #ofChat(messages: readonly TemplateMessage[] | string, options: EncodeChatOptions | undefined, counting: boolean): Promise<Encoded> {
    if (options !== undefined) checkOptionNames(options, CHAT_OPTIONS);
    return inChat(hostOf(this.#tokenizer), vocabularyOf(this.#tokenizer), messages, options, true, async (chat, call) => {
      this.#checkOpen();
      return this.#encodedChat(chat, call, await inTurns(chat.text(call), call.signal), counting);
    });
  }

  #encodedChat(chat: Chat, call: ChatCall, written: ChatText | undefined, counting: boolean): Encoded {
    this.#checkOpen();
    const { engine } = call;
    // The tokenizer may have taken another vocabulary while this call waited.
    const isCurrent = written !== undefined && engine === engineOf(this.#tokenizer);
    const known = isCurrent ? this.#reuse(engine, written, written.policy, counting) : undefined;
    const ids = !known ? drained(chat.encoding(call)) : counting ? NONE : withoutSeparators(known.ids, written as ChatText);
    const count = known && counting ? known.count - (written as ChatText).separators : ids.length;
    const reused = Math.min(known?.reused ?? 0, count);
    this.#note(count, reused);
    return { ids, count, reused };
  }

  /** Undefined if the engine has to do it alone: the text is short, or too long to keep, or wrong, and then it reports why. */
  #reuse(engine: EngineTokenizer, written: WrittenText, policy: Policy, counting: boolean): Encoded | undefined {
    this.#forgetOthers();
    const { length } = written.text;
    if (length < LEAST || 2 * length > this.#maxBytes) return undefined;
    const key = keyOf(policy, written.ranges !== undefined);
    let list = this.#lists.get(key);
    if (!list) this.#lists.set(key, (list = []));
    try {
      const { known, inserted, keeps } = this.#take(list, engine, written, policy);
      const { count } = known;
      try {
        return { ids: counting ? NONE : known.ids(), count, reused: count - inserted };
      } finally {
        if (!keeps) known.close();
      }
    } catch (error) {
      if (error instanceof TokenizerError) return undefined;
      throw error;
    }
  }

  /** The text, known from now on, unless it is only the beginning of another one. */
  #take(list: KnownText[], engine: EngineTokenizer, written: WrittenText, policy: Policy) {
    const { text } = written;
    const { at, nearest, common } = find(list, text);
    const isNear = nearest !== undefined && nearest.length - common < LEAST;
    const isOther = nearest === undefined || common < LEAST;
    const known = isNear ? nearest : isOther ? KnownText.open(engine, policy) : nearest.fork();
    try {
      const { inserted } = known.become(written, isOther ? 0 : common);
      const keeps = isNear || common < text.length;
      if (!isNear && nearest) this.#use(nearest);
      if (keeps) this.#keep(list, at, known);
      return { known, inserted, keeps: this.#known.has(known) };
    } catch (error) {
      if (!isNear) known.close();
      throw error;
    }
  }

  /** Puts a text where `find` has found that it would be: a new one, or one that was elsewhere. */
  #keep(list: KnownText[], at: number, known: KnownText): void {
    const before = this.#known.get(known);
    const old = before ? list.indexOf(known) : -1;
    list.splice(at, 0, known);
    if (before) list.splice(old < at ? old : old + 1, 1);
    const { bytes } = known;
    this.#bytes += bytes - (before?.bytes ?? 0);
    this.#known.delete(known);
    this.#known.set(known, { list, bytes });
    for (const [oldest, { list: texts, bytes: size }] of this.#known) {
      if (this.#bytes <= this.#maxBytes) break;
      texts.splice(texts.indexOf(oldest), 1);
      this.#known.delete(oldest);
      this.#bytes -= size;
      // The caller still reads the one that it has asked for.
      if (oldest !== known) oldest.close();
    }
  }

  /** Makes a text the last one to be dropped. */
  #use(known: KnownText): void {
    const entry = this.#known.get(known);
    if (!entry) return;
    this.#known.delete(known);
    this.#known.set(known, entry);
  }

  /** Forgets the texts of a vocabulary that the tokenizer no longer has. */
  #forgetOthers(): void {
    const isClosed = whyClosed(this.#tokenizer) !== undefined;
    const description = isClosed ? undefined : vocabularyOf(this.#tokenizer).description;
    if (this.#description !== description) this.clear();
    this.#description = description;
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

/** Texts under different policies have nothing in common. The order of a list does not matter. */
function keyOf(policy: Policy, hasRanges: boolean): string {
  const tokens = typeof policy === 'number' ? `${policy}` : [...new Set(policy)].sort((a, b) => a - b).join();
  return hasRanges ? `written ${tokens}` : typeof policy === 'number' ? tokens : `only ${tokens}`;
}

/**
 * Where a text is among others, which are in order. A text between two others has at least as much in common with `text` as the one of the
 * two that has less, so that a search by halves compares every unit about once.
 */
function find(list: readonly KnownText[], text: string): Found {
  let [low, lowCommon, high, highCommon] = [0, 0, list.length, 0];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = list[middle] as KnownText;
    const common = other.commonStart(text, Math.min(lowCommon, highCommon));
    if (other.order(text, common) <= 0) [low, lowCommon] = [middle + 1, common];
    else [high, highCommon] = [middle, common];
  }
  const isLower = lowCommon >= highCommon;
  return { at: low, nearest: list[isLower ? low - 1 : high], common: isLower ? lowCommon : highCommon };
}

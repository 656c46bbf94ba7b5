// Token healing: which tokens at the end of a prompt a longer token could replace.
//
// Everything is in the bytes of tokens, as `tokenBytes` returns them: U+2581 for spaces where the vocabulary has it, `##` before
// tokens that continue a word, the bytes FE and FF at the beginning and at the end of words (cartridges/FORMAT.md, section 5.5).

import { type EncodeOptions, idArray, policyOf, SPECIAL_AS_TEXT, type SpecialPolicy, textBytes, type TokenIds } from './arguments.js';
import type { EngineTokenizer } from '../engine/engine.js';
import { checkedBoolean, checkOptionNames, optionNames } from '../base/option-objects.js';
import { TokenizerError, unexpected } from '../base/errors.js';
import { tokenIndexOf } from '../vocabularies/token-index.js';
import { concatenated, type UnsharedUint32Array, type UnsharedUint8Array } from '../base/typed-arrays.js';
import type { Vocabulary } from '../vocabularies/vocabulary.js';
import { failureInIds, failureInText } from './text-failures.js';

const WORD_END = 0xff;
const WORD_BEGIN = 0xfe;

/**
 * Options of {@link Tokenizer.tokensWithPrefix}.
 *
 * @example
 * ```ts
 * const options: PrefixOptions = { addedTokens: true };
 * tokenizer.tokensWithPrefix('<|endofp', options); // Uint32Array [200018]
 * ```
 */
export interface PrefixOptions {
  /** Whether added tokens count, which include the special ones. Default false. */
  addedTokens?: boolean | undefined;
}

/**
 * Options of {@link Tokenizer.healing}.
 *
 * @example
 * ```ts
 * const options: HealingOptions = { special: 'allow' };
 * tokenizer.healing('<|endoftext|>', options).removed; // 0
 * ```
 */
export interface HealingOptions extends PrefixOptions {
  /** How special tokens in a text are treated, as for `encode`. */
  special?: SpecialPolicy | undefined;
}

/**
 * Where to step back in a prompt, from {@link Tokenizer.healing}.
 *
 * @example
 * ```ts
 * const { removed, prefix }: Healing = tokenizer.healing('http:');
 * [removed, new TextDecoder().decode(prefix)]; // [1, ':']
 * ```
 */
export interface Healing {
  /** The ids to keep. */
  ids: UnsharedUint32Array;
  /** How many tokens after them were removed. */
  removed: number;
  /** The bytes of these, with which the next tokens must begin. */
  prefix: UnsharedUint8Array;
}

const PREFIX_OPTIONS = optionNames<PrefixOptions>({ addedTokens: true });
const HEALING_OPTIONS = optionNames<HealingOptions>({ addedTokens: true, special: true });

export function tokensWithPrefix(vocabulary: Vocabulary, prefix: string | Uint8Array, options?: PrefixOptions): UnsharedUint32Array {
  const added = takesAdded(options, PREFIX_OPTIONS);
  const bytes = typeof prefix === 'string' ? new TextEncoder().encode(prefix) : textBytes(prefix, 'prefix').slice();
  const { description, engine } = vocabulary;
  const ids = tokenIndexOf(engine, description).withPrefix(bytes);
  if (!added) return ids;
  const more = new Set(ids);
  for (const { id, text } of description.addedTokens) if (startsWith(utf8(text), bytes)) more.add(id);
  return Uint32Array.from(more).sort();
}

export function healing(vocabulary: Vocabulary, prompt: string | TokenIds, options: HealingOptions | undefined): Healing {
  try {
    return healed(vocabulary, prompt, options);
  } catch (error) {
    throw typeof prompt === 'string' ? failureInText(error, prompt, vocabulary) : failureInIds(error, prompt, vocabulary);
  }
}

function healed(vocabulary: Vocabulary, prompt: string | TokenIds, options: HealingOptions | undefined): Healing {
  const added = takesAdded(options, HEALING_OPTIONS);
  const { description, engine } = vocabulary;
  let ids: UnsharedUint32Array;
  let isWhole = true;
  if (typeof prompt === 'string') {
    const policy = policyOf(options as EncodeOptions | undefined, vocabulary, HEALING_OPTIONS);
    const tokens = engine.encodeWithOffsets(prompt, 'utf16', policy);
    ids = tokens.ids;
    isWhole = ids.length === 0 || endsInToken(engine, prompt, tokens.offsets.at(-1) as number);
  } else if (typeof prompt !== 'object' || prompt === null || prompt instanceof Uint8Array) {
    throw unexpected('a string or a list of ids', 'prompt', prompt);
  } else {
    ids = idArray(prompt).slice();
    for (const [position, id] of ids.entries()) {
      if (engine.tokenBytes(id) === undefined) throw new TokenizerError('', { code: 'INVALID_ID', position });
    }
  }
  const index = tokenIndexOf(engine, description);
  const addedTexts = added ? description.addedTokens.map(({ text }) => utf8(text)) : [];
  const words = wordsOf(vocabulary);
  const longest = addedTexts.reduce((longest, text) => Math.max(longest, text.length), index.longest);
  let removed = 0;
  let prefix: Uint8Array = new Uint8Array(0);
  let after: Uint8Array = new Uint8Array(0);
  for (let count = 1; isWhole && count <= ids.length; count++) {
    const id = ids[ids.length - count] as number;
    const token = engine.tokenBytes(id) as Uint8Array;
    if (index.apart.has(id)) break;
    // Only the last word may have an end that is not in the text.
    const open = words.ends && token.at(-1) === WORD_END ? token.slice(0, -1) : token;
    if (count > 1 && open.length < token.length) break;
    const candidate = concatenated(Uint8Array, [open, after]);
    if (candidate.length >= longest) break;
    const except = words.continuing && !startsWith(token, words.continuing) ? words.continuing : undefined;
    if (index.extends(candidate, except) || addedTexts.some((text) => text.length > candidate.length && startsWith(text, candidate))) {
      removed = count;
      prefix = candidate;
    }
    // A token at the beginning of a word follows text that none of its tokens can include.
    if (words.begins && token[0] === WORD_BEGIN) break;
    if (except !== undefined) break;
    after = words.continuing ? candidate.slice(words.continuing.length) : candidate;
  }
  return { ids: ids.slice(0, ids.length - removed), removed, prefix: prefix.slice() };
}

/**
 * Whether a text ends where its last token ends. It does not if text without a token follows, such as a space after a word of BERT.
 * `end`: of the token by its offsets, which leave out what the normalizer drops, or composes with the last character.
 */
function endsInToken(engine: EngineTokenizer, text: string, end: number): boolean {
  if (end === text.length) return true;
  const idsOf = (other: string) => engine.encode(other, SPECIAL_AS_TEXT).join();
  const last = lastCharacter(text);
  const next = lastCharacter(text.slice(0, end)); // which could continue the word of the token
  return idsOf(text.slice(0, -last.length)) !== idsOf(text) || idsOf(text + next) === idsOf(text.slice(0, end) + next);
}

function lastCharacter(text: string): string {
  return [...text.slice(-2)].at(-1) as string;
}

/** How the bytes of tokens show where words begin and end. */
interface Words {
  /** What a token begins with that continues a word; then all others begin one. */
  continuing: Uint8Array | undefined;
  begins: boolean;
  ends: boolean;
}

function wordsOf({ description, metadata }: Vocabulary): Words {
  const decoder = (metadata.decoder ?? {}) as { prefix?: unknown; suffix?: unknown; steps?: unknown };
  const steps = Array.isArray(decoder.steps) ? (decoder.steps as { type?: unknown; prefix?: unknown }[]) : [];
  const prefix = steps.find(({ type }) => type === 'WordPiece')?.prefix;
  const continuing = description.model === 'wordpiece' ? utf8(typeof prefix === 'string' ? prefix : '##') : undefined;
  return { continuing, begins: typeof decoder.prefix === 'string', ends: typeof decoder.suffix === 'string' };
}

function takesAdded(options: PrefixOptions | undefined, names: readonly string[]): boolean {
  if (options === undefined) return false;
  checkOptionNames(options, names);
  return checkedBoolean(options.addedTokens, 'addedTokens');
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return prefix.length <= bytes.length && prefix.every((byte, i) => bytes[i] === byte);
}

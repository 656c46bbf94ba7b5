// Special tokens in a text: which are tokens, which are text, and which are errors. gpt-tokenizer follows tiktoken's
// rules, plus one: a disallowed token stays disallowed even if it is also allowed.

import { TokenizerError, unexpected } from '../../base/errors.js';
import { ALL_SPECIAL_TOKENS } from './constants.js';

/**
 * Which special tokens a text may contain.
 *
 * @example
 * ```ts
 * import { encode, type EncodeOptions, EndOfText } from 'crayon-tokenizer/gpt-tokenizer';
 *
 * const options: EncodeOptions = { allowedSpecial: new Set([EndOfText]) };
 * encode('hello<|endoftext|>', options); // [24912, 199999]
 * encode('hello<|endofprompt|>', options); // throws TokenizerError (SPECIAL_FORBIDDEN)
 * encode('<|endoftext|>', { disallowedSpecial: new Set() }).length; // 7
 * ```
 */
export interface EncodeOptions {
  /** Special tokens that become their ids; `'all'`: all that are not disallowed. Default none. */
  allowedSpecial?: ReadonlySet<string> | typeof ALL_SPECIAL_TOKENS | undefined;
  /** Special tokens that are an error. Default `'all'`: all that are not allowed. All others are ordinary text. */
  disallowedSpecial?: ReadonlySet<string> | typeof ALL_SPECIAL_TOKENS | undefined;
}

/** How a special token in a text is treated. */
type Meaning = 'token' | 'text' | 'error';

/** Decides how a special token is treated, by its name. */
export type SpecialRule = (name: string) => Meaning;

const FORBIDDEN: SpecialRule = () => 'error';

/** The rule for the options of a call; a TypeError if they are not valid. */
export function specialRule(options: EncodeOptions | undefined): SpecialRule {
  if (!options) return FORBIDDEN;
  const allowed = namesOf(options.allowedSpecial, 'allowedSpecial');
  const disallowed = namesOf(options.disallowedSpecial, 'disallowedSpecial');
  if (allowed === undefined && disallowed === undefined) return FORBIDDEN;
  const allAllowed = isAll(allowed);
  if (allAllowed && disallowed === ALL_SPECIAL_TOKENS) {
    throw new Error('allowedSpecial and disallowedSpecial cannot both be set to "all".');
  }
  const others: Meaning = allAllowed ? 'token' : disallowed === undefined || isAll(disallowed) ? 'error' : 'text';
  return (name) => {
    if (typeof disallowed === 'object' && disallowed.has(name)) return 'error';
    if (typeof allowed === 'object' && allowed.has(name)) return 'token';
    return others;
  };
}

type Names = ReadonlySet<string> | typeof ALL_SPECIAL_TOKENS;

function namesOf(value: unknown, option: string): Names | undefined {
  if (value === undefined || value === null) return undefined;
  if (value === ALL_SPECIAL_TOKENS || typeof (value as Set<string>).has === 'function') return value as Names;
  throw unexpected("a Set of special tokens or 'all'", option, value);
}

function isAll(names: Names | undefined): boolean {
  return names !== undefined && (names === ALL_SPECIAL_TOKENS || names.has(ALL_SPECIAL_TOKENS));
}

/** Whether a text can contain special tokens: all of them begin with `<|`. */
export function mayHoldSpecial(text: string): boolean {
  return text.includes('<|');
}

/** Anything that looks like a special token. Two matches cannot overlap, so one pass finds all. */
const CANDIDATE = /<\|\w{1,32}\|>/g;

/** The parts of a text: ordinary text, and ids of special tokens; none is empty. Throws for a disallowed token. */
export function partsOf(text: string, ids: ReadonlyMap<string, number>, rule: SpecialRule): (string | number)[] {
  const parts: (string | number)[] = [];
  let end = 0;
  for (const { 0: name, index } of text.matchAll(CANDIDATE)) {
    const id = ids.get(name);
    const meaning = id === undefined ? 'text' : rule(name);
    if (meaning === 'text') continue;
    if (meaning === 'error') {
      const message = `Disallowed special token found: ${name}`;
      throw new TokenizerError(message, { code: 'SPECIAL_FORBIDDEN', position: index });
    }
    if (index > end) parts.push(text.slice(end, index));
    parts.push(id as number);
    end = index + name.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

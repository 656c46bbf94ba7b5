// A list of tokens as text: the `.json` of a version 2 vocabulary, in either of its shapes, and lines.

import { foreignObject } from './foreign.js';
import { jsonFailure } from './json-failure.js';
import { quotedName, TokenizerError } from '../tokenizer/errors.js';

/** More than any vocabulary has: a mistaken id must not make a table of gigabytes. */
const MOST_IDS = 1 << 21;

/** In characters; published files have up to 35 million. */
const LONG_FILE = 1 << 26;
/** As many as 2²¹ tokens have with a merge and an added token for each. */
const MOST_VALUES = 1 << 24;

/**
 * The tokens that stand for what a vocabulary does not know, the one before the other. All are as long as the first.
 */
const UNKNOWN_TOKENS = ['<UNK>', '<unk>', '[UNK]'] as const;

/**
 * Reads `["token", …]`, whose ids are their places, or `{"vocab": {"token": id, …}}`. An id that no token has is
 * undefined. `file`: where the text is from, for errors: a TokenizerError whose position is the token's place in the
 * list.
 */
export function readTokenList(text: string, file: string): (string | undefined)[] {
  return tokensInList(parseTokenFile(text, file), file);
}

/** The JSON of a file of tokens. */
export function parseTokenFile(text: string, file: string): unknown {
  // Published files are shorter, so they are not looked through.
  if (text.length > LONG_FILE && hasMoreCommas(text, MOST_VALUES)) {
    throw badList(file, `it has more than ${MOST_VALUES} values`, 0);
  }
  const json = text.startsWith('\uFEFF') ? text.slice(1) : text;
  try {
    return JSON.parse(json);
  } catch (cause) {
    const { what, position } = whyNoJson(json, cause);
    throw badList(file, what, position + utf8Length(text.slice(0, text.length - json.length)), cause);
  }
}

/** What is wrong with a text that JSON.parse refuses, and at which byte of its UTF-8. */
export function whyNoJson(text: string, cause: unknown): { what: string; position: number } {
  const unit = jsonFailure(text);
  const position = unit === undefined ? 0 : utf8Length(text.slice(0, unit));
  if (unit !== text.length) return { what: `it is no JSON (${(cause as Error).message})`, position };
  return { what: `it is no JSON: it ends at byte ${position}, before it is complete; was it downloaded or written to its end?`, position };
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Without an end to it, a list of empty lists would take thirty times its size in memory. */
function hasMoreCommas(text: string, most: number): boolean {
  let count = 0;
  for (let at = text.indexOf(','); at >= 0 && count <= most; at = text.indexOf(',', at + 1)) count++;
  return count > most;
}

/** The tokens of a list that has been parsed. */
export function tokensInList(list: unknown, file: string): (string | undefined)[] {
  if (Array.isArray(list)) return checkStrings(list, file);
  const vocabulary = isObject(list) && Object.hasOwn(list, 'vocab') ? list.vocab : undefined;
  if (isObject(vocabulary) && !Array.isArray(vocabulary)) return byId(vocabulary, file);
  const known = isObject(list) ? foreignObject(list) : undefined;
  throw badList(file, known ?? `expected a list of strings, or {"vocab": {token: id}}, but found ${inWords(list)}`, 0);
}

/** Reads a token from each line; the last line may end with a line feed. */
export function readTokenLines(text: string): string[] {
  const lines = (text.startsWith('\uFEFF') ? text.slice(1) : text).split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Whether a token stands, by its name, for what is unknown. */
export function isUnknownToken(token: string): boolean {
  return UNKNOWN_TOKENS.some((name) => name === token);
}

/** The id of the token that stands for what is unknown; undefined if the list has none. */
export function unknownIdIn(tokens: readonly (string | Uint8Array | undefined)[]): number | undefined {
  const { length } = UNKNOWN_TOKENS[0];
  const found: number[] = [];
  for (let id = 0; id < tokens.length; id++) {
    const token = tokens[id];
    const place = token?.length === length ? UNKNOWN_TOKENS.findIndex((name) => name === textOf(token)) : -1;
    if (place >= 0) found[place] ??= id;
  }
  return found.find((id) => id !== undefined);
}

function textOf(token: string | Uint8Array): string {
  return typeof token === 'string' ? token : String.fromCharCode(...token);
}

/**
 * A list as Python's `json.dump(tokens, file, ensure_ascii=False)` writes it, which is how the published ones are
 * written. The two escape the same characters, but for lone surrogates, which no token decoded from bytes has.
 */
export function writeTokenList(tokens: readonly string[]): string {
  return `[${tokens.map((token) => JSON.stringify(token)).join(', ')}]`;
}

function checkStrings(list: unknown[], file: string): string[] {
  const wrong = list.findIndex((token) => typeof token !== 'string');
  if (wrong >= 0) throw badList(file, `expected a string for token ${wrong} but found ${shown(list[wrong])}`, wrong);
  return list as string[];
}

function byId(vocabulary: Record<string, unknown>, file: string): (string | undefined)[] {
  const tokens: (string | undefined)[] = [];
  Object.entries(vocabulary).forEach(([token, id], index) => {
    const name = quotedName(token);
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id >= MOST_IDS) {
      const wanted = `an id (an integer of 0 or more, below ${MOST_IDS})`;
      throw badList(file, `expected ${wanted} for ${name} but found ${shown(id)}`, index);
    }
    if (tokens[id] !== undefined) {
      throw badList(file, `expected each id once but found ${id} for ${quotedName(tokens[id])} and ${name}`, index);
    }
    tokens[id] = token;
  });
  return Array.from(tokens);
}

function badList(file: string, what: string, position: number, cause?: unknown): TokenizerError {
  const options = cause === undefined ? undefined : { cause };
  const message = `cannot read the tokens of ${file}: ${what}`;
  return new TokenizerError(message, { code: 'CORRUPT_STRUCTURE', position }, options);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** An object by its keys: it may be deep. */
function inWords(value: unknown): string {
  if (!isObject(value)) return typeof value === 'string' ? quotedName(value) : String(value);
  const keys = Object.keys(value).slice(0, 4).map(quotedName);
  return keys.length === 0 ? 'an empty object' : `an object with ${keys.join(', ')}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

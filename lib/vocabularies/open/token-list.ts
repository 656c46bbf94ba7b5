// A list of tokens as text: the `.json` of a version 2 vocabulary, in either form, and lines.

import { foreignObject } from './foreign.js';
import { beginningAt, beginningOfJson, eachElement, eachMember, integerAt, kindAt, stringAt } from '../../base/json-text.js';
import { quotedName, TokenizerError } from '../../base/errors.js';
import { hasLoneSurrogate } from '../../base/text-encodings.js';

/** More than any vocabulary has: a wrong id must not create a table of gigabytes. */
const MOST_IDS = 1 << 21;

/** How many keys suffice to recognize an object. */
const TELLING_KEYS = 1 << 16;

/** The names of unknown tokens, in order of preference. All are as long as the first. */
const UNKNOWN_TOKENS = ['<UNK>', '<unk>', '[UNK]'] as const;

/**
 * Parses `["token", …]`, whose ids are the indices, or `{"vocab": {"token": id, …}}`. An id without a token is
 * undefined. `file`: the text's location, for errors: a TokenizerError whose position is the token's index in the list.
 */
export function readTokenList(text: string, file: string): (string | undefined)[] {
  const at = beginningOfJson(text, `the tokens of ${file}`);
  const kind = kindAt(text, at);
  if (kind === 'list') return strings(text, at, file);
  let vocabulary = -1;
  if (kind === 'object')
    eachMember(text, at, (key, value) => void (key === 'vocab' && kindAt(text, value) === 'object' && (vocabulary = value)));
  if (vocabulary >= 0) return byId(text, vocabulary, file);
  const known = kind === 'object' ? foreignObject(outlined(text, at)) : undefined;
  throw badList(
    file,
    known ?? `expected a list of strings, {"vocab": {token: id}}, or a tokenizer.json with its "model", but found ${inWords(text, at)}`,
    0,
  );
}

/** Reads a token from each line; the last line may end with a line feed. */
export function readTokenLines(text: string): string[] {
  const lines = (text.startsWith('\uFEFF') ? text.slice(1) : text).split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Whether a token's name marks it as the unknown token. */
export function isUnknownToken(token: string): boolean {
  return UNKNOWN_TOKENS.some((name) => name === token);
}

/** The id of the unknown token; undefined if the list has none. */
export function unknownIdIn(tokens: readonly (string | Uint8Array | undefined)[]): number | undefined {
  const { length } = UNKNOWN_TOKENS[0];
  const found: number[] = [];
  for (let id = 0; id < tokens.length; id++) {
    const token = tokens[id];
    const index = token?.length === length ? (UNKNOWN_TOKENS as readonly string[]).indexOf(textOf(token)) : -1;
    if (index >= 0) found[index] ??= id;
  }
  return found.find((id) => id !== undefined);
}

function textOf(token: string | Uint8Array): string {
  return typeof token === 'string' ? token : String.fromCharCode(...token);
}

/**
 * Writes a list like Python's `json.dump(tokens, file, ensure_ascii=False)`, which wrote the published ones. The two
 * escape the same characters, except lone surrogates, which tokens decoded from bytes cannot have.
 */
export function writeTokenList(tokens: readonly string[]): string {
  return `[${tokens.map((token) => JSON.stringify(token)).join(', ')}]`;
}

function strings(text: string, list: number, file: string): string[] {
  const tokens: string[] = [];
  eachElement(text, list, (at, index) => {
    if (kindAt(text, at) !== 'string') throw badList(file, `expected a string for token ${index} but found ${shown(text, at)}`, index);
    const token = stringAt(text, at);
    checkWellFormed(token, file, index);
    tokens.push(token);
  });
  return tokens;
}

function byId(text: string, vocabulary: number, file: string): (string | undefined)[] {
  const tokens: (string | undefined)[] = [];
  let index = 0;
  eachMember(text, vocabulary, (token, at) => {
    const id = kindAt(text, at) === 'number' ? integerAt(text, at) : -1;
    if (id < 0 || id >= MOST_IDS) {
      const wanted = `an id (an integer of 0 or more, below ${MOST_IDS})`;
      throw badList(file, `expected ${wanted} for ${quotedName(token)} but found ${shown(text, at)}`, index);
    }
    checkWellFormed(token, file, index);
    const other = tokens[id];
    if (other !== undefined) {
      throw badList(file, `expected each id once but found ${id} for ${quotedName(other)} and ${quotedName(token)}`, index);
    }
    tokens[id] = token;
    index++;
  });
  return Array.from(tokens);
}

/** A token is UTF-8, which cannot hold lone surrogates: it would become another token. */
function checkWellFormed(token: string, file: string, index: number): void {
  if (hasLoneSurrogate(token))
    throw badList(file, `expected a text without lone surrogates for token ${index} but found ${quotedName(token)}`, index);
}

function badList(file: string, what: string, position: number): TokenizerError {
  return new TokenizerError(`cannot read the tokens of ${file}: ${what}`, { code: 'CORRUPT_STRUCTURE', position });
}

/** The first members of an object: numbers and texts keep their values, everything else is null. */
function outlined(text: string, object: number): Record<string, unknown> {
  const outline: [string, unknown][] = [];
  eachMember(text, object, (key, at) => {
    const kind = kindAt(text, at);
    outline.push([key, kind === 'number' ? integerAt(text, at) : kind === 'string' ? stringAt(text, at) : null]);
    return outline.length === TELLING_KEYS;
  });
  return Object.fromEntries(outline);
}

/** Describes an object by its keys. */
function inWords(text: string, at: number): string {
  if (kindAt(text, at) !== 'object') return shown(text, at);
  const keys: string[] = [];
  eachMember(text, at, (key) => {
    keys.push(quotedName(key));
    return keys.length === 4;
  });
  return keys.length === 0 ? 'an empty object' : `an object with ${keys.join(', ')}`;
}

function shown(text: string, at: number): string {
  const json = beginningAt(text, at, 40);
  return json.length > 40 ? `${json.slice(0, 40)}…` : json;
}

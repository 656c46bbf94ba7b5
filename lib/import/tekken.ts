// Reads a `tekken.json` of Mistral: ranks of tiktoken, behind special tokens.
//
// Invariant: what is returned tokenizes as Tekkenizer of mistral-common does, the reference, with special tokens found in the
// text if they are allowed (there they are never). The id of a token is its rank and the number of special tokens.

import { joinTokens, type TokenTable } from '../open/token-table.js';
import { base64Bytes } from './base64.js';
import { isObject, Place } from './place.js';
import type { ImportedToken } from './added-tokens.js';
import { type Template } from './post-processor.js';
import { familyOf } from './pretokenizer.js';
import type { Stage } from './splits.js';

/** As a cartridge has them. */
const MOST_IDS = (1 << 21) - 1;
const LONGEST_TOKEN = 0xffff;
const LONGEST_SPECIAL_TOKEN = 1024;

/** Those of files that list none, which are older than version 7: mistral-common has them in its code. */
const UNLISTED = [
  ...['<unk>', '<s>', '</s>', '[INST]', '[/INST]', '[AVAILABLE_TOOLS]', '[/AVAILABLE_TOOLS]', '[TOOL_RESULTS]', '[/TOOL_RESULTS]'],
  ...['[TOOL_CALLS]', '[IMG]', '<pad>', '[IMG_BREAK]', '[IMG_END]', '[PREFIX]', '[MIDDLE]', '[SUFFIX]', '[SYSTEM_PROMPT]'],
  ...['[/SYSTEM_PROMPT]', '[TOOL_CONTENT]'],
];
const LAST_UNLISTED = 7;

/** A vocabulary whose ids are in the order of its ranks. */
export interface ImportedRanks extends TokenTable {
  /** The name of a family, or its pattern. */
  pretokenizer: string | Stage[];
  addedTokens: ImportedToken[];
  template: Template;
}

/** Whether a parsed JSON file is a tekken.json. */
export function isTekken(parsed: unknown): boolean {
  return isObject(parsed) && isObject(parsed.config) && 'pattern' in parsed.config && Array.isArray(parsed.vocab);
}

/** `parsed`: the file, read as JSON. `file`: its name, for errors. */
export function readTekken(parsed: unknown, file: string): ImportedRanks {
  const root = new Place(parsed, '', file);
  const config = root.at('config');
  const specials = config.at('default_num_special_tokens').id(MOST_IDS);
  const size = config.at('default_vocab_size').id(MOST_IDS);
  const vocab = root.at('vocab');
  const ranks = size - specials;
  if (ranks < 1 || ranks > vocab.list().length) {
    const most = vocab.list().length + specials;
    config.at('default_vocab_size').malformed(`a number from ${specials + 1} to ${most}, as many as there are tokens,`);
  }
  const place = config.at('pattern');
  const splits: Stage[] = [{ pattern: place.text(), behavior: 'Isolated', invert: false, place }];
  const pretokenizer = familyOf(splits) ?? splits;
  const addedTokens = specialTokensOf(root, specials);
  const tokens: (Uint8Array | undefined)[] = new Array(specials).fill(undefined);
  const list = vocab.list();
  for (let rank = 0; rank < ranks; rank++) tokens.push(tokenOf(vocab, rank, list[rank]));
  const bos = addedTokens.find(({ text }) => text === '<s>');
  return { ...joinTokens(tokens), pretokenizer, addedTokens, template: { prefix: bos ? [bos.id] : [], suffix: [] } };
}

/** `value`: of the place, which is made for errors alone, since there are many. */
function tokenOf(vocab: Place, rank: number, value: unknown): Uint8Array {
  const place = () => vocab.element(rank, value);
  if (!isObject(value)) return place().object() as never;
  if (value.rank !== rank) place().at('rank').malformed(`the rank ${rank}, that of its place,`);
  const bytes = typeof value.token_bytes === 'string' ? base64Bytes(value.token_bytes) : undefined;
  if (bytes === undefined || bytes.length === 0) return place().at('token_bytes').malformed('base64');
  if (bytes.length > LONGEST_TOKEN) place().at('token_bytes').unsupported(`${bytes.length} bytes are too many: at most ${LONGEST_TOKEN} are supported`);
  if (rank < 256 && (bytes.length !== 1 || bytes[0] !== rank)) place().at('token_bytes').malformed(`the byte ${rank} alone`);
  return bytes;
}

/** Those that are listed, and fillers for the ids behind them. */
function specialTokensOf(root: Place, count: number): ImportedToken[] {
  const place = root.at('special_tokens');
  const listed = place.isNone ? unlisted(root).map((text, id) => ({ text, id })) : place.elements().map(specialTokenOf);
  if (listed.length > count) {
    root.at('config').at('default_num_special_tokens').malformed(`at least ${listed.length}, as many as there are special tokens,`);
  }
  const tokens: ImportedToken[] = listed.map((token) => ({ ...token, special: true, normalized: false }));
  for (let id = listed.length; id < count; id++) tokens.push({ text: `<SPECIAL_${id}>`, id, special: true, normalized: false });
  const byText = new Set<string>();
  for (const { text, id } of tokens) {
    if (byText.has(text)) place.element(id, text).malformed('each special token once');
    byText.add(text);
  }
  return tokens;
}

function unlisted(root: Place): string[] {
  const version = root.at('config').at('version');
  const number = /^v(\d+)/.exec(version.text())?.[1];
  if (number === undefined) version.malformed('a version, such as v3');
  if (Number(number) > LAST_UNLISTED) root.at('special_tokens').malformed(`a list, as files later than v${LAST_UNLISTED} have it,`);
  return UNLISTED;
}

function specialTokenOf(place: Place, index: number): { text: string; id: number } {
  place.object();
  if (place.at('rank').value !== index) place.at('rank').malformed(`the rank ${index}, that of its place,`);
  const token = place.at('token_str');
  const text = token.text();
  if (text === '') token.malformed('a text that is not empty');
  const { length } = new TextEncoder().encode(text);
  if (length > LONGEST_SPECIAL_TOKEN) token.unsupported(`${length} bytes are too many: at most ${LONGEST_SPECIAL_TOKEN} are supported`);
  return { text, id: index };
}

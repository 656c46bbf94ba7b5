// Reads a `tekken.json` of Mistral: ranks of tiktoken, behind special tokens.
//
// Invariant: the returned vocabulary tokenizes as the reference, Tekkenizer of mistral-common, but also finds allowed special
// tokens in the text, which Tekkenizer never does. The id of a token is its rank plus the number of special tokens.

import { integerAt, eachMember, kindAt, stringAt } from '../../base/json-text.js';
import type { TokenTable } from '../../base/token-table.js';
import { base64Bytes, hasLoneSurrogate } from '../../base/text-encodings.js';
import type { JsonNode } from './json-node.js';
import type { ImportedToken } from './added-tokens.js';
import { LONGEST_TOKEN, MOST_IDS } from './model-tokens.js';
import type { PostProcessor } from './post-processor.js';
import { familyOf } from '../compile/scanner.js';
import type { Stage } from './pretokenizer.js';
import { type NamedTokens, rolesOf, type TokenRoles } from './token-roles.js';

const LONGEST_SPECIAL_TOKEN = 1024;

/** The special tokens of files before version 7, which list none: mistral-common has them in its code. */
const UNLISTED = [
  ...['<unk>', '<s>', '</s>', '[INST]', '[/INST]', '[AVAILABLE_TOOLS]', '[/AVAILABLE_TOOLS]', '[TOOL_RESULTS]', '[/TOOL_RESULTS]'],
  ...['[TOOL_CALLS]', '[IMG]', '<pad>', '[IMG_BREAK]', '[IMG_END]', '[PREFIX]', '[MIDDLE]', '[SUFFIX]', '[SYSTEM_PROMPT]'],
  ...['[/SYSTEM_PROMPT]', '[TOOL_CONTENT]'],
];
const LAST_UNLISTED = 7;
/** As mistral-common names them. */
const ROLES = { bos: '<s>', eos: '</s>', pad: '<pad>', unk: '<unk>' };
/** Published files have up to 1,000 special tokens, most of which have no name. */
const MOST_UNNAMED = 1 << 14;

/** A vocabulary whose ids are in the order of its ranks. */
export interface ImportedRanks extends TokenTable {
  /** The name of a family, or its pattern. */
  pretokenizer: string | Stage[];
  addedTokens: ImportedToken[];
  postProcessor: PostProcessor;
  /** `named`: the token roles from the files beside it. */
  roles(named: NamedTokens | undefined): TokenRoles;
}

/** Whether a JSON file is a tekken.json. */
export function isTekken(root: JsonNode): boolean {
  return root.at('config').at('pattern').kind !== undefined && root.at('vocab').kind === 'list';
}

/** Reads the file whose root value is `root`. */
export function readTekken(root: JsonNode): ImportedRanks {
  const config = root.at('config');
  const specials = config.at('default_num_special_tokens').id(MOST_IDS);
  const size = config.at('default_vocab_size').id(MOST_IDS);
  const node = config.at('pattern');
  const splits: Stage[] = [{ pattern: node.text(), behavior: 'Isolated', invert: false, node }];
  const pretokenizer = familyOf(splits) ?? splits;
  const addedTokens = specialTokensOf(root, specials);
  const tokens = ranksOf(root.at('vocab'), specials, size - specials);
  const ranks = tokens.offsets.length - 1 - specials;
  if (ranks < 1 || ranks < size - specials) {
    let listed = 0;
    root.at('vocab').eachElement(() => void listed++);
    config.at('default_vocab_size').malformed(`a number from ${specials + 1} to ${listed + specials}, as many as there are tokens,`);
  }
  const bos = addedTokens.find(({ text }) => text === '<s>');
  const idOf = (text: string) => addedTokens.find((token) => token.text === text)?.id;
  return {
    ...tokens,
    pretokenizer,
    addedTokens,
    postProcessor: { prefix: bos ? [bos.id] : [], suffix: [], trimming: [] },
    roles: (named) => rolesOf(named, { idOf, names: ROLES }),
  };
}

/** The first `count` ranks, behind ids without a token. */
function ranksOf(vocab: JsonNode, specials: number, count: number): TokenTable {
  const ends: number[] = new Array(specials + 1).fill(0);
  let bytes = new Uint8Array(1 << 16);
  let end = 0;
  // No JsonNode for each: there are many.
  vocab.eachElement((text, at, rank) => {
    if (rank >= count) return true;
    const token = tokenOf(vocab, rank, text, at);
    if (end + token.length > bytes.length) {
      const larger = new Uint8Array(2 * (end + token.length));
      larger.set(bytes);
      bytes = larger;
    }
    bytes.set(token, end);
    end += token.length;
    ends.push(end);
    return false;
  });
  return { bytes: bytes.slice(0, end), offsets: Uint32Array.from(ends) };
}

function tokenOf(vocab: JsonNode, rank: number, text: string, at: number): Uint8Array {
  const node = () => vocab.element(rank, at);
  if (kindAt(text, at) !== 'object') node().object();
  let number = -1;
  let bytes: Uint8Array | undefined;
  eachMember(text, at, (key, value) => {
    if (key === 'rank') number = kindAt(text, value) === 'number' ? integerAt(text, value) : -1;
    if (key === 'token_bytes') bytes = kindAt(text, value) === 'string' ? base64Bytes(stringAt(text, value)) : undefined;
  });
  if (number !== rank) node().at('rank').malformed(`the rank ${rank}, its index in the list,`);
  if (bytes === undefined || bytes.length === 0) return node().at('token_bytes').malformed('base64');
  if (bytes.length > LONGEST_TOKEN)
    node().at('token_bytes').unsupported(`${bytes.length} bytes are too many: at most ${LONGEST_TOKEN} are supported`);
  if (rank < 256 && (bytes.length !== 1 || bytes[0] !== rank)) node().at('token_bytes').malformed(`the byte ${rank} alone`);
  return bytes;
}

/** The listed special tokens, and fillers for the remaining ids. */
function specialTokensOf(root: JsonNode, count: number): ImportedToken[] {
  const node = root.at('special_tokens');
  const number = root.at('config').at('default_num_special_tokens');
  const listed = node.isNone ? unlisted(root).map((text, id) => ({ text, id })) : listedTokensOf(node);
  if (listed.length > count) number.malformed(`at least ${listed.length}, as many as there are special tokens,`);
  if (count - listed.length > MOST_UNNAMED) {
    number.unsupported(`${count - listed.length} special tokens without a name are too many: at most ${MOST_UNNAMED} are supported`);
  }
  const tokens: ImportedToken[] = listed.map((token) => ({ ...token, special: true, normalized: false }));
  for (let id = listed.length; id < count; id++) tokens.push({ text: `<SPECIAL_${id}>`, id, special: true, normalized: false });
  const byText = new Set<string>();
  for (const { text, id } of tokens) {
    if (byText.has(text)) twice(node, id < listed.length ? id : listed.findIndex((token) => token.text === text));
    byText.add(text);
  }
  return tokens;
}

function twice(node: JsonNode, index: number): never {
  const element = node.isNone ? undefined : [...node.elements()][index];
  return (element?.at('token_str') ?? node).malformed('each special token once');
}

function unlisted(root: JsonNode): string[] {
  const version = root.at('config').at('version');
  const number = /^v(\d+)/.exec(version.text())?.[1];
  if (number === undefined) version.malformed('a version, such as v3');
  if (Number(number) > LAST_UNLISTED) root.at('special_tokens').malformed(`a list, as files later than v${LAST_UNLISTED} have it,`);
  return UNLISTED;
}

function listedTokensOf(node: JsonNode): { text: string; id: number }[] {
  const tokens: { text: string; id: number }[] = [];
  for (const each of node.elements()) tokens.push(specialTokenOf(each, tokens.length));
  return tokens;
}

function specialTokenOf(node: JsonNode, index: number): { text: string; id: number } {
  node.object();
  const rank = node.at('rank');
  if (rank.kind !== 'number' || rank.id(Infinity) !== index) rank.malformed(`the rank ${index}, its index in the list,`);
  const token = node.at('token_str');
  const text = token.text();
  if (text === '') token.malformed('a text that is not empty');
  if (hasLoneSurrogate(text)) token.malformed('a text without lone surrogates');
  const { length } = new TextEncoder().encode(text);
  if (length > LONGEST_SPECIAL_TOKEN) token.unsupported(`${length} bytes are too many: at most ${LONGEST_SPECIAL_TOKEN} are supported`);
  return { text, id: index };
}

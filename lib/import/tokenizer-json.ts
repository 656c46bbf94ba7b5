// Reads a `tokenizer.json` of Hugging Face tokenizers with a byte-level BPE model.
//
// Invariant: what is returned tokenizes exactly as npm `tokenizers` does with that file (special tokens allowed). Whatever cannot is refused, with the path to it in the file; nothing is approximated.

import { integerAt, kindAt } from '../open/json-text.js';
import type { TokenTable } from '../open/token-table.js';
import { hasLoneSurrogate } from '../open/utf8-text.js';
import { addedTokensOf, type ImportedToken } from './added-tokens.js';
import { bytesOfByteLevel, putByteLevel } from './byte-level.js';
import { decoderStepsOf, type ImportedDecoder } from './decoder.js';
import { type Merges, mergesWithout, readMerges, resultsAmong } from './merges.js';
import { checkModelClass } from './model-class.js';
import { type Place, shown } from './place.js';
import { postProcessorOf, type PostProcessor } from './post-processor.js';
import { pretokenizerOf } from './pretokenizer.js';
import type { Stage } from './splits.js';
import { type NamedTokens, rolesOf, type TokenRoles } from './token-roles.js';

/** As a cartridge has them. */
const MOST_IDS = (1 << 21) - 1;
const LONGEST_TOKEN = 0xffff;
/** So many ids may be without tokens, and as many as have one: an id takes memory, whether it has a token or not. */
const FREE_IDS = 1 << 16;

/** What is done to a text before it is pretokenized; the index is the number in a cartridge. */
export const NORMALIZERS = ['none', 'NFC', 'prefix space'] as const;
export type Normalizer = (typeof NORMALIZERS)[number];

export interface ImportedVocabulary extends TokenTable {
  /** Pairs of ids in the order of merging. */
  merges: Uint32Array;
  /** Ids, ascending, of tokens that no text produces. */
  unmatched: Uint32Array;
  /** Whether a piece that is a token is that token, even if merging does not make it. */
  whole: boolean;
  /** The name of a family, or patterns. */
  pretokenizer: string | Stage[];
  normalizer: Normalizer;
  addedTokens: ImportedToken[];
  postProcessor: PostProcessor;
  decoder: ImportedDecoder;
  /** The texts of tokens whose bytes do not say them. */
  decodedTexts(): Map<number, string>;
  /** `named`: what the files beside it say. */
  roles(named: NamedTokens | undefined): TokenRoles;
}

/** The vocabulary of a model: the ids of texts, and the texts of ids. */
interface ModelTokens {
  ids: Map<string, number>;
  texts: (string | undefined)[];
}

/** Whether a JSON file is a tokenizer.json, and no list of tokens. */
export function isTokenizerJson(root: Place): boolean {
  const model = root.at('model');
  return (
    model.kind === 'object' &&
    (['added_tokens', 'pre_tokenizer'].some((key) => root.at(key).kind !== undefined) || model.at('type').kind !== undefined)
  );
}

/** Reads the file that `root` is the whole of. */
export function readTokenizerJson(root: Place): ImportedVocabulary {
  root.object();
  const model = root.at('model');
  checkModelClass(root);
  checkModel(model);
  const { splits: pretokenizer, putsSpaceFirst } = pretokenizerOf(root.at('pre_tokenizer'));
  const normalizes = checkRest(root);
  const decoder = decoderStepsOf(root.at('decoder'));
  const whole = model.at('ignore_merges').truth(false);
  if (pretokenizer === 'none' && whole) {
    model.at('ignore_merges').unsupported('a text that is not split into pieces is not supported with it');
  }
  const vocab = model.at('vocab');
  const tokens = modelTokensOf(vocab);
  const added = root.at('added_tokens');
  const addedTokens = addedTokensOf(added, tokens.ids, tokens.texts, normalizes);
  if (putsSpaceFirst && normalizes) root.at('pre_tokenizer').unsupported('add_prefix_space is not supported with a normalizer');
  const merges = readMerges(model.at('merges'), tokens.ids);
  const onlyAdded = checkMadeTokens(added, addedTokens, tokens, merges);
  const table = tableOf(vocab, tokens.texts, onlyAdded);
  const limit = Math.max(tokens.texts.length, (addedTokens.at(-1)?.id ?? -1) + 1);
  const postProcessor = postProcessorOf(root.at('post_processor'), limit);
  const idOf = (text: string) => tokens.ids.get(text) ?? addedTokens.find((token) => token.text === text)?.id;
  const unknown = model.at('unk_token');
  return {
    ...table,
    merges: mergesWithout(model.at('merges'), merges, tokens, new Set([...table.unmatched, ...onlyAdded])),
    whole,
    pretokenizer,
    normalizer: putsSpaceFirst ? 'prefix space' : normalizes ? 'NFC' : 'none',
    addedTokens,
    postProcessor,
    decoder,
    decodedTexts: () => new Map([...tokens.texts.entries()].filter(isNotByteLevel)),
    roles: (named) => rolesOf(named, { idOf, around: postProcessor, names: unknown.isNone ? {} : { unk: unknown.text() } }),
  };
}

/** The ids of the added tokens that are none of the model's. Decoding looks at the model first, and would not leave out a special one. */
function checkMadeTokens(place: Place, addedTokens: readonly ImportedToken[], { ids, texts }: ModelTokens, merges: Merges): Set<number> {
  const onlyAdded = new Set<number>();
  const made = resultsAmong(merges, texts, new Set(addedTokens.map(({ text }) => text)));
  for (const { text, id, special } of addedTokens) {
    const isOfModel = ids.has(text) && (made.has(text) || (text.length === 1 && bytesOfByteLevel(text) !== undefined));
    if (isOfModel && special) place.unsupported(`${shown(text)} is special and also what merging makes, which is not supported`);
    if (!isOfModel) onlyAdded.add(id);
  }
  return onlyAdded;
}

/** The bytes of the tokens; those that are no bytes in the alphabet of the file are unmatched, and are their UTF-8, as is one without any. */
function tableOf(
  vocab: Place,
  texts: readonly (string | undefined)[],
  onlyAdded: ReadonlySet<number>,
): TokenTable & { unmatched: Uint32Array } {
  let most = 0;
  for (const text of texts) most += 3 * (text?.length ?? 0);
  const bytes = new Uint8Array(most);
  const offsets = new Uint32Array(texts.length + 1);
  const unmatched: number[] = [];
  const encoder = new TextEncoder();
  let at = 0;
  texts.forEach((text, id) => {
    if (text !== undefined && !onlyAdded.has(id)) {
      let end = putByteLevel(text, bytes, at);
      if (end === at) unmatched.push(id);
      if (end < 0) {
        if (hasLoneSurrogate(text)) vocab.entry(text).malformed('well-formed texts');
        unmatched.push(id);
        end = at + encoder.encodeInto(text, bytes.subarray(at)).written;
      }
      const length = end - at;
      if (length > LONGEST_TOKEN) vocab.entry(text).unsupported(`${length} bytes are too many: at most ${LONGEST_TOKEN} are supported`);
      at = end;
    }
    offsets[id + 1] = at;
  });
  return { bytes: bytes.slice(0, at), offsets, unmatched: Uint32Array.from(unmatched) };
}

function checkModel(model: Place): void {
  const dropout = model.at('dropout');
  if (!dropout.isNone && !dropout.isZero) dropout.unsupported('merging at random is not supported');
  // unk_token, fuse_unk and byte_fallback are for characters without a token; all 256 have one.
}

/** Returns whether there is a normalizer. */
function checkRest(root: Place): boolean {
  const version = root.at('version');
  if (!version.isNone && version.text() !== '1.0') version.unsupported(`version ${version.text()} is not supported`);
  for (const name of ['truncation', 'padding']) {
    if (!root.at(name).isNone) root.at(name).unsupported('it would change the ids of texts, and is not supported: set it to null');
  }
  return isNfc(root.at('normalizer'));
}

/** Whether it is NFC, once or several times, or none. */
function isNfc(place: Place): boolean {
  if (place.isNone) return false;
  place.object();
  const type = place.at('type').text();
  if (type === 'NFC') return true;
  if (type !== 'Sequence') place.at('type').unsupported(`${type} is not supported yet`);
  return place.at('normalizers').few().map(isNfc).includes(true);
}

/** Whether a token is none of bytes, as ByteLevel writes them, or has none. */
function isNotByteLevel(token: [id: number, text: string | undefined]): token is [number, string] {
  return token[1] === '' || (token[1] !== undefined && bytesOfByteLevel(token[1]) === undefined);
}

/** The texts by id, and the ids by text. Added tokens are among them in some files. */
function modelTokensOf(vocab: Place): ModelTokens {
  const ids = new Map<string, number>();
  let highest = -1;
  // No place for each: there are many.
  vocab.eachMember((token, text, at) => {
    const id = kindAt(text, at) === 'number' ? integerAt(text, at) : -1;
    if (id < 0 || id >= MOST_IDS) vocab.entry(token).id(MOST_IDS);
    if (ids.has(token)) vocab.entry(token).malformed('each token once');
    ids.set(token, id);
    highest = Math.max(highest, id);
  });
  if (ids.size === 0) vocab.malformed('tokens');
  const texts: (string | undefined)[] = new Array(highest + 1).fill(undefined);
  const most = 2 * ids.size + FREE_IDS;
  for (const [token, id] of ids) {
    if (id >= most) vocab.entry(token).unsupported(`${ids.size} tokens have ids up to ${id}: at most ${most} are supported for so few`);
    const other = texts[id];
    if (other !== undefined) vocab.entry(token).malformed(`another id than that of ${shown(other)}`);
    texts[id] = token;
  }
  return { ids, texts };
}

// Reads a `tokenizer.json` of Hugging Face tokenizers with a byte-level BPE model.
//
// Invariant: what is returned tokenizes exactly as npm `tokenizers` does with that file (special tokens allowed, offsets
// not trimmed). Whatever cannot is refused, with the path to it in the file; nothing is approximated.

import { joinTokens, type TokenTable } from '../open/token-table.js';
import { addedTokensOf, type ImportedToken } from './added-tokens.js';
import { bytesOfByteLevel } from './byte-level.js';
import { isObject, Place, shown } from './place.js';
import { type Template, templateOf } from './post-processor.js';
import { pretokenizerOf } from './pretokenizer.js';
import type { Stage } from './splits.js';

/** As a cartridge has them. */
const MOST_IDS = (1 << 21) - 1;
const LONGEST_TOKEN = 0xffff;

export interface ImportedVocabulary extends TokenTable {
  /** Pairs of ids in the order of merging. */
  merges: Uint32Array;
  /** Ids, ascending, of tokens that no text produces. */
  unmatched: Uint32Array;
  /** Whether a piece that is a token is that token, even if merging does not make it. */
  whole: boolean;
  /** The name of a family, or patterns. */
  pretokenizer: string | Stage[];
  /** NFC, or none. */
  normalizes: boolean;
  addedTokens: ImportedToken[];
  template: Template;
}

/** Whether a parsed JSON file is a tokenizer.json, and no list of tokens. */
export function isTokenizerJson(parsed: unknown): boolean {
  return isObject(parsed) && isObject(parsed.model) && ('added_tokens' in parsed || 'pre_tokenizer' in parsed || 'type' in parsed.model);
}

/** `parsed`: the file, read as JSON. `file`: its name, for errors. */
export function readTokenizerJson(parsed: unknown, file: string): ImportedVocabulary {
  const root = new Place(parsed, '', file);
  root.object();
  const model = root.at('model');
  checkModel(model);
  const normalizes = checkRest(root);
  const { ids, texts } = vocabularyOf(model.at('vocab'));
  const added = root.at('added_tokens');
  const addedTokens = addedTokensOf(added, ids, texts, normalizes);
  const merges = model.at('merges');
  const onlyAdded = new Set<number>();
  const made = resultsAmong(merges, addedTokens);
  for (const { text, id, special } of addedTokens) {
    const isOfModel = ids.has(text) && (made.has(text) || (text.length === 1 && bytesOfByteLevel(text) !== undefined));
    // Decoding looks at the model first, and would not leave it out.
    if (isOfModel && special) added.unsupported(`${shown(text)} is special and also what merging makes, which is not supported`);
    if (!isOfModel) onlyAdded.add(id);
  }
  const unmatched: number[] = [];
  const tokens = texts.map((text, id) => {
    if (text === undefined || onlyAdded.has(id)) return undefined;
    const bytes = bytesOfByteLevel(text);
    if (bytes) return bytes;
    if (/\p{Surrogate}/u.test(text)) model.at('vocab').entry(text, id).malformed('well-formed texts');
    unmatched.push(id);
    return text;
  });
  const table = joinTokens(tokens);
  for (let id = 0; id < texts.length; id++) {
    const length = (table.offsets[id + 1] as number) - (table.offsets[id] as number);
    if (length <= LONGEST_TOKEN) continue;
    const place = model.at('vocab').entry(texts[id] as string, id);
    place.unsupported(`${length} bytes are too many: at most ${LONGEST_TOKEN} are supported`);
  }
  const pretokenizer = pretokenizerOf(root.at('pre_tokenizer'));
  const whole = model.at('ignore_merges').truth(false);
  if (pretokenizer === 'none' && whole) {
    model.at('ignore_merges').unsupported('a text that is not split into pieces is not supported with it');
  }
  const limit = Math.max(texts.length, ...addedTokens.slice(-1).map(({ id }) => id + 1));
  return {
    ...table,
    merges: mergesOf(merges, ids, new Set([...unmatched, ...onlyAdded])),
    unmatched: Uint32Array.from(unmatched),
    whole,
    pretokenizer,
    normalizes,
    addedTokens,
    template: templateOf(root.at('post_processor'), limit),
  };
}

function checkModel(model: Place): void {
  model.object();
  const type = model.at('type');
  if (!type.isNone && type.text() !== 'BPE') type.unsupported(`${type.text()} is not supported, only byte-level BPE`);
  const dropout = model.at('dropout');
  if (!dropout.isNone && dropout.value !== 0) dropout.unsupported('merging at random is not supported');
  for (const name of ['continuing_subword_prefix', 'end_of_word_suffix']) {
    const affix = model.at(name);
    if (!affix.isNone && affix.text() !== '') affix.unsupported(`${shown(affix.value)} is not supported`);
  }
  // unk_token, fuse_unk and byte_fallback are for characters without a token; all 256 have one.
}

/** Returns whether there is a normalizer. */
function checkRest(root: Place): boolean {
  const version = root.at('version');
  if (!version.isNone && version.text() !== '1.0') version.unsupported(`version ${version.text()} is not supported`);
  for (const name of ['truncation', 'padding']) {
    if (!root.at(name).isNone) root.at(name).unsupported('it would change the ids of texts, and is not supported: set it to null');
  }
  checkDecoder(root.at('decoder'));
  return isNfc(root.at('normalizer'));
}

/** Whether it is NFC, once or several times, or none. */
function isNfc(place: Place): boolean {
  if (place.isNone) return false;
  place.object();
  const type = place.at('type').text();
  if (type === 'NFC') return true;
  if (type !== 'Sequence') place.at('type').unsupported(`${type} is not supported yet`);
  return place.at('normalizers').elements().map(isNfc).includes(true);
}

function checkDecoder(place: Place): void {
  if (place.isNone) place.unsupported('expected ByteLevel: without a decoder, tokens would be joined by spaces');
  place.object();
  const type = place.at('type').text();
  if (type === 'ByteLevel') return;
  if (type !== 'Sequence') place.at('type').unsupported(`${type} is not supported`);
  const [only, another] = place.at('decoders').elements();
  if (!only || another) place.at('decoders').unsupported('only ByteLevel alone is supported');
  checkDecoder(only as Place);
}

/** The texts by id, and the ids by text. Added tokens are among them in some files. */
function vocabularyOf(vocab: Place): { ids: Map<string, number>; texts: (string | undefined)[] } {
  const given = vocab.object();
  const ids = new Map<string, number>();
  const texts: (string | undefined)[] = [];
  for (const text of Object.keys(given)) {
    const id = given[text];
    // No place for each: there are many.
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id >= MOST_IDS) {
      vocab.entry(text, id).id(MOST_IDS);
      continue;
    }
    if (texts[id] !== undefined) vocab.entry(text, id).malformed(`another id than that of ${shown(texts[id])}`);
    if (text === '') vocab.entry(text, id).unsupported('a token without characters is not supported');
    texts[id] = text;
    ids.set(text, id);
  }
  if (texts.length === 0) vocab.malformed('tokens');
  return { ids, texts: Array.from(texts) };
}

/** Which of some tokens merges result in. */
function resultsAmong(merges: Place, tokens: readonly ImportedToken[]): Set<string> {
  const texts = new Set(tokens.map(({ text }) => text));
  const lengths = new Set(tokens.map(({ text }) => text.length));
  const found = new Set<string>();
  for (const merge of merges.list()) {
    const isText = typeof merge === 'string';
    if (!isText && !Array.isArray(merge)) continue;
    const length = isText ? merge.length - 1 : String(merge[0]).length + String(merge[1]).length;
    if (!lengths.has(length)) continue;
    const result = isText ? merge.replace(' ', '') : `${merge[0]}${merge[1]}`;
    if (texts.has(result)) found.add(result);
  }
  return found;
}

/** Pairs are strings with a space between, or lists of two. Those of unmatched tokens are left out. */
function mergesOf(merges: Place, ids: ReadonlyMap<string, number>, unmatched: ReadonlySet<number>): Uint32Array {
  const list = merges.list();
  const isText = typeof list[0] === 'string';
  const out = new Uint32Array(2 * list.length);
  let count = 0;
  for (let index = 0; index < list.length; index++) {
    const merge = list[index];
    let left: unknown;
    let right: unknown;
    if (isText && typeof merge === 'string') {
      if (merge.startsWith('#version')) continue;
      const space = merge.indexOf(' ');
      if (space < 0 || merge.indexOf(' ', space + 1) >= 0) merges.element(index, merge).malformed('two tokens and a space between');
      left = merge.slice(0, space);
      right = merge.slice(space + 1);
    } else if (!isText && Array.isArray(merge) && merge.length === 2) {
      [left, right] = merge;
    }
    if (typeof left !== 'string' || typeof right !== 'string') {
      return merges.element(index, merge).malformed(isText ? 'a string, as before' : 'a list of two strings');
    }
    const leftId = ids.get(left);
    const rightId = ids.get(right);
    if (leftId === undefined || rightId === undefined) {
      return missing(merges.element(index, merge), leftId === undefined ? left : right);
    }
    // What they make has to be a token all the same.
    if (unmatched.size > 0 && (unmatched.has(leftId) || unmatched.has(rightId))) {
      if (!ids.has(left + right)) missing(merges.element(index, merge), left + right);
      continue;
    }
    out[count++] = leftId;
    out[count++] = rightId;
  }
  return out.subarray(0, count);
}

function missing(place: Place, text: string): never {
  return place.malformed(`tokens of model.vocab, which has no ${shown(text)},`);
}

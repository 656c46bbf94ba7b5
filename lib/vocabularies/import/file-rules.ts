// Checks a tokenizer.json, except its vocabulary, as Hugging Face tokenizers 0.23 does: a file that it refuses is refused, with the path.
//
// The field `type` names the type of a part of the pipeline. Where it names none that the reference knows, the reference takes the first
// type among `untyped` whose fields the part has. Fields without a rule have no meaning, except at the root, where they are errors.

import { TokenizerError } from '../../base/errors.js';
import { base64Bytes, hasLoneSurrogate } from '../../base/text-encodings.js';
import type { JsonNode } from './json-node.js';

type Rule = (node: JsonNode) => void;
type Fields = Readonly<Record<string, Rule>>;

interface Family {
  /** For errors. */
  what: string;
  types: Readonly<Record<string, Rule>>;
  /** In the order in which the reference tries them. */
  untyped: readonly string[];
}

const text: Rule = (node) => !hasLoneSurrogate(node.text()) || node.malformed('a text without lone surrogates');
const truth: Rule = (node) => void node.boolean();
const id: Rule = (node) => void node.id(2 ** 32);
const length: Rule = (node) => void node.id(2 ** 53);
const character: Rule = (node) => [...node.text()].length === 1 || node.malformed('one character');
/** Whose many elements are checked when they are read. */
const aList: Rule = (node) => node.kind === 'list' || node.malformed('a list');
const list =
  (rule: Rule): Rule =>
  (node) => {
    for (const each of node.elements()) rule(each);
  };
const optional =
  (rule: Rule): Rule =>
  (node) =>
    node.isNone || rule(node);
/** Not null, but it may be missing. */
const ifPresent =
  (rule: Rule): Rule =>
  (node) =>
    node.kind === undefined || rule(node);
const oneOf =
  (...names: string[]): Rule =>
  (node) =>
    names.includes(node.text()) || node.malformed(`one of ${names.join(', ')}`);
const object =
  (fields: Fields): Rule =>
  (node) => {
    node.object();
    for (const [name, rule] of Object.entries(fields)) rule(node.at(name));
  };
const pair: Rule = (node) => {
  const [name, number, another] = node.few();
  if (!name || !number || another) return node.malformed('a token and its id');
  text(name);
  id(number);
};
/** The length of an array of words, these, and texts. */
const charsmap: Rule = (node) => {
  const bytes = base64Bytes(node.text());
  const length = bytes && bytes.length >= 4 ? new DataView(bytes.buffer).getUint32(0, true) : 0;
  const isWhole = length >= 4 && length % 4 === 0 && length <= bytes!.length - 4;
  if (!isWhole || !isUtf8(bytes!.subarray(4 + length))) node.malformed('a charsmap of sentencepiece, in base64');
};
const pattern: Rule = (node) => {
  node.object();
  const [name = '', another] = node.keys();
  if (another !== undefined || !['String', 'Regex'].includes(name)) node.malformed('either String or Regex');
  text(node.at(name));
};
const part =
  (family: () => Family): Rule =>
  (node) =>
    void typeOf(node, family());

const behavior = oneOf('Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous');
const anything = object({});
const BYTE_LEVEL = object({ add_prefix_space: truth, trim_offsets: truth, use_regex: ifPresent(truth) });
const REPLACE = object({ pattern, content: text });
const METASPACE: Rule = (node) => {
  const legacy = node.at('add_prefix_space');
  const scheme = node.at('prepend_scheme');
  object({ replacement: character, split: optional(truth), str_rep: optional(text) })(node);
  ifPresent(oneOf('first', 'never', 'always'))(scheme);
  // An old file cannot say `false` without saying `never`.
  if (!legacy.truth(true) && (scheme.isNone || scheme.text() !== 'never')) legacy.malformed('true, or a prepend_scheme of never');
};
const BERT = object({ clean_text: truth, handle_chinese_chars: truth, strip_accents: optional(truth), lowercase: truth });
const AROUND = { sep: pair, cls: pair };

export const NORMALIZER: Family = {
  what: 'a normalizer',
  types: {
    Bert: BERT,
    BertNormalizer: BERT,
    Strip: object({ strip_left: truth, strip_right: truth }),
    StripAccents: anything,
    NFC: anything,
    NFD: anything,
    NFKC: anything,
    NFKD: anything,
    Sequence: object({ normalizers: list(part(() => NORMALIZER)) }),
    Lowercase: anything,
    Nmt: anything,
    Precompiled: object({ precompiled_charsmap: charsmap }),
    Replace: REPLACE,
    Prepend: object({ prepend: text }),
    ByteLevel: anything,
  },
  untyped: ['BertNormalizer', 'Strip', 'Sequence', 'Replace', 'Prepend'],
};

export const PRETOKENIZER: Family = {
  what: 'a pretokenizer',
  types: {
    BertPreTokenizer: anything,
    ByteLevel: BYTE_LEVEL,
    CharDelimiterSplit: object({ delimiter: character }),
    Metaspace: METASPACE,
    Whitespace: anything,
    Sequence: object({ pretokenizers: list(part(() => PRETOKENIZER)) }),
    Split: object({ pattern, behavior, invert: truth }),
    Punctuation: object({ behavior: ifPresent(behavior) }),
    WhitespaceSplit: anything,
    Digits: object({ individual_digits: truth }),
    UnicodeScripts: anything,
    FixedLength: object({ length: ifPresent(length) }),
  },
  untyped: [],
};

export const DECODER: Family = {
  what: 'a decoder',
  types: {
    BPEDecoder: object({ suffix: text }),
    ByteLevel: BYTE_LEVEL,
    WordPiece: object({ prefix: text, cleanup: truth }),
    Metaspace: METASPACE,
    CTC: object({ pad_token: text, word_delimiter_token: text, cleanup: truth }),
    Sequence: object({ decoders: list(part(() => DECODER)) }),
    Replace: REPLACE,
    Fuse: anything,
    Strip: object({ content: character, start: length, stop: length }),
    ByteFallback: anything,
  },
  untyped: ['BPEDecoder', 'WordPiece', 'CTC', 'Replace', 'Strip'],
};

const sequence: Rule = object({ id: oneOf('A', 'B'), type_id: id });
const piece: Rule = (node) => {
  node.object();
  const [name = '', another] = node.keys();
  if (another !== undefined || !['Sequence', 'SpecialToken'].includes(name)) node.malformed('either Sequence or SpecialToken');
  if (name === 'Sequence') return sequence(node.at(name));
  object({ id: text, type_id: id })(node.at(name));
};
const specialTokens: Rule = (node) => {
  for (const key of node.keys()) object({ id: text, ids: list(id), tokens: list(text) })(node.entry(key));
};

/** Here `type` is asked for in ByteLevel and Sequence alone. */
export const POST_PROCESSOR: Family = {
  what: 'a post-processor',
  types: {
    RobertaProcessing: object({ ...AROUND, trim_offsets: truth, add_prefix_space: truth }),
    BertProcessing: object(AROUND),
    ByteLevel: BYTE_LEVEL,
    TemplateProcessing: object({ single: list(piece), pair: list(piece), special_tokens: specialTokens }),
    Sequence: object({ processors: list(part(() => POST_PROCESSOR)) }),
  },
  untyped: ['RobertaProcessing', 'BertProcessing', 'TemplateProcessing'],
};

/** The type of a part, whose fields are checked, except in version 2.0. */
export function typeOf(node: JsonNode, family: Family): string {
  node.object();
  const type = node.at('type');
  const named = type.kind === 'string' ? type.text() : '';
  const isNamed = Object.hasOwn(family.types, named);
  // Version 2.0 names all, and has other fields.
  if (isVersion2(node.root)) return isNamed || named === 'MetaspaceNormalizer' ? named : type.malformed(family.what);
  if (isNamed && (family !== POST_PROCESSOR || !family.untyped.includes(named))) {
    family.types[named]!(node);
    return named;
  }
  const found = (family !== MODEL || type.kind === undefined) && family.untyped.find((name) => isMet(family.types[name]!, node));
  if (found) return found;
  // The error of the one that is meant.
  if (isNamed) family.types[named]!(node);
  return type.malformed(family.what);
}

function isMet(rule: Rule, node: JsonNode): boolean {
  try {
    rule(node);
    return true;
  } catch (error) {
    if (error instanceof TokenizerError) return false;
    throw error;
  }
}

/** From 0 to 1. */
const share: Rule = (node) =>
  (node.kind === 'number' && Number(node.shown) >= 0 && Number(node.shown) <= 1) || node.malformed('a number from 0 to 1');

/** The entries of the vocabulary and merges are checked by those who read them. */
export const MODEL: Family = {
  what: 'a model',
  types: {
    BPE: object({
      dropout: optional(share),
      unk_token: optional(text),
      continuing_subword_prefix: optional(text),
      end_of_word_suffix: optional(text),
      fuse_unk: optional(truth),
      byte_fallback: optional(truth),
      ignore_merges: optional(truth),
      vocab: anything,
      merges: aList,
    }),
    WordPiece: object({ unk_token: text, continuing_subword_prefix: text, max_input_chars_per_word: length, vocab: anything }),
    WordLevel: object({ unk_token: text, vocab: anything }),
    Unigram: object({ unk_id: optional(length), byte_fallback: ifPresent(truth), vocab: aList }),
  },
  untyped: ['BPE', 'WordPiece', 'WordLevel', 'Unigram'],
};

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

const ADDED = object({
  ...{ id, content: text, single_word: truth, lstrip: truth, rstrip: truth, normalized: truth, special: truth },
});
const DIRECTION = oneOf('Left', 'Right');
const strategy: Rule = (node) => {
  if (node.kind !== 'object') return oneOf('BatchLongest')(node);
  if (node.keys().length !== 1) node.malformed('Fixed and a length');
  length(node.at('Fixed'));
};
const ROOT: Fields = {
  version: ifPresent(oneOf('1.0')),
  truncation: optional(
    object({
      direction: ifPresent(DIRECTION),
      max_length: length,
      strategy: oneOf('LongestFirst', 'OnlyFirst', 'OnlySecond'),
      stride: length,
    }),
  ),
  padding: optional(
    object({
      ...{ strategy, direction: DIRECTION, pad_to_multiple_of: optional(length), pad_id: id, pad_type_id: id },
      pad_token: text,
    }),
  ),
  added_tokens: ifPresent(list(ADDED)),
  normalizer: optional(part(() => NORMALIZER)),
  pre_tokenizer: optional(part(() => PRETOKENIZER)),
  post_processor: optional(part(() => POST_PROCESSOR)),
  decoder: optional(part(() => DECODER)),
  model: part(() => MODEL),
};

/** Throws a TokenizerError for a file that the reference refuses; not for version 2.0, which other rules are for. */
export function checkFile(root: JsonNode): void {
  root.object();
  if (isVersion2(root)) return;
  for (const key of root.keys()) if (!Object.hasOwn(ROOT, key)) root.at(key).malformed('no such key');
  object(ROOT)(root);
}

function isVersion2(root: JsonNode): boolean {
  const version = root.at('version');
  return version.kind === 'string' && version.text() === '2.0';
}

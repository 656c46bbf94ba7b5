// Reads a `tokenizer.json` of Hugging Face tokenizers for the fast path (native/src/encode), which works in windows, with caches and
// threads. It takes a file only if its ids are proved to be those of npm `tokenizers`: docs/guide/hugging-face.md lists what it takes.
// This reader throws at the first thing that is not on the list. The file then takes the general path (native/src/general), which does
// what the reference does with a whole text in memory, and the metadata of the cartridge says why (`generalPath`).

import type { CompilerModel } from '../../engine/compiler.js';
import type { NormalizerStep } from '../compile/normalizer-steps.js';
import type { TextForm } from '../decode/decoder-spec.js';
import type { TokenTable } from '../../base/token-table.js';
import { addedTokensOf, type ImportedToken, withLateTokens } from './added-tokens.js';
import { byteLevelModelOf, textsOfByteLevel } from './byte-level-model.js';
import { bytesOfByteLevel } from '../decode/bytes.js';
import { characterModelOf } from './character-model.js';
import { decoderStepsOf, hasPattern, type ImportedDecoder } from './decoder-steps.js';
import { type Limits, limitsOf, type PostProcessor, postProcessorOf } from './post-processor.js';
import { type Merges, mergesWithout, readMerges, resultsAmong } from './merges.js';
import { type ModelTokens, modelTokensOf } from './model-tokens.js';
import { checkSteps, type ImportedStep, normalizerStepsOf } from './normalizer.js';
import { type JsonNode, shown } from './json-node.js';
import { byteLevelPretokenizerOf, type Pretokenizer, type Stage, textPretokenizerOf } from './pretokenizer.js';
import { type NamedTokens, rolesOf, type TokenRoles } from './token-roles.js';
import { unigramModelOf, type UnigramTokens, unigramTokensOf, wordModelOf } from './trie-models.js';
import { charactersIn, wordSuffixOf } from './word-bpe.js';
import { MODEL, typeOf } from './file-rules.js';
import { TokenizerError } from '../../base/errors.js';
import { variable } from '../../base/environment.js';

export interface ImportedVocabulary extends TokenTable, CompilerModel {
  /** The name of a family, or patterns. */
  pretokenizer: string | Stage[];
  /** How a text is normalized before it is pretokenized: the number in a cartridge. */
  normalizer: number;
  /** If that is a program. */
  program: readonly NormalizerStep[] | undefined;
  addedTokens: ImportedToken[];
  postProcessor: PostProcessor;
  limits?: Limits;
  decoder: ImportedDecoder;
  /** How the texts of tokens follow from their bytes. */
  form: TextForm;
  /** Of tokens that end a word; empty without. */
  suffix: string;
  /** Whether decoding joins the bytes of tokens, as the engine does, if the decoder is ByteLevel. */
  decodesBytes: boolean;
  /** The texts of tokens whose bytes do not determine them. */
  decodedTexts(): Map<number, string>;
  /** `named`: the token roles from the files beside it. */
  roles(named: NamedTokens | undefined): TokenRoles;
}

/** The parts of the compiler and of patterns that reading a file needs. */
export interface ImportTools {
  /** The step of a Replace with a pattern. */
  compiled(step: ImportedStep): NormalizerStep;
  /** Applies steps to a text; undefined if the result is too long. */
  normalized(steps: readonly NormalizerStep[], text: string): string | undefined;
  /** The same of a section of the general path. */
  normalizedBy(section: Uint8Array, text: string): string | undefined;
}

/** Numbers of a cartridge: layout/cartridge.h. */
const NORMALIZER = { none: 0, nfc: 1, program: 2 };

/** Whether a JSON file is a tokenizer.json rather than a list of tokens. */
export function isTokenizerJson(root: JsonNode): boolean {
  const model = root.at('model');
  return (
    model.kind === 'object' &&
    (['added_tokens', 'pre_tokenizer'].some((key) => root.at(key).kind !== undefined) || model.at('type').kind !== undefined)
  );
}

/** Whether a file has patterns to compile, on the fast path or since it cannot take that. */
export function needsPatterns(root: JsonNode): boolean {
  try {
    const declared = normalizerStepsOf(root.at('normalizer'));
    const added = root.at('added_tokens');
    return (
      declared.some((step) => step.kind === 'replace-regex') ||
      typeof pretokenizerOf(root, modelClassOf(root), declared).splits !== 'string' ||
      decoderStepsOf(root.at('decoder')).some(hasPattern) ||
      (!added.isNone && [...added.elements()].some((token) => token.at('single_word').truth(false)))
    );
  } catch {
    return true;
  }
}

/** Reads the file whose root value is `root`. Throws a TokenizerError for what the fast path does not take. */
export function readTokenizerJson(root: JsonNode, tools: ImportTools): ImportedVocabulary {
  root.object();
  const limits = limitsOf(root);
  const model = root.at('model');
  const kind = modelClassOf(root);
  const declared = normalizerStepsOf(root.at('normalizer'));
  checkSteps(root.at('normalizer'), declared);
  const pretokenizer = pretokenizerOf(root, kind, declared);
  if (pretokenizer.splits === 'none' && model.at('ignore_merges').truth(false))
    model.at('ignore_merges').unsupported('a text that is not split into pieces');
  const decoder = decoderStepsOf(root.at('decoder'));
  const steps = declared.map((step) => tools.compiled(step));
  // In version 2.0 it is the last of the normalizers, after which added tokens are not searched for either.
  const searched = steps.at(-1)?.kind === 'metaspace' ? steps.slice(0, -1) : steps.slice();
  if (pretokenizer.metaspace) steps.push(pretokenizer.metaspace);
  const last = steps.at(-1);
  // Words are apart only where each begins with a mark, and pieces do.
  if (last?.kind === 'metaspace' && last.dropsWhitespace && (last.prepend !== 'always' || pretokenizer.splits !== 'metaspace'))
    root.at('pre_tokenizer').unsupported('a Metaspace between whitespace that does not mark each word, or does not split');
  const vocab = model.at('vocab');
  const tokens = kind === 'unigram' ? unigramTokensOf(vocab) : modelTokensOf(vocab);
  const added = root.at('added_tokens');
  const isByteLevel = kind === 'byte-level';
  const normalized = searched.length > 0 ? (text: string) => tools.normalized(searched, text) : undefined;
  const addedTokens = addedTokensOf(added, tokens, normalized);
  const takesWhitespace = addedTokens.some((token) => token.normalized && (token.lstrip || token.rstrip));
  if (last?.kind === 'metaspace' && (searched.length > 0 || takesWhitespace))
    steps[steps.length - 1] = withLateTokens(added, addedTokens, last);
  else if (takesWhitespace && searched.length > 0) added.unsupported('tokens that are normalized have lstrip or rstrip');
  const limit = Math.max(tokens.texts.length, (addedTokens.at(-1)?.id ?? -1) + 1);
  const postProcessor = postProcessorOf(root.at('post_processor'), limit);
  const bpe = isBpe(kind) ? bpeMerging(root, kind, tokens, addedTokens) : undefined;
  const compiled = modelOf(kind, root, tokens, bpe, limit);
  if (normalized) checkKeptTexts(added, addedTokens, compiled);
  const idOf = (text: string) => tokens.ids.get(text) ?? addedTokens.find((token) => token.text === text)?.id;
  const unknown = unknownTextOf(model, kind, tokens);
  const suffix = isBpe(kind) ? wordSuffixOf(model) : '';
  const isNfc = steps.every(({ kind }) => kind === 'nfc');
  const number = steps.length === 0 ? 'none' : isNfc ? 'nfc' : 'program';
  return {
    ...compiled,
    pretokenizer: pretokenizer.splits,
    normalizer: NORMALIZER[number],
    program: number === 'program' ? steps : undefined,
    addedTokens,
    postProcessor,
    limits,
    decoder,
    form: isByteLevel ? 'byte-level' : 'plain',
    suffix,
    decodesBytes: isByteLevel && suffix === '' && !addedTokens.some((token) => isSpelled(token, bpe)),
    decodedTexts: () => (isByteLevel ? textsOfByteLevel(tokens.texts, compiled, suffix) : textsOfBytes(kind, tokens.texts)),
    roles: (named) => rolesOf(named, { idOf, around: postProcessor, names: unknown === undefined ? {} : { unk: unknown } }),
  };
}

function pretokenizerOf(root: JsonNode, kind: ModelClass, declared: readonly ImportedStep[]): Pretokenizer {
  const node = root.at('pre_tokenizer');
  if (kind !== 'byte-level') return textPretokenizerOf(node, declared);
  return byteLevelPretokenizerOf(node, root.at('model').at('byte_level').truth(false) ? 'model' : 'pretokenizer', declared);
}

function modelOf(
  kind: ModelClass,
  root: JsonNode,
  tokens: ModelTokens,
  bpe: BpeMerging | undefined,
  limit: number,
): TokenTable & CompilerModel {
  const model = root.at('model');
  if (kind === 'unigram') return unigramModelOf(model, tokens as UnigramTokens);
  if (!bpe) return wordModelOf(model, kind as 'wordpiece' | 'wordlevel', tokens);
  const { merges, onlyAdded } = bpe;
  const without = (left: ReadonlySet<number>): Merges => mergesWithout(model.at('merges'), merges, tokens, left);
  return (kind === 'byte-level' ? byteLevelModelOf : characterModelOf)({ model, tokens, merges, mergesWithout: without, onlyAdded, limit });
}

function isBpe(kind: ModelClass): kind is 'byte-level' | 'characters' {
  return kind === 'byte-level' || kind === 'characters';
}

interface BpeMerging {
  merges: Merges;
  /** The ids of the added tokens that are none of what the model makes. */
  onlyAdded: Set<number>;
}

function bpeMerging(
  root: JsonNode,
  kind: 'byte-level' | 'characters',
  { ids, texts }: ModelTokens,
  addedTokens: readonly ImportedToken[],
): BpeMerging {
  const merges = readMerges(root.at('model').at('merges'), ids);
  const empty = ids.get('');
  if (empty !== undefined && merges.includes(empty)) root.at('model').at('merges').unsupported('a merge with a token without characters');
  const suffix = wordSuffixOf(root.at('model'));
  const onlyAdded = new Set<number>();
  const results = resultsAmong(merges, texts, new Set(addedTokens.map(contentOf)));
  const isByte = (text: string) => text.length === 1 && bytesOfByteLevel(text) !== undefined;
  const isUnit = (token: string) => charactersIn(token, suffix).some(({ text }) => kind !== 'byte-level' || isByte(text));
  for (const token of addedTokens) {
    const text = contentOf(token);
    const isOfModel = ids.has(text) && (results.has(text) || isUnit(text));
    // The bytes of the token in the model differ from the bytes that are searched for.
    if (isOfModel && ids.get(text) === token.id && suffix !== '' && text.endsWith(suffix)) {
      root.at('added_tokens').unsupported(`${shown(text)} is also what merging makes at the end of a word`);
    }
    if (!isOfModel) onlyAdded.add(token.id);
  }
  return { merges, onlyAdded };
}

function contentOf({ text, content = text }: ImportedToken): string {
  return content;
}

/**
 * Whether decoding depends on the text of an added token: on whether one that is also the model's is special, and on characters that
 * stand for bytes, which become these, though they are searched for as they are.
 */
function isSpelled({ id, text, special }: ImportedToken, bpe: BpeMerging | undefined): boolean {
  return (special && bpe !== undefined && !bpe.onlyAdded.has(id)) || (/[\x80-\uffff]/.test(text) && bytesOfByteLevel(text) !== undefined);
}

/** A token of the model has one text, so the normalizer must leave it as it is. */
function checkKeptTexts(node: JsonNode, addedTokens: readonly ImportedToken[], { bytes, offsets }: TokenTable): void {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  for (const { text, id } of addedTokens) {
    const [begin = 0, end = 0] = offsets.subarray(id, id + 2);
    const modelText = begin < end ? utf8.decode(bytes.subarray(begin, end)) : text;
    if (modelText !== text) node.unsupported(`the normalizer makes ${shown(text)} of ${shown(modelText)}, a token of the model`);
  }
}

function unknownTextOf(model: JsonNode, kind: ModelClass, { texts }: ModelTokens): string | undefined {
  const unknown = model.at(kind === 'unigram' ? 'unk_id' : 'unk_token');
  if (unknown.isNone) return undefined;
  return kind === 'unigram' ? texts[unknown.id(texts.length)] : unknown.text();
}

/** The bytes of a byte token are that byte, not its text; a token without characters has none. */
function textsOfBytes(kind: ModelClass, texts: readonly (string | undefined)[]): Map<number, string> {
  const isOther = (text: string) => text === '' || (kind === 'characters' && /^<0x[0-9A-F]{2}>$/.test(text));
  return new Map(texts.flatMap((text, id) => (text !== undefined && isOther(text) ? [[id, text] as const] : [])));
}

// Which kind of model a tokenizer.json has.

/** `byte-level` and `characters`: BPE over bytes, and over characters as SentencePiece has it. */
export type ModelClass = 'byte-level' | 'characters' | 'wordpiece' | 'wordlevel' | 'unigram';

const CLASSES: Partial<Record<string, ModelClass>> = { WordPiece: 'wordpiece', WordLevel: 'wordlevel', Unigram: 'unigram' };

function modelClassOf(root: JsonNode): ModelClass {
  const model = root.at('model');
  const kind = CLASSES[typeOf(model, MODEL)];
  if (kind) return kind;
  const isByteLevel = model.at('byte_level').truth(false) || hasByteLevel(root.at('pre_tokenizer'));
  checkMerging(model, isByteLevel);
  return isByteLevel ? 'byte-level' : 'characters';
}

function checkMerging(model: JsonNode, isByteLevel: boolean): void {
  const dropout = model.at('dropout');
  if (!dropout.isNone && !dropout.isZero) dropout.unsupported('merging at random is not supported');
  if (!isByteLevel || !model.at('ignore_merges').truth(false)) return;
  for (const [key, where] of [
    ['end_of_word_suffix', 'at the ends of words'],
    ['continuing_subword_prefix', 'before the parts of words'],
  ] as const) {
    const mark = model.at(key);
    if (!mark.isNone && mark.text() !== '')
      model.at('ignore_merges').unsupported(`it is not supported with ${mark.shown} ${where} and BPE over bytes`);
  }
}

function hasByteLevel(stage: JsonNode): boolean {
  if (stage.kind !== 'object') return false;
  const inner = stage.at('pretokenizers');
  if (inner.kind === 'list') return inner.few().some(hasByteLevel);
  const type = stage.at('type');
  return type.kind === 'string' && type.text() === 'ByteLevel';
}

/** For tests: the path that all files take (`CRAYON_FORCE_PATH`); `fast` refuses files of the general path. Undefined: the right one. */
export function forcedPath(): 'fast' | 'general' | undefined {
  const path = variable('CRAYON_FORCE_PATH');
  return path === 'fast' || path === 'general' ? path : undefined;
}

/** Why a file takes the general path, from the error with which the fast path's importer has stopped; throws other errors. */
export function whyGeneral(error: unknown): string {
  const isReason = error instanceof TokenizerError && !['OUT_OF_MEMORY', 'CANCELLED'].includes(error.code);
  if (!isReason || forcedPath() === 'fast') throw error;
  return error.message.replace(/^cannot import .*?: /, '');
}

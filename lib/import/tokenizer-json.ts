// Reads a `tokenizer.json` of Hugging Face tokenizers.
//
// Invariant: the returned vocabulary tokenizes exactly as npm `tokenizers` does with that file (special tokens allowed). A file
// for which that is impossible is refused, with the path of the reason; nothing is approximated.

import type { CompilerModel } from '../compile/compiler.js';
import type { MetaspaceStep, NormalizerStep } from '../compile/normalizer-steps.js';
import type { TextForm } from '../decode/spec.js';
import type { TokenTable } from '../open/token-table.js';
import { addedTokensOf, type ImportedToken } from './added-tokens.js';
import { byteLevelModelOf, textsOfByteLevel } from './byte-level-model.js';
import { bytesOfByteLevel } from './byte-level.js';
import { characterModelOf } from './character-model.js';
import { decoderStepsOf, type ImportedDecoder } from './decoder.js';
import { SPACES_STAY, withLateTokens } from './late-tokens.js';
import { type Limits, limitsOf } from './limits.js';
import { type Merges, mergesWithout, readMerges, resultsAmong } from './merges.js';
import { hasByteLevel, type ModelClass, modelClassOf } from './model-class.js';
import { type ModelTokens, modelTokensOf } from './model-tokens.js';
import { type ImportedStep, mayTakeSpace, normalizerStepsOf } from './normalizer.js';
import { type JsonNode, shown } from './json-node.js';
import { postProcessorOf, type PostProcessor } from './post-processor.js';
import { byteLevelPretokenizerOf, type Pretokenizer, type Scripts, scriptsIn, textPretokenizerOf } from './pretokenizer.js';
import type { Stage } from './splits.js';
import { needed, type Steps } from './steps.js';
import { type NamedTokens, rolesOf, type TokenRoles } from './token-roles.js';
import { unigramModelOf, type UnigramTokens, unigramTokensOf } from './unigram-model.js';
import { charactersIn, type WordMarks, wordMarksOf } from './word-marks.js';
import { wordModelOf } from './word-model.js';

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
  /** The marks in the texts of tokens for their place in a word, which bytes around a token replace. */
  marks: WordMarks | undefined;
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
  compiled(step: ImportedStep): Steps<NormalizerStep>;
  /** Applies steps to a text; undefined if they make too much of it. */
  normalized(steps: readonly NormalizerStep[], text: string): string | undefined;
  /** The same of a section of the general path. */
  normalizedBy(section: Uint8Array, text: string): string | undefined;
}

/** Numbers of a cartridge: layout/cartridge.h. */
const NORMALIZER = { none: 0, nfc: 1, prefixSpace: 2, program: 3 };

/** The equivalent of ByteLevel's `add_prefix_space` behind other steps: a Metaspace whose mark is the space itself. */
const SPACE_FIRST: MetaspaceStep = { kind: 'metaspace', replacement: ' ', prepend: 'always', dropsWhitespace: false };

/** Whether a JSON file is a tokenizer.json rather than a list of tokens. */
export function isTokenizerJson(root: JsonNode): boolean {
  const model = root.at('model');
  return (
    model.kind === 'object' &&
    (['added_tokens', 'pre_tokenizer'].some((key) => root.at(key).kind !== undefined) || model.at('type').kind !== undefined)
  );
}

/** Reads the file whose root value is `root`. */
export function* readTokenizerJson(root: JsonNode, tools: ImportTools): Steps<ImportedVocabulary> {
  root.object();
  const version = root.at('version');
  if (!version.isNone && !['1.0', '2.0'].includes(version.text())) version.unsupported(`version ${version.text()} is not supported`);
  const limits = limitsOf(root);
  const model = root.at('model');
  const kind = modelClassOf(root);
  const [declared, isByNormalizer] = declaredSteps(root, kind);
  const ofScripts = scriptsIn(root.at('pre_tokenizer'));
  const scripts = ofScripts && (yield* needed('scripts', () => import('./unicode-scripts.js')));
  const pretokenizer = pretokenizerOf(root, kind, declared, isByNormalizer, scripts);
  if (pretokenizer.putsSpaceFirst && declared.some(mayTakeSpace)) {
    root.at('pre_tokenizer').unsupported('add_prefix_space is not supported with a normalizer that may take out a space');
  }
  if (pretokenizer.splits === 'none' && model.at('ignore_merges').truth(false)) {
    model.at('ignore_merges').unsupported('a text that is not split into pieces is not supported with it');
  }
  if (kind === 'characters') checkWholePieces(model, pretokenizer);
  const decoder = decoderStepsOf(root.at('decoder'));
  const steps: NormalizerStep[] = [];
  for (const step of declared) steps.push(yield* tools.compiled(step));
  // In version 2.0 it is the last of the normalizers, after which added tokens are not searched for either.
  const searched = steps.at(-1)?.kind === 'metaspace' ? steps.slice(0, -1) : steps.slice();
  if (pretokenizer.metaspace) steps.push(pretokenizer.metaspace);
  if (ofScripts && scripts) {
    for (const step of scripts.leadingSteps(ofScripts.node, ofScripts.dropsWhitespace)) steps.push(yield* tools.compiled(step));
  }
  const putsSpaceAlone = pretokenizer.putsSpaceFirst && steps.length === 0;
  if (pretokenizer.putsSpaceFirst && !putsSpaceAlone) steps.push(SPACE_FIRST);
  const last = steps.at(-1);
  // Words are apart only where each begins with a mark, and pieces do.
  if (last?.kind === 'metaspace' && last.dropsWhitespace && (last.prepend !== 'always' || pretokenizer.splits !== 'metaspace')) {
    root.at('pre_tokenizer').unsupported('a Metaspace between whitespace is supported only if it marks each word and splits');
  }
  const vocab = model.at('vocab');
  const tokens = kind === 'unigram' ? unigramTokensOf(vocab) : modelTokensOf(vocab);
  const added = root.at('added_tokens');
  const isByteLevel = kind === 'byte-level';
  const normalized = searched.length > 0 ? (text: string) => tools.normalized(searched, text) : undefined;
  const addedTokens = addedTokensOf(added, tokens.ids, tokens.texts, normalized);
  const late = ofScripts && addedTokens.find((token) => token.normalized);
  if (late) added.unsupported(`${shown(late.text)} is normalized, which is not supported with UnicodeScripts`);
  const takesWhitespace = addedTokens.some((token) => token.normalized && (token.lstrip || token.rstrip));
  if (last?.kind === 'metaspace' && (searched.length > 0 || takesWhitespace)) {
    steps[steps.length - 1] = withLateTokens(added, addedTokens, last);
  } else if (takesWhitespace && searched.length > 0) {
    steps.push(withLateTokens(added, addedTokens, SPACES_STAY));
  }
  // The step takes whitespace out.
  if (takesWhitespace && steps.at(-1)?.kind === 'metaspace') {
    for (const token of addedTokens) if (token.normalized) token.lstrip = token.rstrip = false;
  }
  const limit = Math.max(tokens.texts.length, (addedTokens.at(-1)?.id ?? -1) + 1);
  const postProcessor = postProcessorOf(root.at('post_processor'), limit);
  const made = isBpe(kind) ? madeTokens(root, kind, tokens, addedTokens) : undefined;
  const compiled = modelOf(kind, root, tokens, made, limit);
  if (normalized) checkKeptTexts(added, addedTokens, compiled);
  const idOf = (text: string) => tokens.ids.get(text) ?? addedTokens.find((token) => token.text === text)?.id;
  const unknown = unknownTextOf(model, kind, tokens);
  const marks = isBpe(kind) ? wordMarksOf(model) : undefined;
  const isNfc = steps.every(({ kind }) => kind === 'nfc');
  const number = putsSpaceAlone ? 'prefixSpace' : steps.length === 0 ? 'none' : isNfc ? 'nfc' : 'program';
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
    marks,
    decodesBytes: isByteLevel && !marks && !addedTokens.some((token) => isSpelled(token, made)),
    decodedTexts: () => (isByteLevel ? textsOfByteLevel(tokens.texts, compiled, marks) : textsOfBytes(kind, tokens.texts)),
    roles: (named) => rolesOf(named, { idOf, around: postProcessor, names: unknown === undefined ? {} : { unk: unknown } }),
  };
}

/** The normalizers; without ByteLevel as the last one, whose place the byte-level model takes: its text is never written as such. */
function declaredSteps(root: JsonNode, kind: ModelClass): [ImportedStep[], isByNormalizer: boolean] {
  const all = normalizerStepsOf(root.at('normalizer'));
  const at = all.findIndex((step) => step.kind === 'byte-level');
  if (at < 0 || kind !== 'byte-level' || hasByteLevel(root.at('pre_tokenizer'))) return [all, false];
  if (at + 1 < all.length) root.at('normalizer').unsupported('ByteLevel before another normalizer is not supported');
  for (const token of root.at('added_tokens').isNone ? [] : root.at('added_tokens').elements()) {
    const flag = ['lstrip', 'rstrip', 'single_word'].find((name) => token.at(name).truth(false));
    if (flag && token.at('normalized').truth(!token.at('special').truth(false))) {
      token.at(flag).unsupported('it is not supported for normalized tokens with the normalizer ByteLevel');
    }
  }
  return [all.slice(0, -1), true];
}

function pretokenizerOf(
  root: JsonNode,
  kind: ModelClass,
  declared: readonly ImportedStep[],
  isByNormalizer: boolean,
  scripts: Scripts | undefined,
): Pretokenizer {
  const node = root.at('pre_tokenizer');
  if (kind !== 'byte-level') return textPretokenizerOf(node, declared, scripts);
  const by = isByNormalizer ? 'normalizer' : root.at('model').at('byte_level').truth(false) ? 'model' : 'pretokenizer';
  return byteLevelPretokenizerOf(node, by, scripts);
}

/**
 * With `ignore_merges`, the reference matches a piece with a token by text, even if the text is the name of a byte or contains the
 * mark of a place in a word. The engine agrees only for pretokenizers that make no such pieces.
 */
function checkWholePieces(model: JsonNode, { splits, metaspace }: Pretokenizer): void {
  const node = model.at('ignore_merges');
  if (!node.truth(false)) return;
  const { prefix, suffix } = wordMarksOf(model) ?? { prefix: '', suffix: '' };
  const isMarked = splits === 'metaspace' && metaspace?.kind === 'metaspace' && metaspace.prepend === 'always';
  const beginnings = [prefix, model.at('byte_fallback').truth(false) ? '<0x00>' : ''];
  const isPossible = (text: string) => text !== '' && !(splits === 'bert' && ASCII_PUNCTUATION.test(text));
  const found = beginnings.find((text) => isPossible(text) && !(isMarked && !text.startsWith('\u2581'))) ?? [suffix].find(isPossible);
  if (found !== undefined) node.unsupported(`a piece with ${shown(found)} is not supported with it`);
}

/** The characters that BertPreTokenizer makes separate pieces. */
const ASCII_PUNCTUATION = /[!-/:-@[-`{-~]/;

function modelOf(
  kind: ModelClass,
  root: JsonNode,
  tokens: ModelTokens,
  made: MadeTokens | undefined,
  limit: number,
): TokenTable & CompilerModel {
  const model = root.at('model');
  if (kind === 'unigram') return unigramModelOf(model, tokens as UnigramTokens);
  if (!made) return wordModelOf(model, kind as 'wordpiece' | 'wordlevel', tokens);
  const { merges, onlyAdded } = made;
  const prefix = wordMarksOf(model)?.prefix ?? '';
  const without = (left: ReadonlySet<number>): Merges => mergesWithout(model.at('merges'), merges, tokens, left, prefix);
  const modelOfBpe = kind === 'byte-level' ? byteLevelModelOf : characterModelOf;
  return modelOfBpe(model, tokens, merges, without, onlyAdded, limit);
}

function isBpe(kind: ModelClass): kind is 'byte-level' | 'characters' {
  return kind === 'byte-level' || kind === 'characters';
}

interface MadeTokens {
  merges: Merges;
  /** The ids of the added tokens that are none of what the model makes. */
  onlyAdded: Set<number>;
}

function madeTokens(
  root: JsonNode,
  kind: 'byte-level' | 'characters',
  { ids, texts }: ModelTokens,
  addedTokens: readonly ImportedToken[],
): MadeTokens {
  const merges = readMerges(root.at('model').at('merges'), ids);
  const marks = wordMarksOf(root.at('model')) ?? { prefix: '', suffix: '' };
  const onlyAdded = new Set<number>();
  const made = resultsAmong(merges, texts, new Set(addedTokens.map(contentOf)), marks.prefix);
  const isByte = (text: string) => text.length === 1 && bytesOfByteLevel(text) !== undefined;
  const isUnit = (token: string) => charactersIn(token, marks).some(({ text }) => kind !== 'byte-level' || isByte(text));
  for (const token of addedTokens) {
    const text = contentOf(token);
    const isOfModel = ids.has(text) && (made.has(text) || isUnit(text));
    // Its bytes in the model are not those that are searched for.
    if (isOfModel && ids.get(text) === token.id && (marks.prefix !== '' || (marks.suffix !== '' && text.endsWith(marks.suffix)))) {
      root.at('added_tokens').unsupported(`${shown(text)} is also what merging makes in some place of a word, which is not supported`);
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
function isSpelled({ id, text, special }: ImportedToken, made: MadeTokens | undefined): boolean {
  return (special && made !== undefined && !made.onlyAdded.has(id)) || (/[\x80-\uffff]/.test(text) && bytesOfByteLevel(text) !== undefined);
}

/** A token of the model has one text, so the normalizer must leave it as it is. */
function checkKeptTexts(node: JsonNode, addedTokens: readonly ImportedToken[], { bytes, offsets }: TokenTable): void {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  for (const { text, id } of addedTokens) {
    const [begin = 0, end = 0] = offsets.subarray(id, id + 2);
    const own = begin < end ? utf8.decode(bytes.subarray(begin, end)) : text;
    if (own !== text)
      node.unsupported(`the normalizer makes ${shown(text)} of ${shown(own)}, a token of the model, which is not supported`);
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

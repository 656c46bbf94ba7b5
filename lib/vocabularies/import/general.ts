// A tokenizer.json for the general path: a plain transcription of the file, under the reference's names.
//
// Invariant: a file that Hugging Face tokenizers 0.23 opens gets its ids, and a file that it refuses is refused, with the path.
// docs/guide/hugging-face.md lists the exceptions: what no cartridge can hold, and patterns that nobody publishes.

import {
  BEHAVIORS,
  type GeneralPart,
  type GeneralStep,
  generalSection,
  type GeneralTokenizer,
  INVERTS,
  IS_REGEX,
  NORMALIZERS,
  PRETOKENIZERS,
} from './general-section.js';
import { joinTokens } from '../../base/token-table.js';
import type { CodePoints } from '../patterns/code-points.js';
import { parsePattern } from '../patterns/expression.js';
import { compileRegex } from '../patterns/regex.js';
import { runsOf, wordRanges } from '../patterns/properties.js';
import { type ImportedToken, readAddedTokens } from './added-tokens.js';
import { decoderStepsOf, patternAt, programOf } from './decoder-steps.js';
import type { JsonNode } from './json-node.js';
import { idsAround, limitsOf, postProcessorOf } from './post-processor.js';
import { MODEL, PRETOKENIZER, typeOf } from './file-rules.js';
import { type ImportedStep, metaspaceOf, normalizerStepsOf } from './normalizer.js';
import { type MetaspaceStep, partsOf } from '../compile/normalizer-steps.js';
import { mergeNode, missing, readMerges } from './merges.js';
import { checkTexts, type ModelTokens, MOST_IDS, modelTokensOf } from './model-tokens.js';
import { behaviorOf, NUMERIC, PUNCTUATION } from './pretokenizer.js';
import { rolesOf } from './token-roles.js';
import type { ImportedVocabulary, ImportTools } from './tokenizer-json.js';
import { type UnigramTokens, unigramTokensOf } from './trie-models.js';
import { CLASS_RUNS } from '../patterns/unicode-scripts.js';

/** Far more than any model has; the engine takes no more. */
const MOST_STEPS = 128;
const MOST_CHARACTERS = 0xffffffff;

/** Reads the file whose root value is `root`. */
export function readGeneral(root: JsonNode, tools: ImportTools): ImportedVocabulary {
  const model = root.at('model');
  const declared = normalizerStepsOf(root.at('normalizer'));
  const normalizers = declared.filter(({ kind }) => kind !== 'metaspace').map(normalizerOf);
  const preTokenizers = declared.flatMap((step) => (step.kind === 'metaspace' ? metaspacesOf(step, false) : []));
  addPreTokenizers(root.at('pre_tokenizer'), preTokenizers);
  if (model.at('byte_level').truth(false)) preTokenizers.push({ kind: PRETOKENIZERS.ByteLevel });
  if (normalizers.length > MOST_STEPS) root.at('normalizer').unsupported(`more than ${MOST_STEPS} normalizers are not supported`);
  if (preTokenizers.length > MOST_STEPS) root.at('pre_tokenizer').unsupported(`more than ${MOST_STEPS} pretokenizers are not supported`);
  const { tokens, unknownText, unknownId, rules } = modelOf(model);
  const tokenizer: GeneralTokenizer = { ...rules, normalizers, preTokenizers };
  const section = generalSection(tokenizer);
  // The section without a model normalizes: a WordLevel has nothing else.
  const normalizerBytes = normalizers.length > 0 && generalSection({ model: 'WordLevel', normalizers, preTokenizers: [] });
  const normalized = (text: string) => (normalizerBytes ? tools.normalizedBy(normalizerBytes, text) : text);
  const { added, decoded } = addedTokensOf(root.at('added_tokens'), tokens, normalized);
  // It may have ids without tokens.
  const postProcessor = postProcessorOf(root.at('post_processor'), MOST_IDS);
  const { texts, ids } = tokens;
  texts.length = idsAround(postProcessor).reduce((highest, id) => Math.max(highest, id + 1), texts.length);
  const vocab = model.at('vocab');
  checkTexts(texts, (text) => (vocab.kind === 'list' ? vocab : vocab.entry(text)));
  // The last token of a cartridge has bytes, and so has every token without characters: a byte that no text becomes.
  const stored = texts.slice();
  const last = Math.max(texts.length - 1, 0);
  if (texts[last] === undefined) stored[last] = added.find(({ id }) => id === last)?.text ?? '';
  const unmatched = stored.flatMap((text, id) => (text === '' || (text !== undefined && ids.get(text) !== id) ? [id] : []));
  stored.forEach((text, id) => {
    if (text !== '') return;
    stored[id] = '\u0000';
    decoded.set(id, '');
  });
  const idOf = (text: string) => added.find((token) => token.text === text)?.id ?? ids.get(text);
  return {
    ...joinTokens(stored),
    model: 'general',
    general: { section, unknownId, unmatched: Uint32Array.from(unmatched) },
    pretokenizer: 'none',
    normalizer: 0,
    program: undefined,
    addedTokens: added,
    postProcessor,
    limits: limitsOf(root),
    decoder: decoderStepsOf(root.at('decoder')),
    form: 'plain',
    suffix: '',
    decodesBytes: false,
    decodedTexts: () => decoded,
    roles: (named) => rolesOf(named, { idOf, around: postProcessor, names: unknownText === undefined ? {} : { unk: unknownText } }),
  };
}

// --- normalizers and pretokenizers ---

function normalizerOf(step: ImportedStep): GeneralStep {
  if (step.kind === 'replace-regex') return { kind: NORMALIZERS.replace, ...patternOf(step.pattern), second: step.by };
  return { kind: NORMALIZERS[step.kind as keyof typeof NORMALIZERS], ...partsOf(step) };
}

function addPreTokenizers(node: JsonNode, steps: GeneralStep[]): void {
  if (node.isNone) return;
  const type = typeOf(node, PRETOKENIZER);
  switch (type) {
    case 'Sequence':
      for (const each of node.at('pretokenizers').few()) addPreTokenizers(each, steps);
      return;
    case 'BertPreTokenizer':
    case 'Whitespace':
      steps.push({ kind: PRETOKENIZERS[type], first: ranges(type === 'Whitespace' ? wordRanges() : setOf(PUNCTUATION)) });
      return;
    case 'ByteLevel':
      steps.push({ kind: PRETOKENIZERS.ByteLevel, flags: bits(node.at('add_prefix_space').boolean(), node.at('use_regex').truth(true)) });
      return;
    case 'CharDelimiterSplit':
      steps.push({ kind: PRETOKENIZERS.CharDelimiterSplit, first: node.at('delimiter').text() });
      return;
    case 'Metaspace':
      steps.push(...metaspacesOf(metaspaceOf(node, false), node.at('split').truth(true)));
      return;
    case 'WhitespaceSplit':
      steps.push({ kind: PRETOKENIZERS.WhitespaceSplit });
      return;
    case 'Digits': {
      const flags = BEHAVIORS.indexOf(node.at('individual_digits').boolean() ? 'Isolated' : 'Contiguous');
      steps.push({ kind: PRETOKENIZERS.Digits, flags, first: ranges(setOf(NUMERIC)) });
      return;
    }
    case 'Punctuation': {
      const flags = BEHAVIORS.indexOf(behaviorOf(node.at('behavior')));
      steps.push({ kind: PRETOKENIZERS.Punctuation, flags, first: ranges(setOf(PUNCTUATION)) });
      return;
    }
    case 'Split': {
      const { flags, first } = patternOf(node.at('pattern'));
      // Version 2.0 may leave these out.
      const behavior = BEHAVIORS.indexOf(behaviorOf(node.at('behavior')));
      const inverts = node.at('invert').truth(false) ? INVERTS : 0;
      steps.push({ kind: PRETOKENIZERS.Split, flags: flags | behavior | inverts, first });
      return;
    }
    case 'UnicodeScripts':
      steps.push({ kind: PRETOKENIZERS.UnicodeScripts, first: { words: Uint32Array.from(scriptRuns().flat()), rowLength: 3 } });
      return;
    case 'FixedLength': {
      const length = node.at('length');
      steps.push({ kind: PRETOKENIZERS.FixedLength, flags: length.kind === undefined ? 5 : Math.min(length.id(2 ** 53), MOST_CHARACTERS) });
      return;
    }
  }
}

function metaspacesOf({ prepend, replacement, dropsWhitespace }: MetaspaceStep, splits: boolean): GeneralStep[] {
  const flags = bits(splits, prepend === 'first', prepend === 'always');
  const step = { kind: PRETOKENIZERS.Metaspace, flags, first: replacement };
  return dropsWhitespace ? [{ kind: PRETOKENIZERS.WhitespaceSplit }, step] : [step];
}

function patternOf(node: JsonNode): { flags: number; first: GeneralPart } {
  const pattern = patternAt(node);
  if ('String' in pattern) return { flags: 0, first: pattern.String };
  return { flags: IS_REGEX, first: bytesOfWords(programOf(pattern, compileRegex)) };
}

const setsOfPatterns = new Map<string, CodePoints>();

/** The characters of a class. */
function setOf(pattern: string): CodePoints {
  let set = setsOfPatterns.get(pattern);
  if (!set) {
    const expression = parsePattern(pattern);
    if (expression.kind !== 'set') throw new Error(`no class: ${pattern}`);
    setsOfPatterns.set(pattern, (set = expression.set));
  }
  return set;
}

/** First and last code point of each range, and a number for its script: what is of any script is in none. */
function scriptRuns(): number[][] {
  return [...runsOf(CLASS_RUNS)].filter(([, , script]) => script > 0);
}

function ranges(set: CodePoints | Uint32Array): GeneralPart {
  return { words: set instanceof Uint32Array ? set : Uint32Array.from(set.flat()), rowLength: 2 };
}

function bytesOfWords({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function bits(...flags: boolean[]): number {
  return flags.reduce((all, flag, bit) => all | (flag ? 1 << bit : 0), 0);
}

// --- models ---

interface ImportedModel {
  tokens: ModelTokens;
  /** Named by the file; without an id, encoding it is an error. */
  unknownText: string | undefined;
  unknownId: number | undefined;
  rules: Omit<GeneralTokenizer, 'normalizers' | 'preTokenizers'>;
}

function modelOf(model: JsonNode): ImportedModel {
  const type = typeOf(model, MODEL);
  if (type === 'Unigram') return unigramOf(model);
  const tokens = modelTokensOf(model.at('vocab'), true);
  const unknown = model.at('unk_token');
  const unknownText = unknown.isNone ? undefined : unknown.text();
  const unknownId = unknownText === undefined ? undefined : tokens.ids.get(unknownText);
  const common = { tokens, unknownText, unknownId };
  if (type === 'WordLevel') return { ...common, rules: { model: type } };
  if (type === 'WordPiece') {
    const mostCharacters = Math.min(model.at('max_input_chars_per_word').id(Number.MAX_SAFE_INTEGER), MOST_CHARACTERS);
    return { ...common, rules: { model: type, mostCharacters, prefix: model.at('continuing_subword_prefix').text() } };
  }
  // All merges are dropped by 1; what is between is dropped at random.
  const dropout = model.at('dropout');
  const merges = dropout.isNone || dropout.isZero;
  if (!merges && Number(dropout.shown) !== 1) dropout.unsupported('merging at random is not supported');
  const [prefix = '', suffix = ''] = ['continuing_subword_prefix', 'end_of_word_suffix'].map((key) =>
    model.at(key).isNone ? '' : model.at(key).text(),
  );
  const all = mergesOf(model.at('merges'), tokens, prefix);
  const rules = {
    model: 'BPE' as const,
    hasUnknown: unknownText !== undefined,
    fuseUnknown: model.at('fuse_unk').truth(false),
    byteFallback: model.at('byte_fallback').truth(false),
    ignoreMerges: merges && model.at('ignore_merges').truth(false),
    prefix,
    suffix,
    merges: merges ? all : new Uint32Array(),
  };
  return { ...common, rules };
}

/** Left, right and result of each. */
function mergesOf(node: JsonNode, { ids, texts }: ModelTokens, prefix: string): Uint32Array {
  const pairs = readMerges(node, ids);
  const merges = new Uint32Array((pairs.length / 2) * 3);
  for (let at = 0; at < pairs.length; at += 2) {
    const [left, right] = [pairs[at]!, pairs[at + 1]!];
    const text = texts[left]! + texts[right]!.slice(prefix.length);
    const result = texts[right]!.length < prefix.length ? undefined : ids.get(text);
    if (result === undefined) missing(mergeNode(node, texts[left], texts[right]), text);
    merges.set([left, right, result], (at / 2) * 3);
  }
  return merges;
}

function unigramOf(model: JsonNode): ImportedModel {
  const tokens: UnigramTokens = unigramTokensOf(model.at('vocab'), true);
  const unknown = model.at('unk_id');
  const unknownId = unknown.isNone ? undefined : unknown.id(tokens.texts.length);
  const byteFallback = model.at('byte_fallback').truth(false);
  const { scores } = tokens;
  return {
    tokens,
    unknownText: unknownId === undefined ? undefined : tokens.texts[unknownId],
    unknownId,
    rules: { model: 'Unigram', byteFallback, scores: scores.length > 0 ? scores : Float64Array.of(0) },
  };
}

// --- added tokens ---

/**
 * The added tokens as the reference has them, and the decoded texts of ids whose content the normalizer changes.
 */
function addedTokensOf(
  node: JsonNode,
  tokens: ModelTokens,
  normalized: (text: string) => string | undefined,
): { added: ImportedToken[]; decoded: Map<number, string> } {
  const byId = new Map<number, ImportedToken>();
  const decoded = new Map<number, string>();
  for (const { node: element, ...token } of readAddedTokens(node, tokens)) {
    const { id, text } = token;
    byId.set(id, token);
    const searched = token.normalized ? normalized(text) : text;
    if (searched === undefined)
      return element.unsupported(`the normalizer makes too much of ${JSON.stringify(text)}, which is not supported`);
    if (searched !== text) decoded.set(id, searched);
  }
  return { added: [...byId.values()].sort((a, b) => a.id - b.id), decoded };
}

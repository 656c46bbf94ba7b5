// What a file's `pre_tokenizer` splits by: a family of the engine, or patterns.

import { FAMILY_PATTERNS } from '../patterns/families.js';
import type { NormalizerStep } from '../compile/normalizer-steps.js';
import { familyOf } from '../compile/scanner.js';
import { type ImportedStep, metaspaceOf } from './normalizer.js';
import type { JsonNode } from './json-node.js';
import type { Split, SplitBehavior } from '../patterns/compile-pattern.js';

/** What ByteLevel splits by. */
const [BYTE_LEVEL] = FAMILY_PATTERNS.gpt2;

export interface Pretokenizer {
  /** The name of the family, `none`, or the patterns that it splits by, one after the other. */
  splits: string | Stage[];
  /** How a Metaspace changes a text before it is split. */
  metaspace?: NormalizerStep | undefined;
}

/** The equivalent of ByteLevel's `add_prefix_space`: a Metaspace whose mark is the space itself. */
const SPACE_FIRST: NormalizerStep = { kind: 'metaspace', replacement: ' ', prepend: 'always', dropsWhitespace: false };

/** Of a vocabulary of bytes; `by`: what writes a text as bytes; `before`: the normalizer. */
export function byteLevelPretokenizerOf(node: JsonNode, by: 'pretokenizer' | 'model', before: readonly ImportedStep[]): Pretokenizer {
  const stages = stagesOf(node);
  if (by === 'model' || stages.length === 0) return { splits: patternsOf(stages) };
  const at = stages.findIndex((stage) => typeOf(stage) === 'ByteLevel');
  const byteLevel = stages[at];
  if (!byteLevel) return node.unsupported('no ByteLevel among the pretokenizers of a byte-level vocabulary');
  const splits = stages.slice(0, at).flatMap((each) => splitsOf(each, typeOf(each)));
  if (byteLevel.at('use_regex').truth(true)) splits.push({ pattern: BYTE_LEVEL, behavior: 'Isolated', invert: false, node: byteLevel });
  const space = byteLevel.at('add_prefix_space');
  const putsSpaceFirst = space.truth(true);
  if (putsSpaceFirst && (at > 0 || before.length > 0)) space.unsupported('a space in front behind other stages');
  const metaspace = putsSpaceFirst ? SPACE_FIRST : undefined;
  const behind = stages[at + 1];
  if (behind) return behind.unsupported('a pretokenizer behind ByteLevel');
  return { splits: splits.length === 0 ? 'none' : (familyOf(splits) ?? splits), metaspace };
}

/** Of a vocabulary of texts; `before`: the normalizer. */
export function textPretokenizerOf(node: JsonNode, before: readonly ImportedStep[]): Pretokenizer {
  const stages = stagesOf(node);
  const types = stages.map(typeOf);
  const last = stages.at(-1);
  if (last && types.at(-1) === 'Metaspace') {
    const other = stages[types.slice(0, -1).findIndex((type) => type !== 'WhitespaceSplit')];
    if (other) other.at('type').unsupported(`${typeOf(other)} before Metaspace`);
    const metaspace = metaspaceOf(last, stages.length > 1);
    const splits = last.at('split').truth(true);
    if ('replacement' in metaspace && metaspace.replacement !== MARK) last.at('replacement').unsupported(`not ${MARK}`);
    return { splits: splits ? 'metaspace' : 'none', metaspace };
  }
  if (stages.length === 1 && types[0] === 'BertPreTokenizer') return { splits: 'bert' };
  if (stages.length === 1 && types[0] === 'WhitespaceSplit') return { splits: 'whitespace_split' };
  return { splits: patternsOf(stages.filter((stage) => !isIdle(stage, before))) };
}

/** The mark with which SentencePiece begins words. */
const MARK = '\u2581';

/** Whether a Split looks for a text that the normalizer removes everywhere, as in Gemma. */
function isIdle(stage: JsonNode, before: readonly ImportedStep[]): boolean {
  const last = before.at(-1);
  if (typeOf(stage) !== 'Split' || last?.kind !== 'replace') return false;
  const text = stage.at('pattern').at('String');
  const keepsPieces = stage.at('behavior').text() !== 'Removed' || !stage.at('invert').truth(false);
  return keepsPieces && text.kind === 'string' && text.text() === last.text && !last.by.includes(last.text) && last.text.length === 1;
}

function patternsOf(stages: readonly JsonNode[]): string | Stage[] {
  const splits = stages.flatMap((each) => splitsOf(each, typeOf(each)));
  const [only] = splits;
  if (splits.length === 1 && only?.pattern === MARK && only.behavior === 'MergedWithNext' && !only.invert) return 'metaspace';
  return splits.length === 0 ? 'none' : (familyOf(splits) ?? splits);
}

function stagesOf(node: JsonNode): JsonNode[] {
  if (node.isNone) return [];
  if (typeOf(node) !== 'Sequence') return [node];
  return node
    .at('pretokenizers')
    .few()
    .flatMap((each) => stagesOf(each));
}

function typeOf(node: JsonNode): string {
  node.object();
  return node.at('type').text();
}

// The pretokenizers of a file that split a text by matches, as patterns of Oniguruma.

export type { Split } from '../patterns/compile-pattern.js';

/** One of several pretokenizers, each of which splits the pieces of the previous one. */
export interface Stage extends Split {
  /** Where it is in the file. */
  node: JsonNode;
}

/** Of FixedLength, as in the reference. */
const DEFAULT_LENGTH = 5;

const BEHAVIORS: readonly string[] = ['Isolated', 'Removed', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'];

/** The numbers of npm `tokenizers` 0.23: Rust follows Unicode 17, which patterns do not support yet. */
export const NUMERIC = String.raw`[\p{N}\x{11DE0}-\x{11DE9}\x{16FF4}-\x{16FF6}]`;

/** The punctuation of npm `tokenizers` 0.23: of an older Unicode, with the ASCII symbols. */
const LATER_PUNCTUATION = [
  ...['61D', '9FD', 'A76', 'C77', 'C84', '1B4E-1B4F', '1B7D-1B7F', '2E43-2E4F', '2E52-2E5D', '10D6E', '10EAD', '10F55-10F59'],
  ...['10F86-10F89', '113D4-113D5', '113D7-113D8', '1144B-1144F', '1145A-1145B', '1145D', '11660-1166C', '116B9', '1183B'],
  ...['11944-11946', '119E2', '11A3F-11A46', '11A9A-11A9C', '11A9E-11AA2', '11B00-11B09', '11BE1', '11C41-11C45', '11C70-11C71'],
  ...['11EF7-11EF8', '11F43-11F4F', '11FFF', '12FF1-12FF2', '16D6D-16D6F', '16E97-16E9A', '16FE2', '1E5FF', '1E95E-1E95F'],
];
const escaped = (range: string) => range.replace(/[0-9A-F]+/g, String.raw`\x{$&}`);
export const PUNCTUATION = `[\\p{P}$+<=>\\^\`|~\\x{166D}\\x{111C9}&&[^${LATER_PUNCTUATION.map(escaped).join('')}]]`;

/** The words of npm `tokenizers` 0.23, \w of Rust, and the other text between whitespace. */
const WORDS = String.raw`[\w\x{200C}\x{200D}]+|[^\w\x{200C}\x{200D}\s]+`;

/** Any pretokenizer but ByteLevel, as patterns that apply in order. Throws a TokenizerError if that is not possible. */
export function splitsOf(node: JsonNode, type: string): Stage[] {
  if (type === 'BertPreTokenizer') return [removed(String.raw`\s+`, node), isolated(PUNCTUATION, node)];
  return [splitOf(node, type)];
}

function splitOf(node: JsonNode, type: string): Stage {
  switch (type) {
    case 'Split':
      return {
        pattern: patternOf(node.at('pattern')),
        behavior: behaviorOf(node.at('behavior')),
        invert: node.at('invert').truth(false),
        node,
      };
    case 'Digits':
      return isolated(node.at('individual_digits').truth(false) ? NUMERIC : `${NUMERIC}+`, node);
    case 'Whitespace':
      return { pattern: WORDS, behavior: 'Removed', invert: true, node };
    case 'WhitespaceSplit':
      return removed(String.raw`\s+`, node);
    case 'CharDelimiterSplit':
      return removed(literal(node.at('delimiter').text()), node);
    case 'FixedLength':
      return isolated(String.raw`[\s\S]{1,${lengthOf(node.at('length'))}}`, node);
    case 'Punctuation': {
      const behavior = node.at('behavior').isNone ? 'Isolated' : behaviorOf(node.at('behavior'));
      // The same, in a form that later pretokenizers can use.
      if (behavior === 'Contiguous') return isolated(`${PUNCTUATION}+`, node);
      return { pattern: PUNCTUATION, behavior, invert: false, node };
    }
    case 'ByteLevel':
      return node.unsupported('ByteLevel is supported only once, and only for BPE without another one');
    default:
      return node.at('type').unsupported(`${type} is not supported`);
  }
}

/** In characters. */
export function lengthOf(node: JsonNode): number {
  if (node.kind === undefined) return DEFAULT_LENGTH;
  const length = node.id(2 ** 32);
  return length === 0 ? node.malformed('at least one character') : length;
}

function isolated(pattern: string, node: JsonNode): Stage {
  return { pattern, behavior: 'Isolated', invert: false, node };
}

function removed(pattern: string, node: JsonNode): Stage {
  return { pattern, behavior: 'Removed', invert: false, node };
}

export function behaviorOf(node: JsonNode): SplitBehavior {
  // Version 2.0 may leave it out.
  const name = node.kind === undefined ? 'Isolated' : node.text();
  return BEHAVIORS.includes(name) ? (name as SplitBehavior) : node.malformed(`one of ${BEHAVIORS.join(', ')}`);
}

function patternOf(node: JsonNode): string {
  node.object();
  const text = node.at('String');
  if (text.isNone) return node.at('Regex').text();
  if (text.text() === '') return text.unsupported('an empty text, which matches everywhere, is not supported');
  return literal(text.text());
}

function literal(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, String.raw`\$&`);
}

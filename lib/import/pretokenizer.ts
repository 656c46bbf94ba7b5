// What a file's `pre_tokenizer` splits by: a family of the engine, or patterns.

import { FAMILY_PATTERNS } from '../patterns/families.js';
import type { NormalizerStep } from '../compile/normalizer-steps.js';
import { familyOf } from '../compile/scanner.js';
import { type ImportedStep, metaspaceOf } from './normalizer.js';
import type { JsonNode } from './json-node.js';
import { type Stage, splitsOf } from './splits.js';

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

// Which kind of model a tokenizer.json has.

import { MODEL, typeOf } from './file-rules.js';
import type { JsonNode } from './json-node.js';

/** `byte-level` and `characters`: BPE over bytes, and over characters as SentencePiece has it. */
export type ModelClass = 'byte-level' | 'characters' | 'wordpiece' | 'wordlevel' | 'unigram';

const CLASSES: Partial<Record<string, ModelClass>> = { WordPiece: 'wordpiece', WordLevel: 'wordlevel', Unigram: 'unigram' };

export function modelClassOf(root: JsonNode): ModelClass {
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

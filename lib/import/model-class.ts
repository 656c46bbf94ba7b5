// Which kind of model a tokenizer.json has.

import type { JsonNode } from './json-node.js';

/** `byte-level` and `characters`: BPE over bytes, and over characters as SentencePiece has it. */
export type ModelClass = 'byte-level' | 'characters' | 'wordpiece' | 'wordlevel' | 'unigram';

const CLASSES: Record<string, ModelClass> = { WordPiece: 'wordpiece', WordLevel: 'wordlevel', Unigram: 'unigram' };

/** Throws a TokenizerError for a model that is none of these. */
export function modelClassOf(root: JsonNode): ModelClass {
  const model = root.at('model');
  const type = typeOfModel(model);
  if (Object.hasOwn(CLASSES, type)) return CLASSES[type] as ModelClass;
  if (type !== 'BPE')
    model.at('type').unsupported(`${model.at('type').shown} is not supported: only BPE, WordPiece, WordLevel and Unigram are`);
  const isByteLevel = model.at('byte_level').truth(false) || hasByteLevel(root.at('pre_tokenizer'));
  checkMerging(model, isByteLevel);
  return isByteLevel ? 'byte-level' : 'characters';
}

/** The name of the model. */
export function typeOfModel(model: JsonNode): string {
  model.object();
  return model.at('type').isNone ? typeOfOldFile(model) : model.at('type').text();
}

/** Files from before 0.8 do not name the model; their keys tell the models apart. */
function typeOfOldFile(model: JsonNode): string {
  if (model.at('vocab').kind === 'list') return 'Unigram';
  if (!model.at('merges').isNone) return 'BPE';
  return model.at('max_input_chars_per_word').isNone ? 'WordLevel' : 'WordPiece';
}

function checkMerging(model: JsonNode, isByteLevel: boolean): void {
  model.at('byte_fallback').truth(false);
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

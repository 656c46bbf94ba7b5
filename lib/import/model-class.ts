// Which kind of model a tokenizer.json has, where it is none that can be imported: what it is called, and what to do.

import type { Place } from './place.js';

const ADVICE = 'which is not supported: only byte-level BPE is, as of GPT-2, Llama 3 or Qwen; Hugging Face tokenizers can encode with it';

/** Models of older files do not say what they are. */
const CLASSES: Record<string, string> = {
  WordPiece: 'WordPiece (BERT)',
  WordLevel: 'WordLevel',
  Unigram: 'Unigram of SentencePiece (T5, XLM-R)',
};

/** Throws a TokenizerError for a model that is no byte-level BPE. */
export function checkModelClass(root: Place): void {
  const model = root.at('model');
  model.object();
  const type = model.at('type');
  const name = type.isNone ? undefined : type.text();
  const isUnigram = name === undefined && model.at('vocab').kind === 'list';
  if (isUnigram || (name !== undefined && name !== 'BPE')) {
    const known = isUnigram ? CLASSES.Unigram : Object.hasOwn(CLASSES, name as string) ? CLASSES[name as string] : type.shown;
    (isUnigram ? model : type).unsupported(`it is ${known}, ${ADVICE}`);
  }
  // Its decoder has a step for them.
  if (model.at('byte_fallback').truth(false) && root.at('decoder').kind === 'object' && !hasByteLevel(root.at('pre_tokenizer'))) {
    model.unsupported(`it is BPE of SentencePiece (Llama 2, Gemma, Phi-3), ${ADVICE}`);
  }
  for (const affix of ['continuing_subword_prefix', 'end_of_word_suffix'].map((key) => model.at(key))) {
    if (!affix.isNone && affix.text() !== '') affix.unsupported(`it is BPE with ${affix.shown} at the parts of words (CLIP), ${ADVICE}`);
  }
}

function hasByteLevel(pretokenizer: Place): boolean {
  if (pretokenizer.kind !== 'object') return false;
  const inner = pretokenizer.at('pretokenizers');
  if (inner.kind === 'list') return inner.few().some(hasByteLevel);
  const type = pretokenizer.at('type');
  return type.kind === 'string' && type.text() === 'ByteLevel';
}

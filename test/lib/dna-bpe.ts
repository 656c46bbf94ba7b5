// A tokenizer.json in the format of DNABERT-2's, with merges learned here from made-up sequences, by the definition.

import { Random } from '../fuzz/random.mjs';
import { trainNaively } from './naive-trainer.js';

const SPECIALS = ['[UNK]', '[CLS]', '[SEP]', '[PAD]', '[MASK]'];

/** Sequences with repeats, as in genomes. */
function sequencesWithRepeats(random: Random): string[] {
  const motifs = Array.from({ length: 12 }, () => Array.from({ length: random.integer(3, 14) }, () => random.pick('ACGT')).join(''));
  return Array.from({ length: 40 }, () =>
    Array.from({ length: 12 }, () => (random.chance(0.5) ? random.pick(motifs) : random.pick('ACGT').repeat(random.integer(1, 9)))).join(
      '',
    ),
  );
}

export function dnaTokenizerJson() {
  const options = { vocabularySize: 4 + 300, minFrequency: 1, maxTokenLength: 32, initialAlphabet: 'observed', specialTokens: [] } as const;
  const { tokens, merges } = trainNaively(sequencesWithRepeats(new Random(20261122)), {
    ...options,
    specialTokens: [],
    tieBreak: 'huggingface',
  });
  const vocab = Object.fromEntries([...SPECIALS, ...tokens].map((token, id) => [token, id]));
  const special = (name: string) => ({ SpecialToken: { id: name, type_id: 0 } });
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  return {
    version: '1.0',
    truncation: null,
    padding: { strategy: 'BatchLongest', direction: 'Right', pad_to_multiple_of: null, pad_id: 3, pad_type_id: 0, pad_token: '[PAD]' },
    added_tokens: SPECIALS.map((content, id) => ({ id, content, ...flags })),
    normalizer: null,
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [special('[CLS]'), { Sequence: { id: 'A', type_id: 0 } }, special('[SEP]')],
      pair: [special('[CLS]'), { Sequence: { id: 'A', type_id: 0 } }, special('[SEP]'), { Sequence: { id: 'B', type_id: 1 } }],
      special_tokens: Object.fromEntries(['[CLS]', '[SEP]'].map((id) => [id, { id, ids: [SPECIALS.indexOf(id)], tokens: [id] }])),
    },
    decoder: null,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: '[UNK]',
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      vocab,
      merges: merges.map(([left, right]) => `${tokens[left]} ${tokens[right]}`),
    },
  };
}

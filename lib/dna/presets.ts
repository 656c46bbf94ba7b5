// Rules for the vocabularies of published models.

import type { DnaVocabulary } from './dna-vocabulary.js';

/**
 * Models with built-in vocabularies. DNABERT-2's is built from the model's `tokenizer.json`.
 *
 * @example
 * ```ts
 * const name: DnaName = 'caduceus';
 * using dna = await DnaTokenizer.load(name);
 * dna.encode('acgt'); // Int32Array [7, 8, 9, 10]
 * ```
 */
export type DnaName = 'hyenadna' | 'caduceus' | 'nt-v1' | 'nt-v2' | 'nt-v3' | 'evo2' | 'gpn' | 'dnabert2';

/** HyenaDNA: one id per character; upper and lower case differ. */
function hyenadna(): DnaVocabulary {
  return {
    name: 'hyenadna',
    unit: 'byte',
    baseIds: { A: 7, C: 8, G: 9, T: 10, N: 11 },
    specialTokens: { '[CLS]': 0, '[SEP]': 1, '[BOS]': 2, '[MASK]': 3, '[PAD]': 4, '[RESERVED]': 5, '[UNK]': 6 },
    unknownId: 6,
    padId: 4,
    side: 'left',
    // Caduceus has none: its tokens are plain strings.
    lstrip: ['[MASK]'],
    suffix: ['[SEP]'],
  };
}

const NT_SPECIAL_TOKENS = { '<unk>': 0, '<pad>': 1, '<mask>': 2, '<cls>': 3, '<eos>': 4, '<bos>': 5 };

/**
 * The common part of Nucleotide Transformer: 6-mers, A0 T1 C2 G3, N always alone, and one unknown id per word of other
 * letters, as in transformers' `EsmTokenizer`. Lower case and ambiguity codes would form such words, so they are rejected
 * unless an option says otherwise. The special token before a sequence is an option.
 */
const NT = {
  unit: 'kmer',
  k: 6,
  alphabet: 'ATCG',
  unknownId: 0,
  unknown: 'words',
  padId: 1,
  prefix: ['<cls>'],
  lowerCase: 'reject',
  ambiguous: 'reject',
} as const;

const PRESETS: Record<Exclude<DnaName, 'dnabert2'>, () => DnaVocabulary> = {
  hyenadna,
  caduceus: () => ({ ...hyenadna(), name: 'caduceus', lstrip: [], lowerCase: 'normalize' }),
  'nt-v1': () => ({
    ...NT,
    name: 'nt-v1',
    kmerIds: 4,
    baseIds: { A: 4100, T: 4101, C: 4102, G: 4103, N: 4104 },
    specialTokens: { '<unk>': 0, '<pad>': 1, '<mask>': 2, '<cls>': 3, '<eos>': 4105, '<bos>': 4106 },
  }),
  'nt-v2': () => ({
    ...NT,
    name: 'nt-v2',
    kmerIds: 6,
    baseIds: { A: 4102, T: 4103, C: 4104, G: 4105, N: 4106 },
    specialTokens: NT_SPECIAL_TOKENS,
  }),
  'nt-v3': () => ({
    name: 'nt-v3',
    unit: 'byte',
    baseIds: { A: 6, T: 7, C: 8, G: 9, N: 10 },
    specialTokens: NT_SPECIAL_TOKENS,
    unknownId: 0,
    padId: 1,
    lowerCase: 'reject',
    ambiguous: 'reject',
  }),
  // Its tokenizer lower-cases, has neither N nor ambiguity codes, and drops white space, which is unknown here.
  gpn: () => ({
    name: 'gpn',
    unit: 'byte',
    baseIds: { A: 3, C: 4, G: 5, T: 6 },
    specialTokens: { '[PAD]': 0, '[MASK]': 1, '[UNK]': 2 },
    unknownId: 2,
    padId: 0,
    lowerCase: 'normalize',
  }),
  evo2: () => ({
    name: 'evo2',
    unit: 'byte',
    baseIds: Array.from({ length: 256 }, (_, byte) => byte),
    padId: 1,
    vocabularySize: 512,
  }),
};

/** The vocabulary with this name; undefined if there is none. */
export function presetNamed(name: string): DnaVocabulary | undefined {
  return Object.hasOwn(PRESETS, name) ? PRESETS[name as keyof typeof PRESETS]() : undefined;
}

export const DNA_NAMES: readonly DnaName[] = [...(Object.keys(PRESETS) as DnaName[]), 'dnabert2'];

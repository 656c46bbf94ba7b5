// Small models of several classes, as `tokenizer.json` files have them.

import { Tokenizer } from 'crayon-tokenizer';

import { fileOf } from './small-file.js';

/** Added tokens whose ids follow the vocabulary's. */
export const added = (first: number, count = 4) =>
  [
    { content: '<|end|>' },
    { content: '<l>', lstrip: true },
    { content: '<r>', rstrip: true, special: false },
    { content: 'word', single_word: true, special: false },
  ]
    .slice(0, count)
    .map((token, i) => ({ id: first + i, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true, ...token }));

const MERGES: [string, string][] = [
  ['a', 'b'],
  ['Ġ', 'a'],
  ['Ġ', 'Ġ'],
  ['ĠĠ', 'ĠĠ'],
  ['t', 'h'],
  ['th', 'e'],
  ['Ġ', 'the'],
  ['i', 'n'],
  ['in', 'g'],
];

const load = (json: unknown) => Tokenizer.load(new TextEncoder().encode(JSON.stringify(json)));
/** BPE over bytes with a few merges, and the first `addedTokens` of the added tokens. */
export const small = (change: (file: any) => void, addedTokens = 0) =>
  load(
    fileOf(MERGES, (file) => {
      file.added_tokens = added(256 + MERGES.length, addedTokens);
      change(file);
    }),
  );

/** A `tokenizer.json` around a model. */
export const around = (model: object, parts: object) =>
  load({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: null,
    ...parts,
    model,
  });

export const METASPACE = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true };

const WORDS = [
  '[UNK]',
  'the',
  'then',
  'thing',
  'word',
  'a',
  'b',
  'ab',
  '##s',
  '##ing',
  'in',
  'all',
  'par',
  '##ts',
  'e',
  ',',
  ';',
  '中',
  '##b',
  '##a',
];

/** WordPiece with the normalizer and the words of BERT. */
export const wordPiece = () =>
  around(
    {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
    },
    {
      normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
      pre_tokenizer: { type: 'BertPreTokenizer' },
      decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
      added_tokens: added(WORDS.length, 1),
    },
  );

/** The worst texts of every stage of the general path that we know: each a small file that has little else, and a text of a length in bytes. */

const ABC = [...'abcdefghijklmnopqrstuvwxyz'];
const vocabOf = (texts) => Object.fromEntries(texts.map((text, id) => [text, id]));
const fileOf = (parts) => ({
  ...{ version: '1.0', truncation: null, padding: null, normalizer: null, pre_tokenizer: null, post_processor: null, decoder: null },
  model: { type: 'WordLevel', vocab: { '[UNK]': 0 }, unk_token: '[UNK]' },
  ...parts,
  added_tokens: (parts.added_tokens ?? []).map((token, id) => {
    return { ...{ id, single_word: false, lstrip: false, rstrip: false, normalized: false, special: false }, ...token };
  }),
});
const stage = (name, parts, text) => ({ name, file: fileOf(parts), text });
const of = (piece) => (bytes) => piece.repeat(Math.ceil(bytes / Buffer.byteLength(piece)));
/** Letters that do not repeat. */
const random = (letters) => (bytes) => {
  let [state, text] = [1, ''];
  while (text.length < bytes) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    text += letters[(state >>> 16) % letters.length];
  }
  return text;
};

const bpe = (texts, merges, rest = {}) => ({
  model: {
    ...{
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
    },
    ...{ vocab: vocabOf(texts), merges, ...rest },
  },
});
/** Powers of two of a letter: merges go on to the end. */
const POWERS = Array.from({ length: 15 }, (_, power) => 'a'.repeat(2 ** power));
const PAIRS = ABC.flatMap((left) => ABC.map((right) => [left, right]));
const FOURS = PAIRS.slice(0, 300).map(([left, right], index) => [left + right, PAIRS[(index * 7) % PAIRS.length].join('')]);
const NESTED = Array.from({ length: 400 }, (_, length) => 'a'.repeat(length + 1));
const unigram = (texts) => ({
  model: { type: 'Unigram', unk_id: 0, byte_fallback: false, vocab: [['<unk>', 0], ...texts.map((text, at) => [text, -1 - at / 1000])] },
});
const wordPiece = (texts, most) => ({
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: most,
    vocab: vocabOf(['[UNK]', ...texts]),
  },
});
const normalizer = (name, value, text) => stage(`normalizer: ${name}`, { normalizer: value }, text);
const split = (pattern, behavior = 'Isolated') => ({ type: 'Split', pattern, behavior, invert: false });
const SPLITS = ['Isolated', 'Removed', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'];
const regex = (pattern, text) => pretokenizer(`Split, ${pattern}`, split({ Regex: pattern }), of(text));
const METASPACE = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true };
const ROBERTA = { type: 'RobertaProcessing', sep: ['[UNK]', 0], cls: ['[UNK]', 0], trim_offsets: true, add_prefix_space: false };
const pretokenizer = (name, value, text) => stage(`pretokenizer: ${name}`, { pre_tokenizer: value }, text);
const added = (name, tokens, text) => stage(`added tokens: ${name}`, { added_tokens: tokens }, text);
const BERT = { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: true, lowercase: true };
const sequence = (...normalizers) => ({ type: 'Sequence', normalizers });
const doubling = { type: 'Replace', pattern: { String: 'a' }, content: 'aa' };

export const WORST = [
  ...['NFC', 'NFD', 'NFKC', 'NFKD'].map((type) =>
    normalizer(`${type}, one run of combining marks of two classes`, { type }, of('\u0301\u0323')),
  ),
  normalizer('NFC, Hangul', { type: 'NFC' }, of('\u1100\u1161\u11a8')),
  normalizer('BertNormalizer, marks, ideographs and controls', BERT, of('É日\u0000\u0301 ')),
  normalizer('StripAccents of nothing else', { type: 'StripAccents' }, of('\u0301')),
  normalizer('Strip of spaces', { type: 'Strip', strip_left: true, strip_right: true }, of(' ')),
  normalizer('Replace, three that double', sequence(doubling, doubling, doubling), of('a')),
  normalizer('Replace, an empty text', { type: 'Replace', pattern: { String: '' }, content: '-' }, of('a')),
  normalizer('Replace, a pattern that looks far ahead', { type: 'Replace', pattern: { Regex: 'a(?=a*b)' }, content: 'x' }, of('a')),
  normalizer('sixteen of them', sequence(...Array.from({ length: 16 }, () => ({ type: 'Lowercase' }))), of('AbÉ')),
  normalizer('ByteLevel of four-byte characters', { type: 'ByteLevel' }, of('🙂')),
  pretokenizer('ByteLevel, one word', { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true }, of('a')),
  pretokenizer('ByteLevel, spaces', { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true }, of(' ')),
  pretokenizer('Metaspace, marks alone', { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true }, of(' ')),
  pretokenizer('Whitespace, a piece for each character', { type: 'Whitespace' }, of('a!')),
  pretokenizer('FixedLength 1', { type: 'FixedLength', length: 1 }, of('a')),
  pretokenizer('UnicodeScripts, another for each character', { type: 'UnicodeScripts' }, of('aя')),
  pretokenizer('Split, a pattern that fails at the end of each run', split({ Regex: '(?:a|b|ab)*c' }), of('ab')),
  pretokenizer('Split, nested repetitions', split({ Regex: '(?:a*)*b' }), of('a')),
  pretokenizer('Split, a lookbehind', split({ Regex: '(?<=a)b|(?<!b)a' }, 'MergedWithNext'), of('ab')),
  pretokenizer('Split, spaces without an end', split({ Regex: '\\s+$|\\s+(?!\\S)' }), of(' ')),
  pretokenizer('Split, Contiguous', split({ String: 'a' }, 'Contiguous'), of('a')),
  ...SPLITS.map((behavior) => pretokenizer(`Punctuation, ${behavior}`, { type: 'Punctuation', behavior }, of('a!!'))),
  pretokenizer('Digits', { type: 'Digits', individual_digits: true }, of('1')),
  pretokenizer('CharDelimiterSplit', { type: 'CharDelimiterSplit', delimiter: 'a' }, of('ab')),
  pretokenizer('BertPreTokenizer', { type: 'BertPreTokenizer' }, of('a!日 ')),
  pretokenizer('eight that rewrite', { type: 'Sequence', pretokenizers: Array.from({ length: 8 }, () => METASPACE) }, of('a ')),
  ...[
    ['(?<=ca*)a', 'a'],
    ['(?<!c(?:a|aa)*)a', 'a'],
    ['(?<=^.*)b', 'b'],
    ['a{0,100000}b', 'a'],
    ['a{0,100000}?b', 'a'],
    ['(?:a{0,50}){0,50}b', 'a'],
  ].map(([pattern, text]) => regex(pattern, text)),
  ...[
    ['(?>(?>a|aa)*)*b', 'a'],
    ['(?!(?:a*)*b)a', 'a'],
    ['(?:(?=a*b)a)*c|a', 'a'],
    [String.raw`\d{1,3}(?=(?:\d{3})*\b)`, '1'],
    [String.raw`\y`, '🇦'],
  ].map(([pattern, text]) => regex(pattern, text)),
  stage(
    'model: BPE, one piece of one letter',
    bpe(
      POWERS,
      POWERS.slice(1).map((text) => [text.slice(text.length / 2), text.slice(text.length / 2)]),
    ),
    of('a'),
  ),
  stage(
    'model: BPE, one piece of random letters',
    bpe([...new Set([...ABC, ...PAIRS.map((pair) => pair.join('')), ...FOURS.map((pair) => pair.join(''))])], [...PAIRS, ...FOURS]),
    random(ABC),
  ),
  stage('model: BPE, all characters unknown', bpe(['<unk>', 'a'], [], { unk_token: '<unk>' }), of('x')),
  stage(
    'model: BPE, all characters bytes',
    bpe(
      Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
      [],
      { byte_fallback: true },
    ),
    of('é'),
  ),
  stage('model: Unigram, one piece of one letter', unigram(NESTED), of('a')),
  stage('model: Unigram, all characters unknown', unigram(['a']), of('x')),
  stage('model: WordPiece, one word', wordPiece(['a', ...ABC.map((letter) => `##${letter}`)], 2 ** 32), random(ABC)),
  stage('model: WordPiece, long tokens that nearly match', wordPiece(['a', '##a', `##${'a'.repeat(400)}b`], 2 ** 32), of('a')),
  stage('model: WordPiece, a word that is too long', wordPiece(['a', '##a'], 100), of('a')),
  added(
    '5,000 that share a beginning',
    Array.from({ length: 5000 }, (_, index) => ({ content: `${'a'.repeat(200)}${index}` })),
    of('a'),
  ),
  added('that strip runs of spaces', [{ content: 'x', lstrip: true, rstrip: true }], of(`${' '.repeat(1000)}x`)),
  added(
    'that strip what another has stripped',
    [
      { content: 'x', rstrip: true },
      { content: ' y', lstrip: true },
    ],
    of(`x${' '.repeat(1000)}`),
  ),
  stage(
    'added tokens: inside of what another has stripped',
    { normalizer: { type: 'Lowercase' }, pre_tokenizer: METASPACE, added_tokens: [{ content: ' ', rstrip: true }, { content: '\t' }] },
    of(' \t'),
  ),
  {
    ...stage('offsets: of such tokens, trimmed', { post_processor: ROBERTA, added_tokens: [{ content: ' ', rstrip: true }] }, of(' ')),
    offsets: true,
  },
  {
    ...stage(
      'offsets: a piece for each character',
      { pre_tokenizer: { type: 'FixedLength', length: 1 }, post_processor: ROBERTA },
      of('é '),
    ),
    offsets: true,
  },
  added('many single words in one', [{ content: 'a', single_word: true }], of('a')),
  added('with lstrip, one for each space', [{ content: ' ', lstrip: true, rstrip: true }], of(' ')),
];

// The same calls for the drop-in and for the original.

const vocab = { '[UNK]': 0, '[CLS]': 1, '[SEP]': 2, hello: 3, world: 4, wor: 5, '##ld': 6, '##s': 7, ',': 8 };
const special = (content, id) => ({ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true });
const around = (type_id) => ({ SpecialToken: { id: '[SEP]', type_id } });

export const FILE = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [special('[UNK]', 0), special('[CLS]', 1), special('[SEP]', 2)],
  normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [{ SpecialToken: { id: '[CLS]', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }, around(0)],
    pair: [
      { SpecialToken: { id: '[CLS]', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      around(0),
      { Sequence: { id: 'B', type_id: 1 } },
      around(1),
    ],
    special_tokens: { '[CLS]': { id: '[CLS]', ids: [1], tokens: ['[CLS]'] }, '[SEP]': { id: '[SEP]', ids: [2], tokens: ['[SEP]'] } },
  },
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: { type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', max_input_chars_per_word: 100, vocab },
};

const all = (encoding) => ({
  ids: encoding.getIds(),
  tokens: encoding.getTokens(),
  offsets: encoding.getOffsets(),
  types: encoding.getTypeIds(),
  mask: encoding.getAttentionMask(),
  special: encoding.getSpecialTokensMask(),
  words: encoding.getWordIds(),
  sequences: encoding.getSequenceIds(),
  overflowing: encoding.getOverflowing().map(all),
});

export async function say({ AddedToken, Tokenizer }) {
  const tokenizer = Tokenizer.fromString(JSON.stringify(FILE));
  const plain = await tokenizer.encode('Hello, wórlds [SEP] 😀 hello', 'world');
  tokenizer.setTruncation(6, { stride: 1 });
  tokenizer.setPadding({ padToMultipleOf: 4 });
  const batch = await tokenizer.encodeBatch(['hello worlds, hello world', 'hello']);
  const added = tokenizer.addAddedTokens([new AddedToken('<x>', true, { leftStrip: true })]);
  const other = await tokenizer.encode('hello <x>');
  return {
    plain: all(plain),
    batch: batch.map(all),
    added,
    other: all(other),
    decoded: await tokenizer.decode(plain.getIds(), true),
    size: tokenizer.getVocabSize(),
  };
}

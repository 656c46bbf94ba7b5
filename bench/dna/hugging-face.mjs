/** The tokenizer of strings that DNA is compared with. */
import { Tokenizer as HuggingFace } from 'tokenizers';

/** npm `tokenizers` with the same vocabulary: a word of one character each, or of six. */
export function huggingFace(name) {
  const vocab = {};
  if (name === 'hyenadna') [...'ACGTN'].forEach((base, index) => (vocab[base] = 7 + index));
  else {
    for (let index = 0; index < 4096; index++) {
      const digits = index.toString(4).padStart(6, '0');
      vocab[[...digits].map((digit) => 'ATCG'[digit]).join('')] = 6 + index;
    }
    [...'ATCG'].forEach((base, index) => (vocab[base] = 4102 + index));
  }
  vocab['[UNK]'] = 0;
  const pattern = name === 'hyenadna' ? '[A-Z]' : '[ACGT]{6}|[A-Z]';
  return HuggingFace.fromString(
    JSON.stringify({
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: [],
      normalizer: null,
      pre_tokenizer: { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false },
      post_processor: null,
      decoder: null,
      model: { type: 'WordLevel', vocab, unk_token: '[UNK]' },
    }),
  );
}

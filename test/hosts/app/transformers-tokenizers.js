import { Tokenizer } from 'crayon-tokenizer/transformers/tokenizers';
import { CALL } from './transformers-calls.js';

globalThis.outcome = fetch('model/tokenizer.json')
  .then((response) => response.json())
  .then((json) => {
    const tokenizer = new Tokenizer(json, {});
    const encoded = CALL[0].map((text) => ({ ...tokenizer.encode(text) }));
    return { encoded, decoded: encoded.map(({ ids }) => tokenizer.decode(ids, { skip_special_tokens: true })) };
  });

import { AutoTokenizer } from 'crayon-tokenizer/transformers';

globalThis.outcome = fetch('model/tokenizer.json')
  .then((response) => response.arrayBuffer())
  .then((bytes) => AutoTokenizer.from_pretrained({ 'tokenizer.json': bytes }))
  .then((tokenizer) => tokenizer.encode('hello world'));

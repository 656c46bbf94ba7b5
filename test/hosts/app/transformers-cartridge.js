import { AutoTokenizer } from 'crayon-tokenizer/transformers';

globalThis.outcome = fetch('model/tokenizer.cray')
  .then((response) => response.arrayBuffer())
  .then((bytes) => AutoTokenizer.from_pretrained({ 'tokenizer.cray': bytes }))
  .then((tokenizer) => tokenizer.encode('hello world'));

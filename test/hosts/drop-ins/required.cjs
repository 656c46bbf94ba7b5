// The drop-ins in CommonJS, as in older code.

const { countTokens } = require('crayon-tokenizer/gpt-tokenizer/model/gpt-4');
const { Tiktoken } = require('crayon-tokenizer/js-tiktoken/lite');
const ranks = require('crayon-tokenizer/js-tiktoken/ranks/gpt2');
const tiktoken = require('crayon-tokenizer/tiktoken');

globalThis.outcome = {
  cl100k_base: [...tiktoken.get_encoding('cl100k_base').encode('hello world')],
  gpt2: new Tiktoken(ranks.default ?? ranks).encode('hello world'),
  count: countTokens('hello world'),
};

// The drop-ins that include no vocabulary, or a chosen one.

import { GptEncoding } from 'crayon-tokenizer/gpt-tokenizer/GptEncoding';
import { resolveEncodingAsync } from 'crayon-tokenizer/gpt-tokenizer/resolveEncodingAsync';
import { Tiktoken as JsTiktoken } from 'crayon-tokenizer/js-tiktoken/lite';
import r50k_base from 'crayon-tokenizer/js-tiktoken/ranks/r50k_base';
import { Tiktoken } from 'crayon-tokenizer/tiktoken/lite';
import { TEXT } from './text.js';

const messageOf = (call) => {
  try {
    return call();
  } catch (error) {
    return error.message;
  }
};

/** Every byte, and a few more tokens. */
function ownRanks(...tokens) {
  const bytes = Array.from({ length: 256 }, (_, byte) => btoa(String.fromCharCode(byte)));
  return `! 0 ${[...bytes, ...tokens.map((token) => btoa(token))].join(' ')}`;
}

async function run() {
  const { pat_str, special_tokens } = r50k_base;
  const ours = new JsTiktoken(r50k_base);
  const bpe_ranks = ownRanks('he', 'll', 'hell');
  const compiled = new Tiktoken(bpe_ranks, { '<|x|>': 1000 }, pat_str);
  const theirs = new Tiktoken(r50k_base.bpe_ranks, special_tokens, pat_str);
  const cl100k = GptEncoding.getEncodingApi('cl100k_base');
  const missing = messageOf(() => cl100k.encode('hello world'));
  const ranks = await resolveEncodingAsync('cl100k_base');
  return {
    ours: ours.encode(TEXT, 'all'),
    theirs: [...theirs.encode(TEXT, 'all')],
    ranksLength: r50k_base.bpe_ranks.length,
    compiled: [...compiled.encode('hello hell<|x|>', 'all')],
    compiledToo: new JsTiktoken({ pat_str, special_tokens: {}, bpe_ranks }).encode('hello hell'),
    missing,
    later: cl100k.encode('hello world'),
    checked: GptEncoding.getEncodingApi('cl100k_base', () => ranks).encode('hello world'),
    rank: ranks[15339],
  };
}

globalThis.outcome = run();

// The drop-ins that include vocabularies.

import * as gptTokenizer from 'crayon-tokenizer/gpt-tokenizer';
import { encode, encodeChat } from 'crayon-tokenizer/gpt-tokenizer/encoding/cl100k_base';
import * as p50kEdit from 'crayon-tokenizer/gpt-tokenizer/encoding/p50k_edit';
import gpt35 from 'crayon-tokenizer/gpt-tokenizer/model/gpt-3.5-turbo';
import { resolveEncoding } from 'crayon-tokenizer/gpt-tokenizer/resolveEncoding';
import { encodingForModel, getEncoding } from 'crayon-tokenizer/js-tiktoken';
import { encoding_for_model, get_encoding } from 'crayon-tokenizer/tiktoken';
import { init } from 'crayon-tokenizer/tiktoken/init';
import { TEXT } from './text.js';

const ENCODINGS = ['gpt2', 'r50k_base', 'p50k_base', 'p50k_edit', 'cl100k_base', 'o200k_base'];
const CHAT = [{ role: 'user', content: 'hello' }];

function ofTiktoken(name) {
  const encoding = get_encoding(name);
  const ids = encoding.encode(TEXT, 'all');
  const outcome = { ids: [...ids], text: new TextDecoder().decode(encoding.decode(ids)) };
  encoding.free();
  return outcome;
}

function ofJsTiktoken(name) {
  const encoding = getEncoding(name);
  const ids = encoding.encode(TEXT, 'all');
  return { ids, text: encoding.decode(ids) };
}

async function run() {
  await init((imports) => imports);
  const options = { allowedSpecial: 'all' };
  const [stable, completions] = encoding_for_model('gpt-4').encode_with_unstable('hello fanta');
  const bytes = encoding_for_model('gpt2').token_byte_values();
  return {
    tiktoken: Object.fromEntries(ENCODINGS.map((name) => [name, ofTiktoken(name)])),
    jsTiktoken: Object.fromEntries(ENCODINGS.map((name) => [name, ofJsTiktoken(name)])),
    gptTokenizer: {
      p50k_edit: p50kEdit.encode(TEXT, options),
      cl100k_base: encode(TEXT, options),
      o200k_base: gptTokenizer.encode(TEXT, options),
    },
    decoded: gptTokenizer.decode(gptTokenizer.encode(TEXT, options)),
    chunks: [...gptTokenizer.encodeGenerator('hello world')].flat(),
    chat: encodeChat(CHAT, 'gpt-4'),
    chatCount: gpt35.countTokens(CHAT),
    rank: resolveEncoding('cl100k_base')[15339],
    added: encodingForModel('gpt-4', { '<|x|>': 300_000 }).encode('hi<|x|>', 'all'),
    unstable: { stable, completions: completions.map(String).sort() },
    tokens: bytes.length,
    longest: Math.max(...bytes.map(({ length }) => length)),
  };
}

globalThis.outcome = run();

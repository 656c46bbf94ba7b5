import { AutoTokenizer } from 'crayon-tokenizer/transformers';
import { CALL, CHAT } from './transformers-calls.js';

const bytesOf = async (name) => (await fetch(`model/${name}`)).arrayBuffer();

/** From the URL of a folder, and from the contents of fetched files. */
async function answers() {
  const files = { 'tokenizer.json': await bytesOf('tokenizer.json'), 'tokenizer_config.json': await bytesOf('tokenizer_config.json') };
  const opened = [await AutoTokenizer.from_pretrained('model'), await AutoTokenizer.from_pretrained(files)];
  return opened.map((tokenizer) => ({
    encoded: { ...tokenizer(...CALL) },
    words: tokenizer(...CALL).word_ids(0),
    tokens: tokenizer.tokenize(CALL[0][0]),
    decoded: tokenizer.decode(tokenizer.encode(CALL[0][0]), { skip_special_tokens: true }),
    chat: tokenizer.apply_chat_template(CHAT, { tokenize: false, add_generation_prompt: true }),
    backend: tokenizer.tokenizer.backend.kind,
  }));
}

globalThis.outcome = answers();

/** Chats whose ids are marked where the assistant wrote them, like transformers' return_assistant_tokens_mask. */
import fs from 'node:fs';
import { conversation } from './conversations.mjs';

export const SEED = 23;
export const COUNT = 40;
/** The number of handwritten chats, which come first. */
export const BY_HAND = 10;

/**
 * A byte-level vocabulary without a pretokenizer, so that merges cross from the template's text into the assistant's.
 * @returns {object} a tokenizer.json
 */
export function vocabulary() {
  const letterOf = [];
  for (let byte = 0, next = 256; byte < 256; byte++) {
    const isVisible = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    letterOf.push(String.fromCharCode(isVisible ? byte : next++));
  }
  const vocab = Object.fromEntries(letterOf.map((letter, byte) => [letter, byte]));
  const pair = (a, b) => [...[a, b].map((text) => Array.from(new TextEncoder().encode(text), (byte) => letterOf[byte]).join(''))];
  const merges = [pair('\n', 'h'), pair('\n', '<'), pair('h', 'e'), pair('l', 'l'), pair('he', 'll'), pair('hell', 'o'), pair('\n', '\n'), pair('i', 's'), pair('>', '\n'), pair('t', '\n'), pair('\n', ' '), pair('\n', 'W')];
  for (const [a, b] of merges) vocab[a + b] = Object.keys(vocab).length;
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  const added = ['<|im_start|>', '<|im_end|>', '<s>', '</s>'];
  return {
    version: '1.0',
    added_tokens: added.map((content, index) => ({ id: Object.keys(vocab).length + index, content, ...flags })),
    normalizer: null,
    post_processor: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: { type: 'BPE', vocab, merges: merges.map(([a, b]) => `${a} ${b}`) },
  };
}

/** Templates that mark the assistant's text, and chats in JSON text. @returns {[source: string, chat: string][]} */
export function markedChats() {
  const source = fs.readFileSync(new URL('templates/chatml-tools.jinja', import.meta.url), 'utf8');
  const small = '{% for m in messages %}{{ m.role }}\n{% if m.role == "assistant" %}{% generation %}{{ m.content }}{% endgeneration %}{% else %}{{ m.content }}{% endif %}\n{% endfor %}';
  const said = (content) => `{"messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": ${JSON.stringify(content)}}, {"role": "user", "content": "hell"}, {"role": "assistant", "content": "x"}]}`;
  const byHand = ['hello', '', 'é', '🙂', '\nhello\n', ' ', 'W', '\n', '<|im_end|>', 'h'].map((content) => [small, said(content)]);
  // Continued chats have no mask; the texts of these are mostly letters.
  const generated = Array.from({ length: COUNT }, (_, index) => [source, conversation(SEED, index)]).filter(([, chat]) => !chat.includes('"continueFinalMessage"'));
  return [...byHand, ...generated];
}
